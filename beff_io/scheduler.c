#include "beff_io/scheduler.h"

#include <inttypes.h>
#include <math.h>

/* Time reserved for closing and removing files and for MPI_Finalize: a share of T, plus a fixed time. */
#define RESERVE_SHARE   0.02
#define RESERVE_SECONDS 0.3

/* Free space in bytes that a run leaves for the protocol and for the blocks of the file system. */
#define SPACE_MARGIN (INT64_C(4) << 20)

/* Number of bytes at which a new sync has as much weight as all earlier syncs together. It is small, so that
 * the expected time follows changes in the speed of the file system. */
#define SYNC_BYTES 32e6

/* ---- the stop rule ---- */

/* Maximum expected time of a batch (the calls between two votes), as a share of the slice. If the file system
 * suddenly becomes slower, the next vote still comes in time. */
#define BATCH_SHARE 0.125
/* Maximum number of calls in a batch, as a share of the calls that still fit into the slice. It limits the
 * overrun when the page cache is full and writes become slower. */
#define BATCH_REST 0.25
/* Maximum ratio of the calls in a batch to all calls before the batch. The first calls may be atypically
 * fast. */
#define BATCH_GROWTH 4
/* Maximum cost of a vote as a share of the time of its batch: half of the 1 % that the definition allows. */
#define COST_SHARE 0.005

int64_t io_stop_calls(const struct io_stop *stop, const struct io_progress *p)
{
    if (p->calls >= stop->max_calls)
        return 0;
    if (p->calls == 0)
        return 1;
    double one = fmax(p->looping / (double)p->calls, 1e-9), left = stop->slice - p->elapsed;
    left -= stop->sync_fixed + (double)p->calls * stop->sync_per_call;
    double fit = floor(left / (one + stop->sync_per_call)), room = (double)(stop->max_calls - p->calls);
    if (fit < 1)
        return 0;
    fit = fmin(fit, room);
    double batch = fmin(BATCH_SHARE * stop->slice / one, BATCH_GROWTH * (double)p->calls);
    batch = fmax(fmax(fmin(batch, BATCH_REST * fit), p->cost / COST_SHARE / one), 1);
    return (int64_t)fmin(fit, batch);
}

/* ---- the scheduler ---- */

/* Unless stated otherwise, the functions below that return an int return 0 if the run continues, or -1 if it
 * ends. */

/* ---- remaining time and bytes ---- */

static double time_left(const struct io_scheduler *s)
{
    return s->stop_at - s->ops.elapsed(s->ops.context);
}

/* Returns the stop rule of a pattern if `left` seconds remain for the whole run. The slice is the pattern's
 * share of this time in proportion to U, or infinite if the pattern runs once. Reads have no sync. */
static struct io_stop stop_rule(const struct io_scheduler *s, const struct io_command *command, double left,
                                int64_t max_calls)
{
    const struct io_pattern *p = &s->task->patterns[command->pattern];
    struct io_stop stop = {.max_calls = max_calls, .slice = INFINITY};
    if (p->units)
        stop.slice = fmax(left, 0) * p->units / s->units_left;
    if (command->access != ACCESS_READ) {
        stop.sync_fixed = s->sync_fixed;
        stop.sync_per_call =
            s->sync_per_byte * (double)(s->layouts[command->partition].processes * p->memory);
    }
    return stop;
}

/* Returns the number of bytes that patterns with a total of `units` time units may write in addition to one
 * call each. The remaining bytes are distributed over the current and all following patterns in proportion to
 * U. Bytes that a pattern did not need therefore go to the following patterns, and the run writes at most
 * `max_bytes`. */
static int64_t bytes_for(const struct io_scheduler *s, int units)
{
    int64_t spare = s->task->max_bytes - s->used - s->min_left;
    return spare > 0 && units ? (int64_t)((double)spare * units / s->write_units_left) : 0;
}

