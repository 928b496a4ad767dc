/* Statistics of several runs that assume no distribution: ratio and median with their 95 % intervals, and
 * where a series changed. */
#ifndef REPORT_INFERENCE_H
#define REPORT_INFERENCE_H

#include <stdbool.h>
#include <stddef.h>

/* ---- the ratio of two sides ---- */

/* Of n values before and m after, all n * m ratios after / before are sorted. Their median is the estimate
 * (Hodges and Lehmann 1963, on a logarithmic scale). The interval goes from the k-th smallest to the k-th
 * largest, where k is the largest number with 2 P(U < k) <= 5 %, U being the statistic of Mann and Whitney
 * for two sides that do not differ: a ratio outside of the interval is one that their rank test rejects. What
 * it takes: the values of a side are independent draws from one distribution, whichever, and that of one side
 * is that of the other times a factor. Equal values make the interval wider, never narrower.
 *
 * P(U < 1) = 1 / C(n + m, n). So there is an interval only if C(n + m, n) >= 40: from 4 and 4, 3 and 5, or 2
 * and 8 values on. */

#define INTERVAL_LEVEL 0.95
enum { INTERVAL_MAX = 100 }; /* values of a side */

/* k for n and m values, at most INTERVAL_MAX each; 0 if there is no interval. `level`: how often at least
 * the interval holds the ratio, from 0.95 on; NaN if there is none. */
size_t interval_rank(size_t n, size_t m, double *level);

struct ratio {
    double value;     /* median of all ratios */
    double low, high; /* NaN: no interval */
};

/* The ratio of m values after to n values before, all positive; `rank` from interval_rank(n, m). All NaN
 * without values. */
struct ratio ratio_make(const double *before, size_t n, const double *after, size_t m, size_t rank);

/* Returns the smallest loss that an interval of this width would have excluded, as a share of the value
 * before (0.05 for 5 %); NaN if there is no interval. A change by a factor multiplies value, low and high by
 * that factor, so this is the loss that moves the far end of the interval to 1. For times (`less_is_better`),
 * it is the smallest increase. */
double ratio_smallest_loss(const struct ratio *ratio, bool less_is_better);

/* ---- one side ---- */

/* The interval of the median of n values, whichever their distribution: from the k-th smallest to the k-th
 * largest, where k is the largest number with 2 P(B < k) <= 5 %, B being heads in n tosses of a coin (the
 * sign test). Returns k; 0 if there is none: fewer than 6 values, or more than MEDIAN_MAX. `level` as above.
 */
enum { MEDIAN_MAX = 1000 };
size_t median_rank(size_t n, double *level);

/* ---- a series ---- */

/* It changed if p is below this. */
#define CHANGE_P 0.01

/* So few values can reach that, if the first 5 are apart from the last 5: 2 / C(10, 5) = 0.008. The most
 * telling order of 8 or 9 has 0.029. */
enum { CHANGE_MIN = 10 };

/* Pettitt's test (1979) of n values in the order in which they were measured. U_t is the number of pairs of
 * one of the first t values and one of the others in which the first is larger, less those in which it is
 * smaller; K is the largest |U_t|. p is how often the values in random order (a fixed seed) have a K as
 * large: no distribution is assumed, equal values are none the worse, but the values must be independent. */
struct change {
    double k, p;          /* p NaN: fewer than CHANGE_MIN values */
    double k_needed;      /* smallest K with p < CHANGE_P; NaN: fewer than CHANGE_MIN values */
    size_t at;            /* the first value after the change */
    double before, after; /* medians of both sides of it */
};

void change_find(struct change *change, const double *values, size_t n);

/* Returns the smallest lasting loss that change_find() would have reported, as a share of the value before
 * (0.05 for 5 %), if the second half of these values had been lower (for times, `less_is_better`: higher) by
 * it. NaN if no loss would have been reported. */
double change_smallest_loss(const struct change *change, const double *values, size_t n, bool less_is_better);

#endif
