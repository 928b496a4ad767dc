/* Tests what report_open() finds in protocols of real runs after one change. The checksum is recomputed after
 * the change. */
#include "report/report.h"

#include "beff/settings.h"
#include "report/edit_test.h"

/* Saves and opens an edited protocol. The caller must free the report. Returns its faults, or the reason why
 * it cannot be used, as lines, to be freed. */
static char *open_edit(const char *directory, const struct edit *edit, struct report *report)
{
    char *path = unit_path(directory, "run.prot");
    struct message error = {""};
    FILE *out = unit_out();
    edit_save(edit, path);
    report_open(report, path, &error);
    assert_string_equal(report->damage.text, "");
    for (size_t i = 0; i < report->faults.count; i++)
        fprintf(out, "%s\n", report->faults.text[i]);
    fprintf(out, "%s", error.text);
    return unit_text();
}

static char *find(const char *directory, const struct edit *edit)
{
    struct report report;
    char *found = open_edit(directory, edit, &report);
    report_free(&report);
    return found;
}

static int line_of(const struct edit *edit, const char *place)
{
    int line = 1;
    for (const char *c = edit->text; c < place; c++)
        line += *c == '\n';
    return line;
}

/* Changes to record 7, and the reason to refuse the file. */
static const struct {
    const char *sample, *column, *value, *expected;
} records[] = {
    {"beff-n2", "pass", "0", "pass = 0 is not from 1"},
    {"beff-n2", "rep", "4", "rep = 4 is not from 1 to 3"},
    {"beff-n2", "messages", "-2", "messages = -2 is not from 1"},
    {"beff-n2", "loops", "0", "loops = 0 is not from 1"},
    {"beff-n2", "t_max", "0", "t_max = 0 is not from 1e-12"},
    {"beff-n2", "t_max", "inf", "t_max = inf is not from 1e-12 to 9007199254740992"},
    {"beff-n2", "t_avg", "nan", "t_avg = nan is not from 0"},
    {"beff-n2", "bandwidth", "0", "bandwidth = 0 is not from "},
    {"beff-n2", "errors", "-1", "errors = -1 is not from 0"},
    {"beff_io-n2", "type", "5", "type = 5 is not from 0 to 4"},
    {"beff_io-n2", "calls", "-1", "calls = -1 is not from 0"},
    {"beff_io-n2", "t_open", "-1", "t_open = -1 is not from 0"},
    {"beff_io-n2", "resident", "2", "resident = 2 is not from -1 to 1"},
    {"imb-mpi1-n2", "group", "-2", "group = -2 is not from -1"},
    {"imb-mpi1-n2", "bytes", "-1", "bytes = -1 is not from 0"},
};

DIRECTORY_TEST(a_number_out_of_range_is_refused_with_its_line)
{
    enum { RECORD = 7 };
    for (size_t i = 0; i < COUNT(records); i++) {
        char expected[200];
        struct edit edit = edit_open(records[i].sample);
        edit_field(&edit, RECORD, records[i].column, records[i].value);
        char *found = find(*state, &edit);
        snprintf(expected, sizeof expected, "/run.prot:%d: %s", line_of(&edit, edit_record(&edit, RECORD)),
                 records[i].expected);
        assert_contains(found, expected);
    }
}