/* Returns the number of calls for which the file system has space. */
static int64_t room(const struct io_scheduler *s, int64_t bytes_per_call)
{
    int64_t left = s->ops.free_bytes(s->ops.context);
    if (left < 0)
        return INT64_MAX;
    return left < bytes_per_call + SPACE_MARGIN ? 0 : (left - SPACE_MARGIN) / bytes_per_call;
}

/* Returns the maximum number of calls of a pattern. It depends on the plan, the bytes that the pattern may
 * write, the calls of the initial write, and the free space. Sets `end` to the value that `ended_by` takes if
 * the pattern reaches this maximum. */
static int64_t max_calls(const struct io_scheduler *s, const struct io_command *command, const char **end)
{
    const struct io_layout *layout = &s->layouts[command->partition];
    const struct io_pattern *p = &s->task->patterns[command->pattern];
    int64_t planned = layout->planned[p->number], max = layout->calls[ACCESS_WRITE][p->number];
    *end = max || (p->fill && layout->has_plan && !planned) ? "data" : "skipped";
    if (command->access != ACCESS_WRITE)
        return max;
    if (command->type <= TYPE_SEPARATED) {
        max = 1 + (p->units ? bytes_for(s, p->units) / (layout->processes * p->memory) : 0);
        *end = "bytes";
    } else if (planned) {
        max = planned;
        *end = planned < io_layout_repeat(layout, p->number) ? "bytes" : "repeat";
    }
    int64_t fits = max ? room(s, layout->processes * command->place.memory) : INT64_MAX;
    if (fits > max)
        return max;
    *end = "space";
    return fits;
}

/* Updates the expected time of a sync, which consists of a fixed part and a part per byte. The first sync
 * does not show how its time is divided, so each part is set to account for the whole time. */
static void learn_sync(struct io_scheduler *s, double bytes, double seconds)
{
    bool first = s->sync_fixed <= 0;
    if (first || seconds < s->sync_fixed)
        s->sync_fixed = seconds;
    double seen = (seconds - (first ? 0 : s->sync_fixed)) / bytes;
    s->sync_per_byte += (first ? 1 : bytes / (bytes + SYNC_BYTES)) * (seen - s->sync_per_byte);
}

/* Updates the remaining units and bytes after a pattern was measured or skipped. */
static void account(struct io_scheduler *s, const struct io_command *command, const struct io_record *record)
{
    const struct io_pattern *p = &s->task->patterns[command->pattern];
    struct io_layout *layout = &s->layouts[command->partition];
    layout->calls[command->access][p->number] = record->calls;
    s->units_left -= p->units;
    if (command->access != ACCESS_READ && record->bytes)
        learn_sync(s, (double)record->bytes, record->t_sync);
    if (command->access == ACCESS_WRITE) {
        s->write_units_left -= p->units;
        s->used += record->bytes;
        s->min_left -= layout->processes * io_call_bytes(p);
    }
}

/* ---- steps ---- */

static int perform(struct io_scheduler *s, enum io_action action, struct io_command *command,
                   struct io_measurement *measurement)
{
    command->action = action;
    *measurement = (struct io_measurement){0};
    if (s->ops.perform(s->ops.context, command, measurement, &s->error))
        return -1;
    if (measurement->stop && !s->stop)
        s->stop = measurement->stop;
    return s->stop ? -1 : 0;
}

static int keep(struct io_scheduler *s, const struct io_command *command, struct io_record *record)
{
    record->processes = s->task->partitions[command->partition];
    record->type = command->type;
    snprintf(record->access, sizeof record->access, "%s", io_access_names[command->access]);
    record->bandwidth = io_record_bandwidth(record);
    protocol_record(s->protocol, record);
    return protocol_error(s->protocol, &s->error);
}

/* ---- one pattern ---- */

