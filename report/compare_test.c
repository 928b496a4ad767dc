/* Compares two sides of runs whose ratio is known. The runs are made from real protocols, whose times are
 * multiplied by a factor. */
#include "report/compare.h"

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

static void compare_paths(char *const *paths, size_t count, size_t first, bool allow_invalid)
{
    struct message error = {""};
    const struct report_settings settings = {.runs = {(char **)(uintptr_t)paths, count},
                                             .sides = 2,
                                             .side = {{first, NULL}, {count, NULL}},
                                             .allow_invalid = allow_invalid};
    if (comparison_make(&c, &settings, &error))
        fail_msg("%s", error.text);
}

static struct comparison *compare(struct scaled *place, size_t first)
{
    compare_paths(place->path, place->count, first, true); /* the sample is NOT VALID */
    return &c;
}

static void a_faster_side_is_better_in_every_figure(void **state)
{
    make_runs(*state, 5, 1);
    make_runs(*state, 5, 1.25);
    struct comparison *c = compare(*state, 5);
    const struct compared *rating = comparison_rating(c);
    assert_int_equal(c->runs.reasons.count, 0);
    assert_non_null(rating);
    assert_string_equal(rating->item->name, "b_eff");
    assert_near(rating->ratio.value, 1.25, 0.03);
    assert_true(rating->ratio.low <= 1.25 && rating->ratio.high >= 1.25);
    assert_true(c->count > 100);
    assert_int_equal(rating->verdict, VERDICT_BETTER);
    int times = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct compared *row = &c->compared[i];
        assert_true(row == rating || row->verdict == VERDICT_NONE);
        assert_true(row->item->less_is_better ? row->ratio.high < 1 : row->ratio.low > 1);
        times += row->item->less_is_better;
    }
    assert_true(times > 0); /* latencies, for which less is better */
    assert_int_equal(comparison_judge(rating, 0), VERDICT_BETTER);
    comparison_free(c);
}

static void a_loss_is_compared_with_the_threshold(void **state)
{
    make_runs(*state, 4, 1);
    make_runs(*state, 4, 0.9);
    struct comparison *c = compare(*state, 4);
    const struct compared *rating = comparison_rating(c);
    assert_int_equal(rating->verdict, VERDICT_WORSE);
    assert_int_equal(comparison_judge(rating, 0.02), VERDICT_WORSE);
    assert_int_equal(comparison_judge(rating, 0.1), VERDICT_OPEN);
    assert_int_equal(comparison_judge(rating, 0.2), VERDICT_BETTER);
    assert_int_equal(comparison_judge(NULL, 0.2), VERDICT_NONE);
    comparison_free(c);
}

static void equal_sides_are_inconclusive(void **state)
{
    make_runs(*state, 5, 1);
    make_runs(*state, 5, 1);
    struct comparison *c = compare(*state, 5);
    const struct compared *rating = comparison_rating(c);
    assert_int_equal(rating->verdict, VERDICT_OPEN);
    assert_true(rating->ratio.low < 1 && rating->ratio.high > 1);
    assert_int_equal(comparison_judge(rating, 0.1), VERDICT_BETTER);
    comparison_free(c);
}

static void too_few_runs_have_ratios_but_no_verdict(void **state)
{
    make_runs(*state, 3, 1);
    make_runs(*state, 4, 2);
    struct comparison *c = compare(*state, 3);
    assert_int_equal(c->runs.reasons.count, 1);
    assert_true(scaled_says(&c->runs.reasons, "too few runs (3 and 4)"));
    assert_near(comparison_rating(c)->ratio.value, 2, 0.05);
    assert_int_equal(comparison_rating(c)->verdict, VERDICT_NONE);
    assert_nan(c->level);
    comparison_free(c);
}

