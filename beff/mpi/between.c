#include "beff/mpi/between.h"

#include <inttypes.h>
#include <math.h>

#include "beff/results.h"

/* Duration of a measurement in seconds, and number of attempts. The fastest attempt counts. */
#define TARGET 3e-3
enum { ATTEMPTS = 3, MAX_LOOPS = 1000000, LARGE = 1024 * 1024 };

void between_make(struct between *b, struct runner *runner, const struct machine *machine)
{
    struct comm *comm = runner->comm;
    MPI_Comm node;
    *b = (struct between){.runner = runner, .nodes = machine->nodes, .largest = machine->max_ranks};
    comm_split_nodes(comm, comm->all, &node);
    COMM_CHECK(comm, MPI_Comm_rank(node, &b->local));
    COMM_CHECK(comm, MPI_Comm_free(&node));
    COMM_CHECK(comm, MPI_Comm_split(comm->all, b->local, machine->node_number, &b->peers));
}

void between_free(struct between *b)
{
    if (b->runner)
        COMM_CHECK(b->runner->comm, MPI_Comm_free(&b->peers));
}

/* Returns the partner's rank in `peers`, or -1 if this process is idle. */
static int partner_of(const struct between *b, const struct between_command *command)
{
    int rank, size;
    COMM_CHECK(b->runner->comm, MPI_Comm_rank(b->peers, &rank));
    COMM_CHECK(b->runner->comm, MPI_Comm_size(b->peers, &size));
    if (b->local >= command->processes)
        return -1;
    if (command->node)
        return rank == 0 ? command->node : rank == command->node ? 0 : -1;
    int half = size / 2;
    return rank < half ? rank + half : rank < 2 * half ? rank - half : -1;
}

double between_exchange(struct between *b, const struct between_command *command, double *rate,
                        int64_t *errors)
{
    struct comm *comm = b->runner->comm;
    int64_t wrong = 0, all_wrong = 0;
    double own = runner_peer(b->runner, b->peers, partner_of(b, command), !command->node, command->bytes,
                             command->untimed, command->loops, &wrong);
    double each = own > 0 ? 1 / own : 0, sum = 0, longest = 0;
    comm_reduce(comm, &each, &sum, 1, MPI_DOUBLE, MPI_SUM);
    comm_reduce(comm, &own, &longest, 1, MPI_DOUBLE, MPI_MAX);
    comm_reduce(comm, &wrong, &all_wrong, 1, MPI_INT64_T, MPI_SUM);
    *rate = sum;
    *errors += all_wrong;
    return longest;
}

/* The state of between_measure(). */
struct session {
    struct between *between;
    struct protocol *protocol;
    double end; /* by comm_clock() */
    void (*tell)(void *context, const struct between_command *command);
    void *context;
};

static double once(const struct session *s, const struct between_command *command, double *rate,
                   int64_t *errors)
{
    s->tell(s->context, command);
    return between_exchange(s->between, command, rate, errors);
}

/* Measures and writes one line. Returns false if the time is up. */
static bool measure(const struct session *s, int node, int processes, int64_t bytes)
{
    const struct comm *comm = s->between->runner->comm;
    struct between_command command = {node, processes, bytes, comm->simulated ? 0 : 1, 1};
    double rate, best, seconds;
    int64_t errors = 0;
    if (comm_clock(comm) > s->end || ending_signal())
        return false;
    seconds = fmax(once(s, &command, &best, &errors), 1e-9);
    if (!comm->simulated) {
        command.loops = (int64_t)fmin(fmax(TARGET / seconds, 1), MAX_LOOPS);
        command.untimed = command.loops / 4;
        seconds = INFINITY;
        best = 0;
        for (int i = 0; i < ATTEMPTS; i++) {
            seconds = fmin(seconds, once(s, &command, &rate, &errors));
            best = fmax(best, rate);
        }
    }
    if (node)
        protocol_put(s->protocol, "pair", "%d %" PRId64 " %.6g %" PRId64, node, bytes, seconds / 2, errors);
    else
        protocol_put(s->protocol, "injection", "%d %" PRId64 " %d %.6g %" PRId64, processes, bytes,
                     s->between->nodes / 2 * 2, best, errors);
    return true;
}

void between_measure(struct between *b, double seconds, struct protocol *protocol,
                     void (*tell)(void *context, const struct between_command *command), void *context)
{
    const struct pattern_list *list = b->runner->list;
    const struct session s = {b, protocol, comm_clock(b->runner->comm) + seconds, tell, context};
    const int partners[] = {1, b->nodes / 2, b->nodes - 1};
    int64_t lmax = list->sizes[BEFF_SIZES - 1], sizes[] = {BETWEEN_SMALL, lmax < LARGE ? lmax : LARGE};
    for (int i = 0; i < 6; i++)
        if ((i < 2 || partners[i / 2] > partners[i / 2 - 1]) &&
            !measure(&s, partners[i / 2], 1, sizes[i % 2])) {
            protocol_put(protocol, "note", "no time to measure node 0 with node %d", partners[i / 2]);
            return;
        }
    for (int m = 1, last = 0; last < b->largest; last = m, m = 2 * m < b->largest ? 2 * m : b->largest)
        for (int i = 0; i < 2; i++)
            if (!measure(&s, 0, m, sizes[i])) {
                protocol_put(protocol, "note", "no time to measure all nodes at once with %d process%s each",
                             m, TEXT_ES(m));
                return;
            }
}