/* Sets the columns of a pattern's record that do not come from the processes. */
static void describe(struct io_measurement *m, const struct io_command *command,
                     const struct io_layout *layout, const char *ended_by)
{
    struct io_record *record = &m->record;
    snprintf(record->pattern, sizeof record->pattern, "%d", command->pattern);
    record->chunk_disk = command->place.disk;
    record->chunk_mem = command->place.memory;
    record->units = layout->task->patterns[command->pattern].units;
    record->t_scheduled = isfinite(command->stop.slice) ? command->stop.slice : 0;
    record->offset = command->place.base;
    record->planned = command->type >= TYPE_SEGMENTED ? layout->planned[command->pattern] : -1;
    record->call_median = histogram_quantile(&m->durations, 0.5);
    record->call_95 = histogram_quantile(&m->durations, 0.95);
    record->call_99 = histogram_quantile(&m->durations, 0.99);
    record->call_max = m->durations.max;
    if (!record->calls) {
        record->slowest_rank = -1;
        *record->slowest_node = 0;
    }
    snprintf(record->ended_by, sizeof record->ended_by, "%s", ended_by);
}

/* Measures a pattern and adds it to the total. Skips the pattern if the time is up, the disk is full, or
 * there is nothing to rewrite or read. If the run ends in the pattern, it is recorded only if it found wrong
 * data. */
static int do_pattern(struct io_scheduler *s, struct io_command *command, struct io_record *total)
{
    struct io_measurement m = {0};
    const struct io_layout *layout = &s->layouts[command->partition];
    double left = time_left(s);
    const char *end;
    command->place = io_layout_place(layout, command->pattern);
    command->rewritten = layout->calls[ACCESS_REWRITE][command->pattern];
    int64_t max = max_calls(s, command, &end);
    command->stop = stop_rule(s, command, left, max);
    int failed = 0;
    if (left > 0 && max > 0) {
        failed = perform(s, IO_PATTERN, command, &m);
        if (failed && !m.record.errors)
            return -1;
        end = failed                                           ? ""
              : m.full                                         ? "space"
              : s->task->patterns[command->pattern].units == 0 ? "once"
              : m.record.calls < max                           ? "time"
                                                               : end;
    } else if (max > 0) {
        end = "skipped";
    }
    account(s, command, &m.record);
    describe(&m, command, layout, end);
    io_record_add(total, &m.record);
    return keep(s, command, &m.record) || failed ? -1 : 0;
}

/* ---- one type ---- */

static bool is_selected(const struct io_task *task, enum io_type type, enum io_access access)
{
    bool any = false;
    for (int i = io_first(type); i < io_first(type) + io_count(type); i++)
        any = any || io_selected(&task->selection, access, &task->patterns[i]);
    return any;
}

static int open_file(struct io_scheduler *s, struct io_command *command, struct io_record *total)
{
    struct io_measurement m;
    if (command->access == ACCESS_WRITE && command->type >= TYPE_SEGMENTED)
        io_layout_plan(&s->layouts[command->partition], bytes_for(s, io_segment_units(s->task)));
    if (perform(s, IO_OPEN, command, &m))
        return -1;
    protocol_put(s->protocol, "moved_by",
                 "%s %s, %" PRId64 " processes: %" PRId64 " processes on %" PRId64 " nodes",
                 io_access_names[command->access], io_type_names[command->type],
                 s->task->partitions[command->partition], m.moving, m.moving_nodes);
    io_record_add(total, &m.record);
    if (command->access == ACCESS_READ) {
        total->resident = s->resident[command->partition][command->type];
        total->passed = m.passed;
    }
    return 0;
}

static int close_file(struct io_scheduler *s, struct io_command *command, struct io_record *total)
{
    struct io_measurement m;
    enum io_access access = command->access;
    bool rewrites = access < ACCESS_REWRITE && is_selected(s->task, command->type, ACCESS_REWRITE);
    bool reads = access < ACCESS_READ && is_selected(s->task, command->type, ACCESS_READ);
    command->drop = reads && !rewrites;
    command->remove = !reads && !rewrites;
    command->end = io_file_end(&s->layouts[command->partition], command->type);
    if (perform(s, IO_CLOSE, command, &m))
        return -1;
    if (m.resident_before > 0 && fmax(m.resident_before, m.resident_after) < IO_RESIDENT_UNKNOWN)
        s->resident[command->partition][command->type] = m.resident_after;
    if (command->drop)
        s->absent[command->partition][command->type] = m.resident_after == 0;
    if (access == ACCESS_READ) {
        total->direct = m.direct && !m.buffered && s->absent[command->partition][command->type];
        total->elsewhere = m.elsewhere;
        snprintf(total->cold, sizeof total->cold, "%s", io_coldness_words[io_record_coldness(total)]);
    }
    io_record_add(total, &m.record);
    return keep(s, command, total);
}

