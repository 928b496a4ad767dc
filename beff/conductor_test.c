/* The conductor on made-up machines in virtual time: it must end in time whatever the machine is like,
 * measure every cell as often as the definition says where there is time for it, and reduce in the given
 * order where there is not. */
#include <inttypes.h>

#include "beff/machine_test.h"

/* ---- time enough ---- */

static void makes_whole_passes(void **state)
{
    (void)state;
    struct trial t;
    run(&t, &plain, 5, 120, INT64_MAX);
    assert_int_equal(t.end, EXIT_RATED);
    assert_in_time(&t);
    assert_true(t.machine.time <= t.stop_at);
    assert_true(t.machine.time > 0.99 * t.stop_at);
    assert_true(t.rating.whole >= 3);
    /* All sweeps but the last are complete: each cell once in each (twice would have been refused). */
    for (int i = 0; i < t.sweeps.count; i++) {
        assert_int_equal(t.sweeps.sweep[i].pass, i / 3 + 1);
        assert_int_equal(t.sweeps.sweep[i].rep, i % 3 + 1);
        assert_true(t.sweeps.sweep[i].complete || i == t.sweeps.count - 1);
    }
    assert_true(isfinite(t.rating.figures.b_eff));
    assert_true(t.sweeps.complete >= 6);
    assert_true(t.machine.cold < 0.01 * (double)t.machine.count);
    if (t.lines.count)
        fail_msg("reduced: %s", t.lines.line[0]);
    finish(&t);
}

static void records_what_was_measured(void **state)
{
    (void)state;
    struct trial t;
    run(&t, &plain, 5, 60, INT64_MAX);
    for (size_t i = 0; i < t.machine.count; i++) {
        const struct beff_record *r = &t.machine.records[i];
        const struct pattern *pattern = &t.list.patterns[pattern_find(&t.list, r->pattern)];
        assert_int_equal(r->messages, pattern->messages);
        assert_close(r->t_min, 0.5 * r->t_max);
        assert_close(r->t_avg, 0.75 * r->t_max);
        assert_int_equal(r->errors, r->bytes == 8);
        assert_close(r->bandwidth, (double)(r->bytes * r->messages * r->loops) / r->t_max / 1e6);
    }
    finish(&t);
}

/* docs/definition.md 1.5: 2.5 to 5 ms at every size; one loop where a single iteration takes longer. */
static void measures_for_2_5_to_5_ms(void **state)
{
    (void)state;
    struct machine rough = plain;
    rough.noise = 0.1;
    const struct machine *const machines[] = {&plain, &rough};
    for (size_t k = 0; k < COUNT(machines); k++) {
        struct trial t;
        run(&t, machines[k], 5, 60, INT64_MAX);
        size_t within = 0;
        for (size_t i = 0; i < t.machine.count; i++) {
            const struct beff_record *r = &t.machine.records[i];
            bool long_one = r->loops == 1 && r->t_max > 2.5e-3;
            within += long_one || (r->t_max >= 2.5e-3 && r->t_max <= 5e-3);
        }
        if ((double)within < 0.95 * (double)t.machine.count)
            fail_msg("machine %zu: %zu of %zu measurements take 2.5 to 5 ms", k, within, t.machine.count);
        finish(&t);
    }
}

/* In a repetition the sizes ascend; at a size the rated patterns come first, each with all its methods, in an
 * order that is another one for each size and repetition. */
static void sweeps_in_order(void **state)
{
    (void)state;
    struct trial t;
    run(&t, &plain, 5, 60, INT64_MAX);
    int seen[3][BEFF_SIZES] = {{0}}, same = 0, pairs = 0;
    char orders[3][BEFF_SIZES][MOST_PATTERNS];
    const struct beff_record *before = NULL;
    for (size_t i = 0; i < t.machine.count && t.machine.records[i].pass == 1; i++) {
        const struct beff_record *r = &t.machine.records[i];
        int size = pattern_find_size(&t.list, r->bytes), pattern = pattern_find(&t.list, r->pattern);
        assert_true(!before || r->rep > before->rep || (r->rep == before->rep && r->bytes >= before->bytes));
        bool next = !before || before->bytes != r->bytes || strcmp(before->pattern, r->pattern) != 0;
        if (next && before && before->bytes == r->bytes)
            assert_true(t.list.patterns[pattern].rated <=
                        t.list.patterns[pattern_find(&t.list, before->pattern)].rated);
        if (next)
            orders[r->rep - 1][size][seen[r->rep - 1][size]++] = (char)pattern;
        before = r;
    }
    for (int rep = 0; rep < 3; rep++)
        for (int s = 0; s < BEFF_SIZES; s++) {
            assert_int_equal(seen[rep][s], t.list.count); /* each only once */
            for (int s2 = 0; rep + 1 < 3 && s2 < BEFF_SIZES; s2++, pairs++)
                same += memcmp(orders[rep][s], orders[rep + 1][s2], (size_t)t.list.count) == 0;
        }
    assert_true(same == 0 && pairs > 800);
    finish(&t);
}

