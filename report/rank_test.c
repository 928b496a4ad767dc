/* Ranks systems whose order is known. */
#include "report/rank.h"

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
    rank_make(&ranks, &settings);
    return (int)ranks.runs.skipped.count;
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
    return scaled_says(&ranks.runs.notes, text);
}

/* Adds `n` runs that are 1 %, 2 % ... faster than `factor`. */
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
    assert_int_equal(make_settings(scaled, (size_t[]){7, 12, 18, 0},
                                   (struct report_settings){.side = {{0, "A"}, {0, "B"}, {0, "C"}}}),
                     0);
    assert_int_equal(ranks.count, 3);
    assert_string_equal(report_meta(ranks.system[0].first, "host"), "fast");
    assert_near(ranks.system[0].figure[0], 2 * 1.03 * b_eff, 1e-9);
    assert_near(ranks.system[0].figure[2], 1.03 * b_eff, 1e-9); /* per process, with two processes */
    assert_nan(ranks.system[0].low);                            /* five runs are too few */
    assert_near(ranks.system[1].figure[0], 1.04 * b_eff, 1e-9);
    assert_near(ranks.system[1].figure[3], 1.04 * lmax, 1e-9);
    assert_near(ranks.system[1].low, 1.01 * b_eff, 1e-9); /* the interval of 6 to 8 runs contains all */
    assert_near(ranks.system[1].high, 1.07 * b_eff, 1e-9);
    assert_int_equal(ranks.system[1].used, 7);
    assert_int_equal(ranks.system[1].valid, 0);
    assert_string_equal(report_meta(ranks.system[2].first, "mpi"), "slow");
    assert_true(is_noted("ranks 1 and 2 cannot be distinguished: an interval is missing"));
    assert_true(is_noted("B: 5 runs, started between "));
    assert_true(is_noted("no interval (6 runs give a 95 % interval, 8 runs a 99 % interval)"));
    assert_true(is_noted("98.4 % interval ")); /* 7 runs, 1 - 2 / 128 */
    rank_free(&ranks);
}

static void intervals_that_overlap_are_noted(void **state)
{
    struct scaled *scaled = *state;
    add_runs(scaled, 6, 1, "", "");
    add_runs(scaled, 6, 1.02, "host", "other");
    assert_int_equal(make_sides(scaled, 6), 0);
    assert_int_equal(ranks.count, 2);
    assert_true(is_noted("ranks 1 and 2 are statistically tied: their intervals overlap"));
    rank_free(&ranks);
    assert_int_equal(make_one(scaled), 0);
    assert_int_equal(ranks.count, 1);
    assert_int_equal(ranks.system[0].used, 12);
    rank_free(&ranks);
}

static void without_sides_each_run_is_a_system(void **state)
{
    struct scaled *scaled = *state;
    add_runs(scaled, 3, 1, "", "");
    assert_int_equal(make_settings(scaled, (size_t[]){0}, (struct report_settings){.sides = 1}), 0);
    assert_int_equal(ranks.count, 3);
    for (size_t s = 0; s < 3; s++) {
        assert_int_equal(ranks.system[s].used, 1);
        assert_string_equal(ranks.system[s].first->path, scaled->path[2 - s]);
        assert_contains(ranks.system[s].name, s == 0 ? "/run-02" : s == 1 ? "/run-01" : "/run-00");
    }
    rank_free(&ranks);
}

/* If the directories are the same, systems are named by the common prefix of the names of their runs. */
static void systems_are_named_by_their_directories(void **state)
{
    static const struct {
        const char *path[4], *name[2]; /* two runs before --, two after it */
    } rows[] = {{{"bid-a/1", "bid-a/2", "bid-b/1", "bid-b/2"}, {"bid-a", "bid-b"}},
                {{"bids/a/run-1/", "bids/a/run-2/", "bids/b/1/", "bids/b/2/"}, {"bids/a", "bids/b"}},
                {{"old-1", "old-2", "new-1", "new-2"}, {"old", "new"}},
                {{"runs/old-1", "runs/old-2", "runs/new-1", "runs/new-2"}, {"runs/old", "runs/new"}},
                {{"bid-a/1", "bid-a/1", "1", "2"}, {"bid-a", "1 ..."}}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *paths[4];
        struct report_settings settings = {
            .runs = {paths, 4}, .separated = true, .sides = 2, .side = {{2, NULL}, {4, NULL}}};
        for (int k = 0; k < 4; k++)
            paths[k] = (char *)(uintptr_t)rows[i].path[k];
        rank_make(&ranks, &settings);
        for (size_t s = 0; s < 2; s++) /* no run can be read, so the order is arbitrary */
            assert_string_equal(ranks.system[s].name, rows[i].name[ranks.system[s].number]);
        rank_free(&ranks);
    }
}

