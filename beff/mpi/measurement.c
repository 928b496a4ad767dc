/* One measurement on all processes. Uses exchange, measure, comm. */
#include "beff/mpi/measurement.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/measure.h"

/* Two clocks that disagree by more than this in one measurement: one of them jumped. */
#define CLOCK_DISAGREEMENT 1e-3

/* Readings of both clocks of which the closest counts: a process may be preempted between the two. */
enum { CLOCK_READINGS = 3 };

/* ---- the measuring loop's view ---- */

/* Both clocks, at the start and at the end. */
struct reading {
    double apart;  /* seconds by which the other clock is ahead of MPI's */
    double within; /* seconds within which both were read */
};

struct task {
    struct runner *runner;
    exchange_iteration *iterate;
    int readings;
    struct reading reading[2];
};

static struct reading read_clocks(void)
{
    double clocks[2], within = comm_read_clocks(clocks, CLOCK_READINGS);
    return (struct reading){clocks[1] - clocks[0], within};
}

static bool has_jumped(const struct task *task)
{
    const struct reading *start = &task->reading[0], *end = &task->reading[1];
    if (task->runner->comm->simulated)
        return false;
    return !(fabs(end->apart - start->apart) <= CLOCK_DISAGREEMENT + start->within + end->within);
}

static int synchronise(void *context)
{
    struct comm *comm = ((struct task *)context)->runner->comm;
    COMM_CHECK(comm, comm_barrier(comm));
    return 0;
}

/* The loop reads the clock twice; what else is read stays outside of the time in between. All start it
 * together: who is ahead after the untimed iterations would find messages that came before its clock started.
 */
static double observed_now(void *context)
{
    struct task *task = context;
    if (task->runner->comm->simulated) /* there is no other clock, and nobody is preempted */
        return MPI_Wtime();
    if (task->readings++ == 0) {
        synchronise(task);
        task->reading[0] = read_clocks();
        return MPI_Wtime();
    }
    double now = MPI_Wtime();
    task->reading[1] = read_clocks();
    return now;
}

static int iterate(void *context, long iteration)
{
    struct task *task = context;
    return task->iterate(&task->runner->exchange, iteration);
}

/* A process whose call fails ends all: the others may wait for a message that will not come. */
static enum measure_status run_loop(struct task *task, long warmup, long loops, struct measured *measured)
{
    struct measure_ops ops = {
        .now = observed_now, .synchronise = synchronise, .work = iterate, .context = task};
    struct exchange *x = &task->runner->exchange;
    enum measure_status status = measure(&ops, warmup, loops, measured);
    if (status == MEASURE_FAILED)
        comm_check(task->runner->comm, measured->error, x->failed, "beff/mpi/exchange.c", x->failed_line);
    return status;
}

/* ---- one process ---- */

static struct reduction measure_here(struct runner *m, const struct command *command)
{
    struct task task = {m, exchange_method(command->method)};
    struct measured measured;
    struct reduction reduction = {.measurement = {.t_min = INFINITY, .stop = guard_signal(&m->comm->guard)}};
    struct measurement *o = &reduction.measurement;
    exchange_prepare(&m->exchange, &m->neighbours[command->pattern], m->list->sizes[command->size]);
    if (m->exchange.steps == 0) {
        /* An idle process makes the collective call all the same; its time does not count. */
        bool called = command->method == METHOD_ALLTOALLV;
        run_loop(&task, called ? (long)command->untimed : 0, called ? (long)command->loops : 0, &measured);
        return reduction;
    }
    enum measure_status status = run_loop(&task, (long)command->untimed, (long)command->loops, &measured);
    o->t_min = o->t_avg = o->t_max = measured.seconds;
    o->clock_jumps = has_jumped(&task) || status != MEASURE_OK;
    o->errors = m->exchange.errors;
    reduction.parts = 1;
    reduction.rank = m->comm->rank;
    reduction.bad = m->exchange.first;
    return reduction;
}

/* ---- all processes ---- */

