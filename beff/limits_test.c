/* The known limit: links on several nodes, memory copies on one. */
#include "beff/limits.h"

#include "beff/record.h"
#include "tests/unit.h"

/* The limits of a protocol with these pairs of key and value, NULL last. */
static struct limits find(const char *const *pairs, double largest)
{
    int64_t sizes[BEFF_SIZES];
    struct protocol p = {.type = &beff_record_type};
    struct message error;
    beff_sizes(8388608, sizes);
    for (; *pairs; pairs += 2)
        assert_int_equal(protocol_meta(&p, pairs[0], pairs[1], &error), 0);
    struct limits limits = limits_find(&p, sizes, largest);
    protocol_free(&p);
    assert_true(strlen(limits.what) > 0 && strlen(limits.what) < sizeof limits.what);
    return limits;
}

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void multiplies_links(void **state)
{
    (void)state;
    struct limits limits = find(PAIRS("nodes", "8", "option_limit-link", "12500"), 1);
    for (int s = 0; s < BEFF_SIZES; s++)
        assert_close(limits.at[s], 100000);
    assert_close(limits.mean, 100000);
    assert_contains(limits.what, "12500");
}

static void knows_no_link_that_was_not_given(void **state)
{
    (void)state;
    struct limits limits = find(PAIRS("nodes", "2", "option_limit-link", "0", "copy", "8388608 5000"), 1);
    assert_nan(limits.at[0]);
    assert_nan(limits.at[BEFF_SIZES - 1]);
    assert_nan(limits.mean);
    assert_contains(limits.what, "--limit-link");
}

static void halves_memory_copies(void **state)
{
    (void)state;
    struct limits limits = find(PAIRS("nodes", "1", "option_limit-memory", "10000"), 4000);
    assert_close(limits.at[0], 5000);
    assert_close(limits.mean, 5000);
    limits =
        find(PAIRS("nodes", "1", "option_limit-memory", "10000"), 6000); /* faster than two copies can be */
    assert_close(limits.mean, 10000);
}

static void takes_the_largest_copy_of_each_size(void **state)
{
    (void)state;
    struct limits limits = find(PAIRS("nodes", "1", "copy", "1 30", "copy", "1 50", "copy", "1 40", "copy",
                                      "8388608 9000", "copy", "3 7", "copy", "nonsense"),
                                100);
    assert_close(limits.at[0], 25);
    assert_nan(limits.at[1]);
    assert_close(limits.at[BEFF_SIZES - 1], 4500);
    assert_nan(limits.mean); /* not at every size */
}

static void knows_nothing_of_an_empty_protocol(void **state)
{
    (void)state;
    struct limits limits = find((const char *const[]){NULL}, NAN);
    assert_nan(limits.at[0]);
    assert_nan(limits.mean);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiplies_links),
        cmocka_unit_test(knows_no_link_that_was_not_given),
        cmocka_unit_test(halves_memory_copies),
        cmocka_unit_test(takes_the_largest_copy_of_each_size),
        cmocka_unit_test(knows_nothing_of_an_empty_protocol),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
