/* Where the level of a series of values changed, and whether it did. Pure. */
#ifndef PROTOCOLS_CHANGE_H
#define PROTOCOLS_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

/* A change is told at p below this. */
#define CHANGE_P 0.01

/* So few values can reach that, if the first 5 are apart from the last 5: 2 / C(10, 5) = 0.008. The most
 * telling order of 8 or 9 has 0.029. */
enum { CHANGE_LEAST = 10 };

/* Pettitt's test (1979) of n values in the order in which they were measured. U_t is the number of pairs of
 * one of the first t values and one of the others in which the first is larger, less those in which it is
 * smaller; K is the largest |U_t|. p is how often the values in random order (a fixed seed) have a K as
 * large: no distribution is assumed, equal values are none the worse, but the values must be independent. */
struct change {
    double k, p;          /* p NaN: fewer than CHANGE_LEAST values */
    size_t at;            /* the first value after the change */
    double before, after; /* medians of both sides of it */
    size_t least; /* a change is told once so many values are on each side of it; 0: not known, values are
                     equal */
};

/* 0, or -1 when out of memory. */
int change_find(struct change *change, const double *values, size_t n);

/* Whether one is told. */
bool change_is_told(const struct change *change);

#endif
