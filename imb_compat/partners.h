/* Who talks to whom: neighbours in rings and pairs; the random partners of IMB-P2P; the grids of its stencils
 * (docs/from-imb.md 11). */
#ifndef IMB_COMPAT_PARTNERS_H
#define IMB_COMPAT_PARTNERS_H

#include <stdint.h>

/* ---- pairs and rings: the partners are `stride` apart ---- */

struct imb_neighbours {
    int partner;     /* processes 0 to stride - 1 talk to the next `stride` ones, and so on */
    int left, right; /* in the ring: the processes `step` before and behind */
};

struct imb_neighbours imb_neighbours_of(int rank, int size, int stride, int step);

/* ---- random partners: every process draws the same ones ---- */

struct imb_partners {
    uint64_t state;
    int size;
    int *ring; /* the processes in the order of the ring; NULL: not needed */
};

/* Starts the sequence anew. */
void imb_partners_reset(struct imb_partners *partners);

/* Draws two different processes of at least two. */
void imb_partners_draw_pair(struct imb_partners *partners, int pair[2]);

/* Shuffles the ring. */
void imb_partners_shuffle(struct imb_partners *partners);

/* ---- grids ---- */

enum { IMB_MAX_DIMENSIONS = 3, IMB_MAX_NEIGHBOURS = 2 * IMB_MAX_DIMENSIONS };

/* Finds a grid of 2 or 3 dimensions for so many processes, with sides of at least 2: side[0] is Lx. Where IMB
 * finds one, it is the same; else the one whose longest side is shortest. 0, or -1 if there is none. */
int imb_grid_make(int dimensions, int processes, int side[IMB_MAX_DIMENSIONS]);

/* The neighbours of a process in the periodic grid: x - 1, x + 1, y - 1, y + 1, and so on. */
void imb_grid_neighbours(int dimensions, const int side[], int rank, int neighbours[IMB_MAX_NEIGHBOURS]);

#endif
