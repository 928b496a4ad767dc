/* Ranks sides whose order is known. */
#include "report/rank.h"

#include "common/inference.h"
#include "report/scaled_test.h"

static struct rank ranks;

/* Divides the runs into sides and ranks them. `ends` has the number of the first run after each side, and
 * ends with 0. Returns the number of lines about runs that were skipped. */
static int make_settings(struct scaled *scaled, const size_t *ends, struct report_settings settings)
{
    settings.runs = (struct texts){scaled->path, scaled->count};
    settings.separated = *ends;
    settings.allow_invalid = true;
    for (; *ends; ends++)
        settings.side[settings.sides++].end = *ends;
    rank_free(&ranks);
    rank_make(&ranks, &settings);
    return (int)ranks.sides.skipped.count;
}

static int make_sides(struct scaled *scaled, size_t first)
{
    return make_settings(scaled, (size_t[]){first, scaled->count, 0},
                         (struct report_settings){.side = {{0, NULL}, {0, "B"}}});
}

static int make_one(struct scaled *scaled)
{
    return make_settings(scaled, (size_t[]){scaled->count, 0}, (struct report_settings){0});
}

static bool is_noted(const char *text)
{
    return scaled_says(&ranks.sides.notes, text);
}

/* Adds `n` runs that are 1 %, 2 % ... faster than `factor`. */
static void add_runs(struct scaled *scaled, int n, double factor, const char *key, const char *value)
{
    for (int i = 0; i < n; i++)
        scaled_run(scaled, factor * (1 + 0.01 * (i + 1)), (int)scaled->count + 1, key, value);
}

TEST_WITH(sides_are_sorted_with_their_medians, scaled_set_up, scaled_tear_down)
{
    struct scaled *scaled = *state;
    double b_eff = sheet_find(scaled->sample.sheet, "b_eff")->value;
    double lmax = sheet_find(scaled->sample.sheet, "b_eff_lmax")->value;
    add_runs(scaled, 7, 1, "", "");
    add_runs(scaled, 5, 2, "host", "fast");
    add_runs(scaled, 6, 0.5, "mpi", "slow");
    assert_int_equal(make_settings(scaled, (size_t[]){7, 12, 18, 0},
                                   (struct report_settings){.side = {{0, "A"}, {0, "B"}, {0, "C"}}}),
                     0);
    assert_int_equal(ranks.sides.sides, 3);
    assert_string_equal(ranks.ranked[0].side->label, "B");
    assert_near(ranks.ranked[0].figure[0], 2 * 1.03 * b_eff, 1e-9);
    assert_near(ranks.ranked[0].figure[1], 1.03 * b_eff, 1e-9); /* per process, with two processes */
    assert_nan(ranks.ranked[0].low);                            /* five runs are too few */
    assert_near(ranks.ranked[1].figure[0], 1.04 * b_eff, 1e-9);
    assert_near(ranks.ranked[1].figure[3], 1.04 * lmax, 1e-9);
    assert_near(ranks.ranked[1].low, 1.01 * b_eff, 1e-9); /* the interval of 6 to 8 runs contains all */
    assert_near(ranks.ranked[1].high, 1.07 * b_eff, 1e-9);
    assert_int_equal(ranks.ranked[1].used, 7);
    assert_int_equal(ranks.ranked[1].valid, 0);
    assert_string_equal(ranks.ranked[2].side->label, "C");
    assert_int_equal(ranks.ranked[2].sessions, 6);
    assert_false(is_noted("are not distinguished")); /* 5 and 7 runs are enough for compare's interval */
}

/* 6 runs of 1 to 6 % and 6 runs of `more` in addition; the ratio has a 95 % interval of +-4 %. Intervals of
 * the sides overlap in all rows. With one session on each side, 8.3 % are allowed. */
TEST_WITH(neighbours_are_compared_as_by_compare, scaled_set_up, scaled_tear_down)
{
    static const struct {
        double more, between;
        bool one_day;
        const char *note;
    } rows[] = {{1.02, 0.03, false, "ranks 1 and 2 are not distinguished at 95 % (ratio 0.991 to 1.05)"},
                {1.045, 0.03, false, NULL},
                {1.045, 0.03, true, "(ratio 0.957 to 1.14, with 3 % between sessions)"},
                {1.045, 0, true, NULL}};
    struct scaled *scaled = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct report_settings settings = {.side = {{0, NULL}, {0, "B"}}, .between = rows[i].between};
        scaled->count = 0;
        for (int k = 0; k < 12; k++)
            scaled_run(scaled, (k < 6 ? 1 : rows[i].more) * (1 + 0.01 * (k % 6 + 1)),
                       rows[i].one_day ? 1 + k / 6 : k + 1, "", "");
        assert_int_equal(make_settings(scaled, (size_t[]){6, 12, 0}, settings), 0);
        assert_int_equal(ranks.ranked[0].sessions, rows[i].one_day ? 1 : 6);
        assert_true(ranks.ranked[0].low < ranks.ranked[1].high);
        if (rows[i].note)
            assert_true(is_noted(rows[i].note));
        assert_int_equal(is_noted("not distinguished"), rows[i].note != NULL);
    }
}

