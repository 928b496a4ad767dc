/* Finds slow nodes: pairs nodes for exchanges, and computes a factor for each node from the times of its
 * pairs (docs/definition.md 1.11). */
#ifndef BEFF_DIAGNOSIS_H
#define BEFF_DIAGNOSIS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/protocol.h"

/* Each of the DIAGNOSIS_ROUNDS rounds has different pairs. DIAGNOSIS_SIZES is the number of message sizes.
 * With fewer than DIAGNOSIS_MIN_NODES nodes, a slow pair cannot be attributed to one of its nodes. */
enum { DIAGNOSIS_ROUNDS = 3, DIAGNOSIS_SIZES = 2, DIAGNOSIS_MIN_NODES = 4, DIAGNOSIS_HOST_SIZE = 65 };

/* A node stands out if its factor is above DIAGNOSIS_FACTOR and more than DIAGNOSIS_DISTANCE times as far
 * from 1 as the median node's factor. */
#define DIAGNOSIS_FACTOR   1.2
#define DIAGNOSIS_DISTANCE 6.0

struct diagnosis_node {
    char host[DIAGNOSIS_HOST_SIZE];
    int64_t processes;
    double factor[DIAGNOSIS_SIZES]; /* time divided by the median time of all nodes; NaN if not measured */
    int slowest;                    /* index of the size with the largest factor */
    bool stands_out;
};

struct diagnosis {
    int64_t bytes[DIAGNOSIS_SIZES];
    int sizes; /* number of measured sizes; 0 if there was no diagnosis */
    struct diagnosis_node *node;
    int64_t nodes;
    int64_t standing_out;
};

/* Returns the node that `node` exchanges messages with in a round; -1 if `node` is idle. */
int64_t diagnosis_partner(int64_t nodes, int round, int64_t node);

/* Sets the message sizes in bytes for a run with this Lmax. */
void diagnosis_sizes(int64_t lmax, int64_t bytes[DIAGNOSIS_SIZES]);

/* Makes the diagnosis from the metadata `diagnosis` and `node` of a protocol. Returns 0 on success, or -1
 * with a message. Call diagnosis_free() in either case. */
int diagnosis_make(struct diagnosis *diagnosis, const struct protocol *protocol, struct message *error);
void diagnosis_free(struct diagnosis *diagnosis);

#endif
