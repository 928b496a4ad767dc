/* Where every chunk of a file is (docs/definition.md 2.1). Pure. */
#ifndef BEFF_IO_LAYOUT_H
#define BEFF_IO_LAYOUT_H

#include "beff_io/patterns.h"

/* One pattern in its file. */
struct io_place {
    int64_t base;         /* where it starts: in the file; for types 3 and 4, in each process's segment */
    int64_t rank_step;    /* bytes from one process's first chunk to the next one's, ... */
    int64_t chunk_step;   /* ... and from one chunk of a process to its next */
    int64_t disk, memory; /* l and L; of the fill-up: what is left of the segment */
};

/* The files of one partition: the same on all of its processes, as each notes the same calls. */
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
