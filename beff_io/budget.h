/* Bytes and time of a run: what is left of them, and what a pattern gets (docs/definition.md
 * 2.4). Times are seconds since the run was started. Pure. */
#ifndef BEFF_IO_BUDGET_H
#define BEFF_IO_BUDGET_H

#include "beff_io/patterns.h"
#include "beff_io/stop.h"

/* Share of the free space that a run uses by default: others write there, too. */
#define IO_SPACE_SHARE 0.5

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
