#include "common/mpi/machine.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/checksum.h"
#include "common/environment.h"
#include "common/memory.h"
#include "common/version.h"

struct node_view {
    MPI_Comm comm;
    int rank, size;
    double share;               /* processors for this process by the quotas of control groups */
    struct thread_set own, all; /* hardware threads of this process; of all processes on the node */
};

enum { MAX_ON_NODE = 4096 };

/* Returns the sum, the largest or the smallest of the numbers of all processes. */
static int64_t over_all(struct comm *comm, int64_t number, MPI_Op op)
{
    COMM_CHECK(comm, MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, op, comm->all));
    return number;
}

/* Returns 1 if the processes with exactly this process's binding outnumber their hardware threads. */
static int shares_too_few(struct comm *comm, const struct node_view *view)
{
    uint64_t own = checksum_add(CHECKSUM_START, &view->own, sizeof view->own), all[MAX_ON_NODE];
    int alike = 0, threads = topology_count(&view->own);
    if (view->size > MAX_ON_NODE)
        return 0;
    COMM_CHECK(comm, MPI_Allgather(&own, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, view->comm));
    for (int i = 0; i < view->size; i++)
        alike += all[i] == own;
    return threads > 0 && alike > threads;
}

/* Finds this process's shares of the memory and of the processors, with the processes in all containers under
 * its kernel. */
static void find_shares(struct comm *comm, struct machine *machine, struct node_view *view, MPI_Comm kernel)
{
    const struct sysinfo_groups *own = &machine->node.groups, *quotas = &machine->node.cpu_groups;
    int ranks, bytes = (int)sizeof *own;
    COMM_CHECK(comm, MPI_Comm_size(kernel, &ranks));
    struct sysinfo_groups *all = memory_new((size_t)ranks, sizeof *all, "the control groups");
    COMM_CHECK(comm, MPI_Allgather(own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, kernel));
    int64_t available = machine->node.available_mib;
    machine->memory_ranks = (int)over_all(comm, ranks, MPI_MAX);
    machine->memory_mib =
        over_all(comm, sysinfo_share_mib(machine->node.memory_mib, own, all, ranks), MPI_MIN);
    machine->available_mib =
        over_all(comm, available ? sysinfo_share_mib(available, own, all, ranks) : 0, MPI_MIN);
    COMM_CHECK(comm, MPI_Allgather(quotas, bytes, MPI_BYTE, all, bytes, MPI_BYTE, kernel));
    view->share = sysinfo_share(INFINITY, quotas, all, ranks);
    free(all);
}

/* Compares the processes with the processors of their nodes. Only a node's first process counts the cores,
 * because counting takes time. */
static void count_processors(struct comm *comm, struct machine *machine, const struct node_view *view)
{
    int blind = topology_count(&view->own) == 0; /* a sandbox may refuse sched_getaffinity() */
    COMM_CHECK(comm, MPI_Allreduce(MPI_IN_PLACE, &blind, 1, MPI_INT, MPI_MAX, view->comm));
    int threads = blind ? topology_online() : topology_count(&view->all);
    double limit = view->share * view->size;
    if (limit < threads)
        threads = limit < 1 ? 1 : (int)(limit + 1e-6);
    bool few = view->size > threads || view->share < 1;
    machine->processors = threads;
    enum machine_answer over = shares_too_few(comm, view) || few ? MACHINE_YES
                               : blind                           ? MACHINE_UNKNOWN
                                                                 : MACHINE_NO,
                        crowded = MACHINE_NO;
    if (view->rank == 0 && !(comm->simulated && comm->rank != 0)) { /* all simulated nodes are one host */
        machine->cores = blind ? 0 : topology_cores(&view->all);
        crowded = few || (machine->cores && view->size > machine->cores) ? MACHINE_YES
                  : machine->cores                                       ? MACHINE_NO
                                                                         : MACHINE_UNKNOWN;
    }
    machine->oversubscribed = (enum machine_answer)over_all(comm, over, MPI_MAX);
    machine->crowded = (enum machine_answer)over_all(comm, crowded, MPI_MAX);
}

/* Finds the placement of ranks on nodes. Block: the ranks of each node are consecutive. Cyclic: rank r is on
 * node r mod nodes. The hash is the sum of the hashes of all pairs of rank and node, so that no process needs
 * the complete map. */
