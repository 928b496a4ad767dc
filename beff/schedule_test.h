/* What the tests of the time plan share: a list of patterns, and a machine of which everything is probed. */
#ifndef BEFF_SCHEDULE_TEST_H
#define BEFF_SCHEDULE_TEST_H

#include "beff/schedule.h"

#include "tests/unit.h"

enum { PROCESSES = 8, POLYGONS = 10, LMAX = 8388608, MOST_PATTERNS = 64 };

struct fixture {
    struct pattern_list list;
    struct schedule schedule;
    uint32_t order[MOST_PATTERNS];
    struct position start;
};

static inline int set_up(void **state)
{
    static struct fixture f;
    assert_int_equal(patterns_make(&f.list, PROCESSES, POLYGONS, 1, LMAX), 0);
    assert_int_equal(schedule_make(&f.schedule, &f.list), 0);
    f.schedule.resolution = 1e-8;
    for (int i = 0; i < f.list.count; i++)
        f.order[i] = (uint32_t)i;
    f.start = (struct position){1, 0, f.order, 0};
    *state = &f;
    return 0;
}

static inline int tear_down(void **state)
{
    struct fixture *f = *state;
    schedule_free(&f->schedule);
    patterns_free(&f->list);
    return 0;
}

/* A machine of which everything is probed: 10 microseconds and 1 GB/s; methods differ a little, and which one
 * is the best depends on the size. */
static inline double true_seconds(const struct fixture *f, int method, int size)
{
    static const double latency[METHODS] = {10e-6, 20e-6, 15e-6}, bandwidth[METHODS] = {1e9, 1.2e9, 0.9e9};
    return latency[method] + (double)f->list.sizes[size] / bandwidth[method];
}

static inline void probe_all(struct fixture *f)
{
    int sizes[BEFF_SIZES];
    double seconds[BEFF_SIZES];
    for (int m = 0; m < METHODS; m++) {
        for (int s = 0; s < BEFF_SIZES; s++) {
            sizes[s] = s;
            seconds[s] = true_seconds(f, m, s);
        }
        schedule_probe(&f->schedule, (enum method)m, sizes, seconds, BEFF_SIZES);
    }
    f->schedule.overhead = 50e-6;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
