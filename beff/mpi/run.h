/* The state of one run of beff. */
#ifndef BEFF_MPI_RUN_H
#define BEFF_MPI_RUN_H

#include "beff/mpi/load.h"
#include "beff/mpi/processors.h"
#include "beff/settings.h"
#include "common/mpi/run.h"

struct beff_run {
    struct run run;
    struct pattern_list list;
    int64_t lmax;
    struct runner runner;
    struct nodes nodes;
    struct load_state load;
    struct processors processors;
    int32_t inside[2]; /* the pair inside a node that is measured alone */

    /* Rank 0 only. */
    int reported;     /* number of measurements with errors */
    double nodes_end; /* elapsed seconds at which the comparison of nodes must end */
    uint64_t fabric_seed;
};

/* A command from rank 0 to all other ranks. */
struct beff_command {
    struct run_command header;
    enum {
        COMMAND_MEASURE,
        COMMAND_TIME,
        COMMAND_NODES,
        COMMAND_PAIR,
        COMMAND_LOAD,
        COMMAND_ADAPTERS,
        COMMAND_STATES,
        COMMAND_MARK
    } kind;
    struct command measure;
    double time; /* T */
    struct fabric_step step;
    int32_t pair[2]; /* the ranks that are measured alone */
    struct load_command load;
    int sweep; /* the repetition that starts */
    int pass;  /* the pass that ends; 0: none */
};

/* Implement `set_up` and `describe` of struct run_engine (common/mpi/run.h). */
enum exit_status beff_set_up(struct run *run);
void beff_describe(struct run *run);

#endif
