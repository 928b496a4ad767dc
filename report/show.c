/* Implements the command show: prints the sheet of each run, or a page, metrics or reports of all runs. */
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/stats.h"
#include "report/command.h"
#include "report/output.h"
#include "report/page.h"

enum { SHOW_TEXT, SHOW_JSON, SHOW_HTML, SHOW_OPENMETRICS, SHOW_JUNIT };
static const char *const formats[] = {"text", "json", "html", "openmetrics", "junit", NULL};

static void put_label(const char *name, const char *value, const char *separator)
{
    char *clean = memory_text(value);
    text_clean(clean); /* so that it has no line breaks */
    printf("%s%s=\"", separator, name);
    for (const char *c = clean; *c; c++)
        printf("%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
    putchar('"');
    free(clean);
}

static void put_metrics(const struct report *report, bool named)
{
    const struct sheet *sheet = report->sheet;
    for (const struct sheet_value *v = sheet->values; v < sheet->values + sheet->value_count; v++) {
        if (!isfinite(v->value))
            continue;
        put_label("program", report->engine->program, "beff_figure{");
        put_label("host", report_meta(report, "host"), ",");
        put_label("processes", report_meta(report, "processes"), ",");
        if (named)
            put_label("run", report_name(report), ",");
        put_label("verdict", sheet_verdict(sheet), ",");
        put_label("figure", v->name, ",");
        put_label("unit", v->unit, ",");
        printf("} %.17g\n", v->value);
    }
}

static void put_junit(const struct report *report)
{
    static const enum junit_outcome outcomes[CRITERION_STATES] = {[CRITERION_MISSED] = JUNIT_FAILED,
                                                                  [CRITERION_REACHED] = JUNIT_PASSED,
                                                                  [CRITERION_UNCHECKED] = JUNIT_SKIPPED};
    const struct sheet *sheet = report->sheet;
    size_t count = (size_t)sheet->criterion_count;
    struct junit_case *cases = memory_new(count, sizeof *cases, "the test report");
    for (size_t k = 0; k < count; k++)
        cases[k] = (struct junit_case){sheet->criteria[k].text, output_stem(sheet->criteria[k].text),
                                       outcomes[sheet->criteria[k].state]};
    junit_suite(report_name(report), cases, count, stdout);
    free(cases);
}

enum { EARLIER_READ = 100, EARLIER_LEAST = 3 }; /* most files that are read, fewest runs for a median */

/* Returns true if another run has the same host and the same values of all keys of a run that define what is
 * measured. */
static bool has_keys_of(const struct protocol *other, const struct protocol *p)
{
    unsigned sizes = protocol_is(p, "memory_source", "given") ? METADATA_SIZES : 0,
             compared = METADATA_DEFINES | METADATA_SYSTEM | sizes;
    bool same = true;
    for (const struct protocol_pair *pair = p->meta; pair < p->meta + p->meta_count; pair++) {
        const struct metadata_row row = metadata_find(p->type->metadata, pair->key);
        const char *stated = protocol_get(other, pair->key), *value = stated ? stated : row.absent;
        if (row.uses & compared || strcmp(pair->key, "host") == 0)
            same &= value && strcmp(value, pair->value) == 0;
    }
    return same;
}

/* Returns the stated rating of an earlier complete run of the same measurement on the same host, or NaN. */
static double earlier_rating(const struct report *report, const struct protocol *other)
{
    const struct protocol *p = &report->protocol;
    bool same = protocol_is_complete(other) &&
                strcmp(protocol_text(other, "started"), protocol_text(p, "started")) < 0 &&
                has_keys_of(other, p) && has_keys_of(p, other);
    for (size_t i = 0; i < other->result_count && same; i++)
        if (sheet_rates(report->sheet, other->results[i].name))
            return other->results[i].value;
    return NAN;
}

/* Adds a note that compares the rating with earlier runs in the directories next to the run's. */
static void note_earlier(const struct report *report)
{
    struct sheet *sheet = report->sheet;
    const struct sheet_value *rating = sheet_find(sheet, sheet->headline_name);
    const struct record_type *types[] = {report->protocol.type, NULL};
    if (!report->directory || strpbrk(report->directory, "*?[\\") || !rating || !isfinite(rating->value))
        return;
    glob_t found = {0};
    double values[EARLIER_READ], median;
    size_t used = 0, files = 0;
    char *pattern = text_format("%s/../*/run.prot", report->directory);
    glob(pattern, 0, NULL, &found);
    for (size_t i = found.gl_pathc; i-- > 0 && files < EARLIER_READ;) {
        struct protocol other;
        struct message error;
        if (protocol_read(&other, found.gl_pathv[i], types, NULL, &error))
            continue;
        files++;
        values[used] = earlier_rating(report, &other);
        used += isfinite(values[used]);
        protocol_free(&other);
    }
    globfree(&found);
    free(pattern);
    if (used >= EARLIER_LEAST && (median = stats_median(values, used)) > 0)
        texts_add(&sheet->notes, "median of %zu earlier runs on this host %.*f %s, this run %.0f %%", used,
                  median < 100 ? 3 : 0, median, rating->unit, 100 * rating->value / median);
}

static void show_run(const struct report *report, const struct report_settings *settings, bool first)
{
    bool several = settings->runs.count > 1;
    switch (settings->format) {
    case SHOW_TEXT:
        fputs(first ? "" : "\n", stdout);
        note_earlier(report);
        sheet_text(report->sheet, stdout);
        break;
    case SHOW_JSON:
        fputs(!first ? ",\n" : several ? "[\n" : "", stdout);
        sheet_json(report->sheet, true, stdout);
        break;
    case SHOW_HTML:
        if (first)
            page_start(report, settings->runs.count, stdout);
        page_run(report, stdout);
        break;
    case SHOW_OPENMETRICS:
        if (first)
            puts("# TYPE beff_figure gauge\n# HELP beff_figure A figure of beff, beff_io or imb_compat.");
        put_metrics(report, several);
        break;
    default:
        if (first)
            puts("<testsuites>");
        put_junit(report);
    }
}

static enum report_status show_command(const struct report_settings *settings)
{
    bool first = true;
    enum report_status status = REPORT_FINE;
    for (size_t i = 0; i < settings->runs.count; i++) {
        struct report report;
        struct message error;
        if (report_open(&report, settings->runs.text[i], &error)) {
            status = report_refuse(&error);
        } else {
            show_run(&report, settings, first);
            first = false;
        }
        report_free(&report);
    }
    if (settings->format == SHOW_JSON && settings->runs.count > 1 && !first)
        puts("]");
    if (settings->format == SHOW_HTML && !first)
        page_end(stdout);
    if (settings->format == SHOW_OPENMETRICS)
        puts("# EOF");
    if (settings->format == SHOW_JUNIT && !first)
        puts("</testsuites>");
    return status;
}

/* ---- the command ---- */

static const struct option_row rows[] = {{"format", OPTION_CHOICE, REPORT_FIELD(format), "FORMAT",
                                          "text, json, html, openmetrics or junit", .choices = formats},
                                         {REPORT_HELP}};

static const char notes[] =
    "All output is computed from the records of run.prot. The other files of a run are not checked.\n"
    "--format json prints run.json as described in protocols/README.md. For several runs, it\n"
    "prints a list. The records themselves are lines of run.prot whose fields are separated by tabs.\n"
    "Comments start with #.\n\n"
    "If the folder of a run has at least 3 earlier complete runs of the same measurement on the same host\n"
    "(of the last 100 by name), the text compares the rating with their median.\n\n"
    "--format html prints one page about all runs, with verdicts, figures, tables and metadata. It also\n"
    "contains the pictures in plots/ of each run, which beff_plot draws:\n"
    "beff_plot RUN; beff_report show --format html RUN > page.html\n\n"
    "--format openmetrics prints the figures as metrics beff_figure with labels, as node_exporter's\n"
    "textfile collector reads them. --format junit prints each criterion of the verdict as a test case.\n\n"
    "Exit status: 0 all runs were shown; 2 usage; 3 a run cannot be read.\n";

REPORT_COMMAND(show, "[--format text|json|html] RUN...", "print the rating sheet and all tables");
