/* Tests tables and sheets as text and as JSON. */
#include "common/sheet.h"

#include "common/options.h"
#include "tests/unit.h"

/* ---- tables ---- */

struct row {
    int64_t bytes;
    double rate;
    const char *name;
};

static void fill(const struct table *table, int row, void *cells)
{
    static const struct row rows[] = {{1, 0.004, "a"}, {-1, NAN, ""}, {8388608, 12345.678, "longest"}};
    (void)table;
    *(struct row *)cells = rows[row];
}

static const struct column columns[] = {{"bytes", "B", COLUMN_INTEGER, 0, offsetof(struct row, bytes)},
                                        {"name", "", COLUMN_TEXT, 0, offsetof(struct row, name)},
                                        {"rate", "MB/s", COLUMN_REAL, 2, offsetof(struct row, rate)}};
static const struct table small = {
    .name = "small", .title = "A small table", TABLE_COLUMNS(columns), .rows = 3, .fill = fill};

static char *table_as_text(const struct table *table, const char *prefix)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    table_text(table, prefix, out);
    fclose(out);
    return text;
}

TEST(aligns_columns)
{
    char *text = table_as_text(&small, "");
    assert_string_equal(text, "A small table\n"
                              "    bytes  name         rate\n"
                              "        B               MB/s\n"
                              "        1  a            0.00\n"
                              "        -  -               -\n"
                              "  8388608  longest  12345.68\n");
    free(text);
}

/* In data files the heading is a comment, and the rows are aligned with it. */
TEST(puts_a_prefix_before_the_heading)
{
    char *text = table_as_text(&small, "# ");
    int lines = 0;
    for (char *line = text; *line; line += strcspn(line, "\n") + 1, lines++) {
        assert_int_equal(*line == '#', lines < 3);
        if (lines)
            assert_int_equal(strcspn(line, "\n"), 34);
    }
    assert_int_equal(lines, 6);
    free(text);
}

TEST(shows_tables_without_rows)
{
    const struct table table = {.title = "Nothing", TABLE_COLUMNS(columns)};
    char *text = table_as_text(&table, "");
    assert_string_equal(text, "Nothing\n  bytes  name  rate\n      B        MB/s\n");
    free(text);
}

/* ---- sheets ---- */

struct record {
    int64_t number;
    char word[COLUMN_WORD_SIZE];
    double value;
};

static const struct column record_columns[] = {COLUMN_OF(record, INTEGER, number, -INFINITY, INFINITY, false),
                                               COLUMN_OF(record, WORD, word, 0, 0, false),
                                               COLUMN_OF(record, REAL, value, -INFINITY, INFINITY, false)};
static const struct record_type type = {"tool", NULL, RECORD_TABLE("records", record_columns, struct record)};

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
    static const struct record records[] = {{1, "ring-1", 0.1}, {INT64_C(1) << 53, "x\xff", NAN}};
    *p = (struct protocol){.type = &type};
    for (size_t i = 0; i < COUNT(meta); i++)
        protocol_meta(p, meta[i][0], meta[i][1]);
    for (size_t i = 0; i < COUNT(records); i++)
        protocol_record(p, &records[i]);
}

static void make_sheet(struct sheet *sheet, const struct protocol *p)
{
    *sheet = (struct sheet){.protocol = p, .headline_name = "b_eff"};
    snprintf(sheet->headline, sizeof sheet->headline, "b_eff = 100.125 MB/s");
    sheet_value(sheet, "b_eff", "the number", "MB/s", 100.1);
    sheet_value(sheet, "rings", "a part", "MB/s", 50);
    sheet_value(sheet, "latency", "how late", "microsec", NAN);
    sheet_criterion(sheet, true, "reached %d", 1);
    sheet_criterion(sheet, false, "too %s", "short");
    sheet_criterion(sheet, CRITERION_UNCHECKED, "not %s", "asked");
    texts_add(&sheet->notes, "note %d", 5);
    sheet->passes = calloc(2, sizeof *sheet->passes);
    sheet->passes[0] = 100.0;
    sheet->passes[1] = 1.0 / 3;
    sheet->pass_count = 2;
    sheet_table(sheet, &small, NULL);
}

static char *sheet_as_text(const struct sheet *sheet, bool json)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (json)
        sheet_json(sheet, true, out);
    else
        sheet_text(sheet, out);
    fclose(out);
    return text;
}