/* Measures a type. If no time remains, or if there is nothing to rewrite or read, the type is skipped and has
 * no total. */
static int do_type(struct io_scheduler *s, struct io_command *command)
{
    struct io_record total = {.pattern = RECORD_TOTAL, .planned = -1, .slowest_rank = -1};
    int first = io_first(command->type);
    bool opens = time_left(s) > 0 && (command->access == ACCESS_WRITE ||
                                      io_file_end(&s->layouts[command->partition], command->type) > 0);
    if (opens && open_file(s, command, &total))
        return -1;
    for (int i = first; i < first + io_count(command->type); i++) {
        command->pattern = i;
        if (io_selected(&s->task->selection, command->access, &s->task->patterns[i]) &&
            do_pattern(s, command, &total))
            return -1;
    }
    return opens ? close_file(s, command, &total) : 0;
}

/* ---- the whole run ---- */

void io_scheduler_make(struct io_scheduler *s, const struct io_scheduler_ops *ops, struct protocol *protocol,
                       const struct io_task *task, double time)
{
    *s = (struct io_scheduler){.ops = *ops,
                               .protocol = protocol,
                               .task = task,
                               .stop_at = time - RESERVE_SHARE * time - RESERVE_SECONDS,
                               .min_left = io_min_bytes(task)};
    for (int a = 0; a < IO_ACCESSES; a++)
        for (int i = 0; i < IO_PATTERNS; i++)
            if (io_selected(&task->selection, (enum io_access)a, &task->patterns[i])) {
                int units = task->partition_count * task->patterns[i].units;
                s->units_left += units;
                s->write_units_left += a == ACCESS_WRITE ? units : 0;
            }
    for (int p = 0; p < task->partition_count; p++) {
        s->layouts[p] = (struct io_layout){.task = task, .processes = task->partitions[p]};
        for (int t = 0; t < IO_TYPES; t++)
            s->resident[p][t] = -1;
    }
}

/* Evicts the caches of all nodes: the partition with the most nodes has every node that another one has. */
static int evict(struct io_scheduler *s)
{
    struct io_command command = {.access = ACCESS_READ};
    struct io_measurement m;
    for (int p = 1; p < s->task->partition_count; p++)
        if (s->task->nodes[p] > s->task->nodes[command.partition])
            command.partition = p;
    if (perform(s, IO_EVICT, &command, &m))
        return -1;
    protocol_put(s->protocol, "evict_s", "%.3f", m.record.t_total);
    return protocol_error(s->protocol, &s->error);
}

static int do_access(struct io_scheduler *s, enum io_access access)
{
    if (access == ACCESS_READ && s->task->evict && s->task->selection.access[ACCESS_READ] && evict(s))
        return -1;
    for (int p = 0; p < s->task->partition_count; p++)
        for (int t = 0; t < IO_TYPES; t++) {
            struct io_command command = {.access = access, .partition = p, .type = (enum io_type)t};
            if (is_selected(s->task, command.type, access) && do_type(s, &command))
                return -1;
        }
    return 0;
}

enum exit_status io_scheduler_run(struct io_scheduler *s)
{
    for (int a = 0; a < IO_ACCESSES; a++)
        if (do_access(s, (enum io_access)a)) {
            if (s->stop)
                message_set(&s->error, "stopped by signal %d", s->stop);
            return s->stop ? EXIT_STOPPED : EXIT_ERRORS;
        }
    return EXIT_OK;
}
