/* --plan, as text and as JSON. */
#include <inttypes.h>
#include <math.h>

#include "beff/estimates.h"
#include "beff/patterns.h"
#include "beff/record.h"
#include "beff/scheduler.h"
#include "beff/settings.h"
#include "common/json.h"
#include "common/sysinfo.h"

struct plan {
    const struct beff_settings *settings;
    struct pattern_list list;
    int64_t memory_mib, lmax;
    struct forecast forecast;
    double time;      /* T: as given, or as it would be chosen */
    bool short_of_it; /* T is too short for a complete pass */
};

static int make_plan(struct plan *plan, const struct beff_settings *settings, int64_t processes,
                     struct message *error)
{
    int64_t cores = topology_node_cores(),
            per_node = settings->ranks_per_node ? settings->ranks_per_node : cores;
    *plan = (struct plan){.settings = settings, .memory_mib = settings->memory};
    if (!settings->memory)
        plan->memory_mib = sysinfo_share_mib(per_node);
    if (settings->processes)
        processes = settings->processes;
    if (processes < 2)
        processes = cores < 2 ? 2 : cores;
    plan->lmax = beff_lmax(plan->memory_mib);
    if (settings->rank >= processes)
        return message_set(error, "--rank: %" PRId64 " is not allowed: the ranks are 0 to %" PRId64,
                           settings->rank, processes - 1);
    patterns_make(&plan->list, processes, (int)settings->polygons, settings->seed, plan->lmax);
    struct links links = {1e6 * settings->link, 1e-6 * settings->latency, per_node < 1 ? 1 : per_node};
    plan->forecast = forecast_make(&plan->list, settings->link > 0 ? &links : NULL, settings->max_loops);
    plan->time = settings->run.time > 0 ? settings->run.time
                                        : fmin(fmax(SCHEDULER_TIME, plan->forecast.time), SCHEDULER_TIME_MAX);
    plan->short_of_it = plan->time < plan->forecast.time;
    return 0;
}

/* ---- text ---- */

static void put_ranks(FILE *out, const struct neighbours *n)
{
    for (int i = 0; i < 2 * n->axes; i++) {
        int64_t rank = i % 2 ? n->right[i / 2] : n->left[i / 2];
        fprintf(out, i % 2 ? "  right " : "  left ");
        fprintf(out, rank < 0 ? "-" : "%" PRId64, rank);
    }
}

static void put_pattern_line(const struct plan *plan, const struct pattern *p, FILE *out)
{
    struct neighbours n = {.axes = 0};
    fprintf(out, "  %-16s %-28s %-9s %12" PRId64 " messages", p->id, p->label,
            p->rated ? "rated" : "not rated", p->messages);
    if (plan->settings->rank >= 0)
        pattern_neighbours(p, plan->settings->rank, &n);
    put_ranks(out, &n);
    fputc('\n', out);
}

static void put_schedule(const struct plan *plan, FILE *out)
{
    const struct beff_settings *s = plan->settings;
    fprintf(
        out,
        "\nSchedule: a complete pass has %d repetitions of the rings and polygons and takes %s %.0f s. As "
        "many complete passes as fit are made.\n",
        SWEEP_REPETITIONS, s->link > 0 ? "about" : "at least", plan->forecast.pass);
    if (s->run.time > 0)
        fprintf(out, "The run takes at most %g s.", plan->time);
    else
        fprintf(out, "The run takes %g s, or as long as a complete pass does, at most %g s (--time).",
                plan->time, SCHEDULER_TIME_MAX);
    if (plan->short_of_it)
        fprintf(out, " That is too short for a complete pass: a valid result needs --time %.0f%s.",
                plan->forecast.time, s->link > 0 ? "" : ", or more");
    fputc('\n', out);
}

static void plan_text(const struct plan *plan, FILE *out)
{
    fprintf(out, "b_eff on %" PRId64 " processes, seed %" PRIu64 "\n\n", plan->list.processes,
            plan->list.seed);
    fprintf(out,
            "Memory per process %" PRId64 " MiB, Lmax %" PRId64 " B, message buffers %.1f MiB per process\n",
            plan->memory_mib, plan->lmax, (double)(2 * beff_area(plan->lmax)) / 0x1p20);
    fprintf(out, "Sizes in bytes:");
    for (int s = 0; s < BEFF_SIZES; s++)
        fprintf(out, " %" PRId64, plan->list.sizes[s]);
    fprintf(out, "\nMethods: ");
    for (int m = 0; m < METHODS; m++)
        fprintf(out, "%s%s", m ? ", " : "", method_name((enum method)m));
    put_schedule(plan, out);
    fprintf(out, "\nPatterns:\n");
    for (int i = 0; i < plan->list.count; i++)
        put_pattern_line(plan, &plan->list.patterns[i], out);
}

/* ---- JSON ---- */

static void put_pattern(const struct plan *plan, const struct pattern *p, struct json *json)
{
    const int64_t rings[][2] = {{p->rings.first_size, p->rings.first_count},
                                {p->rings.second_size, p->rings.second_count}};
    struct neighbours n;
    if (plan->settings->rank >= 0)
        pattern_neighbours(p, plan->settings->rank, &n);
    json_begin(json, NULL, JSON_OBJECT);
    json_text(json, "name", p->id);
    json_text(json, "label", p->label);
    json_boolean(json, "rated", p->rated);
    json_integer(json, "messages", p->messages);
    json_begin(json, "rings", JSON_FLAT_ARRAY); /* size and count */
    for (int i = 0; i < 2 && p->rated && rings[i][1]; i++)
        json_integers(json, NULL, rings[i], 2);
    json_end(json);
    if (plan->settings->rank >= 0) { /* one of each direction; -1: none */
        json_integers(json, "left", n.left, n.axes);
        json_integers(json, "right", n.right, n.axes);
    }
    json_end(json);
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
    json_real(&json, "seconds_expected", plan->time);
    json_real(&json, plan->settings->link > 0 ? "seconds_per_pass_expected" : "seconds_per_pass_at_least",
              plan->forecast.pass);
    json_real(&json, "needs_time", plan->short_of_it ? plan->forecast.time : NAN);
    json_integer(&json, "bytes_expected", 2 * beff_area(plan->lmax) + beff_counts(plan->list.processes));
    json_begin(&json, "patterns", JSON_ARRAY);
    for (int i = 0; i < plan->list.count; i++)
        put_pattern(plan, &plan->list.patterns[i], &json);
    json_end(&json);
    json_end(&json);
    return json_finish(&json) ? message_set(error, "the plan can't be written") : 0;
}

int beff_plan(const void *context, int64_t processes, FILE *out, struct message *error)
{
    const struct beff_settings *settings = context;
    struct plan plan;
    int failed = make_plan(&plan, settings, processes, error);
    if (!failed && settings->run.json)
        failed = plan_json(&plan, out, error);
    else if (!failed)
        plan_text(&plan, out);
    patterns_free(&plan.list);
    return failed;
}
