/* One run of imb_compat: its state, which all parts of it share. */
#ifndef IMB_COMPAT_MPI_RUN_H
#define IMB_COMPAT_MPI_RUN_H

#include "common/mpi/run.h"
#include "imb_compat/load.h"
#include "imb_compat/sizes.h"
#include "imb_compat/tables.h"

struct imb_run {
    struct run run; /* the first member */
    const struct imb_settings *settings;
    struct imb_selection selection;
    struct imb_sizes listed;
    struct imb_tables tables;
    size_t tables_done;
    bool conducted; /* all tables */
    struct imb_load load;
    struct imb_files *files; /* IMB-IO; else NULL */
    int stop;                /* signal that ended the run */
    bool time_is_up;         /* of the whole run */
    bool failed;             /* a file could not be written or read */

    /* Rank 0. */
    bool kept;              /* records are wanted */
    bool write_failed;      /* they could not be written */
    int64_t errors;         /* wrong bytes found */
    int64_t rows;           /* printed */
    int64_t left_out;       /* sizes, tables and benchmarks that were asked for and not measured */
    struct message lacking; /* of these, the names of benchmarks that lack processes */
    double switches;        /* involuntary context switches of all processes */
};

extern const struct run_engine imb_run_engine;

/* Of the time of the whole run; infinite without a limit. */
double imb_time_left(const struct world *world, const struct imb_settings *settings);

/* Ends all processes. */
_Noreturn void imb_out_of_memory(const struct world *world);

#endif
