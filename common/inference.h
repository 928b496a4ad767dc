/* Statistics of several runs that assume no distribution (docs/diagnostics.md 2): 95 % intervals of a ratio
 * and of a median, and the significance of many ratios at once. */
#ifndef COMMON_INFERENCE_H
#define COMMON_INFERENCE_H

#include <stdbool.h>
#include <stddef.h>

/* ---- the ratio of two sides ---- */

/* The ratios are all n * m ratios after / before of n values before and m values after. The statistic is U of
 * Mann and Whitney. Equal values make the interval wider. */

#define INTERVAL_LEVEL 0.95
enum { INTERVAL_MAX = 100 }; /* maximum number of values of a side */

/* Returns an array, to be freed, with the chances P(U <= u) for u from 0 to n * m if both sides have the same
 * distribution. Returns NULL if a side has no values or more than INTERVAL_MAX. */
double *interval_chances(size_t n, size_t m);

/* Returns all ratios after / before of n and m positive values, sorted, to be freed. Sets `count` to their
 * number. */
double *ratios_of_sides(const double *before, size_t n, const double *after, size_t m, size_t *count);

/* ---- pairs ---- */

/* The ratios are the geometric means of any two ratios of n pairs, also of a ratio with itself. The statistic
 * is the signed-rank statistic W of Wilcoxon. */

enum { PAIRS_MAX = 200, PAIRS_LOOKS = 10 };

/* Returns an array, to be freed, with the chances P(W <= w) for w from 0 to n (n + 1) / 2 if nothing changed.
 * Returns NULL if there are no pairs or more than PAIRS_MAX. */
double *pairs_chances(size_t n);

/* Returns these geometric means of n pairs of positive values, sorted, to be freed. Sets `count` to their
 * number. */
double *ratios_of_pairs(const double *before, const double *after, size_t n, size_t *count);

/* A comparison may look at its pairs after 7, 10, 14, 20, 28, 40, 56, 79, 112 and 158 pairs, and stop when it
 * is decided. The chance that any interval misses the true ratio is then 4.9 %. */
size_t pairs_of_look(int look);

/* Returns the number of the first look with at least `n` pairs, at most PAIRS_LOOKS. */
int look_of_pairs(size_t n);
double pairs_level(int look);

/* ---- the ratio, from the sorted ratios of two sides or of pairs, and their chances ---- */

/* Returns k for these chances and a level, or 0 if there is no interval (`chances` may be NULL). Sets
 * `reached` to the confidence level of the interval, which is at least `level`, or to NaN if there is no
 * interval. */
size_t chances_rank(const double *chances, double level, double *reached);

struct ratio {
    double value;     /* median of the ratios; NaN if there are none */
    double low, high; /* interval; NaN if there is none */
};

/* Returns the median and the interval of sorted ratios. `rank` is the result of chances_rank(). */
struct ratio ratio_make(const double *ratios, size_t count, size_t rank);

/* Returns the loss that an interval of this width excludes in 80 % of the cases, as a share of the value
 * before (0.05 for 5 %); NaN if there is no interval. For times (`less_is_better`), it is an increase. */
double ratio_smallest_loss(const struct ratio *ratio, bool less_is_better);

/* Returns what must be allowed for differences between sessions, as the half-width of the logarithm of a
 * ratio: sessions differ by a standard deviation of `between`, and the sides have k and l sessions. `normal`
 * is the quantile for the level of the interval: NORMAL_95, or t_95() if `between` was measured. */
double ratio_allowance(double between, double normal, size_t k, size_t l);

#define NORMAL_95 1.96

/* Returns Student's t for a two-sided level of 95 %, within 1 % for 3 degrees of freedom or more. */
double t_95(size_t freedom);

/* Adds an allowance to an interval: its half-width h becomes sqrt(h^2 + allowance^2) in logarithms. */
struct ratio ratio_widen(struct ratio ratio, double allowance);

/* Returns the chance of ratios as far from `factor` as these if the true ratio were `factor` (a two-sided
 * test; equal values count against a difference). The interval excludes `factor` if the chance is at most
 * 1 - level. */
double ratio_chance(const double *ratios, size_t count, double factor, const double *chances);

/* ---- many ratios ---- */

/* Sets which of `count` chances are significant at 5 % after the correction of Benjamini and Hochberg: of the
 * ratios that are called different, at most 5 % are expected to be equal. Returns their number q. The
 * interval of such a ratio has the level 1 - 0.05 q / count (Benjamini and Yekutieli 2005). */
size_t chances_correct(const double *chances, size_t count, bool *significant);

/* Does the same with the correction of Holm (1979): the chance that any ratio is falsely called different is
 * at most 5 %. The level of the intervals of the others is 1 - 0.05 / (m - q). */
size_t chances_holm(const double *chances, size_t count, bool *significant);

/* Returns the smallest n for which n and n values can have a chance as small as this, at most
 * INTERVAL_MAX. */
size_t interval_runs(double chance);

/* ---- one side ---- */

enum { MEDIAN_MAX = 1000 }; /* maximum number of values */

/* Returns the k for which the interval of the median of n values goes from the k-th smallest to the k-th
 * largest value (the sign test). Returns 0 if there are fewer than 6 or more than MEDIAN_MAX values. Sets
 * `level` as chances_rank() does. */
size_t median_rank(size_t n, double *level);

#endif
