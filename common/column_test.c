#include "common/column.h"

#include <math.h>

#include "tests/unit.h"

struct row {
    const char *text;
    char word[COLUMN_WORD_SIZE];
    int64_t integer;
    double real;
};

static const struct column columns[] = {
    {"text", "", COLUMN_TEXT, 0, offsetof(struct row, text)},
    {"word", "", COLUMN_WORD, 0, offsetof(struct row, word)},
    {"integer", "B", COLUMN_INTEGER, 0, offsetof(struct row, integer)},
    {"real", "microsec", COLUMN_REAL, 1, offsetof(struct row, real), 1e6},
    {"signed", "%", COLUMN_REAL, 1, offsetof(struct row, real), .min = -INFINITY},
    {"positive", "MB/s", COLUMN_REAL, 1, offsetof(struct row, real), .min = 1e-9}};

TEST(reads_each_kind)
{
    const struct row row = {"some text", "word", 7, 0.5};
    assert_string_equal(column_text(&columns[0], &row), "some text");
    assert_string_equal(column_text(&columns[1], &row), "word");
    assert_string_equal(column_text(&columns[2], &row), "");
    assert_true(isnan(column_number(&columns[0], &row)) && isnan(column_number(&columns[1], &row)));
    assert_true(column_number(&columns[2], &row) == 7);
    assert_true(column_number(&columns[3], &row) == 5e5);
}

/* A number less than the column's minimum means that there is no value. */
TEST(numbers_below_the_minimum_are_no_values)
{
    const struct row low = {"", "", -1, -2}, zero = {"", "", 0, 0}, unknown = {"", "", 0, NAN};
    assert_true(isnan(column_number(&columns[2], &low)) && column_number(&columns[2], &zero) == 0);
    assert_true(isnan(column_number(&columns[3], &low)) && column_number(&columns[3], &zero) == 0);
    assert_true(column_number(&columns[4], &low) == -2 && isnan(column_number(&columns[4], &unknown)));
    assert_true(isnan(column_number(&columns[5], &zero)));
}
