/* Tests the share of --limit-link. */
#include "beff/cube_test.h"
#include "beff/results.h"

/* Returns beff_link_share() at one size of a run with 4 processes in which each rated pattern has 30 MB/s.
 * `ring_1` and `others` are the numbers of messages that the busiest node sends to other nodes, in ring-1 and
 * in the other patterns. If an argument is NULL, the protocol does not contain the value. */
static double share_of(const char *link, const char *ring_1, const char *others)
{
    struct protocol p = {.type = &beff_record_type};
    cube_start();
    for (int i = 0; i < cube.list.count; i++)
        for (int s = 0; s < BEFF_SIZES; s++)
            add(1, 1, i, METHOD_SENDRECV, s, cube.list.patterns[i].rated ? 30 : 3000);
    rate();
    if (link)
        protocol_meta(&p, "option_limit-link", link);
    for (int i = 0; i < cube.list.count; i++) {
        const char *messages = i == 0 ? ring_1 : others;
        struct beff_between row = {.messages = 4, .busiest = messages ? atoi(messages) : 0};
        snprintf(row.pattern, sizeof row.pattern, "%s", cube.list.patterns[i].id);
        if (messages)
            protocol_add(&p, BEFF_BETWEEN, &row, 1);
    }
    struct beff_results results = {.sheet = {.protocol = &p}, .list = cube.list, .rating = rating};
    double share = beff_link_share(&results, 5);
    protocol_free(&p);
    return share;
}

/* ring-1 consists of rings of two and has 4 messages; the 5 other ring patterns and the 3 polygons have 8. */
TEST(compares_the_busiest_node_with_the_limit)
{
    assert_close(share_of("25", "2", "4"), 30 / 50.0);
    assert_close(share_of("25", "4", "4"), pow(30 / 25.0, 1 / 9.0) * pow(30 / 50.0, 8 / 9.0));
    assert_close(share_of("10", "0", "4"), 30 / 20.0); /* ring-1 stays within the nodes */
}

TEST(has_no_share_without_a_limit)
{
    assert_nan(share_of("0", "2", "4"));
    assert_nan(share_of(NULL, "2", "4"));
    assert_nan(share_of("25", NULL, NULL)); /* only one node */
    assert_nan(share_of("25", "0", "0"));
}
