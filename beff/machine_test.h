/* Made-up machines in virtual time for the tests of the conductor, and what comes of a run on one. */
#ifndef BEFF_MACHINE_TEST_H
#define BEFF_MACHINE_TEST_H

#include "beff/conductor.h"
#include "beff/dominated.h"
#include "beff/rating.h"
#include "common/random.h"
#include "tests/unit.h"

enum { PROCESSES = 4, SEED = 11, MOST_PATTERNS = 64 };

/* What was told of how a run was reduced. */
struct lines {
    char line[8][160];
    int count;
};

struct machine {
    /* What it is like. */
    double latency, bandwidth; /* seconds, bytes per second, of one ring */
    double overhead;           /* seconds per measurement */
    double noise;              /* each measurement takes up to this share longer */
    double hiccup;             /* share of the measurements that take 100 times as long */
    int64_t memory_mib;        /* 0: 1024 */
    int64_t cliff;             /* messages of this size and more are 1000 times as slow; 0: none */
    double resolution;         /* of its clock */
    double slow_method;        /* seconds that an iteration of Alltoallv takes longer */
    double rate, buffer; /* of each process: bytes per second in the long run, and what is let through at once
                            before; 0: as fast as latency and bandwidth say */
    double delay;        /* the buffer recovers only after so many seconds without traffic */
    int jump_every,
        jump_most;     /* the clock jumps in every so manieth measurement, so often in all; 0: never */
    double jump;       /* by so many seconds */
    int stop_at_order; /* a signal comes with this measurement, counted from 1; 0: never */
    int fail_at_order, fail_at_record;
    int stall_at_order; /* this measurement takes `stall` seconds longer than it tells */
    double stall;
    bool once;       /* a simulated one: nothing varies */
    bool other_path; /* ring-1 is faster, and best by Alltoallv */
    int slow_orders; /* so many measurements at the start take half as long again */

    /* What came of it. */
    double time, longest; /* now; the longest measurement */
    double last_start;    /* when the last measurement began */
    int orders, probes;   /* measurements; before the first record */
    int probes_alltoallv;
    double room;     /* in the buffer, bytes */
    int cold, jumps; /* measurements without enough untimed iterations; jumps of the clock */
    int together,
        apart; /* of iterations of more than 20 ms, those with a barrier before the clock, or wrongly not */
    int discarded, dominated;
    struct lines reduced;
    struct protocol notes; /* lines of metadata */
    struct random_stream random;
    struct beff_record *records;
    size_t count, space;
    const struct pattern_list *list;
};

