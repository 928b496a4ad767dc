/* imb_compat: its checks, and its row: each record against the formulas of its benchmark. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/checksum.h"
#include "imb_compat/settings.h"
#include "imb_compat/results.h"
#include "report/report.h"

struct imb_check {
    struct imb_settings settings; /* component and window size */
    int64_t processes;
};

/* The computed columns, as the benchmark's row in the table has them. */
static void check_formulas(const struct check *check, const struct imb_check *run, const struct imb_record *r,
                           const struct imb_benchmark *benchmark)
{
    double messages = imb_messages(&run->settings, benchmark, (int)r->processes);
    double rate = r->t_max > 0 ? messages / r->t_max : 0;
    bool overlapped = benchmark->columns == IMB_COLUMNS_OVERLAP;
    check_follows(check, "bandwidth", r->bandwidth, rate * (double)r->bytes / 1e6);
    check_follows(check, "msg_rate", r->msg_rate, benchmark->columns == IMB_COLUMNS_MESSAGES ? rate : 0);
    check_follows(check, "overlap", r->overlap, overlapped ? imb_overlap(r->t_max, r->t_pure, r->t_cpu) : 0);
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
        check_fail(check, true, "no such benchmark of %s: %s", imb_components[run->settings.component].name,
                   r->benchmark);
    if (!benchmark || !good)
        return;
    check_order(check, r->t_min, r->t_avg, r->t_max);
    check_formulas(check, run, r, benchmark);
}

static void examine(struct report *report)
{
    struct imb_check run = {
        .settings = {.component = imb_component_find(report_meta(report, "component")), .window_size = 1}};
    if (run.settings.component == IMB_COMPONENTS) {
        REPORT_FATAL(report, "no such component: \"%.60s\"", report_meta(report, "component"));
        return;
    }
    if (!check_metadata(report, "processes", 1, INT32_MAX, &run.processes) ||
        (*report_meta(report, "option_window_size") &&
         !check_metadata(report, "option_window_size", 1, INT32_MAX, &run.settings.window_size)))
        return;
    double busy = 0;
    for (struct check check = {report, 0}; check.i < report->protocol.record_count; check.i++) {
        const struct imb_record *r = protocol_at(&report->protocol, check.i);
        check_record(&check, &run);
        if (r->repetition == 0 && r->group <= 0) /* groups measure at the same time */
            busy += r->t_max * (double)r->repetitions;
    }
    check_run(report, busy);
}

/* ---- the row ---- */

/* What a row is of. */
static void describe(const struct imb_record *r, char *text, size_t size)
{
    char group[32] = "";
    bool modeless = strcmp(r->mode, "-") == 0;
    if (r->group >= 0)
        snprintf(group, sizeof group, " group %" PRId64, r->group);
    snprintf(text, size, "%s%s%s %" PRId64 "x%" PRId64 "%s %" PRId64 " B", r->benchmark, modeless ? "" : " ",
             modeless ? "" : r->mode, r->groups, r->processes, group, r->bytes);
}

/* imb_compat rates nothing. What stands for a rating here is the geometric mean of all times; its name has
 * the number of rows and a checksum of what they are of, so that means over different rows are not compared.
 */
static int add_mean(const struct report *report, struct report_items *items)
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
    snprintf(item.name, sizeof item.name, "logavg of the times of %zu rows (%08" PRIx32 ")", n,
             (uint32_t)checksum);
    return report_item_add(items, &item);
}

/* The time of each row. */
static int items(const struct report *report, struct report_items *items)
{
    const struct protocol *p = &report->protocol;
    int failed = add_mean(report, items);
    for (size_t i = 0; i < p->record_count && !failed; i++) {
        const struct imb_record *r = protocol_at(p, i);
        if (r->repetition != 0)
            continue;
        struct report_item item = {
            .group = "time", .unit = "microsec", .value = 1e6 * r->t_max, .less_is_better = true};
        describe(r, item.name, sizeof item.name);
        failed = report_item_add(items, &item);
    }
    return failed;
}

static const char *const times[] = {"benchmark", "mode",  "processes", "bytes",
                                    "t_min",     "t_avg", "t_max",     NULL};
static const char *const definition[] = {"component",
                                         "option_window_size",
                                         "option_off_cache",
                                         "option_root_shift",
                                         "option_sync",
                                         "option_data_type",
                                         "option_red_data_type",
                                         "option_contig_type",
                                         "option_compat",
                                         "option_iter",
                                         "option_iter_policy",
                                         "option_warm_up",
                                         "option_imb_barrier",
                                         "option_aggregate_mode",
                                         "option_map",
                                         "option_check",
                                         "option_raw",
                                         "option_thread_level",
                                         NULL};
static const char *const system_keys[] = {"processes", NULL};

const struct report_engine report_imb = {.engine = &imb_engine,
                                         .examine = examine,
                                         .times = times,
                                         .part = "repetition",
                                         .definition = definition,
                                         .system = system_keys,
                                         .items = items};
