/* Shares of bytes and time. Uses patterns. */
#include "beff_io/budget.h"

#include <math.h>

/* Kept for closing, removing and the end of MPI: a share of T, and seconds. */
#define RESERVE_SHARE   0.02
#define RESERVE_SECONDS 0.3

/* Bytes at which a new observation of the sync's cost counts as much as all before: the newest few chunks of
 * the largest size, as what a file system does meanwhile changes. */
#define SYNC_BYTES 32e6

/* ---- bytes ---- */

/* Bytes of one call of a process. A fill-up's are known later: less than 1 MiB. */
static int64_t call_bytes(const struct io_pattern *pattern)
{
    return pattern->fill ? INT64_C(1) << 20 : pattern->memory;
}

int64_t io_min_bytes(const struct io_task *task)
{
    int64_t processes = 0, bytes = 0;
    for (int i = 0; i < task->partition_count; i++)
        processes += task->partitions[i];
    for (int i = 0; i < IO_PATTERNS; i++)
        if (io_selected(&task->selection, ACCESS_WRITE, &task->patterns[i]))
            bytes += call_bytes(&task->patterns[i]);
    return processes * bytes;
}

int64_t io_budget_bytes(const struct io_budget *b, int units)
{
    int64_t spare = b->task->max_bytes - b->used - b->min_left;
    return spare > 0 && units ? (int64_t)((double)spare * units / b->write_units_left) : 0;
}

/* ---- time ---- */

double io_scheduled(double time, int partitions, int units, bool rewrite_all)
{
    return time / partitions * units / io_units(rewrite_all);
}

void io_budget_spend(struct io_budget *b, enum io_access access, const struct io_pattern *pattern,
                     int64_t processes, int64_t bytes)
{
    b->units_left -= pattern->units;
    if (access != ACCESS_WRITE)
        return;
    b->write_units_left -= pattern->units;
    b->used += bytes;
    b->min_left -= processes * call_bytes(pattern);
}

/* A sync takes a fixed time and one for each byte. Of the first one it is not known which, so both are
 * taken to be as long as it was. */
void io_budget_learn_sync(struct io_budget *b, double bytes, double seconds)
{
    if (bytes <= 0)
        return;
    bool first = b->sync_fixed <= 0;
    if (first || seconds < b->sync_fixed)
        b->sync_fixed = seconds;
    double seen = (seconds - (first ? 0 : b->sync_fixed)) / bytes;
    b->sync_per_byte += (first ? 1 : bytes / (bytes + SYNC_BYTES)) * (seen - b->sync_per_byte);
}

void io_budget_make(struct io_budget *b, const struct io_task *task, double time)
{
    *b = (struct io_budget){.task = task,
                            .stop_at = time - RESERVE_SHARE * time - RESERVE_SECONDS,
                            .min_left = io_min_bytes(task)};
    for (int a = 0; a < IO_ACCESSES; a++)
        for (int i = 0; i < IO_PATTERNS; i++)
            if (io_selected(&task->selection, (enum io_access)a, &task->patterns[i])) {
                int units = task->partition_count * task->patterns[i].units;
                b->units_left += units;
                b->write_units_left += a == ACCESS_WRITE ? units : 0;
            }
}

struct io_stop io_budget_stop(const struct io_budget *b, double left, enum io_access access,
                              const struct io_pattern *pattern, int64_t processes)
{
    struct io_stop stop = {.slice = INFINITY};
    if (pattern->units)
        stop.slice = fmax(left, 0) * pattern->units / b->units_left;
    if (access != ACCESS_READ) {
        stop.sync_fixed = b->sync_fixed;
        stop.sync_per_call = b->sync_per_byte * (double)(processes * pattern->memory);
    }
    return stop;
}
