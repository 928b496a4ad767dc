/* Tests the scheduler on made-up machines in virtual time: a run must end in time on any machine, measure
 * every cell as defined if there is enough time, and otherwise be shortened as defined. */
#include "beff/machine_test.h"

#include <inttypes.h>

static struct trial t, expected, whole, again;

/* ---- order and measurements ---- */

TEST(makes_whole_passes)
{
    run(&t, &plain, 30, 180, 0);
    assert_int_equal(t.end, EXIT_OK);
    assert_true(t.machine.time <= 180 - engine_reserve(180) && t.machine.time > 0.85 * 180);
    assert_true(t.rating.whole >= 2);
    assert_int_equal(t.reps.complete, t.reps.count); /* a repetition that does not fit is not started */
    assert_true(t.reps.complete > 3 * t.rating.whole || t.reps.count % 3 == 0);
    assert_true(isfinite(t.rating.figures.b_eff) && isfinite(t.rating.figures.pingpong));
    for (size_t i = 0; i < 777; i++) /* the opening: rings, 6 polygons, ping-pong */
        assert_true(t.list.patterns[t.machine.commands[i].pattern].number <= 6);
    int pingpongs[3] = {0};
    for (size_t i = 0; i < t.machine.count; i++)
        if (strcmp(t.machine.records[i].pattern, "pingpong") == 0 && t.machine.records[i].pass == 1)
            pingpongs[t.machine.records[i].rep - 1]++;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pingpongs[i], BEFF_SIZES);
    static const char *const none[] = {"largest_sizes", "polygons", "target_s", "needs_time_s",
                                       "slow_skipped"};
    for (size_t i = 0; i < COUNT(none); i++)
        assert_null(protocol_get(&t.machine.protocol, none[i]));
    assert_string_equal(t.machine.said.text, "");
}

/* The file stays much smaller than beff_report accepts, however long the run is. */
TEST(further_passes_end_when_the_file_is_large)
{
    struct machine m = plain;
    m.written = SCHEDULER_MAX_BYTES + 1;
    run(&t, &m, 30, 180, 0);
    assert_int_equal(t.end, EXIT_OK);
    assert_int_equal(t.rating.whole, 1);
    assert_contains(protocol_text(&t.machine.protocol, "note"), "s: run.prot has more than 256 MiB");
    assert_true(SCHEDULER_MAX_BYTES <= PROTOCOL_MAX_FILE / 4);
}

/* The sweeps of all passes, and nothing else, lie between the marks at the start and the end of a pass. */
TEST(marks_the_passes)
{
    static const double times[] = {0.5, 20, 180};
    for (size_t i = 0; i < COUNT(times); i++) {
        size_t sweeps;
        double taken = 0;
        int last = 0;
        run(&t, &plain, 30, times[i], 0);
        const struct beff_sweep *row = protocol_table(&t.machine.protocol, BEFF_SWEEPS, &sweeps);
        assert_true(sweeps > 0);
        for (size_t k = 0; k < sweeps; k++) {
            assert_true(row[k].sweep ? row[k].expected > 0 : isnan(row[k].expected));
            taken += row[k].sweep == SWEEP_ANALYSIS ? 0 : row[k].taken;
            last = row[k].sweep > last ? (int)row[k].sweep : last;
            assert_int_equal(t.machine.begun[row[k].sweep], row[k].sweep != SWEEP_ANALYSIS);
        }
        assert_near(t.machine.in_passes, taken, 0.01);
        assert_in_range(t.machine.pass, sweep_pass(last), sweep_pass(last + 1));
    }
}

/* The order of the patterns depends only on the seed, the sweep and the size. */
TEST(the_order_differs_by_size_and_repetition)
{
    struct pattern_list list;
    uint32_t order[4][64];
    patterns_make(&list, 2, 30, 20010917, beff_lmax(1));
    for (int i = 0; i < 4; i++)
        sweep_draw(&list, i / 2 % 2, i % 2, order[i]);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            assert_memory_not_equal(order[i], order[k], 36 * sizeof **order);
    sweep_draw(&list, 0, 0, order[1]);
    assert_memory_equal(order[0], order[1], 36 * sizeof **order);
    patterns_free(&list);
}

