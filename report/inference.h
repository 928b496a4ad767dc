/* Statistics of several runs that assume no distribution: 95 % intervals of a ratio and of a median, and the
 * change point of a series. */
#ifndef REPORT_INFERENCE_H
#define REPORT_INFERENCE_H

#include <stdbool.h>
#include <stddef.h>

/* ---- the ratio of two sides ---- */

/* From n values before and m values after, all n * m ratios after / before are sorted. Their median is the
 * estimate (Hodges and Lehmann 1963, on a logarithmic scale). The interval goes from the k-th smallest to the
 * k-th largest ratio, where k is the largest number with 2 P(U < k) <= 5 %. U is the statistic of Mann and
 * Whitney for two sides that do not differ. The rank test rejects every ratio outside the interval.
 *
 * The values of each side must be independent draws from one distribution. The distribution of one side must
 * be the distribution of the other side multiplied by a factor. Equal values make the interval wider.
 *
 * Because P(U < 1) = 1 / C(n + m, n), an interval exists only if C(n + m, n) >= 40. The smallest numbers of
 * values for which this holds include 4 and 4, 3 and 5, and 2 and 8. */

#define INTERVAL_LEVEL 0.95
enum { INTERVAL_MAX = 100 }; /* maximum number of values of a side */

/* Returns k for n and m values, or 0 if there is no interval or if a side has more than INTERVAL_MAX values.
 * Sets `level` to the confidence level of the interval, which is at least INTERVAL_LEVEL, or to NaN if there
 * is no interval. */
size_t interval_rank(size_t n, size_t m, double *level);

struct ratio {
    double value;     /* median of all ratios */
    double low, high; /* interval; NaN if there is none */
};

/* Returns the ratio of m values after to n values before. All values must be positive. `rank` is the result
 * of interval_rank(n, m). All members of the result are NaN if a side has no values. */
struct ratio ratio_make(const double *before, size_t n, const double *after, size_t m, size_t rank);

/* Returns the smallest loss that an interval of this width would have excluded, as a share of the value
 * before (0.05 for 5 %); NaN if there is no interval. A change by a factor multiplies value, low and high by
 * that factor, so this is the loss that moves the far end of the interval to 1. For times (`less_is_better`),
 * it is the smallest increase. */
double ratio_smallest_loss(const struct ratio *ratio, bool less_is_better);

/* ---- one side ---- */

enum { MEDIAN_MAX = 1000 }; /* maximum number of values */

/* Returns the k for which the interval of the median of n values goes from the k-th smallest to the k-th
 * largest value: the largest k with 2 P(B < k) <= 5 %, where B is the number of heads in n tosses of a coin
 * (the sign test). Returns 0 if there are fewer than 6 or more than MEDIAN_MAX values. Sets `level` as
 * interval_rank() does. */
size_t median_rank(size_t n, double *level);

/* ---- a series ---- */

/* Significance level: a series counts as changed if p is below this value. */
#define CHANGE_P 0.01

/* Minimum number of values for a p below CHANGE_P. If all of the first 5 of 10 values are below the last 5,
 * p = 2 / C(10, 5) = 0.008. With 8 or 9 values, p is at least 0.029. */
enum { CHANGE_MIN = 10 };

/* Result of Pettitt's test (1979) of n values in the order of measurement. To compute U_t, each of the first
 * t values is paired with each of the later values. U_t is the number of pairs whose earlier value is larger
 * minus the number of pairs whose earlier value is smaller. K is the largest |U_t|. p is the share of random
 * orders of the values (with a fixed seed) whose K is at least as large. The values must be independent. */
struct change {
    double k, p;          /* p is NaN if there are fewer than CHANGE_MIN values */
    double k_needed;      /* smallest K with p < CHANGE_P; NaN if there are fewer than CHANGE_MIN values */
    size_t at;            /* index of the first value after the change */
    double before, after; /* medians before and after the change */
};

/* Tests n values for a change. */
void change_find(struct change *change, const double *values, size_t n);

/* Returns the smallest lasting loss that change_find() would have reported if all values of the second half
 * had been lower by this loss (for times, `less_is_better`: higher). The loss is a share of the value before
 * (0.05 for 5 %). Returns NaN if no loss would have been reported. */
double change_smallest_loss(const struct change *change, const double *values, size_t n, bool less_is_better);

#endif
