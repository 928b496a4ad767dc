/* Tests the data of the pictures. */
#include "report/pictures.h"

#include "report/edit_test.h"
#include "report/scaled_test.h"

/* Returns the text of a data file. */
static const char *data_of(const struct drawing *drawing, const char *name)
{
    for (size_t i = 0; i < drawing->data_count; i++)
        if (strcmp(drawing->data[i].name, name) == 0)
            return drawing->data[i].text;
    fail_msg("no data %s", name);
    return NULL;
}

static void open_run(struct drawing *drawing, const char *path)
{
    struct report report;
    struct message error;
    assert_int_equal(report_open(&report, path, &error), 0);
    pictures_of_run(drawing, &report);
    report_free(&report);
}

static void the_data_of_a_run_equal_its_files(void **state)
{
    (void)state;
    static const char *const files[] = {"sizes", "patterns", "repetitions", "pingpong"};
    struct drawing drawing = {0};
    open_run(&drawing, "protocols/samples/beff-n2");
    for (size_t i = 0; i < COUNT(files); i++) {
        char name[64], sample[96];
        size_t size;
        snprintf(name, sizeof name, "patterns/%s.dat", files[i]);
        snprintf(sample, sizeof sample, "protocols/samples/beff-n2/%s", name);
        const char *found = data_of(&drawing, name);
        char *expected = unit_read(sample, &size);
        assert_string_equal(found, expected);
        free(expected);
    }
    assert_int_equal(drawing.count, 4);
    assert_contains(drawing.caption, "b_eff = ");
    draw_close(&drawing);
}

static void a_mode_is_escaped_in_the_data(void **state)
{
    (void)state;
    struct edit edit = edit_open("imb-mpi1-n2");
    char *directory = unit_directory(), *path = unit_path(directory, "run.prot");
    edit_field(&edit, 0, "mode", "\";system('x')#`y`%s");
    edit_save(&edit, path);
    struct drawing drawing = {0};
    open_run(&drawing, path);
    assert_string_equal(drawing.picture[0].name, "PingPong");
    const char *data = data_of(&drawing, "plots/PingPong.dat");
    assert_contains(data, "\"2 processes, ';system('x')#`y`%s\"\n0 2 ");
    assert_contains(data, "\n\n\n\"2 processes\"\n");
    assert_contains(drawing.caption, "2 processes on 1 node");
    draw_close(&drawing);
    edit_replace(&edit, strstr(edit.text, "#: started"), 0, "#: threads = 4\n");
    edit_save(&edit, path);
    open_run(&drawing, path);
    assert_contains(drawing.caption, "2 processes of 4 threads on 1 node");
    draw_close(&drawing);
    free(edit.text);
    free(path);
    unit_remove(directory);
}

/* Long names and special characters do not break the caption. */
static void long_names_are_cut_in_the_caption(void **state)
{
    (void)state;
    char host[5000], expected[64];
    memset(host, 'h', sizeof host - 1);
    host[sizeof host - 1] = 0;
    struct edit edit = edit_open("beff-n2-short");
    char *directory = unit_directory(), *path = unit_path(directory, "run.prot");
    edit_value(&edit, "host", host);
    edit_value(&edit, "cpu", "100% \"x\" 'y' `z` $HOME <|");
    edit_value(&edit, "processes", "2");
    edit_save(&edit, path);
    struct drawing drawing = {0};
    open_run(&drawing, path);
    snprintf(expected, sizeof expected, "%.40s, 2 processes", host);
    assert_true(strlen(drawing.caption) < 400);
    assert_contains(drawing.caption, expected);
    assert_contains(drawing.caption, "100% \"x\" 'y' `z` $HOME <|");
    draw_close(&drawing);
    free(edit.text);
    free(path);
    unit_remove(directory);
}

static void add_runs(struct scaled *scaled, int n, double factor)
{
    for (int i = 0; i < n; i++)
        scaled_run(scaled, factor * (1 + 0.001 * i), (int)scaled->count + 1, "", "");
}

