/* One run of imb_compat: its state, a process's place in a table, what measures one size, and its files. */
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
    const struct imb_runner *runner;
    struct imb_sizes sizes;
    MPI_Comm active;  /* all processes that take part; MPI_COMM_NULL: this one does not */
    MPI_Comm members; /* its group */
    int number, group, rank;
    double started;
    struct imb_team
        *team; /* IMB-MT: the threads of this process, of which this is number `thread`; else NULL */
    int thread;
    struct imb_share *own_shares; /* of the threads of this process */
    struct imb_share *shares;     /* rank 0: of all threads of all active processes */
    bool *skipped;                /* per size */
    bool *unequal;                /* per size: the overlap says nothing */
    double setup[2]; /* rank 0: the shortest and the longest set-up of a request, of all sizes; 0: none */
    int reported;    /* data errors */
    int64_t errors;  /* wrong bytes */
};

/* What measures one benchmark with one size on one process: a runner of messages and one of files. */
struct imb_runner {
    /* Prepares measurements with messages of `bytes` bytes and at most so many repetitions; wrong bytes are
     * counted in `mismatch`. Collective over the group. */
    void *(*init)(const struct imb_context *context, int64_t bytes, int64_t repetitions,
                  struct imb_mismatch *mismatch);

    /* Repeats; the shares, of each thread of the process, are those of one repetition (not divided into
     * parts). `probing`: how long it takes is all that is wanted. `each`: room for the seconds of every
     * repetition, or NULL (also for repetitions that are completed together). Collective over the active
     * processes. */
    void (*measure)(void *measurement, int64_t repetitions, bool probing, double *each,
                    struct imb_share *shares);

    /* Collective over the group. */
    void (*finalize)(void *measurement);
};

extern const struct imb_runner imb_messages_runner, imb_files_runner, imb_team_runner;

/* For memory_new() and memory_exhausted(). */
#define IMB_BUFFERS "message buffers; -mem sets a limit"

/* ---- team.c: the threads of IMB-MT ---- */

/* Returns the number of threads of a process; -1 with one line where this program has been built without
 * OpenMP but threads are asked for. */
int imb_team_size(const struct imb_settings *settings, struct message *error);

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
