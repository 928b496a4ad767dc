/* Bytes and time of a run: what is left of them, what a pattern gets, and what was learnt about the file
 * system to divide them well (docs/definition.md 2.4). Times are seconds since the run was started. Pure. */
#ifndef BEFF_IO_BUDGET_H
#define BEFF_IO_BUDGET_H

#include "beff_io/patterns.h"

struct io_budget {
    const struct io_task *task;
    double stop_at; /* when everything must be done */
    /* Bytes of files that fit in memory: reads of so much take less than their time; 0: never expect that. */
    double memory;
    double cache; /* bytes of files that can be in memory at all: removing these takes time */

    /* Still to be done. */
    int units_left[IO_MOST_PARTITIONS][IO_ACCESSES];
    int types_left[IO_MOST_PARTITIONS][IO_ACCESSES];
    int64_t least_left; /* bytes: every pattern once */
    int64_t used;       /* bytes: what was written initially */

    /* Learnt. */
    double need[IO_MOST_PARTITIONS][IO_ACCESSES];  /* expected share of the scheduled time; 1: all of it */
    double ratio[IO_MOST_PARTITIONS][IO_ACCESSES]; /* time per byte divided by that of writing; 0: unknown */
    double written, writing;                       /* bytes and seconds of initial writes so far */
    double removing; /* seconds that removing takes for each second of writing, as seen before the start */
    double beside[IO_MOST_PARTITIONS][IO_ACCESSES]; /* seconds of a type beside its timed patterns */
    double excluded_per_byte; /* seconds for checking what was read, and removing the file */
    double unread;            /* bytes that were written and not yet read */
    double sync_fixed[IO_ACCESSES], sync_per_byte[IO_ACCESSES]; /* seconds */
};

/* A run that ends at `stop_at`, on nodes that can hold `cache` bytes of files
 * in memory. With `adapt` time that reads from there will not need goes to the writes; without it the
 * schedule is the definition's. */
void io_budget_make(struct io_budget *budget, const struct io_task *task, double stop_at, double cache,
                    bool adapt);

/* Bytes that a run writes at least: every selected pattern once, in all partitions. */
int64_t io_least_bytes(const struct io_task *task);

/* Bytes of one call of a process. A fill-up's are known later: less than 1 MiB. */
int64_t io_call_bytes(const struct io_pattern *pattern);

/* Calls of a process that the next pattern to be written may make at most in a partition, so that the whole
 * run writes at most `max_bytes`: every pattern once; what is left is shared by U with those that follow, so
 * that bytes that a pattern did not need go to them. */
int64_t io_budget_calls(const struct io_budget *budget, const struct io_pattern *pattern, int64_t processes);

/* The pattern wrote this much, or is left out. */
void io_budget_spend(struct io_budget *budget, const struct io_pattern *pattern, int64_t processes,
                     int64_t bytes);

/* The slice of the definition, seconds: T / partitions * U / (sum of U of the access methods that run). */
double io_scheduled(double time, int partitions, int units, bool rewrite_all);

/* Seconds until the files that are there have to be removed. */
double io_budget_left(const struct io_budget *budget, double now);

/* The time of a pattern: its part of what is left, so that unused and overdrawn time go to all that follow;
 * infinite for one that runs once. */
double io_budget_slice(struct io_budget *budget, double now, int partition, enum io_access access, int units);

/* A sync after `bytes` took `seconds`. */
void io_budget_learn_sync(struct io_budget *budget, enum io_access access, double bytes, double seconds);

/* The look ahead: seconds and bytes of each access method. */
void io_budget_learn_probe(struct io_budget *budget, double now, int partition, const double *seconds,
                           const double *bytes);

/* A type was written: seconds from opening on, and bytes. */
void io_budget_learn_write(struct io_budget *budget, double now, double seconds, double bytes);

/* A file of `bytes` was read: checking and removing took `excluded` seconds. */
void io_budget_learn_read(struct io_budget *budget, double bytes, double excluded);

/* The look ahead removed its file of `bytes`, which took `seconds`. */
void io_budget_learn_removal(struct io_budget *budget, double bytes, double seconds);

/* What a type, or the look ahead, took beside its timed patterns, seconds. */
void io_budget_learn_beside(struct io_budget *budget, int partition, enum io_access access, double seconds);

#endif
