/* Tables and sheets: their text, and their JSON read back by jansson. */
#include "common/sheet.h"

#include "tests/unit.h"

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

/* ---- tables ---- */

static const struct table_column columns[] = {
    {"bytes", "B", CELL_INTEGER, 0}, {"name", "", CELL_TEXT, 0}, {"rate", "MB/s", CELL_REAL, 2}};

static void fill(struct table *table)
{
    table_start(table, "small", "A small table", columns, COUNT(columns));
    for (int i = 0; i < 3; i++) {
        struct cell *row = table_row(table);
        row[0].number = i == 1 ? NAN : i == 0 ? 1 : 8388608;
        snprintf(row[1].text, sizeof row[1].text, "%s", i == 1 ? "" : i == 0 ? "a" : "longest");
        row[2].number = i == 1 ? NAN : i == 0 ? 0.004 : 12345.678;
    }
}

static char *table_as_text(const struct table *table, const char *prefix)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    table_text(table, prefix, out);
    fclose(out);
    return text;
}

static void aligns_columns(void **state)
{
    (void)state;
    struct table table;
    fill(&table);
    char *text = table_as_text(&table, "");
    assert_string_equal(text, "A small table\n"
                              "    bytes  name         rate\n"
                              "        B               MB/s\n"
                              "        1  a            0.00\n"
                              "        -  -               -\n"
                              "  8388608  longest  12345.68\n");
    free(text);
    table_free(&table);
}

/* In data files the heading is a comment; the rows stay in line with it. */
static void puts_a_prefix_before_the_heading(void **state)
{
    (void)state;
    struct table table;
    fill(&table);
    char *text = table_as_text(&table, "# ");
    int lines = 0;
    for (char *line = text; *line; line += strcspn(line, "\n") + 1, lines++) {
        assert_int_equal(*line == '#', lines < 3);
        if (lines)
            assert_int_equal(strcspn(line, "\n"), 30);
    }
    assert_int_equal(lines, 6);
    free(text);
    table_free(&table);
}

static void shows_tables_without_rows(void **state)
{
    (void)state;
    struct table table;
    table_start(&table, "empty", "Nothing", columns, COUNT(columns));
    char *text = table_as_text(&table, "");
    assert_string_equal(text, "Nothing\n  bytes  name  rate\n      B        MB/s\n");
    free(text);
    table_free(&table);
}

static void starts_rows_without_values(void **state)
{
    (void)state;
    struct table table;
    table_start(&table, "t", "T", columns, COUNT(columns));
    for (int i = 0; i < 100; i++) {
        struct cell *row = table_row(&table);
        for (size_t c = 0; c < COUNT(columns); c++) {
            assert_nan(row[c].number);
            assert_string_equal(row[c].text, "");
        }
        row[0].number = i;
    }
    assert_int_equal(table.rows, 100);
    assert_real(table.cells[99 * COUNT(columns)].number, 99);
    table_free(&table);
}

/* ---- sheets ---- */

struct record {
    int64_t number;
    char word[COLUMN_TEXT_SIZE];
    double value;
};

static const struct column record_columns[] = {{"number", COLUMN_INTEGER, offsetof(struct record, number)},
                                               {"word", COLUMN_TEXT, offsetof(struct record, word)},
                                               {"value", COLUMN_REAL, offsetof(struct record, value)}};
static const struct record_type type = {"tool", record_columns, COUNT(record_columns), sizeof(struct record)};

static void make_protocol(struct protocol *p)
{
    static const char *const meta[][2] = {
        {"format", PROTOCOL_FORMAT},
        {"program", "tool"},
        {"version", "0.1.0"},
        {"command", "tool --text \"a\\b\""},
        {"started", "2026-11-21T12:34:56Z"},
        {"host", "n\xc3\xb6"},
        {"cpu", "bad \xff\xfe text"},
        {"control", "a\tb\x01"},
        {"option_time", "180"},
        {"option_output", ""},
    };
    static const struct record records[] = {{1, "ring-1", 0.1}, {INT64_MAX, "x\xff", NAN}};
    struct message error;
    *p = (struct protocol){.type = &type};
    for (size_t i = 0; i < COUNT(meta); i++)
        assert_int_equal(protocol_meta(p, meta[i][0], meta[i][1], &error), 0);
    for (size_t i = 0; i < COUNT(records); i++)
        assert_int_equal(protocol_keep_record(p, &records[i]), 0);
}

