/* beff: its checks, and its row: each record against its pattern, its method and its size. Uses beff's
 * results. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "beff/dominated.h"
#include "beff/patterns.h"
#include "beff/record.h"
#include "beff/results.h"
#include "beff/settings.h"
#include "beff/sizes.h"
#include "report/report.h"

enum { MOST_REPETITIONS = 3 };

/* What the record is of; false if that can't be. */
static bool check_place(const struct check *check, const struct pattern_list *d, const struct beff_record *r)
{
    int number = pattern_find(d, r->pattern);
    enum method method = method_find(r->method);
    if (number < 0 || method == METHODS || pattern_find_size(d, r->bytes) < 0) {
        const char *what = number < 0 ? "pattern" : method == METHODS ? "method" : "message size";
        check_fail(check, true, "no such %s: %s %s %" PRId64 " B", what, r->pattern, r->method, r->bytes);
        return false;
    }
    const struct pattern *pattern = &d->patterns[number];
    if (pattern->sendrecv_only && method != METHOD_SENDRECV)
        check_fail(check, false, "%s is measured with Sendrecv alone, not with %s", r->pattern, r->method);
    if (r->messages != pattern->messages)
        check_fail(check, false, "messages = %" PRId64 ", but %s has %" PRId64, r->messages, r->pattern,
                   pattern->messages);
    return true;
}

static void check_record(const struct check *check, const struct pattern_list *d)
{
    const struct beff_record *r = protocol_at(&check->report->protocol, check->i);
    const struct check_range ranges[] = {{"pass", 1, INT32_MAX},
                                         {"rep", 1, MOST_REPETITIONS},
                                         {"bytes", INT64_MIN, INT64_MAX}, /* one of the sizes: check_place */
                                         {"messages", 1, CHECK_MOST},
                                         {"loops", 1, CHECK_MOST},
                                         {"errors", 0, INT32_MAX},
                                         {"clock_jumps", 0, d->processes},
                                         {NULL, 0, 0}};
    bool good = check_columns(check, ranges);
    if (good && !(r->t_max > 0 && r->bandwidth > 0)) {
        check_fail(check, true, "no time, or no bandwidth: t_max = %g, bandwidth = %g", r->t_max,
                   r->bandwidth);
        good = false;
    }
    if (!check_place(check, d, r) || !good)
        return;
    check_order(check, r->t_min, r->t_avg, r->t_max);
    check_follows(check, "bandwidth", r->bandwidth,
                  (double)r->bytes * (double)r->messages * (double)r->loops / r->t_max / 1e6);
}

/* A repetition takes memory for every cell, however few records it has: a protocol of many repetitions with
 * hardly a record each is none. */
enum { CELLS_PER_RECORD = 200, CELLS_ANYWAY = 1 << 22 };

static bool repetitions_fit(struct report *report)
{
    const struct protocol *p = &report->protocol;
    int64_t polygons = 0, pass = 0, rep = 0;
    double repetitions = 0;
    protocol_integer(&report->protocol, "option_polygons", 0, INT32_MAX, &polygons);
    for (size_t i = 0; i < p->record_count; i++) {
        const struct beff_record *r = protocol_at(p, i);
        repetitions += r->pass != pass || r->rep != rep;
        pass = r->pass;
        rep = r->rep;
    }
    double cells = repetitions * METHODS * BEFF_SIZES * ((double)polygons + 32);
    if (cells <= CELLS_PER_RECORD * (double)p->record_count + CELLS_ANYWAY)
        return true;
    finding_add(&report->findings, &(struct finding){.fatal = true},
                "%.0f repetitions of %" PRId64 " polygons with %zu records in all: far too few", repetitions,
                polygons, p->record_count);
    return false;
}

/* All polygons were measured, or a line says that there were fewer. */
static void check_polygons(struct report *report, int64_t asked)
{
    int64_t told;
    long highest = 0;
    for (size_t i = 0; i < report->protocol.record_count; i++) {
        const struct beff_record *r = protocol_at(&report->protocol, i);
        long number = strncmp(r->pattern, "random-", 7) == 0 ? strtol(r->pattern + 7, NULL, 10) : 0;
        highest = number > highest ? number : highest;
    }
    bool reduced = *report_meta(report, "reduced");
    if (!protocol_integer(&report->protocol, "polygons", 1, asked, &told))
        told = reduced ? 0 : asked;
    if (report_is_complete(report) && highest < told)
        finding_add(&report->findings, &(struct finding){""},
                    "%" PRId64 " polygons, but the highest that was measured is %ld, and nothing tells why",
                    told, highest);
}

