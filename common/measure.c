#include "common/measure.h"

#include <stddef.h>

#include "common/ending.h"

/* Does `count` iterations. `reading` is the latest reading of the clock; NULL: there is no lap to report. */
static int repeat(const struct measure_ops *ops, long first, long count, long *done, double *reading)
{
    volatile sig_atomic_t *steps = ending_steps();
    for (long i = 0; i < count; i++) {
        int error = ops->work(ops->context, first + i);
        if (error)
            return error;
        ++*done;
        ++*steps;
        if (reading && ops->lap) {
            double before = *reading;
            *reading = ops->now(ops->context);
            ops->lap(ops->context, *reading - before);
        }
    }
    return 0;
}

static int repeat_each(const struct measure_ops *ops, long first, long max, struct measured *result)
{
    int error = 0;
    while (!error && result->loops < max) {
        long i = first + result->loops;
        double start = ops->now(ops->context);
        error = repeat(ops, i, 1, &result->loops, NULL);
        double seconds = ops->now(ops->context) - start;
        result->seconds += seconds;
        if (!error)
            error = ops->after(ops->context, i, seconds);
    }
    return error;
}

static int repeat_voting(const struct measure_ops *ops, long first, long max, double start,
                         struct measured *result)
{
    for (;;) {
        double before = ops->now(ops->context);
        result->seconds = before - start;
        long more = ops->vote(ops->context, result), left = max - result->loops;
        double reading = ops->now(ops->context);
        result->vote_seconds += reading - before;
        if (more < 0)
            return (int)more;
        int error = repeat(ops, first + result->loops, more < left ? more : left, &result->loops, &reading);
        if (error || more == 0 || left == 0)
            return error;
    }
}

/* Times all iterations and the finishing step as one span. */
static int run_span(const struct measure_ops *ops, long first, long max, struct measured *result)
{
    double start = ops->now(ops->context), reading = start;
    int error = ops->vote ? repeat_voting(ops, first, max, start, result)
                          : repeat(ops, first, max, &result->loops, &reading);
    if (!error && ops->finish) {
        double before = ops->now(ops->context);
        error = ops->finish(ops->context);
        result->finish_seconds = ops->now(ops->context) - before;
    }
    result->seconds = ops->now(ops->context) - start;
    return error;
}

enum measure_status measure(const struct measure_ops *ops, long warmup, long loops, struct measured *result)
{
    long warmed = 0;
    *result = (struct measured){0};
    result->error = ops->synchronise(ops->context);
    if (!result->error)
        result->error = repeat(ops, 0, warmup, &warmed, NULL);
    /* Without this synchronisation, the first timed receives would find messages already there. */
    if (!result->error)
        result->error = ops->synchronise(ops->context);
    if (!result->error && ops->begin)
        result->error = ops->begin(ops->context);
    if (!result->error)
        result->error =
            ops->after ? repeat_each(ops, warmup, loops, result) : run_span(ops, warmup, loops, result);

    if (result->error)
        return MEASURE_FAILED;
    if (result->seconds < 0)
        return MEASURE_CLOCK_BACKWARDS;
    return result->seconds > 0 ? MEASURE_OK : MEASURE_CLOCK_STILL;
}

const char *measure_status_text(enum measure_status status)
{
    static const char *const texts[] = {[MEASURE_OK] = "measured",
                                        [MEASURE_FAILED] = "an operation failed",
                                        [MEASURE_CLOCK_STILL] = "the clock stood still (measured time 0)",
                                        [MEASURE_CLOCK_BACKWARDS] = "the clock went backwards"};
    return texts[status];
}
