/* One measurement as all processes make it together: the pattern's transfers under the measuring loop, and
 * what is known about it afterwards on rank 0. */
#ifndef BEFF_MPI_MEASUREMENT_H
#define BEFF_MPI_MEASUREMENT_H

#include "beff/conductor.h"
#include "beff/mpi/exchange.h"
#include "common/mpi/world.h"

/* What a measurement gave, on one process and, reduced, on all. */
struct tally {
    struct outcome outcome; /* t_avg: the sum, until the end */
    int64_t parts;          /* processes that take part */
    int rank;               /* the lowest one that found a wrong byte: ... */
    struct mismatch bad;    /* ... its first */
};

struct measurer {
    struct world *world;
    const struct pattern_list *list;
    struct neighbours *neighbours; /* of this process, in each pattern */
    struct exchange exchange;
    MPI_Datatype type;
    MPI_Op combine;
};

/* Finds the neighbours and allocates the buffers; 0, or -1 when out of memory on this process. */
int measurer_make(struct measurer *measurer, struct world *world, const struct pattern_list *list);
void measurer_free(struct measurer *measurer);

/* Measures; collective. The tally of all processes is complete on rank 0. */
struct tally measurer_measure(struct measurer *measurer, const struct order *order);

/* Seconds per iteration of the null pattern: a ring's work on buffers and marks without any transfer. */
double measurer_null(struct measurer *measurer);

/* Memory-copy bandwidth in MB/s, all processes copying messages of Lmax bytes through their buffers at once;
 * collective, the result is on rank 0. *loops copies by each process; 0: as many as take about `seconds`,
 * found out first. */
double measurer_copy(struct measurer *measurer, double seconds, int64_t *loops);

/* Seconds of one exchange, both ways at once, with `partner` of another communicator; collective. Negative
 * `partner`: this process only waits, 0. */
double measurer_pair(struct measurer *measurer, MPI_Comm comm, int64_t partner, int64_t bytes, int64_t warmup,
                     int64_t loops);

#endif
