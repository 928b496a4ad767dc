#include "beff_io/mpi/partition.h"

#include <string.h>

#include "common/checksum.h"

/* Returns true if no process runs under the same kernel as the process `shift` ranks above it. Collective. */
static bool reads_elsewhere(const struct io_job *job, const struct comm *group, int shift)
{
    const struct sysinfo_node *node = &job->machine->node;
    const char *name = *node->boot_id ? node->boot_id : node->names.nodename;
    uint64_t own = checksum_add(CHECKSUM_START, name, strlen(name)), other;
    int rank = group->rank, size = group->size, elsewhere, all;
    COMM_CHECK(job->comm,
               MPI_Sendrecv(&own, 1, MPI_UINT64_T, (rank - shift + size) % size, 0, &other, 1, MPI_UINT64_T,
                            (rank + shift) % size, 0, group->all, MPI_STATUS_IGNORE));
    elsewhere = own != other;
    COMM_CHECK(job->comm, MPI_Allreduce(&elsewhere, &all, 1, MPI_INT, MPI_MIN, group->all));
    return all;
}

void io_partition_make(struct io_partition *p, const struct io_job *job, int64_t processes)
{
    struct comm *comm = job->comm;
    int shift = job->settings->shift_reads && job->machine->nodes > 1 ? job->machine->max_ranks : 0;
    int colour = comm->rank < processes ? 0 : MPI_UNDEFINED;
    *p = (struct io_partition){.group = {.program = comm->program,
                                         .rank = comm->rank,
                                         .size = (int)processes,
                                         .yield = comm->yield && processes > 1}};
    COMM_CHECK(comm, MPI_Comm_split(comm->all, colour, comm->rank, &p->group.all));
    if (colour == MPI_UNDEFINED)
        return;
    shift = shift < processes ? shift : 0;
    int place = (comm->rank + shift) % (int)processes;
    COMM_CHECK(comm, MPI_Comm_dup(p->group.all, &p->writing));
    COMM_CHECK(comm, MPI_Comm_split(p->group.all, 0, place, &p->reading));
    comm_split_nodes(comm, p->group.all, &p->on_node);
    p->elsewhere = shift && reads_elsewhere(job, &p->group, shift);
}

void io_partition_barrier(struct io_partition *p, struct comm *comm)
{
    if (comm_barrier(&p->group))
        comm_fail(comm, "MPI_Barrier failed (rank %d)", comm->rank);
}

void io_partition_free(struct io_partition *p, const struct comm *comm)
{
    if (p->group.all == MPI_COMM_NULL)
        return;
    COMM_CHECK(comm, MPI_Comm_free(&p->writing));
    COMM_CHECK(comm, MPI_Comm_free(&p->reading));
    COMM_CHECK(comm, MPI_Comm_free(&p->on_node));
    COMM_CHECK(comm, MPI_Comm_free(&p->group.all));
}
