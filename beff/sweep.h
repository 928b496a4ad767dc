/* The order of measurements, and the methods that a cell (pattern, size) takes, as they follow from seed and
 * records alone: scheduler and verify share them (docs/definition.md 1.8). Pure. */
#ifndef BEFF_SWEEP_H
#define BEFF_SWEEP_H

#include "beff/patterns.h"
#include "beff/record.h"

/* A method is slow where it takes more than so many times the best other one's time. */
#define SWEEP_SLOW 10.0

/* The sizes from this one on are the two largest (docs/definition.md 1.8, rule a). */
enum { SWEEP_LARGEST = BEFF_SIZES - 2, SWEEP_REPETITIONS = 3 };

/* Sweeps are numbered as if none were left out: one for each repetition from SWEEP_NEXT on. */
enum { SWEEP_OPENING, SWEEP_POLYGONS, SWEEP_SECOND, SWEEP_THIRD, SWEEP_ANALYSIS, SWEEP_NEXT };

/* The sweep that a pattern belongs to in a repetition of a pass, from 1 each; and the other way round.
 * Ping-pong is in the repetitions of pass 1. */
int sweep_of(const struct pattern_list *list, int64_t pass, int64_t rep, int pattern);
int sweep_pass(int sweep);
int sweep_rep(int sweep);

/* The order of all patterns at one size of a sweep; those that it does not have are passed over. */
void sweep_draw(const struct pattern_list *list, int sweep, int size, uint32_t *order);

/* Whether a sweep has a pattern, where `polygons` are measured and the analysis patterns are `wanted`. */
bool sweep_has(const struct pattern_list *list, int sweep, int polygons, const bool *wanted, int pattern);

/* What decides which methods a cell takes; seconds are those of the shortest iteration, 0: not measured. */
struct rules {
    const struct pattern_list *list;
    int largest_from;                                /* the sweep from which on rule a holds; INT_MAX: none */
    double opening[PATTERN_MAX_CLASSES][METHODS][2]; /* at the two largest sizes */
    double alltoallv[BEFF_SIZES];                    /* of all patterns */
    int64_t patterns;                                /* rated ones that were measured with Alltoallv */
    double best;                                     /* of the cell that is being measured */
    int64_t left_out;                                /* measurements, of slow methods */
};

/* Before the first record. */
void rules_make(struct rules *rules, const struct pattern_list *list);

/* Whether a method of a cell is measured; to be asked once each, in their order. */
bool rules_take(struct rules *rules, int sweep, int pattern, enum method method, int size);

/* Whether Alltoallv is slow where the best of the other methods takes `best` seconds for an iteration. */
bool rules_slow(const struct rules *rules, int size, double best);

/* Takes in a record: `one` seconds for an iteration. */
void rules_learn(struct rules *rules, int sweep, int pattern, enum method method, int size, double one);

#endif
