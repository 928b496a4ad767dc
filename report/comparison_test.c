/* Compares two sides of runs whose ratio is known. The runs are made from real protocols, whose times are
 * multiplied by a factor. */
#include "report/comparison.h"

#include <time.h>

#include "common/memory.h"
#include "common/random.h"
#include "imb_compat/results.h"
#include "report/edit_test.h"
#include "report/scaled_test.h"
#include "tests/unit.h"

/* Adds a run `factor` times as fast as the sample, with up to 1 % of noise in each cell, and with noise of up
 * to `noise` that is common to all cells. The metadata key `key` gets the value `value`. */
static void make_run(struct scaled *place, double factor, double noise, const char *key, const char *value)
{
    struct random_stream random;
    char name[32], memory[24];
    random_start(&random, 7, (uint64_t)place->count);
    snprintf(name, sizeof name, "run-%zu", place->count);
    snprintf(memory, sizeof memory, "%lld", strtoll(value, NULL, 10) >> 13);
    bool resized = strcmp(key, "lmax") == 0;
    const struct scaled_change changes[] = {{"started", name},
                                            {key, value},
                                            {resized ? "memory_source" : "", "detected"},
                                            {resized ? "memory_per_process_mib" : "", memory}};
    char *path = place->path[place->count++] = unit_path(place->directory, name);
    factor *= 1 + noise * ((double)random_below(&random, 2001) / 1000 - 1);
    scaled_write(&place->sample, path, factor, &random, changes, COUNT(changes));
}

static void make_runs(struct scaled *place, int n, double factor)
{
    for (int i = 0; i < n; i++)
        make_run(place, factor, 0.02, "", "");
}

static struct comparison c;
static struct report_settings options = {.threshold = NAN}; /* for compare_paths() */

static void compare_paths(char *const *paths, size_t count, size_t first, bool allow_invalid)
{
    struct report_settings settings = options;
    settings.runs = (struct texts){(char **)(uintptr_t)paths, count};
    settings.sides = 2;
    settings.side[0].end = first;
    settings.side[1].end = count;
    settings.allow_invalid = allow_invalid;
    comparison_free(&c);
    comparison_make(&c, &settings);
}

static struct comparison *compare(struct scaled *place, size_t first)
{
    compare_paths(place->path, place->count, first, true); /* the sample is NOT VALID */
    return &c;
}

static enum verdict judge(struct comparison *c, double threshold)
{
    c->threshold = threshold;
    return comparison_judge(c);
}

static int set_up(void **state)
{
    options = (struct report_settings){.threshold = NAN};
    return scaled_set_up(state);
}

/* The machine gets faster from pair to pair, which has no effect on the ratios of the pairs. */
TEST_WITH(pairs_cancel_what_both_runs_share, set_up, scaled_tear_down)
{
    for (int i = 0; i < 16; i++)
        make_run(*state, (i < 8 ? 1 : 0.9) * (1 + 0.2 * (i % 8)), 0.004, "", "");
    struct comparison *c = compare(*state, 8);
    assert_int_equal(comparison_verdict(c), VERDICT_OPEN);
    options.look = 1;
    c = compare(*state, 8);
    assert_int_equal(c->sides.reasons.count, 0);
    assert_near(c->rating->ratio.value, 0.9, 0.01);
    assert_close(c->level, 1 - 4.0 / 256); /* P(W < 2) = 2 / 256; the level of the first look is 0.9844 */
    assert_int_equal(comparison_verdict(c), VERDICT_WORSE);
    assert_int_equal(judge(c, 0.05), VERDICT_WORSE);
    assert_int_equal(judge(c, 0.15), VERDICT_BETTER);
    c = compare(*state, 7);
    assert_int_equal(comparison_verdict(c), VERDICT_NONE);
    assert_contains(c->sides.reasons.line[0].text, "--pairs needs as many runs");
    options.look = 0;
}

/* The number of the look, and whether there is a next one, follow from the number of pairs. */
TEST_WITH(the_last_look_is_accepted, set_up, scaled_tear_down)
{
    size_t pairs = pairs_of_look(PAIRS_LOOKS);
    for (size_t i = 0; i < 2 * pairs; i++)
        scaled_run(*state, i < pairs ? 1 : 0.99, 1 + (int)(i % 28), "", "");
    options.looks = true;
    struct comparison *c = compare(*state, pairs);
    assert_int_equal(c->sides.reasons.count, 0);
    assert_int_equal(c->basis.look, PAIRS_LOOKS);
    assert_true(scaled_says(&c->sides.notes, "158 pairs are not from one session")); /* 28 days of several */
    assert_int_equal(c->next, 0);
    assert_int_equal(comparison_verdict(c), VERDICT_WORSE);
    struct scaled *scaled = *state;
    char *few[] = {scaled->path[0], scaled->path[1], scaled->path[pairs], scaled->path[pairs + 1]};
    compare_paths(few, 4, 2, true);
    assert_int_equal(c->basis.look, 1);
    assert_int_equal(c->next, 7);
}

