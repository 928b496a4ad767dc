/* One run of imb_compat: its state, a process's place in a table, measurements of one size, files. */
#ifndef IMB_COMPAT_MPI_RUN_H
#define IMB_COMPAT_MPI_RUN_H

#include "common/mpi/run.h"
#include "imb_compat/check.h"
#include "imb_compat/compute.h"
#include "imb_compat/plan.h"
#include "imb_compat/results.h"

/* What ends a run early; the same on all processes behind each table. */
struct imb_end {
    int signal;     /* 0: none */
    int time_is_up; /* of the whole run */
    int failed;     /* a file could not be written or read */
};
enum { IMB_END_MEMBERS = sizeof(struct imb_end) / sizeof(int) };

struct imb_run {
    struct run run; /* the first member */
    const struct imb_settings *settings;
    struct imb_selection selection;
    struct imb_sizes listed;
    struct imb_tables tables;
    size_t tables_done;
    struct imb_compute compute;
    struct imb_files *files; /* IMB-IO; else NULL */
    struct texts hints;      /* the lines of the -info file: "KEY VALUE" */
    MPI_Info info;           /* the same for files and windows */
    struct imb_end end;

    /* Rank 0. */
    bool recorded;          /* -prot or -json */
    bool write_failed;      /* they could not be written */
    int64_t errors;         /* wrong bytes found */
    int64_t rows;           /* printed */
    int64_t left_out;       /* sizes, tables and benchmarks that were asked for and not measured */
    struct message lacking; /* of these, the names of benchmarks that lack processes */
};

/* Longest single sleep of an idle process, in seconds. */
#define IMB_NAP 1e-3

/* ---- a table ---- */

/* One table under way, and a process's place in it. */
struct imb_context {
    struct imb_run *run;
    const struct imb_table *table;
    struct imb_sizes sizes;
    MPI_Comm active;  /* all processes that take part; MPI_COMM_NULL: this one does not */
    MPI_Comm members; /* its group */
    int number, group, rank;
    double started;
    struct imb_team *team; /* IMB-MT: this is thread number `thread` of it; else NULL */
    int thread;
    struct imb_share *own_shares; /* of the threads of this process */
    struct imb_share *shares;     /* rank 0: of all threads of all active processes */
    bool *skipped;                /* per size */
    bool *unequal;                /* per size: the overlap says nothing */
    double setup[2]; /* rank 0: the shortest and the longest set-up of a request, of all sizes; 0: none */
    int reported;    /* data errors */
    int64_t errors;  /* wrong bytes */
};

/* One benchmark with one size on one thread, while it is measured: the first member of what a runner keeps.
 */
struct imb_measurement {
    const struct imb_runner *runner;
    const struct imb_context *context;
    const struct imb_benchmark *benchmark;
    struct imb_mismatch *mismatch; /* wrong bytes are counted here */
    bool checking;                 /* all that arrives is compared: these repetitions are not timed */
    int64_t at_once;               /* repetitions whose results can be compared together */
    bool apart;                    /* each repetition is timed by itself */
    bool finishes;                 /* runner->finish completes the repetitions, within the time */
    bool untimed;                  /* this process takes no time: it is the target of others */
    double setup;                  /* seconds for the set-up of one persistent request */

    /* The loop under way. */
    bool probing;          /* only its time is wanted */
    bool overlapping;      /* it computes during the transfers; pure: seconds of a repetition that does not */
    double pure, computed; /* seconds; computed: in all repetitions */
    int64_t first, count;  /* the number of the first repetition; repetitions */
    double *each;          /* -raw: room for the seconds of each repetition; else NULL */
};

/* How messages, and files, are measured. Steps that are not needed are NULL; those that return int return 0
 * or an MPI error code and are called by measure() (common/measure.h). */
struct imb_runner {
    /* Prepares measurements with messages of `bytes` bytes and at most so many repetitions. Collective over
     * the group. */
    struct imb_measurement *(*init)(const struct imb_context *context, int64_t bytes, int64_t repetitions,
                                    bool checking);
    void (*begin)(struct imb_measurement *m);         /* before a loop */
    int (*synchronise)(void *m);                      /* collective over the active processes */
    int (*open)(void *m);                             /* immediately before the repetitions */
    int (*work)(void *m, long iteration);             /* one repetition */
    int (*between)(void *m);                          /* after one that is timed by itself */
    int (*finish)(void *m);                           /* completes all repetitions */
    void (*end)(struct imb_measurement *m);           /* after a loop */
    void (*start_overlap)(struct imb_measurement *m); /* between the loops without and with computation */
    void (*check)(struct imb_measurement *m);         /* compares what the last loop left behind */
    void (*finalize)(struct imb_measurement *m);      /* collective over the group */
};

extern const struct imb_runner imb_messages_runner, imb_files_runner;

/* For memory_new() and memory_exhausted(). */
#define IMB_BUFFERS "message buffers; -mem sets a limit"

/* ---- size.c: one size, by the threads of a process (all but IMB-MT: one) ---- */

/* Returns the number of threads of a process; -1 with one line where this program has been built without
 * OpenMP but threads are asked for. */
int imb_team_size(const struct imb_settings *settings, struct message *error);

/* Measures one size: checked repetitions (-check), probes, warm-up, timed repetitions, of which there are at
 * most `repetitions`; returns their number. Fills context->own_shares. With -raw, unless repetitions are
 * completed together, `each` gets the seconds of all repetitions of each thread in turn, for free(); else it
 * stays as it is. Wrong bytes are added to `mismatch`. Collective over the active processes. */
int64_t imb_measure_size(struct imb_context *context, int64_t bytes, int64_t repetitions, double **each,
                         struct imb_mismatch *mismatch);

/* Release 3.0 warmed up once for each table, with two of the largest messages; else does nothing. */
void imb_warm_up_table(struct imb_context *context);

/* The barrier that the user chose, of all threads of all processes. */
int imb_team_barrier(const struct imb_context *context);

/* The memory of one thread for what it sends (which: 0) or receives (1); the team frees it. */
char *imb_team_memory(const struct imb_context *context, int which, int64_t bytes);

/* ---- files.c: the files of IMB-IO ---- */

/* Before anything runs: no name that the run will use exists, and there is space for the largest table.
 * Collective; what is wrong is printed. */
enum exit_status imb_files_set_up(struct imb_run *run);

/* Makes the files of a table, as long as what its sizes move, filled with content if it reads; what ended
 * that early is in run->end. Collective over the active processes. */
void imb_files_make(const struct imb_context *context);

/* Removes them. Collective. */
void imb_files_remove(const struct imb_context *context);

/* Returns true if a call failed on an active process, or a signal came to one: then run->end says so on all
 * of them, and all know the first failure. Collective over them. */
bool imb_files_agree(const struct imb_context *context);

#endif
