/* State of an imb_compat run, of the current table, and of the measurement of one size. */
#ifndef IMB_COMPAT_MPI_RUN_H
#define IMB_COMPAT_MPI_RUN_H

#include "common/measure.h"
#include "common/mpi/run.h"
#include "imb_compat/buffers.h"
#include "imb_compat/check.h"
#include "imb_compat/compute.h"
#include "imb_compat/repetitions.h"
#include "imb_compat/results.h"
#include "imb_compat/sizes.h"

/* Reasons to end a run early; the same on all processes after each table. */
struct imb_end {
    int signal;     /* number of a signal, or 0 */
    int time_is_up; /* the time limit of -time-total has been reached */
    int failed;     /* a file could not be written or read */
};
enum { IMB_END_MEMBERS = sizeof(struct imb_end) / sizeof(int) };

struct imb_run {
    struct run run; /* must be first */
    const struct imb_settings *settings;
    struct imb_selection selection;
    struct imb_sizes listed;
    struct imb_tables tables;
    size_t tables_done;
    struct imb_compute compute;
    struct imb_files *files; /* NULL except in IMB-IO */
    struct texts hints;      /* lines of the -info file: "KEY VALUE" */
    MPI_Info info;           /* the hints, for files and windows */
    struct imb_end end;

    /* Used only on rank 0. */
    bool in_rows;           /* the last line that was printed belongs to the rows of a table */
    bool recorded;          /* -prot or -json was given */
    bool write_failed;      /* a record could not be written */
    int64_t errors;         /* number of wrong bytes */
    int64_t rows;           /* number of printed rows */
    int64_t left_out;       /* number of requested sizes, tables and benchmarks that were skipped */
    struct message lacking; /* names of requested benchmarks that cannot run on this number of processes */
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
     * threads; the team frees them. Otherwise NULL. */
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
 * own struct for messages (messages.c) or for files (files.c). */
struct imb_measurement {
    const struct imb_context *context;
    const struct imb_benchmark *benchmark;
    struct imb_memory memory;
    struct imb_mismatch mismatch; /* counts wrong bytes */
    bool checking;                /* these repetitions are compared, not timed */
    int64_t at_once;              /* repetitions whose results can be compared together */
    bool untimed;                 /* this process is only a target of other processes, and is not timed */
    double setup;                 /* seconds to set up one persistent request */

    /* The repetitions that are measured together. */
    int64_t repetitions;
    bool probing;     /* they only estimate the time of a repetition */
    bool overlapping; /* this process computes during the transfers */
    double pure;      /* seconds of one repetition without computation */
    double computed;  /* seconds of computation in all repetitions */

    /* The current loop. */
    int64_t first, count; /* number of the first repetition; number of repetitions */
    double *each;         /* -raw: receives the seconds of each repetition; otherwise NULL */
};

/* Purpose of an allocation, for memory_new() and memory_exhausted(). */
#define IMB_BUFFERS "message buffers; -mem sets a limit"

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

/* Prepares a measurement with these buffers. Collective over the group. */
struct imb_measurement *imb_measurement_make(const struct imb_context *context,
                                             const struct imb_memory *memory, bool checking);

/* Runs repetitions. If the benchmark computes during its transfers, runs them twice: without and with the
 * computation. Returns the times of one repetition. With -raw, `each` receives the seconds of each
 * repetition; otherwise it is NULL. */
struct imb_share imb_measurement_run(struct imb_measurement *m, int64_t repetitions, bool probing,
                                     double *each);

/* Compares the results of the last loop, unless a file access failed or a signal was received during the
 * accesses. */
void imb_measurement_check(struct imb_measurement *m);

/* Frees a measurement, and adds its wrong bytes to `mismatch`. Collective over the group. */
void imb_measurement_free(struct imb_measurement *m, struct imb_mismatch *mismatch);

/* ---- messages.c and files.c: what a repetition does ---- */

/* imb_..._begin() prepares the current loop and returns its steps, which return MPI_SUCCESS or an MPI error
 * code; there is no step `work` if a file access failed. imb_..._end() completes the loop. */
struct imb_measurement *imb_messages_make(const struct imb_context *context, const struct imb_memory *memory,
                                          bool checking);
struct measure_ops imb_messages_begin(struct imb_measurement *m);
void imb_messages_end(struct imb_measurement *m);
void imb_messages_check(struct imb_measurement *m);
bool imb_messages_work(const struct imb_measurement *m); /* tries a persistent collective; see messages.c */
void imb_messages_free(struct imb_measurement *m);
struct imb_measurement *imb_files_open(const struct imb_context *context, const struct imb_memory *memory,
                                       bool checking);
struct measure_ops imb_files_begin(struct imb_measurement *m);
void imb_files_end(struct imb_measurement *m);
void imb_files_check(struct imb_measurement *m);
void imb_files_close(struct imb_measurement *m);

/* ---- team.c: the threads of a process, each with a measurement of its own (IMB-MT) ---- */

/* Returns the number of threads per process, or -1 with a message if threads are requested but the program
 * was built without OpenMP. */
int imb_team_size(const struct imb_settings *settings, struct message *error);

struct imb_team *imb_team_make(const struct imb_context *context, const struct imb_memory *memory,
                               bool checking);
/* Like imb_measurement_run(), on all threads. Fills context->own_shares. */
void imb_team_run(struct imb_team *team, int64_t repetitions, double *each);
void imb_team_check(struct imb_team *team);
void imb_team_free(struct imb_team *team, struct imb_mismatch *mismatch);

/* ---- files.c: the files of IMB-IO ---- */

/* Checks before the first table that none of the run's files exist and that there is space for the largest
 * table. Prints a message if a check fails. Collective. */
enum exit_status imb_files_set_up(struct imb_run *run);

/* Creates the files of a table, large enough for all its sizes. If the benchmark reads, also fills them. If a
 * failure, a signal or the time limit stops this early, sets run->end. Collective over the active
 * processes. */
void imb_files_make(const struct imb_context *context);

/* Removes the files of a table. Collective over the active processes. */
void imb_files_remove(const struct imb_context *context);

/* Returns true if a call failed on an active process, or if an active process received a signal. In both
 * cases, copies run->end and the first failure to all active processes. Collective over the active
 * processes. */
bool imb_files_agree(const struct imb_context *context);

#endif
