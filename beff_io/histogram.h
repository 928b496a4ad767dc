/* Durations of many calls in logarithmic bins, 8 per factor of 2 (docs/definition.md 2.8). Bins of several
 * processes are added up; so nothing grows with the number of calls. Pure. */
#ifndef BEFF_IO_HISTOGRAM_H
#define BEFF_IO_HISTOGRAM_H

#include <stdint.h>

/* From 2^-30 s, about 1 ns, to 2^16 s, about 18 hours. The first and the last bin take what lies beyond. */
enum { HISTOGRAM_LOW = -30, HISTOGRAM_HIGH = 16, HISTOGRAM_BINS = 8 * (HISTOGRAM_HIGH - HISTOGRAM_LOW) };

struct histogram {
    int64_t bin[HISTOGRAM_BINS];
};

/* One call that took `seconds`. */
void histogram_add(struct histogram *histogram, double seconds);

/* The duration in seconds that a share (0 to 1) of the calls does not exceed, interpolated within its bin; 0
 * without calls. At most 9 % off, the width of a bin. */
double histogram_quantile(const struct histogram *histogram, double share);

#endif
