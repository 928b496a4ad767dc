#include "beff_io/mpi/partition.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/memory.h"

/* Returns true if this process belongs to partition number `i`: one of the first processes of the order, or
 * one of the first processes of one of the first nodes. */
static bool belongs(const struct io_job *job, int i)
{
    const struct io_task *task = &job->task;
    if (!task->nodes[i])
        return job->place < task->partitions[i];
    return job->machine->node_number < task->nodes[i] && job->on_node < task->partitions[i] / task->nodes[i];
}

static int refuse(const struct io_task *task, int i, const struct machine *m, struct message *error)
{
    char ranks[32];
    int64_t each = task->partitions[i] / task->nodes[i];
    snprintf(ranks, sizeof ranks, m->min_ranks < m->max_ranks ? "%d to %d" : "%d", m->min_ranks,
             m->max_ranks);
    return message_set(error,
                       "invalid --partitions: the job does not have %" PRId64 " node%s with %" PRId64
                       " process%s each; it has %d node%s with %s process%s",
                       task->nodes[i], TEXT_S(task->nodes[i]), each, TEXT_ES(each), m->nodes,
                       TEXT_S(m->nodes), ranks, TEXT_ES(m->max_ranks));
}

int io_partition_plan(struct io_job *job, struct message *error)
{
    struct comm *comm = job->comm;
    struct io_task *task = &job->task;
    MPI_Comm node, ordered;
    machine_split_nodes(job->machine, comm, comm->all, &node);
    COMM_CHECK(comm, MPI_Comm_rank(node, &job->on_node));
    COMM_CHECK(comm,
               MPI_Comm_split(comm->all, 0, job->on_node * job->machine->nodes + job->machine->node_number,
                              &ordered));
    COMM_CHECK(comm, MPI_Comm_rank(ordered, &job->place));
    COMM_CHECK(comm, MPI_Comm_free(&ordered));
    COMM_CHECK(comm, MPI_Comm_free(&node));
    for (int i = 0; i < task->partition_count; i++) {
        job->member[i] = belongs(job, i);
        int64_t own[2] = {job->member[i], job->member[i] && job->on_node == 0}, all[2];
        COMM_CHECK(comm, comm_allreduce(comm, own, all, 2, MPI_INT64_T, MPI_SUM));
        if (all[0] < task->partitions[i])
            return refuse(task, i, job->machine, error);
        task->nodes[i] = all[1];
    }
    return 0;
}

/* Returns the smallest shift with which every process reads data that a process under another kernel wrote; 0
 * if there is none. Collective. */
static int find_shift(const struct io_job *job, const struct comm *group)
{
    int *kernel = memory_new((size_t)group->size, sizeof *kernel, "the nodes of a partition");
    COMM_CHECK(job->comm, MPI_Allgather(&job->machine->kernel, 1, MPI_INT, kernel, 1, MPI_INT, group->all));
    int shift = 1, i = 0;
    while (shift < group->size && i < group->size)
        if (kernel[i] != kernel[(i + shift) % group->size]) {
            i++;
        } else {
            shift++;
            i = 0;
        }
    free(kernel);
    return shift < group->size ? shift : 0;
}

void io_partition_make(struct io_partition *p, const struct io_job *job, int i)
{
    struct comm *comm = job->comm;
    int size = (int)job->task.partitions[i], colour = job->member[i] ? 0 : MPI_UNDEFINED, shift = 0;
    *p = (struct io_partition){
        .group = {.program = comm->program, .size = size, .yield = comm->yield && size > 1}};
    COMM_CHECK(comm, MPI_Comm_split(comm->all, colour, job->place, &p->group.all));
    if (colour == MPI_UNDEFINED)
        return;
    COMM_CHECK(comm, MPI_Comm_rank(p->group.all, &p->group.rank));
    if (job->settings->shift_reads && job->task.nodes[i] > 1) {
        shift = find_shift(job, &p->group);
        p->elsewhere = shift > 0;
        shift = shift ? shift : 1; /* at least most processes read data of another node */
    }
    COMM_CHECK(comm, MPI_Comm_dup(p->group.all, &p->writing));
    COMM_CHECK(comm, MPI_Comm_split(p->group.all, 0, (p->group.rank + shift) % size, &p->reading));
    machine_split_nodes(job->machine, comm, p->group.all, &p->on_node);
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
