/* The known limit of bandwidths over several nodes: the time that the busiest node's link needs at least
 * (docs/definition.md 1.7). Pure. */
#ifndef BEFF_LIMITS_H
#define BEFF_LIMITS_H

#include "beff/rating.h"
#include "common/protocol.h"

/* What is above a limit by more than measurements are off. */
#define LIMIT_EXCEEDED 1.03

/* Bandwidth at one size by that which --limit-link allows: the logavg of this ratio over the rated patterns
 * that send messages between nodes. NaN: no limit is known, or nothing was measured. */
double limits_link_share(const struct protocol *protocol, const struct pattern_list *list,
                         const struct rating *rating, int size);

/* The largest memory-copy bandwidth that was measured, MB/s of all processes together; NaN: none was. */
double limits_memory_copy(const struct protocol *protocol);

#endif
