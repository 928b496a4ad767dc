/* The conductor. Uses patterns, layout, record. */
#include "beff_io/conductor.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum step { STEP_ON, STEP_END }; /* go on; end of the run */

/* Free space that is left alone. */
#define SPACE_MARGIN (INT64_C(4) << 20)
/* Bytes at which a new observation of the sync's cost counts as much as all before. */
#define SYNC_BYTES 32e6

/* The part of the time left that patterns share whatever else is expected to take time. */
#define RESERVE_LEAST 0.3
/* Part of the free memory that files are expected to stay in. */
#define MEMORY_SHARE 0.85
/* Seconds for each byte of files in memory that removing them takes. */
#define REMOVE_PER_BYTE 0.25e-9

/* Looking how much faster than writing rewriting and reading are, and what a sync takes: share of the time,
 * and seconds, at most. */
#define PROBE_SHARE   0.01
#define PROBE_SECONDS 1.0
/* How much longer than seen there it is expected to take; and at the least, as a share of the scheduled time.
 */
#define PROBE_MARGIN 1.3
#define PROBE_LEAST  0.04
/* The mean speed of all patterns by the one of the probe, roughly. */
#define PROBE_MEAN 0.25
/* Reads of twice what fits in memory are expected to take at least this share of their time. */
#define NEED_FROM_DISK 0.5

/* ---- shares of bytes and time ---- */

static int64_t fill_bytes(const struct io_pattern *pattern)
{
    return pattern->fill ? INT64_C(1) << 20 : pattern->memory;
}

static int64_t least_of_process(const struct io_pattern *patterns)
{
    int64_t bytes = 0;
    for (int i = 0; i < IO_PATTERNS; i++)
        bytes += fill_bytes(&patterns[i]);
    return bytes;
}

int64_t io_least_bytes(const struct io_pattern *patterns, const int64_t *partitions, int partition_count)
{
    int64_t processes = 0;
    for (int i = 0; i < partition_count; i++)
        processes += partitions[i];
    return processes * least_of_process(patterns);
}

int64_t io_most_calls(const struct io_conductor *c, const struct io_pattern *pattern, int64_t processes)
{
    if (pattern->units == 0)
        return 1;
    double spare = (double)(c->max_bytes - io_least_bytes(c->patterns, c->partitions, c->partition_count));
    double share = fmax(spare, 0) / c->partition_count * pattern->units / IO_UNITS;
    return 1 + (int64_t)(share / (double)(processes * pattern->memory));
}

double io_scheduled(double time, int partitions, int units, bool rewrite_all)
{
    return time / partitions * units / io_units(rewrite_all);
}

/* Until the files that are there have to be removed. */
static double time_left(const struct io_conductor *c)
{
    return c->stop_at - fmin(c->unread, c->cache) * REMOVE_PER_BYTE - c->world.elapsed(c->world.context);
}

static int units_of(const struct io_conductor *c, enum io_access access)
{
    return access == ACCESS_REWRITE && !c->rewrite_all ? IO_UNITS_SCATTER : IO_UNITS;
}

/* What is still to be done, in units of time weighted by what is expected to be needed. */
static double weighted_units(const struct io_conductor *c, int accesses)
{
    double units = 0;
    for (int p = 0; p < c->partition_count; p++)
        for (int a = 0; a < accesses; a++)
            units += c->units_left[p][a] * c->need[p][a];
    return units;
}

/* Seconds that opening, views, closing, checking and the patterns that run once will still take. */
static double beside_left(const struct io_conductor *c)
{
    double seconds = 0, known = 0;
    for (int p = 0; p < c->partition_count; p++) {
        known = c->beside[p] > 0 ? c->beside[p] : known; /* not seen yet: as the partition before */
        seconds += known * c->types_left[p];
    }
    return seconds + fmax(c->unread * c->excluded_per_byte - fmin(c->unread, c->cache) * REMOVE_PER_BYTE, 0);
}

/* The time of a pattern: its part of what is left, so that unused and overdrawn time go to all that follow.
 */
static double take_slice(struct io_conductor *c, int partition, enum io_access access, int units)
{
    double all = weighted_units(c, IO_ACCESSES), left = time_left(c);
    left = fmax(fmax(left - beside_left(c), RESERVE_LEAST * left), 0);
    c->units_left[partition][access] -= units;
    return units ? left * units * c->need[partition][access] / all : INFINITY;
}

