/* --plan, as text and as JSON. Uses patterns, sizes, schedule (constants), sysinfo, topology. */
#include "beff/plan.h"

#include <inttypes.h>
#include <stdlib.h>

#include "beff/patterns.h"
#include "beff/record.h"
#include "beff/schedule.h"
#include "beff/sizes.h"
#include "common/sysinfo.h"
#include "common/topology.h"

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

struct plan {
    const struct beff_settings *settings;
    struct pattern_list list;
    int64_t memory_mib, lmax;
    int64_t measurements; /* of one whole pass */
    int64_t buffer_bytes; /* of one process */
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
            " As many whole passes as fit are made; if not even one fits, it is reduced.\n\nPatterns:\n",
            plan->settings->run.time, SCHEDULE_REPETITIONS, plan->measurements, minimum);
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

#ifdef HAVE_JANSSON

static json_t *ring_object(int64_t size, int64_t count)
{
    return json_pack("{s:I, s:I}", "size", (json_int_t)size, "count", (json_int_t)count);
}

static json_t *rings_array(const struct pattern *p)
{
    json_t *rings = json_array();
    if (p->kind == PATTERN_ANALYSIS)
        return rings;
    json_array_append_new(rings, ring_object(p->rings.first_size, p->rings.first_count));
    if (p->rings.second_count)
        json_array_append_new(rings, ring_object(p->rings.second_size, p->rings.second_count));
    return rings;
}

static json_t *rank_or_null(int64_t rank)
{
    return rank < 0 ? json_null() : json_integer((json_int_t)rank);
}

/* One rank where a pattern has one axis, else a list with one for each. */
static json_t *ranks(const struct neighbours *n, const int64_t *side)
{
    if (n->axes == 1)
        return rank_or_null(side[0]);
    json_t *array = json_array();
    for (int axis = 0; axis < n->axes; axis++)
        json_array_append_new(array, rank_or_null(side[axis]));
    return array;
}

static json_t *pattern_object(const struct plan *plan, const struct pattern *p, struct message *error)
{
    json_t *object = json_pack("{s:s, s:s, s:s, s:b, s:I, s:o}", "name", p->id, "label", p->label, "kind",
                               pattern_kind_name(p->kind), "rated", p->rated, "messages",
                               (json_int_t)p->messages, "rings", rings_array(p));
    if (plan->settings->rank >= 0) {
        struct neighbours n;
        if (look_up(plan, p, &n, error)) {
            json_decref(object);
            return NULL;
        }
        json_object_set_new(object, "left", ranks(&n, n.left));
        json_object_set_new(object, "right", ranks(&n, n.right));
    }
    return object;
}

static int plan_json(const struct plan *plan, FILE *out, struct message *error)
{
    json_t *sizes = json_array(), *methods = json_array(), *patterns = json_array();
    for (int s = 0; s < BEFF_SIZES; s++)
        json_array_append_new(sizes, json_integer((json_int_t)plan->list.sizes[s]));
    for (int m = 0; m < METHODS; m++)
        json_array_append_new(methods, json_string(method_name((enum method)m)));
    int failed = 0;
    for (int i = 0; i < plan->list.count && !failed; i++)
        failed = json_array_append_new(patterns, pattern_object(plan, &plan->list.patterns[i], error));
    json_t *root = json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:i, s:I, s:f, s:f, s:I, s:o}", "program", "beff",
        "definition", BEFF_DEFINITION, "processes", (json_int_t)plan->list.processes, "seed",
        (json_int_t)plan->list.seed, "memory_per_process", (json_int_t)plan->memory_mib, "lmax",
        (json_int_t)plan->lmax, "sizes", sizes, "methods", methods, "repetitions", SCHEDULE_REPETITIONS,
        "measurements_per_pass", (json_int_t)plan->measurements, "seconds_expected", plan->settings->run.time,
        "seconds_per_pass_at_least", (double)plan->measurements * TUNING_TARGET, "bytes_expected",
        (json_int_t)plan->buffer_bytes, "patterns", patterns);
    if (!failed && json_dumpf(root, out, JSON_INDENT(1)))
        failed = message_set(error, "the plan can't be written");
    json_decref(root);
    fputc('\n', out);
    return failed ? -1 : 0;
}

#else

static int plan_json(const struct plan *plan, FILE *out, struct message *error)
{
    (void)plan, (void)out;
    return message_set(error, "--plan --json: this beff was built without jansson; --plan prints text");
}

#endif

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
