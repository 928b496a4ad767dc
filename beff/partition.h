/* Splits P processes into rings and into Cartesian grids (docs/definition-beff-1.md 3). Grids have the
 * extents of MPI_Dims_create and the neighbours of MPI_Cart_shift. */
#ifndef BEFF_PARTITION_H
#define BEFF_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

enum { BEFF_RING_PATTERNS = 6 };

/* `first_count` rings of `first_size` processes on the lowest ranks, followed by `second_count` rings of
 * `second_size` processes. The two sizes differ by one. If all rings have the same size, the second size and
 * count are 0. */
struct ring_partition {
    int64_t rings;
    int64_t first_size, first_count;
    int64_t second_size, second_count;
};

/* Returns the partition of ring pattern 1..6 for `processes` >= 2, from the standard size and the rule for
 * the remainder. */
struct ring_partition ring_partition(int64_t processes, int pattern);

/* Sets the two neighbours of `rank`. In a ring of two, they are the same. */
void ring_neighbours(const struct ring_partition *rings, int64_t rank, int64_t *left, int64_t *right);

/* Returns the number of messages that all processes send in one iteration: one for each member of a ring of
 * two, two for each member of a larger ring. */
int64_t ring_messages(const struct ring_partition *rings);

enum { CARTESIAN_MAX = 3 };

struct cartesian {
    int dimensions;                 /* 2 or 3 */
    int64_t used;                   /* processes in the grid: ranks 0 .. used-1 */
    int64_t extents[CARTESIAN_MAX]; /* largest first; the last dimension varies fastest with the rank */
};

/* Returns the grid for `processes` >= 2. It uses the largest number of processes whose grid does not
 * degenerate: the last extent is more than 1, or the number is even and below 8, or the number is below 4. */
struct cartesian cartesian_grid(int64_t processes, int dimensions);

/* Sets the neighbours of `rank` along one dimension. A neighbour is -1 at the end of an acyclic dimension,
 * outside the grid, and in a dimension of extent 1. In a cyclic dimension of extent 2, both neighbours are
 * the same. */
void cartesian_neighbours(const struct cartesian *grid, int dimension, int cyclic, int64_t rank,
                          int64_t *left, int64_t *right);

/* Returns the number of messages that all processes send along one dimension in one iteration. */
int64_t cartesian_messages(const struct cartesian *grid, int dimension, int cyclic);

#endif
