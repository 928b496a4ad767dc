/* How P processes are split into rings and into Cartesian grids (docs/definition.md 1.5). Grids have the
 * extents of MPI_Dims_create and the neighbours of MPI_Cart_shift. Pure. */
#ifndef BEFF_PARTITION_H
#define BEFF_PARTITION_H

#include <stdbool.h>
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

enum { CARTESIAN_MAX = 3 };

struct cartesian {
    int dimensions;                 /* 2 or 3 */
    int64_t used;                   /* processes in the grid: ranks 0 .. used-1 */
    int64_t extents[CARTESIAN_MAX]; /* largest first; the last dimension varies fastest with the rank */
};

/* The grid for `processes` >= 2: the largest number of processes that does not degenerate (its last extent is
 * more than 1, or it is even and below 8, or it is below 4). */
struct cartesian cartesian_grid(int64_t processes, int dimensions);

/* The neighbours of `rank` along one dimension, -1 where there is none: at an end of a grid that is not
 * cyclic, outside of the grid, and in a dimension of extent 1. Both are the same in a cyclic dimension of
 * extent 2. */
void cartesian_neighbours(const struct cartesian *grid, int dimension, int cyclic, int64_t rank,
                          int64_t *left, int64_t *right);

/* Messages that all processes send together along one dimension in one iteration. */
int64_t cartesian_messages(const struct cartesian *grid, int dimension, int cyclic);

#endif
