/* Shares of bytes and time, estimates. Uses patterns, tuning. */
#include "beff_io/budget.h"

#include <math.h>

#include "beff_io/tuning.h"

/* ---- bytes ---- */

int64_t io_call_bytes(const struct io_pattern *pattern)
{
    return pattern->fill ? INT64_C(1) << 20 : pattern->memory;
}

int64_t io_least_bytes(const struct io_task *task)
{
    int64_t processes = 0, bytes = 0;
    for (int i = 0; i < task->partition_count; i++)
        processes += task->partitions[i];
    for (int i = 0; i < IO_PATTERNS; i++)
        if (io_selected(&task->selection, ACCESS_WRITE, &task->patterns[i]))
            bytes += io_call_bytes(&task->patterns[i]);
    return processes * bytes;
}

int64_t io_budget_calls(const struct io_budget *b, const struct io_pattern *pattern, int64_t processes)
{
    int units = 0;
    if (pattern->units == 0)
        return 1;
    for (int p = 0; p < b->task->partition_count; p++)
        units += b->units_left[p][ACCESS_WRITE];
    double spare = fmax((double)(b->task->max_bytes - b->used - b->least_left), 0);
    return 1 + (int64_t)(spare * pattern->units / units / (double)(processes * pattern->memory));
}

void io_budget_spend(struct io_budget *b, const struct io_pattern *pattern, int64_t processes, int64_t bytes)
{
    b->used += bytes;
    b->least_left -= processes * io_call_bytes(pattern);
}

/* ---- time ---- */

double io_scheduled(double time, int partitions, int units, bool rewrite_all)
{
    return time / partitions * units / io_units(rewrite_all);
}

double io_budget_left(const struct io_budget *b, double now)
{
    return b->stop_at - fmin(b->unread, b->cache) * REMOVE_PER_BYTE - now;
}

/* What is still to be done, in units of time weighted by what is expected to be needed. */
static double weighted_units(const struct io_budget *b, int accesses)
{
    double units = 0;
    for (int p = 0; p < b->task->partition_count; p++)
        for (int a = 0; a < accesses; a++)
            units += b->units_left[p][a] * b->need[p][a] * (a == ACCESS_WRITE ? 1 + b->removing : 1);
    return units;
}

/* Seconds that opening, views, closing, checking and the patterns that run once will still take. */
static double beside_left(const struct io_budget *b)
{
    double seconds = 0;
    for (int a = 0; a < IO_ACCESSES; a++)
        for (int p = 0; p < b->task->partition_count; p++)
            seconds += b->beside[p][a] * b->types_left[p][a];
    return seconds + fmax(b->unread * b->excluded_per_byte - fmin(b->unread, b->cache) * REMOVE_PER_BYTE, 0);
}

double io_budget_slice(struct io_budget *b, double now, int partition, enum io_access access, int units)
{
    double all = weighted_units(b, IO_ACCESSES), left = io_budget_left(b, now);
    left = fmax(fmax(left - beside_left(b), RESERVE_LEAST * left), 0);
    b->units_left[partition][access] -= units;
    return units ? left * units * b->need[partition][access] / all : INFINITY;
}

/* Rewrites and reads end when there are no more data. Where these are in memory that is long before their
 * time is up; what they are expected to leave of it is given to the writes. */
static void expect(struct io_budget *b, double now)
{
    double share = weighted_units(b, 1) / fmax(weighted_units(b, IO_ACCESSES), 1e-9);
    double bytes = b->written + fmax(io_budget_left(b, now), 0) * share * b->written / fmax(b->writing, 1e-9);
    double beyond =
        fmin(bytes, (double)b->task->max_bytes) / fmax(b->memory, 1) - 1; /* what does not fit, roughly */
    double least = PROBE_LEAST + fmin(fmax(beyond, 0), 1) * (NEED_FROM_DISK - PROBE_LEAST);
    for (int p = 0; p < b->task->partition_count; p++)
        for (int a = ACCESS_REWRITE; a < IO_ACCESSES; a++)
            if (b->ratio[p][a] > 0)
                b->need[p][a] = fmin(1, fmax(least, b->ratio[p][a]));
}

