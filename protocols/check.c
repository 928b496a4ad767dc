/* What the checks share. Uses report, finding. */
#include "protocols/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

void check_fail(const struct check *check, bool fatal, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct finding where = report_at(check->report, check->i, fatal);
    finding_add(check->findings, &where, "%s", text);
}

bool check_range(const struct check *check, const char *name, int64_t value, int64_t least, int64_t most)
{
    if (value >= least && value <= most)
        return true;
    check_fail(check, true, "%s = %" PRId64 " is not from %" PRId64 " to %" PRId64, name, value, least, most);
    return false;
}

bool check_not_negative(const struct check *check, const char *name, double value)
{
    if (value >= 0 && isfinite(value))
        return true;
    check_fail(check, true, "%s = %g is no such value", name, value);
    return false;
}

void check_order(const struct check *check, double t_min, double t_avg, double t_max)
{
    double slack = 1e-9 * t_max;
    if (!(t_min <= t_avg + slack && t_avg <= t_max + slack && t_min <= t_max))
        check_fail(check, false, "t_min %.9g, t_avg %.9g, t_max %.9g: not in this order", t_min, t_avg,
                   t_max);
}

void check_follows(const struct check *check, const char *name, double stated, double computed)
{
    if (!report_equal(stated, computed))
        check_fail(check, false, "%s = %.17g, but %.17g follows from the record", name, stated, computed);
}

bool check_metadata(const struct report *report, struct findings *findings, const char *key, int64_t least,
                    int64_t most, int64_t *value)
{
    if (report_integer(report, key, least, most, value))
        return true;
    const char *text = protocol_get(&report->protocol, key);
    struct finding where = {.fatal = true};
    for (size_t i = 0; i < report->protocol.meta_count; i++)
        if (report->protocol.meta[i].value == text)
            where.line = report->protocol.meta[i].line;
    if (text)
        finding_add(findings, &where, "%s = %.60s is not from %" PRId64 " to %" PRId64, key, text, least,
                    most);
    else
        finding_add(findings, &where, "it does not tell %s", key);
    return false;
}

/* Seconds since 1970; NaN where the key is missing or no time. */
static double time_of(const struct report *report, const char *key)
{
    struct tm tm = {0};
    const char *rest = strptime(report_meta(report, key), "%Y-%m-%dT%H:%M:%SZ", &tm);
    return rest && !*rest ? (double)timegm(&tm) : NAN;
}

void check_run(const struct report *report, struct findings *findings, double busy)
{
    const struct finding whole = {""};
    double elapsed =
        time_of(report, "finished") - time_of(report, "started"); /* NaN of a run that was cut short */
    int64_t processes, threads, nodes;
    if (elapsed < 0)
        finding_add(findings, &whole, "it finished at %s, before it started at %s",
                    report_meta(report, "finished"), report_meta(report, "started"));
    else if (busy > 1.05 * elapsed + 2)
        finding_add(findings, &whole, "its measurements took %.0f s, but it ran for %.0f s", busy, elapsed);
    if (report_integer(report, "processes", 1, INT32_MAX, &processes) &&
        report_integer(report, "hardware_threads", 1, INT32_MAX, &threads) &&
        report_integer(report, "nodes", 1, 1, &nodes) && processes > threads &&
        strcmp(report_meta(report, "oversubscribed"), "no") == 0)
        finding_add(findings, &whole,
                    "oversubscribed = no, but %" PRId64 " processes share %" PRId64 " hardware threads",
                    processes, threads);
}