/* One session on each side: 1.96 * 3 % * sqrt(2) = 8.3 % are allowed for what sessions differ by. */
TEST_WITH(a_loss_within_the_differences_between_sessions_is_not_decided, set_up, scaled_tear_down)
{
    for (int i = 0; i < 12; i++)
        scaled_run(*state, i < 6 ? 1 : 0.94, i < 6 ? 1 : 2, "", "");
    struct comparison *c = compare(*state, 6);
    assert_int_equal(comparison_verdict(c), VERDICT_WORSE); /* no allowance */
    options.between = 0.03;
    c = compare(*state, 6);
    assert_int_equal(c->basis.sessions[0], 1);
    assert_int_equal(c->basis.sessions[1], 1);
    assert_int_equal(comparison_verdict(c), VERDICT_OPEN);
    assert_true(c->hidden);
    assert_near(c->rating->ratio.high, 0.94 * exp(0.0832), 1e-3);
    assert_near(c->rating->ratio.low, 0.94 * exp(-0.0832), 1e-3);
}

/* With four sessions of two runs on each side, the medians of the sessions are compared: 4 and 4 values. */
TEST_WITH(medians_of_four_sessions_are_compared, set_up, scaled_tear_down)
{
    for (int i = 0; i < 16; i++)
        scaled_run(*state, i < 8 ? 1 : 0.94, 1 + i / 2, "", "");
    options.between = 0.03;
    struct comparison *c = compare(*state, 8);
    assert_true(c->basis.by_session);
    assert_int_equal(c->basis.sessions[1], 4);
    assert_close(c->level, 1 - 2.0 / 70);
    assert_int_equal(comparison_verdict(c), VERDICT_WORSE);
}

/* Only the values that are compared are limited: a nightly job makes 13 runs a night. */
TEST_WITH(many_runs_are_compared_by_session, set_up, scaled_tear_down)
{
    struct scaled *scaled = *state;
    for (int i = 0; i < 12 * 13; i++)
        scaled_run(scaled, i < 8 * 13 ? 1 : 0.94, 1 + i / 13, "", "");
    struct comparison *c = compare(scaled, 8 * 13);
    assert_int_equal(c->sides.reasons.count, 0);
    assert_int_equal(c->basis.count[0], 8);
    assert_int_equal(comparison_verdict(c), VERDICT_WORSE);
    char *paths[SCALED_MAX]; /* one session after the change */
    memcpy(paths, scaled->path, sizeof paths);
    memcpy(paths + INTERVAL_MAX + 1, scaled->path + 12 * 13 - 5, 5 * sizeof *paths);
    compare_paths(paths, INTERVAL_MAX + 6, INTERVAL_MAX + 1, true);
    assert_int_equal(c->sides.reasons.count, 1);
    assert_true(scaled_says(&c->sides.reasons, "too many runs (101 and 5): at most 100 on a side, or"));
    assert_int_equal(comparison_verdict(c), VERDICT_NONE);
    assert_int_equal(c->count, 0);
}

/* Runs of one batch job are one session, even days later and on another of its nodes. */
TEST_WITH(a_batch_job_is_a_session, set_up, scaled_tear_down)
{
    for (int i = 0; i < 8; i++)
        scaled_run(*state, i < 4 ? 1 : 0.94, 1 + i, "job", i < 4 ? "17" : "18");
    struct comparison *c = compare(*state, 4);
    assert_int_equal(c->basis.sessions[0], 1);
    assert_int_equal(c->basis.sessions[1], 1);
    assert_false(c->basis.by_session);
    ((struct scaled *)*state)->count = 0;
    for (char host[] = "0c47a1b2c3d0"; host[11] < '8'; host[11]++) /* a container for each run */
        scaled_run(*state, 1, host[11] < '4' ? 1 : 2, "host", host);
    assert_int_equal(compare(*state, 4)->basis.sessions[1], 1);
}

/* Eight old sessions differ by 0.5 %, and so 1.96 (here: t = 2.365) standard deviations allow less than the
 * assumed 3 %. Sessions that differ by 10 % allow more. Three sessions are too few. The folder also has a run
 * after the change, which does not count. */