/* Each measurement follows docs/definition-beff-1.md 5. */
TEST(measures_as_defined)
{
    struct machine rough = plain;
    rough.noise = 0.1;
    const struct machine *const machines[] = {&plain, &rough, &slow};
    for (size_t k = 0; k < COUNT(machines); k++) {
        size_t within = 0;
        run(&t, machines[k], 10, 100, 0);
        for (size_t i = 0; i < t.machine.count; i++) {
            const struct beff_record *r = &t.machine.records[i];
            const struct command *c = &t.machine.commands[i];
            double one = r->t_max / (double)r->loops;
            within += (r->loops == 1 && r->t_max > 2.5e-3) || (r->t_max >= 2.5e-3 && r->t_max <= 5e-3);
            assert_true(r->t_max >= 2e-3);
            /* Only rated patterns are checked, because the loops of other patterns may follow from a
             * polygon's time. At 1 B, such an estimate is at least a thirtieth of the target. */
            if (t.list.patterns[c->pattern].rated)
                assert_true(c->untimed ? one * (double)c->untimed > (c->size ? 0.85e-3 : 0.5e-3)
                                       : one > 45e-3);
            assert_int_equal(r->messages, t.list.patterns[c->pattern].messages);
            assert_int_equal(r->errors, r->bytes == 8);
            assert_close(r->t_min, 0.5 * r->t_max);
            assert_close(r->t_avg, 0.75 * r->t_max);
            assert_close(r->bandwidth, (double)(r->bytes * r->messages * r->loops) / r->t_max / 1e6);
        }
        if ((double)within < 0.95 * (double)t.machine.count)
            fail_msg("machine %zu: %zu of %zu take 2.5 to 5 ms", k, within, t.machine.count);
    }
}

/* The first measurement of each method has one iteration. It is too short, so it is repeated. */
TEST(begins_with_one_iteration)
{
    size_t count;
    int first = 0;
    run(&t, &plain, 6, 60, 0);
    const struct beff_record *row = protocol_table(&t.machine.protocol, BEFF_DISCARDED, &count);
    for (size_t i = 0; i < count; i++)
        first += row[i].bytes == 1 && row[i].loops == 1 && row[i].reason == DISCARD_SHORT;
    assert_int_equal(first, METHODS);
}

TEST(repeats_a_measurement_whose_clock_went_back)
{
    struct machine m = plain;
    m.jump_every = 100;
    m.jump = -3600;
    run(&t, &m, 30, 60, 0);
    run(&expected, &plain, 30, 60, 0);
    assert_true(t.rating.whole > 0 && t.machine.jumps > 0);
    for (size_t i = 0; i < t.machine.count; i++)
        assert_true(t.machine.records[i].t_min > 0);
    assert_near(t.rating.figures.b_eff, expected.rating.figures.b_eff, 1e-3);
    m.jump_every = 1; /* all three attempts fail, and so does the run */
    run(&t, &m, 30, 60, 0);
    assert_int_equal(t.end, EXIT_ERRORS);
    assert_int_equal(t.machine.measurements, 3);
    assert_contains(t.scheduler.error.text, "went back in every attempt");
    size_t count;
    const struct beff_record *row = protocol_table(&t.machine.protocol, BEFF_DISCARDED, &count);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(row[i].reason, DISCARD_CLOCK);
}

/* With a clock resolution of a microsecond, the time of one iteration is 0. */
TEST(copes_with_a_coarse_clock)
{
    struct machine m = {.latency = 0.3e-6, .bandwidth = 20e9, .overhead = 0.1e-3, .resolution = 1e-6};
    run(&t, &m, 30, 60, 0);
    assert_int_equal(t.end, EXIT_OK);
    assert_true(t.rating.whole > 0);
}