/* The least chance of 4 and 4 runs is 2 / 70, which is less than 0.05, but more than 0.05 / 4. */
TEST_WITH(many_neighbours_are_corrected, scaled_set_up, scaled_tear_down)
{
    struct scaled *scaled = *state;
    struct report_settings settings = {0};
    for (int side = 0; side < 5; side++)
        for (int k = 0; k < 4; k++)
            scaled_run(scaled, 1 + 0.1 * side + 0.01 * k, 1 + (int)scaled->count, "", "");
    assert_int_equal(make_settings(scaled, (size_t[]){4, 8, 0}, settings), 0);
    assert_false(is_noted("not distinguished")); /* 2 / 70 of two sides */
    assert_int_equal(make_settings(scaled, (size_t[]){4, 8, 12, 16, 20, 0}, settings), 0);
    assert_true(is_noted("not distinguished at 95 %: too few sessions (4 and 4)"));
}

TEST_WITH(more_than_100_runs_in_one_session_are_not_compared, scaled_set_up, scaled_tear_down)
{
    struct scaled *scaled = *state;
    for (int k = 0; k <= INTERVAL_MAX + 1; k++)
        scaled_run(scaled, k ? 1 : 2, 1, "", "");
    assert_int_equal(make_settings(scaled, (size_t[]){1, scaled->count, 0}, (struct report_settings){0}), 0);
    assert_true(is_noted("too many runs (1 and 101): at most 100 of a side can be compared"));
}

TEST_WITH(without_separators_each_run_is_a_side, scaled_set_up, scaled_tear_down)
{
    struct scaled *scaled = *state;
    add_runs(scaled, 3, 1, "", "");
    assert_int_equal(make_settings(scaled, (size_t[]){0}, (struct report_settings){.sides = 1}), 0);
    assert_int_equal(ranks.sides.sides, 3);
    for (size_t s = 0; s < 3; s++) {
        assert_int_equal(ranks.ranked[s].used, 1);
        assert_contains(ranks.ranked[s].side->label, s == 0 ? "/run-02" : s == 1 ? "/run-01" : "/run-00");
    }
}

/* The other sides are ranked, and this side is listed last. */
TEST_WITH(a_side_without_runs_is_not_eligible, scaled_set_up, scaled_tear_down)
{
    struct scaled *scaled = *state;
    add_runs(scaled, 2, 1, "", "");
    add_runs(scaled, 2, 2, "errors", "98");
    assert_int_equal(make_sides(scaled, 2), 1);
    assert_true(scaled_says(&ranks.sides.skipped, "run-03): data errors (98)"));
    assert_int_equal(ranks.sides.sides, 2);
    assert_int_equal(ranks.ranked[0].used, 2);
    assert_true(ranks.ranked[0].eligible);
    assert_string_equal(ranks.ranked[1].side->label, "B");
    assert_int_equal(ranks.ranked[1].submitted, 2);
    assert_int_equal(ranks.ranked[1].used, 0);
    assert_false(ranks.ranked[1].eligible);
    assert_nan(ranks.ranked[1].figure[0]);
}

/* The fastest side has too few runs. */
TEST_WITH(a_rule_requires_enough_runs_and_a_high_interval, scaled_set_up, scaled_tear_down)
{
    struct scaled *scaled = *state;
    double b_eff = sheet_find(scaled->sample.sheet, "b_eff")->value;
    const size_t ends[] = {6, 12, 17, 0};
    add_runs(scaled, 6, 1, "", "");
    add_runs(scaled, 6, 1.5, "", "");
    add_runs(scaled, 5, 2, "", "");
    /* The runs would be VALID with a longer time, so with --require no side is eligible. */
    assert_int_equal(make_settings(scaled, ends, (struct report_settings){.require = 6}), 0);
    for (size_t s = 0; s < 3; s++) {
        assert_int_equal(ranks.ranked[s].valid, 0);
        assert_string_equal(ranks.ranked[s].rule, "not eligible");
    }
    for (int above = 0; above < 2; above++) { /* the median of the second side is 1.5 * 1.035 */
        double limit = 1.5 * 1.035 * b_eff * (above ? 1.001 : 0.999);
        assert_int_equal(make_settings(scaled, ends, (struct report_settings){.median = limit}), 0);
        assert_string_equal(ranks.ranked[1].rule, above ? "FAIL" : "pass");
        assert_string_equal(ranks.ranked[0].rule, "pass");
    }
    for (int above = 0; above < 2; above++) {
        double limit = 1.5 * 1.01 * b_eff * (above ? 1.001 : 0.999);
        assert_int_equal(make_settings(scaled, ends, (struct report_settings){.at_least = limit}), 0);
        assert_int_equal(ranks.ranked[0].side - ranks.sides.side, 1);
        assert_string_equal(ranks.ranked[0].rule, above ? "FAIL" : "pass");
        assert_int_equal(ranks.ranked[1].side - ranks.sides.side, 0);
        assert_string_equal(ranks.ranked[1].rule, "FAIL");
        assert_int_equal(ranks.ranked[2].side - ranks.sides.side, 2);
        assert_string_equal(ranks.ranked[2].rule, "not eligible");
    }
}

