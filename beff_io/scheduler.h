/* The scheduler decides on rank 0 which pattern is written or read next, and with which limits of time and
 * bytes, so that the run ends within T (docs/definition-beff_io-2.md 4, 5). It writes the records to the
 * protocol. Clock and file system are function pointers, so that tests can simulate them. */
#ifndef BEFF_IO_SCHEDULER_H
#define BEFF_IO_SCHEDULER_H

#include "beff_io/record.h"
#include "common/engine.h"
#include "common/histogram.h"

/* ---- the stop rule of a pattern (docs/definition-beff_io-2.md 5) ---- */

struct io_stop {
    int64_t max_calls;
    double slice;         /* seconds for the whole pattern, including its sync */
    double sync_fixed;    /* fixed part of the expected time of the sync in seconds */
    double sync_per_call; /* additional expected time of the sync for each call in seconds */
};

/* The progress of a pattern, as agreed by all processes. */
struct io_progress {
    int64_t calls;
    double elapsed; /* seconds since the command began, on the slowest process */
    double looping; /* seconds since the loop of calls began, on the slowest process */
    double cost;    /* time of one vote in seconds */
};

/* Returns the number of calls until the next vote, in which all processes agree on their progress; 0 to stop.
 * Votes are frequent enough to keep the pattern within its slice, and rare enough to cost at most 1 % of the
 * time. Every pattern makes at least one call. All processes pass the same progress and therefore compute the
 * same number. */
int64_t io_stop_calls(const struct io_stop *stop, const struct io_progress *progress);

/* ---- commands to the processes ---- */

/* One step that all processes of a partition take together. */
struct io_command {
    enum io_action { IO_OPEN, IO_PATTERN, IO_CLOSE, IO_EVICT } action;
    int partition; /* index of the partition */
    enum io_access access;
    enum io_type type;
    /* For IO_PATTERN. */
    int pattern;
    struct io_place place;
    int64_t rewritten; /* number of calls, counted from the start, whose data were rewritten */
    struct io_stop stop;
    /* For IO_CLOSE. */
    int64_t end; /* minimum size of the file in bytes */
    bool drop;   /* drop the file from memory: it will be read, but not written again */
    bool remove; /* remove the file: it is no longer needed */
};

/* Value for an unknown share of a file in memory. It is larger than any known share, so the maximum over the
 * processes is unknown if one share is unknown. */
#define IO_RESIDENT_UNKNOWN 2.0

/* The result of a command, on one process or reduced over all processes. */
struct io_measurement {
    struct io_record record;    /* calls, bytes, errors and times; the scheduler sets the other columns */
    struct histogram durations; /* durations of single calls (docs/definition-beff_io-2.md 10) */
    double slowest; /* total time in calls on the slowest rank (record.slowest_rank), in seconds */
    int stop;       /* signal that any process received; 0 if none */
    bool full;      /* the file system or a quota is full; every process completed record.calls calls */
    /* For IO_CLOSE with `drop`: share of the file in memory before and after dropping it, maximum over the
     * nodes; -1 if no node checked it; IO_RESIDENT_UNKNOWN if a node could not determine it. If no page was
     * in memory before, the file system may not use the page cache. */
    double resident_before, resident_after;
    /* For IO_OPEN: number of processes, and of nodes, that transfer data (aggregators do for others). */
    int64_t moving, moving_nodes;
    /* For IO_OPEN: bytes that a node wrote or read since the file's last write, divided by its memory or
     * --cache; minimum over the nodes of the partition. */
    double passed;
    /* For IO_CLOSE after reading. */
    bool direct;    /* a process had the file open, always with O_DIRECT */
    bool buffered;  /* a process had the file open without O_DIRECT */
    bool elsewhere; /* every process read data that a process under another kernel wrote */
    /* Lowest rank that failed; -1 if none. Ranks to which MPI only reported another rank's failure come after
     * all other ranks. */
    int64_t failed_rank;
    struct message failure;
};

struct io_scheduler_ops {
    double (*elapsed)(void *context); /* returns the seconds since the run started */
    /* Carries out a command. */
    int (*perform)(void *context, const struct io_command *command, struct io_measurement *measurement,
                   struct message *error);
    int64_t (*free_bytes)(void *context); /* returns the free space of the file system; negative if unknown */
    void *context;
};

struct io_scheduler {
    struct io_scheduler_ops ops;
    struct protocol *protocol; /* gets the records */
    const struct io_task *task;
    struct io_layout layouts[IO_MAX_PARTITIONS];  /* files of each partition */
    double resident[IO_MAX_PARTITIONS][IO_TYPES]; /* share of a file in memory after dropping; -1: unknown */
    bool absent[IO_MAX_PARTITIONS][IO_TYPES];     /* no page of the file was in memory after dropping */

    double stop_at;                   /* time at which measuring ends, in seconds since the run started */
    int units_left, write_units_left; /* sum of U of the remaining patterns: all, and initial writes only */
    int64_t min_left;                 /* bytes of one call of each pattern that is still to be written */
    int64_t used;                     /* bytes of the initial writes so far */
    double sync_fixed, sync_per_byte; /* expected time of a sync in seconds: fixed part, part per byte */

    int stop;             /* signal that ended the run; 0 if none */
    struct message error; /* the reason why the run did not complete */
};

/* Prepares a run of `time` seconds, part of which is reserved for closing and removing files. */
void io_scheduler_make(struct io_scheduler *scheduler, const struct io_scheduler_ops *ops,
                       struct protocol *protocol, const struct io_task *task, double time);

/* Carries out the whole run. Returns EXIT_OK, or EXIT_STOPPED or EXIT_ERRORS with the reason in `error`. */
enum exit_status io_scheduler_run(struct io_scheduler *scheduler);

#endif
