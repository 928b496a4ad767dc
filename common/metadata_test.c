/* Tests the search for metadata rows, the check of values, and which values are numbers in JSON. */
#include "common/metadata.h"

#include "common/options.h"
#include "tests/unit.h"

static const struct option_row options_rows[] = {
    {"time", OPTION_REAL, 0, "S", ""},
    {"loops", OPTION_INTEGER, 8, "N", "loops of a measurement", .uses = METADATA_DEFINES},
    {"map", OPTION_NUMBERS, 16, "PxQ", "", .parts = 2},
    {"mem", OPTION_NUMBERS, 64, "GIB", "", .parts = 1},
    {"host", OPTION_TEXT, 128, "NAME", ""},
    {"seed", OPTION_SEED, 136, "N", ""},
};
static const struct option_table options = {.rows = options_rows, .count = COUNT(options_rows)};
static const struct metadata_row rows[] = {
    {"seed", METADATA_TEXT, METADATA_DEFINES},
    {"lmax", METADATA_REAL, METADATA_SYSTEM}, /* takes precedence over the common row */
};
static const struct metadata metadata = {rows, COUNT(rows), &options};

TEST(finds_program_rows_common_rows_and_options)
{
    assert_int_equal(metadata_find(&metadata, "lmax").kind, METADATA_REAL);
    assert_int_equal(metadata_find(NULL, "lmax").kind, METADATA_INTEGER);
    assert_int_equal(metadata_find(&metadata, "option_loops").uses, METADATA_DEFINES);
    assert_int_equal(metadata_find(&metadata, "option_time").uses, 0);
    static const char *const unknown[] = {"option_other", "loops", "option_", "", "option"};
    for (size_t i = 0; i < COUNT(unknown); i++)
        assert_null(metadata_find(&metadata, unknown[i]).key);
    assert_null(metadata_find(NULL, "option_time").key);
}

TEST(distinguishes_numbers_in_json)
{
    static const char *const numbers[] = {"option_time", "option_loops", "option_mem", "processes", "cores"};
    static const char *const texts[] = {"option_map", "option_host", "option_seed", "seed", "host"};
    for (size_t i = 0; i < COUNT(numbers); i++)
        assert_true(metadata_is_number(metadata_find(&metadata, numbers[i]).kind));
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_false(metadata_is_number(metadata_find(&metadata, texts[i]).kind));
}

TEST(checks_values)
{
    static const struct {
        enum metadata_kind kind;
        const char *value, *expected;
    } values[] = {
        {METADATA_TEXT, "", NULL},
        {METADATA_SIGNED, "-12", NULL},
        {METADATA_SIGNED, "1.5", "a whole number"},
        {METADATA_INTEGER, "4611686018427387904", NULL},
        {METADATA_INTEGER, "-1", "a whole number from 0"},
        {METADATA_INTEGER, "1.5", "a whole number from 0"},
        {METADATA_INTEGER, "", "a whole number from 0"},
        {METADATA_ANSWER, "yes", NULL},
        {METADATA_ANSWER, "unknown", NULL},
        {METADATA_ANSWER, "maybe", "yes, no or unknown"},
        {METADATA_REAL, "1e-9", NULL},
        {METADATA_REAL, "1 s", "a number"},
        {METADATA_NUMBER, "2-4", NULL},
        {METADATA_YES, "no", NULL},
        {METADATA_YES, "0", "yes or no"},
        {METADATA_LABEL, "UCX_TLS=sm", NULL},
        {METADATA_LABEL, "UCX_TLS", "LABEL=VALUE"},
    };
    for (size_t i = 0; i < COUNT(values); i++) {
        const char *expected = metadata_expected(values[i].kind, values[i].value);
        assert_true(!expected == !values[i].expected);
        if (expected)
            assert_string_equal(expected, values[i].expected);
    }
}
