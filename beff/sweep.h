/* Determines the order of measurements and the methods of each cell (pattern, size) from seed and records
 * (docs/definition-beff-1-schedule.md 3). The scheduler and `beff_report verify` share this file. */
#ifndef BEFF_SWEEP_H
#define BEFF_SWEEP_H

#include "beff/patterns.h"
#include "beff/record.h"

/* A method is slow if it takes more than this many times as long as the best other method. */
#define SWEEP_SLOW 10.0

/* Index of the first of the two largest sizes (docs/definition-beff-1-schedule.md 3, rule a); repetitions per
 * pass. */
enum { SWEEP_LARGEST = BEFF_SIZES - 2, SWEEP_REPETITIONS = 3 };

/* The sweeps of pass 1. From SWEEP_NEXT on, each repetition of a later pass is one sweep. A sweep that is
 * skipped keeps its number. */
enum { SWEEP_OPENING, SWEEP_POLYGONS, SWEEP_SECOND, SWEEP_THIRD, SWEEP_ANALYSIS, SWEEP_NEXT };

/* Returns the sweep that a pattern belongs to in a repetition of a pass. Passes and repetitions count from 1.
 * Ping-pong belongs to the repetitions of pass 1. */
int sweep_of(const struct pattern_list *list, int64_t pass, int64_t rep, int pattern);

/* Return the pass and the repetition of a sweep. */
int sweep_pass(int sweep);
int sweep_rep(int sweep);

/* Draws the order of all patterns at one size of a sweep. The caller skips patterns for which sweep_has() is
 * false. */
void sweep_draw(const struct pattern_list *list, int sweep, int size, uint32_t *order);

/* Returns true if a sweep measures a pattern. `polygons` is the number of random polygons of the run;
 * wanted[pattern] is true if the run measures this analysis pattern. */
bool sweep_has(const struct pattern_list *list, int sweep, int polygons, const bool *wanted, int pattern);

/* The state from which the methods of a cell are chosen. Times are the seconds of the shortest iteration; 0
 * if not measured. */
struct rules {
    const struct pattern_list *list;
    int largest_from;                                /* first sweep under rule a; INT_MAX if there is none */
    double opening[PATTERN_MAX_CLASSES][METHODS][2]; /* at the two largest sizes, in the opening */
    double alltoallv[BEFF_SIZES];                    /* over all patterns */
    int64_t patterns;                                /* measurements of rated patterns with Alltoallv */
    double best;                                     /* over the methods so far in the current cell */
    int64_t skipped;                                 /* number of skipped measurements with slow methods */
};

/* Prepares the rules for a run without records. */
void rules_make(struct rules *rules, const struct pattern_list *list);

/* Returns true if a cell is measured with a method. Call it once per method, in the order of enum method. */
bool rules_take(struct rules *rules, int sweep, int pattern, enum method method, int size);

/* Returns true if Alltoallv is slow at this size, where the best other method takes `best` seconds per
 * iteration. */
bool rules_slow(const struct rules *rules, int size, double best);

/* Adds a record, with `one` seconds per iteration, to the rules. */
void rules_learn(struct rules *rules, int sweep, int pattern, enum method method, int size, double one);

#endif