/* Changes of a column of record 7, if `column` is set, or of a line of metadata; and the fault, or NULL. */
static const struct {
    const char *sample, *column, *key, *value, *expected;
} changes[] = {
    {"beff-n2", "method", NULL, "Sendrev", "no such method"},
    {"beff-n2", "loops", NULL, "1", "follows from the record"},
    {"beff-n2", "rep", NULL, "2", "measured twice in one repetition"},
    {"beff_io-n2", "processes", NULL, "7", "no partition of 7 processes"},
    {"beff_io-n2", "access", NULL, "append", "unknown access method"},
    {"beff-n2", NULL, "processes", "1", "processes = 1 is not from 2"},
    {"beff-n2", NULL, "option_polygons", "0", "option_polygons = 0 is not from 1"},
    {"beff-n2", NULL, "seed", "-1", "seed = -1 is not from 0"},
    {"beff-n2", NULL, "lmax", "0", "lmax = 0 is not from"},
    {"beff-n2", NULL, "lmax", "134217729", "lmax = 134217729 is not from"},
    {"beff-n2", NULL, "processes", "4x", "processes = 4x"},
    {"beff_io-n2", NULL, "partitions", "1,2,x", "\"1,2,x\""},
    {"beff_io-n2", NULL, "time_s", "0", "missing or invalid metadata"},
    {"beff-n2", NULL, "result b_eff", "5000 MB/s", "result b_eff = 5000, but"},
    {"beff-n2", NULL, "result b_eff", "6205.172721 MB/s", "result b_eff = 6205.17272"}, /* 3e-9 more */
    {"beff-n2", NULL, "result b_eff_rings", "1 GB/s", "result b_eff_rings = 1, but"},
    {"beff-n2", NULL, "result b_eff_lmax", "nan MB/s", "result b_eff_lmax = nan, but"},
    {"beff_io-n2", NULL, "result files_mb", "1 MB", "result files_mb = 1, but"},
    {"imb-mpi1-n2", NULL, "result rows", "3 rows", "result rows = 3, but"},
    {"beff-n2", NULL, "end", "partial", "neither complete nor partial"},
    /* accepted: what another system or version may measure or write, and metadata that no result needs */
    {"beff-n2", NULL, "result b_eff", "6205.172704 MB/s", NULL}, /* 3e-10 more */
    {"beff-n2", "bandwidth", NULL, "3.5921052455", NULL},        /* 2e-10 more */
    {"beff-n2", NULL, "hardware_threads", "2 of 4", NULL},
    {"beff-n2", NULL, "hardware_threads", "4\n#: colour = blue", NULL},
    {"imb-mpi1-n2", "benchmark", NULL, "PingPung", NULL},
    {"imb-mpi1-n2", NULL, "component", "MPI9", NULL},
    {"beff_io-n2", "cold", NULL, "frozen", NULL},
    {"beff_io-n2", NULL, "storage_bytes", "-9223372036854775808",
     "storage_bytes = -9223372036854775808 is negative"},
    {"beff_io-n2", NULL, "storage_bytes", "4611686018427387904", NULL},
    {"beff-n2", NULL, "memory_mib", "-1", "memory_mib = -1 is negative"},
    {"beff-n2", NULL, "option_rank", "-1", NULL},
};

DIRECTORY_TEST(what_results_need_is_checked_and_the_rest_accepted)
{
    for (size_t i = 0; i < COUNT(changes); i++) {
        struct edit edit = edit_open(changes[i].sample);
        if (changes[i].column)
            edit_field(&edit, 7, changes[i].column, changes[i].value);
        else
            edit_value(&edit, changes[i].key, changes[i].value);
        char *found = find(*state, &edit);
        if (changes[i].expected ? !strstr(found, changes[i].expected) : *found)
            fail_msg("row %zu: %s = %s: %.300s", i, changes[i].column ? changes[i].column : changes[i].key,
                     changes[i].value, found);
    }
}

/* Changes of beff-n2: records FIRST and, if it is not 0, SECOND are swapped; or FIRST is removed; or all
 * records of a repetition; or metadata follow the seed. And the record that does not follow. */
static const struct {
    int first, second;
    const char *repetition, *seed, *expected;
} schedules[] = {
    {3, 6, .expected = "record 4 (pass 1, repetition 1, ring-5, Sendrecv, 1 B) does not follow the schedule"},
    {10, .expected = "record 11 (pass 1, repetition 1, ring-2, Alltoallv, 1 B) does not follow"},
    {.repetition = "\n1\t2\t",
     .expected = "record 463 (pass 1, repetition 3, ring-3, Sendrecv, 1 B) does not"},
    {.seed = "7", .expected = "record 1 (pass 1, repetition 1, random-01, Sendrecv, 1 B) does not follow"},
    {.seed = "20010917\n#: largest_sizes = 1 2", .expected = "record 882 (pass 1, repetition 2, ring-6, "},
    {.seed = "20010917\n#: polygons = 0", .expected = "record 1 (pass 1, repetition 1, random-01, "},
};

