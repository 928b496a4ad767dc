#include "report/page.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/version.h"

static const char style[] =
    "html { font: 100%/1.5 system-ui, sans-serif; color: #1c1c1c; background: #fff; }\n"
    "body { margin: 0 auto; padding: 1.5rem; max-width: 84rem; overflow-wrap: anywhere; }\n"
    "h1 { font-size: 1.75rem; } h2 { font-size: 1.4rem; margin-top: 2.5rem; border-bottom: 2px solid; }\n"
    ".card { border: 1px solid #d4d4d4; border-top: 4px solid #a02c00; padding: 0 1.25rem; }\n"
    ".card.valid { border-top-color: #1b6b3a; } .missed { font-weight: 600; color: #a02c00; }\n"
    ".verdict, summary { font-weight: 600; } .note, small { color: #5a5a5a; font-size: .875rem; }\n"
    ".runs { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), "
    "1fr)); }\n"
    ".runs > * { min-width: 0; } .scroll { overflow-x: auto; } .number { font-size: 2.25rem; margin: 0; }\n"
    "table { border-collapse: collapse; font-size: .8rem; font-variant-numeric: tabular-nums; }\n"
    "th, td { padding: .15rem .5rem; text-align: left; vertical-align: top; border-bottom: 1px solid "
    "#d4d4d4; }\n"
    "th { font-weight: 400; white-space: nowrap; } thead th { font-weight: 600; vertical-align: bottom; }\n"
    "small { display: block; font-weight: 400; } .right { text-align: right; white-space: nowrap; }\n"
    "details { margin: .75rem 0; } summary { cursor: pointer; } figure { margin: 1rem 0; break-inside: "
    "avoid; }\n"
    "img { width: 100%; max-width: 56rem; } pre { white-space: pre-wrap; }\n"
    "@media print { html { font-size: 8pt; } body { padding: 0; } }\n";

/* ---- escaping ---- */

/* Writes a text of a protocol. Invalid UTF-8 and characters that a browser would interpret become U+FFFD. */
static void put_escaped(const char *text, FILE *out)
{
    while (*text) {
        int length = text_utf8_length(text);
        if (!length || text_is_control(text))
            fputs("\xEF\xBF\xBD", out);
        else if (strchr("<>&\"'", *text))
            fprintf(out, "&#%d;", *text);
        else
            fwrite(text, 1, (size_t)length, out);
        text += length ? length : 1;
    }
}

void page_put(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *c = format; *c; c++) {
        if (strncmp(c, "%s", 2) != 0)
            fputc(*c, out);
        else if (c++)
            put_escaped(va_arg(arguments, const char *), out);
    }
    va_end(arguments);
}

/* ---- verdict and figures ---- */

static const struct sheet_value *rating_of(const struct sheet *sheet)
{
    const struct sheet_value *rated = sheet_find(sheet, sheet->headline_name);
    return rated && isfinite(rated->value) ? rated : NULL;
}

static void put_card(const struct sheet *sheet, FILE *out)
{
    static const char *const states[CRITERION_STATES][2] = {
        {"missed", "FAIL"}, {"reached", "pass"}, {"unchecked", "not checked"}};
    const struct sheet_value *rated = rating_of(sheet);
    char number[TEXT_NUMBER_SIZE];
    page_put(out, "<article class=\"card%s\">\n", sheet_valid(sheet) ? " valid" : "");
    if (rated)
        page_put(out, "<p class=\"number\">%s = %s %s</p>\n", rated->name, text_number(number, rated->value),
                 rated->unit);
    page_put(out, "<p class=\"verdict\">%s%s%s%s%s%s</p>\n<ul>\n", sheet_verdict(sheet),
             sheet->rates_nothing ? "" : " for comparison", *sheet->noise ? ", " : "", sheet->noise,
             *sheet->disturbance ? ", " : "", sheet->disturbance);
    for (int i = CRITERION_STATES; i > 0; i--) /* failed, not checked, passed */
        for (int c = 0; c < sheet->criterion_count; c++) {
            const struct sheet_criterion *criterion = &sheet->criteria[c];
            if ((int)criterion->state == i % CRITERION_STATES)
                page_put(out, "<li class=\"%s\">%s: %s</li>\n", states[criterion->state][0],
                         states[criterion->state][1], criterion->text);
        }
    page_put(out, "</ul>\n<p class=\"note\">%s</p>\n<ul class=\"note\">\n", sheet->headline);
    for (size_t i = 0; i < sheet->notes.count; i++)
        page_put(out, "<li>%s</li>\n", sheet->notes.text[i]);
    fputs("</ul>\n</article>\n", out);
}

static void put_values(const struct sheet *sheet, FILE *out)
{
    fputs("<div class=\"scroll\"><table>\n", out);
    for (const struct sheet_value *v = sheet->values; v < sheet->values + sheet->value_count; v++) {
        char number[TEXT_NUMBER_SIZE];
        page_put(out, "<tr><th scope=\"row\">%s%s</th><td class=\"right\">%s</td><td>%s</td></tr>\n",
                 *v->label == ' ' ? "\u2003" : "", v->label, text_number(number, v->value), v->unit);
    }
    fputs("</table></div>\n", out);
}