/* docs/definition.md 1.8: each cell in one iteration, and then the end, whatever time there is. */
static void measures_a_simulated_machine_once(void **state)
{
    (void)state;
    struct trial t;
    struct machine simulated = plain;
    simulated.once = true;
    run(&t, &simulated, 5, 3600, 1);
    int cells = 0;
    for (int p = 0; p < t.list.count; p++)
        cells += (t.list.patterns[p].sendrecv_only ? 1 : METHODS) * BEFF_SIZES;
    assert_int_equal(t.end, EXIT_RATED);
    assert_int_equal(t.machine.count, cells);
    assert_int_equal(t.machine.orders, t.machine.probes + cells);
    for (size_t i = 0; i < t.machine.count; i++)
        assert_int_equal(t.machine.records[i].loops, 1);
    assert_int_equal(t.rating.whole, 0);
    assert_true(isfinite(t.rating.figures.b_eff));
    assert_true(t.machine.time < 60);
    assert_int_equal(t.lines.count, 1); /* 1 repetition */
    finish(&t);
}

/* On many processes each probe of Alltoallv takes seconds. */
static void probes_no_dominated_method(void **state)
{
    (void)state;
    struct trial fast, slow;
    struct machine machine = plain;
    run(&fast, &machine, 5, 60, INT64_MAX);
    machine.slow_method = 0.1;
    run(&slow, &machine, 5, 60, INT64_MAX);
    assert_true(fast.machine.probes_alltoallv >= 7);
    assert_in_range(slow.machine.probes_alltoallv, 1, 3);
    finish(&fast);
    finish(&slow);
}

static void keeps_to_the_most_loops(void **state)
{
    (void)state;
    struct trial t;
    run(&t, &plain, 2, 60, 300);
    for (size_t i = 0; i < t.machine.count; i++)
        assert_true(t.machine.records[i].loops <= 300);
    assert_true(t.rating.whole >= 1);
    assert_int_equal(t.lines.count, 0); /* the paper's own rule is no reduction */
    assert_int_equal(t.machine.discarded, 0);
    finish(&t);
}

static void minds_a_coarse_clock(void **state)
{
    (void)state;
    struct machine coarse = plain;
    struct trial t;
    coarse.resolution = 1e-3;
    run(&t, &coarse, 2, 120, INT64_MAX);
    assert_in_time(&t);
    assert_true(t.rating.whole >= 1);
    for (size_t i = 0; i < t.machine.count; i++)
        if (t.machine.records[i].t_max < 3e-3) /* three ticks */
            fail_msg("%s with %" PRId64 " B: %" PRId64 " loops, %g s", t.machine.records[i].pattern,
                     t.machine.records[i].bytes, t.machine.records[i].loops, t.machine.records[i].t_max);
    finish(&t);
}

/* ---- time too short ---- */

/* What the lines say must fit what the records show. */
static void check_reduced(const struct trial *t)
{
    const struct reduced *n = &t->conductor.reduced;
    if ((t->rating.whole == 0) != (t->lines.count > 0))
        fail_msg("%g s: %d whole passes, and \"%s\"", t->stop_at, t->rating.whole, t->lines.line[0]);
    /* The order of reduction. */
    if (n->polygons < n->all_polygons)
        assert_true(n->analysis > 0 && n->polygons >= PATTERN_LEAST_POLYGONS);
    if (n->best_only)
        assert_int_equal(n->polygons, PATTERN_LEAST_POLYGONS);
    if (n->shortened) {
        assert_true(n->best_only > 0 && n->repetitions <= 1);
        assert_true(n->shortest >= 1e-3 && n->shortest < TUNING_TARGET);
    }
    /* As long as all sizes could be measured there is a rating. */
    if (n->repetitions > 0 && isnan(t->rating.figures.b_eff))
        fail_msg("%g s: no b_eff: %s", t->stop_at, t->rating.missing);
}

