/* Each record of beff against its pattern, its method, its size (docs/definition.md 1.1 to 1.5). Uses beff's
 * patterns and sizes. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "beff/patterns.h"
#include "beff/record.h"
#include "beff/settings.h"
#include "beff/sizes.h"
#include "plots/check.h"
#include "plots/engines.h"

enum { MOST_REPETITIONS = 3 };

struct definition {
    struct pattern_list list;
    int64_t sizes[BEFF_SIZES];
};

static bool is_size(const struct definition *d, int64_t bytes)
{
    for (int s = 0; s < BEFF_SIZES; s++)
        if (d->sizes[s] == bytes)
            return true;
    return false;
}

/* What the record is of; false if that can't be. */
static bool check_place(const struct check *check, const struct definition *d, const struct beff_record *r)
{
    int number = pattern_find(&d->list, r->pattern);
    enum method method = method_find(r->method);
    if (number < 0 || method == METHODS || !is_size(d, r->bytes)) {
        const char *what = number < 0 ? "pattern" : method == METHODS ? "method" : "message size";
        check_fail(check, true, "no such %s: %s %s %" PRId64 " B", what, r->pattern, r->method, r->bytes);
        return false;
    }
    const struct pattern *pattern = &d->list.patterns[number];
    if (pattern->sendrecv_only && method != METHOD_SENDRECV)
        check_fail(check, false, "%s is measured with Sendrecv alone, not with %s", r->pattern, r->method);
    if (r->messages != pattern->messages)
        check_fail(check, false, "messages = %" PRId64 ", but %s has %" PRId64, r->messages, r->pattern,
                   pattern->messages);
    return true;
}

static void check_record(const struct check *check, const struct definition *d)
{
    const struct beff_record *r = protocol_at(&check->report->protocol, check->i);
    int64_t processes = d->list.processes;
    bool whole = check_range(check, "pass", r->pass, 1, INT32_MAX) &&
                 check_range(check, "rep", r->rep, 1, MOST_REPETITIONS) &&
                 check_range(check, "messages", r->messages, 1, CHECK_MOST) &&
                 check_range(check, "loops", r->loops, 1, CHECK_MOST) &&
                 check_range(check, "errors", r->errors, 0, INT32_MAX) &&
                 check_range(check, "held_up", r->held_up, 0, processes) &&
                 check_range(check, "switches", r->switches, 0, CHECK_MOST) &&
                 check_range(check, "clock_jumps", r->clock_jumps, 0, processes);
    bool real =
        check_not_negative(check, "t_min", r->t_min) && check_not_negative(check, "t_avg", r->t_avg) &&
        check_not_negative(check, "t_max", r->t_max) && check_not_negative(check, "bandwidth", r->bandwidth);
    if (real && !(r->t_max > 0 && r->bandwidth > 0)) {
        check_fail(check, true, "no time, or no bandwidth: t_max = %g, bandwidth = %g", r->t_max,
                   r->bandwidth);
        real = false;
    }
    if (!check_place(check, d, r) || !whole || !real)
        return;
    check_order(check, r->t_min, r->t_avg, r->t_max);
    check_follows(check, "bandwidth", r->bandwidth,
                  (double)r->bytes * (double)r->messages * (double)r->loops / r->t_max / 1e6);
}

static void check_settings(const struct report *report, struct findings *findings, int64_t lmax)
{
    static const struct finding anywhere = {""};
    int64_t memory;
    if (report_integer(report, "memory_per_process_mib", 1, INT32_MAX, &memory) && lmax != beff_lmax(memory))
        finding_add(findings, &anywhere, "lmax = %" PRId64 ", but %" PRId64 " MiB per process make %" PRId64,
                    lmax, memory, beff_lmax(memory));
    if (strcmp(report_meta(report, "definition"), BEFF_DEFINITION) != 0)
        finding_add(findings, &anywhere, "it is of definition \"%.40s\"; this program computes %s",
                    report_meta(report, "definition"), BEFF_DEFINITION);
}

void check_beff(const struct report *report, struct findings *findings)
{
    int64_t processes, polygons, lmax, seed, wrong = 0;
    if (!check_metadata(report, findings, "processes", 2, INT32_MAX, &processes) ||
        !check_metadata(report, findings, "option_polygons", 1, PATTERN_MOST_POLYGONS, &polygons) ||
        !check_metadata(report, findings, "lmax", beff_lmax(1), beff_lmax(INT32_MAX), &lmax) ||
        !check_metadata(report, findings, "seed", 0, INT64_MAX, &seed) ||
        (*report_meta(report, "probe_errors") &&
         !check_metadata(report, findings, "probe_errors", 0, CHECK_MOST, &wrong)))
        return;
    check_settings(report, findings, lmax);
    struct definition d;
    beff_sizes(lmax, d.sizes);
    if (patterns_make(&d.list, processes, (int)polygons, (uint64_t)seed)) {
        finding_add(findings, &(struct finding){.fatal = true}, "out of memory for its patterns");
        return;
    }
    struct check check = {report, findings, 0};
    for (; check.i < report->protocol.record_count; check.i++)
        check_record(&check, &d);
    patterns_free(&d.list);
}
