/* Loading a run. Uses protocol, finding. */
#include "protocols/report.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct report_engine *const report_engines[] = {&report_beff, &report_beff_io, &report_imb,
                                                             NULL};

enum { MOST_ENGINES = sizeof report_engines / sizeof report_engines[0] };

const char *report_meta(const struct report *report, const char *key)
{
    const char *value = protocol_get(&report->protocol, key);
    return value ? value : "";
}

bool report_is_older(const struct report *report)
{
    return report->row->older && strcmp(report_meta(report, "definition"), report->row->older) == 0;
}

bool report_integer(const struct report *report, const char *key, int64_t least, int64_t most, int64_t *value)
{
    const char *text = report_meta(report, key);
    char *rest;
    errno = 0;
    *value = strtoll(text, &rest, 10);
    return rest != text && !*rest && !errno && *value >= least && *value <= most;
}

void report_unchecked(struct report *report, const char *format, ...)
{
    char *text = report->unchecked.text;
    size_t used = strlen(text), size = sizeof report->unchecked.text;
    va_list arguments;
    va_start(arguments, format);
    if (used)
        used += (size_t)snprintf(text + used, size - used, ", ");
    if (used < size)
        vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

struct finding report_at(const struct report *report, size_t i, bool fatal)
{
    return (struct finding){.line = report->protocol.record_lines[i], .fatal = fatal};
}

bool report_equal(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-12 * fabs(b);
}

int report_item_add(struct report_items *items, const struct report_item *item)
{
    size_t n = items->count;
    if (!(item->value > 0) || !isfinite(item->value))
        return 0;
    if ((n & (n - 1)) == 0) {
        struct report_item *grown = realloc(items->item, (n ? 2 * n : 1) * sizeof *grown);
        if (!grown)
            return -1;
        items->item = grown;
    }
    items->item[items->count++] = *item;
    return 0;
}

/* Values of the sheet: bandwidths and times. What is a fixed multiple of another one is left out. */
static int add_values(const struct sheet *sheet, struct report_items *items)
{
    int failed = 0;
    for (int i = 0; i < sheet->value_count && !failed; i++) {
        const struct sheet_value *v = &sheet->values[i];
        bool rating = strcmp(v->name, sheet->headline_name) == 0, time = strcmp(v->unit, "microsec") == 0;
        if ((!time && strcmp(v->unit, "MB/s") != 0) || strstr(v->name, "_per_process"))
            continue;
        struct report_item item = {.value = v->value, .less_is_better = time};
        snprintf(item.group, sizeof item.group, "%s", rating ? REPORT_RATING : "figure");
        snprintf(item.name, sizeof item.name, "%s", v->name);
        snprintf(item.unit, sizeof item.unit, "%s", v->unit);
        failed = report_item_add(items, &item);
    }
    return failed;
}

int report_items_make(const struct report *report, struct report_items *items)
{
    *items = (struct report_items){0};
    return add_values(report->sheet, items) || report->row->items(report, items) ? -1 : 0;
}

/* ---- loading ---- */

static int find_file(struct report *report, const char *path, struct message *error)
{
    struct stat status;
    if (stat(path, &status))
        return message_set(error, "%.300s can't be read: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode)) {
        report->directory = strdup(path);
        report->path = text_format("%s/run.prot", path);
    } else {
        report->path = strdup(path);
    }
    if (!report->path || (S_ISDIR(status.st_mode) && !report->directory))
        return message_set(error, "out of memory");
    if (stat(report->path, &status))
        return message_set(error, "%.300s can't be read: %s", report->path, strerror(errno));
    if (!S_ISREG(status.st_mode)) /* a pipe would be waited for */
        return message_set(error, "%.300s can't be read: it is not a regular file", report->path);
    return 0;
}

static int read_protocol(struct report *report, struct message *error)
{
    const struct record_type *types[MOST_ENGINES] = {NULL};
    for (int i = 0; report_engines[i]; i++)
        types[i] = report_engines[i]->engine->type;
    if (protocol_read_damaged(&report->protocol, report->path, types, &report->damage, error))
        return -1;
    for (int i = 0; report_engines[i]; i++)
        if (report_engines[i]->engine->type == report->protocol.type)
            report->row = report_engines[i];
    report->engine = report->row->engine;
    return 0;
}

/* ---- measurements that are there twice ---- */

struct place {
    const char *record;
    size_t number;
    int (*same)(const void *a, const void *b);
};

static int compare_places(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    int order = left->same(left->record, right->record);
    return order ? order : (left->number > right->number) - (left->number < right->number);
}

static int find_repeated(struct report *report, struct message *error)
{
    const struct protocol *p = &report->protocol;
    size_t n = report->row->same ? p->record_count : 0;
    struct place *places = calloc(n + 1, sizeof *places);
    if (!places)
        return message_set(error, "out of memory");
    for (size_t i = 0; i < n; i++)
        places[i] = (struct place){protocol_at(p, i), i, report->row->same};
    qsort(places, n, sizeof *places, compare_places);
    for (size_t i = 1; i < n; i++)
        if (places[i].same(places[i - 1].record, places[i].record) == 0) {
            struct finding where = report_at(report, places[i].number, true);
            finding_add(&report->findings, &where, "the same measurement as in line %zu",
                        p->record_lines[places[i - 1].number]);
        }
    free(places);
    return 0;
}

int report_read(struct report *report, const char *path, struct message *error)
{
    *report = (struct report){0};
    int failed = find_file(report, path, error) || read_protocol(report, error) ? -1 : 0;
    if (failed) {
        finding_clean(error->text);
        return failed;
    }
    report->row->check(report, &report->findings);
    return find_repeated(report, error);
}

int report_order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

int report_make(struct report *report, struct message *error)
{
    const struct finding *fatal = finding_fatal(&report->findings);
    if (fatal && fatal->line)
        return message_set(error, "%.230s:%zu: %s", report->path, fatal->line, fatal->text);
    if (fatal)
        return message_set(error, "%.250s: %s", report->path, fatal->text);
    struct message reason;
    report->sheet = engine_results(report->engine, &report->protocol, &reason);
    if (report->sheet)
        return 0;
    finding_clean(reason.text);
    return message_set(error, "%.200s: %.300s", report->path, reason.text);
}

int report_load(struct report *report, const char *path, struct message *error)
{
    int failed = report_read(report, path, error);
    if (!failed && *report->damage.text)
        failed = message_set(error, "%s", report->damage.text);
    failed = failed || report_make(report, error) ? -1 : 0;
    if (failed)
        report_free(report);
    return failed;
}

void report_free(struct report *report)
{
    engine_free_results(report->engine, report->sheet);
    protocol_free(&report->protocol);
    findings_free(&report->findings);
    free(report->path);
    free(report->directory);
    *report = (struct report){0};
}