static void reduces_in_the_given_order(void **state)
{
    (void)state;
    int analysis = 0, polygons = 0, best_only = 0, repetitions = 0, shortened = 0, sizes = 0, whole = 0;
    for (double stop_at = 60; stop_at > 0.5; stop_at *= 0.8) {
        struct trial t;
        run(&t, &plain, 12, stop_at, INT64_MAX);
        const struct reduced *n = &t.conductor.reduced;
        assert_int_equal(t.end, EXIT_RATED);
        assert_in_time(&t);
        check_reduced(&t);
        whole += t.rating.whole > 0;
        analysis += n->analysis > 0;
        polygons += n->polygons < 12;
        best_only += n->best_only > 0;
        repetitions += n->repetitions < 3;
        shortened += n->shortened > 0;
        sizes += n->left_out > 0;
        finish(&t);
    }
    assert_true(whole && analysis && polygons && best_only && repetitions && shortened && sizes);
    assert_true(analysis >= polygons && polygons >= best_only && repetitions >= shortened);
}

/* The number of polygons stays what it was at the start: those have all sizes, the others none. */
static void keeps_the_number_of_polygons(void **state)
{
    (void)state;
    struct trial t;
    run(&t, &plain, 20, 14, INT64_MAX);
    const struct reduced *n = &t.conductor.reduced;
    assert_true(n->polygons < 20);
    for (int p = 0; p < t.list.count; p++)
        for (int s = 0; s < BEFF_SIZES && t.list.patterns[p].kind == PATTERN_RANDOM; s++)
            assert_int_equal(isfinite(rating_cell(&t.rating, p, METHODS, s)),
                             t.list.patterns[p].number <= n->polygons);
    assert_contains(t.lines.line[1], "random polygons: ");
    assert_true(isfinite(t.rating.figures.b_eff));
    finish(&t);
}

/* With less than a whole pass needs the time is used, not left. */
static void uses_the_time_it_has(void **state)
{
    (void)state;
    static const double rows[] = {4, 7, 12, 20};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct trial t;
        run(&t, &plain, 10, rows[i], INT64_MAX);
        if (t.machine.time < 0.7 * rows[i])
            fail_msg("%g of %g s were used", t.machine.time, rows[i]);
        finish(&t);
    }
}

/* ---- odd machines ---- */

/* What a size counts in the mean (bytes that a process sends per second) for its time, by which what is left
 * after whole repetitions is spent. */
static double worth(const struct trial *t, int size, double *cost)
{
    double one = one_iteration(&t->machine, BEFF_RING_PATTERNS, METHOD_NONBLOCKING, size);
    double speed = 2 * (double)t->list.sizes[size] / one, relative = speed / t->conductor.schedule.sustained;
    double warm = one > SCHEDULE_COLD ? 0 : fmax(one, TUNING_WARM);
    /* Each measurement lets a buffer recover that the next one may find. */
    bool recovers = relative >= TUNING_NEAR && relative < TUNING_SLOWER;
    *cost = t->machine.overhead + fmax(one, TUNING_TARGET) + (recovers ? TUNING_LONG_WARM : warm);
    return speed / *cost;
}

static void spends_what_is_left_where_it_counts(void **state)
{
    (void)state;
    struct machine slow = plain;
    slow.bandwidth = 30e6;
    int partial = 0;
    struct trial whole, t;
    run(&whole, &plain, 6, 60, INT64_MAX);
    for (double seconds = 10; seconds < 30; seconds++) {
        run(&t, &slow, 6, seconds, INT64_MAX);
        assert_in_time(&t);
        for (int i = 1; i < t.sweeps.count && t.rating.whole == 0; i++) {
            bool measured[BEFF_SIZES] = {false};
            for (size_t k = 0; k < t.machine.count; k++)
                if (t.machine.records[k].rep == t.sweeps.sweep[i].rep)
                    measured[pattern_find_size(&t.list, t.machine.records[k].bytes)] = true;
            int first = BEFF_SIZES - 1; /* that is missing: until then all were still expected to fit */
            for (int size = first; size >= 0; size--)
                first = measured[size] ? first : size;
            partial += !measured[first];
            for (int taken = first; taken < BEFF_SIZES; taken++)
                for (int left = first; left < BEFF_SIZES; left++) {
                    double cost, other, best = worth(&t, left, &other);
                    best *= measured[taken] && !measured[left];
                    if (best > 3 * worth(&t, taken, &cost) && other <= cost)
                        fail_msg("%g s: size %d was measured in place of %d", seconds, taken, left);
                }
            for (int s = 0; s < BEFF_SIZES; s++)
                assert_order(&t, &whole, t.sweeps.sweep[i].rep, t.list.sizes[s]);
        }
        finish(&t);
    }
    finish(&whole);
    assert_true(partial > 3);
}

