/* What measures one benchmark with one size on one process: a runner of messages and one of files, behind
 * one table of functions. */
#ifndef IMB_COMPAT_MPI_RUNNER_H
#define IMB_COMPAT_MPI_RUNNER_H

#include "common/mpi/comm.h"
#include "imb_compat/check.h"
#include "imb_compat/tables.h"
#include "imb_compat/compute.h"
#include "imb_compat/sizes.h"
#include "imb_compat/record.h"

/* What ends a run early; the same on all processes behind each table. */
struct imb_end {
    int signal;     /* 0: none */
    int time_is_up; /* of the whole run */
    int failed;     /* a file could not be written or read */
};
enum { IMB_END_MEMBERS = sizeof(struct imb_end) / sizeof(int) };

/* A process's place in one table. */
struct imb_context {
    struct comm *comm;
    const struct imb_table *table;
    struct imb_files *files; /* IMB-IO; else NULL */
    MPI_Comm active;         /* all processes that take part; MPI_COMM_NULL: this one does not */
    MPI_Comm members;        /* its group */
    int number, group, rank;
};

struct imb_runner {
    /* Prepares measurements with messages of `bytes` bytes and at most so many repetitions; wrong bytes are
     * counted in `mismatch`. Collective over the group. NULL when out of memory. */
    void *(*init)(const struct imb_context *context, struct imb_compute *load, int64_t bytes,
                  int64_t repetitions, struct imb_mismatch *mismatch);

    /* Repeats; the share is that of one repetition (not halved for round trips). `probing`: how long it takes
     * is all that is wanted. `each`: room for the seconds of every repetition, or NULL (also for repetitions
     * that are completed together). Collective over the active processes. */
    struct imb_share (*measure)(void *measurement, int64_t repetitions, bool probing, double *each);

    /* Collective over the group. */
    void (*finalize)(void *measurement);
};

extern const struct imb_runner imb_messages_runner, imb_files_runner;

#endif
