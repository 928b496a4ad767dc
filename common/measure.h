/* The one place of the project where a clock is started and stopped around repeated work.
 * It knows nothing of MPI: clock, synchronisation and work come in as function pointers, so a fake world
 * tests it. */
#ifndef COMMON_MEASURE_H
#define COMMON_MEASURE_H

struct measure_world {
    double (*now)(void *context);               /* seconds, from any origin */
    int (*synchronise)(void *context);          /* barrier before the measurement; 0 or an error */
    int (*work)(void *context, long iteration); /* one iteration, numbered from 0; 0 or an error */
    void *context;
};

enum measure_status {
    MEASURE_OK = 0,
    MEASURE_FAILED,         /* synchronise or work returned an error: kept in `error` */
    MEASURE_CLOCK_STILL,    /* the clock did not advance: no bandwidth follows from a time of zero */
    MEASURE_CLOCK_BACKWARDS /* the clock went back */
};

struct measured {
    double seconds; /* for all loops */
    long loops;     /* timed iterations that were done */
    int error;      /* what work or synchronise returned */
};

/* Synchronise, do `warmup` iterations without the clock and then `loops` with it, timed as one span.
 * Iterations are numbered through, warm-up first. `result` is filled in all cases. (b_eff section 5) */
enum measure_status measure(const struct measure_world *world, long warmup, long loops,
                            struct measured *result);

/* For messages: "the clock stood still" and the like. */
const char *measure_status_text(enum measure_status status);

#endif
