/* Systems whose order is known. */
#include "report/rank.h"

#include "report/scaled_test.h"

static struct rank ranks;

/* `first`: runs before a --; 0: there is none. */
static int make_sides(struct scaled *scaled, size_t first, bool any_host, bool allow_invalid)
{
    struct message error = {""};
    struct report_settings settings = {.runs = {scaled->path, scaled->count},
                                       .sides = first ? 2 : 1,
                                       .side = {{first ? first : scaled->count, NULL}, {scaled->count, "B"}},
                                       .any_host = any_host,
                                       .allow_invalid = allow_invalid};
    if (rank_make(&ranks, &settings, &error))
        fail_msg("%s", error.text);
    return (int)ranks.runs.left_out.count;
}

static int make(struct scaled *scaled, bool any_host, bool allow_invalid)
{
    return make_sides(scaled, 0, any_host, allow_invalid);
}

static bool is_noted(const char *text)
{
    return scaled_says(&ranks.runs.notes, text);
}

/* `n` runs, 1 %, 2 % ... faster than `factor` says. */
static void add_runs(struct scaled *scaled, int n, double factor, const char *key, const char *value)
{
    for (int i = 0; i < n; i++)
        scaled_run(scaled, factor * (1 + 0.01 * (i + 1)), (int)scaled->count + 1, key, value);
}

static void systems_are_sorted_with_their_medians(void **state)
{
    struct scaled *scaled = *state;
    double b_eff = sheet_find(scaled->sample.sheet, "b_eff")->value;
    double lmax = sheet_find(scaled->sample.sheet, "b_eff_lmax")->value;
    add_runs(scaled, 7, 1, "", "");
    add_runs(scaled, 5, 2, "host", "fast");
    add_runs(scaled, 6, 0.5, "mpi", "slow");
    assert_int_equal(make(scaled, false, true), 0);
    assert_int_equal(ranks.count, 3);
    assert_string_equal(report_meta(ranks.system[0].first, "host"), "fast");
    assert_near(ranks.system[0].figure[0], 2 * 1.03 * b_eff, 1e-9);
    assert_near(ranks.system[0].figure[1], 1.03 * b_eff, 1e-9); /* per process, of two */
    assert_nan(ranks.system[0].low);                            /* five runs */
    assert_near(ranks.system[1].figure[0], 1.04 * b_eff, 1e-9);
    assert_near(ranks.system[1].figure[2], 1.04 * lmax, 1e-9);
    assert_near(ranks.system[1].low, 1.01 * b_eff, 1e-9); /* all of 6 to 8 runs */
    assert_near(ranks.system[1].high, 1.07 * b_eff, 1e-9);
    assert_int_equal(ranks.system[1].runs, 7);
    assert_int_equal(ranks.system[1].valid, 0);
    assert_string_equal(report_meta(ranks.system[2].first, "mpi"), "slow");
    assert_true(is_noted("ranks 1 and 2 cannot be distinguished: an interval is missing"));
    assert_true(is_noted("run: 5 runs, started from "));
    assert_true(is_noted("no interval (a 95 % interval needs 6 runs, 99 % needs 8)"));
    assert_true(is_noted("98.4 % interval ")); /* 7 runs, 1 - 2 / 128 */
    rank_free(&ranks);
}

static void intervals_that_overlap_are_noted(void **state)
{
    struct scaled *scaled = *state;
    add_runs(scaled, 6, 1, "", "");
    add_runs(scaled, 6, 1.02, "host", "other");
    assert_int_equal(make(scaled, false, true), 0);
    assert_int_equal(ranks.count, 2);
    assert_true(is_noted("ranks 1 and 2 are statistically tied: their intervals overlap"));
    rank_free(&ranks);
    assert_int_equal(make(scaled, true, true), 0);
    assert_int_equal(ranks.count, 1);
    assert_int_equal(ranks.system[0].runs, 12);
    assert_true(is_noted("runs of several hosts are taken for one system"));
    rank_free(&ranks);
}