static void make_sheet(struct sheet *sheet, const struct protocol *p)
{
    *sheet = (struct sheet){.protocol = p, .headline_name = "b_eff", .interval = {99.5, 101.25}};
    snprintf(sheet->headline, sizeof sheet->headline, "b_eff = 100.125 MB/s");
    snprintf(sheet->interval_note, sizeof sheet->interval_note, "95 %% interval");
    sheet_value(sheet, "b_eff", "the number", "MB/s", 100.1, NAN);
    sheet_value(sheet, "rings", "a part", "MB/s", 50, 0.256);
    sheet_value(sheet, "latency", "how late", "microsec", NAN, NAN);
    sheet_criterion(sheet, true, "reached %d", 1);
    sheet_criterion(sheet, false, "too %s", "short");
    sheet_note(sheet, "note %d", 5);
    sheet->passes = calloc(2, sizeof *sheet->passes);
    sheet->passes[0] = 100.0;
    sheet->passes[1] = 1.0 / 3;
    sheet->pass_count = 2;
    fill(&sheet->tables[sheet->table_count++]);
}

static char *sheet_as_text(const struct sheet *sheet, bool json)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (json)
        assert_int_equal(sheet_json(sheet, out), 0);
    else
        sheet_text(sheet, out);
    fclose(out);
    return text;
}

static void shows_everything(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "tool 2026-11-21T12:34:56Z\n",
        "0.1.0\n",
        "n\xc3\xb6\n",
        "A small table\n",
        "NOT VALID for comparison:\n",
        "  reached      reached 1\n",
        "  NOT reached  too short\n",
        "  note: note 5\n",
        "95 % interval\n",
    };
    struct protocol p;
    struct sheet sheet;
    make_protocol(&p);
    make_sheet(&sheet, &p);
    char *text = sheet_as_text(&sheet, false);
    for (size_t i = 0; i < COUNT(parts); i++)
        assert_contains(text, parts[i]);
    assert_contains(text, "50.000 MB/s       25.6 % of the limit\n");
    /* A value and one that is not known, in line. */
    char *value = strstr(text, "  the number"), *unknown = strstr(text, "  how late");
    assert_non_null(value);
    assert_non_null(unknown);
    assert_int_equal(strstr(value, "100.100 MB/s") + 6 - value, strstr(unknown, "-\n") - unknown);
    /* The headline is the last line: scripts take it with tail. */
    const char *headline = "\n\nb_eff = 100.125 MB/s\n";
    assert_string_equal(text + strlen(text) - strlen(headline), headline);
    free(text);
    sheet_free(&sheet);
    protocol_free(&p);
}

/* A protocol that was edited, or cut short early, may lack any metadata. */
static void shows_sheets_without_metadata(void **state)
{
    (void)state;
    struct protocol p = {.type = &type};
    struct sheet sheet = {.protocol = &p, .headline_name = "b_eff"};
    char *text = sheet_as_text(&sheet, false);
    assert_contains(text, "tool ");
    assert_null(strstr(text, "null"));
    free(text);
}

static void judges(void **state)
{
    (void)state;
    struct sheet sheet = {0};
    assert_true(sheet_valid(&sheet));
    sheet_criterion(&sheet, true, "one");
    assert_true(sheet_valid(&sheet));
    sheet_criterion(&sheet, false, "two");
    sheet_criterion(&sheet, true, "three");
    assert_false(sheet_valid(&sheet));
}

static void cuts_what_is_too_long_or_too_much(void **state)
{
    (void)state;
    struct sheet sheet = {0};
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    for (int i = 0; i < 2 * SHEET_MOST_NOTES; i++)
        sheet_note(&sheet, "%s", text);
    assert_int_equal(sheet.note_count, SHEET_MOST_NOTES);
    assert_int_equal(strlen(sheet.notes[SHEET_MOST_NOTES - 1]), SHEET_NOTE_SIZE - 1);
    sheet_criterion(&sheet, true, "%s", text);
    assert_int_equal(strlen(sheet.criteria[0].text), sizeof sheet.criteria[0].text - 1);
}

/* ---- JSON ---- */

#ifdef HAVE_JANSSON

static json_t *sheet_as_json(const struct sheet *sheet)
{
    char *text = sheet_as_text(sheet, true);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("line %d: %s", error.line, error.text);
    free(text);
    return root;
}

static const char *string_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void reads_back_as_json(void **state)
{
    (void)state;
    struct protocol p;
    struct sheet sheet;
    make_protocol(&p);
    make_sheet(&sheet, &p);
    json_t *root = sheet_as_json(&sheet);
    assert_string_equal(string_at(root, "format"), PROTOCOL_FORMAT);
    assert_string_equal(string_at(root, "program"), "tool");
    assert_string_equal(string_at(root, "version"), "0.1.0");
    assert_string_equal(string_at(root, "command"), "tool --text \"a\\b\"");

    const json_t *system = json_object_get(root, "system"), *settings = json_object_get(root, "settings");
    assert_string_equal(string_at(system, "host"), "n\xc3\xb6");
    assert_string_equal(string_at(system, "cpu"), "bad ?? text");
    assert_string_equal(string_at(system, "control"), "a b ");
    assert_null(json_object_get(system, "option_time"));
    assert_string_equal(string_at(settings, "time"), "180");
    assert_string_equal(string_at(settings, "output"), "");
    assert_int_equal(json_object_size(settings), 2);
    json_decref(root);
    sheet_free(&sheet);
    protocol_free(&p);
}

