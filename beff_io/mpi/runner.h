/* One command as all processes of the partition carry it out together, and what is known about it afterwards.
 */
#ifndef BEFF_IO_MPI_RUNNER_H
#define BEFF_IO_MPI_RUNNER_H

#include "beff_io/mpi/transfer.h"
#include "beff_io/histogram.h"
#include "common/mpi/machine.h"

/* A partition, on a process of it. */
struct io_partition {
    struct comm group; /* its processes; another process has no communicators, which are MPI_COMM_NULL */
    /* The same for the files alone: where a call on files fails on one process and the others wait in it,
     * what the processes then agree on must not get into its messages. */
    MPI_Comm writing, reading; /* in the order in which they do so */
    MPI_Comm on_node;          /* those on this node; its rank 0 leads */
    double moved_at[IO_TYPES]; /* what the node had moved after the last write access to a file */
};

struct io_runner {
    struct comm *comm;
    const struct machine *machine;
    struct transfer transfer;
    struct io_partition partitions[IO_MAX_PARTITIONS];
    struct io_layout layouts[IO_MAX_PARTITIONS];
    int partition_count; /* that were made so far */
    double begin;        /* of the command, by MPI_Wtime */
    /* What this node moved, for the question whether it still holds a file in memory. */
    double moved, node_moved;   /* bytes: of this process, not yet added; of the node */
    double node_memory;         /* bytes, physical */
    struct histogram durations; /* of this process's calls */
    MPI_Datatype type;
    MPI_Op combine;
};

/* Makes communicators and buffers; 0, or -1 when out of memory on this process. `shift`: each process reads
 * what the one so many ranks above it wrote (docs/definition.md 2.5). The transfer has its settings;
 * `machine` must live as long. Collective. */
int io_runner_make(struct io_runner *runner, struct comm *comm, const struct machine *machine, int shift);
void io_runner_free(struct io_runner *runner);

/* Removes the files that this process wrote alone, of all partitions; at the end and on giving up, in any
 * thread. */
void io_runner_remove_own(const struct io_runner *runner);

/* Carries out; by the processes of the partition. The measurement is that of all, but for percentiles,
 * which rank 0 alone has. */
struct io_measurement io_runner_perform(struct io_runner *runner, const struct io_command *command);

#endif