/* What does not compare is refused, and the others are ranked. */
static void what_does_not_compare_is_refused(void **state)
{
    static const struct {
        const char *key, *value, *reason;
    } rows[] = {{"seed", "1", "does not compare: seed differs, 1 here, 20010917 in most runs"},
                {"discarded_errors", "98", "data errors: 98"},
                {"finished", "2026-01-04T11:00:00Z", ""},
                {"started", "2026-01-02T12:05:00Z", "they disturbed one another"}};
    struct scaled *scaled = *state;
    add_runs(scaled, 2, 1, "", "");
    assert_true(make(scaled, false, false) > 0);
    assert_true(scaled_says(&ranks.runs.left_out, "2 runs ("));
    assert_true(scaled_says(&ranks.runs.left_out, "NOT VALID for comparison: "));
    assert_int_equal(ranks.count, 0);
    rank_free(&ranks);
    scaled->path[scaled->count++] = strdup(scaled->path[0]);
    assert_int_equal(make(scaled, false, true), 1);
    assert_true(scaled_says(&ranks.runs.left_out, "is the same run as"));
    assert_int_equal(ranks.system[0].runs, 2);
    rank_free(&ranks);
    for (size_t i = 0; i < COUNT(rows); i++) {
        scaled_clear(scaled);
        add_runs(scaled, 3, 1, "", "");
        add_runs(scaled, 1, 1, rows[i].key, rows[i].value);
        assert_int_equal(make(scaled, false, true), *rows[i].reason != 0);
        if (*rows[i].reason)
            assert_true(scaled_says(&ranks.runs.left_out, rows[i].reason));
        assert_int_equal(ranks.count, 1);
        assert_int_equal(ranks.system[0].runs, 3 + !*rows[i].reason);
        rank_free(&ranks);
    }
    scaled_clear(scaled);
    scaled->path[scaled->count++] = strdup("protocols/samples/imb-mpi1-n2");
    assert_int_equal(make(scaled, false, true), 1);
    assert_true(scaled_says(&ranks.runs.left_out, "imb_compat rates nothing"));
    rank_free(&ranks);
}

/* Runs between -- are of one system: one with other nodes or processes is not. */
static void sides_are_systems(void **state)
{
    struct scaled *scaled = *state;
    add_runs(scaled, 3, 1, "", "");
    add_runs(scaled, 1, 1, "mpi", "other");
    add_runs(scaled, 2, 2, "", "");
    assert_int_equal(make_sides(scaled, 4, false, true), 1);
    assert_true(scaled_says(&ranks.runs.left_out, "run-03: not of the system of "));
    assert_true(scaled_says(&ranks.runs.left_out, "mpi is MPICH Version: 4.0.2 there, other here"));
    assert_int_equal(ranks.count, 2);
    assert_string_equal(ranks.system[0].name, "B");
    assert_int_equal(ranks.system[0].runs, 2);
    assert_int_equal(ranks.system[1].runs, 3);
    rank_free(&ranks);
}

/* The others are ranked, and what became of it is said. */
static void a_side_of_which_no_run_is_left_is_named(void **state)
{
    struct scaled *scaled = *state;
    add_runs(scaled, 2, 1, "", "");
    add_runs(scaled, 2, 2, "discarded_errors", "98");
    assert_int_equal(make_sides(scaled, 2, false, true), 2);
    assert_true(scaled_says(&ranks.runs.left_out, "run-02, "));
    assert_true(scaled_says(&ranks.runs.left_out, "run-03): data errors: 98"));
    assert_true(scaled_says(&ranks.runs.left_out, "B: no run is left (2 given)"));
    assert_true(ranks.incomplete);
    assert_int_equal(ranks.count, 1);
    assert_int_equal(ranks.system[0].runs, 2);
    rank_free(&ranks);
    char *path = scaled->path[0]; /* the first side, without a label */
    scaled->path[0] = strdup("nowhere");
    assert_int_equal(make_sides(scaled, 1, false, true), 3);
    assert_true(scaled_says(&ranks.runs.left_out, "the system of nowhere: no run is left (1 given)"));
    assert_int_equal(ranks.count, 1);
    assert_string_equal(ranks.system[0].name, "B");
    rank_free(&ranks);
    free(path);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scaled_set_up, scaled_tear_down)
    const struct CMUnitTest tests[] = {TEST(systems_are_sorted_with_their_medians),
                                       TEST(intervals_that_overlap_are_noted), TEST(sides_are_systems),
                                       TEST(a_side_of_which_no_run_is_left_is_named),
                                       TEST(what_does_not_compare_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
