/* Implements --plan: patterns, sizes, expected time and memory. */
#include <inttypes.h>
#include <math.h>

#include "beff/estimates.h"
#include "beff/load.h"
#include "beff/patterns.h"
#include "beff/record.h"
#include "beff/scheduler.h"
#include "beff/settings.h"
#include "common/plan.h"
#include "common/sysinfo.h"

struct beff_plan {
    const struct beff_settings *settings;
    struct pattern_list list;
    int64_t memory_mib, lmax;
    struct forecast forecast;
    double nodes, load; /* share of T for measuring between nodes; seconds for messages under load */
    double time;        /* T: as given, or as the scheduler would choose it */
    double needed;      /* T for a valid result */
};

static int make_plan(struct beff_plan *plan, const struct beff_settings *settings, int64_t processes,
                     struct message *error)
{
    int64_t cores = topology_node_cores(),
            per_node = settings->ranks_per_node ? settings->ranks_per_node : cores;
    *plan = (struct beff_plan){.settings = settings, .memory_mib = settings->memory};
    if (!settings->memory)
        plan->memory_mib = sysinfo_plan_mib(per_node);
    if (!plan->memory_mib)
        return message_set(error, "%s", SYSINFO_NO_MEMORY);
    if (settings->processes)
        processes = settings->processes;
    if (processes < 2)
        processes = cores < 2 ? 2 : cores;
    plan->lmax = beff_lmax(plan->memory_mib);
    if (settings->rank >= processes)
        return message_set(error, "invalid --rank %" PRId64 ": expected a rank from 0 to %" PRId64,
                           settings->rank, processes - 1);
    patterns_make(&plan->list, processes, (int)settings->polygons, settings->seed, plan->lmax);
    plan->list.skipped = settings->skipped;
    struct links links = {1e6 * settings->link, 1e-6 * settings->latency, per_node < 1 ? 1 : per_node};
    plan->forecast = forecast_make(&plan->list, settings->link > 0 ? &links : NULL, settings->max_loops);
    plan->nodes = processes > per_node ? SCHEDULER_NODES : 0;
    plan->load = settings->load ? load_seconds(settings->load_block) : 0;
    plan->needed =
        estimates_time(plan->forecast.run + scheduler_reserved(plan->nodes, plan->load, plan->forecast.run));
    plan->time = settings->run.time > 0 ? settings->run.time
                                        : fmin(fmax(SCHEDULER_TIME, plan->needed), SCHEDULER_TIME_MAX);
    return 0;
}

/* ---- patterns ---- */

enum { WORDS_SIZE = 64 };

struct plan_row {
    const char *name, *label, *rated;
    int64_t messages;
    char rings[WORDS_SIZE], left[WORDS_SIZE], right[WORDS_SIZE];
};

#define AT(member) offsetof(struct plan_row, member)

/* The last two columns are printed only with --rank. */
static const struct column columns[] = {
    {"name", "", COLUMN_TEXT, 0, AT(name)},
    {"label", "", COLUMN_TEXT, 0, AT(label)},
    {"rated", "", COLUMN_TEXT, 0, AT(rated)},
    {"messages", "", COLUMN_INTEGER, 0, AT(messages)},
    {"rings", "size*count", COLUMN_WORD, 0, AT(rings)},
    {"left", "rank", COLUMN_WORD, 0, AT(left)},
    {"right", "rank", COLUMN_WORD, 0, AT(right)},
};

static void put_ranks(char text[WORDS_SIZE], const int64_t *ranks, int axes)
{
    *text = 0;
    for (int i = 0; i < axes; i++)
        text_append(text, WORDS_SIZE, ranks[i] < 0 ? "%s-" : "%s%" PRId64, i ? " " : "", ranks[i]);
}

static void put_rings(char text[WORDS_SIZE], int64_t size, int64_t count)
{
    if (count)
        text_append(text, WORDS_SIZE, "%s%" PRId64 "*%" PRId64, *text ? " " : "", size, count);
}