TEST(respects_max_loops)
{
    run(&t, &plain, 6, 20, 7);
    for (size_t i = 0; i < t.machine.count; i++)
        assert_true(t.machine.records[i].loops <= 7);
    assert_true(t.machine.measurements < 1.01 * (double)t.machine.count); /* few repeated attempts */
}

TEST(measures_a_simulated_machine_once)
{
    struct machine m = plain;
    m.once = true;
    run(&t, &m, 30, 180, 1);
    assert_int_equal(t.reps.count, 1);
    assert_true(t.reps.all[0].complete);
    for (size_t i = 0; i < t.machine.count; i++)
        assert_true(t.machine.commands[i].loops == 1 && t.machine.commands[i].untimed == 0);
}

/* A share of the measurements takes twice as long, so an application gets 1 / (1 + share) of the quiet
 * machine's bandwidth. b_eff takes the best of 3 repetitions and 3 methods, so it is close to the quiet
 * machine's b_eff. The medians of the repetitions are closer to the application's bandwidth. */
TEST(medians_show_a_disturbed_machine)
{
    static const struct {
        double busy, b_eff[2], medians[2]; /* lowest and highest, divided by the quiet machine's b_eff */
    } rows[] = {{0, {1, 1}, {1, 1}}, {1 / 3.0, {0.95, 1}, {0.75, 0.95}}, {2 / 3.0, {0.7, 0.8}, {0.5, 0.6}}};
    double quiet = NAN;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct machine m = plain;
        m.busy = rows[i].busy;
        run(&t, &m, 30, 200, 0);
        quiet = i ? quiet : t.rating.figures.b_eff;
        double b_eff = t.rating.figures.b_eff / quiet, medians = t.rating.figures.medians / quiet;
        if (!(b_eff >= rows[i].b_eff[0] && b_eff <= rows[i].b_eff[1] &&
              medians >= rows[i].medians[0] - 1e-9 && medians <= rows[i].medians[1] + 1e-9))
            fail_msg("busy for %.2f: b_eff %.3f, from medians %.3f of the quiet machine", m.busy, b_eff,
                     medians);
    }
}

/* ---- slow methods ---- */

TEST(skips_a_slow_method)
{
    struct machine m = plain, at_times = plain;
    m.alltoallv = 0.2;
    run(&t, &m, 30, 180, 0);
    run(&expected, &plain, 30, 180, 0);
    assert_true(t.rating.whole > 0);
    assert_int_equal(noted(&t, "slow_skipped"), t.scheduler.rules.skipped);
    for (int p = 0; p < 36; p++) /* the first 12 measurements are of one size */
        for (int s = 1; s < BEFF_SIZES; s++)
            assert_nan(rating_cell(&t.rating, p, METHOD_ALLTOALLV, s));
    assert_nan(t.rating.figures.method[METHOD_ALLTOALLV]);
    assert_near(t.rating.figures.b_eff, expected.rating.figures.b_eff, 1e-6);
    for (at_times.stall_at = 3; at_times.stall_at < 100; at_times.stall_at += 14) {
        run(&t, &at_times, 30, 60, 0);
        assert_int_equal(t.scheduler.rules.skipped, 0);
    }
}

