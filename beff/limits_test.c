/* The known limit: links on several nodes, memory copies on one. */
#include "beff/limits.h"

#include "beff/record.h"
#include "tests/unit.h"

enum { PROCESSES = 8 };

/* The limits of a protocol with these pairs of key and value, NULL last; `most` messages of every pattern
 * leave a node. */
static struct limits find(const char *const *pairs, double largest, const char *most)
{
    struct pattern_list list;
    struct protocol p = {.type = &beff_record_type};
    struct message error;
    assert_int_equal(patterns_make(&list, PROCESSES, 2, 1, 8388608), 0);
    for (; *pairs; pairs += 2)
        assert_int_equal(protocol_meta(&p, pairs[0], pairs[1], &error), 0);
    for (int i = 0; most && i < list.count; i++) {
        char value[64];
        snprintf(value, sizeof value, "%s %s", list.patterns[i].id, most);
        assert_int_equal(protocol_meta(&p, "crossing", value, &error), 0);
    }
    struct limits limits = limits_find(&p, &list, largest);
    protocol_free(&p);
    patterns_free(&list);
    assert_true(strlen(limits.what) > 0 && strlen(limits.what) < sizeof limits.what);
    return limits;
}

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* 16 messages of each pattern with 8 processes, of which 4 leave the busiest node; a memory that is no limit.
 */
static void counts_what_leaves_a_node(void **state)
{
    (void)state;
    struct limits limits =
        find(PAIRS("nodes", "4", "option_limit-link", "25", "copy_before", "90000"), 1, "4");
    /* ring-1 has rings of 2: 8 messages; all others 16 */
    assert_close(limits.lmax_rings, pow(50 * pow(100, 5), 1.0 / 6));
    assert_close(limits.lmax, sqrt(limits.lmax_rings * 100));
    assert_contains(limits.what, "25 MB/s on 4 nodes");
}

static void takes_memory_where_nothing_leaves(void **state)
{
    (void)state;
    struct limits limits = find(PAIRS("nodes", "4", "option_limit-link", "25", "copy_after", "60"), 1, "0");
    assert_close(limits.lmax, 30);
    limits = find(PAIRS("nodes", "4", "option_limit-link", "25", "copy_after", "60"), 1, "4");
    assert_close(limits.lmax, 30); /* the memory is the smaller one */
    assert_nan(find(PAIRS("nodes", "4", "option_limit-link", "25", "copy_after", "60"), 1, NULL).lmax);
}

static void knows_no_link_that_was_not_given(void **state)
{
    (void)state;
    struct limits limits = find(PAIRS("nodes", "2", "option_limit-link", "0", "copy_before", "5000"), 1, "4");
    assert_nan(limits.lmax);
    assert_nan(limits.lmax_rings);
    assert_contains(limits.what, "--limit-link");
}

static void halves_memory_copies(void **state)
{
    (void)state;
    assert_close(find(PAIRS("nodes", "1", "option_limit-memory", "10000"), 4000, NULL).lmax, 5000);
    /* faster than two copies can be */
    assert_close(find(PAIRS("nodes", "1", "option_limit-memory", "10000"), 6000, NULL).lmax, 10000);
}

static void takes_the_largest_copy(void **state)
{
    (void)state;
    struct limits limits = find(PAIRS("nodes", "1", "copy_before", "8000", "copy_before", "9000",
                                      "copy_after", "7000", "copy_after", "6000"),
                                100, NULL);
    assert_close(limits.copy_before, 9000);
    assert_close(limits.copy_after, 7000);
    assert_close(limits.lmax, 4500);
    assert_close(limits.lmax_rings, 4500);
}

static void knows_nothing_of_an_empty_protocol(void **state)
{
    (void)state;
    struct limits limits = find((const char *const[]){NULL}, NAN, NULL);
    assert_nan(limits.lmax);
    assert_nan(limits.copy_before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_what_leaves_a_node),
        cmocka_unit_test(takes_memory_where_nothing_leaves),
        cmocka_unit_test(knows_no_link_that_was_not_given),
        cmocka_unit_test(halves_memory_copies),
        cmocka_unit_test(takes_the_largest_copy),
        cmocka_unit_test(knows_nothing_of_an_empty_protocol),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
