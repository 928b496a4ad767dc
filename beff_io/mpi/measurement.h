/* One order as all processes of the partition carry it out together, and what is known about it afterwards on
 * rank 0. */
#ifndef BEFF_IO_MPI_MEASUREMENT_H
#define BEFF_IO_MPI_MEASUREMENT_H

#include "beff_io/mpi/transfer.h"
#include "common/histogram.h"
#include "common/mpi/machine.h"

/* What an order gave, on one process and, reduced, on all. */
struct io_tally {
    struct io_outcome outcome;
    int64_t failed_rank; /* lowest; -1: nothing failed; ranks that only heard of it count after all others */
    char failure[WORLD_FAILURE_SIZE];
};

/* A partition, on a process of it. */
struct io_partition {
    struct world group; /* its processes; another process has no communicators, which are MPI_COMM_NULL */
    /* The same for the files alone: where a call on files fails on one process and the others wait in it,
     * what the processes then agree on must not get into its messages. */
    MPI_Comm writing, reading; /* in the order in which they do so */
    MPI_Comm on_node;          /* those on this node; its rank 0 leads */
    double moved_at[IO_TYPES]; /* what the node had moved after the last write access to a file */
};

struct io_measurer {
    struct world *world;
    struct transfer transfer;
    struct io_partition partitions[IO_MOST_PARTITIONS], *partition; /* that of the order */
    int partition_count;
    /* What this node moved, for the question whether it still holds a file in memory. */
    bool leads_node;
    double moved, node_moved; /* bytes: of this process, not yet added; of the node */
    double node_memory;       /* bytes, physical */
    char node[COLUMN_TEXT_SIZE];
    struct histogram durations; /* of this process's calls */
    MPI_Datatype type;
    MPI_Op combine;
};

/* Makes communicators and buffers; 0, or -1 when out of memory on this process. `shift`: each process reads
 * what the one so many ranks above it wrote (docs/definition.md 2.5). Collective. */
int io_measurer_make(struct io_measurer *measurer, struct world *world, const struct machine *machine,
                     const struct io_task *task, int shift);
void io_measurer_free(struct io_measurer *measurer);

/* Removes the files that this process wrote alone, of all partitions; at the end and on giving up, in any
 * thread. */
void io_measurer_remove_own(const struct io_measurer *measurer);

/* Carries out; by the processes of the partition. The tally of all is complete on rank 0. */
struct io_tally io_measurer_perform(struct io_measurer *measurer, const struct io_order *order);

#endif
