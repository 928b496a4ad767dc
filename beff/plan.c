/* --plan, as text and as JSON. Uses patterns, sizes, schedule (constants), sysinfo, topology. */
#include "beff/engine.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "beff/forecast.h"
#include "beff/patterns.h"
#include "beff/record.h"
#include "beff/schedule.h"
#include "beff/settings.h"
#include "beff/sizes.h"
#include "common/json.h"
#include "common/sysinfo.h"
#include "common/topology.h"

struct plan {
    const struct beff_settings *settings;
    struct pattern_list list;
    int64_t memory_mib, lmax;
    int64_t measurements;     /* of one whole pass */
    int64_t buffer_bytes;     /* of one process */
    struct forecast forecast; /* with --link */
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
    for (int p = 0; p < plan->list.count; p++)
        plan->measurements +=
            (plan->list.patterns[p].sendrecv_only ? 1 : METHODS) * BEFF_SIZES * SCHEDULE_REPETITIONS;
    int64_t per_node = settings->ranks_per_node ? settings->ranks_per_node : topology_node_cores();
    struct links links = {1e6 * settings->link, 1e-6 * settings->latency, per_node < 1 ? 1 : per_node};
    if (settings->link > 0 && forecast_make(&plan->forecast, &plan->list, &links, settings->max_loops))
        return message_set(error, "out of memory for the forecast");
    return 0;
}

/* The neighbours asked for with --rank. */
static int look_up(const struct plan *plan, const struct pattern *pattern, struct neighbours *n,
                   struct message *error)
{
    if (pattern_neighbours(&plan->list, pattern, plan->settings->rank, n))
        return message_set(error, "out of memory for pattern %s", pattern->id);
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
    double passes = floor(s->run.time / plan->forecast.pass);
    fprintf(out,
            "On links of %g MB/s a node and %g microsec a pass takes about %.0f s, and each process sends "
            "%.1f MB "
            "in it: ",
            s->link, s->latency, plan->forecast.pass, plan->forecast.bytes / 1e6);
    if (passes < 1)
        fprintf(out, "%g s are too short for a whole one.\n", s->run.time);
    else
        fprintf(out, "%.0f whole pass%s in %g s.\n", passes, passes > 1 ? "es" : "", s->run.time);
}

static int plan_text(const struct plan *plan, FILE *out, struct message *error)
{
    double minimum = (double)plan->measurements * TUNING_TARGET;
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
    fprintf(out,
            "\nSchedule: at most %g s in all. A whole pass has %d repetitions, %" PRId64
            " measurements of 2.5 to 5 ms, longer where one iteration of a large message takes longer: at "
            "least %.0f s."
            " As many whole passes as fit are made; if not even one fits, it is reduced.\n",
            plan->settings->run.time, SCHEDULE_REPETITIONS, plan->measurements, minimum);
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
            if (look_up(plan, p, &n, error))
                return -1;
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

static void put_ring(struct json *json, int64_t size, int64_t count)
{
    json_flat_object(json, NULL);
    json_integer(json, "size", size);
    json_integer(json, "count", count);
    json_end_object(json);
}

static void put_rings_json(const struct pattern *p, struct json *json)
{
    json_array(json, "rings");
    if (p->kind != PATTERN_ANALYSIS)
        put_ring(json, p->rings.first_size, p->rings.first_count);
    if (p->kind != PATTERN_ANALYSIS && p->rings.second_count)
        put_ring(json, p->rings.second_size, p->rings.second_count);
    json_end_array(json);
}

static void put_neighbour(struct json *json, const char *key, int64_t rank)
{
    if (rank < 0)
        json_null(json, key);
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
    json_flat_array(json, key);
    for (int axis = 0; axis < n->axes; axis++)
        put_neighbour(json, NULL, side[axis]);
    json_end_array(json);
}

static int put_pattern(const struct plan *plan, const struct pattern *p, struct json *json,
                       struct message *error)
{
    struct neighbours n;
    if (plan->settings->rank >= 0 && look_up(plan, p, &n, error))
        return -1;
    json_object(json, NULL);
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
    json_end_object(json);
    return 0;
}

static int plan_json(const struct plan *plan, FILE *out, struct message *error)
{
    struct json json;
    json_start(&json, out);
    json_object(&json, NULL);
    json_text(&json, "program", "beff");
    json_text(&json, "definition", BEFF_DEFINITION);
    json_integer(&json, "processes", plan->list.processes);
    json_integer(&json, "seed", (int64_t)plan->list.seed);
    json_integer(&json, "memory_per_process", plan->memory_mib);
    json_integer(&json, "lmax", plan->lmax);
    json_flat_array(&json, "sizes");
    for (int s = 0; s < BEFF_SIZES; s++)
        json_integer(&json, NULL, plan->list.sizes[s]);
    json_end_array(&json);
    json_flat_array(&json, "methods");
    for (int m = 0; m < METHODS; m++)
        json_text(&json, NULL, method_name((enum method)m));
    json_end_array(&json);
    json_integer(&json, "repetitions", SCHEDULE_REPETITIONS);
    json_integer(&json, "measurements_per_pass", plan->measurements);
    json_real(&json, "seconds_expected", plan->settings->run.time);
    json_real(&json, "seconds_per_pass_at_least", (double)plan->measurements * TUNING_TARGET);
    json_integer(&json, "bytes_expected", plan->buffer_bytes);
    if (plan->settings->link > 0) {
        json_real(&json, "seconds_per_pass_expected", plan->forecast.pass);
        json_real(&json, "bytes_sent_per_process", plan->forecast.bytes);
    }
    json_array(&json, "patterns");
    for (int i = 0; i < plan->list.count; i++)
        if (put_pattern(plan, &plan->list.patterns[i], &json, error))
            return -1;
    json_end_array(&json);
    json_end_object(&json);
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
