/* One run of beff: set-up, the conductor on rank 0, its followers on all processes, the end with all files.
 */
#ifndef BEFF_MPI_RUN_H
#define BEFF_MPI_RUN_H

#include <pthread.h>

#include "beff/mpi/measurement.h"
#include "beff/settings.h"
#include "common/mpi/machine.h"
#include "common/progress.h"
#include "common/protocol.h"
#include "common/rundir.h"

struct run {
    struct world *world;
    const struct beff_settings *settings;
    const char *command; /* the command line */
    struct machine machine;
    struct pattern_list list;
    int64_t memory_mib, lmax;
    struct measurer measurer;
    double buffer_seconds; /* what it took to touch the message buffers */
    atomic_bool waiting;   /* this process waits for what rank 0 will tell it */

    /* Rank 0 only. */
    double resolution; /* of the clock, seconds */
    struct rundir directory;
    struct protocol protocol;
    pthread_mutex_t lock; /* protocol and `finished`: main thread or guard */
    bool opened, finished;
    enum exit_status status; /* how the run ended */
    struct progress progress;
    int64_t errors, recorded_errors; /* wrong bytes found: in all, and those in records */
    int reported;                    /* measurements whose errors were told one by one */
};

/* Prepares everything up to the first measurement; the status is the same on all processes, EXIT_RATED if the
 * run can begin. What is wrong is told by rank 0. */
enum exit_status run_set_up(struct run *run);

/* Measures, writes everything and ends MPI; returns the exit status, the same on all processes. */
enum exit_status run_beff(struct world *world, const struct beff_settings *settings, const char *command);

#endif