TEST_WITH(the_allowance_is_measured_from_old_sessions, set_up, scaled_tear_down)
{
    static const struct {
        double differ;
        int sessions;
        enum verdict verdict;
    } rows[] = {{0.005, 7, VERDICT_WORSE}, {0.1, 7, VERDICT_OPEN}, {0.005, 2, VERDICT_NONE}};
    struct scaled *place = *state;
    options.between = 0.03;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *folder = unit_path(place->directory, "old"), *kept = place->directory;
        place->count = 0;
        for (int k = 0; k < 8; k++)
            scaled_run(place, k < 4 ? 1 : 0.94, k < 4 ? 1 : 20, "", "");
        compare(place, 4);
        assert_int_equal(comparison_verdict(&c), VERDICT_OPEN);
        unit_remove(folder);
        assert_int_equal(mkdir(folder, 0777), 0);
        place->directory = folder;
        for (int k = 0; k < rows[i].sessions; k++) {
            scaled_run(place, k % 2 ? 1 - rows[i].differ : 1 + rows[i].differ, 2 + k, "", "");
            char *as = text_format("%s.prot", place->path[--place->count]);
            assert_int_equal(rename(place->path[place->count], as), 0);
            place->count++;
            free(as);
        }
        place->directory = kept;
        place->count = 8;
        assert_int_equal(link(place->path[4], unit_path(folder, "after.prot")), 0);
        texts_add(&options.history, "%s", folder);
        compare(place, 4);
        texts_free(&options.history);
        assert_int_equal(comparison_verdict(&c), rows[i].verdict);
        assert_int_equal(c.old, rows[i].sessions > 3 ? 8 : 0);
    }
    assert_true(scaled_says(&c.sides.reasons, "--history: 3 comparable sessions, at least 4 are needed"));
}

/* Two machines that measure at the same time share no session. */
TEST_WITH(runs_that_alternate_in_a_session_need_no_allowance, set_up, scaled_tear_down)
{
    char *paths[8], started[32];
    struct scaled *scaled = *state;
    options.between = 0.5;
    for (int hosts = 1; hosts <= 2; hosts++) {
        scaled->count = 0;
        for (int i = 0; i < 8; i++) {
            scaled_run(scaled, i % 2 ? 0.94 : 1, 1, "host", i % hosts ? "n5" : "n1");
            snprintf(started, sizeof started, "2026-01-01T12:%02d:00Z", i);
            edit_copy(scaled->path[i], scaled->path[i], "started", started);
            paths[i / 2 + i % 2 * 4] = scaled->path[i];
        }
        compare_paths(paths, 8, 4, true);
        assert_int_equal(c.basis.allowance > 0, hosts == 2);
        assert_int_equal(comparison_verdict(&c), hosts == 2 ? VERDICT_OPEN : VERDICT_WORSE);
    }
}

/* Six sessions differ by 5 %, not by the assumed 3 %. One session on the other side is below the lowest. */
TEST_WITH(sessions_of_one_side_that_differ_more_than_assumed_count, set_up, scaled_tear_down)
{
    static const double before[] = {1.03, 0.94, 1.08, 0.97, 1.05, 1};
    struct scaled *scaled = *state;
    for (int i = 0; i < 18; i++) /* the first six are also the last */
        scaled_run(scaled, i / 6 == 1 ? 0.915 : before[i % 6], i / 6 == 1 ? 20 : 1 + i % 6, "", "");
    options.between = 0.03;
    for (int swapped = 0; swapped < 2; swapped++) {
        compare_paths(scaled->path + 6 * swapped, 12, 6, true);
        assert_near(c.basis.between, 0.0515, 1e-3);
        assert_int_equal(comparison_verdict(&c), VERDICT_OPEN);
    }
}

TEST_WITH(a_faster_side_is_better_in_every_figure, set_up, scaled_tear_down)
{
    make_runs(*state, 5, 1);
    make_runs(*state, 5, 1.25);
    struct comparison *c = compare(*state, 5);
    const struct compared *rating = c->rating;
    assert_int_equal(c->sides.reasons.count, 0);
    assert_non_null(rating);
    assert_string_equal(rating->figure->name, "b_eff");
    assert_near(rating->ratio.value, 1.25, 0.03);
    assert_true(rating->ratio.low <= 1.25 && rating->ratio.high >= 1.25);
    assert_true(c->count > 40);
    assert_int_equal(comparison_verdict(c), VERDICT_BETTER);
    int times = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct compared *row = &c->compared[i];
        assert_true(row->figure->lower ? row->ratio.high < 1 : row->ratio.low > 1);
        times += row->figure->lower;
    }
    assert_true(times > 0); /* latencies, for which less is better */
    assert_int_equal(judge(c, 0), VERDICT_BETTER);
}

TEST_WITH(a_loss_is_compared_with_the_threshold, set_up, scaled_tear_down)
{
    make_runs(*state, 4, 1);
    make_runs(*state, 4, 0.9);
    struct comparison *c = compare(*state, 4);
    assert_int_equal(comparison_verdict(c), VERDICT_WORSE);
    assert_int_equal(judge(c, 0.02), VERDICT_WORSE);
    assert_int_equal(judge(c, 0.1), VERDICT_OPEN);
    assert_int_equal(judge(c, 0.2), VERDICT_BETTER);
}

