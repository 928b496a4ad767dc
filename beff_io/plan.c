/* Implements --plan: prints the patterns, the partitions, and the expected time and bytes. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "beff_io/results.h"
#include "beff_io/scratch.h"
#include "common/plan.h"
#include "common/sysinfo.h"

struct planned_run {
    const struct io_settings *settings;
    struct io_task task;
    int64_t processes, memory_mib;
    struct io_prospect prospect;
    struct texts unreachable, warnings;
};

static int make_plan(struct planned_run *plan, const struct io_settings *s, int64_t processes,
                     struct message *error)
{
    *plan = (struct planned_run){.settings = s, .task = {.selection = s->selection}};
    int64_t cores = topology_node_cores();
    plan->processes = s->processes ? s->processes : processes ? processes : cores;
    plan->memory_mib = io_memory_mib(s, plan->processes);
    if (!plan->memory_mib)
        plan->memory_mib = sysinfo_plan_mib(plan->processes < cores ? plan->processes : cores);
    if (!plan->memory_mib)
        return message_set(error, "%s", SYSINFO_NO_MEMORY);
    plan->task.mpart = io_mpart(plan->memory_mib);
    io_patterns(plan->task.mpart, plan->task.patterns);
    if (io_partitions(&plan->task, plan->processes, s->partitions, error))
        return -1;
    struct sysinfo_node node;
    sysinfo_read("", &node);
    plan->prospect = (struct io_prospect){.settings = s,
                                          .task = &plan->task,
                                          .memory = s->cache ? IO_CACHE_FACTOR * (double)s->cache
                                                             : (double)node.memory_mib * 1048576};
    const char *path = s->path ? s->path : ".";
    struct sysinfo_space space;
    if (sysinfo_space(path, &space))
        return message_set(error, IO_NO_DIRECTORY, scratch_shown(path), strerror(errno));
    if (space.free < 0 && !s->max_bytes)
        return message_set(error, IO_NO_SPACE, scratch_shown(path));
    plan->prospect.in_memory = space.in_memory;
    plan->task.max_bytes = io_max_bytes(s, space.free);
    io_prospect_unreachable(&plan->prospect, &plan->unreachable);
    io_prospect_warnings(&plan->prospect, &plan->warnings);
    return 0;
}

/* ---- patterns ---- */

struct pattern_cells {
    int64_t number, type, disk, memory, units;
    const char *name;
    double seconds;
};

#define AT(member) offsetof(struct pattern_cells, member)

static const struct column columns[] = {
    {"number", "", COLUMN_INTEGER, 0, AT(number)},
    {"type", "", COLUMN_INTEGER, 0, AT(type)},
    {"name", "", COLUMN_TEXT, 0, AT(name)},
    {"chunk_disk", "B", COLUMN_INTEGER, 0, AT(disk)},
    {"chunk_mem", "B", COLUMN_INTEGER, 0, AT(memory)},
    {"units", "", COLUMN_INTEGER, 0, AT(units)},
    {"seconds", "s", COLUMN_REAL, 3, AT(seconds)},
};

static void fill_pattern(const struct table *table, int row, void *cells)
{
    const struct planned_run *plan = table->context;
    const struct io_pattern *p = &plan->task.patterns[row];
    const struct io_settings *s = plan->settings;
    *(struct pattern_cells *)cells = (struct pattern_cells){
        .number = p->number,
        .type = (int)p->type,
        .disk = p->fill ? -1 : p->disk,
        .memory = p->fill ? -1 : p->memory,
        .units = p->units,
        .name = io_type_names[p->type],
        .seconds = io_scheduled(s->run.time, plan->task.partition_count, p->units, s->rewrite)};
}

/* ---- figures ---- */

static void put_figures(struct planned_run *made, struct plan *plan)
{
    const struct io_task *task = &made->task;
    double time = made->settings->run.time;
    struct texts partitions = {0};
    plan_figure(plan, "program", "program", "", "beff_io");
    plan_figure(plan, "definition", "definition", "", IO_DEFINITION);
    plan_figure(plan, "processes", "processes", "", "%" PRId64, made->processes);
    plan_figure(plan, "memory_per_process", "memory per process", "MiB", "%" PRId64, made->memory_mib);
    plan_figure(plan, "lmax", "M_PART", "B", "%" PRId64, task->mpart);
    for (int i = 0; i < task->partition_count; i++)
        texts_add(&partitions, "%" PRId64, task->partitions[i]);
    plan_list(plan, "partitions", "partitions", "processes", &partitions);
    plan_figure(plan, "seconds_expected", "the run takes at most", "s", "%g", time);
    plan_figure(plan, "seconds_per_partition", "time of each partition", "s", "%g",
                time / task->partition_count);
    plan_figure(plan, "units", "time units per partition", "", "%d", io_units(made->settings->rewrite));
    plan_figure(plan, "bytes_min", "minimum to write", "B", "%" PRId64, io_min_bytes(task));
    plan_figure(plan, "bytes_expected", "the run writes at most", "B", "%" PRId64, task->max_bytes);
    plan_figure(plan, "write_bandwidth_max", "sufficient up to a write rate of", "MB/s", "%.0f",
                io_prospect_fastest(&made->prospect));
    plan_list(plan, "unreachable", "criteria that cannot be met", "", &made->unreachable);
    plan_list(plan, "warnings", "warnings", "", &made->warnings);
}

int io_plan(const void *context, int64_t processes, FILE *out, struct message *error)
{
    const struct io_settings *settings = context;
    struct planned_run made;
    struct plan plan;
    int failed = make_plan(&made, settings, processes, error);
    if (!failed) {
        const struct table patterns = {
            .name = "patterns",
            .title = "Patterns (with 0 units: run once; without a chunk size: fill their segment)",
            TABLE_COLUMNS(columns),
            .rows = IO_PATTERNS,
            .fill = fill_pattern,
            .context = &made};
        plan_start(&plan, out, settings->run.json);
        put_figures(&made, &plan);
        plan_finish(&plan, &patterns);
    }
    return failed;
}
