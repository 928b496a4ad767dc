/* Generates the contents of messages and files, and compares every received byte with the expected one. The
 * operands of sums are whole numbers that all types represent exactly, so a sum does not depend on the order
 * of its operands. Each 4-byte item of a file is an invertible function of a seed and the item's number, so
 * the position of an item can be computed from its value. */
#ifndef IMB_COMPAT_CHECK_H
#define IMB_COMPAT_CHECK_H

#include "imb_compat/buffers.h"
#include "imb_compat/partners.h"

/* ---- messages ---- */

/* Origin of a received block: message number `message` in the send buffer of process `rank`. The rank is -1
 * if no message was received. */
struct imb_origin {
    int rank, message;
};

/* One process's view of an exchange of messages. */
struct imb_exchange {
    const struct imb_benchmark *benchmark;
    enum imb_type type;
    int rank, size; /* in its group */
    struct imb_neighbours near;
    int neighbours[IMB_MAX_NEIGHBOURS], neighbour_count; /* in a grid */
    struct imb_origin *origins; /* IMB_HOLDS_DRAWN: origin of each block, to be freed; otherwise NULL */
    int64_t items;              /* items in a message */
    int64_t first;              /* number of the first item of this process's part of a buffer */
    int64_t stride;             /* bytes from one item to the next: the type's size, or twice that */
    int places;                 /* windows, random partners: places in the receive buffer, used in turn */
    bool overlaid;              /* IMB_HOLDS_NEIGHBOURS: the second block overwrites the first block */
    int64_t round;              /* the content changes with this number */
    int64_t before;             /* repetitions since the buffer was prepared, except the last one */
};

/* Returns the exchange of process `rank` of a group. */
struct imb_exchange imb_exchange_make(const struct imb_table *table, const struct imb_memory *memory,
                                      int rank);

/* Sets the origins of the messages that a process of a stencil receives, in the order of its neighbours. */
void imb_grid_origins(int dimensions, const int side[], int rank,
                      struct imb_origin origins[IMB_MAX_NEIGHBOURS]);

/* Returns true if the receive buffer is filled like the send buffer before a repetition. */
bool imb_starts_filled(const struct imb_benchmark *benchmark);

/* Fills a send buffer with `items` items. */
void imb_fill(const struct imb_exchange *exchange, char *buffer, int64_t items);

enum {
    IMB_SOURCE_SUM = -1,
    IMB_SOURCE_FILE = -2,
    IMB_SOURCE_NONE = -4,   /* no message was received */
    IMB_SOURCE_MISSING = -3 /* a part of a file is missing or duplicated */
};

struct imb_mismatch {
    int64_t wrong;                 /* number of wrong bytes */
    int64_t position;              /* offset of the first wrong byte in the receive buffer or in the file */
    int source;                    /* rank that sent the first wrong byte, or an IMB_SOURCE_ constant */
    unsigned char expected, found; /* value of the first wrong byte */
};

/* Adds the wrong bytes of `more`. If there were none before, also copies the first one. */
void imb_mismatch_add(struct imb_mismatch *mismatch, const struct imb_mismatch *more);

/* Compares two buffers and adds the number of wrong bytes to `mismatch`. If `mismatch` had no wrong bytes,
 * also records the first one. `position` is the offset of byte 0. */
void imb_compare(const void *expected, const void *found, int64_t bytes, int64_t position, int source,
                 struct imb_mismatch *mismatch);

/* Checks the receive buffer after a repetition that had this root. Adds wrong bytes to `mismatch` like
 * imb_compare(). Checks nothing if the type cannot represent the sum exactly. */
void imb_check(const struct imb_exchange *exchange, const char *buffer, int root,
               struct imb_mismatch *mismatch);

/* ---- files: names, and the part of a file that a process reads or writes (docs/definition-imb.md 8) ---- */

enum { IMB_FILE_ITEM = 4 }; /* size of an item in bytes; portions consist of whole items */

/* The part of a block that a process reads or writes. */
struct imb_portion {
    int64_t offset, bytes;
};

/* Returns the portion of process `rank` of `size` in a block of `x` bytes. Portions are consecutive and
 * consist of whole items, except at the end of the block. If the items cannot be divided evenly, the
 * processes with the lowest ranks get one more item each. */
struct imb_portion imb_portion_of(int64_t x, int rank, int size);

enum { IMB_FILE_NAME_SIZE = 48 };

/* Writes the name of a file in the working directory. `group` is the number of the group, or -1 if there is
 * only one group. `rank` is the rank of the file's process in MPI_COMM_WORLD, or -1 if the file is shared.
 * Async-signal-safe. */
void imb_file_name(char name[IMB_FILE_NAME_SIZE], int group, int rank);

/* The positions of a process's portions in a file. */
struct imb_placing {
    int64_t first;  /* offset of the portion of repetition 0, in bytes */
    int64_t step;   /* bytes from one repetition to the next */
    int64_t stride; /* bytes from one portion of the file view to the next; 0: the view shows all bytes */
    bool any_order; /* several processes share a file pointer: the order of their portions varies */
};

/* Returns the positions for process `rank` of `size`, with blocks of `x` bytes. */
struct imb_placing imb_placing_of(const struct imb_benchmark *benchmark, int64_t x, int rank, int size);

/* ---- contents ---- */

/* Fills a buffer with the content generated from a seed, starting at byte `position` of the content. */
void imb_content_fill(uint32_t seed, int64_t position, char *buffer, int64_t bytes);

/* Compares a buffer with the content generated from a seed, starting at byte `position` of the content. Adds
 * wrong bytes to `mismatch` like imb_compare(), with `at` as the offset of byte 0. */
void imb_content_check(uint32_t seed, int64_t position, const char *buffer, int64_t bytes, int64_t at,
                       struct imb_mismatch *mismatch);

/* Computes the offset of the buffer's bytes in the content from one of their first two items. Returns the
 * offset, or -1 if neither item gives an offset within the first `extent` bytes of the content. */
int64_t imb_content_find(uint32_t seed, const char *buffer, int64_t bytes, int64_t extent);

/* ---- shared file pointers ---- */

/* With a shared file pointer, the order of the portions is arbitrary. The offset of each portion is computed
 * from one of its first two items, and its data are compared with the content at this offset. The total
 * number of bytes and the sum of their offsets show whether a portion is missing or duplicated. */

/* Returns true if every portion of `bytes` bytes contains a whole item, wherever the portion starts in a file
 * that consists of x-byte blocks. */
bool imb_contains_item(int64_t x, int64_t bytes);

struct imb_tally {
    uint64_t bytes;
    uint64_t places; /* sum of the offsets of all bytes, modulo 2^64 */
};

/* Adds a portion of `bytes` bytes at offset `place`. */
void imb_tally_add(struct imb_tally *tally, int64_t place, int64_t bytes);

/* Adds one wrong byte to `mismatch` unless the tally contains each of the first `extent` bytes exactly
 * `times` times. */
void imb_tally_check(const struct imb_tally *tally, int64_t extent, int64_t times,
                     struct imb_mismatch *mismatch);

/* Checks the portion that begins at offset `at` of a file whose x-byte blocks are divided among `size`
 * processes. The buffer contains `available` bytes of the file, from this offset on. Returns the size of the
 * portion. If no portion begins at this offset, counts all bytes up to the next portion as wrong and returns
 * their number. */
int64_t imb_portion_check(uint32_t seed, int64_t x, int size, const char *buffer, int64_t available,
                          int64_t at, struct imb_tally *tally, struct imb_mismatch *mismatch);

#endif
