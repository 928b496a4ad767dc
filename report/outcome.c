/* Writing what several runs tell. Uses csv, escape, report. */
#include "report/outcome.h"

#include <math.h>
#include <string.h>

#include "report/csv.h"
#include "report/escape.h"
#include "report/report.h"

/* ---- JUnit ---- */

static void put_plain(const char *text, FILE *out)
{
    fputs(text, out);
}

static void put_texts(const char *what, const struct texts *texts, void put(const char *text, FILE *out),
                      FILE *out)
{
    for (int i = 0; i < texts->count; i++) {
        fprintf(out, "%s: ", what);
        put(texts->text[i], out);
        fputc('\n', out);
    }
}

/* A test suite of one test: status 0 passes, 1 is a failure, 3 an error, 5 skipped, each with the reasons. */
static void put_junit(const struct outcome *o, FILE *out)
{
    static const char *const elements[] = {
        [REPORT_DIFFERS] = "failure", [REPORT_REFUSED] = "error", [REPORT_UNDECIDED] = "skipped"};
    const struct texts *reasons = o->errors->count ? o->errors : o->reasons;
    char text[800];
    snprintf(text, sizeof text, "%s%s%s", o->threshold, *o->threshold ? "; " : "", o->verdict);
    if (o->errors->count)
        snprintf(text, sizeof text, "data errors");
    html_put(out,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"beff_report %s\" tests=\"1\" "
             "failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n  <testcase classname=\"beff_report.%s\" "
             "name=\"%s\">\n",
             o->command, o->status == REPORT_DIFFERS, o->status == REPORT_REFUSED,
             o->status == REPORT_UNDECIDED, o->command, o->figure);
    if (o->status != REPORT_FINE) {
        html_put(out, "    <%s message=\"%s\">", elements[o->status], text);
        put_texts("reason", reasons, escape_html, out);
        html_put(out, "</%s>\n", elements[o->status]);
    }
    html_put(out, "    <system-out>%s\n", text);
    put_texts("note", o->notes, escape_html, out);
    fputs("</system-out>\n  </testcase>\n</testsuite>\n", out);
}

/* ---- OpenMetrics ---- */

void outcome_metric(const char *name, const char *help, FILE *out)
{
    fprintf(out, "# TYPE beff_%s gauge\n# HELP beff_%s %s\n", name, name, help);
}

void outcome_sample(const char *name, const char *const *labels, double value, double time, FILE *out)
{
    if (isnan(value))
        return;
    fprintf(out, "beff_%s{", name);
    for (int i = 0; labels[i]; i += 2) {
        fprintf(out, "%s%s=\"", i ? "," : "", labels[i]);
        escape_label(labels[i + 1], out);
        fputc('"', out);
    }
    fprintf(out, "} %.17g", value);
    if (!isnan(time))
        fprintf(out, " %.0f", time);
    fputc('\n', out);
}

static void put_metrics(const struct outcome *o, FILE *out)
{
    const char *const labels[] = {"command", o->command, "figure", o->figure, NULL};
    o->metrics(o->context, out);
    outcome_metric("status", "Exit status: 0 fine, 1 worse, 3 refused, 5 more runs are needed.", out);
    outcome_sample("status", labels, o->status, NAN, out);
    fputs("# EOF\n", out);
}

/* ---- text, JSON, all ---- */

static void put_text(const struct outcome *o, FILE *out)
{
    for (int i = 0; i < o->table_count; i++)
        if (o->tables[i].rows) {
            table_text(&o->tables[i], "", out);
            fputc('\n', out);
        }
    put_texts("note", o->notes, put_plain, out);
    put_texts("refused", o->reasons, put_plain, out);
    put_texts("wrong", o->errors, put_plain, out);
    if (*o->threshold)
        fprintf(out, "%s\n", o->threshold);
    if (o->verdict)
        fprintf(out, "%s\n", o->verdict);
}

static int put_json(const struct outcome *o, FILE *out)
{
    struct json json;
    json_start(&json, out);
    json_begin(&json, NULL, JSON_OBJECT);
    for (int i = 0; i < o->table_count; i++) {
        if (i && i == o->first_figures)
            json_begin(&json, "figures", JSON_OBJECT);
        table_json(&o->tables[i], &json, o->tables[i].name);
    }
    if (o->first_figures)
        json_end(&json);
    json_texts(&json, "refused", o->reasons);
    json_texts(&json, "notes", o->notes);
    if (o->json)
        o->json(o->context, &json);
    json_end(&json);
    return json_finish(&json);
}

enum report_status outcome_put(const struct outcome *o, int format, FILE *out)
{
    const struct texts *const all[] = {o->notes, o->reasons, o->errors};
    int failed = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < all[k]->count; i++)
            finding_clean(all[k]->text[i]);
    if (format == FORMAT_TEXT)
        put_text(o, out);
    else if (format == FORMAT_JSON)
        failed = put_json(o, out);
    else if (format == FORMAT_CSV)
        csv_table(o->csv ? o->csv : o->tables, true, out);
    else if (format == FORMAT_JUNIT && o->verdict) /* without one it is a page, which is written */
        put_junit(o, out);
    else if (format == FORMAT_OPENMETRICS)
        put_metrics(o, out);
    for (int i = 0; i < o->reasons->count && format != FORMAT_TEXT; i++)
        report_say("refused: %s", o->reasons->text[i]);
    for (int i = 0; i < o->errors->count && format != FORMAT_TEXT; i++)
        report_say("%s", o->errors->text[i]);
    if (failed)
        report_say("JSON can't be written");
    return failed ? REPORT_REFUSED : o->status;
}
