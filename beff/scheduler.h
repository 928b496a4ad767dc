/* The scheduler: decides on rank 0 what is measured next, how often and how long, so that the run ends in its
 * time (docs/definition.md 1.7, 1.8). Clock and measurements come in as function pointers: tests have made-up
 * machines. Pure. */
#ifndef BEFF_SCHEDULER_H
#define BEFF_SCHEDULER_H

#include "beff/estimates.h"
#include "beff/sweep.h"
#include "common/engine.h"

/* What a command gave. */
struct measurement {
    double t_min, t_avg, t_max; /* seconds, over the processes that take part; not positive where a
                                   clock stood still or went back */
    int64_t errors;             /* wrong bytes that all processes found */
    int stop;                   /* a signal that came to any process, 0 if none did */
};

struct scheduler_ops {
    double (*elapsed)(void *context);               /* seconds since the run was started */
    double (*reserved)(void *context, double time); /* seconds of T for what follows the measurements */
    struct measurement (*measure)(void *context, const struct command *command);
    /* Returns 0, or -1 with a message in `error`. */
    int (*record)(void *context, const struct beff_record *record, struct message *error);
    void (*note)(void *context, const char *key, const char *value); /* writes metadata */
    void (*set_time)(void *context, double seconds);                 /* sets T, which was not given */
    void (*say)(void *context, const char *text);                    /* to the user */
    void *context;
};

/* Seconds: T where none was given, at least and at most; the opening has the latter. */
#define SCHEDULER_TIME     180.0
#define SCHEDULER_TIME_MAX 1800.0

struct scheduler {
    /* Given; the rest starts with zeros. */
    struct scheduler_ops ops;
    const struct pattern_list *list;
    double time;       /* T; 0: not given, chosen after the opening */
    double resolution; /* of the clock, seconds */
    int64_t max_loops; /* iterations in a measurement; 0: no limit */
    bool once;         /* nothing varies: one repetition, no untimed iterations */

    /* Results. */
    int stop;             /* a signal that came; 0 */
    struct message error; /* why the run did not come to its end */

    struct estimates estimates;
    struct rules rules;
    uint32_t order[PATTERN_MAX]; /* of the patterns at the current size */
    bool wanted[PATTERN_MAX];    /* analysis patterns that are measured */
    int polygons;                /* that are measured: the first of the list, so many */
    int sweep;
    double started, last; /* elapsed() at the start, and at the end of the last measurement */
    double factor;        /* by which the last repetition took longer than expected; 1 at least */
    bool given, needed;   /* T was given; it was said that T is too short */
};

/* Measures until the time is up: EXIT_OK, or EXIT_STOPPED or EXIT_ERRORS with the reason in `error`. */
enum exit_status scheduler_run(struct scheduler *scheduler);

#endif
