/* The measuring loop. Uses nothing but what its caller hands in. */
#include "common/measure.h"

static int repeat(const struct measure_world *world, long first, long count, long *done)
{
    for (long i = 0; i < count; i++) {
        int error = world->work(world->context, first + i);
        if (error)
            return error;
        ++*done;
    }
    return 0;
}

enum measure_status measure(const struct measure_world *world, long warmup, long loops,
                            struct measured *result)
{
    *result = (struct measured){0};
    long warmed = 0;
    result->error = world->synchronise(world->context);
    if (!result->error)
        result->error = repeat(world, 0, warmup, &warmed);
    if (result->error)
        return MEASURE_FAILED;

    double start = world->now(world->context);
    result->error = repeat(world, warmup, loops, &result->loops);
    result->seconds = world->now(world->context) - start;

    if (result->error)
        return MEASURE_FAILED;
    if (result->seconds < 0)
        return MEASURE_CLOCK_BACKWARDS;
    return result->seconds > 0 ? MEASURE_OK : MEASURE_CLOCK_STILL;
}

const char *measure_status_text(enum measure_status status)
{
    switch (status) {
    case MEASURE_OK:
        return "measured";
    case MEASURE_FAILED:
        return "an operation failed";
    case MEASURE_CLOCK_STILL:
        return "the clock stood still (measured time 0)";
    case MEASURE_CLOCK_BACKWARDS:
        return "the clock went backwards";
    }
    return "unknown";
}
