/* The time plan: how long the rest of the first pass will take, and how it must be reduced to fit
 * (docs/definition.md 1.6). Arithmetic on estimates; it measures nothing. What it costs grows with the
 * classes of patterns, neither with the polygons nor with the processes. Pure. */
#ifndef BEFF_SCHEDULE_H
#define BEFF_SCHEDULE_H

#include <stdbool.h>

#include "beff/patterns.h"
#include "beff/record.h"
#include "beff/tuning.h"

/* Seconds (docs/definition.md 1.5): a measurement takes SCHEDULE_WINDOW to twice that, and what was shorter
 * than SCHEDULE_SHORT is made again; in the most reduced run it is planned for SCHEDULE_LEAST. Untimed
 * iterations take SCHEDULE_WARM at least; there are none where one takes more than SCHEDULE_COLD, and a
 * barrier after them where one takes more than SCHEDULE_TOGETHER. Two are timed from SCHEDULE_TWICE up to
 * that. */
#define SCHEDULE_WINDOW   2.5e-3
#define SCHEDULE_SHORT    2e-3
#define SCHEDULE_LEAST    1e-3
#define SCHEDULE_WARM     1e-3
#define SCHEDULE_COLD     50e-3
#define SCHEDULE_TWICE    10e-3
#define SCHEDULE_TOGETHER 20e-3

/* A method is dominated where its fastest time at a smaller size is more than so many times the best other
 * one's, and longer than a measurement shall take: below that, leaving it out would save nothing. */
#define SCHEDULE_DOMINATED 2.0

enum { SCHEDULE_REPETITIONS = 3 };

/* How the work is reduced. The members are in the order in which reduction sets in. */
struct reduction {
    bool analysis;    /* analysis-only patterns are measured */
    int polygons;     /* the first of the list, so many */
    int methods_from; /* from this size on only the best method so far; BEFF_SIZES: never */
    int repetitions;  /* 3, 2 or 1 */
    double target;    /* seconds that one measurement shall take; TUNING_TARGET: not shortened */
    bool compare;     /* where only the best method is measured, some patterns still are with all of them */
    bool hopeless;    /* even so the rest is not expected to fit */
};

enum domination { DOMINATION_OPEN, DOMINATION_NONE, DOMINATION_LEFT_OUT };

/* What is known of one class of patterns: seconds of one iteration. */
struct estimates {
    double iteration[METHODS][BEFF_SIZES]; /* as far as is known */
    double fastest[METHODS][BEFF_SIZES];   /* measured; 0: not yet, `iteration` is derived */
    enum domination domination[METHODS][BEFF_SIZES];
    int axes; /* directions, done one after the other */
};

/* Expected seconds of all methods of one pattern, and of the best one alone; and what the first measurements
 * at a size take longer because a buffer may lend its bandwidth. */
struct costs {
    double all[BEFF_SIZES], best[BEFF_SIZES], start[BEFF_SIZES];
};

struct schedule {
    const struct pattern_list *list;
    struct estimates *estimate; /* of each class */
    struct costs *costs;        /* of each class: what schedule_rest adds up */
    int *rest;                  /* of each class: patterns left at the size that is being measured */
    double probe[METHODS]
                [BEFF_SIZES]; /* one ring of all: seconds of one iteration before anything is known */
    double overhead;          /* seconds per measurement outside of its iterations */
    double sustained;         /* bytes per second of a process with the largest messages that were probed */
    double speed;             /* of the last measurement, relative to `sustained`; 0: none at this size */
    int suspect;              /* so many measurements more may find a buffer that lends its bandwidth */
    double lag[BEFF_SIZES][METHODS]; /* ln(time / time of the best method) of polygons, averaged up to the
                                        comparison at this size */
    bool compared[BEFF_SIZES];       /* a polygon was measured with all methods, at this size */
    int last_compared;               /* the size of the last comparison; -1: none yet */
    int all_polygons, polygons;      /* in the list; those that this pass measures at most */
    bool fixed;                      /* `polygons` can't become fewer any more */
    int64_t most_loops;              /* --max-loops */
    double resolution;               /* of the clock, seconds */
};

/* Where a pass stands: `order` is the order of patterns at the current size, `place` the index in it of the
 * pattern that comes next. */
struct position {
    int repetition; /* 1.. */
    int size;
    const uint32_t *order;
    int place;
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

/* Takes in what the methods took in one polygon at one size, seconds of an iteration; 0: not measured, the
 * estimate counts. */
void schedule_compare(struct schedule *schedule, int size, const double seconds[METHODS]);

/* The best method so far: by what this class showed at this size, else by the last comparisons, else by the
 * estimates. */
enum method schedule_best(const struct schedule *schedule, int pattern, int size);

/* Whether all methods of a pattern are to be measured at a size. Where only the best one so far is wanted,
 * they still are for one polygon, and for what takes another path than the polygons, where other methods may
 * be the best. */
bool schedule_takes_all(const struct schedule *schedule, const struct reduction *reduction, int pattern,
                        int size);

/* Untimed iterations that take about `seconds`, where one takes `seconds_of_one`. */
int64_t schedule_warmup(double seconds_of_one, double seconds);

/* Iterations for a measurement that shall take `target` seconds: at least 1, and at least as many as the
 * clock can resolve. */
int64_t schedule_loops(const struct schedule *schedule, double seconds_of_one, double target);

/* To be called before the first measurement at a size: a buffer may have recovered. */
void schedule_start_size(struct schedule *schedule);

/* Seconds that the untimed iterations of a measurement shall take: longer where a buffer may lend its
 * bandwidth. To be asked once for each measurement, in the order in which they are made. */
double schedule_warm(struct schedule *schedule, int pattern, int size, double seconds_of_one);

/* Expected seconds of a measurement that shall take `target` seconds, where one iteration takes
 * `seconds_of_one`. */
double schedule_cost(const struct schedule *schedule, double seconds_of_one, double target);

/* The same of one with these timed and untimed iterations. */
double schedule_expect(const struct schedule *schedule, int pattern, int size, double seconds_of_one,
                       int64_t loops, int64_t warmup);

/* Whether a method that took `seconds` for an iteration at a smaller size is dominated where another one
 * takes `best`. */
bool schedule_dominates(double best, double seconds);

/* Whether a method is left out at a size because it is dominated by one that takes `best` seconds for an
 * iteration there. It is decided when it is asked first, for the whole class and the rest of the run;
 * *decided tells whether it was now. */
bool schedule_is_dominated(struct schedule *schedule, int pattern, enum method method, int size, double best,
                           bool *decided);

/* Expected seconds for the rest of the pass from `position` on. */
double schedule_rest(struct schedule *schedule, const struct reduction *reduction,
                     const struct position *position);

/* By what share the expected seconds may be too long: nothing is reduced unless more is missing. */
double schedule_doubt(const struct position *position);

/* The mildest reduction with which the rest of the pass takes at most `seconds`. */
struct reduction schedule_plan(struct schedule *schedule, const struct position *position, double seconds);

/* No reduction; and that of a repetition for which there is no time: the best method alone. */
struct reduction schedule_full(const struct schedule *schedule);
struct reduction schedule_partial(const struct schedule *schedule, int repetition);

/* Sets in `wanted` which of the sizes that `from` has not begun such a repetition takes in `seconds`: first
 * those whose bandwidth counts most in the mean over sizes for the time that they take, as many as fit. */
void schedule_choose(struct schedule *schedule, const struct position *from, double seconds,
                     bool wanted[BEFF_SIZES]);

#endif
