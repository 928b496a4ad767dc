/* The checks that all engines share. They find records and metadata that are impossible or contradict one
 * another. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/report.h"

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
        struct check_range range = {NULL, 0, CHECK_MAX};
        for (const struct check_range *own = ranges; own->column; own++)
            if (strcmp(own->column, column->name) == 0)
                range = *own;
        if (column->kind == COLUMN_INTEGER && whole) {
            int64_t value = *(const int64_t *)field;
            whole = value >= range.min && value <= range.max;
            if (!whole)
                check_fail(check, true, "%s = %" PRId64 " is not from %" PRId64 " to %" PRId64, column->name,
                           value, range.min, range.max);
        } else if (column->kind == COLUMN_REAL && range.min == 0) {
            double value = *(const double *)field;
            if (!(value >= 0 && value <= CHECK_REAL_MAX)) { /* true for NaN */
                check_fail(check, true, "%s = %g is not from 0 to %g", column->name, value, CHECK_REAL_MAX);
                real = false;
            }
        }
    }
    return whole && real;
}

void check_follows(const struct check *check, const char *name, double stated, double computed)
{
    if (!report_equal(stated, computed))
        check_fail(check, false, "%s = %.17g, but %.17g follows from the record", name, stated, computed);
}

/* ---- metadata ---- */

bool check_metadata(struct report *report, const char *key, int64_t min, int64_t max, int64_t *value)
{
    if (protocol_integer(&report->protocol, key, min, max, value))
        return true;
    const char *text = protocol_get(&report->protocol, key);
    struct finding where = {.fatal = true};
    for (size_t i = 0; i < report->protocol.meta_count; i++)
        if (report->protocol.meta[i].value == text)
            where.line = report->protocol.meta[i].line;
    if (text)
        finding_add(&report->findings, &where, "%s = %.60s is not from %" PRId64 " to %" PRId64, key, text,
                    min, max);
    else
        finding_add(&report->findings, &where, "%s is missing", key);
    return false;
}

void check_definition(struct report *report)
{
    const char *definition = report_meta(report, "definition");
    if (strcmp(definition, report->engine->definition) != 0)
        REPORT_FATAL(report, "unsupported definition \"%.40s\": expected %s", definition,
                     report->engine->definition);
}

double report_time(const struct report *report, const char *key)
{
    struct tm tm = {0};
    const char *rest = strptime(report_meta(report, key), "%Y-%m-%dT%H:%M:%SZ", &tm);
    return rest && !*rest ? (double)timegm(&tm) : NAN;
}

/* Checks that the keys that every run writes at its start are present. Other checks depend on these keys. */
static void check_required(struct report *report)
{
    for (const struct metadata_row *row = metadata_common.rows;
         row < metadata_common.rows + metadata_common.count; row++)
        if (row->uses & METADATA_REQUIRED && !*report_meta(report, row->key))
            REPORT_FAULT(report, "%s is missing", row->key);
    if (strstr(report_meta(report, "commit"), "-dirty"))
        texts_add(&report->unchecked, "the program (commit %.40s, with modified sources)",
                  report_meta(report, "commit"));
}

/* Checks that each value has the kind that its key requires, and that a key that must not repeat has only one
 * value. */
static void check_values(struct report *report)
{
    const struct protocol *p = &report->protocol;
    for (size_t i = 0; i < p->meta_count; i++) {
        const struct protocol_pair *pair = &p->meta[i], *next = &p->meta[pair->next];
        const struct metadata_row row = metadata_find(p->type->metadata, pair->key);
        const char *expected = row.key ? metadata_expected(row.kind, pair->value) : NULL;
        if (!row.key && protocol_is_first(p, i))
            texts_add(&report->unchecked, "%.60s (an unknown key)", pair->key);
        if (expected)
            finding_add(&report->findings, &(struct finding){.line = pair->line},
                        "%.60s = %.60s, but expected %s", pair->key, pair->value, expected);
        if (row.key && pair->next && !(row.uses & METADATA_REPEATS) && strcmp(pair->value, next->value) != 0)
            finding_add(&report->findings, &(struct finding){.line = next->line},
                        "%.60s = %.60s, but %.60s in line %zu", pair->key, next->value, pair->value,
                        pair->line);
    }
}

void check_run(struct report *report)
{
    check_required(report);
    check_values(report);
}
