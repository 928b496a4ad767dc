/* The parts of a run that all files of this folder use. They are made before the first command. */
#ifndef BEFF_IO_MPI_JOB_H
#define BEFF_IO_MPI_JOB_H

#include "beff_io/hints.h"
#include "beff_io/scratch.h"
#include "beff_io/settings.h"
#include "common/mpi/machine.h"

struct io_job {
    struct comm *comm; /* all processes */
    const struct machine *machine;
    const struct io_settings *settings;
    struct io_task task;
    struct hints hints;
    int on_node;                    /* number of this process on its node, from 0 */
    int place;                      /* number of this process in the order (number on the node, node) */
    bool member[IO_MAX_PARTITIONS]; /* this process belongs to the partition */
    struct scratch shared;          /* directory of the shared files */
    struct scratch own;             /* directory of this process's file of type 2 */
};

#endif