/* Runs with only some methods, with and without rule a. */
TEST(measures_only_some_methods)
{
    static const struct {
        double time;
        unsigned skipped;
        enum method best; /* by rule a */
    } rows[] = {{1000, 1U << METHOD_ALLTOALLV, METHOD_NONBLOCKING},
                {26, 1U << METHOD_ALLTOALLV | 1U << METHOD_NONBLOCKING, METHOD_SENDRECV},
                {26, 1U << METHOD_SENDRECV | 1U << METHOD_NONBLOCKING, METHOD_ALLTOALLV}};
    for (size_t k = 0; k < COUNT(rows); k++) {
        struct machine m = slow;
        m.skipped = rows[k].skipped;
        run(&t, &m, 30, rows[k].time, 0);
        assert_true(t.end == EXIT_OK && t.rating.whole > 0);
        assert_int_equal(protocol_get(&t.machine.protocol, "largest_sizes") != NULL, k > 0);
        for (size_t i = 0; i < t.machine.count; i++) {
            const struct command *c = &t.machine.commands[i];
            assert_true(!(m.skipped >> c->method & 1) || t.list.patterns[c->pattern].sendrecv_only);
        }
        assert_true(isfinite(rating_cell(&t.rating, 0, rows[k].best, BEFF_SIZES - 1)));
        assert_true(isfinite(t.rating.figures.pingpong));
    }
}

/* A slow method is measured again at the sizes at which it is no longer slow. */
TEST(measures_a_method_again_that_catches_up)
{
    struct machine m = plain;
    m.alltoallv = 6e-3; /* the other methods take 8 microseconds at 1 byte, and 3.4 ms at Lmax */
    run(&t, &m, 30, 180, 0);
    for (int p = 0; p < 36; p++) {
        assert_nan(rating_cell(&t.rating, p, METHOD_ALLTOALLV, 5));
        assert_true(isfinite(rating_cell(&t.rating, p, METHOD_ALLTOALLV, BEFF_SIZES - 1)));
    }
}

/* Pairs alone are measured in as many repetitions as fit, at most as many as the rating has.
 */
TEST(measures_pairs_alone)
{
    static const double times[] = {180, 60, 26, 3};
    for (size_t k = 0; k < COUNT(times); k++) {
        struct machine m = slow;
        double taken = 0;
        int64_t repetition = 0;
        m.nodes = 4;
        run(&t, &m, 30, times[k], 0);
        for (size_t i = 0; i < t.machine.count; i++)
            if (t.machine.commands[i].pattern >= t.list.count) {
                repetition = t.machine.records[i].rep;
                taken += t.machine.records[i].t_max + m.overhead;
            }
        assert_true(taken < SCHEDULER_ALONE * times[k]);
        const char *said = protocol_get(&t.machine.protocol, "alone_left_out");
        assert_int_equal(said != NULL, k == 2); /* no time; with 3 s, there is no rating */
        assert_true(repetition == (k == 0 ? 3 : k == 1 ? 2 : 0) || k > 1);
        assert_int_equal(isfinite(rating_cell(&t.rating, t.list.count, METHODS, BEFF_SIZES - 1)), k < 2);
    }
}

/* ---- the time ---- */

static bool is_valid(const struct trial *t)
{
    return t->end == EXIT_OK && t->rating.whole > 0 && t->reps.polygons >= PATTERN_VALID_POLYGONS;
}

/* Under rule a, the two largest sizes are measured with only the best method, and repetition 3 has no Lmax.
 */
TEST(shortens_the_largest_sizes)
{
    run(&t, &slow, 30, 20, 0);
    double enough = noted(&t, "needs_time_s");
    run(&whole, &slow, 30, 1000, 0);
    run(&t, &slow, 30, enough, 0);
    assert_true(is_valid(&whole) && is_valid(&t));
    assert_null(protocol_get(&whole.machine.protocol, "largest_sizes"));
    assert_string_equal(protocol_get(&t.machine.protocol, "largest_sizes"), "1 1");
    assert_null(protocol_get(&t.machine.protocol, "needs_time_s"));
    for (size_t i = 777; i < t.machine.count; i++) {
        const struct command *c = &t.machine.commands[i];
        bool rated = t.list.patterns[c->pattern].rated;
        assert_true(!rated || c->size < SWEEP_LARGEST || c->method == METHOD_NONBLOCKING);
        assert_true(!rated || t.machine.records[i].rep < 3 || c->size < BEFF_SIZES - 1);
    }
    assert_near(t.rating.figures.b_eff, whole.rating.figures.b_eff, 1e-3);
    for (int i = 0; i < 3; i++) /* the third repetition takes Lmax from the others */
        assert_near(figures_of(&t.reps, &i, 1).b_eff, whole.rating.figures.b_eff, 1e-3);
}