TEST_WITH(equal_sides_are_inconclusive, set_up, scaled_tear_down)
{
    make_runs(*state, 5, 1);
    make_runs(*state, 5, 1);
    struct comparison *c = compare(*state, 5);
    const struct compared *rating = c->rating;
    assert_int_equal(comparison_verdict(c), VERDICT_OPEN);
    assert_true(rating->ratio.low < 1 && rating->ratio.high > 1);
    assert_int_equal(judge(c, 0.1), VERDICT_BETTER);
}

TEST_WITH(too_few_runs_have_ratios_but_no_verdict, set_up, scaled_tear_down)
{
    make_runs(*state, 3, 1);
    make_runs(*state, 4, 2);
    struct comparison *c = compare(*state, 3);
    assert_int_equal(c->sides.reasons.count, 1);
    assert_true(scaled_says(&c->sides.reasons, "too few runs (3 and 4)"));
    assert_near(c->rating->ratio.value, 2, 0.05);
    assert_int_equal(comparison_verdict(c), VERDICT_NONE);
    assert_nan(c->level);
}

TEST_WITH(other_definitions_are_refused, set_up, scaled_tear_down)
{
    static const struct {
        const char *key, *value;
    } rows[] = {{"seed", "1"},
                {"memory_source", "detected"},
                {"option_max-loops", "300"},
                {"option_clock", "simulated"}};
    struct scaled *place = *state;
    make_runs(place, 7, 1);
    for (size_t i = 0; i < COUNT(rows); i++) {
        make_run(place, 1, 0.02, rows[i].key, rows[i].value);
        struct comparison *c = compare(place, 4);
        assert_false(!c->sides.reasons.count);
        assert_int_equal(c->count, 0);
        assert_true(scaled_says(&c->sides.reasons, rows[i].key));
        assert_true(scaled_says(&c->sides.reasons, rows[i].value));
        assert_true(scaled_says(&c->sides.reasons, "run-7"));
        place->count--;
    }
}

TEST_WITH(another_engine_is_refused, set_up, scaled_tear_down)
{
    struct scaled *place = *state;
    make_runs(place, 4, 1);
    char *paths[] = {place->path[0], place->path[1], place->path[2], place->path[3],
                     "protocols/samples/imb-mpi1-n2"};
    compare_paths(paths, 5, 4, true);
    assert_true(scaled_says(&c.sides.reasons, "imb_compat"));
    assert_null(c.rating);
    paths[4] = "nowhere";
    compare_paths(paths, 5, 4, true);
    assert_true(scaled_says(&c.sides.skipped, "nowhere"));
    assert_true(scaled_says(&c.sides.reasons, "no usable run after"));
}

/* If many runs are skipped for the same reason, one line names them all. That they also lack time does not
 * matter. */
TEST_WITH(invalid_runs_are_skipped, set_up, scaled_tear_down)
{
    struct scaled *place = *state;
    for (int day = 1; day <= 14; day++)
        scaled_run(place, 1, day, "", "");
    compare_paths(place->path, 14, 7, false);
    assert_int_equal(c.sides.skipped.count, 1);
    assert_true(scaled_says(&c.sides.skipped, "14 runs ("));
    assert_true(scaled_says(&c.sides.skipped, "NOT VALID for comparison: "));
    assert_true(scaled_says(&c.sides.reasons, "no usable run before"));
    assert_int_equal(c.sides.notes.count, 0);
    assert_false(c.sides.timed);
    assert_int_equal(c.count, 0);
}

#define ENVIRONMENT "\n#: environment = "

TEST_WITH(changed_circumstances_are_listed, set_up, scaled_tear_down)
{
    struct scaled *place = *state;
    make_runs(place, 8, 1);
    for (int i = 0; i < 8; i++)
        edit_copy(place->path[i], place->path[i], "kernel", /* and environment lines after it */
                  i < 4 ? "6.1.0-28" ENVIRONMENT "interface eth7=10000 Mbit/s, up" ENVIRONMENT
                          "FI_PROVIDER=tcp"
                  : i < 7 ? "6.1.0-31" ENVIRONMENT "UCX_TLS=tcp" ENVIRONMENT "interface eth7=1000 Mbit/s, up"
                          : "6.1.0-31" ENVIRONMENT "UCX_TLS=tcp" ENVIRONMENT
                            "interface eth7=1000 Mbit/s, up" ENVIRONMENT "OMP_NUM_THREADS=2");
    struct comparison *c = compare(place, 4);
    assert_int_equal(c->sides.changes.count, 4);
    assert_true(scaled_says(&c->sides.changes, "kernel 6.1.0-28 -> 6.1.0-31"));
    assert_true(scaled_says(&c->sides.changes, "UCX_TLS unset -> tcp"));
    assert_true(scaled_says(&c->sides.changes, "FI_PROVIDER tcp -> unset"));
    assert_true(scaled_says(&c->sides.changes, "interface eth7 10000 Mbit/s, up -> 1000 Mbit/s, up"));
    assert_true(scaled_says(&c->sides.notes, "OMP_NUM_THREADS varies within "));
}