/* ---- learning ---- */

/* A sync takes a fixed time and one for each byte. Of the first one it is not known which, so both are
 * taken to be as long as it was. */
void io_budget_learn_sync(struct io_budget *b, enum io_access access, double bytes, double seconds)
{
    double *fixed = &b->sync_fixed[access], *known = &b->sync_per_byte[access];
    if (access == ACCESS_READ || bytes <= 0)
        return;
    bool first = *fixed <= 0;
    if (first || seconds < *fixed)
        *fixed = seconds;
    double seen = (seconds - (first ? 0 : *fixed)) / bytes;
    *known += (first ? 1 : bytes / (bytes + SYNC_BYTES)) * (seen - *known);
}

void io_budget_learn_probe(struct io_budget *b, double now, int partition, const double *seconds,
                           const double *bytes)
{
    for (int a = ACCESS_REWRITE; a < IO_ACCESSES && b->memory > 0; a++)
        b->ratio[partition][a] =
            seconds[a] / bytes[a] / (seconds[ACCESS_WRITE] / bytes[ACCESS_WRITE]) * PROBE_MARGIN;
    if (b->memory > 0)
        b->removing =
            b->excluded_per_byte * bytes[ACCESS_WRITE] * PROBE_MEAN / fmax(seconds[ACCESS_WRITE], 1e-9);
    b->written += bytes[ACCESS_WRITE] * PROBE_MEAN;
    b->writing += seconds[ACCESS_WRITE];
    expect(b, now);
}

void io_budget_learn_write(struct io_budget *b, double now, double seconds, double bytes)
{
    b->unread += bytes;
    b->written += bytes;
    b->writing += seconds;
    expect(b, now);
}

/* A small file: the least counts, as what disturbs it is no cost per byte. */
void io_budget_learn_removal(struct io_budget *b, double bytes, double seconds)
{
    double *known = &b->excluded_per_byte;
    *known = *known > 0 ? fmin(*known, seconds / bytes) : seconds / bytes;
}

/* The largest cost per byte counts. */
void io_budget_learn_read(struct io_budget *b, double bytes, double excluded)
{
    b->unread -= bytes;
    if (bytes > 0)
        b->excluded_per_byte = fmax(b->excluded_per_byte, excluded / bytes);
}

/* The largest counts, for larger partitions, too. */
void io_budget_learn_beside(struct io_budget *b, int partition, enum io_access access, double seconds)
{
    for (int p = 0; p < b->task->partition_count; p++)
        if (p == partition || b->task->partitions[p] >= b->task->partitions[partition])
            b->beside[p][access] = fmax(b->beside[p][access], seconds);
}

/* Counts what is to be done: U of the patterns, and types that have any. */
static void count_work(struct io_budget *b, int partition)
{
    for (int a = 0; a < IO_ACCESSES; a++) {
        bool types[IO_TYPES] = {false};
        b->need[partition][a] = 1;
        for (int i = 0; i < IO_PATTERNS; i++)
            if (io_selected(&b->task->selection, (enum io_access)a, &b->task->patterns[i])) {
                b->units_left[partition][a] += b->task->patterns[i].units;
                types[b->task->patterns[i].type] = true;
            }
        for (int t = 0; t < IO_TYPES; t++)
            b->types_left[partition][a] += types[t];
    }
}

void io_budget_make(struct io_budget *b, const struct io_task *task, double stop_at, double cache, bool adapt)
{
    *b = (struct io_budget){.task = task,
                            .stop_at = stop_at,
                            .memory = adapt ? MEMORY_SHARE * cache : 0,
                            .cache = cache,
                            .least_left = io_least_bytes(task)};
    for (int p = 0; p < task->partition_count; p++)
        count_work(b, p);
}
