/* State of an imb_compat run, of the current table, and of the measurement of one size. */
#ifndef IMB_COMPAT_MPI_RUN_H
#define IMB_COMPAT_MPI_RUN_H

#include "common/mpi/run.h"
#include "imb_compat/buffers.h"
#include "imb_compat/check.h"
#include "imb_compat/compute.h"
#include "imb_compat/repetitions.h"
#include "imb_compat/results.h"
#include "imb_compat/sizes.h"

/* Reasons to end a run early; the same on all processes after each table, and on all active processes after
 * imb_agree(). */
struct imb_end {
    int signal;     /* number of a signal, or 0 */
    int time_is_up; /* the time limit of -time-total has been reached */
    int failed;     /* a file could not be written or read */
};

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
    struct imb_end end;
    double pace; /* estimated seconds of a repetition of the current size; 0: unknown */

    /* Used only on rank 0. */
    bool in_rows;           /* the last line that was printed belongs to the rows of a table */
    bool recorded;          /* -prot or -json was given */
    bool write_failed;      /* a record could not be written */
    int64_t errors;         /* number of wrong bytes */
    int64_t rows;           /* number of printed rows */
    int64_t left_out;       /* number of requested sizes, tables and benchmarks that were skipped */
    struct message lacking; /* names of requested benchmarks that cannot run on this number of processes */
    struct message skipped; /* the first size or table that was skipped, and the limit that it ran into */
};

/* Maximum duration of a single sleep of an idle process, in seconds. */
#define IMB_NAP 1e-3

/* ---- a table ---- */

/* What a note after the table says of a size. */
enum imb_mark {
    IMB_SKIPPED = 1 << 0, /* it was not measured */
    IMB_REFUSED = 1 << 1, /* MPI cannot carry out the persistent collective */
    IMB_UNEQUAL = 1 << 2  /* the overlap is not meaningful */
};

/* A process's part in the current table. */
struct imb_context {
    struct imb_run *run;
    const struct imb_table *table;
    struct imb_sizes sizes;
    MPI_Comm active;         /* all processes that take part; MPI_COMM_NULL if this process does not */
    MPI_Comm members;        /* the group of this process */
    int number, group, rank; /* number under the map; group; rank in the group */
    double started;
    /* IMB-MT: the send buffer and the receive buffer of this thread or, with -malloc_algo continuous, of all
     * threads; the team frees them. */
    char **buffers;
    int thread;                   /* number of this thread in the team */
    struct imb_share *own_shares; /* shares of the threads of this process */
    struct imb_share *shares;     /* rank 0: shares of all threads of all active processes */
    unsigned char *marks;         /* for each size, bits of enum imb_mark */
    double setup[2]; /* rank 0: minimum and maximum time to set up a request, over all sizes; 0: none */
    int reported;    /* number of reported data errors */
    int64_t errors;  /* number of wrong bytes */
};

/* The measurement of one benchmark with one size on one thread. It is the first member of the measurement's
 * own struct for messages (messages.h) or for files (files.h). */
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
    double voted;         /* MPI_Wtime() of the last vote */
    double *each;         /* -raw: receives the seconds of each repetition; otherwise NULL */
};

/* A kind of work: what the repetitions of a component do. The steps are those of the timed loop (struct
 * measure_ops). Their argument is the measurement, and they return MPI_SUCCESS or an MPI error code. */
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

    /* Steps of the loop; `open`, `wait` and `complete` may be NULL. */
    int (*synchronise)(void *measurement);
    int (*open)(void *measurement); /* before the repetitions, not timed */
    int (*repetition)(void *measurement, long iteration);
    int (*wait)(void *measurement);     /* after each repetition that is timed separately, not timed */
    /* Before a vote: waits for the transfers that were started, so that the time between votes includes them.
     * May be NULL. */
    int (*settle)(void *measurement);
    int (*complete)(void *measurement); /* after the repetitions, timed, if measurement->completes */

    bool fixed_compute; /* the computation during transfers has the same duration in the whole run */
    bool threads;       /* each thread has a measurement of its own, whose buffers the team frees */
};
extern const struct imb_kind imb_kind_messages, imb_kind_windows, imb_kind_files, imb_kind_threads;

/* Purpose of an allocation, for memory_new() and memory_exhausted(). */
#define IMB_BUFFERS "message buffers; -mem sets a limit"

static inline bool imb_ended(const struct imb_run *run)
{
    return run->end.signal || run->end.failed;
}

/* ---- table.c: one table ---- */

/* Measures all sizes of a table. Collective over all processes. */
void imb_measure_table(struct imb_run *run, const struct imb_table *table);

