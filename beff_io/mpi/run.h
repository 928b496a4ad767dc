/* One run of beff_io: what its set-up makes and its orders need. */
#ifndef BEFF_IO_MPI_RUN_H
#define BEFF_IO_MPI_RUN_H

#include "beff_io/kept.h"
#include "beff_io/mpi/measurement.h"
#include "common/mpi/run.h"

struct io_run {
    struct run run;
    const struct io_settings *settings;
    int64_t mpart;
    struct io_pattern patterns[IO_PATTERNS];
    int64_t partitions[IO_MOST_PARTITIONS];
    int partition_count;
    struct hints hints;
    uint64_t seed;              /* of the files' content */
    const char *path;           /* where the scratch files are */
    struct scratch shared, own; /* own: of type 2, where it has paths of its own */
    struct last_will *will;
    struct kept *kept; /* rank 0: what --reread found; else NULL */
    struct io_measurer measurer;

    /* Rank 0 only. */
    int64_t free_bytes, max_bytes;             /* at the start; of all files together */
    int64_t hints_told[IO_ACCESSES][IO_TYPES]; /* processes of the partition whose hints were noted last */
};

extern const struct run_engine io_run_engine;

/* The `set_up` and `describe` of the table. */
enum exit_status io_set_up(struct run *run);
int io_describe(struct run *run, struct message *error);

#endif