TEST(writes_the_whole_sheet)
{
    static const char *const parts[] = {
        "\ntool\n",
        "0.1.0\n",
        "n\xc3\xb6\n",
        "A small table\n",
        "NOT VALID for comparison: 1 of 3 criteria FAIL, 1 not checked\n",
        "  pass  reached 1\n",
        "  FAIL  too short\n",
        "  not checked  not asked\n",
        "  note: note 5\n",
    };
    struct protocol p;
    struct sheet sheet;
    make_protocol(&p);
    make_sheet(&sheet, &p);
    char *text = sheet_as_text(&sheet, false);
    for (size_t i = 0; i < COUNT(parts); i++)
        assert_contains(text, parts[i]);
    assert_contains(text, " 50 MB/s\n");
    /* known and unknown values are aligned */
    char *value = strstr(text, "  the number"), *unknown = strstr(text, "  how late");
    assert_non_null(value);
    assert_non_null(unknown);
    assert_int_equal(strstr(value, "100.1 MB/s") + 4 - value, strstr(unknown, "-\n") - unknown);
    /* The headline is the last line, so that scripts can use tail. */
    const char *headline = "\n\nb_eff = 100.125 MB/s\n";
    assert_string_equal(text + strlen(text) - strlen(headline), headline);
    free(text);
    sheet_free(&sheet);
    protocol_free(&p);
}

/* A protocol that was edited or cut short may lack any metadata. */
TEST(shows_sheets_without_metadata)
{
    struct protocol p = {.type = &type};
    struct sheet sheet = {.protocol = &p, .headline_name = "b_eff"};
    char *text = sheet_as_text(&sheet, false);
    assert_contains(text, "tool\n");
    assert_null(strstr(text, "null"));
    free(text);
}

TEST(derives_the_verdict)
{
    struct sheet sheet = {0};
    assert_true(sheet_valid(&sheet));
    sheet_criterion(&sheet, true, "one");
    sheet_criterion(&sheet, CRITERION_UNCHECKED, "not checked");
    assert_true(sheet_valid(&sheet));
    sheet_criterion(&sheet, false, "two");
    sheet_criterion(&sheet, true, "three");
    assert_false(sheet_valid(&sheet));
    sheet_free(&sheet);
}

/* If a missed criterion were lost, the run would become valid. */
TEST(keeps_many_criteria)
{
    struct sheet sheet = {0};
    for (int i = 0; i < 100; i++) {
        sheet_value(&sheet, "v", "v", "", i);
        texts_add(&sheet.notes, "note %d", i);
        sheet_table(&sheet, &small, NULL);
        sheet_criterion(&sheet, i != 12, "criterion %d", i);
    }
    assert_false(sheet_valid(&sheet));
    assert_int_equal(sheet.value_count, 100);
    assert_int_equal(sheet.criterion_count, 100);
    assert_int_equal(sheet.table_count, 100);
    assert_string_equal(sheet.notes.text[99], "note 99");
    assert_real(sheet.values[99].value, 99);
    sheet_free(&sheet);
}

TEST(cuts_criteria_that_are_too_long)
{
    struct sheet sheet = {0};
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    sheet_criterion(&sheet, true, "%s", text);
    assert_int_equal(strlen(sheet.criteria[0].text), sizeof sheet.criteria[0].text - 1);
    sheet_free(&sheet);
}

/* ---- on a screen ---- */

static char *brief_of(const struct sheet *sheet)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    sheet_brief(sheet, "protocols/runs/1", out);
    fclose(out);
    return text;
}

/* Returns the number of lines, and checks their width. */
static int lines_of(const char *text)
{
    int lines = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1, lines++)
        assert_in_range(strcspn(line, "\n"), 0, SHEET_COLUMNS);
    return lines;
}

