/* The stop rule. */
#include "beff_io/stop.h"

#include <math.h>

/* A batch of calls is expected to take at most this share of the slice: a file system that suddenly gets
 * slower is noticed in time. */
#define BATCH_SHARE 0.125
/* And at most this share of what is left: a page cache that is full at the end makes writes slower. */
#define BATCH_REST 0.25
/* A batch has at most this many times the calls before it: early speeds mislead. */
#define BATCH_GROWTH 4
/* Agreeing costs at most this share of its batch: half of the 1 % that the definition allows. */
#define COST_SHARE 0.005
/* A pattern ends with less than this share of its slice left: agreeing once more would cost more than it
 * gains. */
#define END_SHARE 0.004

int64_t io_stop_calls(const struct io_stop *stop, const struct io_progress *p)
{
    if (p->calls >= stop->max_calls)
        return 0;
    if (p->calls == 0)
        return 1;
    double one = fmax(p->looping / (double)p->calls, 1e-9), left = stop->slice - p->elapsed;
    left -= stop->sync_fixed + (double)p->calls * stop->sync_per_call;
    double fit = floor(left / (one + stop->sync_per_call)), room = (double)(stop->max_calls - p->calls);
    if (fit < 1 || left < END_SHARE * stop->slice)
        return 0;
    fit = fmin(fit, room);
    double batch = fmin(BATCH_SHARE * stop->slice / one, BATCH_GROWTH * (double)p->calls);
    batch = fmax(fmax(fmin(batch, BATCH_REST * fit), p->cost / COST_SHARE / one), 1);
    return (int64_t)fmin(fit, batch);
}