/* Rewrites and reads end when there are no more data. Where these are in memory that is long before their
 * time is up; what they are expected to leave of it is given to the writes. */
static void expect(struct io_conductor *c)
{
    double share = weighted_units(c, 1) / fmax(weighted_units(c, IO_ACCESSES), 1e-9);
    double bytes = c->written + fmax(time_left(c), 0) * share * c->written / fmax(c->writing, 1e-9);
    double beyond =
        fmin(bytes, (double)c->max_bytes) / fmax(c->memory, 1) - 1; /* what does not fit, roughly */
    double least = PROBE_LEAST + fmin(fmax(beyond, 0), 1) * (NEED_FROM_DISK - PROBE_LEAST);
    for (int p = 0; p < c->partition_count; p++)
        for (int a = ACCESS_REWRITE; a < IO_ACCESSES; a++)
            if (c->ratio[p][a] > 0)
                c->need[p][a] = fmin(1, fmax(least, c->ratio[p][a]));
}

/* ---- steps ---- */

static enum step perform(struct io_conductor *c, const struct io_order *order, struct io_outcome *outcome)
{
    *outcome = (struct io_outcome){0};
    if (c->world.perform(c->world.context, order, outcome, &c->error))
        return STEP_END;
    if (outcome->stop && !c->stop)
        c->stop = outcome->stop;
    return c->stop ? STEP_END : STEP_ON;
}

static enum step keep(struct io_conductor *c, const struct io_record *record)
{
    if (c->world.record(c->world.context, record, &c->error))
        return STEP_END;
    if (c->world.progress)
        c->world.progress(c->world.context, record, c->stop_at);
    return STEP_ON;
}

/* A sync takes a fixed time and one for each byte. What a file system does meanwhile differs: the newest
 * observations count most. */
static void learn_sync(struct io_conductor *c, enum io_access access, const struct io_outcome *outcome)
{
    double *fixed = &c->sync_fixed[access], *known = &c->sync_per_byte[access],
           bytes = (double)outcome->bytes;
    if (access == ACCESS_READ || bytes <= 0)
        return;
    if (*fixed <= 0 || outcome->t_sync < *fixed)
        *fixed = outcome->t_sync;
    double seen = (outcome->t_sync - *fixed) / bytes;
    *known += (*known > 0 ? bytes / (bytes + SYNC_BYTES) : 1) * (seen - *known);
}

static struct io_record start_record(const struct io_order *order, const char *pattern)
{
    struct io_record record = {.processes = order->processes, .type = order->type, .planned = -1};
    snprintf(record.access, sizeof record.access, "%s", io_access_name(order->access));
    snprintf(record.pattern, sizeof record.pattern, "%s", pattern);
    return record;
}

static struct io_record pattern_record(const struct io_order *order, const struct io_outcome *o,
                                       const char *ended_by)
{
    char number[COLUMN_TEXT_SIZE];
    snprintf(number, sizeof number, "%d", order->pattern.number);
    struct io_record record = start_record(order, number);
    record.chunk_disk = order->place.disk;
    record.chunk_mem = order->place.memory;
    record.units = order->pattern.units;
    record.calls = o->calls;
    record.bytes = o->bytes;
    record.t_calls = o->t_calls;
    record.t_vote = o->t_vote;
    record.t_sync = o->t_sync;
    record.t_total = o->t_total;
    record.bandwidth = o->t_total > 0 ? (double)o->bytes / o->t_total / 1e6 : 0;
    record.errors = o->errors;
    record.t_view = o->t_view;
    record.t_excluded = o->t_excluded;
    record.t_scheduled = isfinite(order->slice) ? order->slice : 0;
    record.offset = order->place.base;
    record.planned = order->type >= TYPE_SEGMENTED ? order->place.planned : -1;
    snprintf(record.ended_by, sizeof record.ended_by, "%s", ended_by);
    return record;
}

static void add_to_total(struct io_record *total, const struct io_record *record)
{
    total->calls += record->calls;
    total->bytes += record->bytes;
    total->units += record->units;
    total->t_calls += record->t_calls;
    total->t_vote += record->t_vote;
    total->t_sync += record->t_sync;
    total->t_view += record->t_view;
    total->t_total += record->t_total + record->t_view;
    total->t_scheduled += record->t_scheduled;
    total->t_excluded += record->t_excluded;
    total->errors += record->errors;
}

