/* What is known of a run, and what examining it takes. Uses text. */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/array.h"

/* ---- findings ---- */

/* Control characters, U+0080 to U+009F among them, and what is no UTF-8. */
void finding_clean(char *text)
{
    while (*text) {
        int length = text_utf8_length(text);
        const unsigned char *c = (const unsigned char *)text;
        bool control = *c < ' ' || *c == 127 || (*c == 0xc2 && c[1] < 0xa0);
        if (!length || control)
            memset(text, '?', length ? (size_t)length : 1);
        text += length ? length : 1;
    }
}

void finding_add(struct findings *findings, const struct finding *where, const char *format, ...)
{
    bool full = findings->count == FINDINGS_MOST;
    findings->more += full;
    /* A fatal one is kept in any case: the last place is its. */
    if (full && !(where->fatal && !finding_fatal(findings)))
        return;
    struct finding *f = &findings->kept[full ? FINDINGS_MOST - 1 : findings->count++];
    *f = *where;
    TEXT_PRINT(f->text, sizeof f->text, format);
    finding_clean(f->text);
    finding_clean(f->file);
}

const struct finding *finding_fatal(const struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->kept[i].fatal)
            return &findings->kept[i];
    return NULL;
}

/* ---- a run ---- */

int report_item_add(struct report_items *items, const struct report_item *item)
{
    if (!(item->value > 0) || !isfinite(item->value))
        return 0;
    if (!array_room(&items->item, items->count, sizeof *items->item))
        return -1;
    items->item[items->count++] = *item;
    return 0;
}

const char *report_meta(const struct report *report, const char *key)
{
    const char *value = protocol_get(&report->protocol, key);
    return value ? value : "";
}

const char *report_name(const struct report *report)
{
    return report->directory ? report->directory : report->path;
}

bool report_is_complete(const struct report *report)
{
    return report->protocol.end && strcmp(report->protocol.end, "complete") == 0;
}

bool report_valid(const struct report *report)
{
    return sheet_valid(report->sheet) && !report->findings.count;
}

void report_hold_faults(struct report *report)
{
    struct sheet *sheet = report->sheet;
    size_t count = report->findings.count + report->findings.more + (*report->damage.text != 0);
    if (!count)
        return;
    if (sheet_valid(sheet))
        snprintf(sheet->headline, sizeof sheet->headline, "NOT VALID: its files have faults");
    sheet_criterion(sheet, false, "no fault in the run's files (%zu found, see verify)", count);
}

int report_count_invalid(const struct report *runs, int count)
{
    int invalid = 0;
    for (int i = 0; i < count; i++)
        invalid += !report_valid(&runs[i]);
    return invalid;
}

bool report_equal(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-12 * fabs(b);
}

/* ---- a record ---- */

void check_fail(const struct check *check, bool fatal, const char *format, ...)
{
    char text[256];
    TEXT_PRINT(text, sizeof text, format);
    finding_add(&check->report->findings,
                &(struct finding){.line = check->report->protocol.record_lines[check->i], .fatal = fatal},
                "%s", text);
}