static double others = 1; /* factor of the times of the other rows that make_rows() writes */

/* Makes `n` runs of imb_compat from a sample, with up to 1 % of noise in each row. The time of row number
 * `slow` is multiplied by `factor`; if that is 0, the row is missing. The metadata key `key` gets the value
 * `value`. */
static void make_rows(struct scaled *place, int n, size_t slow, double factor, const char *key,
                      const char *value)
{
    struct report sample;
    struct protocol out;
    struct message error;
    struct random_stream random;
    assert_int_equal(report_open(&sample, "protocols/samples/imb-mpi1-n2", &error), 0);
    const struct protocol *in = &sample.protocol;
    for (; n > 0; n--) {
        char name[32];
        random_start(&random, 5, (uint64_t)place->count);
        snprintf(name, sizeof name, "rows-%zu", place->count);
        char *path = place->path[place->count++] = unit_path(place->directory, name);
        assert_int_equal(protocol_create(&out, path, true, in->type, &error), 0);
        scaled_meta(&out, in, &(struct scaled_change){key, value}, 1);
        for (size_t i = 0; i < in->records.count; i++) {
            struct imb_record r = *(const struct imb_record *)protocol_at(in, i);
            double times = (1 + (double)random_below(&random, 1000) / 1e5) * (i == slow ? factor : others);
            r.t_min *= times;
            r.t_avg *= times;
            r.t_max *= times;
            r.bandwidth /= times;
            r.msg_rate /= times;
            if (factor > 0 || i != slow)
                protocol_record(&out, &r);
        }
        edit_finish(sample.engine, &out);
    }
    report_free(&sample);
}

/* Returns the only row that is much slower after the change; NULL if there is none. */
static const struct compared *slow_row(const struct comparison *c)
{
    const struct compared *found = NULL;
    for (size_t i = 1; i < c->count; i++) /* row 0 is the mean */
        if (c->compared[i].apart.value > 1.5) {
            assert_null(found);
            found = &c->compared[i];
        }
    return found;
}

enum { SLOW = 20 };

/* One row at twice the time is not hidden by the mean of all rows, which it changes by 0.8 %. */
TEST_WITH(one_slow_row_decides, set_up, scaled_tear_down)
{
    struct scaled *place = *state;
    options.threshold = 0.2;
    make_rows(place, 8, 0, 1, "", "");
    make_rows(place, 8, SLOW, 2, "", "");
    compare_paths(place->path, 16, 8, true);
    const struct compared *row = slow_row(&c);
    assert_true(comparison_has_mean(&c));
    assert_near(c.rating->ratio.value, pow(2, 1.0 / (double)(c.count - 1)), 2e-3);
    assert_int_equal(c.sides.reasons.count, 0);
    assert_non_null(row);
    assert_near(row->ratio.value, 2, 0.01);
    assert_true(row->significant && row->lost);
    for (size_t i = 0; i < c.count; i++)
        assert_true(c.compared[i].significant == (&c.compared[i] == row));
    assert_int_equal(comparison_judge(&c), VERDICT_WORSE);
    options.threshold = 1.2; /* the row did not get worse by more than 120 % */
    compare_paths(place->path, 16, 8, true);
    assert_int_equal(comparison_judge(&c), VERDICT_BETTER);
    compare_paths((char *[]){place->path[8], place->path[9], place->path[10], place->path[11], place->path[0],
                             place->path[1], place->path[2], place->path[3]},
                  8, 4, true); /* 4 and 4 runs: a single row among many is no evidence */
    assert_false(slow_row(&c));
}

/* All rows take 1.3 times as long: the mean decides with 4 and 4 runs, and no row is named. */
TEST_WITH(the_mean_of_all_rows_decides, set_up, scaled_tear_down)
{
    struct scaled *place = *state;
    options.threshold = 0.2;
    make_rows(place, 4, 0, 1, "", "");
    others = 1.3;
    make_rows(place, 4, 0, 1.3, "", "");
    others = 1;
    compare_paths(place->path, 8, 4, true);
    assert_near(c.rating->ratio.value, 1.3, 0.005);
    assert_int_equal(comparison_verdict(&c), VERDICT_WORSE);
    assert_int_equal(comparison_judge(&c), VERDICT_WORSE);
    for (size_t i = 0; i < c.count; i++)
        assert_false(c.compared[i].significant);
}