static void other_definitions_are_refused(void **state)
{
    static const struct {
        const char *key, *value;
    } rows[] = {{"seed", "1"},
                {"memory_source", "detected"},
                {"option_max-loops", "300"},
                {"option_clock", "simulated"}};
    struct scaled *place = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        scaled_clear(place);
        make_runs(place, 4, 1);
        make_runs(place, 3, 1);
        make_run(place, 1, 0.02, rows[i].key, rows[i].value);
        struct comparison *c = compare(place, 4);
        assert_false(!c->runs.reasons.count);
        assert_int_equal(c->count, 0);
        assert_true(scaled_says(&c->runs.reasons, rows[i].key));
        assert_true(scaled_says(&c->runs.reasons, rows[i].value));
        assert_true(scaled_says(&c->runs.reasons, "run-7"));
        comparison_free(c);
    }
}

static void another_engine_is_refused(void **state)
{
    struct scaled *place = *state;
    make_runs(place, 4, 1);
    char *paths[] = {place->path[0], place->path[1], place->path[2], place->path[3],
                     "protocols/samples/imb-mpi1-n2"};
    compare_paths(paths, 5, 4, true);
    assert_true(scaled_says(&c.runs.reasons, "imb_compat"));
    assert_null(comparison_rating(&c));
    comparison_free(&c);
    paths[4] = "nowhere";
    compare_paths(paths, 5, 4, true);
    assert_true(scaled_says(&c.runs.skipped, "nowhere"));
    assert_true(scaled_says(&c.runs.reasons, "no usable run after"));
    comparison_free(&c);
}

/* If many runs are skipped for the same reason, one line names them all. */
static void invalid_runs_are_skipped(void **state)
{
    struct scaled *place = *state;
    for (int day = 1; day <= 14; day++)
        scaled_run(place, 1, day, "", "");
    compare_paths(place->path, 14, 7, false);
    assert_int_equal(c.runs.skipped.count, 1);
    assert_true(scaled_says(&c.runs.skipped, "14 runs ("));
    assert_true(scaled_says(&c.runs.skipped, "NOT VALID for comparison: "));
    assert_true(scaled_says(&c.runs.reasons, "no usable run before"));
    assert_int_equal(c.count, 0);
    comparison_free(&c);
}

/* Replaces the kernel that a run states, and adds environment lines after it. */
static void set_environment(const char *path, const char *kernel_and_lines)
{
    size_t size;
    struct edit edit = {unit_read(path, &size)};
    *strstr(edit.text, "#: checksum") = 0;
    edit_value(&edit, "kernel", kernel_and_lines);
    edit_save(&edit, path);
    free(edit.text);
}

#define ENVIRONMENT "\n#: environment = "

static void changed_circumstances_are_listed(void **state)
{
    struct scaled *place = *state;
    make_runs(place, 8, 1);
    for (int i = 0; i < 8; i++)
        set_environment(
            place->path[i],
            i < 4   ? "6.1.0-28" ENVIRONMENT "interface eth0=10000 Mbit/s, up" ENVIRONMENT "FI_PROVIDER=tcp"
            : i < 7 ? "6.1.0-31" ENVIRONMENT "UCX_TLS=tcp" ENVIRONMENT "interface eth0=1000 Mbit/s, up"
                    : "6.1.0-31" ENVIRONMENT "UCX_TLS=tcp" ENVIRONMENT
                      "interface eth0=1000 Mbit/s, up" ENVIRONMENT "OMP_NUM_THREADS=2");
    struct comparison *c = compare(place, 4);
    assert_int_equal(c->runs.changes.count, 4);
    assert_true(scaled_says(&c->runs.changes, "kernel 6.1.0-28 -> 6.1.0-31"));
    assert_true(scaled_says(&c->runs.changes, "UCX_TLS unset -> tcp"));
    assert_true(scaled_says(&c->runs.changes, "FI_PROVIDER tcp -> unset"));
    assert_true(scaled_says(&c->runs.changes, "interface eth0 10000 Mbit/s, up -> 1000 Mbit/s, up"));
    assert_true(scaled_says(&c->runs.notes, "OMP_NUM_THREADS varies: unset and 2"));
    comparison_free(c);
}

/* Writes a run of imb_compat with -raw. The times of its rows are the sample's times multiplied by `factor`.
 * The records of single repetitions are copied from the sample. option_check gets the value `check`. */
