/* Cartesian partitions. Uses the C library alone. */
#include "beff/cartesian.h"

/* The most even factorisation of n: smallest difference between largest and smallest extent, then the larger
 * smallest one. Extents are found from the last (smallest) to the first. */
struct search {
    int dimensions;
    int64_t extents[CARTESIAN_MOST], best[CARTESIAN_MOST];
    int found;
};

static int is_better(const struct search *s)
{
    int last = s->dimensions - 1;
    int64_t spread = s->extents[0] - s->extents[last], best_spread = s->best[0] - s->best[last];
    if (!s->found || spread != best_spread)
        return !s->found || spread < best_spread;
    return s->extents[last] > s->best[last];
}

static void factorise(struct search *s, int dimension, int64_t n, int64_t smallest)
{
    if (dimension == 0) {
        s->extents[0] = n;
        if (is_better(s)) {
            for (int i = 0; i < s->dimensions; i++)
                s->best[i] = s->extents[i];
            s->found = 1;
        }
        return;
    }
    /* `dimension` further extents follow, each at least as large as this one. */
    for (int64_t e = smallest; dimension == 1 ? e * e <= n : e * e * e <= n; e++)
        if (n % e == 0) {
            s->extents[dimension] = e;
            factorise(s, dimension - 1, n / e, e);
        }
}

static int degenerates(int64_t n, int64_t last_extent)
{
    return !(last_extent > 1 || (n < 8 && n % 2 == 0) || n < 4);
}

struct cartesian cartesian_grid(int64_t processes, int dimensions)
{
    struct cartesian grid = {.dimensions = dimensions};
    for (int64_t n = processes;; n--) {
        struct search s = {.dimensions = dimensions};
        factorise(&s, dimensions - 1, n, 1);
        if (degenerates(n, s.best[dimensions - 1]))
            continue;
        grid.used = n;
        for (int i = 0; i < dimensions; i++)
            grid.extents[i] = s.best[i];
        return grid;
    }
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
