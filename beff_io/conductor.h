/* The conductor: decides on rank 0 what is written and read next, where, how often at most and how long, so
 * that the run ends in its time; all processes follow. The world comes in as function pointers, so that a
 * made-up file system tests it (beff_io sections 2 and 4). Pure. */
#ifndef BEFF_IO_CONDUCTOR_H
#define BEFF_IO_CONDUCTOR_H

#include "beff_io/layout.h"
#include "beff_io/record.h"
#include "common/text.h"

/* One step that all processes make together. */
struct io_order {
    enum io_action { IO_ACTION_OPEN, IO_ACTION_PATTERN, IO_ACTION_CLOSE, IO_ACTION_END } action;
    enum io_access access;
    enum io_type type;
    int64_t processes; /* of the partition */
    bool probe;        /* not a file of the patterns: for a look ahead */
    /* Of a pattern. */
    struct io_pattern pattern;
    struct io_place place; /* where it is; disk and memory of the fill-up */
    int64_t most;          /* calls at most */
    double slice;          /* seconds for calls and sync */
    double sync_per_call;  /* seconds that a call adds to the sync, and ... */
    double sync_fixed;     /* ... what it takes anyway, as learnt so far */
    /* Of closing. */
    int64_t end;     /* bytes that the file must have at least; of type 2: of each process */
    bool drop_cache; /* this was the last write access before the reads */
    bool last_use;   /* the file is not needed any more */
    int status;      /* of the end */
};

struct io_outcome {
    double t_open, t_calls, t_vote, t_sync, t_close; /* mean over the processes */
    double t_view;                                   /* slowest process: setting the view */
    double t_total;    /* slowest process: of a pattern from first call to end of sync; of opening, closing */
    double t_excluded; /* largest */
    int64_t calls, bytes, errors;
    int stop; /* a signal that came to any process, 0 if none did */
};

struct io_conductor_world {
    double (*elapsed)(void *context); /* seconds since the run was started */
    /* Does it; 0, or -1 with what went wrong. */
    int (*perform)(void *context, const struct io_order *order, struct io_outcome *outcome,
                   struct message *error);
    int (*record)(void *context, const struct io_record *record, struct message *error);
    int64_t (*free_bytes)(void *context); /* on the file system; negative: unknown */
    void (*progress)(void *context, const struct io_record *last, double expected);
    void *context;
};

enum io_end { IO_END_COMPLETE, IO_END_STOPPED, IO_END_FAILED };

struct io_conductor {
    struct io_conductor_world world;
    const struct io_pattern *patterns;
    int64_t partitions[IO_MOST_PARTITIONS];
    int partition_count;
    struct io_layout layout[IO_MOST_PARTITIONS];
    bool rewrite_all;
    int64_t max_bytes;
    double stop_at; /* elapsed() at which everything must be done */
    /* Bytes of files that fit in memory: reads of so much take less than their time; 0: never expect that. */
    double memory;
    double cache; /* bytes of files that can be in memory at all: removing these takes time */

    /* Share of its scheduled time that an access method is expected to need; 1: all of it. */
    double need[IO_MOST_PARTITIONS][IO_ACCESSES];
    int units_left[IO_MOST_PARTITIONS][IO_ACCESSES]; /* of what is still to be done */
    /* Time of rewriting and reading a byte by that of writing it, as seen beforehand; 0: not known. */
    double ratio[IO_MOST_PARTITIONS][IO_ACCESSES];
    double written, writing; /* bytes and seconds of initial writes so far */
    /* Seconds that a type takes beside its timed patterns, and types still to be done. */
    double beside[IO_MOST_PARTITIONS];
    double excluded_per_byte; /* checking what was read, and removing the file */
    double unread;            /* bytes that were written and not yet read */
    int types_left[IO_MOST_PARTITIONS];
    double sync_fixed[IO_ACCESSES], sync_per_byte[IO_ACCESSES];
    int64_t probe_errors; /* wrong words found while looking ahead */
    int stop;
    struct message error;
};

/* Prepares a run that writes at most `max_bytes` and ends at `stop_at`, on nodes that can hold `cache` bytes
 * of files in memory. With `adapt` time that reads from there will not need goes to the writes; without it
 * the schedule is the definition's. */
void io_conductor_make(struct io_conductor *conductor, const struct io_conductor_world *world,
                       const struct io_pattern *patterns, const int64_t *partitions, int partition_count,
                       bool rewrite_all, int64_t max_bytes, double stop_at, double cache, bool adapt);

/* Writes, rewrites, reads. */
enum io_end io_conductor_run(struct io_conductor *conductor);

/* Bytes that a run writes at least: every pattern once, in all partitions. */
int64_t io_least_bytes(const struct io_pattern *patterns, const int64_t *partitions, int partition_count);

/* Calls of a process that a pattern may make at most in a partition, so that the whole run writes at most
 * `max_bytes`: each once, the rest shared by U. */
int64_t io_most_calls(const struct io_conductor *conductor, const struct io_pattern *pattern,
                      int64_t processes);

/* The slice of the definition: T / partitions * U / (sum of U of the access methods that run). */
double io_scheduled(double time, int partitions, int units, bool rewrite_all);

#endif
