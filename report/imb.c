/* Checks the protocols of imb_compat against the formulas of the benchmarks. */
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

const struct report_engine report_imb = {.engine = &imb_engine, .examine = examine};