/* Under rule a, a slow method that the opening skipped must not count as the best method. */
TEST(shortens_without_a_slow_method)
{
    struct machine m = plain;
    m.alltoallv = 0.2;
    bool shortened = false;
    for (double time = 20; time < 30; time++) {
        run(&t, &m, 30, time, 0);
        for (size_t i = 777; i < t.machine.count && protocol_get(&t.machine.protocol, "largest_sizes"); i++) {
            const struct command *c = &t.machine.commands[i];
            assert_true(!t.list.patterns[c->pattern].rated || c->method != METHOD_ALLTOALLV);
            shortened = true;
        }
    }
    assert_true(shortened);
}

/* For every T, the run ends in time. All T that are long enough for a b_eff give the same b_eff. If T is even
 * longer, the result is valid. Shorter runs report the T that they need. */
TEST(ends_in_time_on_any_machine)
{
    struct machine machines[] = {plain, slow, plain, slow, plain};
    machines[2].noise = 0.3;
    machines[3].processes = 27;
    machines[4] = (struct machine){.latency = 8e-3, .bandwidth = 1e9, .overhead = 20e-3, .memory_mib = 16};
    for (size_t k = 0; k < COUNT(machines); k++) {
        bool valid = false, rated = false;
        double longest = 400; /* later three times the shortest valid T: more passes change nothing */
        run(&whole, &machines[k], 30, 600, 0);
        assert_true(is_valid(&whole));
        for (double time = 2; time < longest; time *= 1.4) {
            run(&t, &machines[k], 30, time, 0);
            assert_int_equal(t.end, EXIT_OK);
            if (t.machine.time > time - engine_reserve(time) + 0.25)
                fail_msg("machine %zu: %g s of %g", k, t.machine.time, time);
            assert_true(isfinite(t.rating.figures.b_eff) || !isnan(noted(&t, "opening_needs_s")));
            if (isfinite(t.rating.figures.b_eff)) {
                assert_near(t.rating.figures.b_eff, whole.rating.figures.b_eff, 0.03 + machines[k].noise / 3);
                rated = true; /* polygons are skipped before repetitions are */
                assert_true(machines[k].noise > 0 || t.rating.repetitions == 3 || t.reps.polygons == 6);
            } else {
                assert_false(rated);
            }
            if (valid != is_valid(&t)) { /* only at the shortest valid T */
                assert_false(valid);
                longest = 3 * time;
            }
            valid = is_valid(&t);
            if (isfinite(t.rating.figures.b_eff) && valid == !isnan(noted(&t, "needs_time_s")))
                fail_msg("machine %zu, %g s: valid %d, needs %g", k, time, valid, noted(&t, "needs_time_s"));
        }
        assert_true(valid);
    }
}

/* The T that a run reports as needed is enough, for a rating and for a valid rating, and it is not much too
 * long. */
TEST(reports_a_sufficient_time)
{
    static const struct machine *const machines[] = {&plain, &slow};
    for (size_t k = 0; k < COUNT(machines); k++)
        for (double time = 3; time < 60; time += 8) {
            run(&t, machines[k], 30, time, 0);
            double opening = noted(&t, "opening_needs_s"), valid = noted(&t, "needs_time_s");
            if (!isnan(opening)) { /* a minimum: larger sizes may not have been measured yet */
                assert_nan(t.rating.figures.b_eff);
                assert_true(t.machine.time < time && opening > time);
                for (double longer = opening; !isnan(opening); longer = opening) {
                    run(&again, machines[k], 30, longer, 0);
                    opening = noted(&again, "opening_needs_s");
                    assert_true(isnan(opening) ? isfinite(again.rating.figures.b_eff) : opening > longer);
                }
            }
            if (!isnan(valid)) {
                char expected[64];
                snprintf(expected, sizeof expected, "needs --time %.0f", valid);
                assert_contains(t.machine.said.text, expected);
                run(&again, machines[k], 30, valid, 0);
                assert_true(is_valid(&again));
                run(&again, machines[k], 30, 0.79 * valid, 0);
                assert_false(is_valid(&again));
            }
        }
}