/* All rows but one got twice as fast. This row is slower than the others, but it did not get slower. */
TEST_WITH(a_row_that_stayed_as_it_was_is_no_loss, set_up, scaled_tear_down)
{
    struct scaled *place = *state;
    options.threshold = 0.2;
    make_rows(place, 8, 0, 1, "", "");
    others = 0.5;
    make_rows(place, 8, SLOW, 1, "", "");
    others = 1;
    compare_paths(place->path, 16, 8, true);
    const struct compared *row = slow_row(&c);
    assert_non_null(row);
    assert_true(row->significant && !row->lost);
    assert_near(row->ratio.value, 1, 0.01);
    assert_int_equal(comparison_judge(&c), VERDICT_BETTER);
}

/* With one session on each side, a row that is 6 % slower than the others is no evidence; 30 % are. The
 * interval of a named row has the level of the selection: 1 of 83 rows. */
TEST_WITH(marks_of_rows_include_differences_between_sessions, set_up, scaled_tear_down)
{
    static const struct {
        double slower, between;
        bool named;
    } rows[] = {{1.06, 0, true}, {1.06, 0.03, false}, {1.3, 0.03, true}};
    struct scaled *place = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        place->count = 0;
        options.between = rows[i].between;
        make_rows(place, 8, 0, 1, "", "");
        make_rows(place, 8, SLOW, rows[i].slower, "", "");
        compare_paths(place->path, 16, 8, true);
        size_t named = 0;
        for (size_t k = 0; k < c.count; k++)
            named += c.compared[k].significant;
        assert_int_equal(named, rows[i].named);
        assert_close(c.chosen, 1 - 0.05 / (double)(c.count - 1));
    }
}

/* A row that is missing on one side, perhaps because it is too slow, did not stay as fast. */
TEST_WITH(missing_rows_are_not_fast, set_up, scaled_tear_down)
{
    struct scaled *place = *state;
    options.threshold = 0.2;
    make_rows(place, 8, 0, 1, "", "");
    make_rows(place, 8, SLOW, 0, "", "");
    for (int after = 0; after < 2; after++) {
        char *paths[16];
        for (int i = 0; i < 16; i++)
            paths[i] = place->path[(i + 8 * after) % 16];
        compare_paths(paths, 16, 8, true);
        assert_int_equal(c.sides.reasons.count, 0);
        assert_int_equal(c.missing, 1);
        assert_int_equal(comparison_judge(&c), VERDICT_OPEN);
    }
}

TEST_WITH(equal_rows_did_not_get_slower, set_up, scaled_tear_down)
{
    struct scaled *place = *state;
    options.threshold = 0.02;
    make_rows(place, 16, 0, 1, "", "");
    compare_paths(place->path, 16, 8, true);
    assert_int_equal(comparison_verdict(&c), VERDICT_OPEN);
    assert_int_equal(comparison_judge(&c), VERDICT_BETTER);
    options.looks = true; /* pairs go on until each row is decided */
    options.threshold = 1e-3;
    compare_paths(place->path, 14, 7, true);
    assert_int_equal(comparison_judge(&c), VERDICT_OPEN);
    c.threshold = 1e-4; /* more runs are needed to exclude so small a loss */
    assert_int_equal(comparison_judge(&c), VERDICT_OPEN);
}

/* A run made before an option existed did what a run without the option does. */
TEST_WITH(runs_made_before_an_option_lack_it, set_up, scaled_tear_down)
{
    struct scaled *place = *state;
    make_rows(place, 1, 0, 1, "option_check", NULL);
    make_rows(place, 1, 0, 1, "option_check", "no");
    make_rows(place, 1, 0, 1, "option_check", "yes");
    compare_paths(place->path, 2, 1, true);
    assert_false(scaled_says(&c.sides.reasons, "option_check"));
    compare_paths((char *[]){place->path[0], place->path[2]}, 2, 1, true);
    assert_true(scaled_says(&c.sides.reasons, "option_check differs: no in "));
}

/* A run that was copied under another name or date is no second measurement. */
TEST_WITH(equal_records_count_once, set_up, scaled_tear_down)
{
    struct scaled *place = *state;
    make_runs(place, 8, 1);
    char *copied = unit_path(place->directory, "copied");
    edit_copy(place->path[0], copied, "started", "2026-01-02T00:00:00Z");
    compare_paths((char *[]){place->path[0], copied, place->path[0], place->path[1], place->path[2],
                             place->path[4], place->path[5], place->path[6], place->path[7]},
                  9, 5, true);
    assert_int_equal(c.before, 3);
    assert_true(scaled_says(&c.sides.skipped, "2 runs ("));
    assert_true(scaled_says(&c.sides.skipped, "has the same records as "));
    assert_true(scaled_says(&c.sides.reasons, "too few runs (3 and 4)"));
    compare_paths((char *[]){place->path[0], copied}, 2, 1, true);
    assert_true(scaled_says(&c.sides.reasons, "no usable run after"));
}

