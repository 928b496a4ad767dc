/* How often one process was disturbed: for each cell (pattern, method, size) its shortest time per iteration
 * and a histogram of how much longer its other visits took (docs/definition.md 1.7). Pure. */
#ifndef BEFF_DISTURBANCE_H
#define BEFF_DISTURBANCE_H

#include <stddef.h>
#include <stdint.h>

/* Bins of log(time / shortest), each a factor of sqrt(DISTURBANCE_FACTOR) wide, the last one open. From bin
 * DISTURBANCE_FIRST on a visit took more than DISTURBANCE_FACTOR times the shortest. */
enum { DISTURBANCE_BINS = 12, DISTURBANCE_FIRST = 2 };
#define DISTURBANCE_FACTOR 1.5

struct disturbance_cell {
    double shortest; /* seconds; 0: not visited */
    uint16_t bin[DISTURBANCE_BINS];
};

struct disturbances {
    size_t count;
    struct disturbance_cell *cell;
};

/* What all cells that were visited at least twice say together. Only doubles: sums over processes are made
 * member by member. */
struct disturbance_sums {
    double visits, disturbed;
    double bin[DISTURBANCE_BINS];
};

/* 0, or -1 when out of memory. */
int disturbances_make(struct disturbances *disturbances, size_t cells);
void disturbances_free(struct disturbances *disturbances);

/* One visit: `seconds` > 0 per iteration. */
void disturbances_visit(struct disturbances *disturbances, size_t cell, double seconds);

struct disturbance_sums disturbances_sum(const struct disturbances *disturbances);

#endif
