/* The conductor: decides on rank 0 what is written and read next, where, how often at most and how long, so
 * that the run ends in its time; all processes follow. The world comes in as function pointers, so that a
 * made-up file system tests it (docs/definition.md 2.2, 2.4). Pure. */
#ifndef BEFF_IO_CONDUCTOR_H
#define BEFF_IO_CONDUCTOR_H

#include "beff_io/budget.h"
#include "beff_io/layout.h"
#include "beff_io/record.h"
#include "common/engine.h"

/* One step that all processes make together. */
struct io_order {
    enum io_action { IO_ACTION_OPEN, IO_ACTION_PATTERN, IO_ACTION_CLOSE } action;
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
    int64_t end; /* bytes that the file must have at least; of type 2: of each process */
    /* Of closing after the last write access, and of opening files of an earlier run: drop the file's pages
     * on every node, and look. */
    bool drop_cache;
    bool last_use; /* the file is not needed any more */
};

struct io_outcome {
    struct io_record
        record;     /* what was measured, in its members of times, calls, bytes, errors and processes */
    int stop;       /* a signal that came to any process, 0 if none did */
    bool full;      /* the file system or a quota is full: the calls are those that every process completed */
    double slowest; /* of a pattern: seconds of all calls of the process whose calls took longest */
    /* Of closing with drop_cache: largest share of the file in a node's memory; -1: not known. Before: 0
     * means that the file system does not use the page cache. */
    double resident_before, resident_after;
    /* Of opening for reading: least over the nodes of the partition, bytes that the node wrote or read since
     * the file's last write, divided by its physical memory. */
    double passed;
};

struct io_conductor_world {
    double (*elapsed)(void *context); /* seconds since the run was started */
    /* Does it; 0, or -1 with what went wrong. */
    int (*perform)(void *context, const struct io_order *order, struct io_outcome *outcome,
                   struct message *error);
    /* Keeps one record. `expected`: seconds from start to end. */
    int (*record)(void *context, const struct io_record *record, double expected, struct message *error);
    int64_t (*free_bytes)(void *context); /* on the file system; negative: unknown */
    void *context;
};

struct io_conductor {
    struct io_conductor_world world;
    const struct io_task *task;
    struct io_budget budget;
    /* For --reread those of the files that an earlier run left; these are dropped from the page cache when
     * they are opened. */
    struct io_layout layout[IO_MOST_PARTITIONS];
    double resident[IO_MOST_PARTITIONS][IO_TYPES]; /* share of the file after dropping it; -1: not known */
    bool short_of_bytes[IO_PATTERNS]; /* of types 3 and 4 of this partition: fewer calls than may repeat */
    int64_t probe_errors;             /* wrong words found while looking ahead */
    int stop;                         /* a signal that came; 0 */
    struct message error;             /* why the run did not come to its end */
};

/* Prepares a run; the figures as in io_budget_make. */
void io_conductor_make(struct io_conductor *conductor, const struct io_conductor_world *world,
                       const struct io_task *task, double stop_at, double cache, bool adapt);

/* Writes, rewrites, reads: EXIT_RATED, or EXIT_STOPPED or EXIT_ERRORS with the reason in `error`. */
enum exit_status io_conductor_run(struct io_conductor *conductor);

/* How many calls of a pattern follow until the processes agree again on going on, 0: stop. Often enough to
 * keep the slice, seldom enough to cost nothing (docs/definition.md 2.4): all compute the same from the same
 * agreed figures. `done` calls took `seconds` on the slowest process; agreeing costs `cost` seconds. At least
 * one call is made. */
int64_t io_order_calls(const struct io_order *order, int64_t done, double seconds, double cost);

#endif
