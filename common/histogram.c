#include "common/histogram.h"

#include <math.h>

void histogram_add(struct histogram *h, double seconds)
{
    double bin = HISTOGRAM_PER_OCTAVE * (log2(seconds) - HISTOGRAM_LOW);
    h->bin[bin >= HISTOGRAM_BINS ? HISTOGRAM_BINS - 1 : bin > 0 ? (int)bin : 0]++;
    h->min = h->count ? fmin(h->min, seconds) : seconds;
    h->max = h->count ? fmax(h->max, seconds) : seconds;
    h->count++;
}

void histogram_merge(struct histogram *h, const struct histogram *other)
{
    if (!other->count)
        return;
    h->min = h->count ? fmin(h->min, other->min) : other->min;
    h->max = h->count ? fmax(h->max, other->max) : other->max;
    h->count += other->count;
    for (int i = 0; i < HISTOGRAM_BINS; i++)
        h->bin[i] += other->bin[i];
}

double histogram_quantile(const struct histogram *h, double share)
{
    double rank = share * (double)h->count, before = 0;
    for (int i = 0; i < HISTOGRAM_BINS; i++) {
        double inside = (double)h->bin[i];
        if (inside > 0 && before + inside >= rank) {
            double value = exp2(HISTOGRAM_LOW + (i + (rank - before) / inside) / HISTOGRAM_PER_OCTAVE);
            return fmax(h->min, fmin(value, h->max));
        }
        before += inside;
    }
    return h->max;
}
