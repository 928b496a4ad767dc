/* The processes of a partition and their communicators (docs/definition-beff_io-2.md 4, 8). */
#ifndef BEFF_IO_MPI_PARTITION_H
#define BEFF_IO_MPI_PARTITION_H

#include "beff_io/mpi/job.h"

/* A partition. On processes outside it, all communicators are MPI_COMM_NULL. */
struct io_partition {
    struct comm group; /* the processes of the partition */
    /* The same processes, in the order for writing and in the order for reading. Only file calls use these
     * communicators: if a file call fails on one process while other processes still wait in it, the messages
     * of the next vote must not be mistaken for messages of that call. */
    MPI_Comm writing, reading;
    MPI_Comm on_node; /* the processes on this node; its rank 0 leads the node */
    bool elsewhere;   /* every process reads data that a process under another kernel wrote */
};

/* Sets the job's `on_node`, `place` and `member`, and the number of nodes of each partition. Returns 0, or -1
 * with a message if the job does not have the processes that --partitions asks for. Collective. */
int io_partition_plan(struct io_job *job, struct message *error);

/* Makes partition number `i`. With --shift-reads, each process reads the data of a process on another node.
 * Collective. */
void io_partition_make(struct io_partition *partition, const struct io_job *job, int i);
/* Synchronises the processes. An error becomes this process's failure: see comm_fail(). */
void io_partition_barrier(struct io_partition *partition, struct comm *comm);

void io_partition_free(struct io_partition *partition, const struct comm *comm);

#endif
