/* The size of the next batch of calls. Uses tuning alone. */
#include "beff_io/vote.h"

#include <math.h>

#include "beff_io/tuning.h"

int64_t vote_next(const struct vote *vote, int64_t done, double seconds, double cost)
{
    if (done >= vote->most)
        return 0;
    if (done == 0)
        return 1;
    double one = fmax(seconds / (double)done, 1e-9), left = vote->slice - seconds;
    left -= vote->sync_fixed + (double)done * vote->sync_per_call;
    double fit = floor(left / (one + vote->sync_per_call)), room = (double)(vote->most - done);
    if (fit < 1 || left < END_SHARE * vote->slice)
        return 0;
    fit = fmin(fit, room);
    double batch = fmin(BATCH_SHARE * vote->slice / one, BATCH_GROWTH * (double)done);
    batch = fmax(fmax(batch, cost / COST_SHARE / one), 1);
    return (int64_t)fmin(fit, batch);
}
