/* The conductor on made-up machines whose true speed is known: what it records must not be better than that,
 * whatever buffers, methods or clocks do, and a short run must give what a long one gives. */
#include <inttypes.h>
#include <limits.h>

#include "beff/machine_test.h"
#include "beff/spread.h"

/* ---- buffers ---- */

/* The highest bandwidth of a process at any size beyond the long-run rate, as a share of it. */
static double excess(const struct trial *t, int *size)
{
    static const struct spread_of all = {-1, true, true, METHODS};
    double most = -1;
    for (int s = 0; s < BEFF_SIZES; s++) {
        double value = spread_at(&t->sweeps, &t->rating, &all, s).value;
        double over = value * 1e6 / PROCESSES / t->machine.rate - 1;
        if (over > most) {
            most = over;
            *size = s;
        }
    }
    return most;
}

/* By the definition, of a process: what the rate and the latency allow in the long run; every pattern takes
 * as long for an iteration, however many messages it has. */
static double allowed(const struct trial *t, int size)
{
    double logs[2] = {0}, count[2] = {0};
    for (int p = 0; p < t->list.count && t->list.patterns[p].rated; p++) {
        double bytes = (double)(t->list.sizes[size] * t->list.patterns[p].messages) / PROCESSES;
        double one = one_iteration(&t->machine, p, METHOD_NONBLOCKING, size);
        bool random = t->list.patterns[p].kind == PATTERN_RANDOM;
        logs[random] += log(bytes / fmax(one, bytes / t->machine.rate));
        count[random]++;
    }
    return exp((logs[0] / count[0] + logs[1] / count[1]) / 2);
}

/* Not below that by more than its noise either. */
static void check_no_loss(const struct trial *t, const char *what, double latency)
{
    static const struct spread_of all = {-1, true, true, METHODS};
    for (int s = 0; s < BEFF_SIZES; s++) {
        double share = spread_at(&t->sweeps, &t->rating, &all, s).value * 1e6 / PROCESSES / allowed(t, s);
        if (share < 0.97 || share > 1.03)
            fail_msg("%s, latency %g: %" PRId64 " B is %.3f times what is possible", what, latency,
                     t->list.sizes[s], share);
    }
}

static void check_no_excess(const struct machine *machine, const char *what, double latency)
{
    static const double seconds[] = {180, 60, 20, 10};
    struct machine m = *machine;
    double b_eff = 0;
    m.latency = latency;
    for (size_t i = 0; i < COUNT(seconds); i++) {
        int worst = 0;
        struct trial t;
        run(&t, &m, 30, seconds[i], INT64_MAX);
        double over = excess(&t, &worst);
        if (over > 0.03)
            fail_msg("%s, latency %g, %g s: %" PRId64 " B is %.1f %% above the rate", what, latency,
                     seconds[i], t.list.sizes[worst], 100 * over);
        if (i == 0)
            b_eff = t.rating.figures.b_eff;
        if (i == 0)
            check_no_loss(&t, what, latency);
        if (!(fabs(t.rating.figures.b_eff / b_eff - 1) < 0.03))
            fail_msg("%s, latency %g: %g MB/s in %g s, %g in %g s", what, latency, t.rating.figures.b_eff,
                     seconds[i], b_eff, seconds[0]);
        finish(&t);
    }
}

/* A link shaped to 25 MB/s that lets 32 kB through at once, on a wire of 125 MB/s. */
static void is_not_above_a_token_bucket(void **state)
{
    (void)state;
    static const struct machine link = {.bandwidth = 125e6,
                                        .overhead = 60e-6,
                                        .rate = 25e6,
                                        .buffer = 32768,
                                        .noise = 0.02,
                                        .memory_mib = 128};
    for (double latency = 5e-6; latency < 100e-6; latency *= 1.15)
        check_no_excess(&link, "token bucket", latency);
}

/* A cache of 1 MiB that takes 8 GB/s, is written back at 1 GB/s, and begins with that only after a pause. */
static void is_not_above_a_write_back_cache(void **state)
{
    (void)state;
    static const struct machine cache = {
        .bandwidth = 8e9, .overhead = 60e-6, .rate = 1e9, .buffer = 1 << 20, .delay = 30e-6, .noise = 0.02};
    for (double latency = 0.5e-6; latency < 8e-6; latency *= 1.3)
        check_no_excess(&cache, "write-back cache", latency);
}

/* ---- a method that costs a second ---- */

