/* Averages and order statistics of arrays. All functions take n values; for n = 0 they return NaN. If a value
 * is NaN, the result is NaN, except that stats_min() ignores it. Only stats_sort() modifies its input. */
#ifndef COMMON_STATS_H
#define COMMON_STATS_H

#include <stddef.h>

double stats_mean(const double *values, size_t n);

/* Returns the geometric mean, the papers' logavg (docs/definition-beff-1.md 1, docs/diagnostics.md 2), or NaN
 * if a value is not positive. */
double stats_logavg(const double *values, size_t n);

/* Returns the standard deviation of the logarithms (divided by n - 1), or NaN for fewer than two values. */
double stats_log_deviation(const double *values, size_t n);

/* Sorts in ascending order. */
void stats_sort(double *values, size_t n);

double stats_min(const double *values, size_t n);

/* Returns the middle value, or the mean of the two middle values if n is even. */
double stats_median(const double *values, size_t n);

/* Returns the quantile q in [0, 1], interpolated linearly between order statistics (Hyndman and Fan's type
 * 7). */
double stats_quantile(const double *values, size_t n, double q);

#endif
