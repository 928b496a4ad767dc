/* Which keys are numbers, and which are other spellings. */
#include "common/metadata.h"

#include "tests/unit.h"

static const struct option_row rows[] = {
    {"time", OPTION_REAL, 0, "S", ""},
    {"loops", OPTION_INTEGER, 8, "N", ""},
    {"map", OPTION_NUMBERS, 16, "PxQ", "", .parts = 2},
    {"mem", OPTION_NUMBERS, 64, "GIB", "", .parts = 1},
    {"host", OPTION_TEXT, 128, "NAME", ""},
    {"seed", OPTION_SEED, 136, "N", ""},
    {"T", OPTION_REAL, 0, "S", "--time"},
};
static const struct option_table options = {.rows = rows, .count = COUNT(rows)};

static void tells_numbers(void **state)
{
    (void)state;
    static const char *const numbers[] = {"option_time", "option_loops", "option_mem", "option_T",
                                          "processes",   "copy_before",  "lmax"};
    static const char *const texts[] = {
        "option_map", "option_host", "option_seed", "option_other", "seed", "host", "loops", "option_", ""};
    for (size_t i = 0; i < COUNT(numbers); i++)
        assert_true(metadata_is_number(numbers[i], &options));
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_false(metadata_is_number(texts[i], &options));
    assert_false(metadata_is_number("option_time", NULL));
    assert_true(metadata_is_number("nodes", NULL));
}

static void tells_other_spellings(void **state)
{
    (void)state;
    assert_true(metadata_is_alias("option_T", &options));
    assert_false(metadata_is_alias("option_time", &options));
    assert_false(metadata_is_alias("option_seed", &options));
    assert_false(metadata_is_alias("T", &options));
    assert_false(metadata_is_alias("option_T", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tells_numbers),
                                       cmocka_unit_test(tells_other_spellings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