/* The run whose seed differs is to be removed. */
TEST_WITH(the_odd_run_is_named, set_up, scaled_tear_down)
{
    struct scaled *place = *state;
    make_runs(place, 7, 1);
    make_run(place, 1, 0.02, "seed", "1");
    compare(place, 4);
    char *remove = text_format("%s: odd: remove from the command", place->path[7]);
    assert_true(scaled_says(&c.sides.reasons, "seed differs: 1 in "));
    assert_true(scaled_says(&c.sides.reasons, remove));
    assert_int_equal(c.sides.reasons.count, 2);
    free(remove);
}

TEST_WITH(long_values_are_shown_where_they_differ, set_up, scaled_tear_down)
{
    struct scaled *place = *state;
    char values[2][200];
    memset(values, 'x', sizeof values);
    for (int i = 0; i < 2; i++) {
        values[i][199] = 0;
        memcpy(values[i] + 150, i ? "cyclic" : "block!", 6);
        make_run(place, 1, 0.02, "placement", values[i]);
    }
    compare(place, 1);
    assert_true(scaled_says(&c.sides.reasons, "xblock!x"));
    assert_true(scaled_says(&c.sides.reasons, "xcyclicx"));
    assert_true(scaled_says(&c.sides.reasons, "placement differs: ...xxx"));
}

static void set_factor(const char *factor)
{
    options.factors = (struct texts){0};
    texts_add(&options.factors, "%s", factor);
}

/* Makes two sides whose runs have these values of a key. */
static void make_factor(struct scaled *place, const char *key, const char *before, const char *after)
{
    for (int i = 0; i < 8; i++)
        make_run(place, 1, 0.02, key, i < 4 ? before : after);
}

TEST_WITH(what_was_changed_on_purpose_may_differ, set_up, scaled_tear_down)
{
    static const struct {
        const char *key, *before, *after, *factor, *text;
    } rows[] = {
        {"placement", "block 1", "cyclic 2", "placement", "placement block 1 -> cyclic 2"},
        {"option_methods", "Sendrecv", "Alltoallv", "methods", "option_methods Sendrecv -> Alltoallv"},
        {"memory_source", "detected", "unknown", "memory", "memory_source detected -> unknown"},
        {"mpi", "A  1", "B 1", "mpi", "mpi A 1 -> B 1"},
        {"environment", "UCX_TLS=tcp", "UCX_TLS=self", "UCX_TLS", "UCX_TLS tcp -> self"}};
    struct scaled *place = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        place->count = 0;
        make_factor(place, rows[i].key, rows[i].before, rows[i].after);
        bool known = strcmp(rows[i].key, "mpi") == 0 || strcmp(rows[i].key, "environment") == 0;
        compare(place, 4); /* without --factor */
        assert_int_equal(c.sides.reasons.count, known ? 0 : 2);
        char *hint = text_format("if this is what you changed: --factor %s", rows[i].factor);
        assert_int_equal(scaled_says(&c.sides.reasons, hint), !known);
        assert_int_equal(scaled_says(&c.sides.changes, rows[i].text), known);
        free(hint);
        set_factor(rows[i].factor);
        compare(place, 4);
        assert_int_equal(c.sides.reasons.count, 0);
        assert_int_equal(c.sides.changes.count, 0);
        assert_true(scaled_says(&c.sides.factors, rows[i].text));
        assert_int_equal(comparison_verdict(&c), VERDICT_OPEN);
        texts_free(&options.factors);
    }
}

/* A factor must be what it claims to be: the same within each side, and different between the sides. */
TEST_WITH(a_factor_that_changed_nothing_is_refused, set_up, scaled_tear_down)
{
    static const struct {
        const char *factor, *before, *after, *reason;
        int changed; /* number of the first run with the second value */
    } rows[] = {{"placement", "block", "cyclic", "placement differs: ", 3},
                {"placement", "block", "cyclic", "placement differs: ", 6},
                {"placement", "block", "block", "--factor placement: it is the same on both sides", 4},
                {"UCX_TLS", "block", "block", "no run has a key, an option or a variable UCX_TLS", 4},
                {"definition", "block", "block", "no run has a key, an option or a variable definition", 4}};
    struct scaled *place = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        place->count = 0;
        for (int k = 0; k < 8; k++)
            make_run(place, 1, 0.02, "placement", k < rows[i].changed ? rows[i].before : rows[i].after);
        set_factor(rows[i].factor);
        compare(place, 4);
        assert_true(scaled_says(&c.sides.reasons, rows[i].reason));
        assert_int_equal(comparison_verdict(&c), VERDICT_NONE);
        texts_free(&options.factors);
    }
}