static void ratios_are_sorted_with_their_intervals(void **state)
{
    struct scaled *scaled = *state;
    static struct comparison c;
    struct message error;
    struct drawing drawing = {0};
    add_runs(scaled, 4, 1);
    add_runs(scaled, 4, 0.8);
    const struct report_settings settings = {
        .runs = {scaled->path, 8}, .sides = 2, .side = {{4, NULL}, {8, NULL}}, .allow_invalid = true};
    assert_int_equal(comparison_make(&c, &settings, &error), 0);
    pictures_of_comparison(&drawing, &c);
    assert_contains(drawing.caption, "NOT VALID for comparison: 8 of 8 runs");
    const char *data = data_of(&drawing, "plots/compare.dat"), *sizes = data_of(&drawing, "plots/sizes.dat");
    assert_contains(data, "\"b_eff\" ");
    double last = 0;
    int rows = 0;
    for (char *line = strchr(data, '\n') + 1; *line; line = strchr(line, '\n') + 1, rows++) {
        double ratio, low, high;
        assert_int_equal(sscanf(strrchr(line, '"') ? strstr(line + 1, "\" ") + 2 : line, "%lf %lf %lf",
                                &ratio, &low, &high),
                         3);
        assert_true(low <= ratio && ratio <= high && high - low < 0.02 && ratio >= last);
        assert_true(fabs(ratio - 0.8) < 0.01 || fabs(ratio - 1 / 0.8) < 0.01);
        last = ratio;
    }
    assert_true(rows > 20 && rows <= 40);
    assert_contains(sizes, "run-00 and 3 more\"");
    assert_contains(sizes, "run-04 and 3 more\"");
    draw_close(&drawing);
    comparison_free(&c);
    scaled_clear(scaled);
}

static void a_history_has_the_medians_around_its_change(void **state)
{
    struct scaled *scaled = *state;
    static struct trend t;
    struct drawing drawing = {0};
    add_runs(scaled, 6, 1);
    add_runs(scaled, 6, 0.5);
    const struct report_settings settings = {.runs = {scaled->path, scaled->count}, .allow_invalid = true};
    trend_make(&t, &settings);
    pictures_of_trend(&drawing, &t);
    const char *data = data_of(&drawing, "plots/trend.dat"), *line = strchr(data, '\n') + 1;
    for (int i = 0; i < 12; i++, line = strchr(line, '\n') + 1) {
        double start, value, median;
        char valid[8];
        assert_int_equal(sscanf(line, "%lf %lf %7s %lf", &start, &value, valid, &median), 4);
        assert_real(start, report_time(runs_by_start(&t.runs, (size_t)i), "started"));
        assert_near(value, median, 0.01);
        assert_string_equal(valid, "no");
    }
    assert_int_equal(*line, 0);
    draw_close(&drawing);
    runs_free(&t.runs);
    scaled_clear(scaled);
}

static void systems_are_drawn_with_their_runs(void **state)
{
    struct scaled *scaled = *state;
    struct rank rank;
    struct drawing drawing = {0};
    scaled_run(scaled, 2, 1, "", "");
    add_runs(scaled, 2, 1);
    const struct report_settings settings = {.runs = {scaled->path, scaled->count},
                                             .separated = true,
                                             .sides = 2,
                                             .side = {{1, "100%s `x` \"y\""}, {scaled->count, NULL}},
                                             .allow_invalid = true};
    rank_make(&rank, &settings);
    pictures_of_rank(&drawing, &rank);
    const char *data = data_of(&drawing, "plots/rank.dat");
    assert_contains(data, "\n\"1. 100%s `x` 'y', 2 processes\" ");
    assert_contains(data, "\n\n\n0 ");
    assert_contains(data, "\n1 ");
    draw_close(&drawing);
    rank_free(&rank);
    scaled_clear(scaled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_data_of_a_run_equal_its_files),
                                       cmocka_unit_test(a_mode_is_escaped_in_the_data),
                                       cmocka_unit_test(long_names_are_cut_in_the_caption),
                                       cmocka_unit_test(ratios_are_sorted_with_their_intervals),
                                       cmocka_unit_test(a_history_has_the_medians_around_its_change),
                                       cmocka_unit_test(systems_are_drawn_with_their_runs)};
    return cmocka_run_group_tests(tests, scaled_set_up, scaled_tear_down);
}
