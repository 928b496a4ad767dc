/* How far values scatter between the repetitions of a run, by the definition applied to triples of them, and
 * whether they drift (docs/definition.md 1.7). Pure. */
#ifndef BEFF_SPREAD_H
#define BEFF_SPREAD_H

#include "beff/rating.h"

/* Complete repetitions that both take; triples that are drawn where there are more. */
enum { SPREAD_SWEEPS = 6, SPREAD_MAX_TRIPLES = 2000 };

/* The 2.5 % and 97.5 % quantiles of b_eff over the triples; NaN: too few repetitions, or no memory. */
void spread_make(const struct sweeps *sweeps, double range[2]);

/* |z| of a drift that is reported: p < 0.01, two-sided. */
#define DRIFT_Z 2.5758

/* z of b_eff over the complete repetitions; NaN: too few of them, or out of memory. */
double drift_find(const struct sweeps *sweeps);

/* z of the test of Mann and Kendall on n values in order of time. */
double drift_trend(const double *values, int n);

#endif
