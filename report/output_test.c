/* Tests that text from protocols stays data in CSV and in findings. */
#include "report/output.h"

#include "report/report.h"
#include "tests/unit.h"

static void fill_field(const struct table *table, int row, void *cells)
{
    (void)row;
    *(const char **)cells = table->context;
}

TEST(csv_fields)
{
    static const struct column column[] = {{"f", "", COLUMN_TEXT, 0, 0}};
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
        char *text;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        const struct table table = {TABLE_COLUMNS(column), .rows = 1, .fill = fill_field,
                                    .context = rows[i].field};
        csv_table(&table, out);
        fclose(out);
        assert_memory_equal(text, "f\n", 2);
        assert_string_equal(text + 2, rows[i].expected);
        free(text);
    }
}

struct row {
    const char *name;
    double time;
    int64_t count;
};

static void fill(const struct table *table, int row, void *cells)
{
    (void)table;
    *(struct row *)cells = row ? (struct row){"", NAN, -1} : (struct row){"a|b,\"c\"", 0.125, -1};
}

TEST(tables)
{
    static const struct column columns[] = {{"name", "", COLUMN_TEXT, 0, offsetof(struct row, name)},
                                            {"time", "s", COLUMN_REAL, 2, offsetof(struct row, time)},
                                            {"count", "", COLUMN_INTEGER, 0, offsetof(struct row, count)}};
    const struct table table = {TABLE_COLUMNS(columns), .rows = 2, .fill = fill};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    csv_table(&table, out);
    fclose(out);
    assert_string_equal(text, "name,time,count\n\"a|b,\"\"c\"\"\",0.125,\n,,\n");
    free(text);
}
