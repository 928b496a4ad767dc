/* Compares the forecast with times that were worked out by hand. */
#include "beff/estimates.h"

#include "tests/unit.h"

static double iteration(int64_t processes, int64_t per_node, const char *id, enum method method, int size)
{
    struct pattern_list list;
    struct links links = {25e6, 1e-4, per_node};
    patterns_make(&list, processes, 2, 1, 1048576);
    int pattern = pattern_find(&list, id);
    assert_true(pattern >= 0);
    double seconds = forecast_iteration(&list, &links, pattern,
                                        forecast_leaving(&list.patterns[pattern], per_node), method, size);
    patterns_free(&list);
    return seconds;
}

TEST(counts_messages_that_leave_a_node)
{
    const double large = 1048576 / 25e6;
    const int last = BEFF_SIZES - 1;
    /* two nodes with one process each: one message each way */
    assert_close(iteration(2, 1, "ring-1", METHOD_SENDRECV, last), 1e-4 + large);
    assert_close(iteration(2, 1, "pingpong", METHOD_SENDRECV, last), 2e-4 + 2 * large);
    assert_close(iteration(2, 1, "random-01", METHOD_NONBLOCKING, last), 1e-4 + large);
    /* a ring of 8 processes on 4 nodes: each node sends one message to the left and one to the right */
    assert_close(iteration(8, 2, "ring-6", METHOD_SENDRECV, last), 2e-4 + 2 * large);
    assert_close(iteration(8, 2, "ring-6", METHOD_ALLTOALLV, last), 1e-4 + 2 * large);
    /* rings of 2 within the nodes: nothing leaves */
    assert_close(iteration(8, 2, "ring-1", METHOD_SENDRECV, last), 1e-6);
    /* Rank i exchanges with 7 - i: both processes of a node send to another node, first one way, then back.
     */
    assert_close(iteration(8, 2, "bisection-worst", METHOD_SENDRECV, last), 2e-4 + 4 * large);
    /* A polygon: the 2 processes of a node send 2 messages each, and 6 of the 7 partners are on other nodes.
     */
    assert_close(iteration(8, 2, "random-02", METHOD_ALLTOALLV, last), 1e-4 + 4 * 6.0 / 7 * large);
}

/* With a slower link, a pass takes longer. */
TEST(adds_up_a_pass)
{
    struct pattern_list list;
    patterns_make(&list, 8, 30, 1, 1048576);
    struct forecast fast = forecast_make(&list, &(struct links){1e9, 1e-6, 2}, 0);
    struct forecast slow = forecast_make(&list, &(struct links){25e6, 1e-4, 2}, 0);
    struct forecast one_node = forecast_make(&list, &(struct links){25e6, 1e-4, 8}, 0);
    /* 3 repetitions of 36 patterns with 3 methods and of ping-pong with one, at 21 sizes: 3.5 ms each, after
     * 1 ms of untimed iterations */
    double least = 3 * (36 * 3 + 1) * 21 * 4.5e-3;
    assert_near(forecast_make(&list, NULL, 0).pass, least, 1e-9);
    assert_true(one_node.pass > 0.9 * least && one_node.pass < 1.3 * least);
    assert_true(fast.pass > 0.9 * least && fast.pass < slow.pass);
    assert_true(slow.run > 0.5 * slow.pass && slow.run < slow.pass); /* by rule a */
    patterns_free(&list);
    assert_real(estimates_time(200), 210);
    assert_real(estimates_time(201), 212); /* 211.05, rounded up */
}