static void leaves_out_a_dominated_method(void **state)
{
    (void)state;
    struct machine slow = plain, none = plain;
    struct trial t, expected;
    slow.slow_method = 1;
    run(&t, &slow, 6, 400, INT64_MAX);
    run(&expected, &none, 6, 400, INT64_MAX);
    assert_int_equal(t.end, EXIT_RATED);
    assert_in_time(&t);
    assert_true(t.rating.whole >= 1);
    assert_int_equal(t.lines.count, 0);
    /* Its first size is measured, in each class; the others are said to be left out, and are not there. */
    assert_int_equal(t.machine.dominated, (t.list.classes - 1) * (BEFF_SIZES - 1));
    for (int p = 0; p < t.list.count - 1; p++) /* the last one, ping-pong, has Sendrecv alone */
        for (int s = 0; s < BEFF_SIZES; s++)
            assert_int_equal(isfinite(rating_cell(&t.rating, p, METHOD_ALLTOALLV, s)), s == 0);
    assert_nan(t.rating.figures.method[METHOD_ALLTOALLV]);
    assert_true(isfinite(t.rating.figures.method[METHOD_SENDRECV]));
    /* It is never the best one here: b_eff is the same without it. */
    assert_near(t.rating.figures.b_eff, expected.rating.figures.b_eff, 1e-6);
    finish(&t);
    finish(&expected);
}

/* Where it is as good as the others from some size on, it stays. */
static void keeps_a_method_that_catches_up(void **state)
{
    (void)state;
    struct machine slow = plain;
    struct trial t;
    slow.slow_method = 6e-3; /* where the others take 8 microseconds at first, and 3.4 ms at the end */
    run(&t, &slow, 6, 120, INT64_MAX);
    assert_true(t.rating.whole >= 1);
    for (int p = 0; p < t.list.count - 1; p++) {
        double before = 0; /* where it was measured last */
        for (int s = 0; s < BEFF_SIZES; s++) {
            bool dominated = before > 2 * one_iteration(&t.machine, p, METHOD_NONBLOCKING, s);
            assert_int_equal(isnan(rating_cell(&t.rating, p, METHOD_ALLTOALLV, s)), dominated);
            before = dominated ? before : one_iteration(&t.machine, p, METHOD_ALLTOALLV, s);
        }
        assert_true(isfinite(rating_cell(&t.rating, p, METHOD_ALLTOALLV, BEFF_SIZES - 1)));
    }
    finish(&t);
}

/* A short run with such a method still has all sizes. */
static void reduces_a_run_with_a_slow_method(void **state)
{
    (void)state;
    struct machine slow = plain;
    struct trial t, expected;
    slow.slow_method = 1;
    run(&expected, &plain, 30, 180, INT64_MAX);
    run(&t, &slow, 30, 20, INT64_MAX);
    assert_in_time(&t);
    assert_true(t.lines.count > 0);
    assert_near(t.rating.figures.b_eff, expected.rating.figures.b_eff, 0.03);
    finish(&t);
    finish(&expected);
}

/* Where a ring has another best method than the polygons, a short run finds it. */
static void finds_the_best_method_of_each_path(void **state)
{
    (void)state;
    struct machine machine = plain;
    struct trial t, expected;
    int shortened = 0;
    machine.other_path = true;
    run(&expected, &machine, 30, 180, INT64_MAX);
    for (double seconds = 2; seconds > 1.3; seconds -= 0.1) {
        run(&t, &machine, 30, seconds, INT64_MAX);
        assert_in_time(&t);
        assert_int_equal(t.conductor.reduced.repetitions, 1);
        shortened += t.conductor.reduced.shortened > 0;
        for (int s = 1; s < BEFF_SIZES; s++) /* of the first one nothing is known beforehand */
            assert_true(isfinite(rating_cell(&t.rating, 0, METHOD_ALLTOALLV, s)));
        assert_near(t.rating.figures.b_eff, expected.rating.figures.b_eff, 1e-6);
        finish(&t);
    }
    assert_true(shortened > 1);
    finish(&expected);
}

/* A run without a rating says how long it would have taken; with a quarter more there is one. None
 * is planned so short that it has to be made again. */
static void says_how_long_it_takes(void **state)
{
    (void)state;
    static const struct machine rows[] = {
        {.latency = 10e-6, .bandwidth = 2e9, .overhead = 40e-6},
        {.latency = 100e-6, .bandwidth = 10e6, .overhead = 40e-6, .memory_mib = 1},
        {.latency = 10e-6, .bandwidth = 30e6, .overhead = 40e-6, .memory_mib = 128},
    };
    int missed = 0;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (double seconds = 0.4; seconds < 5; seconds *= 1.2) {
            struct trial t, again;
            double needed = 0;
            run(&t, &rows[i], 30, seconds, INT64_MAX);
            assert_true(i > 0 || t.machine.discarded == 0); /* its probes tell all */
            for (int l = 0; l < t.lines.count; l++)
                sscanf(t.lines.line[l],
                       "the time is too short: reduced as far as allowed, measuring takes about %lf",
                       &needed);
            assert_int_equal(needed > 0, isnan(t.rating.figures.b_eff));
            if (needed > 0) {
                missed++;
                run(&again, &rows[i], 30, 1.25 * needed, INT64_MAX);
                if (isnan(again.rating.figures.b_eff))
                    fail_msg("machine %zu: %g s, no rating in %g s", i, seconds, 1.25 * needed);
                finish(&again);
            }
            finish(&t);
        }
    assert_true(missed > 10);
}