/* Probes that take half as long again as what comes later must not reduce a run that has time enough, and a
 * twentieth to spare. */
static void doubts_its_probes(void **state)
{
    (void)state;
    struct machine calm = plain, slow;
    double enough = 50;
    calm.bandwidth = 30e6;
    slow = calm;
    slow.slow_orders = 60;
    for (int reduced = 1; reduced; enough += 10) {
        struct trial t;
        run(&t, &calm, 30, enough, INT64_MAX);
        reduced = t.lines.count;
        finish(&t);
    }
    struct trial t;
    enough *= 1.05;
    run(&t, &slow, 30, enough, INT64_MAX);
    if (t.lines.count)
        fail_msg("%g s: reduced: %s", enough, t.lines.line[0]);
    finish(&t);
}

/* A buffer on the way that helps the probes of small messages and not the messages, which take several times
 * as long, must not reduce a run that has time enough for a pass, with a quarter to spare. */
static void knows_large_messages_by_their_probes(void **state)
{
    (void)state;
    static const struct machine link = {
        .bandwidth = 125e6, .overhead = 60e-6, .rate = 25e6, .buffer = 32768, .memory_mib = 128};
    for (double latency = 5e-6; latency < 100e-6; latency *= 1.5) {
        struct machine m = link;
        struct trial t, again;
        m.latency = latency;
        run(&t, &m, 30, 1000, INT64_MAX);
        double pass = t.machine.time / (double)t.rating.whole; /* a little more, as a pass was begun */
        finish(&t);
        run(&again, &m, 30, 1.25 * pass, INT64_MAX);
        if (again.lines.count)
            fail_msg("%g s for a pass of %g s: reduced: %s", 1.25 * pass, pass, again.lines.line[0]);
        finish(&again);
    }
}

/* One stall before there is anything to compare it with must not reduce a run that has time enough. */
static void forgives_a_stall_at_the_start(void **state)
{
    (void)state;
    struct machine stalls = plain;
    stalls.stall = 0.3;
    for (stalls.stall_at_order = 50; stalls.stall_at_order < 400; stalls.stall_at_order += 50) {
        struct trial t;
        run(&t, &stalls, 30, 60, INT64_MAX);
        if (t.lines.count)
            fail_msg("stalled at %d: reduced: %s", stalls.stall_at_order, t.lines.line[0]);
        finish(&t);
    }
}

static void ends_in_time_on_any_machine(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        struct machine machine;
    } rows[] = {
        {"fast", {.latency = 0.3e-6, .bandwidth = 20e9, .overhead = 5e-6}},
        {"noisy", {.latency = 10e-6, .bandwidth = 2e9, .overhead = 40e-6, .noise = 2}},
        {"hiccups", {.latency = 10e-6, .bandwidth = 2e9, .overhead = 40e-6, .noise = 0.5, .hiccup = 0.01}},
        {"100 times slower", {.latency = 1e-3, .bandwidth = 20e6, .overhead = 4e-3}},
        {"oversubscribed", {.latency = 20e-3, .bandwidth = 500e6, .overhead = 50e-3, .noise = 3}},
        {"a cliff that no probe shows",
         {.latency = 10e-6, .bandwidth = 2e9, .overhead = 40e-6, .cliff = 30000}},
        {"a slow barrier", {.latency = 10e-6, .bandwidth = 2e9, .overhead = 20e-3}},
        {"one iteration outlasts most", {.latency = 0.5, .bandwidth = 1e9, .overhead = 1e-3}},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (double stop_at = 2; stop_at < 30; stop_at *= 10) {
            struct trial t;
            run(&t, &rows[i].machine, 3, stop_at, INT64_MAX);
            assert_int_equal(t.end, EXIT_RATED);
            if (t.machine.last_start > stop_at)
                print_error("%s\n", rows[i].what);
            assert_in_time(&t);
            finish(&t);
        }
}

/* A message of Lmax that takes longer than there is time: it is not begun, it is named, and there is no
 * b_eff. */
