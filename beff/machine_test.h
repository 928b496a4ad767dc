/* Made-up machines in virtual time for the tests of the conductor, and what comes of a run on one. */
#ifndef BEFF_MACHINE_TEST_H
#define BEFF_MACHINE_TEST_H

#include "beff/conductor.h"

#include "beff/rating.h"
#include "common/random.h"
#include "tests/unit.h"

enum { PROCESSES = 4, SEED = 11, MOST_PATTERNS = 64, MEMORY_MIB = 1024 };

struct machine {
    /* What it is like. */
    double latency, bandwidth; /* seconds, bytes per second, of one ring */
    double overhead;           /* seconds per measurement */
    double noise;              /* each measurement takes up to this share longer */
    double hiccup;             /* share of the measurements that take 100 times as long */
    int64_t cliff;             /* messages of this size and more are 1000 times as slow; 0: none */
    double resolution;         /* of its clock */
    int stop_at_order;         /* a signal comes with this measurement, counted from 1; 0: never */
    int fail_at_order, fail_at_record;

    /* What came of it. */
    double time, longest; /* now; the longest measurement */
    double last_start;    /* when the last measurement began */
    int orders, probes;   /* measurements; before the first record */
    bool warm_wrong;
    struct random_stream random;
    struct beff_record *records;
    size_t count, room;
    const struct pattern_list *list;
};

static inline double one_iteration(const struct machine *m, int pattern, enum method method, int size)
{
    static const double factor[METHODS] = {1, 1.3, 0.8};
    double one = factor[method] * (m->latency + (double)m->list->sizes[size] / m->bandwidth);
    one *= m->list->patterns[pattern].axes;
    return m->cliff && m->list->sizes[size] >= m->cliff ? 1000 * one : one;
}

static inline double share(struct machine *m)
{
    return (double)random_below(&m->random, 1000001) / 1e6;
}

static inline double elapsed(void *context)
{
    return ((struct machine *)context)->time;
}

static inline int perform(void *context, const struct order *order, struct outcome *outcome,
                          struct message *error)
{
    struct machine *m = context;
    m->orders++;
    assert_in_range(order->pattern, 0, m->list->count - 1);
    assert_in_range(order->size, 0, BEFF_SIZES - 1);
    assert_true(order->loops >= 1);
    if (m->list->patterns[order->pattern].sendrecv_only)
        assert_int_equal(order->method, METHOD_SENDRECV);
    if (m->count)
        m->warm_wrong |= order->warmup != (order->size < 18);
    if (m->orders == m->fail_at_order)
        return message_set(error, "it broke");
    double one = one_iteration(m, order->pattern, order->method, order->size) * (1 + m->noise * share(m));
    if (share(m) < m->hiccup)
        one *= 100;
    double seconds = one * (double)order->loops;
    m->last_start = m->time;
    m->time += m->overhead + one * (double)order->warmup + seconds;
    m->longest = fmax(m->longest, m->time - m->last_start);
    if (m->resolution > 0)
        seconds = fmax(m->resolution, m->resolution * floor(seconds / m->resolution));
    *outcome = (struct outcome){.t_min = 0.5 * seconds,
                                .t_avg = 0.75 * seconds,
                                .t_max = seconds,
                                .errors = order->size == 3,
                                .stop = m->orders == m->stop_at_order ? 15 : 0};
    return 0;
}

static inline int record(void *context, const struct beff_record *r, struct message *error)
{
    struct machine *m = context;
    if (m->count == 0)
        m->probes = m->orders - 1;
    if ((int)m->count + 1 == m->fail_at_record)
        return message_set(error, "the disk is full");
    if (m->count == m->room) {
        m->room = 2 * m->room + 1000;
        m->records = realloc(m->records, m->room * sizeof *m->records);
        assert_non_null(m->records);
    }
    m->records[m->count++] = *r;
    return 0;
}

/* A run on a machine, with everything that came of it. */
struct trial {
    struct pattern_list list;
    struct machine machine;
    struct conductor conductor;
    enum conductor_end end;
    struct sweeps sweeps;
    struct rating rating;
    char lines[REDUCED_LINES][REDUCED_SIZE];
    int line_count;
    double stop_at;
};

static inline void run(struct trial *t, const struct machine *machine, int polygons, double stop_at,
                       int64_t most_loops)
{
    struct message error;
    *t = (struct trial){.machine = *machine, .stop_at = stop_at};
    assert_int_equal(patterns_make(&t->list, PROCESSES, polygons, SEED, beff_lmax(MEMORY_MIB)), 0);
    assert_true(t->list.count <= MOST_PATTERNS);
    t->machine.list = &t->list;
    random_start(&t->machine.random, 1, 1);
    struct conductor_world world = {elapsed, perform, record, NULL, &t->machine};
    double resolution = machine->resolution > 0 ? machine->resolution : 1e-8;
    assert_int_equal(conductor_make(&t->conductor, &world, &t->list, stop_at, most_loops, resolution), 0);
    t->end = conductor_run(&t->conductor);
    conductor_reduced(&t->conductor, t->lines);
    while (t->line_count < REDUCED_LINES && t->lines[t->line_count][0])
        t->line_count++;
    if (sweeps_make(&t->sweeps, &t->list, t->machine.records, t->machine.count, &error))
        fail_msg("%s", error.text);
    assert_int_equal(rating_make(&t->rating, &t->sweeps), 0);
}

static inline void finish(struct trial *t)
{
    conductor_free(&t->conductor);
    rating_free(&t->rating);
    sweeps_free(&t->sweeps);
    patterns_free(&t->list);
    free(t->machine.records);
}

/* No measurement begins after the time is up, so that at most one ends after it. */
static inline void assert_in_time(const struct trial *t)
{
    if (t->machine.last_start > t->stop_at || t->machine.time > t->stop_at + t->machine.longest)
        fail_msg("of %g s it took %g, the last measurement from %g on", t->stop_at, t->machine.time,
                 t->machine.last_start);
}

static const struct machine plain = {.latency = 10e-6, .bandwidth = 2e9, .overhead = 40e-6};

#endif
