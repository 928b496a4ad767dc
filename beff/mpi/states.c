#include "beff/mpi/states.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "beff/record.h"
#include "common/memory.h"
#include "common/random.h"

/* COPY: bytes of the copy. FLAG: distance of two flags, so that no two share a cache line. TURNS: ways of the
 * line there and back in a trial. SPINS: looks at a flag between two looks at the clock. BLOCKS and
 * MOST_SPINS end the loops if the clock stands still. */
enum {
    COPY = 4 << 20,
    FLAG = 256,
    TURNS = 20,
    SPINS = 1000,
    LOOPS = 100000,
    TRIES = 3,
    BLOCKS = 1000,
    MOST_SPINS = 10000000
};

/* Length of the trials with one neighbour, and the time after which a process gives up, in seconds. */
#define HOP_SECONDS  0.5e-3
#define HOP_PATIENCE 2e-3
/* A longer way was interrupted, in seconds. */
#define HOP_MOST 2e-6

void states_start(struct states *s, struct comm *comm, const struct machine *machine)
{
    int rank, size;
    *s = (struct states){.comm = comm, .machine = machine, .window = MPI_WIN_NULL};
    COMM_CHECK(comm, MPI_Comm_split(comm->all, machine->kernel, comm->rank, &s->kernel));
    COMM_CHECK(comm, MPI_Comm_rank(s->kernel, &rank));
    COMM_CHECK(comm, MPI_Comm_split(comm->all, rank ? MPI_UNDEFINED : 0, comm->rank, &s->leaders));
    COMM_CHECK(comm, MPI_Comm_split_type(s->kernel, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &s->shared));
    COMM_CHECK(comm, MPI_Comm_rank(s->shared, &rank));
    COMM_CHECK(comm, MPI_Comm_size(s->shared, &size));
    s->from = memory_new(COPY, 1, "the copy");
    s->to = memory_new(COPY, 1, "the copy");
    memset(s->from, 1, COPY);
    memset(s->to, 1, COPY);
    if (size < 2)
        return;
    MPI_Aint bytes = rank ? 0 : (MPI_Aint)FLAG * size;
    int unit, failed = MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, s->shared, &s->flags, &s->window);
    if (failed) { /* on all processes: some of Open MPI's components have no shared memory */
        s->window = MPI_WIN_NULL;
        return;
    }
    COMM_CHECK(comm, MPI_Win_shared_query(s->window, 0, &bytes, &unit, &s->flags));
    if (rank == 0)
        memset(s->flags, 0, (size_t)bytes);
}

/* Waits until the flag is `wanted`. Returns false after `end`, or if the other process gave up. */
static bool wait_for(_Atomic int64_t *flag, int64_t wanted, double end)
{
    for (int64_t i = 1, found; (found = atomic_load_explicit(flag, memory_order_acquire)) != wanted; i++)
        if (found < 0 || i > MOST_SPINS || (i % SPINS == 0 && MPI_Wtime() > end))
            return false;
    return true;
}

/* Returns the least time of a way between this process and its partner, on the process that `leads`; NaN if
 * it gave up before it was known. */
static double hop(_Atomic int64_t *flag, bool leads)
{
    double start = MPI_Wtime(), end = start + HOP_PATIENCE, best = NAN;
    bool on = true;
    int64_t value = 1;
    for (int block = 0; on && (!leads || (block < BLOCKS && MPI_Wtime() < start + HOP_SECONDS)); block++) {
        double before = MPI_Wtime();
        for (int i = 0; i < TURNS && on; i++, value += 2) {
            if (leads)
                atomic_store_explicit(flag, value, memory_order_release);
            on = wait_for(flag, leads ? value + 1 : value, end);
            if (!leads && on)
                atomic_store_explicit(flag, value + 1, memory_order_release);
        }
        if (on)
            best = fmin(best, (MPI_Wtime() - before) / TURNS / 2);
    }
    atomic_store_explicit(flag, -1, memory_order_release);
    return leads && best < HOP_MOST ? best : NAN;
}

/* Returns the least and the largest way to a neighbour on the node's ring. Processes with even numbers lead
 * to the next one first, then those with odd numbers. */