/* ---- one pattern ---- */

/* Calls that the file system has room for; -1: not even one. */
static int64_t room(struct io_conductor *c, const struct io_order *order)
{
    int64_t left = c->world.free_bytes ? c->world.free_bytes(c->world.context) : -1;
    int64_t call = order->processes * order->place.memory;
    if (left < 0)
        return INT64_MAX;
    if (left >= call + SPACE_MARGIN)
        return (left - SPACE_MARGIN) / call;
    message_set(&c->error,
                "the file system is filling up: %.1f MB are free, one call of pattern %d writes %.1f MB; "
                "nothing more is written",
                (double)left / 1e6, order->pattern.number, (double)call / 1e6);
    return -1;
}

/* `share`: calls that --max-bytes allows; `fits`: that the file system has room for. */
static const char *reason(const struct io_order *order, const struct io_outcome *outcome, int64_t share,
                          int64_t fits)
{
    if (order->pattern.units == 0)
        return "once";
    if (outcome->calls < order->most)
        return "time";
    if (order->access != ACCESS_WRITE)
        return "data";
    return outcome->calls >= share ? "bytes" : outcome->calls >= fits ? "space" : "repeat";
}

static void note_calls(struct io_layout *layout, const struct io_order *order, int64_t calls)
{
    struct io_place *place = &layout->place[order->pattern.number];
    if (order->access == ACCESS_WRITE)
        place->written = calls;
    else if (order->access == ACCESS_REWRITE)
        place->rewritten = calls;
}

static void set_sync(const struct io_conductor *c, struct io_order *order)
{
    double bytes = (double)(order->place.memory * order->processes);
    order->sync_fixed = c->sync_fixed[order->access];
    order->sync_per_call = c->sync_per_byte[order->access] * bytes;
}

/* Does a pattern, or leaves it out when the time is up or there is nothing to read; adds it to the total. */
static enum step do_pattern(struct io_conductor *c, int partition, struct io_order *order,
                            struct io_record *total)
{
    struct io_outcome outcome = {0};
    struct io_layout *layout = &c->layout[partition];
    const struct io_pattern *p = &order->pattern;
    int64_t share = io_most_calls(c, p, order->processes);
    bool writes = order->access == ACCESS_WRITE, late = time_left(c) <= 0;
    if (writes && p->type <= TYPE_SEPARATED)
        io_layout_follow(layout, c->patterns, p->number);
    order->action = IO_ACTION_PATTERN;
    order->place = layout->place[p->number];
    order->slice = take_slice(c, partition, order->access, p->units);
    set_sync(c, order);
    order->most = !writes ? order->place.written : p->type >= TYPE_SEGMENTED ? order->place.planned : share;
    if (order->place.memory == 0)
        order->most = 0;
    const char *ended_by = late && order->most ? "skipped" : "data";
    if (!late && order->most > 0) {
        int64_t fits = writes ? room(c, order) : INT64_MAX;
        if (fits < 0)
            return STEP_END;
        order->most = order->most < fits ? order->most : fits;
        if (perform(c, order, &outcome) != STEP_ON)
            return STEP_END;
        learn_sync(c, order->access, &outcome);
        note_calls(layout, order, outcome.calls);
        ended_by = reason(order, &outcome, share, fits);
    }
    struct io_record record = pattern_record(order, &outcome, ended_by);
    add_to_total(total, &record);
    return keep(c, &record);
}

/* ---- one type ---- */

static enum step close_file(struct io_conductor *c, struct io_layout *layout, struct io_order *order,
                            struct io_record *total)
{
    struct io_outcome outcome;
    order->action = IO_ACTION_CLOSE;
    order->drop_cache =
        order->access ==
        (io_runs(order->type, ACCESS_REWRITE, c->rewrite_all) ? ACCESS_REWRITE : ACCESS_WRITE);
    order->last_use = order->access == ACCESS_READ;
    order->end = io_file_end(layout, order->type);
    if (perform(c, order, &outcome) != STEP_ON)
        return STEP_END;
    total->t_close = outcome.t_close;
    total->t_total += outcome.t_total;
    total->t_excluded += outcome.t_excluded;
    total->bandwidth = total->t_total > 0 ? (double)total->bytes / total->t_total / 1e6 : 0;
    return keep(c, total);
}

