/* The conductor: decides on rank 0 what is measured next, in which order, how often and how long, so that the
 * run ends in its time; the other processes follow. The world comes in as function pointers, so that a
 * made-up machine tests it (docs/definition.md 1.5, 1.6). Pure. */
#ifndef BEFF_CONDUCTOR_H
#define BEFF_CONDUCTOR_H

#include <stdbool.h>

#include "beff/patterns.h"
#include "beff/record.h"
#include "beff/reduced.h"
#include "beff/schedule.h"
#include "common/engine.h"

/* One measurement, to be done by all processes together. */
struct order {
    int pattern; /* index into the list */
    enum method method;
    int size;              /* index into the sizes */
    int64_t loops, warmup; /* timed iterations, and untimed ones before them */
    bool together;         /* a barrier between the two */
};

struct outcome {
    double t_min, t_avg, t_max;    /* seconds, over the processes that take part; not positive where a
                                      clock stood still or went back */
    int64_t errors;                /* wrong bytes found by all processes */
    int64_t switches, clock_jumps; /* disturbances: see struct beff_record */
    int stop;                      /* a signal that came to any process, 0 if none did */
};

struct conductor_world {
    double (*elapsed)(void *context); /* seconds since the run was started */
    /* Measures; 0, or -1 with what went wrong. */
    int (*perform)(void *context, const struct order *order, struct outcome *outcome, struct message *error);
    /* Keeps one record; 0, or -1 with what went wrong. `expected`: seconds from start to end as planned now.
     */
    int (*record)(void *context, const struct beff_record *record, double expected, struct message *error);
    /* Keeps one line of metadata; 0, or -1 with what went wrong. */
    int (*note)(void *context, const char *key, const char *value, struct message *error);
    void *context;
};

/* The random stream (common/random.h) that shuffles the patterns for every repetition and size; the polygons
 * have the streams 1, 2, ..., the triples of the spread have 0. */
enum { CONDUCTOR_ORDER_STREAM = 1000000 };

/* A measurement is made so often at most, until it is as it should be. */
enum { CONDUCTOR_ATTEMPTS = 3 };

struct conductor {
    struct conductor_world world;
    struct schedule schedule;
    double stop_at;  /* elapsed() at which measuring must be over */
    uint32_t *order; /* of patterns, at the current size */
    bool once;       /* nothing varies: one repetition, without untimed iterations */

    /* Results beside the records. */
    int64_t pass, rep;
    bool partial; /* this repetition of the first pass takes chosen sizes alone */
    struct reduced reduced;
    double walls, expected; /* what measurements took lately, and what they were expected to, seconds */
    double window;          /* what is lately: it fades with this time constant, seconds */
    double overrun;         /* by how much measurements lately took longer than expected, seconds */
    int stop;               /* a signal that came; 0 */
    struct message error;   /* why the run did not come to its end */
};

/* Prepares a run that measures the patterns of `list` until `stop_at`. Loops are limited
 * to `most_loops`; `resolution` is the clock's. Returns 0, or -1 when out of memory. */
int conductor_make(struct conductor *conductor, const struct conductor_world *world,
                   const struct pattern_list *list, double stop_at, int64_t most_loops, double resolution);

/* Probes, then measures pass after pass until the time is up: EXIT_RATED, or EXIT_STOPPED or EXIT_ERRORS with
 * the reason in `error`. The first pass is reduced as far as it must, and how goes to the metadata
 * (`reduced`). */
enum exit_status conductor_run(struct conductor *conductor);

void conductor_free(struct conductor *conductor);

#endif
