/* Transfers with the neighbours of a pattern by each method, through cyclic buffers, with checked messages
 * (docs/definition.md 1.3 to 1.5). */
#ifndef BEFF_MPI_EXCHANGE_H
#define BEFF_MPI_EXCHANGE_H

#include <mpi.h>
#include <stdint.h>

#include "beff/patterns.h"
#include "beff/record.h"
#include "beff/walk.h"

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

/* Allocates the areas for messages of up to lmax bytes. Returns 0, or -1 when out of memory. */
int exchange_make(struct exchange *exchange, MPI_Comm comm, int64_t lmax);
void exchange_free(struct exchange *exchange);

/* Writes to all of both areas, so that no measurement pays for the first use of a page. Gigabytes take
 * seconds. */
void exchange_touch(struct exchange *exchange);

/* Transfers from now on among the processes of another communicator: neighbours are its ranks. */
void exchange_use(struct exchange *exchange, MPI_Comm comm);

/* Prepares for messages of `bytes` with these neighbours, and forgets earlier errors. The walk through the
 * areas goes on where it was (beff/walk.h). */
void exchange_prepare(struct exchange *exchange, const struct neighbours *neighbours, int64_t bytes);

/* One iteration of a method; an MPI error code. Alltoallv must be called by all processes, the others by
 * those that take part. `exchange` is a struct exchange. */
typedef int exchange_iteration(void *exchange, long iteration);
exchange_iteration *exchange_method(enum method method);

/* One message's bytes copied from the send to the receive area, by this process alone. */
int exchange_copy(void *exchange, long iteration);

#endif
