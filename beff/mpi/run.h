/* One run of beff: what its set-up makes and its measurements need. */
#ifndef BEFF_MPI_RUN_H
#define BEFF_MPI_RUN_H

#include "beff/mpi/measurement.h"
#include "beff/settings.h"
#include "common/mpi/run.h"

struct beff_run {
    struct run run;
    struct pattern_list list;
    int64_t lmax;
    struct measurer measurer;
    double buffer_seconds; /* what it took to touch the message buffers */

    /* Rank 0 only. */
    int64_t errors, recorded_errors; /* wrong bytes found: in all, and those in records */
    int reported;                    /* measurements whose errors were told one by one */
};

extern const struct run_engine beff_run_engine;

/* The `set_up` and `describe` of the table. */
enum exit_status beff_set_up(struct run *run);
int beff_describe(struct run *run, struct message *error);

#endif
