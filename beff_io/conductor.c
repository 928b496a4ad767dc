/* The conductor. Uses budget, layout, record. */
#include "beff_io/conductor.h"

#include <math.h>

#include "beff_io/tuning.h"

enum step { STEP_ON, STEP_END }; /* go on; end of the run */

static double now(const struct io_conductor *c)
{
    return c->world.elapsed(c->world.context);
}

static double time_left(const struct io_conductor *c)
{
    return io_budget_left(&c->budget, now(c));
}

/* ---- steps ---- */

static enum step perform(struct io_conductor *c, enum io_action action, struct io_order *order,
                         struct io_outcome *outcome)
{
    order->action = action;
    *outcome = (struct io_outcome){0};
    if (c->world.perform(c->world.context, order, outcome, &c->error))
        return STEP_END;
    if (outcome->stop && !c->stop)
        c->stop = outcome->stop;
    return c->stop ? STEP_END : STEP_ON;
}

static enum step keep(struct io_conductor *c, const struct io_record *record)
{
    return c->world.record(c->world.context, record, c->budget.stop_at, &c->error) ? STEP_END : STEP_ON;
}

static void learn_sync(struct io_conductor *c, enum io_access access, const struct io_outcome *outcome)
{
    io_budget_learn_sync(&c->budget, access, (double)outcome->record.bytes, outcome->record.t_sync);
}

static void name_record(struct io_record *record, const struct io_order *order, const char *pattern)
{
    record->processes = order->processes;
    record->type = order->type;
    record->planned = -1;
    snprintf(record->access, sizeof record->access, "%s", io_access_name(order->access));
    snprintf(record->pattern, sizeof record->pattern, "%s", pattern);
}

