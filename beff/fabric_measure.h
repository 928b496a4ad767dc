/* Decides which nodes exchange messages with each other, and in which order (docs/between-nodes.md). The
 * exchanges themselves are a function pointer, so that tests can run it on made-up fabrics. */
#ifndef BEFF_FABRIC_MEASURE_H
#define BEFF_FABRIC_MEASURE_H

#include "beff/fabric.h"

/* Messages of a pair: both at the same time, one after the other, only from the lower end point to the higher
 * one, only in the other direction. */
enum fabric_way { FABRIC_BOTH, FABRIC_TO_AND_FRO, FABRIC_UP, FABRIC_DOWN };

/* What all processes do in a step. */
struct fabric_step {
    int64_t bytes;  /* of a message */
    double seconds; /* duration; 0: one exchange */
    enum fabric_way way;
    int processes; /* 0: the end points exchange messages; m: the first m processes of each node do, and the
                      nodes are paired */
};

struct fabric_answer {
    double seconds; /* of one exchange */
    int64_t errors; /* wrong bytes */
    int stop;       /* a signal that the process received; 0: none */
};

struct fabric_ops {
    double (*left)(void *context); /* returns the seconds left for the nodes */
    /* Carries out a step. Each end point exchanges messages with its partner (-1: none). With `processes`,
     * all answers have the average time between two exchanges of a node. Returns the signal that any process
     * received; 0: none. */
    int (*exchange)(void *context, const struct fabric_step *step, const int32_t *partners,
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

/* Measures what the first measurement found to be slow once more, at the end of the run. */
int fabric_measure_again(struct fabric *fabric, const struct fabric_ops *ops, struct protocol *protocol,
                         uint64_t seed, bool once);

#endif
