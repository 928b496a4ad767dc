/* One measurement as all processes make it together: the pattern's transfers under the measuring loop, and
 * what is known about it afterwards on rank 0. */
#ifndef BEFF_MPI_MEASUREMENT_H
#define BEFF_MPI_MEASUREMENT_H

#include "beff/scheduler.h"
#include "beff/mpi/exchange.h"
#include "common/mpi/comm.h"

/* What a measurement gave, on one process and, reduced, on all. */
struct reduction {
    struct measurement measurement; /* t_avg: the sum, until the end */
    int64_t parts;                  /* processes that take part */
    int rank;                       /* the lowest one that found a wrong byte: ... */
    struct mismatch bad;            /* ... its first */
};

struct runner {
    struct comm *comm;
    const struct pattern_list *list;
    struct neighbours *neighbours; /* of this process, in each pattern */
    struct exchange exchange;
    MPI_Datatype type;
    MPI_Op combine;
};

/* Finds the neighbours and allocates the buffers; 0, or -1 when out of memory on this process. */
int runner_make(struct runner *runner, struct comm *comm, const struct pattern_list *list);
void runner_free(struct runner *runner);

/* Measures; collective. The reduction of all processes is complete on rank 0. */
struct reduction runner_measure(struct runner *runner, const struct command *command);

/* Memory-copy bandwidth in MB/s, all processes copying messages of Lmax bytes through their buffers at once;
 * collective, the result is on rank 0. *loops copies by each process; 0: as many as take about `seconds`,
 * found out first. */
double runner_copy(struct runner *runner, double seconds, int64_t *loops);

/* Seconds of one exchange, both ways at once, with `partner` of another communicator; collective. Negative
 * `partner`: this process only waits, 0. */
double runner_pair(struct runner *runner, MPI_Comm comm, int64_t partner, int64_t bytes, int64_t untimed,
                   int64_t loops);

#endif