static struct io_record pattern_record(const struct io_order *order, const struct io_outcome *o,
                                       const char *ended_by)
{
    struct io_record record = o->record;
    char number[COLUMN_TEXT_SIZE];
    snprintf(number, sizeof number, "%d", order->pattern.number);
    name_record(&record, order, number);
    record.chunk_disk = order->place.disk;
    record.chunk_mem = order->place.memory;
    record.units = order->pattern.units;
    record.bandwidth = record.t_total > 0 ? (double)record.bytes / record.t_total / 1e6 : 0;
    record.t_scheduled = isfinite(order->slice) ? order->slice : 0;
    record.offset = order->place.base;
    if (order->type >= TYPE_SEGMENTED)
        record.planned = order->place.planned;
    if (!record.calls)
        record.slowest_rank = -1;
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

/* Calls that the file system has room for. */
static int64_t room(const struct io_conductor *c, const struct io_order *order)
{
    int64_t left = c->world.free_bytes ? c->world.free_bytes(c->world.context) : -1;
    int64_t call = order->processes * order->place.memory;
    if (left < 0)
        return INT64_MAX;
    return left < call + SPACE_MARGIN ? 0 : (left - SPACE_MARGIN) / call;
}

/* `short_of_bytes`: `most` is what --max-bytes allows; `fits`: calls that the file system has room for. */
static const char *reason(const struct io_order *order, const struct io_outcome *outcome, bool short_of_bytes,
                          int64_t fits)
{
    if (outcome->full)
        return "space";
    if (order->pattern.units == 0)
        return "once";
    if (outcome->record.calls < order->most)
        return "time";
    if (order->access != ACCESS_WRITE)
        return "data";
    return outcome->record.calls >= fits ? "space" : short_of_bytes ? "bytes" : "repeat";
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
    order->sync_fixed = c->budget.sync_fixed[order->access];
    order->sync_per_call = c->budget.sync_per_byte[order->access] * bytes;
}

/* How often at most: as planned, as often as there are bytes for it, as it was written. */
static int64_t most_calls(const struct io_conductor *c, const struct io_order *order)
{
    if (order->place.memory == 0) /* nothing is left of the segment */
        return 0;
    if (order->access != ACCESS_WRITE)
        return order->place.written;
    if (order->type >= TYPE_SEGMENTED)
        return order->place.planned;
    return io_budget_calls(&c->budget, &order->pattern, order->processes);
}

/* Does a pattern, or leaves it out when the time is up, the disk is full or there is nothing to read; adds it
 * to the total. */
static enum step do_pattern(struct io_conductor *c, int partition, struct io_order *order,
                            struct io_record *total)
{
    struct io_outcome outcome = {0};
    struct io_layout *layout = &c->layout[partition];
    const struct io_pattern *p = &order->pattern;
    bool writes = order->access == ACCESS_WRITE, late = time_left(c) <= 0;
    order->place = layout->place[p->number];
    order->most = most_calls(c, order);
    order->slice = io_budget_slice(&c->budget, now(c), partition, order->access, p->units);
    set_sync(c, order);
    int64_t fits = writes && order->most ? room(c, order) : INT64_MAX;
    const char *ended_by = late && order->most ? "skipped" : fits == 0 ? "space" : "data";
    order->most = order->most < fits ? order->most : fits;
    if (!late && order->most > 0) {
        bool short_of_bytes = p->type <= TYPE_SEPARATED || c->short_of_bytes[p->number];
        if (perform(c, IO_ACTION_PATTERN, order, &outcome) != STEP_ON)
            return STEP_END;
        learn_sync(c, order->access, &outcome);
        note_calls(layout, order, outcome.record.calls);
        ended_by = reason(order, &outcome, short_of_bytes, fits);
    }
    if (writes)
        io_budget_spend(&c->budget, p, order->processes, outcome.record.bytes);
    struct io_record record = pattern_record(order, &outcome, ended_by);
    add_to_total(total, &record);
    return keep(c, &record);
}

/* ---- one type ---- */

static bool type_selected(const struct io_conductor *c, enum io_type type, enum io_access access)
{
    bool any = false;
    for (int i = io_first(type); i < io_first(type) + io_count(type); i++)
        any = any || io_selected(&c->task->selection, access, &c->task->patterns[i]);
    return any;
}

/* Share of a file after dropping it; -1 where the page cache is not used, or was not dropped. */
static double left_in_memory(const struct io_outcome *outcome)
{
    return outcome->resident_before > 0 ? outcome->resident_after : -1;
}

/* The file is not written any more after this access method. */
static bool is_last_write(const struct io_conductor *c, const struct io_order *order)
{
    return order->access == ACCESS_REWRITE ||
           (order->access == ACCESS_WRITE && !type_selected(c, order->type, ACCESS_REWRITE));
}

static bool is_last_use(const struct io_conductor *c, const struct io_order *order)
{
    return order->access == ACCESS_READ ||
           (is_last_write(c, order) && !type_selected(c, order->type, ACCESS_READ));
}

static enum step close_file(struct io_conductor *c, int partition, struct io_order *order,
                            struct io_record *total)
{
    struct io_outcome outcome;
    const struct io_layout *layout = &c->layout[partition];
    order->last_use = is_last_use(c, order);
    order->drop_cache = is_last_write(c, order) && !order->last_use;
    order->end = io_file_end(layout, order->type);
    if (perform(c, IO_ACTION_CLOSE, order, &outcome) != STEP_ON)
        return STEP_END;
    if (order->drop_cache)
        c->resident[partition][order->type] = left_in_memory(&outcome);
    total->t_close = outcome.record.t_close;
    total->t_total += outcome.record.t_total;
    total->t_excluded += outcome.record.t_excluded;
    total->bandwidth = total->t_total > 0 ? (double)total->bytes / total->t_total / 1e6 : 0;
    return keep(c, total);
}

/* All patterns of a type are left out, as the time is up or nothing was written. */
static enum step skip_type(struct io_conductor *c, int partition, struct io_order *order)
{
    int first = io_first(order->type);
    for (int i = first; i < first + io_count(order->type); i++) {
        order->pattern = c->task->patterns[i];
        if (!io_selected(&c->task->selection, order->access, &order->pattern))
            continue;
        if (order->access == ACCESS_WRITE)
            io_budget_spend(&c->budget, &order->pattern, order->processes, 0);
        order->place = c->layout[partition].place[i];
        order->slice = io_budget_slice(&c->budget, now(c), partition, order->access, order->pattern.units);
        struct io_record record = pattern_record(order, &(struct io_outcome){0}, "skipped");
        if (keep(c, &record) != STEP_ON)
            return STEP_END;
    }
    return STEP_ON;
}

/* How often the patterns of types 3 and 4 (from `first` on) repeat, and so where they are: as often as the
 * others allow, and as often as there are bytes for it. */
static void plan_segments(struct io_conductor *c, int partition, enum io_type first)
{
    struct io_layout *layout = &c->layout[partition];
    struct io_budget ahead = c->budget;
    int64_t planned[IO_PATTERNS] = {0};
    for (int i = io_first(first); i < IO_PATTERNS; i++) {
        const struct io_pattern *p = &c->task->patterns[i];
        if (!io_selected(&c->task->selection, ACCESS_WRITE, p) || p->fill)
            continue;
        int64_t share = io_budget_calls(&ahead, p, layout->processes);
        int64_t repeat = io_layout_repeat(layout, c->task->patterns, p);
        planned[i] = share < repeat ? share : repeat;
        c->short_of_bytes[i] = share < repeat;
        ahead.units_left[partition][ACCESS_WRITE] -= p->units;
        io_budget_spend(&ahead, p, layout->processes, planned[i] * layout->processes * p->memory);
    }
    io_layout_segments(layout, c->task->patterns, planned);
}

/* Why the reads of a file count as cold, or that they do not. */
static void judge_coldness(const struct io_conductor *c, int partition, const struct io_outcome *outcome,
                           struct io_record *total)
{
    total->resident = c->resident[partition][total->type];
    total->passed = outcome->passed;
    snprintf(total->cold, sizeof total->cold, "%s", io_record_coldness(total->resident, total->passed));
}

static enum step open_file(struct io_conductor *c, int partition, struct io_order *order,
                           struct io_record *total)
{
    struct io_outcome outcome;
    struct io_layout *layout = &c->layout[partition];
    *total = (struct io_record){.slowest_rank = -1};
    name_record(total, order, RECORD_TOTAL);
    order->drop_cache = !c->task->selection.access[ACCESS_WRITE];
    if (perform(c, IO_ACTION_OPEN, order, &outcome) != STEP_ON)
        return STEP_END;
    if (order->drop_cache)
        c->resident[partition][order->type] = left_in_memory(&outcome);
    total->t_open = outcome.record.t_open;
    total->t_total = outcome.record.t_total;
    if (order->access == ACCESS_READ)
        judge_coldness(c, partition, &outcome, total);
    layout->ran[order->type] = true;
    if (order->access == ACCESS_WRITE && order->type >= TYPE_SEGMENTED && layout->segment <= 0)
        plan_segments(c, partition, order->type);
    return STEP_ON;
}

/* Bytes that the initial write left in the files of a type. */
static int64_t file_bytes(const struct io_layout *layout, enum io_type type)
{
    int64_t bytes = 0;
    for (int i = io_first(type); i < io_first(type) + io_count(type); i++)
        bytes += layout->place[i].written * layout->place[i].memory * layout->processes;
    return bytes;
}

static enum step do_type(struct io_conductor *c, int partition, enum io_access access, enum io_type type)
{
    struct io_layout *layout = &c->layout[partition];
    struct io_order order = {.access = access, .type = type, .processes = c->task->partitions[partition]};
    struct io_record total;
    c->budget.types_left[partition][access]--;
    if (time_left(c) <= 0 || (access != ACCESS_WRITE && !layout->ran[type]))
        return skip_type(c, partition, &order);
    double start = now(c), timed = 0;
    if (open_file(c, partition, &order, &total) != STEP_ON)
        return STEP_END;
    int first = io_first(type);
    for (int i = first; i < first + io_count(type); i++) {
        double before = total.t_total;
        order.pattern = c->task->patterns[i];
        if (access == ACCESS_WRITE && type <= TYPE_SEPARATED)
            io_layout_follow(layout, c->task->patterns, i);
        if (!io_selected(&c->task->selection, access, &order.pattern))
            continue;
        if (do_pattern(c, partition, &order, &total) != STEP_ON)
            return STEP_END;
        timed += order.pattern.units ? total.t_total - before : 0;
    }
    if (access == ACCESS_WRITE)
        io_budget_learn_write(&c->budget, now(c), total.t_total, (double)total.bytes);
    if (close_file(c, partition, &order, &total) != STEP_ON)
        return STEP_END;
    if (access == ACCESS_READ) { /* counted by bytes */
        timed += total.t_excluded;
        io_budget_learn_read(&c->budget, (double)file_bytes(layout, type), total.t_excluded);
    }
    io_budget_learn_beside(&c->budget, partition, access, now(c) - start - timed);
    return STEP_ON;
}

/* ---- agreeing when to stop ---- */

int64_t io_order_calls(const struct io_order *order, int64_t done, double seconds, double cost)
{
    if (done >= order->most)
        return 0;
    if (done == 0)
        return 1;
    double one = fmax(seconds / (double)done, 1e-9), left = order->slice - seconds;
    left -= order->sync_fixed + (double)done * order->sync_per_call;
    double fit = floor(left / (one + order->sync_per_call)), room = (double)(order->most - done);
    if (fit < 1 || left < END_SHARE * order->slice)
        return 0;
    fit = fmin(fit, room);
    double batch = fmin(BATCH_SHARE * order->slice / one, BATCH_GROWTH * (double)done);
    batch = fmax(fmax(fmin(batch, BATCH_REST * fit), cost / COST_SHARE / one), 1);
    return (int64_t)fmin(fit, batch);
}

/* ---- looking ahead ---- */

/* Opens, does one pattern, closes. */
static enum step probe_access(struct io_conductor *c, int partition, struct io_order *order, double *seconds,
                              double *bytes)
{
    struct io_outcome outcome;
    double start = now(c);
    if (perform(c, IO_ACTION_OPEN, order, &outcome) != STEP_ON ||
        perform(c, IO_ACTION_PATTERN, order, &outcome) != STEP_ON)
        return STEP_END;
    learn_sync(c, order->access, &outcome);
    c->probe_errors += outcome.record.errors;
    *seconds = outcome.record.t_total;
    *bytes = (double)outcome.record.bytes;
    if (order->access == ACCESS_WRITE)
        order->most = order->place.written = outcome.record.calls;
    order->place.rewritten = order->access == ACCESS_REWRITE ? outcome.record.calls : order->place.rewritten;
    order->drop_cache = order->access == ACCESS_REWRITE;
    order->last_use = order->access == ACCESS_READ;
    if (perform(c, IO_ACTION_CLOSE, order, &outcome) != STEP_ON)
        return STEP_END;
    double removing = order->last_use ? outcome.record.t_excluded : 0;
    if (order->last_use)
        io_budget_learn_removal(&c->budget, *bytes, removing);
    io_budget_learn_beside(&c->budget, partition, order->access, now(c) - start - *seconds - removing);
    return STEP_ON;
}

/* A little of type 0, written, rewritten and read: how much faster than writing the others are, and what the
 * sync costs. */
static enum step probe(struct io_conductor *c, int partition)
{
    static const int pattern = 3; /* type 0, 1 MB */
    double seconds[IO_ACCESSES], bytes[IO_ACCESSES], left = time_left(c);
    struct io_order order = {.type = TYPE_SCATTER,
                             .probe = true,
                             .processes = c->task->partitions[partition],
                             .pattern = c->task->patterns[pattern],
                             .place = c->layout[partition].place[pattern],
                             .slice = fmin(left * PROBE_SHARE / c->task->partition_count, PROBE_SECONDS)};
    order.most = 1 + (int64_t)(PROBE_BYTES / (double)(order.processes * order.place.memory));
    for (int a = 0; a < IO_ACCESSES; a++) {
        order.access = (enum io_access)a;
        if (probe_access(c, partition, &order, &seconds[a], &bytes[a]) != STEP_ON)
            return STEP_END;
    }
    io_budget_learn_probe(&c->budget, now(c), partition, seconds, bytes);
    return STEP_ON;
}

/* ---- all ---- */

void io_conductor_make(struct io_conductor *c, const struct io_conductor_world *world,
                       const struct io_task *task, double stop_at, double cache, bool adapt)
{
    *c = (struct io_conductor){.world = *world, .task = task};
    io_budget_make(&c->budget, task, stop_at, cache, adapt);
    for (int p = 0; p < task->partition_count; p++) {
        io_layout_start(&c->layout[p], task->partitions[p], task->patterns);
        for (int i = 0; i < IO_PATTERNS; i++)
            c->layout[p].place[i].left_out = !task->selection.pattern[i];
        for (int t = 0; t < IO_TYPES; t++)
            c->resident[p][t] = -1;
    }
}

static enum exit_status ended(struct io_conductor *c)
{
    if (c->stop)
        message_set(&c->error, "stopped by signal %d", c->stop);
    return c->stop ? EXIT_STOPPED : EXIT_ERRORS;
}

enum exit_status io_conductor_run(struct io_conductor *c)
{
    for (int p = 0; p < c->task->partition_count && c->task->selection.access[ACCESS_WRITE]; p++)
        if (probe(c, p) != STEP_ON)
            return ended(c);
    c->budget.written = c->budget.writing = 0;
    for (int a = 0; a < IO_ACCESSES; a++)
        for (int p = 0; p < c->task->partition_count; p++)
            for (int t = 0; t < IO_TYPES; t++)
                if (type_selected(c, (enum io_type)t, (enum io_access)a) &&
                    do_type(c, p, (enum io_access)a, (enum io_type)t) != STEP_ON)
                    return ended(c);
    return EXIT_RATED;
}
