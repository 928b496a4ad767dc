/* The 43 patterns of b_eff_io and their five types, the access methods, the partitions, and the place of
 * every chunk in its file (docs/definition-beff_io-2.md 3, 4). */
#ifndef BEFF_IO_PATTERNS_H
#define BEFF_IO_PATTERNS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/text.h"

enum io_type { TYPE_SCATTER, TYPE_SHARED, TYPE_SEPARATED, TYPE_SEGMENTED, TYPE_SEG_COLL, IO_TYPES };
enum io_access { ACCESS_WRITE, ACCESS_REWRITE, ACCESS_READ, IO_ACCESSES };

enum {
    IO_PATTERNS = 43,
    IO_UNITS = 64,           /* sum of the time units of all patterns */
    IO_UNITS_SCATTER = 22,   /* time units of type 0 */
    IO_UNITS_SEPARATED = 10, /* time units of type 2 */
    IO_MAX_PARTITIONS = 64,
    IO_MAX_PROCESSES = 100000000
};

struct io_pattern {
    int number;
    enum io_type type;
    int64_t disk, memory; /* chunk size on disk (l), and in memory for each call (L); 0 if `fill` is set */
    int units;            /* time units (U); 0 if the pattern runs exactly once */
    int place;            /* equal in patterns that match across types; -1: no match (pattern 2) */
    bool fill;            /* the pattern fills the rest of the segment */
};

/* Returns M_PART in bytes: memory per process / 128, at least 2 MB, at most 1 GB. */
int64_t io_mpart(int64_t memory_mib);

/* Fills `patterns` in the order of the patterns' numbers. */
void io_patterns(int64_t mpart, struct io_pattern patterns[IO_PATTERNS]);

/* Return the number of a type's first pattern, and the number of patterns of the type. */
int io_first(enum io_type type);
int io_count(enum io_type type);

extern const char *const io_type_names[IO_TYPES], *const io_access_names[IO_ACCESSES];

/* Return the type or access method with this name; IO_TYPES or IO_ACCESSES if there is none. */
enum io_type io_type_find(const char *name);
enum io_access io_access_find(const char *name);

/* Returns true if a type is measured with an access method. Without `rewrite_all`, only type 0 is
 * rewritten. */
bool io_runs(enum io_type type, enum io_access access, bool rewrite_all);

/* Returns the pattern of a type with this `place`; NULL if there is none. */
const struct io_pattern *io_match(const struct io_pattern *patterns, enum io_type type, int place);

/* Returns the pattern of a type that has chunk size number `chunk`, counted from 0 for the smallest chunk on
 * disk. Only the timed patterns that all types have in common are counted. */
enum { IO_CHUNKS = 7 };
const struct io_pattern *io_chunk(const struct io_pattern *patterns, enum io_type type, int chunk);

/* The patterns and access methods of a run: all, or those selected by --types, --patterns and --access. */
struct io_selection {
    bool pattern[IO_PATTERNS], access[IO_ACCESSES];
    bool rewrite_all;
};

struct io_selection io_select_all(bool rewrite_all);

/* Returns true if a run measures a pattern with an access method. */
bool io_selected(const struct io_selection *selection, enum io_access access,
                 const struct io_pattern *pattern);

/* The task of a run, identical on all processes. */
struct io_task {
    uint64_t seed; /* seed of the files' content */
    int64_t mpart; /* M_PART in bytes */
    struct io_pattern patterns[IO_PATTERNS];
    int64_t partitions[IO_MAX_PARTITIONS]; /* number of processes of each partition */
    int64_t nodes[IO_MAX_PARTITIONS];      /* number of nodes of each partition; 0: as many as possible */
    int partition_count;
    struct io_selection selection;
    int64_t max_bytes; /* maximum size of all files together */
    bool evict;        /* the nodes evict their caches before the first read */
};

/* Returns the number of bytes that a process transfers in one call. For a pattern that fills its segment,
 * returns an upper bound of 1 MiB. */
int64_t io_call_bytes(const struct io_pattern *pattern);

/* Returns the minimum number of bytes that a run writes: one call of every selected pattern on every process
 * of every partition. */
int64_t io_min_bytes(const struct io_task *task);

/* Returns the sum of U over all patterns and access methods: 150, or 192 with `rewrite_all`. */
int io_units(bool rewrite_all);

/* Returns a pattern's slice in seconds, as the paper defines it: T / partitions * U / (sum of U over the
 * access methods that run) (docs/definition-beff_io-2.md 5). */
double io_scheduled(double time, int partitions, int units, bool rewrite_all);

/* Sets the partitions of a task. `list` is a comma-separated list of numbers of processes, or of
 * NODESxPROCESSES (processes on each node); its order is kept. If `list` is NULL, uses the default
 * partitions (at most three) in ascending order. */
int io_partitions(struct io_task *task, int64_t processes, const char *list, struct message *error);

/* ---- files ---- */

/* The place of one pattern in its file. All members are in bytes. */
struct io_place {
    int64_t base;         /* start in the file or, for types 3 and 4, in each process's segment */
    int64_t rank_step;    /* distance between the first chunks of consecutive ranks */
    int64_t chunk_step;   /* distance between consecutive chunks of a process */
    int64_t disk, memory; /* l and L; if the pattern fills its segment, both are the rest of the segment */
};

/* The files of one partition. */
struct io_layout {
    const struct io_task *task;
    int64_t processes;
    int64_t calls[IO_ACCESSES][IO_PATTERNS]; /* number of calls that each process made */
    int64_t planned[IO_PATTERNS]; /* for types 3 and 4: number of calls that fit into the segment */
    bool has_plan;                /* `planned` is set */
};

/* Returns the place of a pattern, which depends on the calls of the preceding patterns. */
struct io_place io_layout_place(const struct io_layout *layout, int pattern);

/* Returns the amount by which one call of a pattern (types 0 to 2) raises the limit that the pattern sets for
 * the repeat factor of the matching patterns in types 3 and 4. */
int64_t io_repeats_per_call(const struct io_pattern *pattern);

/* Returns the repeat factor of a pattern (types 3 and 4), computed from the calls of the matching patterns in
 * types 0 to 2; INT64_MAX if no matching pattern was written. */
int64_t io_layout_repeat(const struct io_layout *layout, int pattern);

/* Returns the sum of U over the patterns of types 3 and 4 that the run writes. */
int io_segment_units(const struct io_task *task);

/* Plans the segments of types 3 and 4, unless they have already been planned. Each pattern gets one call; all
 * further calls together write at most `bytes`, summed over patterns and processes. */
void io_layout_plan(struct io_layout *layout, int64_t bytes);

/* Returns the file offset of a rank's disk chunk number `chunk`, counted from 0 over all calls of the
 * pattern. */
int64_t io_chunk_offset(const struct io_place *place, int64_t rank, int64_t chunk);

/* Returns the number of bytes from the start of the file to the end of the last chunk that was written; 0 if
 * nothing was written. */
int64_t io_file_end(const struct io_layout *layout, enum io_type type);

#endif
