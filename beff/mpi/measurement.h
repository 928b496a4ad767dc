/* Makes one measurement on all processes: runs the pattern's transfers in the timing loop, and reduces the
 * per-process results to rank 0. */
#ifndef BEFF_MPI_MEASUREMENT_H
#define BEFF_MPI_MEASUREMENT_H

#include "beff/fabric_measure.h"
#include "beff/scheduler.h"
#include "beff/walk.h"
#include "common/mpi/comm.h"
#include "common/space.h"

enum { EXCHANGE_MAX_TRANSFERS = 2 * CARTESIAN_MAX };

/* A step sends one message and receives one. If `to` is MPI_PROC_NULL, nothing is sent; if `from` is
 * MPI_PROC_NULL, nothing is received. */
struct transfer {
    int to, from;
};

/* How messages are checked (docs/definition-beff-1.md 5). In GPU memory, only the iterations of
 * exchange_check() have marks, because a processor needs microseconds to write a byte there. */
enum marks { MARKS_DIRECT, MARKS_NONE, MARKS_ENDS, MARKS_ALL };

/* One process's transfers through cyclic buffers, with checked messages (docs/definition-beff-1.md 3-5). */
struct exchange {
    MPI_Comm comm;
    int rank;
    enum marks marks;
    unsigned char *image;           /* GPU memory: the expected contents of one message */
    const struct space *space;      /* memory of the areas */
    unsigned char *send, *receive;  /* the two areas of message buffers */
    struct walk sending, receiving; /* positions in the areas */
    int *counts; /* Alltoallv: send counts, send displacements, receive counts, receive displacements */
    int processes;

    int transfers; /* 0 if this process transfers nothing */
    struct transfer transfer[EXCHANGE_MAX_TRANSFERS];
    int bytes;            /* bytes per message */
    unsigned long number; /* of the measurement; the same on all processes */
    int64_t errors;
    struct mismatch first; /* first mismatch of this measurement, if errors > 0 */

    const char *failed; /* the MPI call that returned an error, and its line */
    int failed_line;
};

struct runner {
    struct exchange exchange; /* first member: an iteration gets a pointer that may be either struct */
    struct comm *comm;
    const struct pattern_list *list;
    struct neighbours *neighbours; /* [pattern], of this process */
    MPI_Datatype type;
    MPI_Op combine;

    /* Of runner_peer(). */
    int partner;
    double seconds;
    bool whole[METHODS][BEFF_SIZES]; /* GPU memory: every byte of these messages was checked */
    double early;                    /* seconds and number of the first exchanges, which do not count */
    long early_loops;
};

/* Finds the neighbours and allocates the buffers in `space`. Returns 0 on success, or -1 if there is not
 * enough memory for the message buffers. */
int runner_make(struct runner *runner, struct comm *comm, const struct space *space,
                const struct pattern_list *list);
void runner_free(struct runner *runner);

/* Makes these two ranks the pair of processes that is measured alone, `inside` a node or between nodes. */
void runner_set_pair(struct runner *runner, bool inside, const int32_t ranks[2]);

/* Writes to every byte of both areas, so that no measurement pays for the first use of a page. This takes
 * seconds per gigabyte; it stops when `time` seconds of T have elapsed, because nothing is then measured. */
void runner_touch(struct runner *runner, double time);

/* Prepares for messages of `bytes` with these neighbours, resets the error count, and counts the measurement.
 * The walk through the areas continues where it was (beff/walk.h). */
void exchange_prepare(struct exchange *exchange, const struct neighbours *neighbours, int64_t bytes);

/* Allocates the areas in `space` for messages of up to `lmax` bytes, and the counts for Alltoallv among
 * `processes` processes. Returns 0 on success, or -1 if memory is short. */
int exchange_make(struct exchange *exchange, const struct space *space, MPI_Comm comm, int rank,
                  int processes, int64_t lmax);
void exchange_free(struct exchange *exchange);

/* In GPU memory, makes one more iteration, whose messages are checked: their ends, or every byte. In system
 * memory, every message has been checked, and this does nothing. Returns an MPI error code. */
int exchange_check(struct exchange *exchange, int (*work)(void *exchange, long number), long number,
                   bool every_byte);

/* Tries one checked iteration of a method with messages of `bytes` to and from the neighbours in the ring of
 * all processes. Returns an MPI error code; exchange.errors is the number of wrong bytes. Collective. */
int runner_try(struct runner *runner, enum method method, int64_t bytes);

/* Makes one iteration: starts all receives, then all sends, and waits for all of them. Returns an MPI error
 * code. `exchange` is a struct exchange. */
int exchange_nonblocking(void *exchange, long iteration);

/* Carries out one measurement. Collective. Returns the result of all processes on rank 0; on the other ranks
 * the return value is unspecified. */
struct measurement runner_measure(struct runner *runner, const struct command *command);

/* Exchanges messages with rank `partner` of `comm` as in `step`. Returns the seconds of one exchange, and
 * adds wrong bytes to `errors`. If `partner` is negative, this process does not exchange messages, and the
 * result is 0. Collective. */
double runner_peer(struct runner *runner, MPI_Comm comm, int partner, const struct fabric_step *step,
                   int64_t *errors);

#endif
