/* The scheduler: rank 0 decides what is written and read next, how often and how long at most, so that the
 * run ends in its time. It sees the machine through function pointers, so that a made-up file system tests it
 * (docs/definition.md 2.5, 2.6). */
#ifndef BEFF_IO_SCHEDULER_H
#define BEFF_IO_SCHEDULER_H

#include "beff_io/record.h"
#include "common/engine.h"

/* ---- the stop rule of a pattern (docs/definition.md 2.6) ---- */

struct io_stop {
    int64_t max_calls;
    double slice;         /* seconds for all of the pattern */
    double sync_fixed;    /* seconds that its sync is expected to take anyway, ... */
    double sync_per_call; /* ... and for each call */
};

/* What all processes agreed on. */
struct io_progress {
    int64_t calls;
    double elapsed; /* seconds since the pattern began, on the slowest process, ... */
    double looping; /* ... and of these in the loop of calls */
    double cost;    /* seconds that agreeing takes */
};

/* Calls until the next vote; 0: stop. Often enough to keep to the slice, seldom enough to cost nothing. All
 * processes compute the same from the same figures. At least one call is made. */
int64_t io_stop_calls(const struct io_stop *stop, const struct io_progress *progress);

/* ---- what the processes do ---- */

/* One step that all processes of a partition make together. */
struct io_command {
    enum io_action { IO_OPEN, IO_PATTERN, IO_CLOSE } action;
    int partition; /* its index */
    enum io_access access;
    enum io_type type;
    /* IO_PATTERN */
    int pattern;
    struct io_place place;
    int64_t rewritten; /* its calls whose data are the rewrite's */
    struct io_stop stop;
    /* IO_CLOSE */
    int64_t end; /* bytes that the file has at least */
    bool drop;   /* from memory: it is written no more, but read */
    bool remove; /* the file: it is not needed any more */
};

/* Above any share that is known, so that the maximum over the processes keeps it. */
#define IO_RESIDENT_UNKNOWN 2.0

/* What a command gave: of one process or, reduced, of all. */
struct io_measurement {
    struct io_record record; /* calls, bytes, errors, times; the scheduler adds the rest */
    double slowest;          /* seconds of all calls of record.slowest_rank, whose calls took longest */
    int stop;                /* a signal that came to any process, 0 if none did */
    bool full; /* the file system or a quota is full: the calls are those that every process completed */
    /* Of closing after the last write: largest share of the file in a node's memory; -1: nobody looked;
     * IO_RESIDENT_UNKNOWN: some node could not tell. Before dropping it: 0 means that the file system does
     * not use the page cache. */
    double resident_before, resident_after;
    /* Of opening for reading: minimum over the nodes of the partition of the bytes that the node wrote or
     * read since the file's last write, divided by its physical memory. */
    double passed;
    /* Of closing after reading: processes that had the file open with O_DIRECT only, and otherwise; every
     * process read what a process of another kernel had written. */
    bool direct, buffered, elsewhere;
    int64_t failed_rank; /* lowest; -1: nothing failed; ranks that only heard of it count after all others */
    struct message failure;
};

struct io_scheduler_ops {
    double (*elapsed)(void *context); /* seconds since the run was started */
    /* Carries it out; 0, or -1 with what went wrong. */
    int (*perform)(void *context, const struct io_command *command, struct io_measurement *measurement,
                   struct message *error);
    /* Writes one record; 0, or -1 with one line. */
    int (*record)(void *context, const struct io_record *record, struct message *error);
    int64_t (*free_bytes)(void *context); /* on the file system; negative: unknown */
    void *context;
};

struct io_scheduler {
    struct io_scheduler_ops ops;
    const struct io_task *task;
    struct io_layout layouts[IO_MAX_PARTITIONS];  /* of the partitions */
    double resident[IO_MAX_PARTITIONS][IO_TYPES]; /* share of the file after dropping it; -1: not known */
    bool absent[IO_MAX_PARTITIONS][IO_TYPES];     /* no page of the file was in memory after that */

    double stop_at; /* when everything must be done, seconds since the run was started */
    /* Still to be done: U of all patterns, accesses and partitions; of the initial writes alone. */
    int units_left, write_units_left;
    int64_t min_left;                 /* bytes: every pattern once */
    int64_t used;                     /* bytes: what was written initially */
    double sync_fixed, sync_per_byte; /* seconds, as learnt so far */

    int stop;             /* a signal that came; 0 */
    struct message error; /* why the run was not completed */
};

/* Prepares a run of `time` seconds, of which it keeps a reserve for closing and removing. */
void io_scheduler_make(struct io_scheduler *scheduler, const struct io_scheduler_ops *ops,
                       const struct io_task *task, double time);

/* Writes, rewrites, reads: EXIT_OK, or EXIT_STOPPED or EXIT_ERRORS with the reason in `error`. */
enum exit_status io_scheduler_run(struct io_scheduler *scheduler);

#endif
