/* The ratio of two sides from several runs of each, with a 95 % interval that assumes no distribution. Pure.
 *
 * Of n values before and m after, all n * m ratios after / before are sorted. Their median is the estimate
 * (Hodges and Lehmann 1963, on a logarithmic scale). The interval goes from the k-th smallest to the k-th
 * largest, where k is the largest number with 2 P(U < k) <= 5 %, U being the statistic of Mann and Whitney
 * for two sides that do not differ: a ratio outside of the interval is one that their rank test rejects. What
 * it takes: the values of a side are independent draws from one distribution, whichever, and that of one side
 * is that of the other times a factor. Equal values make the interval wider, never narrower.
 *
 * P(U < 1) = 1 / C(n + m, n). So there is an interval only if C(n + m, n) >= 40: from 4 and 4, 3 and 5, or 2
 * and 8 values on. */
#ifndef PROTOCOLS_INTERVAL_H
#define PROTOCOLS_INTERVAL_H

#include <stddef.h>

#define INTERVAL_LEVEL 0.95
enum { INTERVAL_MOST = 100 }; /* values of a side */

/* k for n and m values, at most INTERVAL_MOST each; 0 if there is no interval. `level`: how often at least
 * the interval holds the ratio, from 0.95 on; NaN if there is none. NaN and 0 when out of memory. */
size_t interval_rank(size_t n, size_t m, double *level);

/* The interval of the median of n values, whichever their distribution: from the k-th smallest to the k-th
 * largest, where k is the largest number with 2 P(B < k) <= 5 %, B being heads in n tosses of a coin (the
 * sign test). Returns k; 0 if there is none: fewer than 6 values, or more than MEDIAN_MOST. `level` as above.
 */
enum { MEDIAN_MOST = 1000 };
size_t median_rank(size_t n, double *level);

/* The fewest values that hold their median between the smallest and the largest so often: 6 for 0.95. */
size_t median_runs(double level);

struct ratio {
    double value;     /* median of all ratios */
    double low, high; /* NaN: no interval */
};

/* The ratio of m values after to n values before, all positive; `rank` from interval_rank(n, m). All NaN
 * without values, or when out of memory. */
struct ratio ratio_make(const double *before, size_t n, const double *after, size_t m, size_t rank);

#endif
