/* One measurement as all processes make it together: the pattern's transfers under the measuring loop, and
 * what is known about it afterwards on rank 0. */
#ifndef BEFF_MPI_MEASUREMENT_H
#define BEFF_MPI_MEASUREMENT_H

#include "beff/conductor.h"
#include "beff/mpi/exchange.h"
#include "common/mpi/world.h"

/* What a measurement gave, on one process and, reduced, on all. Only doubles, so that one MPI type describes
 * it. */
struct tally {
    double t_min, t_sum, t_max, parts;             /* of the processes that take part; parts: how many */
    double errors, held_up, switches, clock_jumps; /* sums: see struct beff_record */
    double stop;                                   /* largest: a signal that came */
    double fault, fault_rank;                      /* enum measure_status, and where */
    double bad_rank, bad_from, bad_iteration, bad_last, bad_expected,
        bad_found; /* a wrong byte: lowest rank */
};

struct measurer {
    struct world *world;
    const struct pattern_list *list;
    struct neighbours *neighbours; /* of this process, in each pattern */
    double *shortest; /* of this process: seconds of an iteration, in each pattern, method and size */
    struct exchange exchange;
    MPI_Datatype type;
    MPI_Op combine;
    char doing[128]; /* what is being measured, for messages */
};

/* Finds the neighbours and allocates the buffers; 0, or -1 when out of memory on this process. */
int measurer_make(struct measurer *measurer, struct world *world, const struct pattern_list *list);
void measurer_free(struct measurer *measurer);

/* Measures; collective. The tally of all processes is complete on rank 0. */
struct tally measurer_measure(struct measurer *measurer, const struct order *order);

/* Seconds per iteration of the null pattern: a ring's work on buffers and marks without any transfer. */
double measurer_null(struct measurer *measurer);

/* Memory-copy bandwidth in MB/s, all processes copying messages of one size through their buffers at once;
 * collective, the result is on rank 0. *loops copies by each process; 0: as many as take about `seconds`,
 * found out first. */
double measurer_copy(struct measurer *measurer, int size, double seconds, int64_t *loops);

#endif
