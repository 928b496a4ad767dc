/* How far values scatter between the repetitions of a run, by the definition applied to triples of them, and
 * whether they drift (docs/definition.md 1.7). Pure. */
#ifndef BEFF_SPREAD_H
#define BEFF_SPREAD_H

#include "beff/rating.h"

/* Complete repetitions that both take; triples that are drawn where there are more. */
enum { SPREAD_SWEEPS = 6, SPREAD_MOST_TRIPLES = 2000 };

/* What a value is of: one pattern, or the logavg over the patterns of one kind, or of rings and polygons. */
struct spread_of {
    int pattern; /* -1: not one alone */
    bool rings, random;
    enum method method; /* METHODS: the best one */
};

struct spread {
    double value; /* what is rated; NaN: not measured */
    double low,
        high; /* 2.5 % and 97.5 % quantiles over the triples; NaN: too few repetitions, or no memory */
};

/* Bandwidth at one size, MB/s of all processes together. */
struct spread spread_at(const struct sweeps *sweeps, const struct rating *rating, const struct spread_of *of,
                        int size);

/* b_eff itself. */
struct spread spread_of_b_eff(const struct sweeps *sweeps, const struct rating *rating);

/* |z| of a drift that is reported: p < 0.01, two-sided. */
#define DRIFT_Z 2.5758

struct drift {
    double z;     /* Mann and Kendall's, of b_eff over the complete repetitions */
    double ratio; /* b_eff of the last third of them / that of the first third (medians) */
};

/* NaN: too few repetitions, or out of memory. */
struct drift drift_find(const struct sweeps *sweeps);

/* z of the test of Mann and Kendall on n values in order of time. */
double drift_trend(const double *values, int n);

#endif
