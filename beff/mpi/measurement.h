/* One measurement as all processes make it together: the pattern's transfers under the measuring loop, and
 * what is known about it afterwards on rank 0. */
#ifndef BEFF_MPI_MEASUREMENT_H
#define BEFF_MPI_MEASUREMENT_H

#include "beff/scheduler.h"
#include "beff/walk.h"
#include "common/mpi/comm.h"

enum { EXCHANGE_MAX_STEPS = 2 * CARTESIAN_MAX };

/* A step: this process sends one message and receives one; either may be missing (MPI_PROC_NULL). */
struct step {
    int to, from;
};

/* A wrong byte in a received message. */
struct mismatch {
    int from;       /* sender */
    long iteration; /* warm-up included, from 0 */
    int last;       /* 0: the first byte of the message, 1: the last one */
    int expected, found;
};

/* Transfers by each method, through cyclic buffers, with checked messages (docs/definition.md 1.5 to 1.7). */
struct exchange {
    MPI_Comm comm;
    int rank;
    unsigned char *send, *receive;  /* areas */
    struct walk sending, receiving; /* through them */
    int *counts; /* Alltoallv: send counts, send displacements, receive counts, receive displacements */
    int processes;

    int steps; /* 0: this process transfers nothing */
    struct step step[EXCHANGE_MAX_STEPS];
    int bytes; /* of one message */
    int64_t errors;
    struct mismatch first; /* of this measurement, if errors > 0 */

    const char *failed; /* the call that returned an error, and where it stands */
    int failed_line;
};

/* What a measurement gave, on one process and, reduced, on all. */
struct reduction {
    struct measurement measurement; /* t_avg: the sum, until the end */
    int64_t parts;                  /* processes that take part */
    int rank;                       /* the lowest one that found a wrong byte: ... */
    struct mismatch bad;            /* ... its first */
};

struct runner {
    struct exchange exchange; /* the first member: what an iteration gets is either */
    struct comm *comm;
    const struct pattern_list *list;
    struct neighbours *neighbours; /* of this process, in each pattern */
    MPI_Datatype type;
    MPI_Op combine;
};

/* Finds the neighbours and allocates the buffers. Returns 0, or -1 if this process has no memory for the
 * message buffers. */
int runner_make(struct runner *runner, struct comm *comm, const struct pattern_list *list);
void runner_free(struct runner *runner);

/* Writes to all of both areas, so that no measurement pays for the first use of a page. Gigabytes take
 * seconds. */
void runner_touch(struct runner *runner);

/* Prepares for messages of `bytes` with these neighbours, and forgets earlier errors. The walk through the
 * areas goes on where it was (beff/walk.h). */
void exchange_prepare(struct exchange *exchange, const struct neighbours *neighbours, int64_t bytes);

/* Measures; collective. The reduction of all processes is complete on rank 0. */
struct reduction runner_measure(struct runner *runner, const struct command *command);

/* Seconds of one exchange, both ways at once, with `partner` of another communicator; collective. Negative
 * `partner`: this process only waits, 0. */
double runner_pair(struct runner *runner, MPI_Comm comm, int64_t partner, int64_t bytes, int64_t untimed,
                   int64_t loops);

#endif
