/* The ring partition. Uses the C library alone. */
#include "beff/rings.h"

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
