/* What messages and files hold, and what must have arrived: every byte is compared. Sums are of whole numbers
 * that all types hold exactly, so that they are the same in any order. Every byte of a file can be
 * identified: items of 4 bytes are each a mixture of a seed and its number that can be undone. */
#ifndef IMB_COMPAT_CHECK_H
#define IMB_COMPAT_CHECK_H

#include "imb_compat/partners.h"
#include "imb_compat/settings.h"

/* ---- messages ---- */

/* Where a block came from: a message of a process's send buffer; rank -1: nothing came. */
struct imb_origin {
    int rank, message;
};

/* One process's view of what is exchanged. */
struct imb_exchange {
    const struct imb_benchmark *benchmark;
    enum imb_type type;
    int rank, size; /* in its group */
    struct imb_neighbours neighbours;
    const struct imb_origin *origins; /* IMB_HOLDS_DRAWN: of each block */
    int64_t items;                    /* of one message */
    int64_t first;                    /* the first item of its part of what all have */
    int64_t stride;                   /* bytes from one item to the next: the type's size, or twice that */
    int blocks_apart;                 /* places of a window: IMB_HOLDS_WINDOW */
    bool overlaid;                    /* IMB_HOLDS_NEIGHBOURS: the second block lies on the first */
    int64_t before; /* repetitions since the receive buffer was prepared, before the last one */
};

/* The messages that the buffers of a stencil have for each neighbour: where each of them came from. */
void imb_grid_origins(int dimensions, const int side[], int rank,
                      struct imb_origin origins[IMB_MAX_NEIGHBOURS]);

/* Whether the receive buffer is filled like the send buffer before a repetition. */
bool imb_starts_filled(const struct imb_benchmark *benchmark);

/* Fills a send buffer with `items` items. */
void imb_fill(const struct imb_exchange *exchange, char *buffer, int64_t items);

enum {
    IMB_SOURCE_SUM = -1,
    IMB_SOURCE_FILE = -2,
    IMB_SOURCE_NONE = -4,   /* nothing came */
    IMB_SOURCE_MISSING = -3 /* a part of a file is missing, or there twice */
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
 * first one. Compares nothing if each repetition adds to the buffer and the sum is too large for its type to
 * hold exactly. */
void imb_check(const struct imb_exchange *exchange, const char *buffer, int root,
               struct imb_mismatch *mismatch);

/* ---- files: their names, and the part of each that a process moves (docs/from-imb.md 9) ---- */

enum { IMB_FILE_ITEM = 4 }; /* bytes: portions are whole items */

/* What a process moves of a block of X bytes. */
struct imb_portion {
    int64_t offset, bytes;
};

/* The portion of process `rank` of `size`: they follow one another, in whole items as far as the block goes,
 * the first processes have one item more. */
struct imb_portion imb_portion_of(int64_t x, int rank, int size);

enum { IMB_FILE_NAME_SIZE = 48 };

/* Name of a file in the working directory: of a group (-1: there is but one) and, where every process has its
 * own, of a process by its rank among all (-1: the group's). Async-signal-safe. */
void imb_file_name(char name[IMB_FILE_NAME_SIZE], int group, int rank);

/* How a benchmark places the portions in a file. */
struct imb_placing {
    int64_t first;  /* of repetition 0 */
    int64_t step;   /* from one repetition to the next */
    int64_t stride; /* a view shows every so many bytes a portion; 0: all bytes */
    bool any_order; /* the shared pointer: portions come as the processes come, where two or more move any */
};

/* Of process `rank` of `size`, with blocks of X bytes. */
struct imb_placing imb_placing_of(const struct imb_benchmark *benchmark, int64_t x, int rank, int size);

/* ---- contents ---- */

/* The bytes from `position` on of the content of a seed. */
void imb_content_fill(uint32_t seed, int64_t position, char *buffer, int64_t bytes);

/* Compares; counts wrong bytes in `mismatch`, which keeps the first one, by its place `at` + n. */
void imb_content_check(uint32_t seed, int64_t position, const char *buffer, int64_t bytes, int64_t at,
                       struct imb_mismatch *mismatch);

/* Returns where in the first `extent` bytes of a content these bytes are: the number of one of their first
 * two items says so. -1 if neither names a place. */
int64_t imb_content_find(uint32_t seed, const char *buffer, int64_t bytes, int64_t extent);

/* ---- what goes through a shared pointer: portions in any order, each checked by the place in its first
 * item; the sum and the count of the places of all bytes show missing and doubled portions ---- */

/* Whether portions of so many bytes, of blocks of X bytes, hold a whole item wherever they begin. */
bool imb_places_itself(int64_t x, int64_t bytes);

struct imb_tally {
    uint64_t bytes;
    uint64_t places; /* their sum, modulo 2^64 */
};

void imb_tally_add(struct imb_tally *tally, int64_t place, int64_t bytes);

/* Whether each of the first `extent` bytes was there so many times; if not, one wrong byte is counted. */
void imb_tally_check(const struct imb_tally *tally, int64_t extent, int64_t times,
                     struct imb_mismatch *mismatch);

/* Compares the portion, of an X-byte block of `size` processes, that begins in a file at `at`; `available`
 * bytes from there on are in the buffer. Returns its bytes; where no portion begins, the wrong bytes up to
 * the next one.
 */
int64_t imb_portion_check(uint32_t seed, int64_t x, int size, const char *buffer, int64_t available,
                          int64_t at, struct imb_tally *tally, struct imb_mismatch *mismatch);

#endif
