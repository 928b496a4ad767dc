/* Finds the nodes, counts the messages between them and measures their exchanges. */
#include "beff/mpi/nodes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"

/* SMALL_SHARE is the share of the time for the first size. LONGEST is the maximum duration of a measurement,
 * in seconds, because longer measurements are not more accurate. */
#define SMALL_SHARE 0.2
#define LONGEST     0.1

void nodes_make(struct nodes *n, struct runner *runner, const char *host)
{
    struct comm *comm = runner->comm;
    struct node_facts own = {.host = ""};
    int rank, lead;
    *n = (struct nodes){.runner = runner};
    comm_split_nodes(comm, comm->all, &n->node);
    COMM_CHECK(comm, MPI_Comm_rank(n->node, &rank));
    COMM_CHECK(comm, MPI_Comm_size(n->node, &own.processes));
    lead = rank == 0;
    snprintf(own.host, sizeof own.host, "%s", host);
    text_to_word(own.host);
    COMM_CHECK(comm, MPI_Comm_split(comm->all, lead ? 0 : MPI_UNDEFINED, comm->rank, &n->leaders));
    if (lead) {
        COMM_CHECK(comm, MPI_Comm_rank(n->leaders, &n->index));
        COMM_CHECK(comm, MPI_Comm_size(n->leaders, &n->count));
    }
    COMM_CHECK(comm, MPI_Bcast(&n->count, 1, MPI_INT, 0, n->node));
    COMM_CHECK(comm, MPI_Bcast(&n->index, 1, MPI_INT, 0, n->node));
    size_t count = (size_t)n->count;
    if (comm->rank == 0) {
        n->facts = memory_new(count, sizeof *n->facts, "the nodes");
        n->times = memory_new(DIAGNOSIS_SIZES * DIAGNOSIS_ROUNDS * count, sizeof *n->times, "the nodes");
        n->gathered = memory_new(count, sizeof *n->gathered, "the nodes");
    }
    if (lead)
        COMM_CHECK(comm,
                   MPI_Gather(&own, sizeof own, MPI_BYTE, n->facts, sizeof own, MPI_BYTE, 0, n->leaders));
}

void nodes_free(struct nodes *n)
{
    if (!n->runner)
        return;
    COMM_CHECK(n->runner->comm, MPI_Comm_free(&n->node));
    if (n->leaders != MPI_COMM_NULL)
        COMM_CHECK(n->runner->comm, MPI_Comm_free(&n->leaders));
    free(n->facts);
    free(n->times);
    free(n->gathered);
    *n = (struct nodes){0};
}

/* ---- messages between nodes ---- */

/* The processes of this node, and all processes. */
struct node_groups {
    const struct comm *comm;
    MPI_Group all, here;
};

static bool is_here(const void *node, int64_t rank)
{
    const struct node_groups *groups = node;
    int world = (int)rank, there;
    COMM_CHECK(groups->comm, MPI_Group_translate_ranks(groups->all, 1, &world, groups->here, &there));
    return there != MPI_UNDEFINED;
}

void nodes_count_messages(struct nodes *n, int64_t *sum, int64_t *max)
{
    struct runner *m = n->runner;
    struct node_groups groups = {.comm = m->comm};
    int patterns = m->list->count;
    bool first = m->comm->rank == 0;
    COMM_CHECK(m->comm, MPI_Comm_group(m->comm->all, &groups.all));
    COMM_CHECK(m->comm, MPI_Comm_group(n->node, &groups.here));
    for (int p = 0; p < patterns; p++)
        sum[p] = max[p] = neighbours_leaving(&m->neighbours[p], is_here, &groups);
    COMM_CHECK(m->comm, MPI_Group_free(&groups.all));
    COMM_CHECK(m->comm, MPI_Group_free(&groups.here));
    COMM_CHECK(m->comm, MPI_Allreduce(MPI_IN_PLACE, max, patterns, MPI_INT64_T, MPI_SUM, n->node));
    comm_reduce(m->comm, first ? MPI_IN_PLACE : max, max, patterns, MPI_INT64_T, MPI_MAX);
    comm_reduce(m->comm, first ? MPI_IN_PLACE : sum, sum, patterns, MPI_INT64_T, MPI_SUM);
}

/* ---- diagnosis ---- */

static double *times_of(const struct nodes *n, int size, int round)
{
    return n->times + (size_t)(size * DIAGNOSIS_ROUNDS + round) * (size_t)n->count;
}

double nodes_exchange(struct nodes *n, const struct node_command *command)
{
    int64_t partner =
        n->leaders == MPI_COMM_NULL ? -1 : diagnosis_partner(n->count, command->round, n->index);
    double own = runner_pair(n->runner, n->leaders, partner, command->bytes, command->warmup, command->loops);
    double longest = 0;
    if (n->leaders != MPI_COMM_NULL)
        COMM_CHECK(n->runner->comm,
                   MPI_Gather(&own, 1, MPI_DOUBLE, n->gathered, 1, MPI_DOUBLE, 0, n->leaders));
    if (n->runner->comm->rank > 0)
        return 0;
    double *times = times_of(n, command->size, command->round);
    for (int i = 0; i < n->count; i++) { /* a pair takes as long as the slower node of the two */
        int64_t other = diagnosis_partner(n->count, command->round, i);
        times[i] = other < 0 ? 0 : fmax(n->gathered[i], n->gathered[other]);
        longest = fmax(longest, times[i]);
    }
    return longest;
}

int nodes_diagnose(struct nodes *n, double seconds,
                   void (*tell)(void *context, const struct node_command *command), void *context)
{
    int64_t bytes[DIAGNOSIS_SIZES];
    const struct comm *comm = n->runner->comm;
    double end = comm_clock(comm) + seconds, one = 0;
    int measured = 0;
    diagnosis_sizes(n->runner->list->sizes[BEFF_SIZES - 1], bytes);
    for (int s = 0; s < DIAGNOSIS_SIZES && (s == 0 || bytes[s] > bytes[s - 1]); s++, measured++) {
        double left = (end - comm_clock(comm)) * (s == 0 ? SMALL_SHARE : 1);
        double expected = s == 0 ? 0 : one * (double)bytes[s] / (double)bytes[s - 1];
        if (expected * (2 + 2 * DIAGNOSIS_ROUNDS) > left)
            break;                                         /* this size does not fit */
        struct node_command step = {0, s, bytes[s], 1, 1}; /* finds out how long one exchange takes */
        tell(context, &step);
        one = fmax(nodes_exchange(n, &step), 1e-9);
        double each = fmin(fmax(left / DIAGNOSIS_ROUNDS, 0), LONGEST);
        step.warmup = (int64_t)fmax(1, ceil(fmin(ESTIMATES_UNTIMED, each / 4) / one));
        step.loops = (int64_t)fmax(1, floor(each / one) - (double)step.warmup);
        if (comm->simulated) { /* all iterations take the same time */
            step.warmup = 0;
            step.loops = 1;
        }
        for (; step.round < DIAGNOSIS_ROUNDS; step.round++) {
            tell(context, &step);
            nodes_exchange(n, &step);
        }
    }
    return measured;
}

void nodes_line(const struct nodes *n, int node, int sizes, char *text, size_t size)
{
    snprintf(text, size, "%d %s %d", node, n->facts[node].host, n->facts[node].processes);
    for (int s = 0; s < sizes; s++)
        for (int r = 0; r < DIAGNOSIS_ROUNDS; r++) {
            double seconds = times_of(n, s, r)[node];
            if (seconds > 0)
                text_append(text, size, " %.6g", seconds);
            else
                text_append(text, size, " -");
        }
}
