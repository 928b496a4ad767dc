/* What a run cannot reach, and what it says would help. */
#include "beff_io/results.h"

#include <math.h>

#include "tests/unit.h"

static struct io_settings settings;
static struct io_prospect prospect;
static char told[4096];

/* An ordinary run: 30 minutes, two partitions, 500 GB, a disk. */
static int tell(void)
{
    *told = 0;
    struct texts lines = {0};
    prospect.settings = &settings;
    io_prospect_unreachable(&prospect, &lines);
    for (size_t i = 0; i < lines.count; i++)
        snprintf(told + strlen(told), sizeof told - strlen(told), "%s\n", lines.text[i]);
    int count = (int)lines.count;
    texts_free(&lines);
    return count;
}

static int start(void **state)
{
    (void)state;
    settings = io_defaults;
    prospect = (struct io_prospect){.partition_count = 2, .max_bytes = 500e9, .memory = 24e9};
    return 0;
}

static void an_ordinary_run_can_reach_everything(void **state)
{
    (void)state;
    assert_int_equal(tell(), 0);
    assert_near(io_prospect_fastest(&prospect), 500e9 / 768 / 0.9 / 1e6, 1e-6);
}

static void each_criterion_out_of_reach_is_told(void **state)
{
    (void)state;
    settings.run.time = 1799;
    assert_int_equal(tell(), 1);
    assert_contains(told, "--time 1800");
    prospect.partition_count = 3;
    settings.run.time = 1800;
    assert_int_equal(tell(), 0);
    settings.noshared = true;
    assert_int_equal(tell(), 1);
    assert_contains(told, "without --noshared");
    settings.noshared = false;
    settings.separated_paths.count = 2;
    assert_int_equal(tell(), 1);
    assert_contains(told, "without --separated-paths");
    settings.separated_paths.count = 0;
    settings.types.count = 1;
    assert_int_equal(tell(), 1);
    assert_contains(told, "every pattern measured");
}

static void reads_out_of_memory_are_told(void **state)
{
    (void)state;
    prospect.in_memory = true;
    assert_int_equal(tell(), 1);
    assert_contains(told, "lives in memory");
    prospect.in_memory = false;
    settings.keep_caches = true;
    prospect.max_bytes = 40e9; /* 20 GB in each partition pass through 24 GB */
    assert_int_equal(tell(), 1);
    assert_contains(told, "with --keep-caches more than 24.0 GB must pass");
    prospect.max_bytes = 60e9;
    assert_int_equal(tell(), 0);
    settings.keep_caches = false;
    prospect.hides_cache = true;
    assert_int_equal(tell(), 0);
    prospect.max_bytes = 40e9;
    assert_int_equal(tell(), 1);
    assert_contains(told, "does not show what is in the page cache");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(an_ordinary_run_can_reach_everything, start),
                                       cmocka_unit_test_setup(each_criterion_out_of_reach_is_told, start),
                                       cmocka_unit_test_setup(reads_out_of_memory_are_told, start)};
    return cmocka_run_group_tests_name("beff_io prospect", tests, NULL, NULL);
}