static void find_placement(struct comm *comm, struct machine *machine, const struct node_view *view)
{
    int leader = machine->leads_node, highest;
    uint64_t hash;
    COMM_CHECK(comm, MPI_Scan(&leader, &machine->node_number, 1, MPI_INT, MPI_SUM, comm->all));
    machine->node_number--;
    COMM_CHECK(comm, MPI_Bcast(&machine->node_number, 1, MPI_INT, 0, view->comm));
    COMM_CHECK(comm, MPI_Scan(&machine->node_number, &highest, 1, MPI_INT, MPI_MAX, comm->all));
    bool mixed = over_all(comm, machine->node_number != highest, MPI_MAX),
         other = over_all(comm, machine->node_number != comm->rank % machine->nodes, MPI_MAX);
    const int32_t pair[] = {comm->rank, machine->node_number};
    hash = checksum_add(CHECKSUM_START, pair, sizeof pair);
    COMM_CHECK(comm, MPI_Allreduce(MPI_IN_PLACE, &hash, 1, MPI_UINT64_T, MPI_SUM, comm->all));
    snprintf(machine->placement, sizeof machine->placement, "%s %016" PRIx64,
             !mixed   ? "block"
             : !other ? "cyclic"
                      : "other",
             hash);
}

/* Compares the environment of every node with rank 0's, and describes the differences on all processes. */
static void compare_environments(struct comm *comm, struct machine *machine)
{
    struct texts first = {0};
    char *line, changes[sizeof machine->environment_differs - 128] = "";
    if (machine->leads_node)
        environment_read(&machine->environment, "");
    char *own = comm_share_text(comm, comm->rank ? NULL : texts_join(&machine->environment, "\n"));
    for (char *rest = own; machine->leads_node && (line = strsep(&rest, "\n")) && *line;)
        texts_add(&first, "%s", line);
    if (machine->leads_node)
        environment_changes(&first, &machine->environment, changes, sizeof changes);
    int nodes = (int)over_all(comm, *changes != 0, MPI_SUM),
        lowest = (int)over_all(comm, *changes ? comm->rank : comm->size, MPI_MIN);
    if (nodes) {
        snprintf(machine->environment_differs, sizeof machine->environment_differs,
                 "%d of %d nodes, first %.64s: %s", nodes, machine->nodes, machine->name, changes);
        COMM_CHECK(comm, MPI_Bcast(machine->environment_differs, sizeof machine->environment_differs,
                                   MPI_CHAR, lowest, comm->all));
    }
    texts_free(&first);
    free(own);
}

/* Splits the processes into kernels and nodes: a node has one host name and one kernel. */
static void find_nodes(struct comm *comm, struct machine *machine, struct node_view *view)
{
    const struct sysinfo_node *node = &machine->node;
    bool known = *node->boot_id && !comm->simulated;
    MPI_Comm kernel;
    comm_split(comm, comm->all, known ? node->boot_id : node->names.nodename, &kernel);
    comm_split(comm, kernel, node->names.nodename, &view->comm);
    find_shares(comm, machine, view, kernel);
    machine->kernel = comm->rank;
    COMM_CHECK(comm, MPI_Bcast(&machine->kernel, 1, MPI_INT, 0, kernel));
    COMM_CHECK(comm, MPI_Comm_free(&kernel));
    COMM_CHECK(comm, MPI_Comm_rank(view->comm, &view->rank));
    COMM_CHECK(comm, MPI_Comm_size(view->comm, &view->size));
    machine->leads_node = view->rank == 0;
}

/* Names the nodes. A host name that several nodes have gets the node's number as a domain, so that files with
 * host names still match. */
static void name_node(struct comm *comm, struct machine *machine, int ranks)
{
    MPI_Comm alike;
    int processes;
    comm_split(comm, comm->all, machine->node.names.nodename, &alike);
    COMM_CHECK(comm, MPI_Comm_size(alike, &processes));
    COMM_CHECK(comm, MPI_Comm_free(&alike));
    snprintf(machine->name, sizeof machine->name, processes > ranks ? "%.50s.node%d" : "%.64s",
             machine->node.names.nodename, machine->node_number);
}

void machine_detect(struct comm *comm, struct machine *machine)
{
    *machine = (struct machine){0};
    struct node_view view;
    sysinfo_read("", &machine->node);
    comm_names(comm, &machine->node.names);
    find_nodes(comm, machine, &view);
    topology_affinity(&view.own);
    COMM_CHECK(comm, MPI_Allreduce(&view.own, &view.all, (int)sizeof view.all, MPI_BYTE, MPI_BOR, view.comm));
    count_processors(comm, machine, &view);
    machine->max_ranks = (int)over_all(comm, view.size, MPI_MAX);
    machine->min_ranks = (int)over_all(comm, view.size, MPI_MIN);
    machine->nodes = (int)over_all(comm, machine->leads_node, MPI_SUM);
    find_placement(comm, machine, &view);
    name_node(comm, machine, view.size);
    COMM_CHECK(comm, MPI_Comm_free(&view.comm));
    if (!comm->simulated)
        compare_environments(comm, machine);
    bool differs = over_all(comm, memcmp(&view.own, &view.all, sizeof view.own) != 0, MPI_MAX);
    topology_list(&view.own, machine->binding);
    if (!*machine->binding)
        strcpy(machine->binding, "unknown");
    if (differs && strlen(machine->binding) + 32 < sizeof machine->binding)
        strcat(machine->binding, " (others differ)");
}

