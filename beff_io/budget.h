/* Bytes and time of a run: what is left of them, what a pattern gets, and when it stops (docs/definition.md
 * 2.4). Times are seconds since the run was started. Pure. */
#ifndef BEFF_IO_BUDGET_H
#define BEFF_IO_BUDGET_H

#include "beff_io/patterns.h"

/* Share of the free space that a run uses by default: others write there, too. */
#define IO_SPACE_SHARE 0.5

/* ---- the stop rule: how many calls the processes make before they agree again on going on ---- */

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

/* ---- what is left ---- */

struct io_budget {
    const struct io_task *task;
    double stop_at; /* when everything must be done */

    /* Still to be done: U of all patterns, accesses and partitions; of the initial writes alone. */
    int units_left, write_units_left;
    int64_t min_left; /* bytes: every pattern once */
    int64_t used;     /* bytes: what was written initially */

    double sync_fixed, sync_per_byte; /* seconds, as learnt so far */
};

/* A run of T seconds: it keeps a reserve for closing and removing. */
void io_budget_make(struct io_budget *budget, const struct io_task *task, double time);

/* Minimum of bytes that a run writes: every selected pattern once, in all partitions. */
int64_t io_min_bytes(const struct io_task *task);

/* Bytes that patterns of so many U may write beyond one call each, so that the whole run writes at most
 * `max_bytes`: what is left is shared by U with those that follow, so that bytes that a pattern did not need
 * go to them. */
int64_t io_budget_bytes(const struct io_budget *budget, int units);

/* The slice of the definition, seconds: T / partitions * U / (sum of U of the access methods that run). */
double io_scheduled(double time, int partitions, int units, bool rewrite_all);

/* A pattern is done, or left out; `bytes` of all processes. */
void io_budget_spend(struct io_budget *budget, enum io_access access, const struct io_pattern *pattern,
                     int64_t processes, int64_t bytes);

/* A sync after `bytes` took `seconds`. */
void io_budget_learn_sync(struct io_budget *budget, double bytes, double seconds);

/* The stop rule of the next pattern, with the `left` seconds until everything must be done, but for
 * max_calls: the slice is its share of these by U, infinite for one that runs once; reads are not synced. */
struct io_stop io_budget_stop(const struct io_budget *budget, double left, enum io_access access,
                              const struct io_pattern *pattern, int64_t processes);

#endif
