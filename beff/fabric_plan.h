/* Decides which nodes exchange messages with each other, and in which order: quiet, confirm, groups, loaded,
 * matrix (docs/between-nodes.md). The exchanges themselves are a function pointer, so that tests can run it
 * on made-up fabrics. */
#ifndef BEFF_FABRIC_PLAN_H
#define BEFF_FABRIC_PLAN_H

#include "beff/fabric.h"

struct fabric_answer {
    double seconds; /* of one exchange */
    int64_t errors; /* wrong bytes */
};

struct fabric_ops {
    double (*left)(void *context); /* returns the seconds left for the nodes */
    /* Lets all end points exchange messages of `bytes` with their partners (-1: none) at once, both
     * directions at the same time, for `seconds`; 0: one exchange. Returns the signal that any process
     * received; 0: none. */
    int (*exchange)(void *context, int64_t bytes, double seconds, const int32_t *partners,
                    struct fabric_answer *answers);
    void *context;
};

/* Returns the number of exchanges that a pair makes before it looks at the clock again, so that all of them
 * take `seconds`: `done` exchanges took `elapsed` seconds. The number is small, because on a busy processor
 * an exchange may suddenly take a thousand times as long. 0: the time is over. */
long fabric_batch(long done, double elapsed, double seconds);

/* Measures the fabric, whose end points are known, and writes exchanges and what was left out to the
 * protocol. `lmax` is the largest message in bytes. `once`: times do not vary, so one exchange is enough.
 * Returns the signal that ended it; 0: none. */
int fabric_measure(struct fabric *fabric, const struct fabric_ops *ops, struct protocol *protocol,
                   uint64_t seed, int64_t lmax, bool once, bool matrix);

#endif
