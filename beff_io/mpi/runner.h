/* Carries out a command on all processes of a partition (docs/definition-beff_io-2.md 3). */
#ifndef BEFF_IO_MPI_RUNNER_H
#define BEFF_IO_MPI_RUNNER_H

#include "beff_io/mpi/cache.h"

struct io_runner {
    const struct io_job *job;
    struct io_partition partitions[IO_MAX_PARTITIONS];
    MPI_Datatype type; /* one struct io_measurement */
    MPI_Op combine;
    struct io_cache cache;
    struct io_file file;
    char *area; /* data to write, or data that were read */
};

/* Makes communicators and buffers. `job` must outlive the runner. Returns 0 on success, or -1 if there is not
 * enough memory for this process's chunks. Collective. */
int io_runner_make(struct io_runner *runner, const struct io_job *job);
void io_runner_free(struct io_runner *runner);

/* Carries out a command. All processes of the partition must call this function. Returns the measurement,
 * reduced over these processes. */
struct io_measurement io_runner_perform(struct io_runner *runner, const struct io_command *command);

#endif