/* Each method that was left out must have been slower than the best one, at a smaller size. */
static void check_dominated(struct report *report, const struct pattern_list *list)
{
    const struct protocol *p = &report->protocol;
    struct message error;
    bool *cells = dominated_read(p, list, &error);
    if (!cells)
        finding_add(&report->findings, &(struct finding){.fatal = true}, "%s", error.text);
    for (size_t i = 0; cells && i < p->meta_count; i++)
        if (strcmp(p->meta[i].key, "dominated") == 0 && !dominated_follows(p, list, i))
            finding_add(&report->findings, &(struct finding){.line = p->meta[i].line},
                        "%s is said to be dominated, but was not twice as slow", p->meta[i].value);
    free(cells);
}

static void examine(struct report *report)
{
    int64_t processes, polygons, lmax, seed, memory, wrong;
    if (!check_metadata(report, "processes", 2, INT32_MAX, &processes) ||
        !check_metadata(report, "option_polygons", 1, PATTERN_MOST_POLYGONS, &polygons) ||
        !check_metadata(report, "lmax", beff_lmax(1), beff_lmax(INT32_MAX), &lmax) ||
        !check_metadata(report, "seed", 0, INT64_MAX, &seed) ||
        (*report_meta(report, "probe_errors") &&
         !check_metadata(report, "probe_errors", 0, CHECK_MOST, &wrong)))
        return;
    if (protocol_integer(&report->protocol, "memory_per_process_mib", 1, INT32_MAX, &memory))
        check_lmax(report, lmax, memory, beff_lmax(memory));
    check_definition(report, BEFF_DEFINITION);
    if (!repetitions_fit(report))
        return;
    struct pattern_list d;
    if (patterns_make(&d, processes, (int)polygons, (uint64_t)seed, lmax)) {
        finding_add(&report->findings, &(struct finding){.fatal = true}, "out of memory for its patterns");
        return;
    }
    check_dominated(report, &d);
    double busy = 0;
    for (struct check check = {report, 0}; check.i < report->protocol.record_count; check.i++) {
        const struct beff_record *r = protocol_at(&report->protocol, check.i);
        check_record(&check, &d);
        busy += r->t_max;
    }
    patterns_free(&d);
    check_run(report, busy);
    check_polygons(report, polygons);
    /* No two repetitions take the same times to the last digit, if the clock tells that much. */
    static const char *const measured[] = {"pattern", "method", "bytes", "loops",
                                           "t_max",   "t_avg",  "t_min", NULL};
    if (check_fine_clock(report, "t_max"))
        check_repeated(report, measured, false, "times", ", to the last digit: a copy");
}

/* ---- what is compared ---- */

/* Each size of a pattern, and the mean over them; of all patterns (-1) each size. */
static int add_sizes(const struct beff_results *r, int pattern, struct report_items *items)
{
    bool all = pattern < 0;
    const char *id = all ? "" : r->list.patterns[pattern].id;
    struct report_item mean = {.group = "pattern", .unit = "MB/s"};
    snprintf(mean.name, sizeof mean.name, "%s", id);
    int failed = 0;
    for (int s = 0; s < BEFF_SIZES && !failed; s++) {
        struct report_item item = {.group = all ? "size" : "pattern and size", .unit = "MB/s"};
        item.value = all ? beff_at_size(r, METHODS, s) : rating_cell(&r->rating, pattern, METHODS, s);
        item.bytes = (double)r->list.sizes[s];
        snprintf(item.name, sizeof item.name, "%s%ssize %d", id, all ? "" : ", ", s + 1);
        mean.value += item.value / BEFF_SIZES;
        failed = report_item_add(items, &item);
    }
    return failed || all ? failed : report_item_add(items, &mean);
}

static int items(const struct report *report, struct report_items *items)
{
    const struct beff_results *r = (const void *)report->sheet;
    int failed = 0;
    for (int p = -1; p < r->list.count && !failed; p++)
        failed = add_sizes(r, p, items);
    return failed;
}

static const char *const same[] = {"pass", "rep", "pattern", "method", "bytes", NULL};
static const char *const times[] = {"pattern", "method", "bytes", "t_max", NULL};
static const char *const definition[] = {"seed",          "option_polygons", "option_max-loops",
                                         "memory_source", "polygons",        NULL};
static const char *const system_keys[] = {"processes", NULL};
static const char *const main_figures[] = {
    "b_eff_rings", "b_eff_random", "b_eff_lmax", "pingpong_lmax", "latency_us", "pingpong_latency_us", NULL};
static const char *const ranked[] = {
    "b_eff", "b_eff_per_process", "b_eff_lmax", "b_eff_lmax_rings", "pingpong_latency_us", NULL};

const struct report_engine report_beff = {.engine = &beff_engine,
                                          .examine = examine,
                                          .same = same,
                                          .times = times,
                                          .has_directory = true,
                                          .definition = definition,
                                          .system = system_keys,
                                          .ranked = ranked,
                                          .main = main_figures,
                                          .items = items};
