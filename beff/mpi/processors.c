#include "beff/mpi/processors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "beff/record.h"
#include "common/memory.h"
#include "common/random.h"

/* ---- their state ---- */

/* COPY: bytes of the copy. FLAG: distance of two flags in items, so that no two share a cache line. TURNS:
 * ways of the line there and back in a block. SPINS: looks at a flag between two looks at the clock.
 * MOST_SPINS ends the waiting if the clock stands still. */
enum {
    COPY = 4 << 20,
    FLAG = 32,
    BLOCKS = 50,
    TURNS = 20,
    SPINS = 1000,
    MOST_SPINS = 10000000,
    LOOPS = 100000,
    TRIES = 3
};

/* Seconds after which a process gives up, and seconds of a way that was interrupted. */
#define HOP_PATIENCE 2e-3
#define HOP_MOST     2e-6

static void start_states(struct processors *s, const struct nodes *nodes)
{
    struct comm *comm = s->comm;
    s->nodes = nodes;
    COMM_CHECK(comm, MPI_Comm_split_type(nodes->node, MPI_COMM_TYPE_SHARED, nodes->local, MPI_INFO_NULL,
                                         &s->shared));
    COMM_CHECK(comm, MPI_Comm_rank(s->shared, &s->rank));
    COMM_CHECK(comm, MPI_Comm_size(s->shared, &s->size));
    s->from = memory_new(COPY, 1, "the copy");
    s->to = memory_new(COPY, 1, "the copy");
    memset(s->from, 1, COPY);
    memset(s->to, 1, COPY);
    MPI_Aint bytes = s->rank ? 0 : (MPI_Aint)sizeof *s->flags * FLAG * s->size;
    int unit;
    if (s->size > 1 &&
        MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, s->shared, &s->flags, &s->window) == MPI_SUCCESS)
        COMM_CHECK(comm, MPI_Win_shared_query(s->window, 0, &bytes, &unit, &s->flags));
    else /* on all processes: some of Open MPI's components have no shared memory */
        s->window = MPI_WIN_NULL;
}

/* Waits until the flag is `wanted`. Returns false after `end`. */
static bool wait_for(const volatile int64_t *flag, int64_t wanted, double end)
{
    for (int i = 1; *flag != wanted; i++)
        if (i > MOST_SPINS || (i % SPINS == 0 && MPI_Wtime() > end))
            return false;
    return true;
}

/* Returns the least time of a way between this process and its partner, on the process that `leads`; NaN if
 * it gave up before it was known. */
static double hop(volatile int64_t *flag, bool leads)
{
    double before = MPI_Wtime(), end = before + HOP_PATIENCE, best = INFINITY;
    for (int turn = 0; turn < BLOCKS * TURNS; turn++) {
        if (leads)
            *flag = 2 * turn + 1;
        if (!wait_for(flag, leads ? 2 * turn + 2 : 2 * turn + 1, end))
            break;
        if (!leads)
            *flag = 2 * turn + 2;
        if (turn % TURNS == TURNS - 1) {
            double now = MPI_Wtime();
            best = fmin(best, (now - before) / TURNS / 2);
            before = now;
        }
    }
    return leads && best < HOP_MOST ? best : NAN;
}

/* Finds the least and the largest way to a neighbour on the node's ring. Processes with even numbers lead to
 * the next one first, then those with odd numbers. */
static void hops(const struct processors *s, double *least, double *most)
{
    for (int parity = 0; parity < 2; parity++) {
        bool leads = s->rank % 2 == parity;
        int first = leads ? s->rank : (s->rank + s->size - 1) % s->size;
        bool closes = first == s->size - 1; /* the pair of the last and the first process */
        volatile int64_t *flag = s->flags + (ptrdiff_t)FLAG * first;
        if (leads)
            *flag = 0;
        COMM_CHECK(s->comm, MPI_Barrier(s->shared));
        bool paired = first % 2 == parity && (!closes || (s->size % 2 == 0 && s->size > 2));
        double one = paired ? hop(flag, leads) : NAN;
        *least = fmin(*least, one); /* fmin and fmax ignore NaN */
        *most = fmax(*most, one);
    }
}

static double loop(const struct processors *s)
{
    double start = MPI_Wtime();
    uint64_t x = (uint64_t)start;
    for (int i = 0; i < LOOPS; i++)
        x = random_mix(x);
    s->from[0] = (unsigned char)x; /* the result is used */
    return MPI_Wtime() - start;
}

static double copy(const struct processors *s)
{
    double start = MPI_Wtime();
    memcpy(s->to, s->from, COPY);
    s->from[1] = s->to[COPY - 1];
    return MPI_Wtime() - start;
}

