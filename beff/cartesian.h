/* Cartesian partitions for the analysis patterns: extents as MPI_Dims_create has them, neighbours as
 * MPI_Cart_shift has them, without MPI (docs/definition.md 1.3). Pure. */
#ifndef BEFF_CARTESIAN_H
#define BEFF_CARTESIAN_H

#include <stdint.h>

enum { CARTESIAN_MOST = 3 };

struct cartesian {
    int dimensions;                  /* 2 or 3 */
    int64_t used;                    /* processes in the grid: ranks 0 .. used-1 */
    int64_t extents[CARTESIAN_MOST]; /* largest first; the last dimension varies fastest with the rank */
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
