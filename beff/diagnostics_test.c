/* The known limit of the links, and the memory copy. */
#include "beff/results.h"

#include "beff/cube_test.h"

/* The share at one size of a run with 4 processes in which each pattern's bandwidth is 30 MB/s; NULL for what
 * the protocol does not tell. `ring_1` and `others`: messages that the busiest node sends to others. */
static double share_of(const char *link, const char *ring_1, const char *others)
{
    struct cube cube;
    struct sweeps sweeps;
    struct rating rating;
    struct protocol p = {.type = &beff_record_type};
    struct message error;
    cube_start(&cube);
    for (int i = 0; i < cube.list.count; i++)
        for (int s = 0; s < BEFF_SIZES; s++)
            add(&cube, 1, 1, i, METHOD_SENDRECV, s, cube.list.patterns[i].rated ? 30 : 3000);
    rate(&cube, &sweeps, &rating);
    if (link)
        assert_int_equal(protocol_meta(&p, "option_limit-link", link, &error), 0);
    for (int i = 0; i < cube.list.count; i++) {
        char value[64];
        const char *messages = i == 0 ? ring_1 : others;
        snprintf(value, sizeof value, "%s %s", cube.list.patterns[i].id, messages ? messages : "");
        if (messages)
            assert_int_equal(protocol_meta(&p, "busiest_node", value, &error), 0);
    }
    struct beff_results results = {.sheet = {.protocol = &p}, .list = cube.list, .rating = rating};
    double share = beff_link_share(&results, 5);
    protocol_free(&p);
    finish(&cube, &sweeps, &rating);
    return share;
}

/* ring-1 has rings of two, 4 messages; the 5 other rings and 3 polygons have 8. */
static void counts_what_the_busiest_node_sends(void **state)
{
    (void)state;
    assert_close(share_of("25", "2", "4"), 30 / 50.0);
    assert_close(share_of("25", "4", "4"), pow(30 / 25.0, 1 / 9.0) * pow(30 / 50.0, 8 / 9.0));
    assert_close(share_of("10", "0", "4"), 30 / 20.0); /* ring-1 stays within the nodes */
}

static void knows_no_limit_that_was_not_given(void **state)
{
    (void)state;
    assert_nan(share_of("0", "2", "4"));
    assert_nan(share_of(NULL, "2", "4"));
    assert_nan(share_of("25", NULL, NULL)); /* one node alone */
    assert_nan(share_of("25", "0", "0"));
}

static void takes_the_largest_copy(void **state)
{
    (void)state;
    static const char *const copies[][2] = {
        {"copy_before", "8000"}, {"copy_before", "9000"}, {"copy_after", "9500"}, {"copy_after", "6000"}};
    struct protocol p = {.type = &beff_record_type};
    struct message error;
    assert_nan(beff_memory_copy(&p));
    for (size_t i = 0; i < COUNT(copies); i++)
        assert_int_equal(protocol_meta(&p, copies[i][0], copies[i][1], &error), 0);
    assert_close(beff_memory_copy(&p), 9500);
    protocol_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_what_the_busiest_node_sends),
        cmocka_unit_test(knows_no_limit_that_was_not_given),
        cmocka_unit_test(takes_the_largest_copy),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
