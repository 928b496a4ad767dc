/* Writing JUnit's XML and OpenMetrics. Uses report, text. */
#include "protocols/ci.h"

#include <math.h>
#include <string.h>

#include "protocols/report.h"

/* ---- JUnit ---- */

/* The characters U+FFFE and U+FFFF are in no XML; controls are cleaned where a text comes from. */
static bool is_no_xml(const char *c)
{
    return strncmp(c, "\xef\xbf\xbe", 3) == 0 || strncmp(c, "\xef\xbf\xbf", 3) == 0;
}

static void put_xml(const char *text, FILE *out)
{
    for (int length; *text; text += length) {
        length = text_utf8_length(text);
        const unsigned char c = (unsigned char)*text;
        if (!length || c < ' ' || is_no_xml(text))
            fputc('?', out);
        else if (strchr("<>&\"", *text))
            fprintf(out, "&#%d;", c);
        else
            fprintf(out, "%.*s", length, text);
        length = length ? length : 1;
    }
}

static void put_texts(const char *what, const struct texts *texts, FILE *out)
{
    for (int i = 0; i < texts->count; i++) {
        fprintf(out, "%s: ", what);
        put_xml(texts->text[i], out);
        fputc('\n', out);
    }
}

static void put_attribute(const char *name, const char *value, FILE *out)
{
    fprintf(out, " %s=\"", name);
    put_xml(value, out);
    fputc('"', out);
}

void ci_junit(const struct ci_result *r, FILE *out)
{
    static const char *const elements[] = {
        [REPORT_DIFFERS] = "failure", [REPORT_REFUSED] = "error", [REPORT_UNDECIDED] = "skipped"};
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"beff_report %s\" tests=\"1\" "
            "failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n  <testcase classname=\"beff_report.%s\"",
            r->command, r->status == REPORT_DIFFERS, r->status == REPORT_REFUSED,
            r->status == REPORT_UNDECIDED, r->command);
    put_attribute("name", r->figure, out);
    fputs(">\n", out);
    if (r->status != REPORT_FINE) {
        fprintf(out, "    <%s", elements[r->status]);
        put_attribute("message", r->text, out);
        fputc('>', out);
        put_texts("reason", r->reasons, out);
        fprintf(out, "</%s>\n", elements[r->status]);
    }
    fputs("    <system-out>", out);
    put_xml(r->text, out);
    fputc('\n', out);
    put_texts("note", r->notes, out);
    fputs("</system-out>\n  </testcase>\n</testsuite>\n", out);
}

/* ---- OpenMetrics ---- */

void ci_metric(const char *name, const char *help, FILE *out)
{
    fprintf(out, "# TYPE beff_%s gauge\n# HELP beff_%s %s\n", name, name, help);
}

static void put_label(const char *value, FILE *out)
{
    for (int length; *value; value += length) {
        length = text_utf8_length(value);
        bool bad = !length || (unsigned char)*value < ' ';
        length = length ? length : 1;
        fprintf(out, "%s%.*s", strchr("\\\"", *value) ? "\\" : "", length, bad ? "?" : value);
    }
}

void ci_sample(const char *name, const char *const *labels, double value, double time, FILE *out)
{
    if (isnan(value))
        return;
    fprintf(out, "beff_%s{", name);
    for (int i = 0; labels[i]; i += 2) {
        fprintf(out, "%s%s=\"", i ? "," : "", labels[i]);
        put_label(labels[i + 1], out);
        fputc('"', out);
    }
    fprintf(out, "} %.17g", value);
    if (!isnan(time))
        fprintf(out, " %.0f", time);
    fputc('\n', out);
}

void ci_metrics_end(const struct ci_result *r, FILE *out)
{
    ci_metric("status", "Exit status: 0 fine, 1 worse, 3 refused, 5 more runs are needed.", out);
    ci_sample("status", (const char *const[]){"command", r->command, "figure", r->figure, NULL}, r->status,
              NAN, out);
    fputs("# EOF\n", out);
}
