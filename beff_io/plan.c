/* --plan, as text and as JSON. */
#include <inttypes.h>

#include "beff_io/results.h"
#include "common/json.h"
#include "common/sysinfo.h"

struct plan {
    const struct io_settings *settings;
    struct io_task task;
    int64_t processes, memory_mib;
    struct io_prospect prospect;
    struct texts unreachable;
};

static double slice_of(const struct plan *plan, const struct io_pattern *pattern)
{
    return io_scheduled(plan->settings->run.time, plan->task.partition_count, pattern->units,
                        plan->settings->rewrite);
}

static int make_plan(struct plan *plan, const struct io_settings *s, int64_t processes, struct message *error)
{
    *plan = (struct plan){.settings = s, .task = {.selection = s->selection}};
    int64_t cores = topology_node_cores();
    plan->processes = s->processes ? s->processes : processes ? processes : cores;
    plan->memory_mib = io_memory_mib(s, plan->processes);
    if (!plan->memory_mib)
        plan->memory_mib = sysinfo_share_mib(plan->processes < cores ? plan->processes : cores);
    plan->task.mpart = io_mpart(plan->memory_mib);
    io_patterns(plan->task.mpart, plan->task.patterns);
    plan->task.partition_count = io_partitions(plan->processes, s->partitions, plan->task.partitions, error);
    if (!plan->task.partition_count)
        return -1;
    struct sysinfo_node node;
    sysinfo_read("", &node);
    plan->prospect = (struct io_prospect){.settings = s,
                                          .partition_count = plan->task.partition_count,
                                          .memory = (double)node.memory_mib * 1048576};
    int64_t left = sysinfo_free_bytes(s->path ? s->path : ".", &plan->prospect.in_memory);
    plan->task.max_bytes = io_max_bytes(s, left < 0 ? 0 : left);
    plan->prospect.max_bytes = (double)plan->task.max_bytes;
    io_prospect_unreachable(&plan->prospect, &plan->unreachable);
    return 0;
}

/* ---- text ---- */

static void put_prospect(const struct plan *plan, FILE *out)
{
    fprintf(out, "Validity: what may be written suffices up to %.0f MB/s of writing on average\n",
            io_prospect_fastest(&plan->prospect));
    for (size_t i = 0; i < plan->unreachable.count; i++)
        fprintf(out, "  cannot be reached: %s\n", plan->unreachable.text[i]);
    if (plan->unreachable.count == 0)
        fprintf(out, "  every criterion can be reached\n");
}

static void put_patterns(const struct plan *plan, FILE *out)
{
    fprintf(out, "\nPatterns (scheduled: seconds for each access method and partition):\n"
                 "   no. type        l on disk   L in memory   U  scheduled\n");
    for (int i = 0; i < IO_PATTERNS; i++) {
        const struct io_pattern *p = &plan->task.patterns[i];
        fprintf(out, "  %4d %-9s", p->number, io_type_names[p->type]);
        if (p->fill)
            fprintf(out, "  %25s", "fills the segment up");
        else
            fprintf(out, "%13" PRId64 " %13" PRId64, p->disk, p->memory);
        if (p->units)
            fprintf(out, " %3d %10.3f\n", p->units, slice_of(plan, p));
        else
            fprintf(out, " %3d       once\n", p->units);
    }
}

static void plan_text(const struct plan *plan, FILE *out)
{
    const struct io_settings *s = plan->settings;
    fprintf(out, "b_eff_io on %" PRId64 " process%s\n\n", plan->processes, TEXT_ES(plan->processes));
    fprintf(out, "Memory per process %" PRId64 " MiB, M_PART %" PRId64 " B\nPartitions:", plan->memory_mib,
            plan->task.mpart);
    for (int i = 0; i < plan->task.partition_count; i++)
        fprintf(out, " %" PRId64, plan->task.partitions[i]);
    fprintf(out,
            " process%s; all write, then all rewrite (%s), then all read\n"
            "Schedule: %g s in all, %g s for each partition; a pattern gets U / %d of that: its share "
            "of the time that is left.\n"
            "Bytes: every pattern once takes %.1f MB; at most %.1f MB are written\n",
            TEXT_ES(plan->task.partitions[plan->task.partition_count - 1]),
            s->rewrite ? "all types" : "type 0", s->run.time, s->run.time / plan->task.partition_count,
            io_units(s->rewrite), (double)io_min_bytes(&plan->task) / 1e6,
            (double)plan->task.max_bytes / 1e6);
    put_prospect(plan, out);
    put_patterns(plan, out);
}

/* ---- JSON ---- */

static void put_pattern(const struct plan *plan, const struct io_pattern *p, struct json *json)
{
    json_begin(json, NULL, JSON_FLAT_OBJECT);
    json_integer(json, "number", p->number);
    json_integer(json, "type", (int)p->type);
    json_text(json, "name", io_type_names[p->type]);
    if (p->fill) {
        json_text(json, "chunk_disk", NULL);
        json_text(json, "chunk_mem", NULL);
    } else {
        json_integer(json, "chunk_disk", p->disk);
        json_integer(json, "chunk_mem", p->memory);
    }
    json_integer(json, "units", p->units);
    json_boolean(json, "timed", p->units > 0);
    json_boolean(json, "fills_segment", p->fill);
    json_real(json, "seconds", slice_of(plan, p));
    json_end(json);
}

static int plan_json(const struct plan *plan, FILE *out, struct message *error)
{
    struct json json;
    json_start(&json, out);
    json_begin(&json, NULL, JSON_OBJECT);
    json_text(&json, "program", "beff_io");
    json_text(&json, "definition", IO_DEFINITION);
    json_integer(&json, "processes", plan->processes);
    json_integer(&json, "memory_per_process", plan->memory_mib);
    json_integer(&json, "lmax", plan->task.mpart);
    json_real(&json, "seconds_expected", plan->settings->run.time);
    json_integer(&json, "bytes_expected", plan->task.max_bytes);
    json_integer(&json, "bytes_min", io_min_bytes(&plan->task));
    json_real(&json, "write_bandwidth_max", io_prospect_fastest(&plan->prospect));
    json_texts(&json, "unreachable", &plan->unreachable);
    json_integers(&json, "partitions", plan->task.partitions, plan->task.partition_count);
    json_begin(&json, "patterns", JSON_ARRAY);
    for (int i = 0; i < IO_PATTERNS; i++)
        put_pattern(plan, &plan->task.patterns[i], &json);
    json_end(&json);
    json_end(&json);
    return json_finish(&json) ? message_set(error, "the plan can't be written") : 0;
}

int io_plan(const void *context, int64_t processes, FILE *out, struct message *error)
{
    const struct io_settings *settings = context;
    struct plan plan;
    int failed = make_plan(&plan, settings, processes, error);
    if (!failed && settings->run.json)
        failed = plan_json(&plan, out, error);
    else if (!failed)
        plan_text(&plan, out);
    texts_free(&plan.unreachable);
    return failed;
}
