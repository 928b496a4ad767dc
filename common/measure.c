/* The measuring loop. Uses nothing but what its caller hands in. */
#include "common/measure.h"

#include <stddef.h>

/* One timed loop under way. */
struct loop {
    const struct measure_ops *ops;
    long first, max; /* number of the first iteration; how many at most */
    struct measured *result;
};

/* `reading`: the latest one of the clock where each iteration's duration is asked for, else NULL. */
static int repeat(const struct measure_ops *ops, long first, long count, long *done, double *reading)
{
    for (long i = 0; i < count; i++) {
        int error = ops->work(ops->context, first + i);
        if (error)
            return error;
        ++*done;
        if (reading && ops->lap) {
            double before = *reading;
            *reading = ops->now(ops->context);
            ops->lap(ops->context, *reading - before);
        }
    }
    return 0;
}

static double now(const struct loop *loop)
{
    return loop->ops->now(loop->ops->context);
}

/* Each iteration timed by itself. */
static int repeat_each(struct loop *loop)
{
    const struct measure_ops *ops = loop->ops;
    for (long i = loop->first; loop->result->loops < loop->max; i++) {
        double start = now(loop);
        int error = repeat(ops, i, 1, &loop->result->loops, NULL);
        double seconds = now(loop) - start;
        loop->result->seconds += seconds;
        if (!error)
            error = ops->after(ops->context, i, seconds);
        if (error)
            return error;
    }
    return 0;
}

/* As long as the vote lets it go on. */
static int repeat_voting(struct loop *loop, double start)
{
    const struct measure_ops *ops = loop->ops;
    for (;;) {
        double before = now(loop);
        long more = ops->vote(ops->context, loop->result->loops, before - start);
        double reading = now(loop);
        loop->result->vote_seconds += reading - before;
        if (more < 0)
            return (int)more;
        if (more > loop->max - loop->result->loops)
            more = loop->max - loop->result->loops;
        int error = repeat(ops, loop->first + loop->result->loops, more, &loop->result->loops, &reading);
        if (error || more == 0)
            return error;
    }
}

/* The whole span: iterations, then the last step. */
static int run_span(struct loop *loop)
{
    const struct measure_ops *ops = loop->ops;
    double start = now(loop), reading = start;
    int error = ops->vote ? repeat_voting(loop, start)
                          : repeat(ops, loop->first, loop->max, &loop->result->loops, &reading);
    if (!error && ops->finish) {
        double before = now(loop);
        error = ops->finish(ops->context);
        loop->result->finish_seconds = now(loop) - before;
    }
    loop->result->seconds = now(loop) - start;
    return error;
}

enum measure_status measure(const struct measure_ops *ops, long warmup, long loops, struct measured *result)
{
    struct loop loop = {ops, warmup, loops, result};
    long warmed = 0;
    *result = (struct measured){0};
    result->error = ops->synchronise(ops->context);
    if (!result->error)
        result->error = repeat(ops, 0, warmup, &warmed, NULL);
    if (!result->error)
        result->error = ops->after ? repeat_each(&loop) : run_span(&loop);

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