static char *make_raw(const struct scaled *place, const char *name, double factor, const char *check)
{
    struct report sample;
    struct protocol out;
    struct message error;
    char *path = unit_path(place->directory, name);
    assert_int_equal(report_open(&sample, "protocols/samples/imb-nbc-n2", &error), 0);
    const struct protocol *in = &sample.protocol;
    assert_int_equal(protocol_create(&out, path, true, in->type, &error), 0);
    for (size_t i = 2; i < in->meta_count; i++) { /* format and program are already written */
        bool checks = strcmp(in->meta[i].key, "option_check") == 0;
        protocol_meta(&out, in->meta[i].key, checks ? check : in->meta[i].value);
    }
    for (size_t i = 0; i < in->record_count; i++) {
        struct imb_record r = *(const struct imb_record *)protocol_at(in, i);
        double *const times[] = {&r.t_min, &r.t_avg, &r.t_max, &r.t_pure, &r.t_cpu};
        for (size_t k = 0; k < COUNT(times) && r.repetition == 0; k++)
            *times[k] *= factor;
        protocol_record(&out, &r);
    }
    edit_finish(sample.engine, &out);
    report_free(&sample);
    return path;
}

static void runs_with_and_without_checking_are_refused(void **state)
{
    char *paths[] = {make_raw(*state, "raw-0", 1, "no"), make_raw(*state, "raw-1", 1.001, "yes")};
    compare_paths(paths, 2, 1, true);
    assert_true(scaled_says(&c.runs.reasons, "option_check differs"));
    comparison_free(&c);
    for (size_t i = 0; i < COUNT(paths); i++)
        free(paths[i]);
}

static void different_numbers_of_polygons_are_refused(void **state)
{
    struct scaled *place = *state;
    struct protocol *sample = &place->sample.protocol;
    make_runs(place, 4, 1);
    for (size_t i = 0; i < sample->meta_count; i++)
        if (strcmp(sample->meta[i].key, "launch_s") == 0) {
            strcpy(sample->meta[i].key, "polygons");
            strcpy(sample->meta[i].value, "1");
        }
    make_runs(place, 4, 1);
    struct comparison *c = compare(place, 4);
    assert_false(!c->runs.reasons.count);
    assert_true(scaled_says(&c->runs.reasons, "polygons differs: "));
    comparison_free(c);
}

static void data_errors_are_reported(void **state)
{
    struct scaled *place = *state;
    make_runs(place, 4, 1);
    make_runs(place, 3, 1);
    make_run(place, 1, 0.02, "discarded_errors", "98");
    struct comparison *c = compare(place, 4);
    assert_int_equal(c->runs.errors.count, 1);
    assert_true(scaled_says(&c->runs.errors, "run-7: 98"));
    comparison_free(c);
}

/* If the detected memory differs by 1 MiB, the large sizes differ by a few bytes. */
static void sizes_are_matched_by_their_index(void **state)
{
    struct scaled *place = *state;
    make_run(place, 1, 0.02, "lmax", "131072");
    make_run(place, 1, 0.02, "lmax", "131072");
    make_run(place, 1, 0.02, "lmax", "131072");
    make_run(place, 1, 0.02, "lmax", "131072");
    for (int i = 0; i < 4; i++)
        make_run(place, 1, 0.02, "lmax", "139264");
    struct comparison *c = compare(place, 4);
    assert_true(!c->runs.reasons.count);
    assert_int_equal(c->missing, 0);
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->compared[i].item->group, "size") == 0 && strstr(c->compared[i].item->name, "size 21")) {
            assert_real(c->compared[i].item->bytes, 131072);
            assert_real(c->compared[i].other_bytes, 139264);
        }
    comparison_free(c);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scaled_set_up, scaled_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_faster_side_is_better_in_every_figure),
        TEST(a_loss_is_compared_with_the_threshold),
        TEST(equal_sides_are_inconclusive),
        TEST(too_few_runs_have_ratios_but_no_verdict),
        TEST(other_definitions_are_refused),
        TEST(another_engine_is_refused),
        TEST(invalid_runs_are_skipped),
        TEST(changed_circumstances_are_listed),
        TEST(runs_with_and_without_checking_are_refused),
        TEST(different_numbers_of_polygons_are_refused),
        TEST(data_errors_are_reported),
        TEST(sizes_are_matched_by_their_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
