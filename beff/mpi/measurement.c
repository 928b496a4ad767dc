/* One measurement on all processes. Uses exchange, measure, world. */
#include "beff/mpi/measurement.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "common/clock.h"
#include "common/measure.h"

enum { TALLY_MEMBERS = sizeof(struct tally) / sizeof(double) };

/* Two clocks that disagree by more than this in one measurement: one of them jumped. */
#define CLOCK_DISAGREEMENT 1e-3

/* ---- the measuring loop's view ---- */

/* What the operating system tells about this thread at a reading of the clock. */
struct reading {
    double other_clock;
    long switches;
};

struct task {
    struct measurer *measurer;
    exchange_iteration *iterate;
    int readings;
    struct reading reading[2];
};

static struct reading read_system(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (struct reading){clock_since_start(), usage.ru_nivcsw};
}

/* The loop reads the clock twice; what else is read stays outside of the time in between. */
static double observed_now(void *context)
{
    struct task *task = context;
    if (task->readings++ == 0) {
        task->reading[0] = read_system();
        return MPI_Wtime();
    }
    double now = MPI_Wtime();
    task->reading[1] = read_system();
    return now;
}

static int synchronise(void *context)
{
    struct world *world = ((struct task *)context)->measurer->world;
    WORLD_CHECK(world, world_barrier(world));
    return 0;
}

static int iterate(void *context, long iteration)
{
    struct task *task = context;
    return task->iterate(&task->measurer->exchange, iteration);
}

/* A process whose call fails ends all: the others may wait for a message that will not come. */
static enum measure_status run_loop(struct task *task, long warmup, long loops, struct measured *measured)
{
    struct measure_world world = {
        .now = observed_now, .synchronise = synchronise, .work = iterate, .context = task};
    struct exchange *x = &task->measurer->exchange;
    enum measure_status status = measure(&world, warmup, loops, measured);
    if (status == MEASURE_FAILED)
        world_check(task->measurer->world, measured->error, x->failed, "beff/mpi/exchange.c", x->failed_line);
    return status;
}

/* ---- one process ---- */

/* Whether this process took far longer than it did before for the same cell; keeps the shortest. */
static bool is_held_up(struct measurer *m, const struct order *order, double iteration)
{
    double *shortest = &m->shortest[((size_t)order->pattern * METHODS + (size_t)order->method) * BEFF_SIZES +
                                    (size_t)order->size];
    bool held_up = *shortest > 0 && iteration > RECORD_HELD_UP * *shortest;
    if (*shortest == 0 || iteration < *shortest)
        *shortest = iteration;
    return held_up;
}

static void describe(struct measurer *m, const struct order *order)
{
    snprintf(m->doing, sizeof m->doing, "measuring %s, %s, %" PRId64 " B",
             m->list->patterns[order->pattern].id, method_name(order->method), m->list->sizes[order->size]);
    m->world->doing = m->doing;
}

static void add_errors(const struct measurer *m, struct tally *tally)
{
    const struct mismatch *first = &m->exchange.first;
    tally->errors = (double)m->exchange.errors;
    tally->bad_rank = m->world->rank;
    tally->bad_from = first->from;
    tally->bad_iteration = (double)first->iteration;
    tally->bad_last = first->last;
    tally->bad_expected = first->expected;
    tally->bad_found = first->found;
}

static struct tally measure_here(struct measurer *m, const struct order *order)
{
    struct task task = {m, exchange_method(order->method)};
    struct measured measured;
    struct tally tally = {.t_min = INFINITY, .stop = guard_signal(&m->world->guard)};
    exchange_prepare(&m->exchange, &m->neighbours[order->pattern], m->list->sizes[order->size]);
    if (!exchange_takes_part(&m->exchange)) {
        /* An idle process makes the collective call all the same; its time does not count. */
        bool called = order->method == METHOD_ALLTOALLV;
        run_loop(&task, called ? (long)order->warmup : 0, called ? (long)order->loops : 0, &measured);
        return tally;
    }
    enum measure_status status = run_loop(&task, (long)order->warmup, (long)order->loops, &measured);
    tally.t_min = tally.t_sum = tally.t_max = measured.seconds;
    tally.parts = 1;
    tally.held_up = is_held_up(m, order, measured.seconds / (double)order->loops);
    tally.switches = (double)(task.reading[1].switches - task.reading[0].switches);
    tally.clock_jumps = fabs(task.reading[1].other_clock - task.reading[0].other_clock - measured.seconds) >
                        CLOCK_DISAGREEMENT;
    tally.fault = status;
    tally.fault_rank = m->world->rank;
    add_errors(m, &tally);
    return tally;
}

