/* The known limit beside a result: what links or memory allow at most. Pure. */
#ifndef BEFF_LIMITS_H
#define BEFF_LIMITS_H

#include "beff/sizes.h"
#include "common/protocol.h"

struct limits {
    double at[BEFF_SIZES]; /* MB/s of all processes together; NaN: no limit is known */
    double mean;           /* over the sizes: what a b_eff could reach */
    char what[160];        /* where it comes from */
};

/* The limit that applies to the run of a protocol.
 * Several nodes: --limit-link times the number of nodes, none if it was not given.
 * One node (shared memory): the memory-copy bandwidth, from --limit-memory or as measured by the same
 * processes at the same sizes. Half of it where MPI copies twice, which is taken for granted unless
 * `largest`, the measured bandwidth at Lmax, is more than that. */
struct limits limits_find(const struct protocol *protocol, const int64_t sizes[BEFF_SIZES], double largest);

#endif
