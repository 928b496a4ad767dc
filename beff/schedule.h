/* The time plan: how long the rest of the first pass will take, and how it must be reduced to fit
 * (docs/definition.md 1.6). Arithmetic on estimates; it measures nothing. Pure. */
#ifndef BEFF_SCHEDULE_H
#define BEFF_SCHEDULE_H

#include <stdbool.h>

#include "beff/patterns.h"
#include "beff/record.h"
#include "beff/sizes.h"
#include "beff/tuning.h"

/* One measurement shall take 2.5 to 5 ms: aimed at TUNING_TARGET, counted as shortened below the lower end.
 */
#define SCHEDULE_WINDOW   2.5e-3
#define SCHEDULE_SHORTEST 2.6e-3

enum { SCHEDULE_REPETITIONS = 3, SCHEDULE_WARM_SIZES = 18 };

/* How the work is reduced. The members are in the order in which reduction sets in. */
struct reduction {
    double target;    /* seconds that one measurement shall take; TUNING_TARGET: not shortened */
    int methods_from; /* from this size on only the best method so far; BEFF_SIZES: never */
    bool analysis;    /* analysis-only patterns are measured */
    int repetitions;  /* 3, 2 or 1 */
    bool hopeless;    /* even so the rest is not expected to fit */
};

/* Estimated seconds of one iteration, for one class of patterns. Rings and analysis patterns are a class
 * each, the random polygons together are one. */
struct estimates {
    double iteration[METHODS][BEFF_SIZES];
    bool measured[METHODS][BEFF_SIZES]; /* else derived from the probe */
};

struct schedule {
    const struct pattern_list *list;
    int classes;
    int *class_of;              /* of each pattern */
    struct estimates *estimate; /* of each class */
    double probe[METHODS]
                [BEFF_SIZES]; /* one ring of all: seconds of one iteration before anything is known */
    double overhead;          /* seconds per measurement outside of its iterations */
    int64_t most_loops;       /* --max-loops */
    double resolution;        /* of the clock, seconds */
};

/* Where a pass stands: `order` is the order of patterns of the current repetition, `place` the index in it of
 * the current pattern, `size` the next size to be measured. */
struct position {
    int repetition; /* 1.. */
    const uint32_t *order;
    int place, size;
};

/* Returns 0, or -1 when out of memory. All estimates start as unknown (zero cost). */
int schedule_make(struct schedule *schedule, const struct pattern_list *list);
void schedule_free(struct schedule *schedule);

/* Sets probe times of one method: `known` sizes (ascending indices) with their seconds of one iteration. What
 * lies between is interpolated (logarithmically), what lies above is scaled with the size. known >= 1. */
void schedule_probe(struct schedule *schedule, enum method method, const int *sizes, const double *seconds,
                    int known);

/* Takes in a measurement: `loops` iterations in `seconds`, with `warmup` before; `wall` is what the whole
 * measurement took, agreement and barrier included. */
void schedule_learn(struct schedule *schedule, int pattern, enum method method, int size, int64_t loops,
                    int64_t warmup, double seconds, double wall);

/* Seconds of one iteration, as far as is known. */
double schedule_estimate(const struct schedule *schedule, int pattern, enum method method, int size);

/* Iterations before the clock starts: 1 for the first 18 sizes, else 0 (docs/definition.md 1.5). */
int64_t schedule_warmup(int size);

/* Iterations for a measurement that shall take `target` seconds: at least 1, and at least as many as the
 * clock can resolve. */
int64_t schedule_loops(const struct schedule *schedule, double seconds_of_one, double target);

/* Expected seconds of one measurement under this reduction. */
double schedule_cost(const struct schedule *schedule, const struct reduction *reduction, int pattern,
                     enum method method, int size);

/* Expected seconds for the rest of the pass from `position` on. */
double schedule_rest(const struct schedule *schedule, const struct reduction *reduction,
                     const struct position *position);

/* Whether a method is measured for this pattern and size under this reduction. */
bool schedule_selected(const struct schedule *schedule, const struct reduction *reduction, int pattern,
                       enum method method, int size);

/* Expected seconds for the rest of the pass with everything reduced. */
double schedule_least(const struct schedule *schedule, const struct position *position);

/* The mildest reduction with which the rest of the pass takes at most `seconds`: shorter loops; only the best
 * method for the largest sizes, then for all; no analysis patterns; 2 repetitions; 1.
 * Within a step the loops are as long as fits. */
struct reduction schedule_plan(const struct schedule *schedule, const struct position *position,
                               double seconds);

/* No reduction. */
struct reduction schedule_full(void);

#endif
