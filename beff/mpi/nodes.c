/* Finds the nodes and their end points, and carries out exchanges. */
#include "beff/mpi/nodes.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beff/loss.h"
#include "beff/record.h"
#include "beff/groups.h"
#include "common/memory.h"
#include "common/random.h"

/* ---- end points ---- */

/* Chooses the process of this node that stands for each network device: the lowest rank that is bound to
 * processors near the device. Returns the index of this process's device, or -1. If there are fewer than two
 * devices, or no process for one of them, the node's first process stands for all, and `name` is "-". */
static int choose_device(struct comm *comm, MPI_Comm node, bool simulated, char name[FABRIC_NAME_SIZE])
{
    struct topology_device devices[TOPOLOGY_MAX_DEVICES];
    struct thread_set own;
    int rank, count = 0, device = -1, lowest = 0;
    COMM_CHECK(comm, MPI_Comm_rank(node, &rank));
    strcpy(name, "-");
    if (rank == 0 && !simulated)
        count = topology_devices(devices);
    COMM_CHECK(comm, MPI_Bcast(&count, 1, MPI_INT, 0, node));
    COMM_CHECK(comm, MPI_Bcast(devices, count * (int)sizeof devices[0], MPI_BYTE, 0, node));
    topology_affinity(&own);
    bool bound = topology_count(&own) < topology_online();
    for (int d = 0; d < count && count > 1 && lowest < INT_MAX; d++) {
        bool near = device < 0 && bound && topology_within(&own, &devices[d].near);
        int candidate = near ? rank : INT_MAX;
        COMM_CHECK(comm, MPI_Allreduce(&candidate, &lowest, 1, MPI_INT, MPI_MIN, node));
        device = rank == lowest ? d : device;
    }
    if (count < 2 || lowest == INT_MAX)
        return rank == 0 ? 0 : -1;
    if (device >= 0)
        snprintf(name, FABRIC_NAME_SIZE, "%s", devices[device].name);
    return device;
}

static void find_group(const struct comm *comm, const char *groups, struct fabric_point *own)
{
    if (groups)
        groups_find(groups, own->host, own->group);
    else if (!comm->simulated)
        groups_slurm(getenv("SLURM_TOPOLOGY_ADDR"), getenv("SLURM_TOPOLOGY_ADDR_PATTERN"), own->host,
                     own->group);
}

/* Returns a number that is the same for all nodes of a group. */
static int group_key(const char *group)
{
    uint64_t key = 0;
    for (; *group; group++)
        key = random_mix(key + (uint64_t)(unsigned char)*group + RANDOM_GAMMA);
    return (int)(key >> 33);
}

/* Reads the adapters of this node. All lists get the same length. */
static void read_adapters(struct nodes *n, const char *host)
{
    n->adapter = memory_new(ADAPTERS, sizeof *n->adapter, "the adapters");
    n->adapters = adapters_read("", n->index, host, n->adapter);
    COMM_CHECK(n->runner->comm, MPI_Allreduce(MPI_IN_PLACE, &n->adapters, 1, MPI_INT, MPI_MAX, n->peers));
}

void nodes_make(struct nodes *n, struct runner *runner, const struct machine *machine, const char *groups)
{
    struct comm *comm = runner->comm;
    struct fabric_point own = {.node = machine->node_number, .group = "-", .in_group = -1}, *all = NULL;
    int processes, points;
    *n = (struct nodes){.runner = runner, .count = machine->nodes, .index = machine->node_number};
    machine_split_nodes(machine, comm, comm->all, &n->node);
    COMM_CHECK(comm, MPI_Comm_size(n->node, &processes));
    COMM_CHECK(comm, MPI_Comm_rank(n->node, &n->local));
    COMM_CHECK(comm, MPI_Comm_split(comm->all, n->local, n->index, &n->peers));
    own.processes = processes;
    snprintf(own.host, sizeof own.host, "%.64s", machine->name);
    text_to_word(own.host);
    int device = choose_device(comm, n->node, comm->simulated, own.device);
    find_group(comm, groups, &own);
    if (n->local == 0 && n->count > 1 && !comm->simulated)
        read_adapters(n, own.host);
    COMM_CHECK(comm, MPI_Comm_split(n->peers, 0, group_key(own.group), &n->mates));
    n->spare = comm->rank == 0 && device < 0;
    COMM_CHECK(comm,
               MPI_Comm_split(comm->all, device >= 0 || comm->rank == 0 ? 0 : MPI_UNDEFINED,
                              comm->rank == 0 ? -1 : TOPOLOGY_MAX_DEVICES * n->index + device, &n->points));
    if (n->points == MPI_COMM_NULL)
        return;
    COMM_CHECK(comm, MPI_Comm_size(n->points, &points));
    if (comm->rank == 0) {
        all = memory_new((size_t)points, sizeof *all, "the nodes");
        n->partners = memory_new((size_t)points, sizeof *n->partners, "the nodes");
        n->answers = memory_new((size_t)points, sizeof *n->answers, "the nodes");
    }
    COMM_CHECK(comm, MPI_Gather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, n->points));
    for (int i = n->spare; comm->rank == 0 && i < points; i++)
        fabric_add_point(&n->fabric, &all[i]);
    free(all);
}

