/* Checks protocols of beff, and describes beff to the other parts of beff_report. Checks each record against
 * its pattern, method and size. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beff/patterns.h"
#include "beff/record.h"
#include "beff/results.h"
#include "beff/settings.h"
#include "beff/sweep.h"
#include "common/memory.h"
#include "report/report.h"

enum { MAX_PASSES = 1000000 };

/* Checks pattern, method, size and number of messages. Returns false if one of the first three is unknown. */
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
        check_fail(check, false, "%s is measured only with Sendrecv, not with %s", r->pattern, r->method);
    if (r->messages != pattern->messages)
        check_fail(check, false, "messages = %" PRId64 ", but %s has %" PRId64, r->messages, r->pattern,
                   pattern->messages);
    return true;
}

static void check_record(const struct check *check, const struct pattern_list *d)
{
    const struct beff_record *r = protocol_at(&check->report->protocol, check->i);
    const struct check_range ranges[] = {{"pass", 1, MAX_PASSES},         {"rep", 1, SWEEP_REPETITIONS},
                                         {"bytes", INT64_MIN, INT64_MAX}, /* one of the sizes: check_place */
                                         {"messages", 1, CHECK_MAX},      {"loops", 1, CHECK_MAX},
                                         {"errors", 0, INT32_MAX},        {NULL, 0, 0}};
    bool good = check_columns(check, ranges);
    if (good && !(r->t_max > 0 && r->bandwidth > 0)) {
        check_fail(check, true, "t_max = %g and bandwidth = %g are not both positive", r->t_max,
                   r->bandwidth);
        good = false;
    }
    if (!check_place(check, d, r) || !good)
        return;
    check_follows(check, "bandwidth", r->bandwidth,
                  (double)r->bytes * (double)r->messages * (double)r->loops / r->t_max / 1e6);
}

/* Maximum number of cells per record, and number of cells that are allowed in addition. The results need
 * memory for every cell of a repetition, even if the repetition has few records. */
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
    double cells = repetitions * METHODS * BEFF_SIZES * ((double)polygons + PATTERN_MAX_CLASSES);
    if (cells <= CELLS_PER_RECORD * (double)p->record_count + CELLS_ANYWAY)
        return true;
    REPORT_FATAL(report, "%zu records are far too few for %.0f repetitions of %" PRId64 " polygons",
                 p->record_count, repetitions, polygons);
    return false;
}

static void examine(struct report *report)
{
    int64_t processes, polygons, lmax, seed, wrong;
    check_definition(report);
    if (finding_fatal(&report->findings) || !check_metadata(report, "processes", 2, INT32_MAX, &processes) ||
        !check_metadata(report, "option_polygons", 1, PATTERN_MAX_POLYGONS, &polygons) ||
        !check_metadata(report, "lmax", beff_lmax(1), beff_lmax(INT32_MAX), &lmax) ||
        !check_metadata(report, "seed", 0, INT64_MAX, &seed) ||
        (*report_meta(report, "discarded_errors") &&
         !check_metadata(report, "discarded_errors", 0, CHECK_MAX, &wrong)) ||
        !repetitions_fit(report))
        return;
    struct pattern_list d;
    patterns_make(&d, processes, (int)polygons, (uint64_t)seed, lmax);
    for (struct check check = {report, 0}; check.i < report->protocol.record_count; check.i++)
        check_record(&check, &d);
    patterns_free(&d);
    check_run(report);
}

const struct report_engine report_beff = {.engine = &beff_engine, .examine = examine};