/* If a stall makes a sufficient T too short, the run reports that it needs a longer T. */
TEST(reports_a_longer_time_after_a_stall)
{
    struct machine stalled = plain;
    run(&t, &plain, 30, 20, 0);
    double enough = noted(&t, "needs_time_s"), needed;
    for (stalled.stall_at = 100; stalled.stall_at < 7000; stalled.stall_at += 700) {
        run(&t, &stalled, 30, enough, 0);
        needed = noted(&t, "needs_time_s");
        assert_true(is_valid(&t) == isnan(needed));
        assert_true(isnan(needed) || needed > enough);
    }
}

/* A run whose opening cannot fit ends long before T. */
TEST(gives_up_early)
{
    struct machine hopeless = slow;
    hopeless.bandwidth = 0.5e6;
    run(&t, &hopeless, 30, 100, 0);
    assert_nan(t.rating.figures.b_eff);
    assert_true(*t.rating.missing);
    assert_true(noted(&t, "opening_needs_s") > 100);
    assert_true(t.machine.time < 50);
    hopeless.latency = 3; /* of each iteration */
    run(&t, &hopeless, 30, 0, 0);
    assert_nan(t.rating.figures.b_eff);
    assert_true(t.machine.time < 150); /* one size */
    hopeless.time = 200;               /* T is over before the first measurement */
    run(&t, &hopeless, 30, 100, 0);
    assert_int_equal(t.end, EXIT_OK);
    assert_int_equal(t.machine.count, 0);
    assert_nan(noted(&t, "opening_needs_s"));
}

/* Neither a stall nor noise ends an opening that fits. Noise must not be mistaken for times that grow with
 * the message size. */
TEST(does_not_give_up_on_a_noisy_machine)
{
    struct machine m = {.latency = 8e-3, .bandwidth = 1e9, .overhead = 20e-3, .memory_mib = 16, .noise = 1};
    for (m.stall_at = 0; m.stall_at < 756; m.stall_at += 84) {
        run(&t, &m, 30, 45, 0);
        assert_true(isfinite(t.rating.figures.b_eff));
    }
    /* On an oversubscribed machine, a few measurements, at any size, do not have to wait for a processor. */
    m = (struct machine){.latency = 8e-6, .bandwidth = 1e9, .overhead = 5e-3, .memory_mib = 1, .noise = 1e3};
    for (int polygons = 1; polygons <= 30; polygons++) {
        run(&t, &m, polygons, 40, 0);
        assert_true(isfinite(t.rating.figures.b_eff));
    }
}

/* The estimates must not follow from measurements that are much faster than the rest. In the first row, a
 * pair has the machine to itself: with its loops, a pattern of all processes would take 30 s. In the second
 * row, pairs have their own processors: with the loops of ring-1, the next pattern would take 4 s at each
 * size and with each method. In the third row, a single iteration takes a microsecond, while all other
 * iterations wait for a processor. */
