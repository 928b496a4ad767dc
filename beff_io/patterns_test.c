/* The table of patterns against the sums of the definition; partitions against the fixture. */
#include "tests/unit.h"

#include "beff_io/patterns.h"

static void sums_of_the_definition(void **state)
{
    (void)state;
    static const int units[IO_TYPES] = {22, 12, 10, 10, 10}, counts[IO_TYPES] = {9, 8, 8, 9, 9};
    struct io_pattern p[IO_PATTERNS];
    int sum[IO_TYPES] = {0}, timed = 0;
    io_patterns(io_mpart(1024), p);
    for (int i = 0; i < IO_PATTERNS; i++) {
        assert_int_equal(p[i].number, i);
        sum[p[i].type] += p[i].units;
        timed += p[i].units > 0;
        assert_true(p[i].fill ? p[i].disk == 0 : p[i].memory % p[i].disk == 0 && p[i].disk % 8 == 0);
    }
    for (int t = 0; t < IO_TYPES; t++) {
        assert_int_equal(sum[t], units[t]);
        assert_int_equal(io_count((enum io_type)t), counts[t]);
    }
    assert_int_equal(timed, 36);
    assert_int_equal(io_units(false), 150);
    assert_int_equal(io_units(true), 192);
}

static void mpart_is_memory_by_128_within_limits(void **state)
{
    (void)state;
    assert_int_equal(io_mpart(1), 2 << 20);
    assert_int_equal(io_mpart(1024), 8 << 20);
    assert_int_equal(io_mpart(12051), INT64_C(12051) * 8192);
    assert_int_equal(io_mpart(1 << 20), 1 << 30);
}

static void fixture_row(const char *line)
{
    int64_t processes = strtoll(line, NULL, 10), found[IO_MAX_PARTITIONS];
    struct message error;
    char text[64] = "";
    int count = io_partitions(processes, NULL, found, &error);
    for (int i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%lld", i ? "," : "",
                 (long long)found[i]);
    assert_string_equal(text, strchr(line, '\t') + 1);
}

static void partitions_of_the_fixture(void **state)
{
    (void)state;
    assert_true(unit_fixture("partitions.tsv", fixture_row) > 30);
}

static void partitions_from_a_list(void **state)
{
    (void)state;
    int64_t found[IO_MAX_PARTITIONS];
    struct message error;
    assert_int_equal(io_partitions(8, "8,2,4", found, &error), 3);
    assert_int_equal(found[0], 8);
    assert_int_equal(found[2], 4);
    static const char *const bad[] = {"", "0", "9", "2,,4", "2,", "2,2", "x", "-1"};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(io_partitions(8, bad[i], found, &error), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_the_definition), cmocka_unit_test(mpart_is_memory_by_128_within_limits),
        cmocka_unit_test(partitions_of_the_fixture), cmocka_unit_test(partitions_from_a_list)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
