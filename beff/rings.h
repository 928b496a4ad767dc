/* The six ring patterns: how P processes are split into rings (docs/definition.md 1.3). Pure. */
#ifndef BEFF_RINGS_H
#define BEFF_RINGS_H

#include <stdint.h>

enum { BEFF_RING_PATTERNS = 6 };

/* `first_count` rings of `first_size` processes on the lowest ranks, then `second_count` of `second_size`
 * (0 where all rings are alike). The two sizes differ by one. */
struct ring_partition {
    int64_t rings;
    int64_t first_size, first_count;
    int64_t second_size, second_count;
};

/* The partition of ring pattern 1..6 for `processes` >= 2: the standard size and the rule for the remainder.
 */
struct ring_partition ring_partition(int64_t processes, int pattern);

/* The two neighbours of `rank`; both the same in a ring of two. */
void ring_neighbours(const struct ring_partition *rings, int64_t rank, int64_t *left, int64_t *right);

/* Messages that all processes send together in one iteration: one for each member of a ring of two,
 * two for each member of a larger one. */
int64_t ring_messages(const struct ring_partition *rings);

#endif
