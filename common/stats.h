/* Averages and order statistics of plain arrays. Pure: no state, no allocation seen by the caller. */
#ifndef COMMON_STATS_H
#define COMMON_STATS_H

#include <stddef.h>

/* All take n values; n = 0 gives NaN. A NaN among the values gives NaN, except that stats_min passes over it.
 * None but stats_sort modifies its input. */

/* Arithmetic mean. */
double stats_mean(const double *values, size_t n);

/* Geometric mean, the papers' logavg (docs/definition.md 1.1, 3.2). A value that is not positive cannot enter
 * it: NaN. */
double stats_logavg(const double *values, size_t n);

/* Ascending, in place. */
void stats_sort(double *values, size_t n);

double stats_min(const double *values, size_t n);

/* Middle value; mean of the two middle ones for even n. */
double stats_median(const double *values, size_t n);

/* Quantile q in [0, 1], linear between order statistics (type 7 of Hyndman and Fan). */
double stats_quantile(const double *values, size_t n, double q);

#endif
