/* Tests the measuring loop with made-up operations, which log each call and can fail. */
#include "common/measure.h"

#include "tests/unit.h"

struct ops {
    double time, per_iteration, per_reading; /* seconds */
    double jump;                             /* seconds added at the second reading of the clock */
    int readings;
    int synchronise_fails, work_fails; /* error codes; 0: does not fail */
    long work_fails_at;
    const long *votes; /* results of vote(), in order */
    int voted, laps;
    int after_fails, finish_fails; /* error codes; `after` fails at work_fails_at */
    double each[8], seen[8];       /* seconds passed to `after` and to `vote` */
    long done[8];                  /* loops passed to `vote` */
    char log[64]; /* s: synchronise, c: clock, w: work, a: after, v: vote, f: finish, l: lap */
    long next;    /* number of the next iteration */
};

static void note(struct ops *w, char what)
{
    size_t length = strlen(w->log);
    if (length + 1 < sizeof w->log)
        w->log[length] = what;
}

static double now(void *context)
{
    struct ops *w = context;
    note(w, 'c');
    w->time += w->per_reading;
    if (++w->readings == 2)
        w->time += w->jump;
    return w->time;
}

static int synchronise(void *context)
{
    note(context, 's');
    return ((struct ops *)context)->synchronise_fails;
}

static int work(void *context, long iteration)
{
    struct ops *w = context;
    note(w, 'w');
    assert_int_equal(iteration, w->next++);
    w->time += w->per_iteration;
    return w->work_fails && iteration == w->work_fails_at ? w->work_fails : 0;
}

static enum measure_status run(struct ops *w, long warmup, long loops, struct measured *result)
{
    struct measure_ops ops = {now, synchronise, work, w};
    memset(result, 0x5a, sizeof *result); /* every member must be set */
    return measure(&ops, warmup, loops, result);
}

