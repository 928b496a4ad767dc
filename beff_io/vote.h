/* How many calls follow until the processes agree again on going on: often enough to keep the slice, seldom
 * enough to cost nothing (docs/definition.md 2.4). All processes compute the same from the same agreed
 * figures. Pure. */
#ifndef BEFF_IO_VOTE_H
#define BEFF_IO_VOTE_H

#include <stdint.h>

struct vote {
    double slice;         /* seconds for the calls and the file's sync */
    double sync_fixed;    /* seconds of the sync at the end, and ... */
    double sync_per_call; /* ... what one call adds to them, as learnt so far */
    int64_t most;         /* calls at most */
};

/* `done` calls took `seconds` on the slowest process; agreeing costs `cost` seconds. At least one call is
 * made. Returns how many may follow, 0: stop. */
int64_t vote_next(const struct vote *vote, int64_t done, double seconds, double cost);

#endif
