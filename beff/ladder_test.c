/* The time plan: the ladder of reduction, and what is left after whole repetitions. */
#include "beff/schedule_test.h"

/* How many steps down the ladder, the repetitions apart. */
static int steps_down(const struct fixture *f, const struct reduction *t)
{
    return !t->analysis + f->schedule.all_polygons - t->polygons + BEFF_SIZES - t->methods_from;
}

/* Each step is taken only when all the milder ones are. */
static void check_ladder(const struct fixture *f, const struct reduction *t)
{
    int fewest = f->schedule.fixed ? f->schedule.polygons : PATTERN_LEAST_POLYGONS;
    if (t->polygons < f->schedule.polygons)
        assert_false(t->analysis);
    if (t->methods_from < BEFF_SIZES) {
        assert_int_equal(t->polygons, fewest);
        assert_false(t->analysis);
    }
    if (t->target < TUNING_TARGET || !t->compare) {
        assert_int_equal(t->methods_from, 0);
        assert_int_equal(t->repetitions, 1);
    }
    assert_true(t->target >= 1e-3 && t->target <= TUNING_TARGET);
}

/* For less and less time, plans fit, are as mild as can be, and get harsher. */
static void check_plans(struct fixture *f, const struct position *at)
{
    struct reduction full = schedule_full(&f->schedule), least = schedule_plan(&f->schedule, at, 0),
                     before = full;
    double whole = schedule_rest(&f->schedule, &full, at), shortest = schedule_rest(&f->schedule, &least, at);
    int seen = 0, without = 0;
    for (double seconds = 1.1 * whole; seconds > 0.5 * shortest; seconds *= 0.99, seen++) {
        struct reduction t = schedule_plan(&f->schedule, at, seconds);
        double rest = schedule_rest(&f->schedule, &t, at);
        check_ladder(f, &t);
        assert_int_equal(t.hopeless, shortest > seconds);
        assert_true(t.hopeless || rest <= seconds);
        if (seconds >= whole)
            assert_true(t.repetitions == 3 && steps_down(f, &t) == f->schedule.all_polygons - full.polygons);
        assert_true(t.repetitions <= before.repetitions && t.compare <= before.compare);
        assert_true(t.target <= before.target || t.compare < before.compare);
        without += !t.compare && !t.hopeless;
        if (t.repetitions == before.repetitions)
            assert_true(steps_down(f, &t) >= steps_down(f, &before));
        before = t;
    }
    assert_true(seen > 100 && without > 0);
    assert_true(before.hopeless);
}

static void climbs_down_the_ladder(void **state)
{
    struct fixture *f = *state;
    probe_all(f);
    check_plans(f, &f->start);
    f->schedule.fixed = true;
    f->schedule.polygons = 8;
    check_plans(f, &f->start);
    check_plans(f, &(struct position){1, 7, f->order, 3});
}

static void plans_within_zero_seconds(void **state)
{
    struct fixture *f = *state;
    probe_all(f);
    static const double rows[] = {0, -1, -INFINITY};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct reduction t = schedule_plan(&f->schedule, &f->start, rows[i]);
        assert_true(t.hopeless);
        assert_int_equal(t.repetitions, 1);
    }
}

/* docs/definition.md 1.5: 0.8 (1 - (s / 20)^2), 0.4 (1 - s / 20), 0. */
static void doubts_less_and_less(void **state)
{
    (void)state;
    static const struct {
        struct position position;
        double doubt;
    } rows[] = {{{1, 0}, 0.8},  {{1, 10}, 0.6}, {{1, 20}, 0}, {{2, 0}, 0.4},
                {{2, 10}, 0.2}, {{2, 20}, 0},   {{3, 0}, 0}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_true(fabs(schedule_doubt(&rows[i].position) - rows[i].doubt) < 1e-12);
}

/* docs/definition.md 1.6: what counts most for its time first, and as many as fit, from where the repetition
 * stopped; a size that was begun is not begun again. */
static void chooses_what_counts(void **state)
{
    struct fixture *f = *state;
    enum { FROM = 10 };
    probe_all(f);
    f->schedule.sustained = INFINITY;
    for (int s = 0; s < BEFF_SIZES; s++) { /* each size as fast as it was probed */
        double one = true_seconds(f, METHOD_SENDRECV, s);
        schedule_learn(&f->schedule, BEFF_RING_PATTERNS, METHOD_SENDRECV, s, 1, 0, one, one);
    }
    struct position from = {2, FROM, f->order, 0};
    struct reduction partial = schedule_partial(&f->schedule, 2);
    double all = schedule_rest(&f->schedule, &partial, &from);
    int before = 0;
    for (double seconds = 0; seconds <= 1.01 * all; seconds += 0.01 * all) {
        bool wanted[BEFF_SIZES] = {false};
        int taken = 0;
        schedule_choose(&f->schedule, &from, seconds, wanted);
        for (int s = 0; s < BEFF_SIZES; s++)
            taken += wanted[s];
        assert_true(taken >= before || wanted[BEFF_SIZES - 1]);
        for (int s = 0; s < FROM; s++)
            assert_false(wanted[s]);
        before = taken;
    }
    assert_int_equal(before, BEFF_SIZES - FROM);
    for (int place = 0; place < 2; place++) {
        bool wanted[BEFF_SIZES] = {false};
        from.place = place;
        schedule_choose(&f->schedule, &from, 1.01 * all, wanted);
        assert_int_equal(wanted[FROM], place == 0);
        assert_true(wanted[FROM + 1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(climbs_down_the_ladder),
        TEST(plans_within_zero_seconds),
        TEST(doubts_less_and_less),
        TEST(chooses_what_counts),
    };
    return cmocka_run_group_tests_name("ladder", tests, NULL, NULL);
}
