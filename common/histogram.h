/* Durations, counted in logarithmic bins, so that a histogram's size does not depend on their number. */
#ifndef COMMON_HISTOGRAM_H
#define COMMON_HISTOGRAM_H

#include <stdint.h>

/* 8 bins per factor of 2, from 2^-30 s (about 1 ns) to 2^16 s (about 18 hours). Shorter and longer durations
 * go to the first and the last bin. */
enum {
    HISTOGRAM_PER_OCTAVE = 8,
    HISTOGRAM_LOW = -30,
    HISTOGRAM_HIGH = 16,
    HISTOGRAM_BINS = HISTOGRAM_PER_OCTAVE * (HISTOGRAM_HIGH - HISTOGRAM_LOW)
};

/* An empty histogram is all zeros. */
struct histogram {
    int64_t count;
    double min, max; /* shortest and longest duration in seconds; 0 if there is none */
    int64_t bin[HISTOGRAM_BINS];
};

/* Adds a duration in seconds. */
void histogram_add(struct histogram *histogram, double seconds);

/* Adds the durations of another histogram, for example from another process. */
void histogram_merge(struct histogram *histogram, const struct histogram *other);

/* Returns the duration in seconds that a share (0 to 1) of the durations does not exceed; 0 if there are
 * none. It is interpolated within its bin, so its error is at most 9 %, the width of a bin. It is never
 * outside the minimum and the maximum. */
double histogram_quantile(const struct histogram *histogram, double share);

#endif
