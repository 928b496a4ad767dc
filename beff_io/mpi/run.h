/* One run of beff_io: what its set-up makes and its orders need. */
#ifndef BEFF_IO_MPI_RUN_H
#define BEFF_IO_MPI_RUN_H

#include "beff_io/kept.h"
#include "beff_io/mpi/measurement.h"
#include "common/mpi/run.h"

struct io_run {
    struct run run;
    const struct io_settings *settings;
    struct io_task task;
    struct hints hints;
    const char *path;           /* where the scratch files are */
    struct scratch shared, own; /* own: of type 2, where it has paths of its own */
    const struct io_run **will; /* see execute() */
    struct io_measurer measurer;

    /* Rank 0 only. */
    struct io_layout *kept;                    /* of the partitions that --reread found; else NULL */
    int64_t free_bytes;                        /* at the start */
    int64_t hints_told[IO_ACCESSES][IO_TYPES]; /* processes of the partition whose hints were noted last */
};

/* The `set_up` and `describe` of the table. */
enum exit_status io_set_up(struct run *run);
int io_describe(struct run *run, struct message *error);

#endif
