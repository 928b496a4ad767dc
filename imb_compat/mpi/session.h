/* What the parts of one run share: the run, one table of it under way, and what is told of them. */
#ifndef IMB_COMPAT_MPI_SESSION_H
#define IMB_COMPAT_MPI_SESSION_H

#include "imb_compat/layout.h"
#include "imb_compat/mpi/measurer.h"
#include "imb_compat/mpi/output.h"

struct imb_session {
    struct world *world;
    const struct imb_plan *plan;
    const struct imb_settings *settings;
    struct machine machine;
    struct imb_output output; /* rank 0 */
    struct imb_load load;
    int stop;                /* signal that ended the run */
    bool time_is_up;         /* of the whole run */
    bool failed;             /* a file could not be written or read */
    struct imb_files *files; /* IMB-IO; else NULL */
    pid_t first_process;     /* of rank 0, if it is on this host; else 0 */
    size_t tables, tables_done;
};

/* One table under way, on a process that takes part. */
struct imb_table_run {
    struct imb_session *run;
    struct imb_site site;
    struct imb_table table;
    struct imb_sizes sizes;
    double started;
    struct imb_share *shares; /* rank 0: of all active processes */
    bool *skipped;            /* per size */
    bool *unequal;            /* per size: the overlap says nothing */
    int reported;             /* data errors */
    int64_t errors;           /* wrong bytes */
};

/* Whether this process is the one that prints. */
bool imb_speaks(const struct imb_session *run);

/* Whether the run has to end before everything is measured. */
bool imb_is_over(const struct imb_session *run);

/* Of the time of the whole run; infinite without a limit. */
double imb_time_left(const struct imb_settings *settings);

/* Ends all processes. */
_Noreturn void imb_out_of_memory(struct imb_session *run);

/* A note in the text and in the files; rank 0. */
void imb_note(struct imb_session *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The notes that follow a table; rank 0. */
void imb_put_notes(struct imb_table_run *table);

/* Measures one size (its number in the list), at most so many repetitions, and prints its rows. 0, or -1 on
 * all if a file could not be written or read. Collective over the active processes. */
int imb_size_run(struct imb_table_run *table, int size, int64_t repetitions);

/* Release 3.0 warmed up once for each table, with two of the largest messages. */
void imb_size_warm_up_first_release(struct imb_table_run *table);

/* One benchmark on one number of processes, in one mode; idle processes wait for its end. */
void imb_table_run(struct imb_session *run, const struct imb_benchmark *benchmark, enum imb_mode mode,
                   int size);

#endif
