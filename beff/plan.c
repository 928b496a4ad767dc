/* --plan, as text and as JSON. Uses patterns, sizes, forecast, scheduler (constants), sysinfo, topology. */
#include <inttypes.h>
#include <math.h>

#include "beff/forecast.h"
#include "beff/patterns.h"
#include "beff/record.h"
#include "beff/scheduler.h"
#include "beff/settings.h"
#include "beff/sizes.h"
#include "common/json.h"
#include "common/sysinfo.h"
#include "common/topology.h"

/* Bytes of a record and of a node's line in run.prot, about: bench/scale has the first one. */
#define RECORD_BYTES 130.0
#define NODE_BYTES   100.0

struct plan {
    const struct beff_settings *settings;
    struct pattern_list list;
    int64_t memory_mib, lmax;
    int64_t measurements;     /* of one complete pass */
    int64_t buffer_bytes;     /* of one process */
    int64_t nodes;            /* with as many processes on each as there can be */
    struct forecast forecast; /* the least that any machine needs, or what those with --link do */
    double time;              /* T: as given, or as it would be chosen */
};

static int64_t memory_per_process(const struct beff_settings *settings)
{
    if (settings->memory)
        return settings->memory;
    return sysinfo_share_mib(settings->ranks_per_node ? settings->ranks_per_node : topology_node_cores());
}

static int make_plan(struct plan *plan, const struct beff_settings *settings, int64_t processes,
                     struct message *error)
{
    *plan = (struct plan){.settings = settings, .memory_mib = memory_per_process(settings)};
    if (settings->processes)
        processes = settings->processes;
    if (processes < 2)
        processes = topology_node_cores() < 2 ? 2 : topology_node_cores();
    plan->lmax = beff_lmax(plan->memory_mib);
    if (settings->rank >= processes)
        return message_set(error, "--rank: %" PRId64 " is not allowed: the ranks are 0 to %" PRId64,
                           settings->rank, processes - 1);
    if (patterns_make(&plan->list, processes, (int)settings->polygons, settings->seed, plan->lmax))
        return message_set(error, "out of memory for the patterns");
    plan->buffer_bytes = 2 * beff_area(plan->lmax);
    plan->measurements =
        (BEFF_RING_PATTERNS + plan->list.polygons) * METHODS * BEFF_SIZES * SWEEP_REPETITIONS;
    int64_t per_node = settings->ranks_per_node ? settings->ranks_per_node : topology_node_cores();
    struct links links = {1e6 * settings->link, 1e-6 * settings->latency, per_node < 1 ? 1 : per_node};
    plan->nodes = (processes + links.processes_per_node - 1) / links.processes_per_node;
    forecast_make(&plan->forecast, &plan->list, settings->link > 0 ? &links : NULL, settings->max_loops);
    plan->time = fmin(fmax(SCHEDULER_TIME, plan->forecast.time), SCHEDULER_TIME_MAX);
    if (settings->run.time > 0)
        plan->time = settings->run.time;
    return 0;
}

/* ---- text ---- */

static void put_rings(const struct pattern *p, FILE *out)
{
    const struct ring_partition *r = &p->rings;
    if (p->kind == PATTERN_ANALYSIS)
        return;
    fprintf(out, "  %" PRId64 " x %" PRId64, r->first_count, r->first_size);
    if (r->second_count)
        fprintf(out, ", %" PRId64 " x %" PRId64, r->second_count, r->second_size);
}

static void put_rank(FILE *out, const char *name, int64_t rank)
{
    if (rank < 0)
        fprintf(out, "  %s -", name);
    else
        fprintf(out, "  %s %" PRId64, name, rank);
}

static void put_forecast(const struct plan *plan, FILE *out)
{
    const struct beff_settings *s = plan->settings;
    fprintf(
        out,
        "On links of %g MB/s a node and %g microsec a pass takes about %.0f s, and each process sends %.1f "
        "MB to other nodes in it.\n",
        s->link, s->latency, plan->forecast.pass, plan->forecast.bytes / 1e6);
}

static bool is_too_short(const struct plan *plan)
{
    return plan->time < plan->forecast.time;
}

