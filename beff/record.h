/* The record of a measurement: one line of beff's protocol. */
#ifndef BEFF_RECORD_H
#define BEFF_RECORD_H

#include <stdint.h>

#include "common/protocol.h"

/* The transfer methods (docs/definition-beff-1.md 4), in the order in which a cell is measured with them. */
enum method { METHOD_SENDRECV, METHOD_NONBLOCKING, METHOD_ALLTOALLV, METHODS };

struct beff_record {
    int64_t pass, rep; /* number of the pass, and of the repetition within the pass; from 1 */
    char pattern[COLUMN_WORD_SIZE], method[COLUMN_WORD_SIZE];
    int64_t bytes;              /* bytes per message */
    int64_t messages;           /* M: messages of all processes in one iteration */
    int64_t loops;              /* timed iterations */
    double t_min, t_avg, t_max; /* seconds for all loops, over the processes that take part */
    double bandwidth;           /* bytes * messages * loops / t_max / 1e6, MB/s */
    int64_t errors;             /* number of wrong bytes */
    int64_t reason; /* why the attempt does not count (enum discard); records have no such column */
};

/* Reasons to discard an attempt: it was too short, a time was not positive, or a signal ended the run. */
enum discard { DISCARD_SHORT, DISCARD_CLOCK, DISCARD_SIGNAL };

/* A row of run.prot: the time of a sweep (beff/sweep.h), in seconds. */
struct beff_sweep {
    int64_t sweep;
    double expected, taken; /* expected is NaN for the opening */
};

/* The tables of unrated measurements. The structs of most rows are in fabric.h, disturbance.h,
 * load.h, states.h, common/adapters.h and common/space.h. */
enum beff_table {
    BEFF_BETWEEN,
    BEFF_END_POINTS,
    BEFF_EXCHANGES,
    BEFF_MATRIX,
    BEFF_DISTURBANCES,
    BEFF_STATES,
    BEFF_LOAD_ROLES,
    BEFF_LOAD_BLOCKS,
    BEFF_GPUS,
    BEFF_SWEEPS,
    BEFF_DISCARDED,
    BEFF_ALONE,
    BEFF_ADAPTERS,
    BEFF_TABLES
};

/* Messages of a pattern that leave a node in one iteration. */
struct beff_between {
    char pattern[COLUMN_WORD_SIZE];
    int64_t messages, busiest; /* of all nodes, and of the node that sends most */
    double leaving, staying;   /* of a process at most; its messages inside the node, at most */
};

/* Two ranks that are measured alone. */
struct beff_alone {
    char place[COLUMN_WORD_SIZE]; /* start of the patterns' names: alone or inside */
    int64_t a, b;
};

extern const struct record_type beff_record_type;

/* Returns the bandwidth of a number of bytes in MB/s. */
double beff_mb_s(double bytes, double seconds);

const char *method_name(enum method method);

/* Returns the method with this name; METHODS if there is none. */
enum method method_find(const char *name);

/* Parses a list such as "Sendrecv,nonblocking"; "" means all methods. Sets the bit 1 << method in `skipped`
 * for each method that is not in the list. Returns 0 on success, or -1 if a name is unknown. */
int methods_skipped(const char *list, unsigned *skipped);

#endif