static void hops(struct states *s, double found[2])
{
    int rank, size;
    COMM_CHECK(s->comm, MPI_Comm_rank(s->shared, &rank));
    COMM_CHECK(s->comm, MPI_Comm_size(s->shared, &size));
    for (int parity = 0; parity < 2; parity++) {
        bool leads = rank % 2 == parity;
        int first = leads ? rank : (rank + size - 1) % size;
        bool closes = first == size - 1; /* the pair of the last and the first process */
        _Atomic int64_t *flag = (_Atomic int64_t *)(void *)(s->flags + (ptrdiff_t)FLAG * first);
        if (leads)
            atomic_store(flag, 0);
        COMM_CHECK(s->comm, MPI_Barrier(s->shared));
        bool paired = first % 2 == parity && (!closes || (size % 2 == 0 && size > 2));
        double one = paired ? hop(flag, leads) : NAN;
        found[0] = fmin(found[0], one);
        found[1] = fmax(found[1], one);
    }
}

static double loop(const struct states *s)
{
    double start = MPI_Wtime();
    uint64_t x = (uint64_t)start;
    for (int i = 0; i < LOOPS; i++)
        x = random_mix(x);
    s->from[0] = (unsigned char)x; /* the result is used */
    return MPI_Wtime() - start;
}

static double copy(const struct states *s)
{
    double start = MPI_Wtime();
    memcpy(s->to, s->from, COPY);
    s->from[1] = s->to[COPY - 1];
    return MPI_Wtime() - start;
}

void states_measure(struct states *s, int sweep, struct protocol *protocol)
{
    enum { HOP, LOOP, COPIED, KINDS };
    if (!s->comm)
        return;
    double found[KINDS][2] = {{NAN, NAN}, {INFINITY, 0}, {INFINITY, 0}}, all[KINDS][2];
    COMM_CHECK(s->comm, MPI_Barrier(s->kernel));
    if (s->window != MPI_WIN_NULL)
        hops(s, found[HOP]);
    COMM_CHECK(s->comm, MPI_Barrier(s->kernel));
    for (int i = 0; i < TRIES; i++) {
        found[LOOP][0] = fmin(found[LOOP][0], loop(s));
        found[COPIED][0] = fmin(found[COPIED][0], copy(s));
    }
    for (int i = 0; i < KINDS; i++) { /* one maximum for both ends */
        double largest = i == HOP ? found[i][1] : found[i][0];
        found[i][1] = isnan(largest) ? -INFINITY : largest;
        found[i][0] = isnan(found[i][0]) ? -INFINITY : -found[i][0];
    }
    COMM_CHECK(s->comm, MPI_Reduce(found, all, 2 * KINDS, MPI_DOUBLE, MPI_MAX, 0, s->kernel));
    if (s->leaders == MPI_COMM_NULL)
        return;
    int nodes;
    struct state_row row = {.sweep = sweep,
                            .hop_min = isfinite(all[HOP][0]) ? -all[HOP][0] : NAN,
                            .hop_max = isfinite(all[HOP][1]) ? all[HOP][1] : NAN,
                            .loop_min = -all[LOOP][0],
                            .loop_max = all[LOOP][1],
                            .copy_min = -all[COPIED][0],
                            .copy_max = all[COPIED][1]};
    snprintf(row.host, sizeof row.host, "%.*s", (int)sizeof row.host - 1, s->machine->name);
    text_to_word(row.host);
    COMM_CHECK(s->comm, MPI_Comm_size(s->leaders, &nodes));
    struct state_row *rows = memory_new(protocol ? (size_t)nodes : 1, sizeof *rows, "the states");
    COMM_CHECK(s->comm, MPI_Gather(&row, sizeof row, MPI_BYTE, rows, sizeof row, MPI_BYTE, 0, s->leaders));
    if (protocol)
        protocol_add(protocol, BEFF_STATES, rows, (size_t)nodes);
    free(rows);
}

void states_free(struct states *s)
{
    if (!s->comm)
        return;
    if (s->window != MPI_WIN_NULL)
        COMM_CHECK(s->comm, MPI_Win_free(&s->window));
    COMM_CHECK(s->comm, MPI_Comm_free(&s->shared));
    if (s->leaders != MPI_COMM_NULL)
        COMM_CHECK(s->comm, MPI_Comm_free(&s->leaders));
    COMM_CHECK(s->comm, MPI_Comm_free(&s->kernel));
    free(s->from);
    free(s->to);
    *s = (struct states){0};
}
