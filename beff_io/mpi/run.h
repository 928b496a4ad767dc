/* One run of beff_io: set-up, the conductor on rank 0, its followers on all processes, the end with all
 * files.
 */
#ifndef BEFF_IO_MPI_RUN_H
#define BEFF_IO_MPI_RUN_H

#include <pthread.h>
#include <sys/types.h>

#include "beff_io/mpi/measurement.h"
#include "common/mpi/machine.h"
#include "common/progress.h"
#include "common/protocol.h"
#include "common/rundir.h"

struct io_run {
    struct world *world;
    const struct io_settings *settings;
    const char *command; /* the command line */
    struct machine machine;
    int64_t memory_mib, mpart;
    struct io_pattern patterns[IO_PATTERNS];
    int64_t partitions[IO_MOST_PARTITIONS];
    int partition_count;
    struct hints hints;
    uint64_t seed;              /* of the files' content */
    struct scratch shared, own; /* own: of type 2, where it has paths of its own */
    const char *path;           /* where the scratch files are */
    struct io_measurer measurer;
    pid_t first_process; /* of rank 0, if it is on this host; else 0 */

    /* Rank 0 only. */
    int64_t free_bytes, max_bytes; /* at the start; of all files together */
    struct rundir directory;
    struct protocol protocol;
    pthread_mutex_t lock; /* protocol and `finished`: main thread or guard */
    bool finished;
    bool removed;            /* the files, on all processes: nothing is left to be done */
    enum exit_status status; /* how the run ended */
    struct progress progress;
    int64_t hints_told[IO_ACCESSES][IO_TYPES]; /* processes of the partition whose hints were noted last */
};

/* Prepares everything up to the first file; the status is the same on all processes, EXIT_RATED if the run
 * can begin. What is wrong is told by rank 0. */
enum exit_status io_run_set_up(struct io_run *run);

/* Measures and writes everything, and ends MPI; returns the exit status, the same on all processes. */
enum exit_status run_beff_io(struct world *world, const struct io_settings *settings, const char *command);

#endif