/* All patterns of a type are left out, as the time is up or nothing was written. */
static enum step skip_type(struct io_conductor *c, int partition, struct io_order *order)
{
    int first = io_first(order->type);
    for (int i = first; i < first + io_count(order->type); i++) {
        order->pattern = c->patterns[i];
        order->place = c->layout[partition].place[i];
        order->slice = take_slice(c, partition, order->access, order->pattern.units);
        struct io_record record = pattern_record(order, &(struct io_outcome){0}, "skipped");
        if (keep(c, &record) != STEP_ON)
            return STEP_END;
    }
    return STEP_ON;
}

static enum step open_file(struct io_conductor *c, struct io_layout *layout, struct io_order *order,
                           struct io_record *total)
{
    struct io_outcome outcome;
    *total = start_record(order, RECORD_TOTAL);
    if (perform(c, order, &outcome) != STEP_ON)
        return STEP_END;
    total->t_open = outcome.t_open;
    total->t_total = outcome.t_total;
    layout->ran[order->type] = true;
    if (order->access != ACCESS_WRITE || order->type < TYPE_SEGMENTED || layout->segment > 0)
        return STEP_ON;
    int64_t most[IO_PATTERNS];
    for (int i = 0; i < IO_PATTERNS; i++)
        most[i] = io_most_calls(c, &c->patterns[i], order->processes);
    io_layout_segments(layout, c->patterns, most);
    return STEP_ON;
}

/* What a type took beside its timed patterns; the largest counts. */
static void learn_beside(struct io_conductor *c, int partition, double seconds, double timed)
{
    c->beside[partition] = fmax(c->beside[partition], seconds - timed);
}

/* Bytes that the initial write left in the files of a type. */
static int64_t file_bytes(const struct io_layout *layout, enum io_type type)
{
    int64_t bytes = 0;
    for (int i = io_first(type); i < io_first(type) + io_count(type); i++)
        bytes += layout->place[i].written * layout->place[i].memory * layout->processes;
    return bytes;
}

/* What checking and removing took; the largest counts. */
static void learn_excluded(struct io_conductor *c, const struct io_record *total, double bytes)
{
    c->unread -= bytes;
    if (bytes > 0)
        c->excluded_per_byte = fmax(c->excluded_per_byte, total->t_excluded / bytes);
}

static enum step do_type(struct io_conductor *c, int partition, enum io_access access, enum io_type type)
{
    struct io_layout *layout = &c->layout[partition];
    struct io_order order = {
        .action = IO_ACTION_OPEN, .access = access, .type = type, .processes = c->partitions[partition]};
    struct io_record total;
    c->types_left[partition]--;
    if (time_left(c) <= 0 || (access != ACCESS_WRITE && !layout->ran[type]))
        return skip_type(c, partition, &order);
    double start = c->world.elapsed(c->world.context), timed = 0;
    if (open_file(c, layout, &order, &total) != STEP_ON)
        return STEP_END;
    int first = io_first(type);
    for (int i = first; i < first + io_count(type); i++) {
        double before = total.t_total;
        order.pattern = c->patterns[i];
        if (do_pattern(c, partition, &order, &total) != STEP_ON)
            return STEP_END;
        timed += order.pattern.units ? total.t_total - before : 0;
    }
    if (access == ACCESS_READ)
        learn_excluded(c, &total, (double)file_bytes(layout, type));
    if (access == ACCESS_WRITE) {
        c->unread += (double)total.bytes;
        c->written += (double)total.bytes;
        c->writing += total.t_total;
        expect(c);
    }
    if (close_file(c, layout, &order, &total) != STEP_ON)
        return STEP_END;
    if (access == ACCESS_READ) /* counted by bytes */
        timed += total.t_excluded;
    learn_beside(c, partition, c->world.elapsed(c->world.context) - start, timed);
    return STEP_ON;
}

/* ---- looking ahead ---- */