TEST(fits_on_a_screen)
{
    struct protocol p;
    struct sheet sheet;
    char words[400] = "";
    make_protocol(&p);
    make_sheet(&sheet, &p);
    while (strlen(words) < 300)
        strcat(words, "nine more ");
    for (int i = 0; i < 20; i++) {
        sheet_detail(&sheet, "d", "a detail", "", i);
        texts_add(&sheet.notes, "%d %s", i, words);
    }
    sheet_value(&sheet, "zero", "what did not happen", "", 0);
    sheet_criterion(&sheet, false, "second");
    protocol_meta(&p, "interrupted", "stopped by signal 2");
    sheet_completed(&sheet);
    snprintf(sheet.noise, sizeof sheet.noise, "7 %% of records perturbed: a noisy machine");
    snprintf(sheet.disturbance, sizeof sheet.disturbance, "other programs used 1.2 of 2 processors");
    snprintf(sheet.headline, sizeof sheet.headline, "b_eff = 1.000 MB/s on %s, NOT VALID", words);
    char *text = brief_of(&sheet);
    assert_in_range(lines_of(text), SHEET_LINES - 4, SHEET_LINES);
    const char *first =
        "  the number                                                   100.1 MB/s\n"
        "NOT VALID for comparison: 3 of 5 criteria FAIL, 1 not checked\n"
        "  FAIL  run completed (stopped by signal 2)\n  FAIL  too short\n  1 more FAIL: see summary.txt\n"
        "  7 % of records perturbed: a noisy machine\n  other programs used 1.2 of 2 processors\n\n  a part ";
    assert_int_equal(strncmp(text, first, strlen(first)), 0);
    assert_contains(text, "more notes: see summary.txt\n");
    assert_contains(text, "  files: protocols/runs/1\n\nb_eff = 1.000 MB/s on nine more");
    assert_contains(text, ", NOT VALID\n"); /* the verdict is never cut */
    static const char *const gone[] = {"a detail", "A small table", "what did not happen", "how late",
                                       "second"};
    for (size_t i = 0; i < COUNT(gone); i++)
        if (strstr(text, gone[i]))
            fail_msg("on the screen: %s", gone[i]);
    free(text);
    sheet_free(&sheet);
    protocol_free(&p);
}

