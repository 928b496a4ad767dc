/* What every chunk of a file contains (docs/definition.md 2.10).
 *
 * A process fills an area with random words once per pattern, outside the clock. Calls take their data from
 * it in turn: call k from slot k modulo the number of slots, L bytes each, so that buffers are page-aligned
 * wherever L is a multiple of the page size. Inside the clock each disk chunk gets stamps: its first and last
 * word and one every CONTENT_STEP bytes. Area and stamps depend on seed, access (initial write or rewrite),
 * pattern, partition and rank; stamps also on the offset in the file. So no two blocks of 4 KiB on disk are
 * equal, and none equals a block of another run. Words are stored in the machine's byte order. */
#ifndef BEFF_IO_CONTENT_H
#define BEFF_IO_CONTENT_H

#include "beff_io/patterns.h"

enum { CONTENT_STEP = 2048, CONTENT_AREA = 8 << 20 };

/* The data of one pattern of one process. */
struct content {
    uint64_t words, stamps; /* keys */
    const struct io_place *place;
    int64_t rank, slots;
};

/* The place must live as long. */
struct content content_of(uint64_t seed, bool rewritten, int pattern, int64_t processes, int64_t rank,
                          const struct io_place *place);

/* Bytes of the area for calls of up to `memory` bytes. */
int64_t content_area(int64_t memory);

/* Fills the area for a pattern. */
void content_fill(const struct content *content, char *area);

/* Stamps the data of a call; where they start in the area. */
const char *content_stamp(const struct content *content, char *area, int64_t call);

/* One wrong word. */
struct content_mismatch {
    int64_t call, offset; /* which read it; in the file */
    uint64_t expected, found;
};

/* Compares what was read in a call with what was written: the first and last word of every disk chunk, or all
 * words. `report` gets each wrong word. */
void content_check(const struct content *content, int64_t call, const char *data, bool all,
                   void (*report)(void *context, const struct content_mismatch *mismatch), void *context);

#endif
