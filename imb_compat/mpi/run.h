/* One run of imb_compat: its state, which all parts of it share. */
#ifndef IMB_COMPAT_MPI_RUN_H
#define IMB_COMPAT_MPI_RUN_H

#include "imb_compat/load.h"
#include "imb_compat/mpi/output.h"
#include "imb_compat/sizes.h"

/* What is measured: the same on all processes. */
struct imb_plan {
    const struct imb_settings *settings;
    const struct imb_selection *selection;
    const struct imb_sizes *listed;
    struct imb_tables tables;
    const char *command; /* the command line */
};

struct imb_run {
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
    size_t tables_done;
    int64_t left_out_told; /* of output.left_out, what has a line on standard error */
};

/* Measures and prints everything; returns the exit status, the same on all processes. */
enum exit_status imb_run_all(struct world *world, struct imb_plan *plan);

/* Of the time of the whole run; infinite without a limit. */
double imb_time_left(const struct imb_settings *settings);

/* Ends all processes. */
_Noreturn void imb_out_of_memory(const struct world *world);

#endif
