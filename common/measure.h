/* The one place of the project where a clock is started and stopped around repeated work.
 * It knows nothing of MPI: clock, synchronisation and work come in as function pointers, so a fake ops
 * tests it. */
#ifndef COMMON_MEASURE_H
#define COMMON_MEASURE_H

struct measured {
    double seconds;                      /* for all loops */
    long loops;                          /* timed iterations that were done */
    int error;                           /* what one of the functions returned */
    double vote_seconds, finish_seconds; /* of these, spent in vote and in finish */
};

struct measure_ops {
    double (*now)(void *context);               /* seconds, from any origin */
    int (*synchronise)(void *context);          /* barrier before warm-up and timed loop; 0 or an error */
    int (*work)(void *context, long iteration); /* one iteration, numbered from 0; 0 or an error */
    void *context;

    /* Each may be NULL. */
    /* Times each iteration by itself; this is called after each, with its seconds, outside of the clock (a
     * barrier between repetitions); 0 or an error. vote and finish are not called then. */
    int (*after)(void *context, long iteration, double seconds);
    /* Ends the loop early: asked before the first iteration and whenever as many iterations as it said are
     * done, with what was measured up to now; says how many may follow until it is asked again, 0 to stop, or
     * a negative error. It runs inside the clock; its own time is reported. */
    long (*vote)(void *context, const struct measured *so_far);
    /* Gets the duration of each iteration of a span, for one more reading of the clock, inside the span. */
    void (*lap)(void *context, double seconds);
    /* Called once after the second synchronisation and before the clock starts: opens what the iterations
     * need (an epoch of a window). Returns 0 or an error. */
    int (*begin)(void *context);
    /* The last step inside of the clock, after the iterations (a file's sync); 0 or an error. */
    int (*finish)(void *context);
};

enum measure_status {
    MEASURE_OK = 0,
    MEASURE_FAILED,         /* a function returned an error: kept in `error` */
    MEASURE_CLOCK_STILL,    /* the clock did not advance: no bandwidth follows from a time of zero */
    MEASURE_CLOCK_BACKWARDS /* the clock went back */
};

/* Synchronises, does `warmup` untimed iterations, synchronises again and then does at most `loops` timed
 * iterations. They are timed as one span, or each by itself (`seconds` is then the sum). Iterations are
 * numbered from 0, warm-up included. `result` is filled in all cases. (docs/definition.md 3.1) */
enum measure_status measure(const struct measure_ops *ops, long warmup, long loops, struct measured *result);

/* For messages: "the clock stood still" and the like. */
const char *measure_status_text(enum measure_status status);

#endif
