/* The communication patterns of b_eff and their message sizes (docs/definition.md 1.4, 1.5): one table, from
 * which the list of a run with P processes is made. A process learns its neighbours by computing them;
 * nothing is communicated. Pure. */
#ifndef BEFF_PATTERNS_H
#define BEFF_PATTERNS_H

#include <stdbool.h>
#include <stdint.h>

#include "beff/partition.h"
#include "common/random.h"

enum { BEFF_SIZES = 21, BEFF_FIXED_SIZES = 13 };

/* Messages of Lmax, and spare bytes of each, that an area of message buffers holds (docs/definition.md 1.7).
 */
enum { BEFF_AREA_MESSAGES = 6, BEFF_AREA_MARGIN = 16 };

/* Lmax in bytes: memory per process / 128, at most 128 MiB. memory_mib >= 1. */
int64_t beff_lmax(int64_t memory_mib);

/* 1, 2, 4 ... 4096 B, then round(4096 * a^k), k = 1..8, with 4096 * a^8 = lmax; ascending, sizes[20] = lmax.
 */
void beff_sizes(int64_t lmax, int64_t sizes[BEFF_SIZES]);

/* Bytes of one of the two areas, for sending and for receiving, through which a process walks. */
int64_t beff_area(int64_t lmax);

/* Bytes of the counts and places of messages that Alltoallv takes from each process: the one thing of a
 * process that grows with their number. */
int64_t beff_counts(int64_t processes);

enum pattern_kind { PATTERN_RING, PATTERN_RANDOM, PATTERN_ANALYSIS };

/* A rating takes PATTERN_MIN_POLYGONS at least, or as many as were asked for; a valid one
 * PATTERN_VALID_POLYGONS
 * (docs/definition.md 1.8). */
enum {
    PATTERN_ID_SIZE = 24,
    PATTERN_LABEL_SIZE = 64,
    PATTERN_MIN_POLYGONS = 6,
    PATTERN_VALID_POLYGONS = 30,
    PATTERN_MAX_POLYGONS = 999,
    PATTERN_MAX_CLASSES = 32, /* of patterns: see struct pattern */
    PATTERN_MAX = PATTERN_MAX_POLYGONS + PATTERN_MAX_CLASSES
};

struct pattern_row; /* the table's row behind a pattern */

struct pattern {
    char id[PATTERN_ID_SIZE];       /* unique: the `pattern` column of records */
    char label[PATTERN_LABEL_SIZE]; /* for people */
    enum pattern_kind kind;
    bool rated;
    bool sendrecv_only;          /* measured with the method Sendrecv alone (ping-pong) */
    int axes;                    /* neighbour pairs a process can have: 1, or up to 3 in a Cartesian grid */
    int64_t messages;            /* M: messages of all processes together in one iteration */
    int number;                  /* of the ring (1..6) or of the polygon (1..) */
    int64_t processes;           /* of the list */
    uint64_t seed;               /* of the list */
    int class;                   /* patterns that take alike: the polygons are one class, others one each */
    struct ring_partition rings; /* of ring patterns; one ring of all for polygons and the worst cycle */
    struct cartesian grid;       /* of Cartesian patterns */
    const struct pattern_row *row;
};

/* The patterns of a run and their message sizes. */
struct pattern_list {
    int64_t processes;
    int64_t sizes[BEFF_SIZES]; /* bytes, ascending; the last one is Lmax */
    uint64_t seed;
    int polygons;      /* that were asked for */
    unsigned left_out; /* methods that are not measured: see methods_left_out() */
    int count, classes;
    struct pattern *patterns;
};

/* The neighbours of one process in one pattern: for each axis a left and a right rank, -1 where there is
 * none. */
struct neighbours {
    int axes;
    int64_t left[CARTESIAN_MAX], right[CARTESIAN_MAX];
};

/* All patterns for `processes` >= 2: 6 rings, `polygons` random polygons of `seed`, the analysis patterns
 * that exist for this number (a Cartesian direction of extent 1 is left out), with sizes up to `lmax` bytes.
 */
void patterns_make(struct pattern_list *list, int64_t processes, int polygons, uint64_t seed, int64_t lmax);

void patterns_free(struct pattern_list *list);

/* The neighbours of `rank`. A random polygon is shuffled for this: O(P) time and 4 P bytes of memory while it
 * lasts. */
void pattern_neighbours(const struct pattern *pattern, int64_t rank, struct neighbours *neighbours);

/* Returns how many messages the process sends to other nodes in one iteration. `is_here` returns whether a
 * rank is on the process's node. */
int neighbours_leaving(const struct neighbours *neighbours, bool (*is_here)(const void *node, int64_t rank),
                       const void *node);

/* Polygons of the opening: the first ones, PATTERN_MIN_POLYGONS of them or all. */
int patterns_opening(const struct pattern_list *list);

/* Index of the pattern with this id, -1 if there is none. */
int pattern_find(const struct pattern_list *list, const char *id);

/* Index of the message size, -1 if there is none of so many bytes. */
int pattern_find_size(const struct pattern_list *list, int64_t bytes);

#endif
