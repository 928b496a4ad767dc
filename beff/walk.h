/* The walk of a process through an area of message buffers (docs/definition.md 1.7): inside the clock, so all
 * of it is inline. Pure. */
#ifndef BEFF_WALK_H
#define BEFF_WALK_H

#include <stddef.h>

struct walk {
    size_t area;      /* bytes */
    size_t at;        /* place of the next message */
    size_t message;   /* bytes that one takes, and ... */
    size_t iteration; /* ... those of one iteration together */
};

/* Messages of `bytes` follow, so many in each iteration. The walk goes on where it was: a measurement of few
 * iterations does not find its messages in the cache, as little as a long one. */
static inline void walk_prepare(struct walk *walk, size_t bytes, size_t messages)
{
    walk->message = (bytes + 7) & ~(size_t)7;
    walk->iteration = messages * walk->message;
}

/* Before an iteration: it starts again where the messages of the whole iteration would not fit any more, so
 * that they all lie apart. */
static inline void walk_start(struct walk *walk)
{
    if (walk->at + walk->iteration > walk->area)
        walk->at = 0;
}

/* The next message's place in the area. */
static inline size_t walk_next(struct walk *walk)
{
    size_t place = walk->at;
    walk->at += walk->message;
    return place;
}

#endif
