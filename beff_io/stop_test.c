/* Tests the stop rule on a simulated file system: patterns keep within their slices, and votes are cheap. */
#include "tests/unit.h"

#include "beff_io/scheduler.h"

/* Simulates a pattern whose calls take `one` seconds each, and three times as long after `late` seconds.
 * Returns the time of the pattern in seconds, including votes. */
static double run_slower(struct io_stop stop, double one, double late, double cost, int64_t *calls,
                         int *votes)
{
    struct io_progress progress = {.cost = cost};
    for (*votes = 1;; ++*votes) {
        int64_t more = io_stop_calls(&stop, &progress);
        double seconds = progress.looping + cost;
        if (more == 0)
            break;
        assert_true(more > 0 && progress.calls + more <= stop.max_calls);
        for (progress.calls += more; more > 0; more--)
            seconds += seconds < late ? one : 3 * one;
        progress.elapsed = progress.looping = seconds;
    }
    *calls = progress.calls;
    return progress.elapsed + cost;
}

static double run(struct io_stop stop, double one, double cost, int64_t *calls, int *votes)
{
    return run_slower(stop, one, INFINITY, cost, calls, votes);
}

TEST(slices_are_kept_and_votes_are_cheap)
{
    static const double ones[] = {0.4e-6, 5e-6, 200e-6, 3e-3, 0.04};
    for (size_t i = 0; i < COUNT(ones); i++)
        for (double slice = 0.05; slice < 30; slice *= 3) {
            int64_t calls;
            int votes;
            double cost = 5e-6, used = run((struct io_stop){.slice = slice, .max_calls = INT64_MAX}, ones[i],
                                           cost, &calls, &votes);
            assert_true(used <= fmax(1.01 * slice, ones[i] + 2 * cost));
            assert_true(used >= 0.98 * slice - ones[i]);
            assert_true(votes * cost <= 0.01 * used);
        }
}

/* Calls become slower, for example, when the page cache is full. */
TEST(slices_are_kept_when_calls_become_slower)
{
    int64_t calls;
    int votes;
    for (double late = 0.1; late < 1; late += 0.1) {
        double used = run_slower((struct io_stop){.slice = 1, .max_calls = INT64_MAX}, 1e-4, late, 5e-6,
                                 &calls, &votes);
        assert_true(used >= 0.98 && used <= 1.01);
    }
}

TEST(the_slice_includes_the_sync)
{
    int64_t calls;
    int votes;
    struct io_stop stop = {.slice = 1, .sync_fixed = 0.1, .sync_per_call = 1e-3, .max_calls = INT64_MAX};
    double used = run(stop, 1e-3, 1e-6, &calls, &votes);
    assert_near(used + 0.1 + (double)calls * 1e-3, 1, 0.02);
}

TEST(makes_at_least_one_call_and_at_most_the_maximum)
{
    int64_t calls;
    int votes;
    run((struct io_stop){.slice = 1e-3, .max_calls = 100}, 1, 1e-6, &calls, &votes);
    assert_int_equal(calls, 1);
    run((struct io_stop){.slice = INFINITY, .max_calls = 1}, 1, 1e-6, &calls, &votes);
    assert_int_equal(calls, 1);
    run((struct io_stop){.slice = 100, .max_calls = 77}, 1e-3, 1e-6, &calls, &votes);
    assert_int_equal(calls, 77);
}