static inline double one_iteration(const struct machine *m, int pattern, enum method method, int size)
{
    static const double factor[METHODS] = {1, 1.3, 0.8};
    double one = factor[method] * (m->latency + (double)m->list->sizes[size] / m->bandwidth);
    if (m->other_path && pattern == 0)
        one *= method == METHOD_ALLTOALLV ? 0.05 : 0.15;
    one *= m->list->patterns[pattern].axes;
    one += method == METHOD_ALLTOALLV ? m->slow_method : 0;
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

/* Time without traffic. */
static inline void rest(struct machine *m, double seconds)
{
    m->time += seconds;
    if (seconds > m->delay)
        m->room = fmin(m->buffer, m->room + m->rate * (seconds - m->delay));
}

/* Seconds of `count` iterations of `one` seconds and so many bytes each: as fast as that while there is room
 * in the buffer, then at the rate. */
static inline double flow(struct machine *m, double one, double bytes, int64_t count)
{
    double natural = one * (double)count, speed = bytes / one;
    if (m->rate == 0)
        return natural;
    if (speed <= m->rate) {
        if (m->delay == 0)
            m->room = fmin(m->buffer, m->room + (m->rate - speed) * natural);
        return natural;
    }
    double fast = fmin(natural, m->room / (speed - m->rate));
    m->room -= fast * (speed - m->rate);
    return fast + (bytes * (double)count - speed * fast) / m->rate;
}

static inline void read_clock(struct machine *m, double *seconds, struct outcome *outcome)
{
    if (m->resolution > 0)
        *seconds = fmax(m->resolution, m->resolution * floor(*seconds / m->resolution));
    if (m->jump_every && m->orders % m->jump_every == 0 && m->jumps < m->jump_most) {
        m->jumps++;
        *seconds += m->jump;
        outcome->clock_jumps = 1;
    }
}

static inline int perform(void *context, const struct order *order, struct outcome *outcome,
                          struct message *error)
{
    struct machine *m = context;
    m->orders++;
    m->probes_alltoallv += m->count == 0 && order->method == METHOD_ALLTOALLV;
    assert_in_range(order->pattern, 0, m->list->count - 1);
    assert_in_range(order->size, 0, BEFF_SIZES - 1);
    assert_true(order->loops >= 1);
    const struct pattern *pattern = &m->list->patterns[order->pattern];
    if (pattern->sendrecv_only)
        assert_int_equal(order->method, METHOD_SENDRECV);
    if (m->orders == m->fail_at_order)
        return message_set(error, "it broke");
    double one = one_iteration(m, order->pattern, order->method, order->size) * (1 + m->noise * share(m));
    one *= m->orders <= m->slow_orders ? 1.5 : 1;
    double bytes = (double)(m->list->sizes[order->size] * pattern->messages) / PROCESSES;
    if (share(m) < m->hiccup)
        one *= 100;
    m->last_start = m->time;
    rest(m, m->overhead);
    double warm = flow(m, one, bytes, order->warmup), seconds = flow(m, one, bytes, order->loops);
    bool together = m->count > 0 && order->warmup > 0 && one > 20e-3;
    m->together += together && order->together;
    m->apart += together != order->together;
    m->cold += m->count > 0 && warm < 1e-3 && one <= 50e-3;
    m->time += warm + seconds + (m->orders == m->stall_at_order ? m->stall : 0);
    m->longest = fmax(m->longest, m->time - m->last_start);
    *outcome = (struct outcome){.errors = order->size == 3, .stop = m->orders == m->stop_at_order ? 15 : 0};
    read_clock(m, &seconds, outcome);
    outcome->t_min = 0.5 * seconds;
    outcome->t_avg = 0.75 * seconds;
    outcome->t_max = seconds;
    return 0;
}

static inline int record(void *context, const struct beff_record *r, double expected, struct message *error)
{
    (void)expected;
    struct machine *m = context;
    if (m->count == 0)
        m->probes = m->orders - 1;
    if ((int)m->count + 1 == m->fail_at_record)
        return message_set(error, "the disk is full");
    if (m->count == m->space) {
        m->space = 2 * m->space + 1000;
        m->records = realloc(m->records, m->space * sizeof *m->records);
        assert_non_null(m->records);
    }
    m->records[m->count++] = *r;
    return 0;
}

static inline int note(void *context, const char *key, const char *value, struct message *error)
{
    struct machine *m = context;
    (void)error;
    assert_int_equal(protocol_keep_meta(&m->notes, key, value), 0);
    m->discarded += strcmp(key, "discarded") == 0;
    if (strcmp(key, "reduced") == 0)
        snprintf(m->reduced.line[m->reduced.count++], sizeof m->reduced.line[0], "%s", value);
    m->dominated += strcmp(key, "dominated") == 0;
    return 0;
}

/* A run on a machine, with everything that came of it. */
struct trial {
    struct pattern_list list;
    struct machine machine;
    struct conductor conductor;
    enum exit_status end;
    bool *dominated;
    struct sweeps sweeps;
    struct rating rating;
    struct lines lines;
    double stop_at;
};

static inline void run(struct trial *t, const struct machine *machine, int polygons, double stop_at,
                       int64_t most_loops)
{
    struct message error;
    *t = (struct trial){.machine = *machine, .stop_at = stop_at};
    assert_int_equal(patterns_make(&t->list, PROCESSES, polygons, SEED,
                                   beff_lmax(machine->memory_mib ? machine->memory_mib : 1024)),
                     0);
    assert_true(t->list.count <= MOST_PATTERNS);
    t->machine.list = &t->list;
    t->machine.room = machine->buffer;
    random_start(&t->machine.random, 1, 1);
    struct conductor_world world = {elapsed, perform, record, note, &t->machine};
    double resolution = machine->resolution > 0 ? machine->resolution : 1e-8;
    assert_int_equal(conductor_make(&t->conductor, &world, &t->list, stop_at, most_loops, resolution), 0);
    t->conductor.once = machine->once;
    t->end = conductor_run(&t->conductor);
    t->lines = t->machine.reduced;
    t->dominated = dominated_read(&t->machine.notes, &t->list, &error);
    if (!t->dominated ||
        sweeps_make(&t->sweeps, &t->list, t->machine.records, t->machine.count, t->dominated, &error))
        fail_msg("%s", error.text);
    assert_int_equal(rating_make(&t->rating, &t->sweeps), 0);
}

static inline void finish(struct trial *t)
{
    conductor_free(&t->conductor);
    rating_free(&t->rating);
    sweeps_free(&t->sweeps);
    patterns_free(&t->list);
    protocol_free(&t->machine.notes);
    free(t->dominated);
    free(t->machine.records);
}

/* No measurement begins after the time is up, so that at most one ends after it. */
static inline void assert_in_time(const struct trial *t)
{
    if (t->machine.last_start > t->stop_at || t->machine.time > t->stop_at + t->machine.longest)
        fail_msg("of %g s it took %g, the last measurement from %g on", t->stop_at, t->machine.time,
                 t->machine.last_start);
}

/* The order of the rings at a size in a repetition of the first pass: always as drawn from the seed, whatever
 * is left out for want of time. */
static inline void assert_order(const struct trial *t, const struct trial *whole, int64_t rep, int64_t bytes)
{
    const struct trial *both[] = {t, whole};
    int rings[2][BEFF_RING_PATTERNS * METHODS] = {{0}}, count[2] = {0};
    for (int i = 0; i < 2; i++)
        for (const struct beff_record *r = both[i]->machine.records;
             r < both[i]->machine.records + both[i]->machine.count; r++) {
            int ring = pattern_find(&t->list, r->pattern), *seen = rings[i];
            bool again = count[i] > 0 && seen[count[i] - 1] == ring;
            if (r->pass == 1 && r->rep == rep && r->bytes == bytes && ring < BEFF_RING_PATTERNS && !again)
                seen[count[i]++] = ring;
        }
    assert_int_equal(count[1], BEFF_RING_PATTERNS);
    for (int i = 0, k = 0; i < count[0]; i++) {
        while (k < count[1] && rings[1][k] != rings[0][i])
            k++;
        assert_true(k < count[1]);
    }
}

static const struct machine plain = {.latency = 10e-6, .bandwidth = 2e9, .overhead = 40e-6};

#endif
