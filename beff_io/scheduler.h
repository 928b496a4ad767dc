/* The scheduler: rank 0 decides what is written and read next, how often and how long at most, so that the
 * run ends in its time. It sees the machine through function pointers, so that a made-up file system tests it
 * (docs/definition.md 2.2, 2.4). Pure. */
#ifndef BEFF_IO_SCHEDULER_H
#define BEFF_IO_SCHEDULER_H

#include "beff_io/budget.h"
#include "beff_io/record.h"
#include "common/engine.h"

/* One step that all processes of a partition make together: indices, which each resolves from its own task
 * and layouts. */
struct io_command {
    enum io_action { IO_OPEN, IO_PATTERN, IO_CLOSE } action;
    int partition;
    enum io_access access;
    enum io_type type;
    int pattern;         /* IO_PATTERN */
    struct io_stop stop; /* IO_PATTERN */
    int64_t bytes;       /* of opening types 3 and 4 for writing: see io_layout_plan */
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
    int64_t failed_rank; /* lowest; -1: nothing failed; ranks that only heard of it count after all others */
    struct message failure;
};

struct io_scheduler_ops {
    double (*elapsed)(void *context); /* seconds since the run was started */
    /* Carries it out and notes the calls in the layouts; 0, or -1 with what went wrong. */
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
    const struct io_layout *layouts; /* of the partitions, as `perform` updates them */
    struct io_budget budget;
    double resident[IO_MAX_PARTITIONS][IO_TYPES]; /* share of the file after dropping it; -1: not known */
    int stop;                                     /* a signal that came; 0 */
    struct message error;                         /* why the run was not completed */
};

/* Prepares a run of `time` seconds. */
void io_scheduler_make(struct io_scheduler *scheduler, const struct io_scheduler_ops *ops,
                       const struct io_task *task, const struct io_layout *layouts, double time);

/* Writes, rewrites, reads: EXIT_RATED, or EXIT_STOPPED or EXIT_ERRORS with the reason in `error`. */
enum exit_status io_scheduler_run(struct io_scheduler *scheduler);

/* Whether a type has a pattern that is done with an access method; whether that is the last time that its
 * file is written, and the last time that it is needed. */
bool io_type_selected(const struct io_task *task, enum io_type type, enum io_access access);
bool io_is_last_write(const struct io_task *task, enum io_type type, enum io_access access);
bool io_is_last_use(const struct io_task *task, enum io_type type, enum io_access access);

#endif