/* ---- output.c: rows, notes, records; rank 0 only unless stated otherwise ---- */

/* Prints a line and flushes it, so that it is not lost if the run fails. */
#define imb_put_line(...) (printf(__VA_ARGS__), fflush(stdout))

/* Creates the files of -prot and -json. Returns 0, or -1 with a message. */
int imb_open_output(struct imb_run *run, struct message *error);

/* Writes a note to standard output and to the protocol. */
__attribute__((format(printf, 2, 3))) void imb_put_note(struct imb_run *run, const char *format, ...);

/* Reports the first wrong byte of a size, on any process. */
void imb_report_mismatch(struct imb_context *context, const struct imb_mismatch *found, int64_t bytes);

/* Writes the rows and records of a size. */
void imb_put_rows(struct imb_context *context, int size, int64_t repetitions);

/* With -raw, writes one record, which covers all processes, for each repetition. Collective over the active
 * processes. */
void imb_put_raw(struct imb_context *context, const double *each, int size, int64_t repetitions);

/* Counts a skipped size on all processes. The first one is named at the end of the run. */
__attribute__((format(printf, 3, 4))) void imb_skip_size(struct imb_context *context, int size,
                                                         const char *format, ...);

/* Writes the notes after a table. */
void imb_put_notes(struct imb_context *context);

/* Returns the reason why sizes or tables were skipped, as the end of a note. */
const char *imb_end_reason(const struct imb_end *end);

/* Writes the end of the protocol, and then the JSON file (see run_engine.finish). */
int imb_finish_output(struct run *run, const char *end, bool *rated, struct message *error);

/* ---- size.c: one size on one process ---- */

/* Measures one size: checked repetitions (-check) with the buffers memory[1], then probes, warm-up, and up to
 * `repetitions` timed repetitions with the buffers memory[0]. Returns the number of timed repetitions, or 0
 * if MPI cannot carry out the persistent collective. Fills context->own_shares, and adds wrong bytes to
 * `mismatch`. With -raw, unless the repetitions are completed together, sets `each` to an array with the
 * seconds of all repetitions, thread by thread, which the caller frees. Collective over the active
 * processes. */
int64_t imb_measure_size(struct imb_context *context, const struct imb_memory memory[2], int64_t repetitions,
                         double **each, struct imb_mismatch *mismatch);

/* With -compat 3.0, warms up once for each table, with two repetitions of the largest size. */
void imb_warm_up_table(struct imb_context *context);

/* ---- loop.c: repetitions on one thread ---- */

/* Runs repetitions. If the benchmark computes during its transfers, runs them twice: without and with the
 * computation. Returns the times of one repetition. With -raw, `each` receives the seconds of each
 * repetition; otherwise it is NULL. Loops that take long end early, on all active processes after the same
 * repetition, if one of these processes received a signal. */
struct imb_share imb_measurement_run(struct imb_measurement *m, int64_t repetitions, bool probing,
                                     double *each);

/* Compares the results of the last loop, unless the run ends. */
void imb_measurement_check(struct imb_measurement *m);

/* Frees a measurement, and adds its wrong bytes to `mismatch`. Collective over the group. */
void imb_measurement_free(struct imb_measurement *m, struct imb_mismatch *mismatch);

/* The only place where processes agree to end because of a signal, a failed call or the time limit. Copies
 * run->end and the first failure to all active processes. Returns imb_ended(). Collective over the active
 * processes. */
bool imb_agree(const struct imb_context *context);

/* Waits for the other threads of this process. */
void imb_team_wait(const struct imb_context *context);

/* Starts a persistent collective several times, in a communicator of its own. Some MPIs return an error on
 * some processes, while the others wait forever. The request and its communicator are then not freed, because
 * some processes still use them. Returns false on all active processes if a call failed on any of them. */
bool imb_persistent_works(struct imb_measurement *m); /* persistent.c */

/* ---- team.c: the threads of a process, each with a measurement of its own (only IMB-MT has several) ---- */

/* Returns the number of threads per process, or -1 with a message if threads are requested but the program
 * was built without OpenMP. */
int imb_team_size(const struct imb_settings *settings, struct message *error);

struct imb_team *imb_team_make(const struct imb_context *context, const struct imb_memory *memory,
                               bool checking);
/* Like imb_measurement_run(), on all threads. Fills context->own_shares. */
void imb_team_run(struct imb_team *team, int64_t repetitions, bool probing, double *each);
bool imb_team_works(const struct imb_team *team); /* imb_persistent_works() */
void imb_team_check(struct imb_team *team);
void imb_team_free(struct imb_team *team, struct imb_mismatch *mismatch);

#endif