TEST(ignores_lucky_measurements)
{
    static const struct {
        struct machine machine;
        int polygons, time;
        bool has_pingpong;
    } rows[] = {
        {{.latency = 3e-3, .pingpong = 1e-4}, 6, 60, true},
        {{.latency = 4e-3, .ring1 = 1e-3}, 2, 30, false},
        {{.latency = 8e-3, .lucky_every = 100}, 6, 90, true},
    };
    for (size_t k = 0; k < COUNT(rows); k++) {
        struct machine m = rows[k].machine;
        m.bandwidth = 1e9;
        m.memory_mib = 16;
        run(&t, &m, rows[k].polygons, rows[k].time, 0);
        assert_int_equal(t.end, EXIT_OK);
        assert_true(isfinite(t.rating.figures.b_eff));
        assert_int_equal(t.rating.repetitions, 3);
        assert_true(isfinite(t.rating.figures.pingpong) || !rows[k].has_pingpong);
        assert_true(t.machine.time <= rows[k].time - engine_reserve(rows[k].time));
    }
}

/* Without --time, T is 180 s, or the time of a complete pass if that is longer, but at most 1800 s. */
TEST(chooses_its_time)
{
    static const struct {
        double bandwidth, least, most;
        bool valid;
    } rows[] = {{2e9, 180, 180, true}, {1e6, 181, 900, true}, {0.1e6, 1800, 1800, false}};
    for (size_t k = 0; k < COUNT(rows); k++) {
        struct machine m = slow;
        m.bandwidth = rows[k].bandwidth;
        run(&t, &m, 30, 0, 0);
        double time = noted(&t, "time_s");
        if (!(time >= rows[k].least && time <= rows[k].most))
            fail_msg("%g MB/s: %g s", m.bandwidth / 1e6, time);
        assert_true(t.machine.time <= time);
        assert_true(t.machine.limit >= time && t.machine.limit <= time);
        assert_int_equal(is_valid(&t), rows[k].valid);
        assert_int_equal(*t.machine.said.text != 0, time > 180);
    }
}

TEST(shortens_its_measurements)
{
    static const double rows[][2] = {{3, 1e-3}, {5, 1e-3}, {10, 1.9175e-3}, {15, NAN}, {60, NAN}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        run(&t, &plain, 30, rows[i][0], 0);
        assert_true(isfinite(t.rating.figures.b_eff));
        if (isnan(rows[i][1]))
            assert_nan(noted(&t, "target_s"));
        else
            assert_near(noted(&t, "target_s"), rows[i][1], 0.01);
    }
}

/* If more than 30 polygons are requested, some may be skipped, and the result is still valid. */
TEST(takes_fewer_polygons)
{
    run(&t, &plain, 100, 70, 0);
    assert_true(is_valid(&t));
    assert_in_range(t.reps.polygons, 30, 99);
    assert_int_equal(noted(&t, "polygons"), t.reps.polygons);
    assert_int_equal(t.reps.count, 3); /* no other pass follows */
    run(&t, &plain, 3, 70, 0);
    assert_true(t.rating.whole > 0 && !is_valid(&t));
}

/* ---- disturbances ---- */

/* With 10.5 s of slack, a stall of 5 s at any measurement leaves the result valid. */
TEST(tolerates_a_stall)
{
    struct machine machines[] = {plain, slow, slow};
    machines[2].bandwidth = 100e6;
    for (size_t k = 0; k < COUNT(machines); k++) {
        run(&t, &machines[k], 30, 3, 0);
        double enough = fmax(noted(&t, "needs_time_s"), noted(&t, "opening_needs_s"));
        run(&t, &machines[k], 30, 2 * enough, 0);
        enough = noted(&t, "needs_time_s");
        if (isnan(enough)) { /* finds the shortest valid T, with rule a */
            enough = 10;
            for (bool valid = false; !valid; enough++) {
                run(&t, &machines[k], 30, enough, 0);
                valid = is_valid(&t);
            }
        }
        for (int at = 1; at < 6800; at += at < 800 ? 157 : 1201) {
            struct machine m = machines[k];
            m.stall_at = at;
            run(&t, &m, 30, enough + 10.5, 0);
            if (!is_valid(&t))
                fail_msg("machine %zu, %g s: measurement %d", k, enough + 10.5, at);
        }
    }
}