static void put_schedule(const struct plan *plan, FILE *out)
{
    const struct beff_settings *s = plan->settings;
    const char *about = s->link > 0 ? "about" : "at least";
    fprintf(
        out,
        "\nSchedule: a complete pass has %d repetitions of all rated patterns, %" PRId64
        " measurements of 2.5 to 5 ms, longer where one iteration of a large message takes longer: %s %.0f "
        "s. As many complete passes as fit are made.\n",
        SWEEP_REPETITIONS, plan->measurements, about, plan->forecast.pass);
    if (s->run.time > 0)
        fprintf(out, "The run takes at most %g s.", plan->time);
    else
        fprintf(out, "The run takes %g s, or as long as a complete pass does, at most %g s (--time).",
                plan->time, SCHEDULER_TIME_MAX);
    if (is_too_short(plan))
        fprintf(out, " That is too short for a complete pass: a valid result needs --time %.0f%s.",
                plan->forecast.time, s->link > 0 ? "" : ", or more");
    fputc('\n', out);
}

/* Command, two barriers, result. */
enum { COLLECTIVES = 4 };

/* Messages one after the other in a collective of all: those of a tree. */
static int depth(const struct plan *plan)
{
    return (int)ceil(log2((double)plan->list.processes));
}

static double protocol_bytes(const struct plan *plan)
{
    return RECORD_BYTES * (double)plan->measurements;
}

static double node_bytes(const struct plan *plan)
{
    return plan->nodes > 1 ? NODE_BYTES * (double)plan->nodes : 0;
}

static int64_t drawing_bytes(const struct plan *plan)
{
    return plan->list.processes * (int64_t)sizeof(uint32_t);
}

static void put_scale(const struct plan *plan, FILE *out)
{
    fprintf(
        out,
        "Grows with the number of processes: %.3g MiB per process for the counts of Alltoallv, and %.3g MiB "
        "while the polygons are drawn; %d collectives to agree on a measurement, each at least %d messages "
        "deep. run.prot has about %.3g MB for a pass and %.3g MB for %" PRId64 " nodes.\n",
        (double)beff_counts(plan->list.processes) / 0x1p20, (double)drawing_bytes(plan) / 0x1p20, COLLECTIVES,
        depth(plan), protocol_bytes(plan) / 1e6, node_bytes(plan) / 1e6, plan->nodes);
}

static int plan_text(const struct plan *plan, FILE *out, struct message *error)
{
    fprintf(out, "b_eff on %" PRId64 " processes, seed %" PRIu64 "\n\n", plan->list.processes,
            plan->list.seed);
    fprintf(out,
            "Memory per process %" PRId64 " MiB, Lmax %" PRId64 " B, message buffers %.1f MiB per process\n",
            plan->memory_mib, plan->lmax, (double)plan->buffer_bytes / (1024 * 1024));
    fprintf(out, "Sizes in bytes:");
    for (int s = 0; s < BEFF_SIZES; s++)
        fprintf(out, " %" PRId64, plan->list.sizes[s]);
    fprintf(out, "\nMethods: ");
    for (int m = 0; m < METHODS; m++)
        fprintf(out, "%s%s", m ? ", " : "", method_name((enum method)m));
    put_schedule(plan, out);
    put_scale(plan, out);
    if (plan->settings->link > 0)
        put_forecast(plan, out);
    fprintf(out, "\nPatterns:\n");
    for (int i = 0; i < plan->list.count; i++) {
        const struct pattern *p = &plan->list.patterns[i];
        fprintf(out, "  %-16s %-28s %-9s %12" PRId64 " messages", p->id, p->label,
                p->rated ? "rated" : "not rated", p->messages);
        put_rings(p, out);
        if (plan->settings->rank >= 0) {
            struct neighbours n;
            if (pattern_neighbours(&plan->list, p, plan->settings->rank, &n))
                return message_set(error, "out of memory for pattern %s", p->id);
            for (int axis = 0; axis < n.axes; axis++) {
                put_rank(out, "left", n.left[axis]);
                put_rank(out, "right", n.right[axis]);
            }
        }
        fputc('\n', out);
    }
    return 0;
}

/* ---- JSON ---- */

static void put_rings_json(const struct pattern *p, struct json *json)
{
    const int64_t rings[][2] = {{p->rings.first_size, p->rings.first_count},
                                {p->rings.second_size, p->rings.second_count}};
    json_begin(json, "rings", JSON_ARRAY);
    for (int i = 0; i < 2 && p->kind != PATTERN_ANALYSIS && rings[i][1]; i++) {
        json_begin(json, NULL, JSON_FLAT_OBJECT);
        json_integer(json, "size", rings[i][0]);
        json_integer(json, "count", rings[i][1]);
        json_end(json);
    }
    json_end(json);
}

