/* Combines the measurements of all processes of a partition into one. */
#ifndef BEFF_IO_MPI_REDUCTION_H
#define BEFF_IO_MPI_REDUCTION_H

#include "beff_io/scheduler.h"
#include "common/mpi/comm.h"

struct io_reduction {
    MPI_Datatype type; /* one struct io_measurement */
    MPI_Op op;
};

void io_reduction_make(struct io_reduction *reduction, const struct comm *comm);
void io_reduction_free(struct io_reduction *reduction, const struct comm *comm);

/* Combines the measurements of all processes; all of them get the result. Collective. */
void io_reduce(const struct io_reduction *reduction, struct comm *group, const struct io_command *command,
               struct io_measurement *measurement);

#endif
