/* The stop rule of a pattern: how many calls the processes make before they agree again on going on
 * (docs/definition.md 2.6). Pure. */
#ifndef BEFF_IO_STOP_H
#define BEFF_IO_STOP_H

#include <stdint.h>

struct io_stop {
    int64_t max_calls;
    double slice;         /* seconds for all of the pattern */
    double sync_fixed;    /* seconds that its sync is expected to take anyway, ... */
    double sync_per_call; /* ... and for each call */
};

/* What all processes agreed on. */
struct io_progress {
    int64_t calls;
    double elapsed; /* seconds since the pattern began, on the slowest process, ... */
    double looping; /* ... and of these in the loop of calls */
    double cost;    /* seconds that agreeing takes */
};

/* Calls until the next vote; 0: stop. Often enough to keep to the slice, seldom enough to cost nothing. All
 * processes compute the same from the same figures. At least one call is made. */
int64_t io_stop_calls(const struct io_stop *stop, const struct io_progress *progress);

#endif
