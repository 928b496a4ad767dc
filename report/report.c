#include "report/report.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beff/settings.h"
#include "beff_io/settings.h"
#include "common/memory.h"
#include "imb_compat/settings.h"

const char *report_meta(const struct report *report, const char *key)
{
    const char *value = protocol_get(&report->protocol, key);
    return value ? value : "";
}

const char *report_name(const struct report *report)
{
    return report->directory ? report->directory : report->path;
}

/* ---- comparing the stated results with the records ---- */

#define FAULT(report, line, format, ...)                                                                     \
    texts_add(&(report)->faults, "%s:%zu: " format, (report)->path, line, __VA_ARGS__)

static const struct protocol_result *find_result(const struct protocol *p, const char *name)
{
    for (size_t i = 0; i < p->result_count; i++)
        if (strcmp(p->results[i].name, name) == 0)
            return &p->results[i];
    return NULL;
}

/* Returns true if two values agree, as the definitions say. The last binary digits of two systems may differ,
 * and a figure such as a small difference amplifies them. */
static bool is_equal(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-9 * fabs(b);
}

static void check_result(struct report *report, const struct protocol_result *stated)
{
    const struct sheet_value *value = sheet_find(report->sheet, stated->name);
    if (find_result(&report->protocol, stated->name) != stated)
        FAULT(report, stated->line, "result %.60s appears twice", stated->name);
    else if ((value->uses & SHEET_STATED) || (protocol_is(&report->protocol, "format", PROTOCOL_EARLIER) &&
                                              strcmp(stated->name, report->sheet->headline_name) != 0))
        return; /* formulas of other figures have changed since the earlier format */
    else if (isnan(value->value))
        FAULT(report, stated->line, "result %.60s = %.17g does not follow from the records", stated->name,
              stated->value);
    else if (!is_equal(stated->value, value->value))
        FAULT(report, stated->line, "result %.60s = %.17g, but %.17g follows from the records", stated->name,
              stated->value, value->value);
    else if (strcmp(stated->unit, value->unit) != 0)
        FAULT(report, stated->line, "result %.60s is in %s, not in %.40s", stated->name, value->unit,
              stated->unit);
}

/* Finds negative sizes and counts in the metadata. Other values that no result needs are not checked. */
static void check_metadata(struct report *report)
{
    const struct protocol *p = &report->protocol;
    for (const struct protocol_pair *pair = p->meta; pair < p->meta + p->meta_count; pair++)
        if (metadata_find(p->type->metadata, pair->key).kind == METADATA_INTEGER &&
            strtod(pair->value, NULL) < 0)
            texts_add(&report->faults, "%s: %s = %.60s is negative", report->path, pair->key, pair->value);
}

/* Checks the end line and the results. The rating must be stated; other figures may be missing. */
static void check_run(struct report *report)
{
    const struct protocol *p = &report->protocol;
    const struct sheet_value *rating = sheet_find(report->sheet, report->sheet->headline_name);
    struct message order;
    check_metadata(report);
    if (!report->sheet->unknown && report->engine->verify && report->engine->verify(report->sheet, &order))
        texts_add(&report->faults, "%s: %s", report->path, order.text);
    if (!p->end)
        FAULT(report, p->lines, "%s",
              "cut short: no end and no checksum after this line (the run was killed, or is not over yet)");
    else if (!protocol_is_complete(p) && strncmp(p->end, "partial (", 9) != 0)
        FAULT(report, p->lines, "end = %.100s is neither complete nor partial (with a reason)", p->end);
    for (size_t i = 0; i < p->result_count; i++)
        check_result(report, &p->results[i]);
    if (p->end && rating && isfinite(rating->value) && !find_result(p, rating->name))
        FAULT(report, p->lines, "result %s = %.17g follows from the records, but is not stated", rating->name,
              rating->value);
    for (size_t i = 0; i < report->faults.count; i++)
        text_clean(report->faults.text[i]);
}

static void apply_faults(struct report *report)
{
    struct sheet *sheet = report->sheet;
    size_t count = report->faults.count + (*report->damage.text != 0);
    if (!count)
        return;
    if (sheet_valid(sheet))
        snprintf(sheet->headline, sizeof sheet->headline, "NOT VALID: run.prot contains faults");
    sheet_criterion(sheet, false, "run.prot is consistent (%zu fault%s found by beff_report verify)", count,
                    TEXT_S(count));
}

/* ---- loading ---- */

static const struct engine *const engines[] = {&beff_engine, &beff_io_engine, &imb_engine};

enum { ENGINES = sizeof engines / sizeof engines[0] };

/* Sets directory and path of a run, without slashes at the end. */
static void find_file(struct report *report, const char *path)
{
    struct stat status;
    bool directory = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    size_t length = strlen(path);
    while (directory && length > 1 && path[length - 1] == '/')
        length--;
    report->directory = directory ? text_format("%.*s", (int)length, path) : NULL;
    report->path = directory ? text_format("%s/run.prot", report->directory) : memory_text(path);
}

static int check_directory(const struct report *report, struct message *error)
{
    glob_t runs = {0};
    char *pattern = report->directory && access(report->path, F_OK) && !strpbrk(report->directory, "*?[\\")
                        ? text_format("%s/*/run.prot", report->directory)
                        : NULL;
    bool found = pattern && glob(pattern, 0, NULL, &runs) == 0;
    if (found)
        message_set(error, "%.200s is not a run but contains the directories of %zu run%s: use %.200s/*",
                    report->directory, runs.gl_pathc, TEXT_S(runs.gl_pathc), report->directory);
    globfree(&runs);
    free(pattern);
    return found ? -1 : 0;
}

static int read_protocol(struct report *report, struct message *error)
{
    const struct record_type *types[ENGINES + 1] = {NULL};
    for (int i = 0; i < ENGINES; i++)
        types[i] = engines[i]->type;
    if (protocol_read(&report->protocol, report->path, types, &report->damage, error))
        return -1;
    for (int i = 0; i < ENGINES; i++)
        if (engines[i]->type == report->protocol.type)
            report->engine = engines[i];
    return 0;
}

int report_open(struct report *report, const char *path, struct message *error)
{
    *report = (struct report){0};
    struct message reason;
    find_file(report, path);
    if (check_directory(report, error) || read_protocol(report, error))
        return -1;
    report->sheet = engine_results(report->engine, &report->protocol, &reason);
    if (!report->sheet)
        message_set(error, "%.200s: %.300s", report->path, reason.text);
    else {
        check_run(report);
        apply_faults(report);
    }
    if (*report->damage.text)
        *error = report->damage;
    return report->sheet && !*report->damage.text ? 0 : -1;
}

void report_free(struct report *report)
{
    engine_free_results(report->engine, report->sheet);
    protocol_free(&report->protocol);
    texts_free(&report->faults);
    free(report->path);
    free(report->directory);
    *report = (struct report){0};
}
