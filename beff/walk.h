/* Walks through an area of message buffers (docs/definition-beff-1.md 5). All functions are inline, because
 * they run while the clock runs. */
#ifndef BEFF_WALK_H
#define BEFF_WALK_H

#include <stddef.h>

struct walk {
    size_t area;      /* size of the area in bytes */
    size_t at;        /* offset of the next message in bytes */
    size_t message;   /* bytes of one message, rounded up */
    size_t iteration; /* bytes of all messages of one iteration */
};

/* Prepares for iterations of `messages` messages of `bytes` each. The walk continues where it was, so that
 * even a measurement of few iterations does not find its buffers in the cache. */
static inline void walk_prepare(struct walk *walk, size_t bytes, size_t messages)
{
    walk->message = (bytes + 7) & ~(size_t)7;
    walk->iteration = messages * walk->message;
}

/* Starts an iteration. If its messages do not fit into the rest of the area, the walk starts again at 0, so
 * that the messages of one iteration never overlap. */
static inline void walk_start(struct walk *walk)
{
    if (walk->at + walk->iteration > walk->area)
        walk->at = 0;
}

/* Returns the offset of the next message and moves past it. */
static inline size_t walk_next(struct walk *walk)
{
    size_t place = walk->at;
    walk->at += walk->message;
    return place;
}

#endif
