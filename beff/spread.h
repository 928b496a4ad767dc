/* How far beff's values scatter between repetitions: the intervals of its figures. Pure. */
#ifndef BEFF_SPREAD_H
#define BEFF_SPREAD_H

#include "beff/results.h"

/* What a curve shows: one pattern, or the logavg over the patterns of one kind, or of rings and polygons. */
struct spread_of {
    int pattern; /* -1: not one alone */
    bool rings, random;
    enum method method; /* METHODS: the best one */
};

struct spread {
    double value;     /* what is rated; NaN: not measured */
    double low, high; /* NaN: not known */
};

/* The value at one size (docs/definition.md 1.7). Its interval, from 6 complete repetitions on, as for b_eff
 * itself: 95 % of what triples of them give. */
struct spread spread_at(const struct beff_results *results, const struct spread_of *of, int size);

/* Whether there are that many repetitions. */
bool spread_is_known(const struct beff_results *results);

#endif
