/* Estimates how long measurements take: keeps the seconds of one iteration for each class, method and size,
 * and computes the seconds of measurements, sweeps and passes from them. The scheduler and --plan use the
 * same formulas (docs/definition-beff-1.md 5, docs/definition-beff-1-schedule.md 3). */
#ifndef BEFF_ESTIMATES_H
#define BEFF_ESTIMATES_H

#include <stdbool.h>

#include "beff/sweep.h"

/* Durations in seconds (docs/definition-beff-1.md 5). A measurement aims at ESTIMATES_TARGET: with an
 * estimate that is wrong by up to a third, the measurement is still in the paper's window of 2.5 to 5 ms. A
 * measurement shorter than ESTIMATES_SHORT is repeated. In runs of a few seconds the target is shorter, but
 * at least ESTIMATES_MIN. */
#define ESTIMATES_TARGET 3.5e-3
#define ESTIMATES_WINDOW 2.5e-3
#define ESTIMATES_SHORT  2e-3
#define ESTIMATES_MIN    1e-3
/* Minimum duration of the untimed iterations. If one iteration takes more than ESTIMATES_LONG, there are
 * none. */
#define ESTIMATES_UNTIMED 1e-3
#define ESTIMATES_LONG    50e-3
/* Maximum factor between two successive estimates for the same class. Where processes share a processor, a
 * single iteration may take microseconds and the next ones milliseconds. */
#define ESTIMATES_FASTER 30

/* A command to all processes to make one measurement. */
struct command {
    int pattern; /* index into the list of patterns */
    enum method method;
    int size;               /* index into the list of sizes */
    int64_t loops, untimed; /* number of timed iterations, and of untimed iterations before them */
};

/* Seconds of one iteration. `last` is 0 if this size has not been measured. `shortest` is the minimum over
 * this size and all larger sizes: a larger transfer is not faster, so it corrects disturbed measurements. */
struct seconds {
    double shortest, last;
};

enum { ESTIMATES_BINS = 1024 };

struct estimates {
    const struct pattern_list *list;
    const struct rules *rules;
    struct seconds of[PATTERN_MAX_CLASSES][METHODS][BEFF_SIZES];
    struct seconds rated[METHODS][BEFF_SIZES]; /* the same over all rated patterns */
    double overhead;   /* median overhead per measurement, at the last estimates_settle() */
    double target;     /* target duration of a measurement in seconds */
    int64_t max_loops; /* --max-loops */
    bool once;         /* times do not vary: one repetition, no untimed iterations */
    int64_t measurements, bins[ESTIMATES_BINS]; /* histogram of the overheads, with logarithmic bins */
};

/* Prepares estimates without any measurements. If `rules` is NULL, no method counts as slow. If `max_loops`
 * is 0, the number of loops has no limit. */
void estimates_make(struct estimates *estimates, const struct pattern_list *list, const struct rules *rules,
                    int64_t max_loops, bool once);

/* Returns the target duration of a measurement for T = `time`, in seconds: the opening should take a quarter
 * of T. */
double estimates_target(double time, const struct pattern_list *list);

/* Adds a measurement that took `seconds` for its timed iterations, and `wall` seconds altogether. */
void estimates_learn(struct estimates *estimates, const struct command *command, double seconds, double wall);

/* Updates the median of the overheads. */
void estimates_settle(struct estimates *estimates);

/* Returns the seconds of one iteration from which the number of loops is computed. This is the time in the
 * last measurement with this class, method and size. If there is none, it is the time in another pattern's
 * last measurement with this method and size, but at least this class's time at the next smaller size (at the
 * smallest size: the target) divided by ESTIMATES_FASTER. If no pattern has been measured with this method
 * and size, it is the time at the next smaller size. Returns 0 if nothing is known. */
double estimates_last(const struct estimates *estimates, int pattern, enum method method, int size);

/* Return the number of timed and of untimed iterations if one iteration takes `one` seconds. If `one` is 0
 * (unknown), one iteration is timed and none is untimed. */
int64_t estimates_loops(const struct estimates *estimates, double one);
int64_t estimates_untimed(const struct estimates *estimates, double one);

/* Returns the estimate for the next attempt at a measurement. `one` was the estimate for the last attempt,
 * whose `loops` iterations took `seconds`; `tick` is the clock resolution in seconds. If `seconds` is
 * negative, returns `one`. (docs/definition-beff-1.md 5) */
double estimates_again(double one, double seconds, int64_t loops, double tick);

/* Returns the seconds of a whole measurement if one iteration takes `one` seconds. If `one` is 0 (unknown),
 * returns the minimum: the overhead, the target duration and the minimum duration of untimed iterations. */
double estimates_cost(const struct estimates *estimates, double one);

/* Return the seconds of a pattern with all methods, at one size and at all sizes. If `shortened` is set, rule
 * a is in force for rated patterns. */
double estimates_cell(const struct estimates *estimates, int sweep, int pattern, int size, bool shortened);
double estimates_pattern(const struct estimates *estimates, int sweep, int pattern, bool shortened);

/* Return the seconds of one sweep with `polygons` random polygons (estimates_sweep), of all sweeps of pass 1
 * from `sweep` on (estimates_pass), and of all analysis patterns (estimates_analysis). estimates_last_sweep()
 * returns the last sweep of pass 1. */
double estimates_sweep(const struct estimates *estimates, int sweep, int polygons, bool shortened);
double estimates_pass(const struct estimates *estimates, int sweep, int polygons, bool shortened);
int estimates_last_sweep(const struct estimates *estimates);
double estimates_analysis(const struct estimates *estimates);

/* Returns the seconds of a complete pass under rule a and of the analysis patterns, with measurements of full
 * length. */
double estimates_run(const struct estimates *estimates);

/* Returns T for measurements that take `seconds` in total: 5 % more, because times vary from run to run,
 * rounded up to whole seconds. */
double estimates_time(double seconds);

/* ---- the time of a run on links of a given speed, for --plan ---- */

/* A machine of nodes with `processes_per_node` consecutive ranks each. A node sends at most `link` bytes per
 * second; a message between nodes takes `latency` seconds. */
struct links {
    double link, latency;
    int64_t processes_per_node;
};

struct forecast {
    double b_eff; /* MB/s without contention; NaN: unknown, or several processes share a link */
    double pass;  /* seconds of a complete pass */
    double run;   /* seconds of a complete pass under rule a and the analysis patterns */
};

/* Forecasts the time of a run with the scheduler's formulas. If `links` is NULL, the result is the minimum
 * for any machine. */
struct forecast forecast_make(const struct pattern_list *list, const struct links *links, int64_t max_loops);

/* Returns the number of messages that the busiest node sends to other nodes in one iteration. */
double forecast_leaving(const struct pattern *pattern, int64_t per_node);

/* Returns the seconds of one iteration in which `leaving` messages leave the busiest node. */
double forecast_iteration(const struct pattern_list *list, const struct links *links, int pattern,
                          double leaving, enum method method, int size);

#endif
