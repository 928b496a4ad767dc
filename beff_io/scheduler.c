/* The scheduler. Uses budget, patterns, record. */
#include "beff_io/scheduler.h"

#include <math.h>

/* Bytes of free space left alone: the protocol and the file system's own blocks need some. */
#define SPACE_MARGIN (INT64_C(4) << 20)

/* Functions that return int: 0, or -1 at the end of the run. */

static double time_left(const struct io_scheduler *s)
{
    return s->budget.stop_at - s->ops.elapsed(s->ops.context);
}

static const struct io_layout *layout_of(const struct io_scheduler *s, const struct io_command *command)
{
    return &s->layouts[command->partition];
}

/* ---- which files are still needed ---- */

bool io_type_selected(const struct io_task *task, enum io_type type, enum io_access access)
{
    bool any = false;
    for (int i = io_first(type); i < io_first(type) + io_count(type); i++)
        any = any || io_selected(&task->selection, access, &task->patterns[i]);
    return any;
}

bool io_is_last_write(const struct io_task *task, enum io_type type, enum io_access access)
{
    return access == ACCESS_REWRITE ||
           (access == ACCESS_WRITE && !io_type_selected(task, type, ACCESS_REWRITE));
}

bool io_is_last_use(const struct io_task *task, enum io_type type, enum io_access access)
{
    return access == ACCESS_READ ||
           (io_is_last_write(task, type, access) && !io_type_selected(task, type, ACCESS_READ));
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

/* What the record is of, and what follows from what was measured. */
static void complete(struct io_record *record, const struct io_layout *layout,
                     const struct io_command *command)
{
    record->processes = layout->processes;
    record->type = command->type;
    snprintf(record->access, sizeof record->access, "%s", io_access_names[command->access]);
    record->bandwidth = record->t_total > 0 ? (double)record->bytes / record->t_total / 1e6 : 0;
}

static void complete_pattern(struct io_record *record, const struct io_layout *layout,
                             const struct io_command *command, const char *ended_by)
{
    struct io_place place = io_layout_place(layout, command->pattern);
    complete(record, layout, command);
    snprintf(record->pattern, sizeof record->pattern, "%d", command->pattern);
    record->chunk_disk = place.disk;
    record->chunk_mem = place.memory;
    record->units = layout->task->patterns[command->pattern].units;
    record->t_scheduled = isfinite(command->stop.slice) ? command->stop.slice : 0;
    record->offset = place.base;
    record->planned = io_layout_room(layout, command->pattern);
    if (!record->calls) {
        record->slowest_rank = -1;
        *record->slowest_node = 0;
    }
    snprintf(record->ended_by, sizeof record->ended_by, "%s", ended_by);
}

/* ---- one pattern ---- */

/* Calls that the file system has room for. */
static int64_t room(const struct io_scheduler *s, int64_t bytes_per_call)
{
    int64_t left = s->ops.free_bytes(s->ops.context);
    if (left < 0)
        return INT64_MAX;
    return left < bytes_per_call + SPACE_MARGIN ? 0 : (left - SPACE_MARGIN) / bytes_per_call;
}

/* The maximum of calls: as planned, as the bytes allow, as written before. */
static int64_t max_calls(const struct io_scheduler *s, const struct io_command *command,
                         const struct io_pattern *p)
{
    const struct io_layout *layout = layout_of(s, command);
    if (command->access != ACCESS_WRITE)
        return layout->written[command->pattern];
    if (command->type >= TYPE_SEGMENTED)
        return layout->planned[command->pattern];
    return 1 + (p->units ? io_budget_bytes(&s->budget, p->units) / (layout->processes * p->memory) : 0);
}

/* `fits`: calls that the file system had room for. */
static const char *reason(const struct io_scheduler *s, const struct io_command *command,
                          const struct io_measurement *m, int64_t fits)
{
    const struct io_layout *layout = layout_of(s, command);
    if (m->full)
        return "space";
    if (s->task->patterns[command->pattern].units == 0)
        return "once";
    if (m->record.calls < command->stop.max_calls)
        return "time";
    if (command->access != ACCESS_WRITE)
        return "data";
    if (m->record.calls >= fits)
        return "space";
    bool short_of_bytes = command->type <= TYPE_SEPARATED ||
                          layout->planned[command->pattern] < io_layout_repeat(layout, command->pattern);
    return short_of_bytes ? "bytes" : "repeat";
}

/* Does a pattern, or leaves it out when the time is up, the disk is full or there is nothing to read; adds it
 * to the total. */
static int do_pattern(struct io_scheduler *s, struct io_command *command, struct io_record *total)
{
    struct io_measurement m = {0};
    const struct io_layout *layout = layout_of(s, command);
    const struct io_pattern *p = &s->task->patterns[command->pattern];
    double left = time_left(s);
    int64_t calls = max_calls(s, command, p), fits = INT64_MAX;
    if (command->access == ACCESS_WRITE && calls)
        fits = room(s, layout->processes * io_layout_place(layout, p->number).memory);
    command->stop = io_budget_stop(&s->budget, left, command->access, p, layout->processes);
    command->stop.max_calls = calls < fits ? calls : fits;
    bool is_filled = layout->has_plan && p->fill && !layout->planned[p->number];
    const char *ended_by = is_filled ? "data" : fits == 0 ? "space" : "skipped";
    if (left > 0 && command->stop.max_calls > 0) {
        if (perform(s, IO_PATTERN, command, &m))
            return -1;
        if (command->access != ACCESS_READ)
            io_budget_learn_sync(&s->budget, (double)m.record.bytes, m.record.t_sync);
        ended_by = reason(s, command, &m, fits);
    }
    io_budget_spend(&s->budget, command->access, p, layout->processes, m.record.bytes);
    complete_pattern(&m.record, layout, command, ended_by);
    io_record_add(total, &m.record);
    return s->ops.record(s->ops.context, &m.record, &s->error);
}

/* ---- one type ---- */

static int open_file(struct io_scheduler *s, struct io_command *command, struct io_record *total)
{
    struct io_measurement m;
    if (command->access == ACCESS_WRITE && command->type >= TYPE_SEGMENTED)
        command->bytes = io_budget_bytes(&s->budget, io_segment_units(s->task));
    if (perform(s, IO_OPEN, command, &m))
        return -1;
    io_record_add(total, &m.record);
    if (command->access == ACCESS_READ) {
        total->resident = s->resident[command->partition][command->type];
        total->passed = m.passed;
        snprintf(total->cold, sizeof total->cold, "%s", io_record_coldness(total->resident, total->passed));
    }
    return 0;
}

static int close_file(struct io_scheduler *s, struct io_command *command, struct io_record *total)
{
    struct io_measurement m;
    if (perform(s, IO_CLOSE, command, &m))
        return -1;
    if (io_is_last_write(s->task, command->type, command->access) && m.resident_before > 0 &&
        fmax(m.resident_before, m.resident_after) < IO_RESIDENT_UNKNOWN)
        s->resident[command->partition][command->type] = m.resident_after;
    io_record_add(total, &m.record);
    complete(total, layout_of(s, command), command);
    return s->ops.record(s->ops.context, total, &s->error);
}

/* A type for which no time is left, or of which nothing was written, is left out: it has no total. */
static int do_type(struct io_scheduler *s, struct io_command *command)
{
    struct io_record total = {.pattern = RECORD_TOTAL, .planned = -1, .slowest_rank = -1};
    int first = io_first(command->type);
    bool opens = time_left(s) > 0 &&
                 (command->access == ACCESS_WRITE || io_file_end(layout_of(s, command), command->type) > 0);
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

/* ---- all ---- */

void io_scheduler_make(struct io_scheduler *s, const struct io_scheduler_ops *ops, const struct io_task *task,
                       const struct io_layout *layouts, double time)
{
    *s = (struct io_scheduler){.ops = *ops, .task = task, .layouts = layouts};
    io_budget_make(&s->budget, task, time);
    for (int p = 0; p < task->partition_count; p++)
        for (int t = 0; t < IO_TYPES; t++)
            s->resident[p][t] = -1;
}

enum exit_status io_scheduler_run(struct io_scheduler *s)
{
    for (int a = 0; a < IO_ACCESSES; a++)
        for (int p = 0; p < s->task->partition_count; p++)
            for (int t = 0; t < IO_TYPES; t++) {
                struct io_command command = {
                    .access = (enum io_access)a, .partition = p, .type = (enum io_type)t};
                if (!io_type_selected(s->task, command.type, command.access) || !do_type(s, &command))
                    continue;
                if (s->stop)
                    message_set(&s->error, "stopped by signal %d", s->stop);
                return s->stop ? EXIT_STOPPED : EXIT_ERRORS;
            }
    return EXIT_RATED;
}