static void runs_that_cannot_be_compared_are_skipped(void **state)
{
    static const struct {
        const char *key, *value, *reason;
    } rows[] = {{"seed", "1", "not comparable: seed differs, 1 here, 20010917 in most runs"},
                {"discarded_errors", "98", "data errors: 98"},
                {"finished", "2026-01-04T11:00:00Z", ""},
                {"mpi", "other", "mpi is MPICH Version: 4.0.2 there, other here"},
                {"host", "other", ""},
                {"started", "2026-01-02T12:00:02Z", "the runs disturbed each other"}};
    struct scaled *scaled = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        scaled_clear(scaled);
        add_runs(scaled, 3, 1, "", "");
        add_runs(scaled, 1, 1, rows[i].key, rows[i].value);
        assert_int_equal(make_one(scaled), *rows[i].reason != 0);
        if (*rows[i].reason)
            assert_true(scaled_says(&ranks.runs.skipped, rows[i].reason));
        assert_int_equal(ranks.system[0].submitted, 4);
        assert_int_equal(ranks.system[0].used, 3 + !*rows[i].reason);
        rank_free(&ranks);
    }
    scaled_clear(scaled);
    scaled->path[scaled->count++] = strdup("protocols/samples/imb-mpi1-n2");
    assert_int_equal(make_one(scaled), 1);
    assert_true(scaled_says(&ranks.runs.skipped, "imb_compat has no rating"));
    assert_false(ranks.system[0].eligible);
    rank_free(&ranks);
}

/* A run cannot remove the runs of another system by stating false times. */
static void runs_of_two_systems_that_overlap_are_noted(void **state)
{
    struct scaled *scaled = *state;
    add_runs(scaled, 1, 1, "finished", "2026-01-30T12:00:00Z");
    add_runs(scaled, 6, 1, "", "");
    assert_int_equal(make_sides(scaled, 1), 0);
    assert_string_equal(ranks.system[0].name, "B");
    assert_int_equal(ranks.system[0].used, 6);
    assert_int_equal(ranks.system[1].used, 1);
    assert_true(is_noted("on a host of the same name"));
    rank_free(&ranks);
}

/* Neither is chosen by its order. */
static void two_definitions_with_as_many_runs_are_not_compared(void **state)
{
    struct scaled *scaled = *state;
    add_runs(scaled, 2, 1, "", "");
    add_runs(scaled, 2, 1, "seed", "1");
    make_sides(scaled, 2);
    for (size_t s = 0; s < 2; s++) {
        assert_false(ranks.system[s].eligible);
        assert_int_equal(ranks.system[s].used, 0);
    }
    assert_true(scaled_says(&ranks.runs.skipped, "seed differs, 1 here, 20010917 in "));
    assert_true(scaled_says(&ranks.runs.skipped, "seed differs, 20010917 here, 1 in "));
    assert_true(scaled_says(&ranks.runs.skipped, "no definition is the most common"));
    rank_free(&ranks);
}

/* The other systems are ranked, and this system is listed last. */
static void a_side_without_runs_is_not_eligible(void **state)
{
    struct scaled *scaled = *state;
    add_runs(scaled, 2, 1, "", "");
    add_runs(scaled, 2, 2, "discarded_errors", "98");
    assert_int_equal(make_sides(scaled, 2), 1);
    assert_true(scaled_says(&ranks.runs.skipped, "run-03): data errors: 98"));
    assert_int_equal(ranks.count, 2);
    assert_int_equal(ranks.system[0].used, 2);
    assert_true(ranks.system[0].eligible);
    assert_string_equal(ranks.system[1].name, "B");
    assert_int_equal(ranks.system[1].submitted, 2);
    assert_int_equal(ranks.system[1].used, 0);
    assert_false(ranks.system[1].eligible);
    assert_nan(ranks.system[1].figure[0]);
    rank_free(&ranks);
}

