/* The communication patterns and message sizes of b_eff (docs/definition-beff-1.md 2, 3). One table gives the
 * list of patterns for P processes. Each process computes its own neighbours, without communication. */
#ifndef BEFF_PATTERNS_H
#define BEFF_PATTERNS_H

#include <stdbool.h>
#include <stdint.h>

#include "beff/partition.h"
#include "common/random.h"

enum { BEFF_SIZES = 21, BEFF_FIXED_SIZES = 13 };

/* An area of message buffers holds BEFF_AREA_MESSAGES messages of Lmax + BEFF_AREA_MARGIN bytes
 * (docs/definition-beff-1.md 5). */
enum { BEFF_AREA_MESSAGES = 6, BEFF_AREA_MARGIN = 16 };

/* Returns Lmax in bytes: memory per process / 128, at most 128 MiB. memory_mib >= 1. */
int64_t beff_lmax(int64_t memory_mib);

/* Sets the message sizes in bytes, ascending: 1, 2, 4 ... 4096, then round(4096 * a^k) for k = 1..8, with
 * 4096 * a^8 = lmax. */
void beff_sizes(int64_t lmax, int64_t sizes[BEFF_SIZES]);

/* Returns the bytes of an area of message buffers. Each process has one area for sending and one for
 * receiving. */
int64_t beff_area(int64_t lmax);

/* Returns the bytes of the counts and displacements that each process needs for Alltoallv. They are the only
 * memory that grows with the number of processes. */
int64_t beff_counts(int64_t processes);

/* PATTERN_ALONE: two processes send each other `number` messages each, and all others are idle. */
enum pattern_kind { PATTERN_RING, PATTERN_RANDOM, PATTERN_ANALYSIS, PATTERN_ALONE };

/* A rating needs PATTERN_MIN_POLYGONS polygons, or all if fewer were requested. A valid rating needs
 * PATTERN_VALID_POLYGONS (docs/definition-beff-1-schedule.md 3). */
enum {
    PATTERN_ID_SIZE = 24,
    PATTERN_LABEL_SIZE = 64,
    PATTERN_MIN_POLYGONS = 6,
    PATTERN_VALID_POLYGONS = 30,
    PATTERN_MAX_POLYGONS = 999,
    PATTERN_MAX_CLASSES = 32, /* see `class` in struct pattern */
    PATTERN_MAX = PATTERN_MAX_POLYGONS + PATTERN_MAX_CLASSES
};

struct pattern_family; /* the pattern's row in the table */

struct pattern {
    char id[PATTERN_ID_SIZE];       /* unique name, in the column `pattern` of the records */
    char label[PATTERN_LABEL_SIZE]; /* readable name */
    enum pattern_kind kind;
    bool rated;
    bool sendrecv_only; /* measured with only the method Sendrecv (ping-pong) */
    bool inside;        /* PATTERN_ALONE: the two processes are on the same node */
    int axes;           /* maximum pairs of neighbours: 1, or up to 3 in a Cartesian grid */
    int64_t messages;   /* M: messages of all processes in one iteration */
    int number;         /* number of the ring pattern (1..6) or of the polygon (1..); messages of a pair */
    int64_t processes;  /* the list's number of processes */
    uint64_t seed;      /* the list's seed */
    int class;          /* patterns of a class take the same time: all polygons, or one other pattern */
    struct ring_partition rings; /* partition of a ring pattern; one ring for polygons and the worst cycle */
    struct cartesian grid;       /* grid of a Cartesian pattern */
    const int32_t *order;        /* the list's order */
    const struct pattern_family *row;
};

/* The patterns of a run and their message sizes. */
struct pattern_list {
    int64_t processes;
    int64_t sizes[BEFF_SIZES]; /* message sizes in bytes, ascending; the last size is Lmax */
    uint64_t seed;
    int polygons;         /* requested number of polygons */
    const int32_t *order; /* [place]: rank, for the neighbours in net rings */
    unsigned skipped;     /* methods that are skipped: see methods_skipped() */
    int count, classes;
    int alone; /* number of PATTERN_ALONE, which follow the `count` other patterns */
    struct pattern *patterns;
};

/* The neighbours of one process in one pattern: a left and a right rank for each axis; -1: none. */
struct neighbours {
    int axes;
    int64_t left[CARTESIAN_MAX], right[CARTESIAN_MAX];
};

/* Makes the list of all patterns for `processes` >= 2, with sizes up to `lmax` bytes: 6 rings, `polygons`
 * random polygons drawn from `seed`, and the analysis patterns that exist for this number of processes (a
 * Cartesian direction of extent 1 is skipped). */
void patterns_make(struct pattern_list *list, int64_t processes, int polygons, uint64_t seed, int64_t lmax);

/* Adds the ring partitions over another order of the ranks, as the analysis patterns net-ring-1 to 6, to a
 * list for several nodes. `order` must outlive all calls of pattern_neighbours(); NULL if there are none. */
void patterns_add_net_rings(struct pattern_list *list, const int32_t *order);

/* Adds the pairs that are measured alone, to the complete list of a run on `nodes` nodes: between two nodes
 * and inside a node, if the run has such messages, with the messages of each ring size of the rings. Their
 * neighbours are not known to the list. */
void patterns_add_alone(struct pattern_list *list, int64_t nodes);

/* Returns the number of messages that a process sends in an iteration of a rated pattern: 1 if all rings have
 * two members, otherwise 2. */
int pattern_sends(const struct pattern *pattern);

/* Sorts the ranks by their number within their node, and then by node. node[rank] is the number of the rank's
 * node, from 0. The result is a list of ranks. */
void patterns_order(const int32_t *node, int32_t processes, int32_t *order);

void patterns_free(struct pattern_list *list);

/* Computes the neighbours of `rank`. For a random polygon this shuffles all ranks: O(P) time, and 4 P bytes
 * of memory during the call. */
void pattern_neighbours(const struct pattern *pattern, int64_t rank, struct neighbours *neighbours);

/* Returns the number of messages that `rank` sends to other nodes in one iteration. node[rank] is the number
 * of a rank's node; NULL: a node has `per_node` consecutive ranks. */
int neighbours_leaving(const struct neighbours *neighbours, int64_t rank, const int32_t *node,
                       int64_t per_node);

/* Returns the number of polygons in the opening: PATTERN_MIN_POLYGONS, or all if fewer were requested. */
int patterns_opening(const struct pattern_list *list);

/* Returns the index of the pattern with this id, or -1. */
int pattern_find(const struct pattern_list *list, const char *id);

/* Returns the index of the message size of `bytes`, or -1. */
int pattern_find_size(const struct pattern_list *list, int64_t bytes);

#endif
