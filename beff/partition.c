#include "beff/partition.h"

/* ---- rings ---- */

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t standard_size(int64_t processes, int pattern)
{
    const int64_t sizes[BEFF_RING_PATTERNS] = {
        2, 4, 8, max64(16, processes / 4), max64(32, processes / 2), processes};
    return sizes[pattern - 1];
}

struct ring_partition ring_partition(int64_t processes, int pattern)
{
    int64_t size = min64(standard_size(processes, pattern), processes);
    /* floor(P/s + 0.4) in whole numbers. */
    int64_t rings = (10 * processes + 4 * size) / (10 * size);
    rings = max64(1, min64(rings, processes / 2));

    int64_t low = processes / rings, high = low + 1;
    int64_t high_count = processes - low * rings, low_count = rings - high_count;
    if (high_count == 0)
        return (struct ring_partition){rings, low, low_count, 0, 0};
    if (low % 2 == 1)
        return (struct ring_partition){rings, high, high_count, low, low_count};
    return (struct ring_partition){rings, low, low_count, high, high_count};
}

void ring_neighbours(const struct ring_partition *rings, int64_t rank, int64_t *left, int64_t *right)
{
    int64_t in_first = rings->first_size * rings->first_count;
    int64_t base = rank < in_first ? 0 : in_first;
    int64_t size = rank < in_first ? rings->first_size : rings->second_size;
    int64_t place = (rank - base) % size, start = rank - place;
    *left = start + (place + size - 1) % size;
    *right = start + (place + 1) % size;
}

static int64_t messages_of(int64_t size, int64_t count)
{
    return (size == 2 ? 2 : 2 * size) * count;
}

int64_t ring_messages(const struct ring_partition *rings)
{
    return messages_of(rings->first_size, rings->first_count) +
           messages_of(rings->second_size, rings->second_count);
}

/* ---- grids ---- */

/* Returns the most even factorisation of n, which has the smallest difference between its largest and
 * smallest extents. If two differences are equal, the factorisation with the larger smallest extent wins,
 * because the loop finds it later. */
static struct cartesian most_even(int64_t n, int dimensions)
{
    struct cartesian best = {.dimensions = dimensions, .used = n};
    int64_t min = n;
    for (int64_t z = 1; z == 1 || (dimensions == 3 && z * z * z <= n); z++)
        for (int64_t y = z; n % z == 0 && y * y <= n / z; y++) {
            int64_t x = n / z / y, spread = x - (dimensions == 3 ? z : y);
            if (n / z % y != 0 || spread > min)
                continue;
            min = spread;
            best.extents[0] = x;
            best.extents[1] = y;
            best.extents[2] = z;
        }
    return best;
}

static bool degenerates(const struct cartesian *grid)
{
    int64_t n = grid->used;
    return grid->extents[grid->dimensions - 1] == 1 && n >= 4 && !(n < 8 && n % 2 == 0);
}

struct cartesian cartesian_grid(int64_t processes, int dimensions)
{
    struct cartesian grid = most_even(processes, dimensions);
    while (degenerates(&grid))
        grid = most_even(grid.used - 1, dimensions);
    return grid;
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
