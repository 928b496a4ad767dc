/* Whether the machine stayed as it was during a run: a drift over the repetitions, and two states between
 * which it switched (docs/definition.md 1.7). Pure. */
#ifndef BEFF_STEADINESS_H
#define BEFF_STEADINESS_H

#include "beff/rating.h"

/* Complete repetitions that it takes. */
enum { STEADINESS_SWEEPS = 6 };

/* |z| of a drift that is reported: p < 0.01, two-sided. */
#define STEADINESS_Z 2.5758

/* Two groups are as far apart as this ratio at least, and STEADINESS_GAP times the wider one's own range (in
 * logarithms); two states are reported where that is so in this share of the cells. */
#define STEADINESS_RATIO 1.2
#define STEADINESS_GAP   2.0
#define STEADINESS_SHARE 0.1

struct steadiness {
    double drift_z; /* Mann and Kendall's z of b_eff over the complete repetitions; NaN: too few */
    double change;  /* b_eff of the last third of them / that of the first third (medians) */
    double split;   /* share of the cells whose values fall into two groups; NaN: too few repetitions */
    double apart;   /* how many times the groups are apart, median over those cells; NaN: there are none */
};

/* All members NaN with too few repetitions, or when out of memory. */
struct steadiness steadiness_find(const struct sweeps *sweeps);

/* z of the test of Mann and Kendall on n values in order of time. */
double steadiness_trend(const double *values, int n);

#endif
