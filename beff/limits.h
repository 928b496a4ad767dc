/* The known limit beside the bandwidth of the largest messages: what memory and links allow at most
 * (docs/definition.md 1.7). Pure. */
#ifndef BEFF_LIMITS_H
#define BEFF_LIMITS_H

#include "beff/patterns.h"
#include "common/protocol.h"

struct limits {
    /* MB/s of all processes together at Lmax; NaN: not known. */
    double lmax, lmax_rings;        /* of rings and random, of the rings */
    double copy_before, copy_after; /* memory copies measured before and after the patterns */
    char what[240];                 /* where the limits come from */
};

/* The limits that apply to the run of a protocol with these patterns.
 * Memory: --limit-memory for each node, or the larger one of the measured copies. Half of it where MPI copies
 * twice, which is assumed unless `largest`, the measured bandwidth at Lmax, is more than that.
 * Several nodes: also --limit-link by the most messages that leave a node in one iteration; none if it was
 * not given. */
struct limits limits_find(const struct protocol *protocol, const struct pattern_list *list, double largest);

#endif
