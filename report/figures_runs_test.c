/* What is drawn of runs of a known speed. */
#include "report/figures_runs.h"

#include "report/scaled_test.h"

static struct figure figure;

static const struct figure_series *series(const char *title)
{
    for (int s = 0; s < figure.series_count; s++)
        if (strcmp(figure.series[s].title, title) == 0)
            return &figure.series[s];
    fail_msg("there is no series %s", title);
    return NULL;
}

static void add_runs(struct scaled *scaled, int n, double factor, const char *key, const char *value)
{
    for (int i = 0; i < n; i++)
        scaled_run(scaled, factor * (1 + 0.001 * i), (int)scaled->count + 1, key, value);
}

static void ratios_are_sorted_with_their_intervals(void **state)
{
    struct scaled *scaled = *state;
    static struct comparison c;
    struct message error;
    add_runs(scaled, 4, 1, "", "");
    add_runs(scaled, 4, 0.8, "", "");
    assert_int_equal(comparison_make(&c, scaled->path, scaled->count, 4, true, &error), 0);
    figure_ratios(&figure, &c);
    figure_scale(&figure);
    const struct figure_series *worse = series("no verdict"); /* the rating alone has one */
    assert_true(worse->count > 20 && figure.rows <= 40);
    for (size_t i = 0; i < worse->count; i++) {
        const struct figure_point *p = &worse->points[i];
        assert_true(p->low <= p->x && p->x <= p->high && p->high - p->low < 0.02);
        assert_true(fabs(p->x - 0.8) < 0.01 || fabs(p->x - 1 / 0.8) < 0.01);
        assert_true(i == 0 || (worse->points[i - 1].x <= p->x && worse->points[i - 1].y < p->y));
    }
    bool rated = false;
    for (int i = 0; i < figure.panel[0].y.tick_count; i++)
        rated = rated || strcmp(figure.panel[0].y.ticks[i].text, "b_eff") == 0;
    assert_true(rated);
    assert_contains(figure.note, "95 % intervals");
    assert_contains(figure.note, "NOT VALID for comparison: 8 of 8 runs");
    figure_free(&figure);
    comparison_free(&c);
    scaled_clear(scaled);
}

static void a_history_has_its_change(void **state)
{
    struct scaled *scaled = *state;
    static struct trend t;
    struct message error;
    add_runs(scaled, 6, 1, "", "");
    add_runs(scaled, 6, 0.5, "", "");
    const struct option_words runs = {scaled->path, scaled->count}, none = {0};
    assert_int_equal(trend_make(&t, &runs, &none, false, true, &error), 0);
    figure_trend(&figure, &t);
    figure_scale(&figure);
    assert_int_equal(series("NOT VALID")->count, 12); /* the sample is reduced */
    const struct figure_series *change = series("change");
    assert_int_equal(change->count, 2);
    assert_real(change->points[0].x, 6 * 86400.0); /* days after the first run */
    assert_near(change->points[1].y / change->points[0].y, 0.5, 1e-2);
    assert_contains(figure.subtitle, "worse from");
    assert_string_equal(figure.x.ticks[0].text, "2026-01-01");
    figure_free(&figure);
    trend_free(&t);
    scaled_clear(scaled);
}

/* Runs of one minute: the axis is as long as that, and has its times and the day. */
static void a_short_history_is_as_wide_as_a_long_one(void **state)
{
    struct scaled *scaled = *state;
    static struct trend t;
    struct message error;
    for (int i = 0; i < 12; i++) {
        char started[32];
        snprintf(started, sizeof started, "2026-01-01T12:00:%02dZ", 5 * i);
        scaled_run(scaled, 1 + 0.001 * i, 1, "started", started);
    }
    const struct option_words runs = {scaled->path, scaled->count}, none = {0};
    assert_int_equal(trend_make(&t, &runs, &none, false, true, &error), 0);
    figure_trend(&figure, &t);
    figure_scale(&figure);
    assert_true(figure.x.low <= 0 && figure.x.high >= 55 && figure.x.high - figure.x.low < 60);
    assert_string_equal(figure.x.ticks[1].text, "12:00:10");
    assert_real(figure.x.ticks[1].at, 10);
    assert_contains(figure.x.label, "2026-01-01");
    figure_free(&figure);
    trend_free(&t);
    scaled_clear(scaled);
}

static void systems_and_what_their_runs_differ_in(void **state)
{
    struct scaled *scaled = *state;
    static struct rank rank;
    struct figure figures[3];
    struct message error;
    add_runs(scaled, 6, 1, "", "");
    add_runs(scaled, 3, 2, "host", "fast");
    add_runs(scaled, 3, 2, "time_s", "180");
    assert_int_equal(rank_make(&rank, scaled->path, scaled->count, false, true, &error), 0);
    int count = figures_rank(figures, &rank);
    assert_int_equal(count, 2);
    for (int i = 0; i < count; i++) {
        figure = figures[i];
        figure_scale(&figure);
        assert_contains(figure.note, "NOT VALID for comparison: 12 of 12 runs");
        assert_int_equal(figure_points(&figure), i == 0 ? 12 + 2 : 12);
        if (i == 0)
            assert_contains(figure.panel[0].y.ticks[0].text, "1. fast");
        else
            assert_string_equal(figure.x.ticks[1].text, "180");
        figure_free(&figure);
    }
    rank_free(&rank);
    scaled_clear(scaled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ratios_are_sorted_with_their_intervals),
                                       cmocka_unit_test(a_history_has_its_change),
                                       cmocka_unit_test(a_short_history_is_as_wide_as_a_long_one),
                                       cmocka_unit_test(systems_and_what_their_runs_differ_in)};
    return cmocka_run_group_tests(tests, scaled_set_up, scaled_tear_down);
}
