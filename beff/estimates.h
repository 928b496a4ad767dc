/* What measurements take: seconds of one iteration as far as they are known, and the one formula for the
 * seconds of what is still to be measured, which --plan also uses (docs/definition.md 1.7, 1.8). Pure. */
#ifndef BEFF_ESTIMATES_H
#define BEFF_ESTIMATES_H

#include <stdbool.h>

#include "beff/sweep.h"

/* Seconds (docs/definition.md 1.7). A measurement aims at the target: an estimate that is off by a third
 * either way still ends in the paper's window of 2.5 to 5 ms. Below ESTIMATES_SHORT it is made again. In runs
 * of a few seconds the target is shorter, ESTIMATES_MIN at least. */
#define ESTIMATES_TARGET 3.5e-3
#define ESTIMATES_WINDOW 2.5e-3
#define ESTIMATES_SHORT  2e-3
#define ESTIMATES_MIN    1e-3
/* Untimed iterations take ESTIMATES_UNTIMED at least; there are none where one takes more than
 * ESTIMATES_LONG. */
#define ESTIMATES_UNTIMED 1e-3
#define ESTIMATES_LONG    50e-3
/* An iteration is taken for at most so many times faster than the one before of its class: where processes
 * wait for a processor, one of microseconds says nothing of the thousands that would follow from it. */
#define ESTIMATES_FASTER 30

/* One measurement, to be made by all processes together. */
struct command {
    int pattern; /* index into the list */
    enum method method;
    int size;               /* index into the sizes */
    int64_t loops, untimed; /* timed iterations, and untimed ones before them */
};

/* Seconds of one iteration; last is 0 if this size has not been measured. A transfer does not become faster
 * by growing: shortest covers this size and all larger sizes, which corrects a disturbed measurement. */
struct seconds {
    double shortest, last;
};

enum { ESTIMATES_BINS = 1024 };

struct estimates {
    const struct pattern_list *list;
    const struct rules *rules;
    struct seconds of[PATTERN_MAX_CLASSES][METHODS][BEFF_SIZES];
    struct seconds rated[METHODS][BEFF_SIZES];  /* of all rated patterns */
    double overhead;                            /* median, as of the last estimates_settle() */
    double target;                              /* of a measurement, seconds */
    int64_t max_loops;                          /* --max-loops */
    bool once;                                  /* nothing varies: one repetition, no untimed iterations */
    int64_t measurements, bins[ESTIMATES_BINS]; /* overheads, by logarithm */
};

/* Nothing is known yet. `rules` NULL: no method is slow; `max_loops` 0: no limit. */
void estimates_make(struct estimates *estimates, const struct pattern_list *list, const struct rules *rules,
                    int64_t max_loops, bool once);

/* Seconds that a measurement aims at in a run of T = `time`: the opening is to take a quarter of it. */
double estimates_target(double time, const struct pattern_list *list);

/* Takes in a command that took `seconds` for its timed iterations, and `wall` in all. */
void estimates_learn(struct estimates *estimates, const struct command *command, double seconds, double wall);

/* Brings the median of the overheads up to date. */
void estimates_settle(struct estimates *estimates);

/* Seconds of one iteration as measured last: of this class, method and size; else of this method and size
 * with another pattern, but at least ESTIMATES_FASTER-th of this class's at the size before (or of the
 * target); else of the size before. 0: nothing is known. */
double estimates_last(const struct estimates *estimates, int pattern, enum method method, int size);

/* Timed and untimed iterations of a measurement where one takes `one` seconds; 0, not known: one, none. */
int64_t estimates_loops(const struct estimates *estimates, double one);
int64_t estimates_untimed(const struct estimates *estimates, double one);

/* Seconds of a measurement where one iteration takes so long; 0: not known, the minimum. */
double estimates_cost(const struct estimates *estimates, double one);

/* Seconds of all methods of a pattern at a size, at all sizes; `shortened`: by rule a, if it is rated. */
double estimates_cell(const struct estimates *estimates, int sweep, int pattern, int size, bool shortened);
double estimates_pattern(const struct estimates *estimates, int sweep, int pattern, bool shortened);

/* Seconds of a sweep of so many polygons; of the sweeps of pass 1 from `sweep` to the last one; of all
 * analysis patterns. */
double estimates_sweep(const struct estimates *estimates, int sweep, int polygons, bool shortened);
double estimates_pass(const struct estimates *estimates, int sweep, int polygons, bool shortened);
int estimates_last_sweep(const struct estimates *estimates);
double estimates_analysis(const struct estimates *estimates);

/* Seconds of a complete pass by rule a and of the analysis patterns, with measurements of full length. */
double estimates_run(const struct estimates *estimates);

/* T for what takes so many seconds: 5 % more, as the same takes longer another time, in whole seconds. */
double estimates_time(double seconds);

/* ---- how long a run will take on links of a given speed, for --plan ---- */

/* Nodes with as many processes each, in the order of ranks; each node sends at most `link` bytes a second, a
 * message between nodes takes `latency` seconds. */
struct links {
    double link, latency;
    int64_t processes_per_node;
};

struct forecast {
    double pass; /* seconds of a complete pass */
    double time; /* T that is enough for one by rule a, and for the analysis patterns */
};

/* By the scheduler's own formula. `links` NULL: the least that any machine needs. */
struct forecast forecast_make(const struct pattern_list *list, const struct links *links, int64_t max_loops);

/* Messages that the processes of the busiest node send to others in one iteration. */
double forecast_leaving(const struct pattern *pattern, int64_t per_node);

/* Seconds of one iteration in which so many leave a node. */
double forecast_iteration(const struct pattern_list *list, const struct links *links, int pattern,
                          double leaving, enum method method, int size);

#endif