TEST(tolerates_slow_first_transfers)
{
    struct machine m = plain;
    m.first = 0.05;
    run(&t, &m, 30, 60, 0);
    run(&expected, &plain, 30, 60, 0);
    assert_true(is_valid(&t));
    assert_near(t.rating.figures.b_eff, expected.rating.figures.b_eff, 1e-3);
}

/* Returns the bandwidth per process in MB/s that rate and latency allow in the long run at one size, averaged
 * over the rated patterns as defined. */
static double allowed(const struct trial *t, int size)
{
    double logs[2] = {0}, count[2] = {0};
    for (int p = 0; p < BEFF_RING_PATTERNS + t->reps.polygons; p++) {
        double bytes = (double)(t->list.sizes[size] * t->list.patterns[p].messages) / 4;
        double one = one_iteration(&t->machine, p, METHOD_NONBLOCKING, size);
        bool random = t->list.patterns[p].kind == PATTERN_RANDOM;
        logs[random] += log(bytes / fmax(one, bytes / t->machine.rate));
        count[random]++;
    }
    return exp((logs[0] / count[0] + logs[1] / count[1]) / 2) / 1e6;
}

/* The wire has 125 MB/s. A token bucket limits the link to 25 MB/s, but lets bursts of 32 kB through. The
 * result must not exceed the rate, except at small sizes, where the bucket refills while nothing is sent.
 * Short and long runs must have the same result. */
TEST(does_not_exceed_a_token_bucket)
{
    struct machine m = {.bandwidth = 125e6,
                        .overhead = 0.3e-3,
                        .rate = 25e6,
                        .buffer = 32768,
                        .noise = 0.02,
                        .memory_mib = 128};
    for (double latency = 5e-6; latency < 100e-6; latency *= 1.6) {
        m.latency = latency;
        for (double time = 180; time > 20; time /= 2) {
            double mean = 0;
            run(&t, &m, 30, time, 0);
            for (int s = 0; s < BEFF_SIZES; s++) {
                double b = sqrt(rating_kind(&t.rating, &t.reps, PATTERN_RING, METHODS, s) *
                                rating_kind(&t.rating, &t.reps, PATTERN_RANDOM, METHODS, s));
                double over = b / 4 / allowed(&t, s);
                mean += allowed(&t, s) / BEFF_SIZES;
                if (over < 0.97 || over > (t.list.sizes[s] < 4096 ? 1.25 : 1.03))
                    fail_msg("latency %g, %g s: %" PRId64 " B is %.3f times what is possible", latency, time,
                             t.list.sizes[s], over);
            }
            assert_near(t.rating.figures.b_eff, 4 * mean, 0.03);
        }
    }
}

/* ---- signals and failures, scale ---- */

TEST(ends_at_a_signal_or_failure)
{
    static const int rows[] = {1, 5, 100, 5000};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct machine m = plain;
        m.stop_at = rows[i];
        run(&t, &m, 30, 60, 0);
        assert_int_equal(t.end, EXIT_STOPPED);
        assert_string_equal(t.scheduler.error.text, "stopped by signal 15");
        assert_int_equal(t.machine.measurements, rows[i]);
    }
    struct machine m = plain;
    m.fail_at_record = 50;
    run(&t, &m, 30, 60, 0);
    assert_int_equal(t.end, EXIT_ERRORS);
    assert_string_equal(t.scheduler.error.text, "the disk is full");
    assert_int_equal(t.machine.count, 50);
}

/* The scheduler's decisions do not take longer with more processes. */
TEST(plans_for_a_million_processes)
{
    static const int64_t processes[] = {27, 1000000};
    for (size_t i = 0; i < COUNT(processes); i++) {
        struct machine m = plain;
        m.processes = processes[i];
        run(&t, &m, 30, 60, 0);
        assert_true(is_valid(&t));
    }
}
