/* The message sizes: every line of the fixture table, and the properties of all others. */
#include "beff/patterns.h"

#include "tests/unit.h"

static void check_row(const char *line)
{
    char *rest;
    int64_t sizes[BEFF_SIZES], memory = strtoll(line, &rest, 10);
    beff_sizes(beff_lmax(memory), sizes);
    for (int s = 0; s < BEFF_SIZES; s++)
        if (sizes[s] != strtoll(rest, &rest, 10))
            fail_msg("size %d is %lld: %s", s, (long long)sizes[s], line);
    assert_int_equal(*rest, 0);
    assert_int_equal(sizes[BEFF_SIZES - 1], beff_lmax(memory));
}

static void agree_with_the_table(void **state)
{
    (void)state;
    assert_int_equal(unit_fixture("sizes.tsv", check_row), 17);
}

static void stop_at_128_mib(void **state)
{
    (void)state;
    static const int64_t rows[][2] = {{1, 8192},          {127, 1040384},       {128, 1048576},
                                      {16383, 134209536}, {16384, 134217728},   {16385, 134217728},
                                      {16511, 134217728}, {1000000, 134217728}, {INT64_MAX, 134217728}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(beff_lmax(rows[i][0]), rows[i][1]);
}

static void ascend(void **state)
{
    (void)state;
    for (int64_t memory = 1; memory < 20000; memory += 7) {
        int64_t sizes[BEFF_SIZES], lmax = beff_lmax(memory);
        beff_sizes(lmax, sizes);
        assert_int_equal(sizes[0], 1);
        assert_int_equal(sizes[BEFF_FIXED_SIZES - 1], 4096);
        assert_int_equal(sizes[BEFF_SIZES - 1], lmax);
        for (int s = 1; s < BEFF_SIZES; s++)
            assert_true(sizes[s] > sizes[s - 1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agree_with_the_table),
        cmocka_unit_test(stop_at_128_mib),
        cmocka_unit_test(ascend),
    };
    return cmocka_run_group_tests_name("sizes", tests, NULL, NULL);
}
