/* Counting disturbances. Uses the C library alone. */
#include "beff/disturbance.h"

#include <math.h>
#include <stdlib.h>

static double bins_apart(double seconds, double shortest)
{
    return 2 * log(seconds / shortest) / log(DISTURBANCE_FACTOR);
}

int disturbances_make(struct disturbances *d, size_t cells)
{
    *d = (struct disturbances){.count = cells, .cell = calloc(cells, sizeof *d->cell)};
    return d->cell ? 0 : -1;
}

void disturbances_free(struct disturbances *d)
{
    free(d->cell);
    *d = (struct disturbances){0};
}

static void add(uint16_t *bin, unsigned visits)
{
    unsigned sum = *bin + visits;
    *bin = sum < UINT16_MAX ? (uint16_t)sum : UINT16_MAX;
}

/* A new shortest time: what was counted beside the old one moves up. */
static void move_up(struct disturbance_cell *cell, double shortest)
{
    double apart = round(bins_apart(cell->shortest, shortest));
    int by = apart < DISTURBANCE_BINS ? (int)apart : DISTURBANCE_BINS - 1;
    cell->shortest = shortest;
    for (int from = DISTURBANCE_BINS - 1; by > 0 && from >= 0; from--) {
        int to = from + by < DISTURBANCE_BINS ? from + by : DISTURBANCE_BINS - 1;
        unsigned visits = cell->bin[from];
        if (to == from)
            continue;
        cell->bin[from] = 0;
        add(&cell->bin[to], visits);
    }
}

void disturbances_visit(struct disturbances *d, size_t number, double seconds)
{
    struct disturbance_cell *cell = &d->cell[number];
    if (cell->shortest == 0)
        cell->shortest = seconds;
    else if (seconds < cell->shortest)
        move_up(cell, seconds);
    double apart = bins_apart(seconds, cell->shortest);
    add(&cell->bin[apart < DISTURBANCE_BINS ? (int)apart : DISTURBANCE_BINS - 1], 1);
}

struct disturbance_sums disturbances_sum(const struct disturbances *d)
{
    struct disturbance_sums sums = {0};
    for (size_t i = 0; i < d->count; i++) {
        const uint16_t *bin = d->cell[i].bin;
        unsigned visits = 0;
        for (int b = 0; b < DISTURBANCE_BINS; b++)
            visits += bin[b];
        if (visits < 2)
            continue;
        sums.visits += visits;
        for (int b = 0; b < DISTURBANCE_BINS; b++) {
            sums.bin[b] += bin[b];
            sums.disturbed += b < DISTURBANCE_FIRST ? 0 : bin[b];
        }
    }
    return sums;
}