/* The fastest system has too few runs. */
static void a_rule_requires_enough_runs_and_a_high_interval(void **state)
{
    struct scaled *scaled = *state;
    double b_eff = sheet_find(scaled->sample.sheet, "b_eff")->value;
    const size_t ends[] = {6, 12, 17, 0};
    add_runs(scaled, 6, 1, "", "");
    add_runs(scaled, 6, 1.5, "", "");
    add_runs(scaled, 5, 2, "", "");
    /* The runs would be VALID with a longer time, so with --require no system is eligible. */
    assert_int_equal(make_settings(scaled, ends, (struct report_settings){.require = 6}), 0);
    for (size_t s = 0; s < 3; s++) {
        assert_int_equal(ranks.system[s].valid, 0);
        assert_string_equal(ranks.system[s].rule, "not eligible");
    }
    rank_free(&ranks);
    for (int above = 0; above < 2; above++) {
        double limit = 1.5 * 1.01 * b_eff * (above ? 1.001 : 0.999);
        assert_int_equal(make_settings(scaled, ends, (struct report_settings){.at_least = limit}), 0);
        assert_int_equal(ranks.system[0].number, 1);
        assert_string_equal(ranks.system[0].rule, above ? "FAIL" : "pass");
        assert_int_equal(ranks.system[1].number, 0);
        assert_string_equal(ranks.system[1].rule, "FAIL");
        assert_int_equal(ranks.system[2].number, 2);
        assert_string_equal(ranks.system[2].rule, "not eligible");
        rank_free(&ranks);
    }
}

static void runs_that_break_a_rule_of_procurement_are_noted(void **state)
{
    static const struct {
        const char *key, *value, *note;
        bool noted;
    } rows[] = {{"memory_source", "given", "--memory was given", true},
                {"memory_source", "detected", "--memory was given", false},
                {"option_max-loops", "7", "--max-loops was given", true},
                {"option_max-loops", "0", "--max-loops was given", false},
                {"started", "2026-01-03T12:59:59Z", "started less than an hour after another run", true},
                {"started", "2026-01-03T13:00:00Z", "started less than an hour after another run", false}};
    struct scaled *scaled = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        scaled_clear(scaled);
        bool all = strcmp(rows[i].key, "started") != 0; /* runs with different options are not comparable */
        add_runs(scaled, 3, 1, all ? rows[i].key : "", rows[i].value);
        scaled_run(scaled, 1.05, 4, rows[i].key, rows[i].value);
        for (int require = 0; require < 2; require++) { /* without a rule, nothing is noted */
            make_settings(scaled, (size_t[]){4, 0}, (struct report_settings){.require = require});
            assert_int_equal(is_noted(rows[i].note), require && rows[i].noted);
            rank_free(&ranks);
        }
    }
}

/* A path that does not exist was mistyped. */
static void only_paths_that_exist_were_submitted(void **state)
{
    struct scaled *scaled = *state;
    add_runs(scaled, 1, 1, "", "");
    scaled->path[scaled->count++] = strdup("nowhere");
    make_one(scaled);
    assert_int_equal(ranks.system[0].submitted, 1);
    rank_free(&ranks);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scaled_set_up, scaled_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(systems_are_sorted_with_their_medians),
        TEST(intervals_that_overlap_are_noted),
        TEST(without_sides_each_run_is_a_system),
        TEST(systems_are_named_by_their_directories),
        TEST(runs_that_cannot_be_compared_are_skipped),
        TEST(runs_of_two_systems_that_overlap_are_noted),
        TEST(two_definitions_with_as_many_runs_are_not_compared),
        TEST(a_side_without_runs_is_not_eligible),
        TEST(a_rule_requires_enough_runs_and_a_high_interval),
        TEST(runs_that_break_a_rule_of_procurement_are_noted),
        TEST(only_paths_that_exist_were_submitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