static void put_neighbour(struct json *json, const char *key, int64_t rank)
{
    if (rank < 0)
        json_text(json, key, NULL);
    else
        json_integer(json, key, rank);
}

/* One rank where a pattern has one axis, else a list with one for each. */
static void put_side(struct json *json, const char *key, const struct neighbours *n, const int64_t *side)
{
    if (n->axes == 1) {
        put_neighbour(json, key, side[0]);
        return;
    }
    json_begin(json, key, JSON_FLAT_ARRAY);
    for (int axis = 0; axis < n->axes; axis++)
        put_neighbour(json, NULL, side[axis]);
    json_end(json);
}

static int put_pattern(const struct plan *plan, const struct pattern *p, struct json *json,
                       struct message *error)
{
    struct neighbours n;
    if (plan->settings->rank >= 0 && pattern_neighbours(&plan->list, p, plan->settings->rank, &n))
        return message_set(error, "out of memory for pattern %s", p->id);
    json_begin(json, NULL, JSON_OBJECT);
    json_text(json, "name", p->id);
    json_text(json, "label", p->label);
    json_text(json, "kind", pattern_kind_name(p->kind));
    json_boolean(json, "rated", p->rated);
    json_integer(json, "messages", p->messages);
    put_rings_json(p, json);
    if (plan->settings->rank >= 0) {
        put_side(json, "left", &n, n.left);
        put_side(json, "right", &n, n.right);
    }
    json_end(json);
    return 0;
}

static int plan_json(const struct plan *plan, FILE *out, struct message *error)
{
    struct json json;
    json_start(&json, out);
    json_begin(&json, NULL, JSON_OBJECT);
    json_text(&json, "program", "beff");
    json_text(&json, "definition", BEFF_DEFINITION);
    json_integer(&json, "processes", plan->list.processes);
    json_integer(&json, "seed", (int64_t)plan->list.seed);
    json_integer(&json, "memory_per_process", plan->memory_mib);
    json_integer(&json, "lmax", plan->lmax);
    json_integers(&json, "sizes", plan->list.sizes, BEFF_SIZES);
    json_begin(&json, "methods", JSON_FLAT_ARRAY);
    for (int m = 0; m < METHODS; m++)
        json_text(&json, NULL, method_name((enum method)m));
    json_end(&json);
    json_integer(&json, "repetitions", SWEEP_REPETITIONS);
    json_integer(&json, "measurements_per_pass", plan->measurements);
    json_real(&json, "seconds_expected", plan->time);
    json_real(&json, plan->settings->link > 0 ? "seconds_per_pass_expected" : "seconds_per_pass_at_least",
              plan->forecast.pass);
    json_real(&json, "needs_time", is_too_short(plan) ? plan->forecast.time : NAN);
    json_integer(&json, "bytes_expected", plan->buffer_bytes + beff_counts(plan->list.processes));
    json_integer(&json, "bytes_for_alltoallv", beff_counts(plan->list.processes));
    json_integer(&json, "bytes_while_drawing", drawing_bytes(plan));
    json_integer(&json, "collectives_per_measurement", COLLECTIVES);
    json_integer(&json, "messages_deep_at_least", depth(plan));
    json_real(&json, "protocol_bytes_per_pass", protocol_bytes(plan));
    json_integer(&json, "nodes", plan->nodes);
    json_real(&json, "protocol_bytes_for_nodes", node_bytes(plan));
    if (plan->settings->link > 0)
        json_real(&json, "bytes_sent_per_process", plan->forecast.bytes);
    json_begin(&json, "patterns", JSON_ARRAY);
    for (int i = 0; i < plan->list.count; i++)
        if (put_pattern(plan, &plan->list.patterns[i], &json, error))
            return -1;
    json_end(&json);
    json_end(&json);
    return json_finish(&json) ? message_set(error, "the plan can't be written") : 0;
}

int beff_plan(const void *context, int64_t processes, FILE *out, struct message *error)
{
    const struct beff_settings *settings = context;
    struct plan plan;
    int failed = make_plan(&plan, settings, processes, error);
    if (!failed)
        failed = settings->run.json ? plan_json(&plan, out, error) : plan_text(&plan, out, error);
    patterns_free(&plan.list);
    return failed;
}
