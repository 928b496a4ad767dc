/* The measuring loop, the only code that times repeated work. Clock, synchronisation and work are function
 * pointers, so that tests can replace them. */
#ifndef COMMON_MEASURE_H
#define COMMON_MEASURE_H

struct measured {
    double seconds;                      /* time of all timed iterations */
    long loops;                          /* completed timed iterations */
    int error;                           /* the error that one of the functions returned, or 0 */
    double vote_seconds, finish_seconds; /* the parts of `seconds` spent in vote() and in finish() */
};

struct measure_ops {
    /* Functions that return int return 0 or an error. */
    double (*now)(void *context);               /* reads the clock in seconds, from any origin */
    int (*synchronise)(void *context);          /* called before the warm-up and before the timed loop */
    int (*work)(void *context, long iteration); /* does one iteration; iterations are numbered from 0 */
    void *context;

    /* The following may be NULL. */
    /* If this is set, each iteration is timed separately. It is called after each iteration with the seconds
     * of the iteration; its own time is not measured. vote(), lap() and finish() are then not called. */
    int (*after)(void *context, long iteration, double seconds);
    /* Ends the loop early. It is called before the first iteration and gets the results so far. It returns
     * the number of iterations until its next call, 0 to stop, or a negative error. Its own time is
     * measured. */
    long (*vote)(void *context, const struct measured *so_far);
    /* Gets the duration of each iteration. This adds one reading of the clock to each iteration. */
    void (*lap)(void *context, double seconds);
    /* Prepares the iterations, for example opens an epoch of a window. It is called once, after the second
     * synchronisation and before the clock starts. */
    int (*begin)(void *context);
    /* Completes the iterations, for example syncs a file. Its time is measured. */
    int (*finish)(void *context);
};

enum measure_status {
    MEASURE_OK = 0,
    MEASURE_FAILED,         /* a function returned the error in `error` */
    MEASURE_CLOCK_STILL,    /* the measured time is 0, so there is no bandwidth */
    MEASURE_CLOCK_BACKWARDS /* the measured time is negative */
};

/* Synchronises, does `warmup` untimed iterations, synchronises again and then does at most `loops` timed
 * iterations, as one span or each timed separately (`seconds` is then the sum). Iterations are numbered from
 * 0, warm-up included. `result` is filled in all cases. (docs/definition-beff-1.md 5) */
enum measure_status measure(const struct measure_ops *ops, long warmup, long loops, struct measured *result);

/* Returns a description for messages, for example "the clock went backwards". */
const char *measure_status_text(enum measure_status status);

#endif