void nodes_compare_adapters(struct nodes *n, struct protocol *protocol)
{
    const struct comm *comm = n->runner->comm;
    struct adapter *all = NULL;
    struct adapter_row *rows;
    if (n->local > 0)
        return;
    adapters_read_again("", n->adapter);
    if (protocol)
        all = memory_new((size_t)(n->count * n->adapters), sizeof *all, "the adapters");
    int bytes = n->adapters * (int)sizeof *all;
    COMM_CHECK(comm, MPI_Gather(n->adapter, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, n->peers));
    if (protocol) {
        size_t count = adapters_compare(all, (size_t)(n->count * n->adapters), &rows);
        protocol_add(protocol, BEFF_ADAPTERS, rows, count);
        free(rows);
    }
    free(all);
}

void nodes_free(struct nodes *n)
{
    if (!n->runner)
        return;
    COMM_CHECK(n->runner->comm, MPI_Comm_free(&n->node));
    COMM_CHECK(n->runner->comm, MPI_Comm_free(&n->peers));
    COMM_CHECK(n->runner->comm, MPI_Comm_free(&n->mates));
    if (n->points != MPI_COMM_NULL)
        COMM_CHECK(n->runner->comm, MPI_Comm_free(&n->points));
    fabric_free(&n->fabric);
    free(n->partners);
    free(n->answers);
    free(n->adapter);
    *n = (struct nodes){0};
}

const char *nodes_host(const struct nodes *n, int node)
{
    int low = 0; /* the end points are in the order of their nodes */
    for (int end = n->fabric.points; low + 1 < end;) {
        int middle = low + (end - low) / 2;
        *(n->fabric.point[middle].node > node ? &end : &low) = middle;
    }
    return n->fabric.point[low].host;
}

bool nodes_median_pair(const struct nodes *n, int32_t ranks[2])
{
    int32_t points[2];
    MPI_Group here, all;
    if (!loss_pair(&n->fabric, points))
        return false;
    for (int i = 0; i < 2; i++)
        points[i] += n->spare;
    COMM_CHECK(n->runner->comm, MPI_Comm_group(n->points, &here));
    COMM_CHECK(n->runner->comm, MPI_Comm_group(n->runner->comm->all, &all));
    COMM_CHECK(n->runner->comm, MPI_Group_translate_ranks(here, 2, points, all, ranks));
    COMM_CHECK(n->runner->comm, MPI_Group_free(&here));
    COMM_CHECK(n->runner->comm, MPI_Group_free(&all));
    return true;
}

/* ---- exchanges ---- */

/* Returns the partner's rank in `mates`, or -1 if this process is idle. Neighbours are paired, so that few
 * messages leave a group. On nodes with unequal numbers of processes, not every node has a partner. */
static int find_mate(const struct nodes *n, int processes)
{
    int rank, size;
    COMM_CHECK(n->runner->comm, MPI_Comm_rank(n->mates, &rank));
    COMM_CHECK(n->runner->comm, MPI_Comm_size(n->mates, &size));
    return n->local < processes && (rank ^ 1) < size ? rank ^ 1 : -1;
}

/* Lets the first processes of each node exchange messages with a process of another node. */
static int exchange_all(struct nodes *n, const struct fabric_step *step, struct fabric_answer *answers)
{
    struct comm *comm = n->runner->comm;
    int64_t wrong = 0, all_wrong = 0;
    double own = runner_peer(n->runner, n->mates, find_mate(n, step->processes), step, &wrong);
    double rate = own > 0 ? 1 / own : 0, sum = 0;
    comm_reduce(comm, &rate, &sum, 1, MPI_DOUBLE, MPI_SUM);
    comm_reduce(comm, &wrong, &all_wrong, 1, MPI_INT64_T, MPI_SUM);
    for (int i = 0; answers && i < n->fabric.points; i++)
        answers[i] = (struct fabric_answer){n->count / 2 * 2 / sum, i ? 0 : all_wrong, 0};
    return ending_signal();
}

int nodes_exchange(struct nodes *n, const struct fabric_step *step, const int32_t *partners,
                   struct fabric_answer *answers)
{
    const struct comm *comm = n->runner->comm;
    bool takes_part = n->points != MPI_COMM_NULL;
    int32_t own = -1;
    struct fabric_answer answer = {0};
    int stop = 0, count = n->fabric.points;
    if (step->processes)
        return exchange_all(n, step, answers);
    if (partners)
        n->partners[0] = -1; /* it remains if rank 0 is not an end point */
    for (int i = 0; partners && i < count; i++)
        n->partners[i + n->spare] = partners[i] < 0 ? -1 : partners[i] + n->spare;
    if (takes_part)
        COMM_CHECK(comm, MPI_Scatter(n->partners, 1, MPI_INT32_T, &own, 1, MPI_INT32_T, 0, n->points));
    answer.seconds = runner_peer(n->runner, n->points, own, step, &answer.errors);
    answer.stop = ending_signal();
    if (takes_part)
        COMM_CHECK(comm, MPI_Gather(&answer, sizeof answer, MPI_BYTE, n->answers, sizeof answer, MPI_BYTE, 0,
                                    n->points));
    for (int i = 0; partners && i < count; i++) {
        answers[i] = n->answers[i + n->spare];
        stop = answers[i].stop > stop ? answers[i].stop : stop;
    }
    return answer.stop > stop ? answer.stop : stop;
}
