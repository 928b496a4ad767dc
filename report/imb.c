/* Checks the protocols of imb_compat against the formulas of the benchmarks and the command line, draws their
 * pictures, and makes the items for compare. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/checksum.h"
#include "common/memory.h"
#include "imb_compat/results.h"
#include "report/report.h"

struct imb_check {
    struct imb_settings settings; /* only component, compat, window_size and team are set */
    int64_t processes;
};

/* Checks the computed columns against the formulas of the benchmark. */
static void check_formulas(const struct check *check, const struct imb_check *run, const struct imb_record *r,
                           const struct imb_benchmark *benchmark)
{
    double messages = imb_messages(&run->settings, benchmark, (int)r->processes);
    double rate = r->t_max > 0 ? messages / r->t_max : 0;
    bool overlapped = benchmark->columns == IMB_COLUMNS_OVERLAP;
    check_follows(check, "bandwidth", r->bandwidth, rate * (double)r->bytes / run->settings.team / 1e6);
    check_follows(check, "msg_rate", r->msg_rate, imb_has_messages(benchmark) ? rate : 0);
    check_follows(
        check, "overlap", r->overlap,
        overlapped ? imb_overlap(r->t_max, r->t_pure, r->t_cpu, (enum imb_release)run->settings.compat) : 0);
}

static void check_record(const struct check *check, const struct imb_check *run)
{
    const struct imb_record *r = protocol_at(&check->report->protocol, check->i);
    const struct imb_benchmark *benchmark = imb_benchmark_find(run->settings.component, r->benchmark);
    const struct check_range ranges[] = {{"processes", 1, run->processes},
                                         {"groups", 1, r->processes > 0 ? run->processes / r->processes : 0},
                                         {"group", -1, r->groups > 0 ? r->groups - 1 : -1},
                                         {"repetitions", 1, CHECK_MAX},
                                         {NULL, 0, 0}};
    bool good = check_columns(check, ranges);
    if (!benchmark)
        check_fail(check, true, "unknown benchmark of %s: %s", imb_component_name(run->settings.component),
                   r->benchmark);
    if (!benchmark || !good)
        return;
    check_formulas(check, run, r, benchmark);
}

/* Writes benchmark, mode, groups, processes and size of a row. */
static void describe(const struct imb_record *r, char *text, size_t size)
{
    char group[32] = "";
    bool modeless = strcmp(r->mode, "-") == 0;
    if (r->group >= 0)
        snprintf(group, sizeof group, " group %" PRId64, r->group);
    snprintf(text, size, "%s%s%s %" PRId64 "x%" PRId64 "%s %" PRId64 " B", r->benchmark, modeless ? "" : " ",
             modeless ? "" : r->mode, r->groups, r->processes, group, r->bytes);
}

static void examine(struct report *report)
{
    struct imb_check run = {
        .settings = {.component = imb_component_find(report_meta(report, "component")),
                     .compat = protocol_is(&report->protocol, "option_compat", "3.0") ? IMB_30 : IMB_2021,
                     .window_size = 1,
                     .team = 1}};
    if (run.settings.component == IMB_COMPONENTS) {
        REPORT_FATAL(report, "unknown component: \"%.60s\"", report_meta(report, "component"));
        return;
    }
    int64_t threads = 1;
    if ((*report_meta(report, "threads") && !check_metadata(report, "threads", 1, INT32_MAX, &threads)) ||
        !check_metadata(report, "processes", 1, INT32_MAX, &run.processes) ||
        (*report_meta(report, "option_window_size") &&
         !check_metadata(report, "option_window_size", 1, INT32_MAX, &run.settings.window_size)))
        return;
    run.settings.team = (int)threads;
    for (struct check check = {report, 0}; check.i < report->protocol.record_count; check.i++)
        check_record(&check, &run);
    check_run(report);
}

/* ---- items ---- */

/* Adds the geometric mean of all times, which is used as the rating because imb_compat has none. */
static void add_mean(const struct report *report, struct report_items *items)
{
    const struct protocol *p = &report->protocol;
    struct report_item item = {.group = REPORT_RATING, .unit = "microsec", .less_is_better = true};
    double sum = 0;
    size_t n = 0;
    uint64_t checksum = CHECKSUM_START;
    for (size_t i = 0; i < p->record_count; i++) {
        const struct imb_record *r = protocol_at(p, i);
        if (r->repetition == 0 && r->t_max > 0) {
            char row[96];
            describe(r, row, sizeof row);
            checksum = checksum_add(checksum, row, strlen(row) + 1);
            sum += log(1e6 * r->t_max);
            n++;
        }
    }
    item.value = n ? exp(sum / (double)n) : 0;
    item.rows = checksum;
    snprintf(item.name, sizeof item.name, "logavg of the times of %zu rows", n);
    report_item_add(items, &item);
}

/* Adds the mean, and the time of each row. */
static void items(const struct report *report, struct report_items *items)
{
    const struct protocol *p = &report->protocol;
    add_mean(report, items);
    for (size_t i = 0; i < p->record_count; i++) {
        const struct imb_record *r = protocol_at(p, i);
        struct report_item item = {
            .group = "time", .unit = "microsec", .value = 1e6 * r->t_max, .less_is_better = true};
        describe(r, item.name, sizeof item.name);
        if (r->repetition == 0)
            report_item_add(items, &item);
    }
}

const struct report_engine report_imb = {.engine = &imb_engine, .examine = examine, .items = items};