TEST(quotes_the_verdict)
{
    static const char tail[] = "on Linux host 6.18.44-fc-v669 #1 SMP PREEMPT_DYNAMIC @0 x86_64";
    static const struct {
        const char *start, *verdict, *shown;
    } rows[] = {
        {"b_eff = 3192.045 MB/s = 1596.023 * 2 PEs with 16 MB/PE ", ", NOT VALID",
         "b_eff = 3192.045 MB/s = 1596.023 * 2 PEs with 16 MB/PE on Linux host 6.18.44-fc-v669 #1, NOT "
         "VALID\n"},
        {"b_eff_io = 569.174 MB/s on 1 processes with 16 MByte/PE, scheduled time=0.2 Min, ", ", NOT VALID",
         "b_eff_io = 569.174 MB/s on 1 processes with 16 MByte/PE, scheduled time=0.2 Min, NOT VALID\n"},
        {"b_eff = 1.000 MB/s ", "",
         "b_eff = 1.000 MB/s on Linux host 6.18.44-fc-v669 #1 SMP PREEMPT_DYNAMIC @0 x86_64\n"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct protocol p = {.type = &type};
        struct sheet sheet = {.protocol = &p, .headline_name = "b_eff"};
        snprintf(sheet.headline, sizeof sheet.headline, "%s%s%s", rows[i].start, tail, rows[i].verdict);
        char *text = brief_of(&sheet);
        lines_of(text);
        assert_string_equal(text + strlen(text) - strlen(rows[i].shown), rows[i].shown);
        free(text);
    }
}

TEST(states_that_all_criteria_pass)
{
    struct protocol p = {.type = &type};
    struct sheet sheet = {.protocol = &p, .headline_name = "b_eff"};
    sheet_criterion(&sheet, true, "one");
    sheet_criterion(&sheet, true, "two");
    char *text = brief_of(&sheet);
    assert_contains(text, "VALID for comparison: all 2 criteria pass\n\n");
    assert_null(strstr(text, "one"));
    assert_null(strstr(text, "NOT"));
    free(text);
    sheet.unknown = true;
    text = brief_of(&sheet);
    assert_contains(text, "no verdict: all 2 criteria pass\n");
    free(text);
    sheet_free(&sheet);
}

/* ---- JSON ---- */

TEST(writes_json)
{
    struct protocol p;
    struct sheet sheet;
    make_protocol(&p);
    make_sheet(&sheet, &p);
    protocol_meta(&p, "started", "again");
    char *text = sheet_as_text(&sheet, true);
    assert_string_equal(
        text, "{\n \"format\": \"" PROTOCOL_FORMAT "\",\n \"program\": \"tool\",\n"
              " \"version\": \"0.1.0\",\n \"command\": \"tool --text \\\"a\\\\b\\\"\",\n"
              " \"system\": {\n  \"format\": \"" PROTOCOL_FORMAT "\",\n  \"program\": \"tool\",\n"
              "  \"version\": \"0.1.0\",\n  \"command\": \"tool --text \\\"a\\\\b\\\"\",\n"
              "  \"started\": [\n   \"2026-11-21T12:34:56Z\",\n   \"again\"\n  ],\n"
              "  \"host\": \"n\xc3\xb6\",\n  \"cpu\": \"bad ?? text\",\n  \"control\": \"a b \"\n },\n"
              " \"settings\": {\n  \"time\": \"180\",\n  \"output\": \"\"\n },\n"
              " \"result\": {\n  \"b_eff\": 100.09999999999999,\n  \"unit\": \"MB/s\",\n  \"rings\": 50,\n"
              "  \"latency\": null,\n"
              "  \"valid\": false,\n  \"reasons\": [\n   \"too short\"\n  ],\n"
              "  \"not_checked\": [\n   \"not asked\"\n  ],\n"
              "  \"notes\": [\n   \"note 5\"\n  ],\n  \"passes\": [100, 0.33333333333333331],\n"
              "  \"line\": \"b_eff = 100.125 MB/s\",\n  \"end\": null\n },\n"
              " \"tables\": {\n  \"small\": [\n   {\"bytes\": 1, \"name\": \"a\", \"rate\": "
              "0.0040000000000000001},\n"
              "   {\"bytes\": null, \"name\": \"\", \"rate\": null},\n"
              "   {\"bytes\": 8388608, \"name\": \"longest\", \"rate\": 12345.678}\n  ]\n },\n"
              " \"records\": [\n  {\"number\": 1, \"word\": \"ring-1\", \"value\": 0.10000000000000001},\n"
              "  {\"number\": 9007199254740992, \"word\": \"x?\", \"value\": null}\n ]\n}\n");
    free(text);
    sheet_free(&sheet);
    protocol_free(&p);
}

/* Without measurements, all keys exist with the value null. */
TEST(writes_missing_values_as_null)
{
    struct protocol p = {.type = &type};
    struct sheet sheet = {.protocol = &p, .headline_name = "b_eff"};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    sheet_value(&sheet, "b_eff", "the number", "MB/s", NAN);
    sheet_json(&sheet, false, out);
    fclose(out);
    assert_string_equal(text, "{\n \"system\": {},\n \"settings\": {},\n \"result\": {\n  \"b_eff\": null,\n"
                              "  \"unit\": \"MB/s\",\n  \"valid\": true,\n"
                              "  \"reasons\": [],\n  \"notes\": [],\n  \"passes\": [],\n"
                              "  \"line\": \"\",\n  \"end\": null\n },\n \"tables\": {},\n"
                              " \"records\": null,\n \"records_in\": \"run.prot\"\n}\n");
    free(text);
    sheet_free(&sheet);
}

TEST(reports_a_full_device)
{
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    struct protocol p;
    struct sheet sheet;
    make_protocol(&p);
    make_sheet(&sheet, &p);
    sheet_json(&sheet, true, full);
    fflush(full);
    assert_true(ferror(full));
    fclose(full);
    sheet_free(&sheet);
    protocol_free(&p);
}

TEST(quotes_text_of_any_bytes)
{
    static const struct {
        const char *value, *expected;
    } rows[] = {{"plain", "\"plain\"\n"},
                {"\"\\\n\x1b", "\"\\\"\\\\\\u000a\\u001b\"\n"},
                {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82\"\n"},
                {"\xff\xfe", "\"??\"\n"},
                {"\xc3", "\"?\"\n"},
                {"\xe2\x82", "\"??\"\n"},
                {"\xc0\xaf", "\"??\"\n"},
                {"\xed\xa0\x80", "\"???\"\n"},
                {"\xf4\x90\x80\x80", "\"????\"\n"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        struct json json;
        json_start(&json, out);
        json_text(&json, NULL, rows[i].value);
        json_finish(&json);
        fclose(out);
        assert_string_equal(text, rows[i].expected);
        free(text);
    }
}

TEST(recognises_numbers)
{
    static const char *const rows[][2] = {
        {"2", "2"},       {"-1", "-1"},         {"1.50e-07", "1.50e-07"}, {"0", "0"},
        {"1E5", "1E5"},   {"", "\"\""},         {"none", "\"none\""},     {"1-2", "\"1-2\""},
        {"01", "\"01\""}, {"0x10", "\"0x10\""}, {"1e999", "\"1e999\""},   {".5", "\".5\""},
        {"1.", "\"1.\""}, {"nan", "\"nan\""},   {" 1", "\" 1\""}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        struct json json;
        json_start(&json, out);
        json_number(&json, NULL, rows[i][0]);
        fclose(out);
        assert_string_equal(text, rows[i][1]);
        free(text);
    }
}