static void gives_the_result_as_json(void **state)
{
    (void)state;
    struct protocol p;
    struct sheet sheet;
    make_protocol(&p);
    make_sheet(&sheet, &p);
    json_t *root = sheet_as_json(&sheet);
    const json_t *result = json_object_get(root, "result");
    assert_real(json_real_value(json_object_get(result, "b_eff")), 100.1);
    assert_string_equal(string_at(result, "unit"), "MB/s");
    assert_true(json_is_null(json_object_get(result, "latency")));
    assert_true(json_is_false(json_object_get(result, "valid")));
    const json_t *reasons = json_object_get(result, "reasons"), *passes = json_object_get(result, "passes");
    assert_int_equal(json_array_size(reasons), 1);
    assert_string_equal(json_string_value(json_array_get(reasons, 0)), "too short");
    assert_int_equal(json_array_size(passes), 2);
    assert_real(json_real_value(json_array_get(passes, 1)), 1.0 / 3);
    const json_t *interval = json_object_get(result, "interval");
    assert_int_equal(json_array_size(interval), 2);
    assert_real(json_real_value(json_array_get(interval, 0)), 99.5);
    assert_real(json_real_value(json_array_get(interval, 1)), 101.25);
    json_decref(root);

    /* Nothing measured: everything is there, as null. */
    sheet.interval[0] = sheet.interval[1] = sheet.values[0].value = NAN;
    sheet.pass_count = 0;
    root = sheet_as_json(&sheet);
    result = json_object_get(root, "result");
    assert_true(json_is_null(json_object_get(result, "b_eff")));
    assert_true(json_is_null(json_object_get(result, "interval")));
    assert_int_equal(json_array_size(json_object_get(result, "passes")), 0);
    json_decref(root);
    sheet_free(&sheet);
    protocol_free(&p);
}

static void gives_tables_and_records_as_json(void **state)
{
    (void)state;
    struct protocol p;
    struct sheet sheet;
    make_protocol(&p);
    make_sheet(&sheet, &p);
    json_t *root = sheet_as_json(&sheet);
    const json_t *rows = json_object_get(json_object_get(root, "tables"), "small");
    assert_int_equal(json_array_size(rows), 3);
    const json_t *last = json_array_get(rows, 2), *empty = json_array_get(rows, 1);
    assert_int_equal(json_integer_value(json_object_get(last, "bytes")), 8388608);
    assert_string_equal(string_at(last, "name"), "longest");
    assert_real(json_real_value(json_object_get(last, "rate")), 12345.678); /* not rounded as in text */
    assert_true(json_is_null(json_object_get(empty, "bytes")));
    assert_true(json_is_null(json_object_get(empty, "rate")));

    const json_t *records = json_object_get(root, "records");
    assert_int_equal(json_array_size(records), 2);
    const json_t *first = json_array_get(records, 0), *second = json_array_get(records, 1);
    assert_real(json_real_value(json_object_get(first, "value")), 0.1);
    assert_string_equal(string_at(first, "word"), "ring-1");
    assert_true(json_integer_value(json_object_get(second, "number")) == INT64_MAX);
    assert_string_equal(string_at(second, "word"), "x?");
    assert_true(json_is_null(json_object_get(second, "value")));
    json_decref(root);
    sheet_free(&sheet);
    protocol_free(&p);
}

static void reports_a_full_device(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    struct protocol p;
    struct sheet sheet;
    make_protocol(&p);
    make_sheet(&sheet, &p);
    setvbuf(full, NULL, _IONBF, 0);
    assert_int_equal(sheet_json(&sheet, full), -1);
    fclose(full);
    sheet_free(&sheet);
    protocol_free(&p);
}

#define JSON_TESTS                                                                                           \
    cmocka_unit_test(reads_back_as_json), cmocka_unit_test(gives_the_result_as_json),                        \
        cmocka_unit_test(gives_tables_and_records_as_json), cmocka_unit_test(reports_a_full_device)

#else

static void says_that_it_has_no_json(void **state)
{
    (void)state;
    struct sheet sheet = {0};
    assert_false(sheet_has_json());
    assert_int_equal(sheet_json(&sheet, stderr), -1);
}

#define JSON_TESTS cmocka_unit_test(says_that_it_has_no_json)

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligns_columns),
        cmocka_unit_test(puts_a_prefix_before_the_heading),
        cmocka_unit_test(shows_tables_without_rows),
        cmocka_unit_test(starts_rows_without_values),
        cmocka_unit_test(shows_everything),
        cmocka_unit_test(shows_sheets_without_metadata),
        cmocka_unit_test(judges),
        cmocka_unit_test(cuts_what_is_too_long_or_too_much),
        JSON_TESTS,
    };
    return cmocka_run_group_tests_name("sheet", tests, NULL, NULL);
}
