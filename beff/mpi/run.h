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

    /* Rank 0 only. */
    int64_t errors, recorded_errors; /* wrong bytes found: in all, and those in records */
    double time_shown;               /* T, as progress shows it */
    int reported;                    /* measurements whose errors were told one by one */
};

/* What rank 0 tells the others to do. */
struct beff_command {
    struct run_command header;
    enum { COMMAND_MEASURE, COMMAND_TIME, COMMAND_NODES } kind;
    struct command measure;
    double time; /* T */
    struct node_command nodes;
};

/* The `set_up` and `describe` of the table. */
enum exit_status beff_set_up(struct run *run);
void beff_describe(struct run *run);

#endif
