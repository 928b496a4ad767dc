/* The conductor: decides on rank 0 what is measured next, in which order, how often and how long, so that the
 * run ends in its time; the other processes follow. The world comes in as function pointers, so that a
 * made-up machine tests it (docs/definition.md 1.5, 1.6). Pure. */
#ifndef BEFF_CONDUCTOR_H
#define BEFF_CONDUCTOR_H

#include <stdbool.h>

#include "beff/patterns.h"
#include "beff/record.h"
#include "beff/schedule.h"
#include "common/text.h"

/* One measurement, to be done by all processes together. */
struct order {
    int pattern; /* index into the list */
    enum method method;
    int size; /* index into the sizes */
    int64_t loops, warmup;
};

struct outcome {
    double t_min, t_avg, t_max;             /* seconds, over the processes that take part */
    int64_t errors;                         /* wrong bytes found by all processes */
    int64_t held_up, switches, clock_jumps; /* disturbances: see struct beff_record */
    int stop;                               /* a signal that came to any process, 0 if none did */
};

struct conductor_world {
    double (*elapsed)(void *context); /* seconds since the run was started */
    /* Measures; 0, or -1 with what went wrong. */
    int (*perform)(void *context, const struct order *order, struct outcome *outcome, struct message *error);
    /* Keeps one record; 0, or -1 with what went wrong. */
    int (*record)(void *context, const struct beff_record *record, struct message *error);
    /* Tells what is going on. `expected`: seconds from start to end as planned now. */
    void (*progress)(void *context, const struct beff_record *last, double expected);
    void *context;
};

/* The random stream (common/random.h) that shuffles the patterns between repetitions; the polygons have the
 * streams 1, 2, ..., the triples of the interval have 0. */
enum { CONDUCTOR_ORDER_STREAM = 1000000 };

enum conductor_end {
    CONDUCTOR_TIME_UP, /* the normal end */
    CONDUCTOR_STOPPED, /* by a signal: `stop` */
    CONDUCTOR_FAILED   /* `error` */
};

/* How the first pass had to be reduced: how often, counted in measurements or in pairs of pattern and size.
 */
struct reduced {
    int64_t measured, shortened;    /* measurements; with loops planned shorter than 2.5 ms */
    double shortest;                /* seconds planned for one */
    int64_t pairs;                  /* pairs of pattern and size that were due, in all repetitions */
    int64_t best_only;              /* with the best method alone */
    int64_t analysis;               /* left out: analysis-only patterns */
    int64_t repetitions;            /* left out: second and third repetitions */
    int64_t sizes;                  /* measurements left out: too long for the time there was */
    int best_only_from, sizes_from; /* smallest size that was hit */
    double least; /* seconds that one repetition of the rated patterns was expected to take at the least */
};

struct conductor {
    struct conductor_world world;
    struct schedule schedule;
    double stop_at; /* elapsed() at which measuring must be over */

    /* Results beside the records. */
    int64_t pass, rep;
    struct reduced reduced;
    double overrun; /* by how much measurements lately took longer than expected, seconds */
    int stop;
    struct message error;
};

/* Prepares a run that measures the patterns of `list` until `stop_at`. Loops are limited
 * to `most_loops`; `resolution` is the clock's. Returns 0, or -1 when out of memory. */
int conductor_make(struct conductor *conductor, const struct conductor_world *world,
                   const struct pattern_list *list, double stop_at, int64_t most_loops, double resolution);

/* Probes, then measures pass after pass until the time is up. The first pass is reduced as far as it must. */
enum conductor_end conductor_run(struct conductor *conductor);

/* What was reduced, in one line each ("" ends the list): at most REDUCED_LINES. */
enum { REDUCED_LINES = 6, REDUCED_SIZE = 160 };
void conductor_reduced(const struct conductor *conductor, char lines[REDUCED_LINES][REDUCED_SIZE]);

void conductor_free(struct conductor *conductor);

#endif