static void leaves_out_what_outlasts_the_time(void **state)
{
    (void)state;
    struct machine slow = {.latency = 10e-6, .bandwidth = 0.8e6, .overhead = 40e-6}; /* Lmax takes 10 s */
    for (double stop_at = 2; stop_at <= 8; stop_at *= 2) {
        struct trial t;
        run(&t, &slow, 3, stop_at, INT64_MAX);
        assert_int_equal(t.end, EXIT_RATED);
        assert_true(t.machine.time <= stop_at);
        assert_nan(t.rating.figures.b_eff);
        assert_true(*t.rating.missing);
        assert_true(t.conductor.reduced.left_out > 0);
        bool told = false;
        for (int i = 0; i < t.lines.count; i++)
            told |= strstr(t.lines.line[i], "left out for want of time") != NULL;
        assert_true(told);
        /* The small sizes of all rated patterns were measured nevertheless. */
        for (int p = 0; p < t.list.count; p++)
            for (int s = 0; s < 13; s++)
                if (t.list.patterns[p].rated && !isfinite(rating_cell(&t.rating, p, METHODS, s)))
                    fail_msg("%g s: %s with %" PRId64 " B is missing", stop_at, t.list.patterns[p].id,
                             t.list.sizes[s]);
        finish(&t);
    }
}

static void measures_nothing_when_the_time_is_up(void **state)
{
    (void)state;
    struct machine late = plain;
    struct trial t;
    late.time = 10;
    run(&t, &late, 3, 5, INT64_MAX);
    assert_int_equal(t.end, EXIT_RATED);
    assert_int_equal(t.machine.count, 0);
    assert_string_equal(t.lines.line[t.lines.count - 1],
                        "the time is too short: it was up before anything could be measured");
    assert_true(t.machine.orders <= 20);
    assert_true(t.machine.time < 10.1);
    finish(&t);
}

/* ---- signals and failures ---- */

static void ends_at_a_signal_or_failure(void **state)
{
    (void)state;
    static const int rows[] = {1, 5, 100, 5000};
    for (size_t i = 0; i < 2 * COUNT(rows); i++) {
        struct machine m = plain;
        struct trial t;
        bool signal = i % 2;
        m.stop_at_order = signal ? rows[i / 2] : 0;
        m.fail_at_order = signal ? 0 : rows[i / 2];
        run(&t, &m, 3, 60, INT64_MAX);
        assert_int_equal(t.end, signal ? EXIT_STOPPED : EXIT_ERRORS);
        assert_int_equal(t.conductor.stop, signal ? 15 : 0);
        assert_string_equal(t.conductor.error.text, signal ? "stopped by signal 15" : "it broke");
        assert_int_equal(t.machine.orders, rows[i / 2]); /* nothing is measured after it */
        finish(&t);
    }
}

static void ends_when_a_record_can_not_be_kept(void **state)
{
    (void)state;
    struct machine m = plain;
    struct trial t;
    m.fail_at_record = 50;
    run(&t, &m, 3, 60, INT64_MAX);
    assert_int_equal(t.end, EXIT_ERRORS);
    assert_string_equal(t.conductor.error.text, "the disk is full");
    assert_int_equal(t.machine.count, 49);
    assert_int_equal(t.machine.orders - t.machine.probes, 50);
    finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_whole_passes),
        cmocka_unit_test(records_what_was_measured),
        cmocka_unit_test(measures_for_2_5_to_5_ms),
        cmocka_unit_test(sweeps_in_order),
        cmocka_unit_test(measures_a_simulated_machine_once),
        cmocka_unit_test(probes_no_dominated_method),
        cmocka_unit_test(keeps_to_the_most_loops),
        cmocka_unit_test(minds_a_coarse_clock),
        cmocka_unit_test(reduces_in_the_given_order),
        cmocka_unit_test(keeps_the_number_of_polygons),
        cmocka_unit_test(uses_the_time_it_has),
        cmocka_unit_test(spends_what_is_left_where_it_counts),
        cmocka_unit_test(doubts_its_probes),
        cmocka_unit_test(knows_large_messages_by_their_probes),
        cmocka_unit_test(forgives_a_stall_at_the_start),
        cmocka_unit_test(ends_in_time_on_any_machine),
        cmocka_unit_test(leaves_out_what_outlasts_the_time),
        cmocka_unit_test(measures_nothing_when_the_time_is_up),
        cmocka_unit_test(ends_at_a_signal_or_failure),
        cmocka_unit_test(ends_when_a_record_can_not_be_kept),
    };
    return cmocka_run_group_tests_name("conductor", tests, NULL, NULL);
}
