/* Tests the findings in protocols of real runs after one change. The checksum is recomputed after the
 * change. */
#include "report/command.h"

#include <string.h>

#include "report/edit_test.h"

static int set_up(void **state)
{
    *state = unit_directory();
    return 0;
}

static int tear_down(void **state)
{
    unit_remove(*state);
    return 0;
}

/* Saves, reads and checks an edited protocol. Writes all findings as lines `LINE: TEXT` to `found`. */
static void find(const char *directory, const struct edit *edit, char *found, size_t size)
{
    char *path = unit_path(directory, "run.prot");
    struct report report;
    struct message error = {""};
    edit_save(edit, path);
    *found = 0;
    report_open(&report, path, &error);
    assert_string_equal(report.damage.text, "");
    for (size_t i = 0; i < report.findings.count; i++)
        snprintf(found + strlen(found), size - strlen(found), "%zu: %s\n", report.findings.list[i].line,
                 report.findings.list[i].text);
    snprintf(found + strlen(found), size - strlen(found), "%s", error.text);
    report_free(&report);
    free(path);
}

static int line_of(const struct edit *edit, const char *place)
{
    int line = 1;
    for (const char *c = edit->text; c < place; c++)
        line += *c == '\n';
    return line;
}

static const char *const samples[] = {"beff-n2", "beff_io-n2", "imb-mpi1-n2", "imb-nbc-n2", "beff-n2-valid"};

static void nothing_is_wrong_with_the_samples(void **state)
{
    for (size_t i = 0; i < COUNT(samples); i++) {
        char found[4096];
        struct edit edit = edit_open(samples[i]);
        find(*state, &edit, found, sizeof found);
        assert_string_equal(found, "");
        free(edit.text);
    }
}

/* Changes to record 7, and the finding that each of them must cause. */
static const struct {
    const char *sample, *column, *value, *expected;
} records[] = {
    {"beff-n2", "pass", "0", "pass = 0 is not from 1"},
    {"beff-n2", "rep", "0", "rep = 0 is not from 1 to 3"},
    {"beff-n2", "rep", "4", "rep = 4 is not from 1 to 3"},
    {"beff-n2", "pattern", "ring-7", "no such pattern"},
    {"beff-n2", "method", "Sendrev", "no such method"},
    {"beff-n2", "bytes", "3", "no such message size"},
    {"beff-n2", "messages", "7", "messages = 7, but"},
    {"beff-n2", "messages", "-2", "messages = -2 is not from 1"},
    {"beff-n2", "loops", "0", "loops = 0 is not from 1"},
    {"beff-n2", "loops", "1", "follows from the record"},
    {"beff-n2", "t_max", "0", "t_max = 0 and bandwidth = "},
    {"beff-n2", "t_max", "nan", "t_max = nan is not from 0 to 1e+15"},
    {"beff-n2", "bandwidth", "1.1e15", "bandwidth = 1.1e+15 is not from 0 to 1e+15"},
    {"beff-n2", "t_max", "-1", "t_max = -1 is not from 0 to 1e+15"},
    {"beff-n2", "t_max", "inf", "t_max = inf is not from 0 to 1e+15"},
    {"beff-n2", "bandwidth", "1", "bandwidth = 1, but"},
    {"beff-n2", "bandwidth", "0", "and bandwidth = 0 are not both positive"},
    {"beff-n2", "errors", "-1", "errors = -1 is not from 0"},
    {"beff_io-n2", "processes", "7", "no such partition"},
    {"beff_io-n2", "access", "append", "no such access method"},
    {"beff_io-n2", "type", "5", "type = 5 is not from 0 to 4"},
    {"beff_io-n2", "pattern", "9", "no such pattern of this type"},
    {"beff_io-n2", "pattern", "7x", "no such pattern of this type"},
    {"beff_io-n2", "calls", "-1", "calls = -1 is not from 0"},
    {"beff_io-n2", "t_total", "1", "follows from the record"},
    {"beff_io-n2", "bandwidth", "1", "bandwidth = 1, but"},
    {"beff_io-n2", "t_open", "-1", "t_open = -1 is not from 0 to 1e+15"},
    {"imb-mpi1-n2", "benchmark", "PingPung", "unknown benchmark of MPI1: PingPung"},
    {"imb-mpi1-n2", "processes", "3", "processes = 3 is not from 1 to 2"},
    {"imb-mpi1-n2", "groups", "2", "groups = 2 is not from 1 to 1"},
    {"imb-mpi1-n2", "group", "1", "group = 1 is not from -1 to 0"},
    {"imb-mpi1-n2", "bytes", "-1", "bytes = -1"},
    {"imb-mpi1-n2", "repetitions", "0", "repetitions = 0"},
    {"imb-mpi1-n2", "bandwidth", "1", "bandwidth = 1, but"},
    {"imb-mpi1-n2", "msg_rate", "1", "msg_rate = 1, but"},
    {"imb-mpi1-n2", "t_max", "10", "follows from the record"},
    {"imb-mpi1-n2", "overlap", "50", "overlap = 50, but"},
    {"imb-nbc-n2", "overlap", "12.5", "overlap = 12.5, but"},
    {"imb-nbc-n2", "t_pure", "-1", "t_pure = -1 is not from 0 to 1e+15"},
};

static void a_changed_record_is_reported_with_its_line(void **state)
{
    enum { RECORD = 7 };
    for (size_t i = 0; i < COUNT(records); i++) {
        char found[16384], expected[200];
        struct edit edit = edit_open(records[i].sample);
        edit_field(&edit, RECORD, records[i].column, records[i].value);
        find(*state, &edit, found, sizeof found);
        assert_contains(found, records[i].expected);
        snprintf(expected, sizeof expected, "%d: ", line_of(&edit, edit_record(&edit, RECORD)));
        assert_contains(found, expected);
        free(edit.text);
    }
}