/* ---- clocks ---- */

/* b_eff of a machine by its own figures: every measurement is as long as it says. */
static void check_clock(double jump, int every, int most, int discarded)
{
    struct machine m = plain;
    struct trial t, expected;
    m.jump_every = every;
    m.jump_most = most;
    m.jump = jump;
    run(&t, &m, 6, 40, INT64_MAX);
    run(&expected, &plain, 6, 40, INT64_MAX);
    assert_int_equal(t.end, EXIT_RATED);
    assert_int_equal(t.machine.jumps, most);
    assert_int_equal(t.machine.discarded, discarded);
    for (size_t i = 0; i < t.machine.count; i++)
        assert_int_equal(t.machine.records[i].clock_jumps, 0);
    assert_near(t.rating.figures.b_eff, expected.rating.figures.b_eff, 1e-6);
    finish(&t);
    finish(&expected);
}

static void measures_again_when_the_clock_jumped(void **state)
{
    (void)state;
    check_clock(1, 101, 12, 12);    /* forward by a second */
    check_clock(-1, 103, 12, 12);   /* back */
    check_clock(-3.5e-3, 97, 5, 5); /* as if nearly no time had passed */
}

/* One that jumps each time: three attempts, and the last one says so. */
static void records_a_clock_that_never_behaves(void **state)
{
    (void)state;
    struct machine m = plain;
    struct trial t;
    m.jump_every = 1;
    m.jump_most = INT_MAX;
    m.jump = 2e-3;
    run(&t, &m, 2, 20, INT64_MAX);
    assert_true(t.machine.count > 100);
    for (size_t i = 0; i < t.machine.count; i++)
        assert_int_equal(t.machine.records[i].clock_jumps, 1);
    assert_true(t.machine.discarded >= (int)t.machine.count);
    finish(&t);
}

static void fails_where_the_clock_stands_still(void **state)
{
    (void)state;
    struct machine m = plain;
    struct trial t;
    m.jump_every = 1;
    m.jump_most = INT_MAX;
    m.jump = -1e3;
    run(&t, &m, 2, 20, INT64_MAX);
    assert_int_equal(t.end, EXIT_ERRORS);
    assert_contains(t.conductor.error.text, "the clock stood still or went back");
    assert_int_equal(t.machine.count, 0);
    finish(&t);
}

/* What was planned too short, because an iteration was faster than expected, is made again. */
static void measures_again_what_was_too_short(void **state)
{
    (void)state;
    struct machine rough = plain;
    struct trial t;
    rough.noise = 2;
    rough.hiccup = 0.01;
    run(&t, &rough, 3, 60, INT64_MAX);
    size_t brief = 0;
    for (size_t i = 0; i < t.machine.count; i++)
        brief += t.machine.records[i].t_max < 2e-3;
    assert_true(t.machine.discarded > 10);
    if ((double)brief > 0.05 * (double)t.machine.count)
        fail_msg("%zu of %zu records are shorter than 2 ms", brief, t.machine.count);
    finish(&t);
}

/* docs/definition.md 1.5: with a barrier between untimed and timed iterations, and only there. */
static void starts_long_iterations_together(void **state)
{
    (void)state;
    struct machine slow = plain;
    struct trial t;
    slow.latency = 16e-3;
    run(&t, &slow, 5, 200, INT64_MAX);
    assert_true(t.machine.together > 500 && t.machine.apart == 0);
    finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_long_iterations_together),
        cmocka_unit_test(is_not_above_a_token_bucket),
        cmocka_unit_test(is_not_above_a_write_back_cache),
        cmocka_unit_test(leaves_out_a_dominated_method),
        cmocka_unit_test(keeps_a_method_that_catches_up),
        cmocka_unit_test(reduces_a_run_with_a_slow_method),
        cmocka_unit_test(finds_the_best_method_of_each_path),
        cmocka_unit_test(says_how_long_it_takes),
        cmocka_unit_test(measures_again_when_the_clock_jumped),
        cmocka_unit_test(records_a_clock_that_never_behaves),
        cmocka_unit_test(fails_where_the_clock_stands_still),
        cmocka_unit_test(measures_again_what_was_too_short),
    };
    return cmocka_run_group_tests_name("truth", tests, NULL, NULL);
}
