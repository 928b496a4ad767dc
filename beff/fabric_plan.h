/* Decides which nodes exchange messages with each other, and in which order: quiet, confirm, groups, loaded,
 * matrix (docs/between-nodes.md). The exchanges themselves are a function pointer, so that tests can run it
 * on made-up fabrics. */
#ifndef BEFF_FABRIC_PLAN_H
#define BEFF_FABRIC_PLAN_H

#include "beff/fabric.h"

/* What one end point does in a step: it exchanges messages with its partner, both directions at once. */
struct fabric_order {
    int32_t partner; /* -1: none */
    int64_t untimed, loops;
};

struct fabric_answer {
    double seconds; /* of one exchange */
    int64_t errors; /* wrong bytes */
};

struct fabric_ops {
    double (*left)(void *context); /* returns the seconds left for the nodes */
    /* Carries out the orders of all end points at once, with messages of `bytes`. Returns the signal that
     * any process received; 0: none. */
    int (*exchange)(void *context, int64_t bytes, const struct fabric_order *orders,
                    struct fabric_answer *answers);
    void *context;
};

/* Measures the fabric, whose end points are known, and writes exchanges and what was left out to the
 * protocol. `lmax` is the largest message in bytes. `once`: times do not vary, so one iteration is enough.
 * Returns the signal that ended it; 0: none. */
int fabric_measure(struct fabric *fabric, const struct fabric_ops *ops, struct protocol *protocol,
                   uint64_t seed, int64_t lmax, bool once, bool matrix);

#endif