static void combine(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    const struct reduction *from = in;
    struct reduction *to = inout;
    for (int i = 0; i < *length; i++, from++, to++) {
        const struct measurement *f = &from->measurement;
        struct measurement *t = &to->measurement;
        if (f->errors > 0 && (t->errors == 0 || from->rank < to->rank)) {
            to->rank = from->rank;
            to->bad = from->bad;
        }
        to->parts += from->parts;
        t->t_min = fmin(t->t_min, f->t_min);
        t->t_avg += f->t_avg;
        t->t_max = fmax(t->t_max, f->t_max);
        t->errors += f->errors;
        t->clock_jumps += f->clock_jumps;
        t->stop = f->stop > t->stop ? f->stop : t->stop;
    }
}

struct reduction runner_measure(struct runner *m, const struct command *command)
{
    comm_doing(m->comm, "measuring %s, %s, %" PRId64 " B", m->list->patterns[command->pattern].id,
               method_name(command->method), m->list->sizes[command->size]);
    struct reduction own = measure_here(m, command), all = own;
    comm_reduce(m->comm, &own, &all, 1, m->type, m->combine);
    all.measurement.t_avg /= (double)all.parts;
    return all;
}

int runner_make(struct runner *m, struct comm *comm, const struct pattern_list *list)
{
    *m = (struct runner){.comm = comm, .list = list};
    COMM_CHECK(comm, MPI_Type_contiguous((int)sizeof(struct reduction), MPI_BYTE, &m->type));
    COMM_CHECK(comm, MPI_Type_commit(&m->type));
    COMM_CHECK(comm, MPI_Op_create(combine, 1, &m->combine));
    size_t count = (size_t)list->count;
    m->neighbours = calloc(count, sizeof *m->neighbours);
    if (!m->neighbours)
        return -1;
    for (int p = 0; p < list->count; p++)
        if (pattern_neighbours(&list->patterns[p], comm->rank, &m->neighbours[p]))
            return -1;
    return exchange_make(&m->exchange, comm->all, list->sizes[BEFF_SIZES - 1]);
}

void runner_free(struct runner *m)
{
    if (!m->comm)
        return;
    COMM_CHECK(m->comm, MPI_Type_free(&m->type));
    COMM_CHECK(m->comm, MPI_Op_free(&m->combine));
    exchange_free(&m->exchange);
    free(m->neighbours);
    comm_doing(m->comm, "%s", "");
}

/* ---- memory copies ---- */

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
        comm_broadcast(task->runner->comm, next, sizeof next);
    }
    return next[0];
}

double runner_copy(struct runner *m, double seconds, int64_t *loops)
{
    struct task task = {m, exchange_copy};
    struct measured measured;
    double slowest = 0, bytes = (double)m->list->sizes[BEFF_SIZES - 1];
    exchange_prepare(&m->exchange, &m->neighbours[BEFF_RING_PATTERNS - 1], (int64_t)bytes);
    if (*loops == 0)
        *loops = find_loops(&task, seconds);
    run_loop(&task, 0, (long)*loops, &measured);
    comm_reduce(m->comm, &measured.seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX);
    return bytes * (double)*loops * m->comm->size / slowest / 1e6;
}

double runner_pair(struct runner *m, MPI_Comm comm, int64_t partner, int64_t bytes, int64_t untimed,
                   int64_t loops)
{
    struct task task = {m, exchange_method(METHOD_SENDRECV)};
    struct neighbours pair = {.axes = 1, .left = {partner}, .right = {partner}};
    struct measured measured;
    bool takes_part = partner >= 0;
    comm_doing(m->comm, "comparing nodes, %" PRId64 " B", bytes);
    if (takes_part)
        exchange_use(&m->exchange, comm);
    exchange_prepare(&m->exchange, &pair, bytes);
    run_loop(&task, takes_part ? (long)untimed : 0, takes_part ? (long)loops : 0, &measured);
    if (takes_part)
        exchange_use(&m->exchange, m->comm->all);
    return takes_part ? measured.seconds / (double)loops : 0;
}