bool check_columns(const struct check *check, const struct check_range *ranges)
{
    const struct protocol *p = &check->report->protocol;
    const char *record = protocol_at(p, check->i);
    bool whole = true, real = true;
    for (size_t i = 0; i < p->type->column_count; i++) {
        const struct column *column = &p->type->columns[i];
        const void *field = record + column->offset;
        struct check_range range = {NULL, 0, CHECK_MOST};
        for (const struct check_range *own = ranges; own->column; own++)
            if (strcmp(own->column, column->name) == 0)
                range = *own;
        if (column->kind == COLUMN_INTEGER && whole) {
            int64_t value = *(const int64_t *)field;
            whole = value >= range.least && value <= range.most;
            if (!whole)
                check_fail(check, true, "%s = %" PRId64 " is not from %" PRId64 " to %" PRId64, column->name,
                           value, range.least, range.most);
        } else if (column->kind == COLUMN_REAL && range.least == 0) {
            double value = *(const double *)field;
            if (!(value >= 0 && isfinite(value))) {
                check_fail(check, true, "%s = %g is no such value", column->name, value);
                real = false;
            }
        }
    }
    return whole && real;
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

/* ---- all records ---- */

struct place {
    const char *record;
    size_t number;
};

/* Columns by which records are ordered. */
struct order {
    const struct column *column[8];
    size_t count;
};

static struct order order_by(const struct record_type *type, const char *const *columns)
{
    struct order order = {.count = 0};
    for (; *columns; columns++)
        for (size_t i = 0; i < type->column_count; i++)
            if (strcmp(type->columns[i].name, *columns) == 0)
                order.column[order.count++] = &type->columns[i];
    return order;
}

static int compare_records(const char *a, const char *b, const struct order *by)
{
    int order = 0;
    for (size_t i = 0; i < by->count && !order; i++) {
        const void *x = a + by->column[i]->offset, *y = b + by->column[i]->offset;
        const int64_t *m = x, *n = y;
        const double *u = x, *v = y;
        order = by->column[i]->kind == COLUMN_TEXT      ? strcmp(x, y)
                : by->column[i]->kind == COLUMN_INTEGER ? (*m > *n) - (*m < *n)
                                                        : (*u > *v) - (*u < *v);
    }
    return order;
}

static int compare_places(const void *a, const void *b, void *by)
{
    const struct place *left = a, *right = b;
    int order = compare_records(left->record, right->record, by);
    return order ? order : (left->number > right->number) - (left->number < right->number);
}

void check_repeated(struct report *report, const char *const *columns, bool fatal, const char *what,
                    const char *remark)
{
    struct order by = order_by(report->protocol.type, columns);
    const struct protocol *p = &report->protocol;
    size_t n = p->record_count;
    struct place *places = calloc(n + 1, sizeof *places);
    if (!places) {
        finding_add(&report->findings, &(struct finding){.fatal = true}, "out of memory");
        return;
    }
    for (size_t i = 0; i < n; i++)
        places[i] = (struct place){protocol_at(p, i), i};
    qsort_r(places, n, sizeof *places, compare_places, &by);
    for (size_t i = 1; i < n; i++)
        if (compare_records(places[i - 1].record, places[i].record, &by) == 0)
            check_fail(&(struct check){report, places[i].number}, fatal, "the same %s as in line %zu%s", what,
                       p->record_lines[places[i - 1].number], remark);
    free(places);
}

/* ---- metadata ---- */

bool check_metadata(struct report *report, const char *key, int64_t least, int64_t most, int64_t *value)
{
    if (protocol_integer(&report->protocol, key, least, most, value))
        return true;
    const char *text = protocol_get(&report->protocol, key);
    struct finding where = {.fatal = true};
    for (size_t i = 0; i < report->protocol.meta_count; i++)
        if (report->protocol.meta[i].value == text)
            where.line = report->protocol.meta[i].line;
    if (text)
        finding_add(&report->findings, &where, "%s = %.60s is not from %" PRId64 " to %" PRId64, key, text,
                    least, most);
    else
        finding_add(&report->findings, &where, "it does not tell %s", key);
    return false;
}

void check_definition(struct report *report, const char *before)
{
    const char *definition = report_meta(report, "definition");
    if (strcmp(definition, report->engine->definition) != 0 && strcmp(definition, before) != 0)
        finding_add(&report->findings, &(struct finding){.fatal = true},
                    "it is of definition \"%.40s\"; this program computes %s", definition,
                    report->engine->definition);
}

void check_lmax(struct report *report, int64_t lmax, int64_t memory, int64_t computed)
{
    if (lmax != computed)
        finding_add(&report->findings, &(struct finding){""},
                    "lmax = %" PRId64 ", but %" PRId64 " MiB per process make %" PRId64, lmax, memory,
                    computed);
}

double report_time(const struct report *report, const char *key)
{
    struct tm tm = {0};
    const char *rest = strptime(report_meta(report, key), "%Y-%m-%dT%H:%M:%SZ", &tm);
    return rest && !*rest ? (double)timegm(&tm) : NAN;
}

void check_run(struct report *report, double busy)
{
    const struct finding whole = {""};
    double span = report_time(report, "finished") -
                  report_time(report, "started"); /* NaN of a run that was cut short */
    double elapsed = fmin(span, protocol_number(&report->protocol, "elapsed_s"));
    int64_t processes, threads, nodes;
    if (report_is_complete(report) && isnan(span))
        texts_add(&report->unchecked,
                  "whether it ran as long as its measurements took: no times of start and end");
    if (span < 0)
        finding_add(&report->findings, &whole, "it finished at %s, before it started at %s",
                    report_meta(report, "finished"), report_meta(report, "started"));
    else if (busy > 1.05 * elapsed + 2)
        finding_add(&report->findings, &whole, "its measurements took %.0f s, but it ran for %.0f s", busy,
                    elapsed);
    if (protocol_integer(&report->protocol, "processes", 1, INT32_MAX, &processes) &&
        protocol_integer(&report->protocol, "hardware_threads", 1, INT32_MAX, &threads) &&
        protocol_integer(&report->protocol, "nodes", 1, 1, &nodes) && processes > threads &&
        strcmp(report_meta(report, "oversubscribed"), "yes") != 0)
        finding_add(&report->findings, &whole,
                    "oversubscribed = %.20s, but %" PRId64 " processes share %" PRId64 " hardware threads",
                    report_meta(report, "oversubscribed"), processes, threads);
}