void processors_begin(struct processors *s, int sweep, struct protocol *protocol)
{
    enum { HOP, LOOP, COPIED, KINDS };
    const struct nodes *n = s->nodes;
    double least[KINDS] = {INFINITY, INFINITY, INFINITY}, most[KINDS] = {0}, low[KINDS], high[KINDS];
    COMM_CHECK(s->comm, MPI_Barrier(n->node));
    if (s->window != MPI_WIN_NULL)
        hops(s, &least[HOP], &most[HOP]);
    COMM_CHECK(s->comm, MPI_Barrier(n->node));
    for (int i = 0; i < TRIES; i++) {
        least[LOOP] = most[LOOP] = fmin(least[LOOP], loop(s));
        least[COPIED] = most[COPIED] = fmin(least[COPIED], copy(s));
    }
    COMM_CHECK(s->comm, MPI_Reduce(least, low, KINDS, MPI_DOUBLE, MPI_MIN, 0, n->node));
    COMM_CHECK(s->comm, MPI_Reduce(most, high, KINDS, MPI_DOUBLE, MPI_MAX, 0, n->node));
    if (n->local)
        return;
    struct state_row row = {sweep, NAN, NAN, low[LOOP], high[LOOP], low[COPIED], high[COPIED], ""};
    if (high[HOP] > 0) {
        row.hop_min = low[HOP];
        row.hop_max = high[HOP];
    }
    struct state_row *rows = memory_new(protocol ? (size_t)n->count : 1, sizeof *rows, "the states");
    COMM_CHECK(s->comm, MPI_Gather(&row, sizeof row, MPI_BYTE, rows, sizeof row, MPI_BYTE, 0, n->peers));
    for (int i = 0; i < n->count && protocol; i++)
        snprintf(rows[i].host, sizeof rows[i].host, "%s", nodes_host(n, i));
    if (protocol)
        protocol_add(protocol, BEFF_STATES, rows, (size_t)n->count);
    free(rows);
}

/* ---- their other users ---- */

/* Replaces each disturbance with the worst one of all nodes. */
static void find_worst(struct comm *comm, struct disturbance all[DISTURBERS])
{
    struct {
        double share;
        int rank;
    } own[DISTURBERS], worst[DISTURBERS];
    for (int i = 0; i < DISTURBERS; i++) {
        own[i].share = disturbance_share(&all[i]);
        own[i].rank = comm->rank;
    }
    COMM_CHECK(comm, comm_allreduce(comm, own, worst, DISTURBERS, MPI_DOUBLE_INT, MPI_MAXLOC));
    for (int i = 0; i < DISTURBERS; i++)
        COMM_CHECK(comm, MPI_Bcast(&all[i], sizeof all[i], MPI_BYTE, worst[i].rank, comm->all));
}

void processors_mark(struct processors *w, int pass, struct protocol *protocol)
{
    struct comm *comm = w->comm;
    struct rusage used;
    struct processor_times times = {0};
    struct disturbance worst[DISTURBERS] = {{0}};
    getrusage(RUSAGE_SELF, &used);
    if (w->reads)
        topology_times("", &w->threads, &times);
    double busy = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                  1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    double clock = comm_clock(comm), switches = (double)used.ru_nivcsw;
    const double mine[] = {busy - w->busy, switches - w->switches, 1};
    double sum[3] = {0}, seconds = clock - w->clock;
    if (pass) {
        COMM_CHECK(comm, MPI_Reduce(mine, sum, 3, MPI_DOUBLE, MPI_SUM, 0, w->kernel));
        if (w->reads)
            disturbance_make(worst, w->machine->name, &w->last, &times,
                             &(struct own_use){seconds, sum[0], sum[1], sum[2]});
        find_worst(comm, worst);
    }
    if (pass && comm->rank == 0)
        disturbance_put(protocol, pass, seconds, worst);
    w->last = times;
    w->clock = clock;
    w->busy = busy;
    w->switches = switches;
}

/* ---- both ---- */

void processors_start(struct processors *p, struct comm *comm, const struct machine *machine,
                      const struct nodes *nodes)
{
    struct thread_set own;
    int rank;
    *p = (struct processors){.comm = comm, .machine = machine, .window = MPI_WIN_NULL};
    COMM_CHECK(comm, MPI_Comm_split(comm->all, machine->kernel, comm->rank, &p->kernel));
    COMM_CHECK(comm, MPI_Comm_rank(p->kernel, &rank));
    topology_affinity(&own);
    COMM_CHECK(comm, MPI_Reduce(&own, &p->threads, (int)sizeof own, MPI_BYTE, MPI_BOR, 0, p->kernel));
    p->reads = rank == 0;
    if (machine->oversubscribed != MACHINE_YES)
        start_states(p, nodes);
}

void processors_free(struct processors *p)
{
    if (!p->comm)
        return;
    if (p->window != MPI_WIN_NULL)
        COMM_CHECK(p->comm, MPI_Win_free(&p->window));
    if (p->nodes)
        COMM_CHECK(p->comm, MPI_Comm_free(&p->shared));
    COMM_CHECK(p->comm, MPI_Comm_free(&p->kernel));
    free(p->from);
    free(p->to);
}
