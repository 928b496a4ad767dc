/* State of an imb_compat run, of the current table, and of the measurement of one size. */
#ifndef IMB_COMPAT_MPI_RUN_H
#define IMB_COMPAT_MPI_RUN_H

#include "common/mpi/run.h"
#include "imb_compat/buffers.h"
#include "imb_compat/compute.h"
#include "imb_compat/repetitions.h"
#include "imb_compat/output.h"
#include "imb_compat/sizes.h"

struct imb_run {
    struct run run; /* must be first */
    const struct imb_settings *settings;
    struct imb_selection selection;
    struct imb_sizes listed;
    struct imb_tables tables;
    size_t tables_done;
    struct imb_compute compute;
    const struct imb_kind *kind; /* what a repetition does */
    struct imb_files *files;     /* IMB-IO */
    struct texts hints;          /* lines of the -info file: "KEY VALUE" */
    MPI_Info info;               /* the hints, for files and windows */
    struct imb_end
        end;     /* the same on all processes after each table, and on all active ones after imb_agree() */
    double pace; /* estimated seconds of a repetition of the current size; 0: unknown */
    struct imb_output out;
};

/* Maximum duration of a single sleep of an idle process, in seconds. */
#define IMB_NAP 1e-3

/* ---- a table ---- */

/* A process's part in the current table. */
struct imb_context {
    struct imb_run *run;
    const struct imb_table *table;
    struct imb_sizes sizes;
    MPI_Comm active;         /* all processes that take part; MPI_COMM_NULL if this process does not */
    MPI_Comm members;        /* the group of this process */
    int number, group, rank; /* number under the map; group; rank in the group */
    double started;          /* comm_now() at the start, without the repetitions of -check */
    /* IMB-MT: the send buffer and the receive buffer of this thread or, with -malloc_algo continuous, of all
     * threads; the team frees them. */
    char **buffers;
    int thread;                   /* number of this thread in the team */
    struct imb_share *own_shares; /* shares of the threads of this process */
    struct imb_share *shares;     /* rank 0: shares of all threads of all active processes */
    int reported;                 /* number of reported data errors */
};

/* The measurement of one benchmark with one size on one thread. It is the first member of the measurement's
 * own struct for messages (messages.c) or for files (access.c). */
struct imb_measurement {
    const struct imb_context *context;
    const struct imb_benchmark *benchmark;
    struct imb_memory memory;
    struct imb_mismatch mismatch; /* counts wrong bytes */
    bool checking;                /* these repetitions are compared, not timed */
    int64_t at_once;              /* repetitions whose results can be compared together */
    bool untimed;                 /* this process is only a target of other processes, and is not timed */
    bool apart;                   /* each repetition is timed separately */
    bool completes;               /* the kind's step `complete` follows the repetitions */
    double setup;                 /* seconds to set up one persistent request */

    /* The repetitions that are measured together. */
    int64_t repetitions;
    bool probing;     /* they only estimate the time of a repetition */
    bool overlapping; /* this process computes during the transfers */
    double pure;      /* seconds of one repetition without computation */
    double computed;  /* seconds of computation in all repetitions */

    /* The current loop. */
    int64_t first, count; /* number of the first repetition; number of repetitions */
    int64_t stretch;      /* repetitions before the next vote; 0: no vote follows */
    int64_t next_vote;    /* repetitions that are done at the next vote */
    double voted;         /* comm_now() of the last vote */
    double waited;        /* seconds of all votes */
    double *each;         /* -raw: receives the seconds of each repetition; otherwise NULL */
};

/* The functions that measure one kind of benchmark: messages or files. All benchmarks of a component are of
 * the same kind. */
struct imb_kind {
    /* Around all tables and around one table. May be NULL. */
    enum exit_status (*set_up)(struct imb_run *run);
    void (*open_table)(const struct imb_context *context);
    void (*close_table)(const struct imb_context *context);

    /* Around the loops of one size, and around one loop. Collective over the group. */
    struct imb_measurement *(*prepare)(const struct imb_context *context, const struct imb_memory *memory,
                                       bool checking);
    void (*begin)(struct imb_measurement *m);
    void (*end)(struct imb_measurement *m);
    void (*check)(struct imb_measurement *m); /* compares the results of the last loop */
    void (*free)(struct imb_measurement *m);

    /* Called by the timed loop (struct measure_ops) with the measurement. They return MPI_SUCCESS or an MPI
     * error code. `open` and `wait` may be NULL. */
    int (*synchronise)(void *measurement);
    int (*open)(void *measurement); /* before the repetitions, not timed */
    int (*repetition)(void *measurement, long iteration);
    int (*wait)(void *measurement); /* after each repetition that is timed separately, not timed */
    /* Before a vote: waits for the transfers that were started, so that the time between votes includes them.
     * May be NULL. */
    int (*settle)(void *measurement);
    int (*complete)(void *measurement); /* after the repetitions, timed, if measurement->completes */

    bool fixed_compute; /* the computation during transfers has the same duration in the whole run */
};
extern const struct imb_kind imb_kind_messages, imb_kind_files;

/* Purpose of an allocation, for memory_new() and memory_exhausted(). */
#define IMB_BUFFERS "message buffers; -mem sets a limit"

static inline bool imb_prints(const struct imb_run *run)
{
    return run->run.comm->rank == 0;
}

static inline bool imb_ended(const struct imb_run *run)
{
    return run->end.signal || run->end.failed;
}

/* ---- table.c: one table ---- */

/* Measures all sizes of a table. Collective over all processes. */
void imb_measure_table(struct imb_run *run, const struct imb_table *table);

/* ---- team.c: repetitions on the threads of a process (only IMB-MT has several) ---- */

/* The only place where processes agree to end because of a signal, a failed call or the time limit. Copies
 * run->end and the first failure to all active processes. Returns imb_ended(). Collective over the active
 * processes. */
bool imb_agree(const struct imb_context *context);

/* Returns the largest value of the active processes. Collective over them. */
double imb_largest(const struct imb_context *context, double value);

/* Starts a persistent collective several times, in a communicator of its own. Some MPIs return an error on
 * some processes, while the others wait forever. The request and its communicator are then not freed, because
 * some processes still use them. Returns false on all active processes if a call failed on any of them. */
bool imb_persistent_works(struct imb_measurement *m); /* messages.c */

/* Returns the number of threads per process, or -1 with a message if threads are requested but the program
 * was built without OpenMP. */
int imb_team_size(const struct imb_settings *settings, struct message *error);

struct imb_team *imb_team_make(const struct imb_context *context, const struct imb_memory *memory,
                               bool checking);
/* Runs repetitions, with a measurement on each thread. Fills context->own_shares. With -raw, `each` receives
 * the seconds of each repetition; otherwise it is NULL. Loops that take long end early, on all active
 * processes after the same repetition, if one of these processes received a signal. Returns the elapsed
 * seconds. */
double imb_team_run(struct imb_team *team, int64_t repetitions, bool probing, double *each);
void imb_team_check(struct imb_team *team);
/* Waits for all threads of all processes, with the barrier that the user chose. */
int imb_team_synchronise(void *measurement);
/* Frees a team, and adds its wrong bytes to `mismatch`. */
void imb_team_free(struct imb_team *team, struct imb_mismatch *mismatch);

#endif
