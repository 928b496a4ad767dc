/* beff's result: from a protocol alone to the sheet that is printed. Pure. */
#ifndef BEFF_RESULTS_H
#define BEFF_RESULTS_H

#include "beff/diagnosis.h"
#include "beff/rating.h"
#include "common/sheet.h"

struct beff_results {
    struct sheet sheet;
    struct pattern_list list;
    struct sweeps sweeps;
    struct rating rating;
    double link_share[BEFF_SIZES]; /* see beff_link_share */
    struct diagnosis diagnosis;
};

/* Everything is recomputed from the protocol's metadata (processes, seed, option_polygons, lmax, ...) and
 * records. The protocol must live as long as the results. 0, or -1 with one line. */
int beff_results_make(void *results, const struct protocol *protocol, struct message *error);

/* One table for each pattern: bandwidth by size for each method, and the best. */
void beff_pattern_table(const void *results, int pattern, struct table *table);

/* logavg of rings and random polygons at one size, MB/s of all processes; METHODS: the best method. */
double beff_at_size(const struct beff_results *results, enum method method, int size);

/* The share of a pattern's messages that go from one node to another, in percent; NaN on one node. */
double beff_leaving_percent(const struct beff_results *results, int pattern);

/* Bandwidth at one size by that which --limit-link allows: the logavg of this ratio over the rated patterns
 * that send messages between nodes. NaN: no limit is known, or nothing was measured. */
double beff_link_share(const struct beff_results *results, int size);

/* Complete repetitions that both take; triples that are drawn where there are more. */
enum { SPREAD_SWEEPS = 6, SPREAD_MAX_TRIPLES = 2000 };

/* The 2.5 % and 97.5 % quantiles of b_eff over the triples; NaN: too few repetitions, or no memory. */
void spread_make(const struct sweeps *sweeps, double range[2]);

/* |z| of a drift that is reported: p < 0.01, two-sided. */
#define DRIFT_Z 2.5758

/* z of b_eff over the complete repetitions; NaN: too few of them. */
double drift_find(const struct sweeps *sweeps);

/* z of the test of Mann and Kendall on n values in order of time. */
double drift_trend(const double *values, int n);

/* Adds the diagnostics to the sheet. 0, or -1 with one line. */
int beff_add_diagnostics(struct beff_results *results, struct message *error);

/* Adds the tables to the sheet. */
void beff_add_tables(struct beff_results *results);

void beff_results_free(void *results);

#endif
