/* Text from anywhere stays data in CSV, Markdown and JSON. */
#include "protocols/write.h"

#include "protocols/finding.h"
#include "tests/unit.h"

static char *text;
static size_t size;

static FILE *start(void)
{
    free(text);
    text = NULL;
    return open_memstream(&text, &size);
}

static int tear_down(void **state)
{
    (void)state;
    free(text);
    text = NULL;
    return 0;
}

static void csv_fields(void **state)
{
    (void)state;
    static const struct {
        const char *field, *expected;
    } rows[] = {{"plain", "plain\n"},
                {"", "\n"},
                {"a,b", "\"a,b\"\n"},
                {"say \"hi\"", "\"say \"\"hi\"\"\"\n"},
                {"two\nlines", "\"two\nlines\"\n"},
                {"=1+1", "'=1+1\n"},
                {"@cmd", "'@cmd\n"},
                {"+a,b", "\"'+a,b\"\n"},
                {"-1.5e-3", "-1.5e-3\n"},
                {"-", "-\n"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        FILE *out = start();
        write_csv_row(&rows[i].field, 1, out);
        fclose(out);
        assert_string_equal(text, rows[i].expected);
    }
}

static void markdown_text(void **state)
{
    (void)state;
    FILE *out = start();
    write_md_text("<script>|`a_b`*c*[d](e)\n& more", out);
    fclose(out);
    assert_string_equal(text, "&lt;script\\>\\|\\`a\\_b\\`\\*c\\*\\[d\\](e) &amp; more");
}

static void json_text(void **state)
{
    (void)state;
    static const struct {
        const char *value, *expected;
    } rows[] = {{"plain", "\"plain\""},
                {"\"\\\n\x1b", "\"\\\"\\\\\\u000a\\u001b\""},
                {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82\""},
                {"\xff\xfe", "\"??\""},
                {"\xc3", "\"?\""},
                {"\xe2\x82", "\"??\""},
                {"\xc0\xaf", "\"??\""},
                {"\xed\xa0\x80", "\"???\""},
                {"\xf4\x90\x80\x80", "\"????\""}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        FILE *out = start();
        write_json_text(rows[i].value, out);
        fclose(out);
        assert_string_equal(text, rows[i].expected);
    }
}

static void tables(void **state)
{
    (void)state;
    static const struct table_column columns[] = {
        {"name", "", CELL_TEXT, 0}, {"time", "s", CELL_REAL, 2}, {"count", "", CELL_INTEGER, 0}};
    struct table table;
    table_start(&table, "t", "T", columns, 3);
    struct cell *row = table_row(&table);
    strcpy(row[0].text, "a|b,\"c\"");
    row[1].number = 0.125;
    table_row(&table);
    FILE *out = start();
    write_csv_table(&table, out);
    write_md_table(&table, out);
    write_json_table(&table, out);
    fclose(out);
    assert_string_equal(text,
                        "name,time,count\n\"a|b,\"\"c\"\"\",0.125,\n,,\n"
                        "| name | time, s | count |\n| --- | ---: | ---: |\n| a\\|b,\"c\" | 0.12 | - |\n"
                        "|  | - | - |\n"
                        "[\n  {\"name\": \"a|b,\\\"c\\\"\", \"time\": 0.125, \"count\": null},\n"
                        "  {\"name\": \"\", \"time\": null, \"count\": null}]");
    table_free(&table);
}

static void findings_are_clean_and_bounded(void **state)
{
    (void)state;
    struct findings findings = {0};
    finding_add(&findings, &(struct finding){.line = 3}, "%s",
                "\x1b[31mred\n\xc2\x9b"
                "2J \xc3\xa9");
    assert_string_equal(findings.kept[0].text, "?[31mred???2J \xc3\xa9");
    assert_null(finding_fatal(&findings));
    for (int i = 0; i < 3 * FINDINGS_MOST; i++)
        finding_add(&findings, &(struct finding){""}, "number %d", i);
    finding_add(&findings, &(struct finding){.fatal = true}, "fatal");
    assert_int_equal(findings.count, 3 * FINDINGS_MOST + 2);
    assert_string_equal(finding_fatal(&findings)->text, "fatal");
    findings_free(&findings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(csv_fields, tear_down), cmocka_unit_test_teardown(markdown_text, tear_down),
        cmocka_unit_test_teardown(json_text, tear_down), cmocka_unit_test_teardown(tables, tear_down),
        cmocka_unit_test(findings_are_clean_and_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
