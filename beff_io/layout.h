/* Where every chunk of a file is (docs/definition.md 2.1). Pure. */
#ifndef BEFF_IO_LAYOUT_H
#define BEFF_IO_LAYOUT_H

#include "beff_io/patterns.h"

/* One pattern in a file. */
struct io_place {
    int64_t base;         /* where it starts: in the file; for types 3 and 4, in each process's segment */
    int64_t rank_step;    /* bytes from one process's first chunk to the next one's, ... */
    int64_t chunk_step;   /* ... and from one chunk of a process to its next */
    int64_t planned;      /* calls of one process that have room (types 3 and 4: the repeat factor) */
    int64_t written;      /* calls that the initial write did; reads cover these */
    int64_t rewritten;    /* calls that the rewrite did */
    int64_t disk, memory; /* l and L; of the fill-up: what is left of the segment */
    bool left_out;        /* not selected: it bounds no repeat factor */
};

/* The files of one partition. */
struct io_layout {
    int64_t processes;
    bool ran[IO_TYPES]; /* the type was written */
    int64_t segment;    /* bytes of a segment; 0: not known yet */
    struct io_place place[IO_PATTERNS];
};

void io_layout_start(struct io_layout *layout, int64_t processes, const struct io_pattern *patterns);

/* Starts a pattern of types 0 to 2 where the one before it ended. */
void io_layout_follow(struct io_layout *layout, const struct io_pattern *patterns, int number);

/* The repeat factor of a pattern of types 3 and 4, from what types 0 to 2 wrote; INT64_MAX: nothing bounds
 * it. */
int64_t io_layout_repeat(const struct io_layout *layout, const struct io_pattern *patterns,
                         const struct io_pattern *pattern);

/* Bases and segment size of types 3 and 4 for `planned[number]` calls of each process. */
void io_layout_segments(struct io_layout *layout, const struct io_pattern *patterns, const int64_t *planned);

/* Offset in the file of disk chunk number `chunk` (counted over all calls) of one rank. */
int64_t io_chunk_offset(const struct io_place *place, int64_t rank, int64_t chunk);

/* Bytes from the start of the file to the end of the last chunk that was written. */
int64_t io_file_end(const struct io_layout *layout, enum io_type type);

#endif