/* A path that does not exist was mistyped. */
TEST_WITH(only_paths_that_exist_were_submitted, scaled_set_up, scaled_tear_down)
{
    struct scaled *scaled = *state;
    add_runs(scaled, 1, 1, "", "");
    scaled->path[scaled->count++] = (char *)(uintptr_t) "nowhere";
    make_one(scaled);
    assert_int_equal(ranks.ranked[0].submitted, 1);
}

static bool is_refused(const char *text)
{
    return scaled_says(&ranks.sides.reasons, text);
}

/* A side is named by its label, by the directory that its runs share, or by its only run; otherwise, the
 * sides are numbered. */
TEST_WITH(sides_are_named_by_their_directories, scaled_set_up, scaled_tear_down)
{
    static const struct {
        const char *path[4], *label, *name[2]; /* two runs before --, two after it */
    } rows[] = {{{"bid-a/1", "bid-a/2", "bid-b/1", "bid-b/2"}, NULL, {"bid-a", "bid-b"}},
                {{"bid-a/1", "bid-a/2", "bid-b/1", "bid-b/2"}, "C", {"C", "bid-b"}},
                {{"bids/a/run-1/", "bids/a/run-2/", "bids/b/1/", "bids/b/2/"}, NULL, {"bids/a", "bids/b"}},
                {{"runs/old-1", "runs/old-2", "runs/new-1", "runs/new-2"}, NULL, {"side 1", "side 2"}},
                {{"runs/old-1", "runs/old-2", "runs/new-1", "runs/new-2"}, "old", {"old", "runs"}},
                {{"old-1", "old-2", "new/1", "new/2"}, NULL, {"side 1", "side 2"}},
                {{"a/1", "ab/2", "b/1", "b/2"}, NULL, {"side 1", "side 2"}}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *paths[4];
        struct report_settings settings = {
            .runs = {paths, 4}, .separated = true, .sides = 2, .side = {{2, rows[i].label}, {4, NULL}}};
        for (int k = 0; k < 4; k++)
            paths[k] = (char *)(uintptr_t)rows[i].path[k];
        rank_free(&ranks);
        rank_make(&ranks, &settings);
        for (size_t s = 0; s < 2; s++)
            assert_string_equal(ranks.sides.side[s].label, rows[i].name[s]);
    }
}

/* A run that differs from the other runs of its side, or a side that differs from most sides in the
 * definition: nothing is ranked, and the message names the run. Sides may differ in their machines. */
TEST_WITH(runs_that_cannot_be_compared_are_refused, scaled_set_up, scaled_tear_down)
{
    static const struct {
        const char *key, *value, *within, *between;
    } rows[] = {{"seed", "1", "seed differs: 1 in ", "seed differs: 20010917 in "},
                {"mpi", "other", "mpi differs: other in ", ""},
                {"nodes", "2", "nodes differs: 2 in ", ""},
                {"placement", "cyclic", "placement differs: cyclic in ", ""},
                {"host", "other", "", ""},
                {"time_s", "77", "", ""}};
    struct scaled *scaled = *state;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int between = 0; between < 2; between++) {
            const char *reason = between ? rows[i].between : rows[i].within;
            scaled->count = 0;
            add_runs(scaled, 3, 1, "", "");
            add_runs(scaled, 1, 1, rows[i].key, rows[i].value);
            assert_int_equal(between ? make_sides(scaled, 3) : make_one(scaled), 0);
            assert_int_equal(ranks.refused, *reason != 0);
            assert_int_equal(is_refused("run-03: odd: remove from the command"), !between && *reason);
            if (*reason)
                assert_true(is_refused(reason));
            for (size_t s = 0; s < ranks.sides.sides; s++)
                assert_int_equal(ranks.ranked[s].eligible, !*reason);
        }
}

TEST_WITH(runs_without_a_rating_are_skipped, scaled_set_up, scaled_tear_down)
{
    struct scaled *scaled = *state;
    scaled->path[scaled->count++] = (char *)(uintptr_t) "protocols/samples/imb-mpi1-n2";
    assert_int_equal(make_one(scaled), 1);
    assert_true(scaled_says(&ranks.sides.skipped, "imb_compat has no rating"));
    assert_false(ranks.ranked[0].eligible);
}