TEST(calls_the_functions_in_order)
{
    static const struct {
        long warmup, loops;
        const char *log;
    } rows[] = {{0, 1, "sscwc"}, {1, 1, "swscwc"}, {2, 3, "swwscwwwc"}, {0, 5, "sscwwwwwc"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ops w = {.time = 100, .per_iteration = 0.25};
        struct measured result;
        assert_int_equal(run(&w, rows[i].warmup, rows[i].loops, &result), MEASURE_OK);
        assert_string_equal(w.log, rows[i].log);
        assert_close(result.seconds, 0.25 * (double)rows[i].loops); /* without the warm-up */
        assert_int_equal(result.loops, rows[i].loops);
        assert_int_equal(result.error, 0);
    }
}

TEST(counts_many_iterations)
{
    struct ops w = {.per_iteration = 1e-6};
    struct measured result;
    assert_int_equal(run(&w, 1, 100000, &result), MEASURE_OK);
    assert_int_equal(w.next, 100001);
    assert_int_equal(result.loops, 100000);
    assert_near(result.seconds, 0.1, 1e-9);
}

TEST(measures_slow_iterations)
{
    struct ops w = {.time = 1e9, .per_iteration = 3600, .per_reading = 10};
    struct measured result;
    assert_int_equal(run(&w, 1, 2, &result), MEASURE_OK);
    assert_close(result.seconds, 7210);
}

TEST(refuses_a_clock_that_stands_still)
{
    struct ops w = {.time = 5};
    struct measured result;
    assert_int_equal(run(&w, 1, 3, &result), MEASURE_CLOCK_STILL);
    assert_real(result.seconds, 0);
    assert_int_equal(result.loops, 3);
}

TEST(refuses_a_clock_that_goes_backwards)
{
    struct ops w = {.time = 5, .per_iteration = 0.1, .jump = -1};
    struct measured result;
    assert_int_equal(run(&w, 0, 3, &result), MEASURE_CLOCK_BACKWARDS);
    assert_true(result.seconds < 0);
}

/* The loop cannot distinguish a jump from slow work, so the jump is a part of the time. */
TEST(accepts_a_clock_that_jumps_forward)
{
    struct ops w = {.time = 5, .per_iteration = 0.1, .jump = 1000};
    struct measured result;
    assert_int_equal(run(&w, 0, 3, &result), MEASURE_OK);
    assert_close(result.seconds, 1000.3);
}

TEST(reports_a_failed_synchronisation)
{
    struct ops w = {.per_iteration = 1, .synchronise_fails = 17};
    struct measured result;
    assert_int_equal(run(&w, 1, 3, &result), MEASURE_FAILED);
    assert_string_equal(w.log, "s");
    assert_int_equal(result.error, 17);
    assert_int_equal(result.loops, 0);
    assert_real(result.seconds, 0);
}

TEST(stops_at_a_failed_iteration)
{
    static const struct {
        long fails_at, loops;
        const char *log;
    } rows[] = {{0, 0, "sw"}, {1, 0, "sww"}, {2, 0, "swwscwc"}, {4, 2, "swwscwwwc"}, {5, 3, "swwscwwwwc"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ops w = {.per_iteration = 1, .work_fails = -3, .work_fails_at = rows[i].fails_at};
        struct measured result;
        assert_int_equal(run(&w, 2, 4, &result), MEASURE_FAILED);
        assert_string_equal(w.log, rows[i].log);
        assert_int_equal(result.error, -3);
        assert_int_equal(result.loops, rows[i].loops);
    }
}

/* ---- separately timed iterations ---- */

static int after(void *context, long iteration, double seconds)
{
    struct ops *w = context;
    note(w, 'a');
    assert_int_equal(iteration, w->next - 1);
    w->each[iteration] = seconds;
    w->time += 1000; /* must not be measured */
    return w->after_fails && iteration == w->work_fails_at ? w->after_fails : 0;
}

static enum measure_status run_each(struct ops *w, long warmup, long loops, struct measured *result)
{
    struct measure_ops ops = {now, synchronise, work, w, .after = after};
    memset(result, 0x5a, sizeof *result);
    return measure(&ops, warmup, loops, result);
}

TEST(times_each_iteration)
{
    struct ops w = {.per_iteration = 0.25};
    struct measured result;
    assert_int_equal(run_each(&w, 1, 3, &result), MEASURE_OK);
    assert_string_equal(w.log, "swscwcacwcacwca");
    assert_close(result.seconds, 0.75); /* the sum without the time of `after` */
    assert_int_equal(result.loops, 3);
    for (int i = 1; i < 4; i++)
        assert_close(w.each[i], 0.25);
}

TEST(stops_at_an_error_after_an_iteration)
{
    struct ops w = {.per_iteration = 0.25, .work_fails = 5, .work_fails_at = 2};
    struct measured result;
    assert_int_equal(run_each(&w, 1, 3, &result), MEASURE_FAILED);
    assert_string_equal(w.log, "swscwcacwc");
    assert_int_equal(result.error, 5);
    assert_int_equal(result.loops, 1);
    struct ops x = {.per_iteration = 0.25, .after_fails = 6, .work_fails_at = 2};
    assert_int_equal(run_each(&x, 1, 3, &result), MEASURE_FAILED);
    assert_string_equal(x.log, "swscwcacwca");
    assert_int_equal(result.error, 6);
    assert_int_equal(result.loops, 2);
    struct ops still = {.time = 1};
    assert_int_equal(run_each(&still, 0, 3, &result), MEASURE_CLOCK_STILL);
}

/* ---- vote and finish ---- */

static long vote(void *context, const struct measured *so_far)
{
    struct ops *w = context;
    note(w, 'v');
    w->done[w->voted] = so_far->loops;
    w->seen[w->voted] = so_far->seconds;
    assert_close(so_far->vote_seconds, 0.125 * w->voted);
    w->time += 0.125;
    return w->votes[w->voted++];
}

static int finish(void *context)
{
    struct ops *w = context;
    note(w, 'f');
    w->time += 4;
    return w->finish_fails;
}

TEST(continues_until_the_vote_stops_it)
{
    static const long votes[] = {2, 1, 0};
    struct ops w = {.time = 50, .per_iteration = 1, .votes = votes};
    struct measure_ops ops = {now, synchronise, work, &w, .vote = vote, .finish = finish};
    struct measured result;
    assert_int_equal(measure(&ops, 1, 100, &result), MEASURE_OK);
    assert_int_equal(w.voted, 3);
    assert_int_equal(result.loops, 3);
    const long done[] = {0, 2, 3};
    const double seen[] = {0, 2.125, 3.25};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(w.done[i], done[i]);
        assert_close(w.seen[i], seen[i]);
    }
    assert_close(result.vote_seconds, 0.375);
    assert_close(result.finish_seconds, 4);
    assert_close(result.seconds, 3 + 0.375 + 4); /* including the votes and `finish` */
    assert_contains(w.log, "f");
}

static void lap(void *context, double seconds)
{
    struct ops *w = context;
    note(w, 'l');
    assert_close(seconds, w->per_iteration); /* without votes and readings of the clock */
    w->laps++;
}

TEST(reports_the_duration_of_each_iteration)
{
    static const long votes[] = {2, 1, 0};
    struct ops w = {.per_iteration = 1, .votes = votes};
    struct measure_ops ops = {now, synchronise, work, &w, .vote = vote, .finish = finish, .lap = lap};
    struct measured result;
    assert_int_equal(measure(&ops, 1, 100, &result), MEASURE_OK);
    assert_int_equal(w.laps, 3);
    assert_string_equal(w.log, "swsccvcwclwclcvcwclcvccfcc"); /* one reading of the clock per iteration */
    struct ops x = {.per_iteration = 1};
    struct measure_ops plain = {now, synchronise, work, &x, .lap = lap};
    assert_int_equal(measure(&plain, 0, 2, &result), MEASURE_OK);
    assert_string_equal(x.log, "sscwclwclc");
}

/* The loop never exceeds `loops`, whatever the vote. */
TEST(never_exceeds_the_maximum)
{
    static const long votes[] = {3, 1000, 1000, 1000};
    struct ops w = {.per_iteration = 1, .votes = votes};
    struct measure_ops ops = {now, synchronise, work, &w, .vote = vote};
    struct measured result;
    assert_int_equal(measure(&ops, 0, 5, &result), MEASURE_OK);
    assert_int_equal(result.loops, 5);
    assert_int_equal(w.next, 5);
    assert_real(result.finish_seconds, 0);
}

TEST(stops_at_a_vote_of_zero_or_an_error)
{
    static const long none[] = {0}, error[] = {1, -7};
    struct ops w = {.per_iteration = 1, .votes = none};
    struct measure_ops ops = {now, synchronise, work, &w, .vote = vote};
    struct measured result;
    assert_int_equal(measure(&ops, 1, 5, &result), MEASURE_OK);
    assert_int_equal(result.loops, 0);
    assert_int_equal(w.next, 1); /* the warm-up */
    struct ops x = {.per_iteration = 1, .votes = error};
    ops.context = &x;
    assert_int_equal(measure(&ops, 0, 5, &result), MEASURE_FAILED);
    assert_int_equal(result.error, -7);
    assert_int_equal(result.loops, 1);
}

TEST(reports_a_failed_finish)
{
    struct ops w = {.per_iteration = 1, .finish_fails = 28};
    struct measure_ops ops = {now, synchronise, work, &w, .finish = finish};
    struct measured result;
    assert_int_equal(measure(&ops, 0, 2, &result), MEASURE_FAILED);
    assert_int_equal(result.error, 28);
    assert_int_equal(result.loops, 2);
    /* After a failed iteration, finish() is not called. */
    struct ops x = {.per_iteration = 1, .work_fails = 3, .work_fails_at = 1};
    ops.context = &x;
    assert_int_equal(measure(&ops, 0, 2, &result), MEASURE_FAILED);
    assert_null(strchr(x.log, 'f'));
}

TEST(describes_each_status)
{
    for (int s = MEASURE_OK; s <= MEASURE_CLOCK_BACKWARDS; s++)
        for (int t = MEASURE_OK; t < s; t++)
            assert_string_not_equal(measure_status_text((enum measure_status)s),
                                    measure_status_text((enum measure_status)t));
    assert_contains(measure_status_text(MEASURE_CLOCK_STILL), "stood still");
    assert_contains(measure_status_text(MEASURE_CLOCK_BACKWARDS), "backwards");
}