static const struct {
    const char *sample, *key, *value, *expected;
} values[] = {
    {"beff-n2", "processes", "1", "processes = 1 is not from 2"},
    {"beff-n2", "processes", "4", "but ring-1 has 4"},
    {"beff-n2", "processes", "two", "processes = two is not from 2"},
    {"beff-n2", "option_polygons", "0", "option_polygons = 0 is not from 1"},
    {"beff-n2", "seed", "-1", "seed = -1"},
    {"beff-n2", "lmax", "0", "lmax = 0"},
    {"beff-n2", "lmax", "262144", "no such message size"},
    {"beff-n2", "definition", "beff-0", "definition \"beff-0\""},
    {"beff-n2", "discarded_errors", "x", "discarded_errors = x"},
    {"beff-n2", "result b_eff", "5000 MB/s", "result b_eff = 5000, but"},
    {"beff-n2", "result b_eff_rings", "1 GB/s", "result b_eff_rings = 1, but"},
    {"beff-n2", "result b_eff_lmax", "nan MB/s", "result b_eff_lmax = nan, but"},
    {"beff-n2", "end", "partial", "neither complete nor partial"},
    {"beff-n2", "hardware_threads", "", "hardware_threads is missing"},
    {"beff-n2", "hardware_threads", "2 of 4", "hardware_threads = 2 of 4, but expected a whole number"},
    {"beff-n2", "elapsed_s", "1 h", "elapsed_s = 1 h, but expected a number"},
    {"beff-n2", "more_ranks_than_cores", "maybe", "more_ranks_than_cores = maybe, but expected yes or no"},
    {"beff-n2", "option_max-loops", "0\n#: max = 1\n#: option_max-loops = 300",
     "option_max-loops = 300, but 0 in line"},
    {"beff_io-n2", "partitions", "1,2,x", "is not a list of numbers"},
    {"beff_io-n2", "partitions", "1", "no such partition"},
    {"beff_io-n2", "time_s", "0", "missing or invalid metadata"},
    {"beff_io-n2", "result files_mb", "1 MB", "result files_mb = 1, but"},
    {"imb-mpi1-n2", "component", "MPI9", "unknown component"},
    {"imb-mpi1-n2", "option_window_size", "128", "follows from the record"},
    {"imb-mpi1-n2", "result rows", "3 rows", "result rows = 3, but"},
    {"imb-mpi1-n2", "result errors", "1 B", "result errors = 1, but"},
};

static void a_changed_value_is_found(void **state)
{
    for (size_t i = 0; i < COUNT(values); i++) {
        char found[16384];
        struct edit edit = edit_open(values[i].sample);
        edit_value(&edit, values[i].key, values[i].value);
        find(*state, &edit, found, sizeof found);
        if (!strstr(found, values[i].expected))
            fail_msg("%s = %s: %.300s", values[i].key, values[i].value, found);
        free(edit.text);
    }
}

static void repeatable_keys_may_have_several_values(void **state)
{
    static const char *const keys[] = {"between_nodes", "environment", "hints_in_force", "note", "sweep"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        char found[16384], lines[120];
        struct edit edit = edit_open("beff-n2");
        snprintf(lines, sizeof lines, "0\n#: %s = ring-1=0\n#: %s = ring-2=2", keys[i], keys[i]);
        edit_value(&edit, "discarded_errors", lines);
        find(*state, &edit, found, sizeof found);
        assert_string_equal(found, "");
        free(edit.text);
    }
}

static void missing_unknown_and_repeated_results_are_found(void **state)
{
    char found[4096];
    struct edit edit = edit_open("beff-n2");
    char *line = strstr(edit.text, "#: result latency_us ");
    edit_replace(&edit, line, strcspn(line, "\n") + 1, "#: result speed = 1 MB/s\n");
    line = strstr(edit.text, "#: result b_eff ");
    char *twice = strndup(line, strcspn(line, "\n") + 1);
    edit_replace(&edit, line, 0, twice);
    find(*state, &edit, found, sizeof found);
    assert_contains(found, "result speed = 1 does not follow from the records");
    assert_null(strstr(found, "result latency_us = ")); /* only the rating must be stated */
    assert_contains(found, "result b_eff appears twice");
    for (int i = 0; i < 2; i++) {
        line = strstr(edit.text, "#: result b_eff ");
        edit_replace(&edit, line, strcspn(line, "\n") + 1, "");
    }
    find(*state, &edit, found, sizeof found);
    assert_contains(found, "result b_eff = ");
    assert_contains(found, "but is not stated");
    free(twice);
    free(edit.text);
}

/* The results of repetitions with one record each would need 500 times as much memory as the file. */
static void memory_is_bounded_by_the_size_of_the_file(void **state)
{
    char found[4096];
    struct edit edit = edit_open("beff-n2");
    edit_value(&edit, "option_polygons", "999");
    char *line = edit_record(&edit, 0), *tail = strchr(line, '\t'), *many = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&many, &size);
    for (int pass = 2; pass < 3000; pass++)
        fprintf(out, "%d%.*s\n", pass, (int)strcspn(tail, "\n"), tail);
    fclose(out);
    edit_replace(&edit, line, 0, many);
    find(*state, &edit, found, sizeof found);
    assert_contains(found, "repetitions of 999 polygons");
    free(many);
    free(edit.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_wrong_with_the_samples, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_changed_record_is_reported_with_its_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_changed_value_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(repeatable_keys_may_have_several_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(missing_unknown_and_repeated_results_are_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_is_bounded_by_the_size_of_the_file, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