/* ---- pictures ---- */

/* Writes a picture as an image, which can neither run scripts nor load files. */
static void put_picture(const char *path, FILE *out)
{
    struct stat status;
    const char *slash = strrchr(path, '/');
    FILE *in = lstat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "r") : NULL;
    if (!in)
        return;
    page_put(out, "<figure><img alt=\"%s\" src=\"data:image/svg+xml,", slash + 1);
    for (int c; (c = fgetc(in)) != EOF;)
        fprintf(out, c > ' ' && c < 127 && !strchr("\"#%&<>", c) ? "%c" : "%%%02X", c);
    fputs("\"></figure>\n", out);
    fclose(in);
}

static void put_pictures(const struct report *report, FILE *out)
{
    glob_t found = {0};
    int length = (int)strlen(report->path);
    if (!report->directory && length > 5 && strcmp(report->path + length - 5, ".prot") == 0)
        length -= 5;
    char *pattern = report->directory ? text_format("%s/plots/*.svg", report->directory)
                                      : text_format("%.*s/plots/*.svg", length, report->path);
    if (glob(pattern, 0, NULL, &found))
        page_put(out, "<p class=\"note\">There are no pictures in plots/: beff_plot %s draws them.</p>\n",
                 report_name(report));
    for (size_t i = 0; i < found.gl_pathc; i++)
        put_picture(found.gl_pathv[i], out);
    globfree(&found);
    free(pattern);
}

/* ---- tables ---- */

static void put_table(const struct table *table, FILE *out)
{
    page_put(out, "<details><summary>%s</summary>\n<div class=\"scroll\"><table>\n<thead><tr>", table->title);
    for (int c = 0; c < table->column_count; c++)
        page_put(out, "<th scope=\"col\" class=\"%s\">%s<small>%s</small></th>",
                 column_is_text(&table->columns[c]) ? "" : "right", table->columns[c].name,
                 table->columns[c].unit);
    fputs("</tr></thead>\n", out);
    for (int r = 0; r < table->rows; r++) {
        union table_row room;
        char text[CELL_TEXT_SIZE];
        const void *row = table_row(table, r, &room);
        fputs("<tr>", out);
        for (int c = 0; c < table->column_count; c++)
            page_put(out, "<td class=\"%s\">%s</td>", column_is_text(&table->columns[c]) ? "" : "right",
                     table_cell(&table->columns[c], row, text));
        fputs("</tr>\n", out);
    }
    fputs("</table></div></details>\n", out);
}

static void put_tables(const struct report *report, FILE *out)
{
    const struct sheet *sheet = report->sheet;
    struct table table;
    for (int i = 0; engine_table(report->engine, sheet, i, &table); i++) {
        if (i == sheet->table_count)
            fputs("<details><summary>Other tables of patterns/</summary>\n", out);
        put_table(&table, out);
    }
    fputs(sheet->data_count ? "</details>\n" : "", out);
    fputs("<details><summary>Metadata</summary>\n<div class=\"scroll\"><table>\n", out);
    for (size_t i = 0; i < report->protocol.meta_count; i++)
        page_put(out, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", report->protocol.meta[i].key,
                 report->protocol.meta[i].value);
    fputs("</table></div></details>\n", out);
}

/* ---- all ---- */

void page_start(const struct report *first, size_t runs, FILE *out)
{
    const struct sheet_value *rated = rating_of(first->sheet);
    char number[TEXT_NUMBER_SIZE], more[40] = "";
    if (runs > 1)
        snprintf(more, sizeof more, " and %zu other run%s", runs - 1, TEXT_S(runs - 1));
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
            "'unsafe-inline'; img-src data:\">\n<style>\n%s</style>\n",
            style);
    for (int i = 0; i < 2; i++)
        page_put(out, i ? "<h1>%s: %s %s %s%s</h1>\n" : "<title>%s: %s %s %s%s</title>\n</head>\n<body>\n",
                 report_meta(first, "host"), rated ? rated->name : first->engine->program,
                 rated ? text_number(number, rated->value) : "", rated ? rated->unit : "", more);
}

void page_run(const struct report *report, FILE *out)
{
    page_put(out, "<section>\n<h2>%s</h2>\n<p>%s %s on %s, %s process%s, %s</p>\n<pre>%s</pre>\n",
             report_name(report), report->engine->program, report_meta(report, "component"),
             report_meta(report, "host"), report_meta(report, "processes"),
             TEXT_ES(protocol_number(&report->protocol, "processes")), report_meta(report, "started"),
             report_meta(report, "command"));
    fputs("<div class=\"runs\">\n", out);
    put_card(report->sheet, out);
    put_values(report->sheet, out);
    fputs("</div>\n", out);
    put_pictures(report, out);
    put_tables(report, out);
    fputs("</section>\n", out);
}

void page_end(FILE *out)
{
    page_put(out,
             "<p class=\"note\">Computed by beff_report %s (commit %s) from the records. To check the "
             "figures: beff_report verify RUN.</p>\n</body>\n</html>\n",
             version_number, version_commit);
}