/* ---- all processes ---- */

static void combine(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    const struct tally *from = in;
    struct tally *to = inout;
    for (int i = 0; i < *length; i++, from++, to++) {
        if (from->errors > 0 && (to->errors == 0 || from->bad_rank < to->bad_rank)) {
            to->bad_rank = from->bad_rank;
            to->bad_from = from->bad_from;
            to->bad_iteration = from->bad_iteration;
            to->bad_last = from->bad_last;
            to->bad_expected = from->bad_expected;
            to->bad_found = from->bad_found;
        }
        if (from->fault > to->fault) {
            to->fault = from->fault;
            to->fault_rank = from->fault_rank;
        }
        to->t_min = fmin(to->t_min, from->t_min);
        to->t_max = fmax(to->t_max, from->t_max);
        to->stop = fmax(to->stop, from->stop);
        to->t_sum += from->t_sum;
        to->parts += from->parts;
        to->errors += from->errors;
        to->held_up += from->held_up;
        to->switches += from->switches;
        to->clock_jumps += from->clock_jumps;
    }
}

struct tally measurer_measure(struct measurer *m, const struct order *order)
{
    describe(m, order);
    struct tally own = measure_here(m, order), all = own;
    world_reduce(m->world, &own, &all, 1, m->type, m->combine);
    return all;
}

int measurer_make(struct measurer *m, struct world *world, const struct pattern_list *list)
{
    *m = (struct measurer){.world = world, .list = list};
    WORLD_CHECK(world, MPI_Type_contiguous(TALLY_MEMBERS, MPI_DOUBLE, &m->type));
    WORLD_CHECK(world, MPI_Type_commit(&m->type));
    WORLD_CHECK(world, MPI_Op_create(combine, 1, &m->combine));
    size_t count = (size_t)list->count;
    m->neighbours = calloc(count, sizeof *m->neighbours);
    m->shortest = calloc(count * METHODS * BEFF_SIZES, sizeof *m->shortest);
    if (!m->neighbours || !m->shortest)
        return -1;
    for (int p = 0; p < list->count; p++)
        if (pattern_neighbours(list, &list->patterns[p], world->rank, &m->neighbours[p]))
            return -1;
    return exchange_make(&m->exchange, world->comm, list->sizes[BEFF_SIZES - 1]);
}

void measurer_free(struct measurer *m)
{
    if (!m->world)
        return;
    WORLD_CHECK(m->world, MPI_Type_free(&m->type));
    WORLD_CHECK(m->world, MPI_Op_free(&m->combine));
    exchange_free(&m->exchange);
    free(m->neighbours);
    free(m->shortest);
    m->world->doing = NULL;
}

/* ---- beside the patterns ---- */

double measurer_null(struct measurer *m)
{
    const long loops = 20000;
    struct task task = {m, exchange_null};
    struct measured measured;
    exchange_prepare(&m->exchange, &m->neighbours[BEFF_RING_PATTERNS - 1], 1024);
    run_loop(&task, loops / 10, loops, &measured);
    return measured.seconds / (double)loops;
}

/* How many copies take about `seconds`, by the clock of rank 0. */
static int64_t find_loops(struct task *task, double seconds)
{
    struct measured measured;
    int64_t next[2] = {1, 0}; /* loops, and whether they are enough */
    while (!next[1]) {
        int64_t loops = next[0];
        run_loop(task, 0, (long)loops, &measured);
        double needed = fmin(fmax(seconds / measured.seconds * (double)loops, 1), 64.0 * (double)loops);
        next[0] = (int64_t)needed;
        next[1] = next[0] <= 4 * loops;
        world_broadcast(task->measurer->world, next, sizeof next);
    }
    return next[0];
}

double measurer_copy(struct measurer *m, int size, double seconds, int64_t *loops)
{
    struct task task = {m, exchange_copy};
    struct measured measured;
    double slowest = 0;
    exchange_prepare(&m->exchange, &m->neighbours[BEFF_RING_PATTERNS - 1], m->list->sizes[size]);
    if (*loops == 0)
        *loops = find_loops(&task, seconds);
    run_loop(&task, 0, (long)*loops, &measured);
    world_reduce(m->world, &measured.seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX);
    return (double)m->list->sizes[size] * (double)*loops * m->world->size / slowest / 1e6;
}
