/* Which node holds the others back: who is paired with whom, and from the times of the pairs to a factor for
 * each node (docs/definition.md 1.11). Pure. */
#ifndef BEFF_DIAGNOSIS_H
#define BEFF_DIAGNOSIS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/protocol.h"

/* Rounds of different pairs; sizes of messages; with fewer nodes nothing can be attributed. */
enum { DIAGNOSIS_ROUNDS = 3, DIAGNOSIS_SIZES = 2, DIAGNOSIS_MIN_NODES = 4, DIAGNOSIS_HOST_SIZE = 65 };

/* Factors from which a node stands out: at least this, and so many times as far from 1 as the middle one. */
#define DIAGNOSIS_FACTOR   1.2
#define DIAGNOSIS_DISTANCE 6.0

struct diagnosis_node {
    char host[DIAGNOSIS_HOST_SIZE];
    int64_t processes;
    double factor[DIAGNOSIS_SIZES]; /* its time by the median of all nodes; NaN: not measured */
    int slowest;                    /* the size at which it is furthest above the others */
    bool stands_out;
};

struct diagnosis {
    int64_t bytes[DIAGNOSIS_SIZES];
    int sizes; /* that were measured; 0: no diagnosis */
    struct diagnosis_node *node;
    int64_t nodes;
    int64_t standing_out;
};

/* The node that `node` exchanges messages with in a round, -1: it is idle. */
int64_t diagnosis_partner(int64_t nodes, int round, int64_t node);

/* The message sizes, for this Lmax. */
void diagnosis_sizes(int64_t lmax, int64_t bytes[DIAGNOSIS_SIZES]);

/* From the lines `diagnosis` and `node` of a protocol. 0, or -1 with one line; free it in either case. */
int diagnosis_make(struct diagnosis *diagnosis, const struct protocol *protocol, struct message *error);
void diagnosis_free(struct diagnosis *diagnosis);

#endif
