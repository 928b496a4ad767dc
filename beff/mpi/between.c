#include "beff/mpi/between.h"

#include <inttypes.h>
#include <math.h>

#include "beff/results.h"

/* Duration of a measurement in seconds, and number of attempts. The fastest attempt counts. */
#define TARGET 3e-3
enum { ATTEMPTS = 3, LARGE = 1024 * 1024 };

/* Returns the partner's rank in `peers`, or -1 if this process is idle. */
static int partner_of(const struct nodes *n, const struct between_command *command)
{
    int rank, size;
    COMM_CHECK(n->runner->comm, MPI_Comm_rank(n->peers, &rank));
    COMM_CHECK(n->runner->comm, MPI_Comm_size(n->peers, &size));
    if (n->local >= command->processes)
        return -1;
    if (command->node)
        return rank == 0 ? command->node : rank == command->node ? 0 : -1;
    int half = size / 2;
    return rank < half ? rank + half : rank < 2 * half ? rank - half : -1;
}

double between_exchange(const struct nodes *n, const struct between_command *command, double *rate,
                        int64_t *errors)
{
    struct comm *comm = n->runner->comm;
    int64_t wrong = 0, all_wrong = 0;
    double own = runner_peer(n->runner, n->peers, partner_of(n, command), !command->node, command->bytes,
                             command->seconds, &wrong);
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
    const struct nodes *nodes;
    struct protocol *protocol;
    double end; /* by comm_clock() */
    void (*tell)(void *context, const struct between_command *command);
    void *context;
};

/* Measures and writes one line. Returns false if the time is up, which is noted, or after a signal. */
static bool measure(const struct session *s, int node, int processes, int64_t bytes)
{
    const struct comm *comm = s->nodes->runner->comm;
    struct between_command command = {node, processes, bytes, comm->simulated ? 0 : TARGET};
    double rate, best = 0, seconds = INFINITY;
    int64_t errors = 0;
    bool late = comm_clock(comm) > s->end;
    if (late && node)
        protocol_put(s->protocol, "note", "no time to measure node 0 with node %d", node);
    else if (late)
        protocol_put(s->protocol, "note", "no time to measure all nodes at once with %d process%s each",
                     processes, TEXT_ES(processes));
    if (late || ending_signal())
        return false;
    for (int i = 0; i < (comm->simulated ? 1 : ATTEMPTS) && !late; i++) {
        s->tell(s->context, &command);
        seconds = fmin(seconds, between_exchange(s->nodes, &command, &rate, &errors));
        best = fmax(best, rate);
        late = comm_clock(comm) > s->end;
    }
    if (node)
        protocol_put(s->protocol, "pair", "%d %" PRId64 " %.6g %" PRId64, node, bytes, seconds / 2, errors);
    else
        protocol_put(s->protocol, "injection", "%d %" PRId64 " %d %.6g %" PRId64, processes, bytes,
                     s->nodes->count / 2 * 2, best, errors);
    return true;
}

void between_measure(const struct nodes *n, double seconds, struct protocol *protocol,
                     void (*tell)(void *context, const struct between_command *command), void *context)
{
    const struct pattern_list *list = n->runner->list;
    const struct session s = {n, protocol, comm_clock(n->runner->comm) + seconds, tell, context};
    const int partners[] = {1, n->count / 2, n->count - 1};
    int64_t lmax = list->sizes[BEFF_SIZES - 1], sizes[] = {BETWEEN_SMALL, lmax < LARGE ? lmax : LARGE};
    for (int i = 0; i < 6; i++)
        if ((i < 2 || partners[i / 2] > partners[i / 2 - 1]) &&
            !measure(&s, partners[i / 2], 1, sizes[i % 2]))
            return;
    for (int m = 1, last = 0; last < n->largest; last = m, m = 2 * m < n->largest ? 2 * m : n->largest)
        for (int i = 0; i < 2; i++)
            if (!measure(&s, 0, m, sizes[i]))
                return;
}