static void fill_pattern(const struct table *table, int row, void *cells)
{
    const struct beff_plan *plan = table->context;
    const struct pattern *p = &plan->list.patterns[row];
    struct plan_row *out = cells;
    struct neighbours n = {.axes = 0};
    if (plan->settings->rank >= 0)
        pattern_neighbours(p, plan->settings->rank, &n);
    *out = (struct plan_row){p->id, p->label, p->rated ? "yes" : "no", p->messages, "", "", ""};
    if (p->rated) {
        put_rings(out->rings, p->rings.first_size, p->rings.first_count);
        put_rings(out->rings, p->rings.second_size, p->rings.second_count);
    }
    put_ranks(out->left, n.left, n.axes);
    put_ranks(out->right, n.right, n.axes);
}

/* ---- figures ---- */

/* Writes the parts of T that are not spent on the patterns. */
static void put_shares(const struct beff_plan *made, struct plan *plan)
{
    if (made->nodes > 0)
        plan_figure(plan, "nodes_seconds", "of these to compare the nodes", "s", "%.3g",
                    SCHEDULER_NODES * made->time);
    if (made->load > 0)
        plan_figure(plan, "load_seconds", "of these for messages under load", "s", "%.0f", made->load);
}

static void put_figures(const struct beff_plan *made, struct plan *plan)
{
    const struct pattern_list *list = &made->list;
    bool estimated = made->settings->link > 0;
    struct texts sizes = {0}, methods = {0};
    plan_figure(plan, "program", "program", "", "beff");
    plan_figure(plan, "definition", "definition", "", BEFF_DEFINITION);
    plan_figure(plan, "processes", "processes", "", "%" PRId64, list->processes);
    plan_figure(plan, "seed", "seed", "", "%" PRIu64, list->seed);
    plan_figure(plan, "memory_per_process", "memory per process", "MiB", "%" PRId64, made->memory_mib);
    plan_figure(plan, "bytes_expected", "message buffers per process", "B", "%" PRId64,
                2 * beff_area(made->lmax) + beff_counts(list->processes));
    plan_figure(plan, "lmax", "Lmax", "B", "%" PRId64, made->lmax);
    for (int s = 0; s < BEFF_SIZES; s++)
        texts_add(&sizes, "%" PRId64, list->sizes[s]);
    plan_list(plan, "sizes", "message sizes", "B", &sizes);
    for (int m = 0; m < METHODS; m++)
        if (!(list->skipped >> m & 1))
            texts_add(&methods, "%s", method_name((enum method)m));
    plan_list(plan, "methods", "methods", "", &methods);
    plan_figure(plan, "repetitions", "repetitions in a complete pass", "", "%d", SWEEP_REPETITIONS);
    plan_figure(plan, estimated ? "seconds_per_pass_expected" : "seconds_per_pass_at_least",
                estimated ? "a complete pass takes about" : "a complete pass takes at least", "s", "%.1f",
                made->forecast.pass);
    if (isfinite(made->forecast.b_eff))
        plan_figure(plan, "b_eff_alone_expected", "expected b_eff without contention", "MB/s", "%.4g",
                    made->forecast.b_eff);
    plan_figure(plan, "seconds_expected", "the run takes at most", "s", "%g", made->time);
    put_shares(made, plan);
    if (made->time < made->needed)
        plan_figure(plan, "needs_time", "a valid result needs --time", "s", "%.0f", made->needed);
    else if (made->forecast.pass > made->time - scheduler_reserved(made->nodes, made->load, made->time))
        plan_figure(plan, "pass_expected", "the pass in this time is", "", "shortened, and valid");
}

int beff_plan(const void *context, int64_t processes, FILE *out, struct message *error)
{
    const struct beff_settings *settings = context;
    struct beff_plan made;
    struct plan plan;
    int failed = make_plan(&made, settings, processes, error);
    if (!failed) {
        struct table patterns = {.name = "patterns",
                                 .title = "Patterns",
                                 TABLE_COLUMNS(columns),
                                 .rows = made.list.count,
                                 .fill = fill_pattern,
                                 .context = &made};
        patterns.column_count -= settings->rank < 0 ? 2 : 0;
        plan_start(&plan, out, settings->run.json);
        put_figures(&made, &plan);
        plan_finish(&plan, &patterns);
    }
    patterns_free(&made.list);
    return failed;
}
