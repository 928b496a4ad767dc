#include "imb_compat/partners.h"

#include <stdbool.h>

struct imb_neighbours imb_neighbours_of(int rank, int size, int stride, int step)
{
    bool first = stride == 0 || rank / stride % 2 == 0;
    int partner = stride == 0 ? rank : first ? rank + stride : rank - stride;
    return (struct imb_neighbours){partner, ((rank - step) % size + size) % size, (rank + step) % size};
}

/* ---- random partners ---- */

static uint32_t draw(struct imb_partners *p)
{
    p->state = p->state * UINT64_C(7560690468208412377) + UINT64_C(4343336064253945357);
    return (uint32_t)(p->state >> 24);
}

static int draw_process(struct imb_partners *p)
{
    return (int)(draw(p) % (uint32_t)p->size);
}

void imb_partners_reset(struct imb_partners *partners)
{
    partners->state = 0;
    for (int i = 0; partners->ring && i < partners->size; i++)
        partners->ring[i] = i;
}

void imb_partners_draw_pair(struct imb_partners *partners, int pair[2])
{
    pair[0] = draw_process(partners);
    do
        pair[1] = draw_process(partners);
    while (pair[1] == pair[0]);
}

void imb_partners_shuffle(struct imb_partners *partners)
{
    for (int i = 0; i < partners->size; i++) {
        int other = draw_process(partners), moved = partners->ring[i];
        partners->ring[i] = partners->ring[other];
        partners->ring[other] = moved;
    }
}

/* ---- grids ---- */

/* Returns the smallest whole number, at least 2, whose square or cube (`power` 2 or 3) is at least
 * `processes`. */
static int root_of(int processes, int power)
{
    for (int64_t l = 2;; l++)
        if ((power == 2 ? l * l : l * l * l) >= processes)
            return (int)l;
}

/* Applies IMB's rule for two dimensions. Returns -1 if a side is 1. */
static int make_plane(int processes, int side[])
{
    int l = root_of(processes, 2);
    while (processes % l)
        l--;
    side[0] = processes / l;
    side[1] = l;
    return side[0] > 1 && side[1] > 1 ? 0 : -1;
}

/* Applies IMB's rule for three dimensions. Returns -1 if it finds no grid. */
static int make_space(int processes, int side[])
{
    int l = root_of(processes, 3);
    side[0] = side[1] = side[2] = l;
    for (int z = l - 1; l * l * l != processes && z > 1; z--) {
        int plane[2];
        if (processes % z)
            continue;
        side[2] = z;
        if (make_plane(processes / z, plane) == 0 && plane[1] >= z) {
            side[0] = plane[0];
            side[1] = plane[1];
        }
        if (side[0] * side[1] * z <= processes)
            break;
    }
    return (int64_t)side[0] * side[1] * side[2] == processes ? 0 : -1;
}

/* Finds the x by y by z grid with x >= y >= z > 1 and the smallest x. Returns -1 if there is none. */
static int search_space(int processes, int side[])
{
    side[0] = 0;
    for (int z = 2; z * z <= processes / z; z++)
        for (int y = z; processes % z == 0 && y <= processes / z / y; y++)
            if (processes / z % y == 0 && (!side[0] || processes / z / y < side[0])) {
                side[0] = processes / z / y;
                side[1] = y;
                side[2] = z;
            }
    return side[0] ? 0 : -1;
}

int imb_grid_make(int dimensions, int processes, int side[IMB_MAX_DIMENSIONS])
{
    if (dimensions == 2)
        return make_plane(processes, side);
    return make_space(processes, side) == 0 ? 0 : search_space(processes, side);
}

void imb_grid_neighbours(int dimensions, const int side[], int rank, int neighbours[IMB_MAX_NEIGHBOURS])
{
    for (int d = 0, below = 1; d < dimensions; below *= side[d], d++) {
        int at = rank / below % side[d], rest = rank - at * below;
        neighbours[2 * d] = rest + (at + side[d] - 1) % side[d] * below;
        neighbours[2 * d + 1] = rest + (at + 1) % side[d] * below;
    }
}
