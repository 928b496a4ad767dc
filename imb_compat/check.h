/* What the messages hold, and what must have arrived. Every byte is compared; sums are of whole numbers that
 * all types hold exactly, so that they are the same in any order. Pure. */
#ifndef IMB_COMPAT_CHECK_H
#define IMB_COMPAT_CHECK_H

#include "imb_compat/settings.h"

/* One process's view of what is exchanged. */
struct imb_exchange {
    const struct imb_benchmark *benchmark;
    enum imb_type type;
    int rank, size;   /* in its group */
    int64_t items;    /* of one message */
    int64_t first;    /* the first item of its part of what all have */
    int64_t stride;   /* bytes from one item to the next: the type's size, or twice that */
    int blocks_apart; /* places of a window: IMB_HOLDS_WINDOW */
};

/* Whether the receive buffer is filled like the send buffer before a repetition. */
bool imb_starts_filled(const struct imb_benchmark *benchmark);

/* Fills a send buffer with `items` items. */
void imb_fill(const struct imb_exchange *exchange, char *buffer, int64_t items);

enum {
    IMB_SOURCE_SUM = -1,
    IMB_SOURCE_FILE = -2,
    IMB_SOURCE_MISSING = -3 /* nobody read that part of the file: there is nothing to compare */
};

struct imb_mismatch {
    int64_t wrong;    /* bytes */
    int64_t position; /* of the first one, in the receive buffer, or in the file */
    int source;       /* process that sent it; or one of the above */
    unsigned char expected, found;
};

/* Counts bytes that differ in `mismatch`, which keeps the first one of all, by its place `position` + n. */
void imb_compare(const void *expected, const void *found, int64_t bytes, int64_t position, int source,
                 struct imb_mismatch *mismatch);

/* Compares the receive buffer after a repetition with this root, and counts in `mismatch`, which keeps its
 * first one. */
void imb_check(const struct imb_exchange *exchange, const char *buffer, int root,
               struct imb_mismatch *mismatch);

#endif
