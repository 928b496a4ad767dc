/* The content of the files (docs/definition-beff_io-2.md 9).
 *
 * The area of random words is divided into slots of L bytes (the size of a call), so that data are
 * page-aligned if L is a multiple of the page size. Call k takes its data from slot k modulo the number of
 * slots. Stamps depend on the offset in the file, so no two 4 KiB blocks on disk are equal, within a run or
 * between runs. Words are stored in the machine's byte order. */
#ifndef BEFF_IO_CONTENT_H
#define BEFF_IO_CONTENT_H

#include "beff_io/patterns.h"

/* Distance between two stamps in a chunk, and minimum size of the area, in bytes. */
enum { CONTENT_STEP = 2048, CONTENT_AREA = 8 << 20 };

/* The data that one process writes and reads in one pattern. */
struct content {
    uint64_t words, stamps; /* keys of the random words for the area and for the stamps */
    const struct io_place *place;
    int64_t rank, slots;
};

/* Returns the content of a pattern. `place` must outlive the result. */
struct content content_of(uint64_t seed, bool rewritten, int pattern, int64_t processes, int64_t rank,
                          const struct io_place *place);

/* Returns the size in bytes of the area for calls of up to `memory` bytes. */
int64_t content_area(int64_t memory);

/* Fills the area for a pattern. */
void content_fill(const struct content *content, char *area);

/* Stamps the data of a call in the area and returns a pointer to them. */
const char *content_stamp(const struct content *content, char *area, int64_t call);

/* One wrong word. */
struct content_mismatch {
    int64_t call;   /* number of the call that read the word */
    int64_t offset; /* offset of the word in the file */
    uint64_t expected, found;
};

enum { CONTENT_ENDS = 16 }; /* size of the first and the last word of a disk chunk in bytes */

/* Returns the number of bytes to keep of each call for its check: its data if `all` is set, else the ends of
 * its disk chunks. */
int64_t content_kept(const struct content *content, bool all);

/* Copies the first and the last word of every disk chunk of a call. */
void content_keep(const struct content *content, const char *data, char *ends);

/* Compares the kept data of a call with the data that were written: the first and last word of every disk
 * chunk, or all words if `all` is set. Calls `report` for each wrong word. */
void content_check(const struct content *content, int64_t call, const char *data, bool all,
                   void (*report)(void *context, const struct content_mismatch *mismatch), void *context);

#endif