/* Opens, does one pattern, closes; seconds and bytes are added. */
static enum step probe_access(struct io_conductor *c, struct io_order *order, double *seconds, double *bytes)
{
    struct io_outcome outcome;
    order->action = IO_ACTION_OPEN;
    if (perform(c, order, &outcome) != STEP_ON)
        return STEP_END;
    order->action = IO_ACTION_PATTERN;
    if (perform(c, order, &outcome) != STEP_ON)
        return STEP_END;
    learn_sync(c, order->access, &outcome);
    c->probe_errors += outcome.errors;
    *seconds = outcome.t_total;
    *bytes = (double)outcome.bytes;
    if (order->access == ACCESS_WRITE)
        order->most = order->place.written = outcome.calls;
    order->place.rewritten = order->access == ACCESS_REWRITE ? outcome.calls : order->place.rewritten;
    order->action = IO_ACTION_CLOSE;
    order->last_use = order->access == ACCESS_READ;
    return perform(c, order, &outcome);
}

/* A little of type 0, written, rewritten and read: how much faster than writing the others are, and what the
 * sync costs. */
static enum step probe(struct io_conductor *c, int partition)
{
    static const int pattern = 3; /* type 0, 1 MB */
    double seconds[IO_ACCESSES], bytes[IO_ACCESSES], left = time_left(c);
    struct io_order order = {.type = TYPE_SCATTER,
                             .probe = true,
                             .processes = c->partitions[partition],
                             .pattern = c->patterns[pattern],
                             .place = c->layout[partition].place[pattern],
                             .slice = fmin(left * PROBE_SHARE / c->partition_count, PROBE_SECONDS)};
    order.most = io_most_calls(c, &order.pattern, order.processes);
    for (int a = 0; a < IO_ACCESSES; a++) {
        order.access = (enum io_access)a;
        if (probe_access(c, &order, &seconds[a], &bytes[a]) != STEP_ON)
            return STEP_END;
    }
    for (int a = ACCESS_REWRITE; a < IO_ACCESSES && c->memory > 0; a++)
        c->ratio[partition][a] =
            seconds[a] / bytes[a] / (seconds[ACCESS_WRITE] / bytes[ACCESS_WRITE]) * PROBE_MARGIN;
    c->written += bytes[ACCESS_WRITE] * PROBE_MEAN;
    c->writing += seconds[ACCESS_WRITE];
    expect(c);
    return STEP_ON;
}

/* ---- all ---- */

void io_conductor_make(struct io_conductor *c, const struct io_conductor_world *world,
                       const struct io_pattern *patterns, const int64_t *partitions, int partition_count,
                       bool rewrite_all, int64_t max_bytes, double stop_at, double cache, bool adapt)
{
    *c = (struct io_conductor){.world = *world,
                               .patterns = patterns,
                               .partition_count = partition_count,
                               .rewrite_all = rewrite_all,
                               .max_bytes = max_bytes,
                               .stop_at = stop_at,
                               .memory = adapt ? MEMORY_SHARE * cache : 0,
                               .cache = cache};
    memcpy(c->partitions, partitions, (size_t)partition_count * sizeof *partitions);
    for (int i = 0; i < partition_count; i++)
        io_layout_start(&c->layout[i], partitions[i], patterns);
    for (int p = 0; p < partition_count; p++) {
        c->types_left[p] = IO_TYPES + (rewrite_all ? IO_TYPES : 1) + IO_TYPES;
        for (int a = 0; a < IO_ACCESSES; a++) {
            c->need[p][a] = 1;
            c->units_left[p][a] = units_of(c, (enum io_access)a);
        }
    }
}

static enum io_end ended(const struct io_conductor *c)
{
    return c->stop ? IO_END_STOPPED : IO_END_FAILED;
}

enum io_end io_conductor_run(struct io_conductor *c)
{
    for (int p = 0; p < c->partition_count; p++)
        if (probe(c, p) != STEP_ON)
            return ended(c);
    c->written = c->writing = 0;
    for (int a = 0; a < IO_ACCESSES; a++)
        for (int p = 0; p < c->partition_count; p++)
            for (int t = 0; t < IO_TYPES; t++)
                if (io_runs((enum io_type)t, (enum io_access)a, c->rewrite_all) &&
                    do_type(c, p, (enum io_access)a, (enum io_type)t) != STEP_ON)
                    return ended(c);
    return IO_END_COMPLETE;
}
