/* The record of a measurement: the columns of beff's protocol. Pure. */
#ifndef BEFF_RECORD_H
#define BEFF_RECORD_H

#include <stdint.h>

#include "common/protocol.h"

/* The transfer methods (docs/definition.md 1.6), in the order in which a cell is measured with them. */
enum method { METHOD_SENDRECV, METHOD_NONBLOCKING, METHOD_ALLTOALLV, METHODS };

struct beff_record {
    int64_t pass, rep; /* from 1; rep: the repetition in its pass */
    char pattern[COLUMN_TEXT_SIZE], method[COLUMN_TEXT_SIZE];
    int64_t bytes;              /* of one message */
    int64_t messages;           /* M: all processes, one iteration */
    int64_t loops;              /* timed iterations */
    double t_min, t_avg, t_max; /* over the processes that take part, seconds for all loops */
    double bandwidth;           /* bytes * messages * loops / t_max / 1e6, MB/s */
    int64_t errors;             /* wrong bytes found */
};

extern const struct record_type beff_record_type;

const char *method_name(enum method method);

/* METHODS if there is none of that name. */
enum method method_find(const char *name);

/* Reads a list such as "Sendrecv,nonblocking"; "" means all methods. Sets a bit, 1 << method, for each method
 * that is not in it. Returns 0, or -1 if it names something else. */
int methods_left_out(const char *list, unsigned *left_out);

#endif
