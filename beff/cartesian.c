/* Cartesian partitions. Uses the C library alone. */
#include "beff/cartesian.h"

#include <stdbool.h>

/* The most even factorisation of n: smallest difference between largest and smallest extent, then the larger
 * smallest one. Extents are found from the last (smallest) to the first. */
struct search {
    struct cartesian grid, best; /* used 0: none is found */
};

static bool is_better(const struct cartesian *grid, const struct cartesian *best)
{
    int last = grid->dimensions - 1;
    int64_t spread = grid->extents[0] - grid->extents[last],
            best_spread = best->extents[0] - best->extents[last];
    if (!best->used || spread != best_spread)
        return !best->used || spread < best_spread;
    return grid->extents[last] > best->extents[last];
}

static void factorise(struct search *s, int dimension, int64_t n, int64_t smallest)
{
    int64_t *extent = &s->grid.extents[dimension];
    if (dimension == 0) {
        *extent = n;
        if (is_better(&s->grid, &s->best))
            s->best = s->grid;
        return;
    }
    /* `dimension` further extents follow, each at least as large as this one. */
    for (int64_t e = smallest; dimension == 1 ? e * e <= n : e * e * e <= n; e++)
        if (n % e == 0) {
            *extent = e;
            factorise(s, dimension - 1, n / e, e);
        }
}

static bool degenerates(const struct cartesian *grid)
{
    int64_t n = grid->used;
    return !(grid->extents[grid->dimensions - 1] > 1 || (n < 8 && n % 2 == 0) || n < 4);
}

struct cartesian cartesian_grid(int64_t processes, int dimensions)
{
    struct search s;
    do {
        s = (struct search){.grid = {.dimensions = dimensions, .used = processes--}};
        factorise(&s, dimensions - 1, s.grid.used, 1);
    } while (degenerates(&s.best));
    return s.best;
}

void cartesian_neighbours(const struct cartesian *grid, int dimension, int cyclic, int64_t rank,
                          int64_t *left, int64_t *right)
{
    *left = *right = -1;
    int64_t extent = grid->extents[dimension], stride = 1;
    if (rank >= grid->used || extent == 1)
        return;
    for (int i = dimension + 1; i < grid->dimensions; i++)
        stride *= grid->extents[i];
    int64_t place = rank / stride % extent;
    if (cyclic || place > 0)
        *left = rank + ((place + extent - 1) % extent - place) * stride;
    if (cyclic || place < extent - 1)
        *right = rank + ((place + 1) % extent - place) * stride;
}

int64_t cartesian_messages(const struct cartesian *grid, int dimension, int cyclic)
{
    int64_t extent = grid->extents[dimension];
    if (extent == 1)
        return 0;
    if (!cyclic)
        return 2 * (extent - 1) * (grid->used / extent);
    return extent == 2 ? grid->used : 2 * grid->used;
}
