/* One run of beff: what its set-up makes and its measurements need. */
#ifndef BEFF_MPI_RUN_H
#define BEFF_MPI_RUN_H

#include "beff/mpi/nodes.h"
#include "beff/settings.h"
#include "common/mpi/run.h"

struct beff_run {
    struct run run;
    struct pattern_list list;
    int64_t lmax;
    struct runner runner;
    struct nodes nodes;
    int64_t copy_loops;  /* memory copies in one measurement of them */
    double copy_seconds; /* what these took before the patterns */

    /* Rank 0 only. */
    int64_t errors, recorded_errors; /* wrong bytes found: in all, and those in records */
    double time_shown;               /* T, as progress shows it */
    int reported;                    /* measurements whose errors were told one by one */
};

/* What rank 0 tells the others to do. */
struct beff_command {
    struct run_command header;
    enum { COMMAND_MEASURE, COMMAND_TIME, COMMAND_COPY, COMMAND_NODES } kind;
    struct command measure;
    double time; /* T */
    struct node_command nodes;
};

/* Memory copies at Lmax, some times, as metadata `key`; all processes. 0, or -1 with one line. */
int beff_copy(struct beff_run *run, const char *key, struct message *error);

/* The `set_up` and `describe` of the table. */
enum exit_status beff_set_up(struct run *run);
int beff_describe(struct run *run, struct message *error);

#endif