DIRECTORY_TEST(records_follow_the_schedule)
{
    for (size_t i = 0; i < COUNT(schedules); i++) {
        struct edit edit = edit_open("beff-n2");
        int first = schedules[i].first, second = schedules[i].second;
        char *line = edit_record(&edit, first), *other = edit_record(&edit, second);
        char *texts[] = {strndup(line, strcspn(line, "\n")), strndup(other, strcspn(other, "\n"))};
        if (second) {
            edit_replace(&edit, other, strlen(texts[1]), texts[0]);
            edit_replace(&edit, edit_record(&edit, first), strlen(texts[0]), texts[1]);
        } else if (first) {
            edit_replace(&edit, line, strlen(texts[0]) + 1, "");
        }
        while (schedules[i].repetition && (line = strstr(edit.text, schedules[i].repetition)))
            edit_replace(&edit, line + 1, strcspn(line + 1, "\n") + 1, "");
        if (schedules[i].seed)
            edit_value(&edit, "seed", schedules[i].seed);
        char *found = find(*state, &edit);
        assert_contains(found, schedules[i].expected);
        free(texts[0]);
        free(texts[1]);
    }
}

/* An analysis pattern that this program does not know does not count, except for its wrong bytes. */
DIRECTORY_TEST(unknown_analysis_patterns_are_accepted)
{
    struct edit edit = edit_open("beff-n2-valid");
    struct report report;
    char *line = strstr(edit.text, "\tworst-cycle");
    if (!line)
        line = strstr(edit.text, "\tcart");
    assert_non_null(line);
    edit_replace(&edit, line + 1, strcspn(line + 1, "\t"), "moebius");
    char *found = open_edit(*state, &edit, &report);
    assert_string_equal(found, "");
    assert_true(sheet_valid(report.sheet));
    report_free(&report);
}

DIRECTORY_TEST(missing_unknown_and_repeated_results)
{
    struct edit edit = edit_open("beff-n2");
    struct report report;
    char *line = strstr(edit.text, "#: result message_latency_us ");
    edit_replace(&edit, line, strcspn(line, "\n") + 1, "#: result speed = 1 MB/s\n");
    line = strstr(edit.text, "#: result b_eff ");
    char *twice = strndup(line, strcspn(line, "\n") + 1);
    edit_replace(&edit, line, 0, twice);
    char *found = open_edit(*state, &edit, &report);
    assert_null(strstr(found, "result message_latency_us = ")); /* only the rating must be stated */
    assert_null(strstr(found, "speed"));
    assert_true(sheet_find(report.sheet, "speed")->uses & SHEET_STATED);
    assert_contains(found, "result b_eff appears twice");
    assert_false(sheet_valid(report.sheet));
    report_free(&report);
    for (int i = 0; i < 2; i++) {
        line = strstr(edit.text, "#: result b_eff ");
        edit_replace(&edit, line, strcspn(line, "\n") + 1, "");
    }
    found = find(*state, &edit);
    assert_contains(found, "but is not stated");
    free(twice);
}

/* The results are shown as stated, whatever the records are like. */
DIRECTORY_TEST(an_unknown_definition_gets_no_verdict)
{
    static const char *const samples[] = {"beff-n2-valid", "beff_io-n2-valid"};
    for (size_t i = 0; i < COUNT(samples); i++) {
        struct edit edit = edit_open(samples[i]);
        struct report report;
        edit_value(&edit, "definition", "new-9");
        edit_field(&edit, 7, "errors", "-7");
        char *found = open_edit(*state, &edit, &report);
        assert_string_equal(found, "");
        assert_string_equal(sheet_verdict(report.sheet), "no verdict");
        assert_false(sheet_valid(report.sheet));
        assert_contains(report.sheet->headline, "does not know the definition new-9");
        const struct sheet_value *rating = sheet_find(report.sheet, i ? "b_eff_io" : "b_eff");
        assert_true(rating->uses & SHEET_STATED && rating->value > 0);
        report_free(&report);
    }
}

/* The results of repetitions with one record each would need 500 times as much memory as the file. */
DIRECTORY_TEST(memory_is_bounded_by_the_size_of_the_file)
{
    struct edit edit = edit_open("beff-n2");
    edit_value(&edit, "option_polygons", "999");
    char *line = edit_record(&edit, 0), *tail = strchr(line, '\t');
    FILE *out = unit_out();
    for (int pass = 2; pass < 3000; pass++)
        fprintf(out, "%d%.*s\n", pass, (int)strcspn(tail, "\n"), tail);
    edit_replace(&edit, line, 0, unit_text());
    char *found = find(*state, &edit);
    assert_contains(found, "far too few");
}
