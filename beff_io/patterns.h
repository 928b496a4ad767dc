/* The 43 patterns of b_eff_io in five types, the access methods, the partitions, and where every chunk is in
 * its file (docs/definition.md 2.4, 2.5). */
#ifndef BEFF_IO_PATTERNS_H
#define BEFF_IO_PATTERNS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/text.h"

enum io_type { TYPE_SCATTER, TYPE_SHARED, TYPE_SEPARATED, TYPE_SEGMENTED, TYPE_SEG_COLL, IO_TYPES };
enum io_access { ACCESS_WRITE, ACCESS_REWRITE, ACCESS_READ, IO_ACCESSES };

enum {
    IO_PATTERNS = 43,
    IO_UNITS = 64,         /* sum of the time units of all patterns */
    IO_UNITS_SCATTER = 22, /* of these, of type 0 */
    IO_UNITS_SEPARATED = 10,
    IO_MAX_PARTITIONS = 64
};

struct io_pattern {
    int number;
    enum io_type type;
    int64_t disk, memory; /* l: chunk on disk; L: chunk in memory, per call; 0: fills the segment up */
    int units;            /* U; 0: runs exactly once */
    int place; /* the same in all types for patterns that match; -1: there is none that matches (no. 2) */
    bool fill; /* fills the segment up */
};

/* M_PART in bytes for this much memory per process: memory / 128, at least 2 MB, at most 1 GB. */
int64_t io_mpart(int64_t memory_mib);

/* The patterns in their order. */
void io_patterns(int64_t mpart, struct io_pattern patterns[IO_PATTERNS]);

/* First pattern of a type, and how many it has. */
int io_first(enum io_type type);
int io_count(enum io_type type);

extern const char *const io_type_names[IO_TYPES], *const io_access_names[IO_ACCESSES];

/* IO_TYPES, IO_ACCESSES if there is none of that name. */
enum io_type io_type_find(const char *name);
enum io_access io_access_find(const char *name);

/* Whether a type takes part in an access method: without `rewrite_all` only type 0 is rewritten. */
bool io_runs(enum io_type type, enum io_access access, bool rewrite_all);

/* The pattern of a type at a place in its list; NULL: there is none. */
const struct io_pattern *io_match(const struct io_pattern *patterns, enum io_type type, int place);

/* Number `chunk` of those patterns of a type that match in all types, by ascending chunk on disk. */
enum { IO_CHUNKS = 7 };
const struct io_pattern *io_chunk(const struct io_pattern *patterns, enum io_type type, int chunk);

/* What a run does: everything, or what --types, --patterns and --access leave of it. */
struct io_selection {
    bool pattern[IO_PATTERNS], access[IO_ACCESSES];
    bool rewrite_all;
};

struct io_selection io_select_all(bool rewrite_all);

/* Whether a pattern is done with an access method. */
bool io_selected(const struct io_selection *selection, enum io_access access,
                 const struct io_pattern *pattern);

/* What a run does, the same on all its processes. */
struct io_task {
    uint64_t seed; /* of the files' content */
    int64_t mpart; /* bytes */
    struct io_pattern patterns[IO_PATTERNS];
    int64_t partitions[IO_MAX_PARTITIONS]; /* processes of each */
    int partition_count;
    struct io_selection selection;
    int64_t max_bytes; /* of all files */
};

/* Bytes of one call of a process. A fill-up's are known later: less than 1 MiB. */
int64_t io_call_bytes(const struct io_pattern *pattern);

/* Minimum of bytes that a run writes: every selected pattern once, in all partitions. */
int64_t io_min_bytes(const struct io_task *task);

/* Time units of all access methods: 150, or 192 with `rewrite_all`. */
int io_units(bool rewrite_all);

/* The slice of the definition (2.4), seconds: T / partitions * U / (sum of U of the access methods that run).
 */
double io_scheduled(double time, int partitions, int units, bool rewrite_all);

/* Numbers of processes of the partitions, ascending. `list` NULL: the three default ones; otherwise numbers
 * separated by commas, in their order. Returns how many; 0 with an error that says what is allowed. */
int io_partitions(int64_t processes, const char *list, int64_t partitions[IO_MAX_PARTITIONS],
                  struct message *error);

/* ---- files ---- */

/* One pattern in its file. */
struct io_place {
    int64_t base;         /* where it starts: in the file; for types 3 and 4, in each process's segment */
    int64_t rank_step;    /* bytes from one process's first chunk to the next one's, ... */
    int64_t chunk_step;   /* ... and from one chunk of a process to its next */
    int64_t disk, memory; /* l and L; of the fill-up: what is left of the segment */
};

/* The files of one partition. */
struct io_layout {
    const struct io_task *task;
    int64_t processes;
    int64_t written[IO_PATTERNS], rewritten[IO_PATTERNS]; /* calls of each process */
    int64_t planned[IO_PATTERNS];                         /* of types 3 and 4: calls that have room */
    bool has_plan;                                        /* for types 3 and 4 */
};

void io_layout_start(struct io_layout *layout, const struct io_task *task, int partition);

/* Keeps how many calls each process made. */
void io_layout_note(struct io_layout *layout, enum io_access access, int pattern, int64_t calls);

/* Where a pattern is, from what was noted of those before it. */
struct io_place io_layout_place(const struct io_layout *layout, int pattern);

/* Calls of a pattern that have room in its file; -1: as many as come (types 0 to 2). */
int64_t io_layout_room(const struct io_layout *layout, int pattern);

/* Calls of the matching patterns of types 3 and 4 that each call of a pattern of types 0 to 2 allows. */
int64_t io_repeats(const struct io_pattern *pattern);

/* The repeat factor of a pattern of types 3 and 4, from what types 0 to 2 wrote; INT64_MAX: nothing bounds
 * it. */
int64_t io_layout_repeat(const struct io_layout *layout, int pattern);

/* U of the patterns of types 3 and 4 that are written. */
int io_segment_units(const struct io_task *task);

/* Plans the segments of types 3 and 4, once, so that they take at most `bytes` more than each pattern's first
 * calls, for all processes together. */
void io_layout_plan(struct io_layout *layout, int64_t bytes);

/* Offset in the file of disk chunk number `chunk` (counted over all calls) of one rank. */
int64_t io_chunk_offset(const struct io_place *place, int64_t rank, int64_t chunk);

/* Bytes from the start of the file to the end of the last chunk that was written; 0: nothing was. */
int64_t io_file_end(const struct io_layout *layout, enum io_type type);

#endif