static void describe_build(struct protocol *protocol)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int version, subversion;
    comm_library(library);
    MPI_Get_version(&version, &subversion);
    protocol_meta(protocol, "version", version_number);
    protocol_meta(protocol, "commit", version_commit);
    protocol_meta(protocol, "mpi", library);
    protocol_put(protocol, "mpi_version", "%d.%d", version, subversion);
    protocol_meta(protocol, "compiler", version_compiler);
    protocol_meta(protocol, "flags", version_flags);
}

static void describe_node(const struct machine *m, struct protocol *protocol)
{
    static const char *const jobs[] = {"SLURM_JOB_ID", "PBS_JOBID",  "LSB_JOBID",    "FLUX_JOB_ID",
                                       "PJM_JOBID",    "OAR_JOB_ID", "COBALT_JOBID", "JOB_ID"};
    const struct utsname *n = &m->node.names;
    const char *job = NULL;
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0] && (!job || !*job); i++)
        job = getenv(jobs[i]);
    protocol_meta(protocol, "host", n->nodename);
    if (job && *job)
        protocol_meta(protocol, "job", job);
    protocol_put(protocol, "uname", "%s %s %s %s %s", n->sysname, n->nodename, n->release, n->version,
                 n->machine);
    protocol_meta(protocol, "kernel", n->release);
    protocol_meta(protocol, "cpu", m->node.cpu);
    protocol_meta(protocol, "virtual_machine", m->node.virtual_machine ? "yes" : "no");
    protocol_put(protocol, "cores",
                 m->cores             ? "%d"
                 : topology_has_hwloc ? "unknown (the system does not report them)"
                                      : "unknown (built without hwloc)",
                 m->cores);
    protocol_put(protocol, "hardware_threads", "%d", topology_online());
    protocol_put(protocol, "cpu_limit", m->node.cpu_limit > 0 ? "%g" : "none", m->node.cpu_limit);
    protocol_put(protocol, "memory_mib", "%" PRId64, m->node.memory_mib);
    protocol_put(protocol, "memory_limit_mib", m->node.memory_limit_mib ? "%" PRId64 : "none",
                 m->node.memory_limit_mib);
}

static const char *const answers[] = {"no", "unknown", "yes"};

void machine_describe(const struct comm *comm, const struct machine *m, struct protocol *protocol)
{
    describe_build(protocol);
    describe_node(m, protocol);
    protocol_put(protocol, "processes", "%d", comm->size);
    protocol_put(protocol, "nodes", "%d", m->nodes);
    protocol_put(protocol, "ranks_per_node", m->min_ranks < m->max_ranks ? "%d-%d" : "%d", m->min_ranks,
                 m->max_ranks);
    protocol_put(protocol, "memory_ranks", "%d", m->memory_ranks);
    protocol_meta(protocol, "placement", m->placement);
    protocol_meta(protocol, "binding", m->binding);
    protocol_meta(protocol, "oversubscribed", answers[m->oversubscribed]);
    protocol_meta(protocol, "more_ranks_than_cores", answers[m->crowded]);
    for (size_t i = 0; i < m->environment.count; i++)
        protocol_meta(protocol, "environment", m->environment.text[i]);
    if (*m->environment_differs)
        protocol_meta(protocol, "environment_differs", m->environment_differs);
}

void machine_split_nodes(const struct machine *machine, struct comm *comm, MPI_Comm members, MPI_Comm *node)
{
    COMM_CHECK(comm, MPI_Comm_split(members, machine->node_number, comm->rank, node));
}

int machine_space(const struct machine *machine, const char *path, struct sysinfo_space *space)
{
    int failed = sysinfo_space(path, space);
    int64_t memory = machine->node.available_mib * 1048576, limit = machine->node.memory_limit_mib * 1048576;
    if (limit > 0 && (memory == 0 || limit < memory))
        memory = limit;
    if (space->in_memory && memory > 0 && memory < space->free)
        space->free = memory;
    return failed;
}
