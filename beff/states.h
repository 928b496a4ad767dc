/* The state of the processors at each repetition (docs/diagnostics.md 1): how far two processors are apart,
 * and how fast they compute and copy. A covariate, no criterion. Run and report use the same functions. */
#ifndef BEFF_STATES_H
#define BEFF_STATES_H

#include "common/sheet.h"

/* A row of run.prot: a node at the start of a repetition. Times in seconds; NaN: not measured. */
struct state_row {
    int64_t sweep;             /* number of the repetition (beff/sweep.h) */
    double hop_min, hop_max;   /* way of a cache line between the processors of ring neighbours */
    double loop_min, loop_max; /* STATE_LOOPS steps of arithmetic, on all processes at once */
    double copy_min, copy_max; /* a copy of 4 MiB, on all processes at once */
    char host[COLUMN_HOST_SIZE];
};

/* A change within a run by more than this factor is a note. */
#define STATES_CHANGE 1.5
/* Name of the sheet's value: the median of hop_max in nanoseconds. */
#define STATES_APART "processors_apart_ns"

/* Adds the value STATES_APART to the sheet of a run, a note with it, and a note about the node that changed
 * most within the run. */
void states_note(const struct protocol *protocol, struct sheet *sheet);

#endif
