/* One run of beff_io: what its set-up makes and its commands need. */
#ifndef BEFF_IO_MPI_RUN_H
#define BEFF_IO_MPI_RUN_H

#include "beff_io/mpi/runner.h"
#include "common/mpi/run.h"

struct io_run {
    struct run run;
    const struct io_settings *settings;
    struct io_task task;
    struct hints hints;
    const char *path;           /* where the scratch files are */
    struct scratch shared, own; /* own: of type 2, where it has paths of its own */
    struct io_runner runner;

    /* Rank 0 only. */
    int64_t free_bytes; /* at the start */
};

/* The `set_up` and `describe` of the table. */
enum exit_status io_set_up(struct run *run);
int io_describe(struct run *run, struct message *error);

#endif
