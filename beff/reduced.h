/* How the first pass had to be reduced, and how that is told (docs/definition.md 1.6). Pure. */
#ifndef BEFF_REDUCED_H
#define BEFF_REDUCED_H

#include "beff/schedule.h"

/* Counted in measurements or in pairs of pattern and size. */
struct reduced {
    int64_t pairs;                  /* pairs of pattern and size that were due, in all repetitions */
    int64_t analysis;               /* left out: analysis-only patterns */
    int polygons;                   /* that were measured, of `all_polygons` */
    int all_polygons;               /* in the definition */
    int64_t best_only;              /* with the best method alone */
    int repetitions;                /* whole ones, of the rated patterns */
    int64_t measured, shortened;    /* measurements; planned for less than usual */
    double shortest;                /* seconds planned for one */
    int64_t left_out;               /* measurements: no time for them */
    double missing;                 /* seconds that these would have taken */
    int best_only_from, sizes_from; /* smallest size that was left to the best method, left out */
};

/* Nothing was, yet. */
struct reduced reduced_start(int polygons);

/* All of a pass is over: whether it lacks anything, or had measurements shortened. */
bool reduced_at_all(const struct reduced *reduced);

void reduced_best_only(struct reduced *reduced, int size);

/* A measurement that would have taken `seconds`. */
void reduced_left_out(struct reduced *reduced, int size, double seconds);

/* A measurement that is planned for `target` seconds. */
void reduced_measured(struct reduced *reduced, double target);

/* In one line each, after `elapsed` seconds. */
void reduced_tell(const struct reduced *reduced, const int64_t sizes[BEFF_SIZES], double elapsed,
                  struct texts *lines);

#endif