/* The time is nearly proportional to the number of lines. */
TEST_WITH(many_variables_are_compared_fast, set_up, scaled_tear_down)
{
    struct scaled *place = *state;
    struct stream stream;
    FILE *out = stream_start(&stream);
    fputs("6.1.0-28", out);
    for (int i = 0; i < 30000; i++)
        fprintf(out, ENVIRONMENT "UCX_%05d=%d", i * 7919 % 30000, i);
    char *lines = stream_end(&stream);
    make_runs(place, 2, 1);
    edit_copy(place->path[0], place->path[0], "kernel", lines);
    free(lines);
    double start = (double)clock() / CLOCKS_PER_SEC;
    compare(place, 1);
    assert_int_equal(c.sides.changes.count, 30001); /* and the kernel */
    assert_true((double)clock() / CLOCKS_PER_SEC - start < 5);
}

TEST_WITH(different_numbers_of_polygons_are_refused, set_up, scaled_tear_down)
{
    struct scaled *place = *state;
    struct protocol *sample = &place->sample.protocol;
    make_runs(place, 4, 1);
    for (size_t i = 0; i < sample->meta_count; i++)
        if (strcmp(sample->meta[i].key, "launch_s") == 0) {
            strcpy(sample->meta[i].key, "polygons");
            strcpy(sample->meta[i].value, "5");
        }
    make_runs(place, 4, 1);
    struct comparison *c = compare(place, 4);
    assert_false(!c->sides.reasons.count);
    assert_true(scaled_says(&c->sides.reasons, "polygons differs: "));
}

/* Adds runs of `repetitions` repetitions, of which the second is 1.2 times as fast as the first. */
static void make_repetitions(struct scaled *place, int runs, int repetitions)
{
    const struct protocol *in = &place->sample.protocol;
    for (int run = 0; run < runs; run++) {
        struct protocol out;
        struct message error;
        char name[32];
        snprintf(name, sizeof name, "run-%zu", place->count);
        const struct scaled_change change = {"started", name};
        char *path = unit_path(place->directory, name);
        assert_int_equal(protocol_create(&out, path, true, in->type, &error), 0);
        scaled_meta(&out, in, &change, 1);
        for (int rep = 1; rep <= repetitions; rep++)
            for (size_t i = 0; i < in->records.count; i++) {
                struct beff_record r = *(const struct beff_record *)protocol_at(in, i);
                double factor = (rep == 2 ? 1.2 : 1) * (1 + 1e-12 * (double)place->count);
                r.rep = rep;
                r.t_min /= factor;
                r.t_avg /= factor;
                r.t_max /= factor;
                r.bandwidth = (double)r.bytes * (double)r.messages * (double)r.loops / r.t_max / 1e6;
                protocol_record(&out, &r);
            }
        edit_finish(place->sample.engine, &out);
        place->path[place->count++] = path;
    }
}

/* Without a limit, the ratio would be 1.2. */
TEST_WITH(runs_are_rated_from_equally_many_repetitions, set_up, scaled_tear_down)
{
    struct scaled *place = *state;
    make_repetitions(place, 4, 1);
    make_repetitions(place, 4, 2);
    struct comparison *c = compare(place, 4);
    assert_int_equal(c->sides.reasons.count, 0);
    assert_near(c->rating->ratio.value, 1, 1e-9);
    assert_true(scaled_says(&c->sides.notes, "all runs are rated from 1 instead of 2 repetitions"));
    compare_paths(place->path + 4, 4, 2, true);
    assert_false(scaled_says(&c->sides.notes, "all runs are rated"));
    assert_near(c->rating->before / sheet_find(place->sample.sheet, "b_eff")->value, 1.2, 1e-9);
}

/* The logarithms differ from their mean by +-0.01 before and by +-0.04 after, apart from the noise of the
 * cells. */
TEST_WITH(unequal_spreads_are_found, set_up, scaled_tear_down)
{
    for (int i = 0; i < 16; i++)
        make_run(*state, exp((i < 8 ? 0.01 : 0.04) * (i % 2 ? 1 : -1)), 0, "", "");
    struct comparison *c = compare(*state, 8);
    assert_int_equal(c->sides.reasons.count, 0);
    assert_near(c->spread, 4, 0.4);
}

TEST_WITH(data_errors_are_reported, set_up, scaled_tear_down)
{
    struct scaled *place = *state;
    make_runs(place, 7, 1);
    make_run(place, 1, 0.02, "errors", "98");
    struct comparison *c = compare(place, 4);
    assert_int_equal(c->sides.errors.count, 1);
    assert_true(scaled_says(&c->sides.errors, "run-7: data errors (98)"));
}

/* If the detected memory differs by 1 MiB, the large sizes differ by a few bytes. */
TEST_WITH(sizes_are_matched_by_their_index, set_up, scaled_tear_down)
{
    struct scaled *place = *state;
    make_factor(place, "lmax", "131072", "139264");
    struct comparison *c = compare(place, 4);
    assert_true(!c->sides.reasons.count);
    assert_int_equal(c->missing, 0);
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->compared[i].figure->name, "size 21") == 0) {
            assert_int_equal(c->compared[i].figure->bytes, 131072);
            assert_int_equal(c->compared[i].other_bytes, 139264);
        }
}
