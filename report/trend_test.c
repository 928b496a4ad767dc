/* Tests histories with a known change, and histories without a verdict. */
#include "report/trend.h"

#include "report/scaled_test.h"

static struct trend t;
static char text[512];

static enum report_status judge(struct scaled *scaled, bool any_host, bool allow_invalid)
{
    const struct report_settings settings = {
        .runs = {scaled->path, scaled->count}, .any_host = any_host, .allow_invalid = allow_invalid};
    trend_make(&t, &settings);
    return trend_judge(&t, text, sizeof text);
}

static enum report_status judge_here(struct scaled *scaled) /* the sample is NOT VALID */
{
    return judge(scaled, false, true);
}

/* Adds `n` runs on consecutive days whose speeds vary by up to 0.2 %. */
static void add_runs(struct scaled *scaled, int n, double factor)
{
    for (int i = 0; i < n; i++)
        scaled_run(scaled, factor * (1 + 0.001 * (i % 3)), (int)scaled->count + 1, "", "");
}

static void refused(struct scaled *scaled, const char *reason)
{
    assert_int_equal(judge_here(scaled), REPORT_REFUSED);
    assert_string_equal(text, "no verdict");
    if (!scaled_says(&t.runs.reasons, reason))
        fail_msg("\"%s\" is not the reason \"%s\"", t.runs.reasons.line[0].text, reason);
    runs_free(&t.runs);
    scaled_clear(scaled);
}

static void equal_runs_have_no_change(void **state)
{
    add_runs(*state, 12, 1);
    assert_int_equal(judge_here(*state), REPORT_FINE);
    assert_contains(text, "b_eff: no significant change in 12 runs");
    assert_true(t.change.p > 0.1);
    runs_free(&t.runs);
}

static void a_loss_and_a_gain_are_reported(void **state)
{
    struct scaled *scaled = *state;
    add_runs(scaled, 6, 1);
    add_runs(scaled, 6, 0.9);
    assert_int_equal(judge_here(scaled), REPORT_DIFFERS);
    assert_contains(text, "b_eff: worse from ");
    assert_contains(text, "run-06 on");
    assert_int_equal(t.change.at, 6);
    assert_near(t.change.after / t.change.before, 0.9, 1e-9);
    runs_free(&t.runs);
    scaled_clear(scaled);
    add_runs(scaled, 6, 1);
    add_runs(scaled, 6, 1.1);
    assert_int_equal(judge_here(scaled), REPORT_FINE);
    assert_contains(text, "b_eff: better from ");
    runs_free(&t.runs);
}

/* The six fast runs are given first but were started last. */
static void runs_are_ordered_by_their_starts(void **state)
{
    struct scaled *scaled = *state;
    for (int i = 0; i < 12; i++)
        scaled_run(scaled, i < 6 ? 1 : 0.9, 20 - i, "", "");
    assert_int_equal(judge_here(scaled), REPORT_FINE);
    assert_contains(text, "better from ");
    assert_contains(text, "run-05 on");
    runs_free(&t.runs);
}

/* Wrong starts can hide a change. Starts that are evidently wrong are refused. */
static void wrong_start_times_are_refused(void **state)
{
    struct scaled *scaled = *state;
    for (int i = 0; i < 12; i++)
        scaled_run(scaled, i < 6 ? 1 : 0.9, 1 + (i * 2 + i / 6) % 12, "", "");
    assert_int_equal(judge_here(scaled), REPORT_FINE);
    runs_free(&t.runs);
    scaled_clear(scaled);

    static const struct {
        const char *key, *value, *reason;
    } rows[] = {{"started", "yesterday", "is not a time"},
                {"started", "2026-01-03T12:00:00Z", "their order is unknown"},
                {"started", "2026-01-12T12:30:00Z", "before it started"},
                {"started", "2026-01-03T12:00:02Z", "the runs disturbed each other, or a clock was wrong"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        add_runs(scaled, 11, 1);
        scaled_run(scaled, 0.9, 12, rows[i].key, rows[i].value);
        refused(scaled, rows[i].reason);
    }
}

static void too_few_runs(void **state)
{
    add_runs(*state, 5, 1);
    add_runs(*state, 4, 0.5);
    assert_int_equal(judge_here(*state), REPORT_UNDECIDED);
    assert_contains(text, "9 runs, but at least 10 are needed to find a change");
    runs_free(&t.runs);
}

static void runs_that_cannot_be_compared_are_refused(void **state)
{
    static const struct {
        const char *key, *value, *reason;
    } rows[] = {{"seed", "1", "seed differs"},     {"discarded_errors", "98", "data errors in"},
                {"host", "other", "host differs"}, {"node", "0 other 2", "node differs"},
                {"cpu", "other", "cpu differs"},   {"nodes", "2", "nodes differs"}};
    struct scaled *scaled = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        add_runs(scaled, 11, 1);
        scaled_run(scaled, 0.9, 12, rows[i].key, rows[i].value);
        refused(scaled, rows[i].reason);
    }
    add_runs(scaled, 11, 1);
    assert_int_equal(judge(scaled, false, false), REPORT_REFUSED);
    assert_true(scaled_says(&t.runs.reasons, "no usable run"));
    assert_true(scaled_says(&t.runs.skipped, "11 runs ("));
    runs_free(&t.runs);
}

/* One run is a copy, and one cannot be read. */
static void bad_nights_are_skipped(void **state)
{
    struct scaled *scaled = *state;
    add_runs(scaled, 11, 1);
    scaled->path[scaled->count++] = strdup(scaled->path[3]);
    scaled->path[scaled->count++] = strdup("nowhere");
    assert_int_equal(judge_here(scaled), REPORT_FINE);
    assert_contains(text, "no significant change in 11 runs");
    assert_true(scaled_says(&t.runs.skipped, "is the same run as"));
    assert_true(scaled_says(&t.runs.skipped, "nowhere"));
    runs_free(&t.runs);
}

static void other_hosts_are_allowed_with_any_host(void **state)
{
    struct scaled *scaled = *state;
    add_runs(scaled, 11, 1);
    scaled_run(scaled, 1.0005, 12, "host", "other");
    assert_int_equal(judge(scaled, true, true), REPORT_FINE);
    runs_free(&t.runs);
}

static void changed_circumstances_are_listed(void **state)
{
    struct scaled *scaled = *state;
    add_runs(scaled, 6, 1);
    for (int i = 0; i < 6; i++)
        scaled_run(scaled, 0.9, (int)scaled->count + 1, "mpi", "MPICH 5");
    assert_int_equal(judge_here(scaled), REPORT_DIFFERS);
    assert_true(scaled_says(&t.runs.changes, "mpi MPICH Version: 4.0.2 -> MPICH 5"));
    runs_free(&t.runs);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scaled_set_up, scaled_tear_down)
    const struct CMUnitTest tests[] = {TEST(equal_runs_have_no_change),
                                       TEST(a_loss_and_a_gain_are_reported),
                                       TEST(runs_are_ordered_by_their_starts),
                                       TEST(wrong_start_times_are_refused),
                                       TEST(too_few_runs),
                                       TEST(runs_that_cannot_be_compared_are_refused),
                                       TEST(bad_nights_are_skipped),
                                       TEST(other_hosts_are_allowed_with_any_host),
                                       TEST(changed_circumstances_are_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
