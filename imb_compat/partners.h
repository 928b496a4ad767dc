/* Selects partners: neighbours in pairs and rings, the random partners of IMB-P2P, and the grids of its
 * stencils (docs/definition-imb.md 11). */
#ifndef IMB_COMPAT_PARTNERS_H
#define IMB_COMPAT_PARTNERS_H

#include <stdint.h>

/* ---- pairs and rings ---- */

struct imb_neighbours {
    int partner;     /* the other process of the pair */
    int left, right; /* neighbours in the ring */
};

/* Returns the neighbours of `rank` in a group of `size` processes. The processes of a pair are `stride`
 * apart: 0 and stride, 1 and stride + 1, and so on. Neighbours in the ring are `step` apart. */
struct imb_neighbours imb_neighbours_of(int rank, int size, int stride, int step);

/* ---- random partners: all processes draw the same sequence ---- */

struct imb_partners {
    uint64_t state;
    int size;
    int *ring; /* the processes in the order of the ring; NULL if not needed */
};

/* Restarts the sequence. */
void imb_partners_reset(struct imb_partners *partners);

/* Draws two different processes. There must be at least two. */
void imb_partners_draw_pair(struct imb_partners *partners, int pair[2]);

void imb_partners_shuffle(struct imb_partners *partners);

/* ---- grids ---- */

enum { IMB_MAX_DIMENSIONS = 3, IMB_MAX_NEIGHBOURS = 2 * IMB_MAX_DIMENSIONS };

/* Finds a grid of 2 or 3 dimensions for this number of processes, with sides of at least 2. side[0] is the
 * length in the x direction. If IMB finds a grid, sets the same grid; otherwise, the grid whose longest side
 * is shortest. Returns 0, or -1 if there is no grid. */
int imb_grid_make(int dimensions, int processes, int side[IMB_MAX_DIMENSIONS]);

/* Sets the neighbours of a process in the periodic grid: x - 1, x + 1, y - 1, y + 1, and so on. */
void imb_grid_neighbours(int dimensions, const int side[], int rank, int neighbours[IMB_MAX_NEIGHBOURS]);

#endif
