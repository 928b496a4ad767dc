/* The page. All text of protocols goes through html_put, which escapes it. Uses escape. */
#include "report/page.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "common/version.h"
#include "report/assets.h"
#include "report/escape.h"
#include "report/command.h"

static void put_heading(const struct page_run *run, FILE *out)
{
    fputs("<h3>", out);
    page_put_name(run, out);
    fputs("</h3>\n", out);
}

static void put_value(const struct sheet_value *v, FILE *out)
{
    bool count = !*v->unit || v->value == floor(v->value);
    if (isnan(v->value))
        fputs("-", out);
    else
        fprintf(out, count && fabs(v->value) < 1e15 ? "%.0f" : "%.3f", v->value);
}

/* ---- rating ---- */

static void put_criterion(enum criterion_state state, const char *text, FILE *out)
{
    static const char *const states[CRITERION_STATES][3] = {
        {"missed", "\xE2\x9C\x97", "FAIL"}, {"", "\xE2\x9C\x93", "pass"}, {"unchecked", "?", "not checked"}};
    html_put(out, "<li class=\"%s\"><b aria-hidden=\"true\">%s</b> %s: %s</li>\n", states[state][0],
             states[state][1], states[state][2], text);
}

enum { MOST_FINDINGS = 10 };

/* What was looked at, and what differs: nobody may take the numbers for those of the records then. */
static void put_findings(const struct report *report, FILE *out)
{
    const struct findings *findings = &report->findings;
    char text[80];
    snprintf(text, sizeof text, "no fault in the run's files (%zu found)", findings->count + findings->more);
    put_criterion(findings->count == 0, text, out);
    fputs("</ul>\n<ul class=\"notes\">\n", out);
    for (size_t i = 0; i < findings->count && i < MOST_FINDINGS; i++) {
        const struct finding *f = &findings->kept[i];
        char line[32] = ""; /* of the whole file without */
        if (f->line)
            snprintf(line, sizeof line, " line %zu", f->line);
        html_put(out, "<li>%s%s: %s</li>\n", *f->file ? f->file : "run.prot", line, f->text);
    }
    if (findings->count > MOST_FINDINGS)
        fputs("<li>and more: beff_report verify</li>\n", out);
    for (int i = 0; i < report->unchecked.count; i++)
        html_put(out, "<li>not checked: %s</li>\n", report->unchecked.text[i]);
    fputs("</ul>\n", out);
}

/* The verdict with all that it rests on. */
static void put_verdict(const struct report *report, FILE *out)
{
    const struct sheet *sheet = report->sheet;
    html_put(out, "<p class=\"verdict\">%s%s%s</p>\n<ul class=\"criteria\">\n",
             sheet_verdict_word(sheet, report_valid(report)), sheet->rates_nothing ? "" : " for comparison",
             *sheet->noise ? ", on a noisy machine" : "");
    for (int i = CRITERION_STATES; i > 0; i--) { /* failed, not checked, passed */
        enum criterion_state state = i % CRITERION_STATES;
        for (int c = 0; c < sheet->criterion_count; c++)
            if (sheet->criteria[c].state == state)
                put_criterion(state, sheet->criteria[c].text, out);
    }
    put_findings(report, out);
}

static void put_notes(const struct texts *notes, FILE *out)
{
    fputs("<ul class=\"notes\">\n", out);
    for (int i = 0; i < notes->count; i++)
        html_put(out, "<li>%s</li>\n", notes->text[i]);
    fputs("</ul>\n", out);
}

static void put_card(const struct page_run *run, FILE *out)
{
    const struct report *report = &run->report;
    const struct sheet *sheet = report->sheet;
    const struct sheet_value *rated = sheet_find(sheet, sheet->headline_name);
    fputs("<div>\n", out);
    html_put(out, "<article class=\"card%s%s\">\n", report_valid(report) ? " valid" : "",
             *sheet->noise ? " noisy" : "");
    put_heading(run, out);
    if (rated && strcmp(rated->unit, "MB/s") == 0) {
        html_put(out, "<p>%s</p>\n<p class=\"number\">", rated->label);
        put_value(rated, out);
        html_put(out, " <span>%s</span></p>\n", rated->unit);
    }
    put_verdict(report, out);
    html_put(out, "<p>%s</p>\n<p class=\"note\">%s</p>\n</article>\n", sheet->spread_note,
             report->findings.count ? "" : sheet->headline); /* which may say VALID */
    put_notes(&sheet->notes, out);
    fputs("</div>\n", out);
}

static void put_values(const struct page_run *run, FILE *out)
{
    const struct sheet *sheet = run->report.sheet;
    fputs("<div>\n", out);
    put_heading(run, out);
    fprintf(out, "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">figure</th><th scope=\"col\" "
                 "class=\"right\">value</th><th scope=\"col\">unit</th></tr></thead>\n<tbody>\n");
    for (int i = 0; i < sheet->value_count; i++) {
        const struct sheet_value *v = &sheet->values[i];
        html_put(out, "<tr class=\"%s\"><th scope=\"row\">%s</th><td class=\"right\">",
                 sheet_rates(sheet, v->name) ? "rated"
                 : *v->label == ' '          ? "part"
                                             : "",
                 v->label);
        put_value(v, out);
        html_put(out, "</td><td>%s</td></tr>\n", v->unit);
    }
    fputs("</tbody></table></div>\n</div>\n", out);
}

/* ---- plots ---- */

/* A picture as an image: what is in it can neither run nor load anything. */
static void put_image(const char *svg, const char *label, FILE *out)
{
    html_put(out, "<img class=\"plot\" alt=\"%s\" src=\"data:image/svg+xml,", label);
    for (; *svg; svg++) {
        bool plain = *svg >= ' ' && *svg < 127 && !strchr("\"#%&<>", *svg);
        fprintf(out, plain ? "%c" : "%%%02X", (unsigned char)*svg);
    }
    fputs("\">\n", out);
}

static void put_figure(const struct page_pictures *pictures, int i, FILE *out)
{
    const char *title = pictures->drawing.picture[i].title;
    if (!pictures->svg[i])
        return;
    html_put(out, "<figure>\n<figcaption>%s</figcaption>\n", title);
    put_image(pictures->svg[i], title, out);
    fputs("</figure>\n", out);
}

static void put_without(const char *reason, FILE *out)
{
    if (reason)
        html_put(out, "<p>There are no plots: %s.</p>\n", reason);
}

/* Of each run the pictures from `first` to before `end`, of those that were drawn. */
static void put_figures(const struct page *page, int first, int end, FILE *out)
{
    put_without(page->without_plots, out);
    for (int r = 0; r < page->count && !page->without_plots; r++) {
        const struct page_run *run = &page->run[r];
        const struct drawing *drawing = &run->pictures.drawing;
        int drawn = 0, shown = 0;
        for (int i = 0; i < drawing->count; i++)
            drawn += drawing->picture[i].drawn;
        if (first > 0 && drawn <= first)
            continue;
        put_heading(run, out);
        if (first == 0)
            html_put(out, "<p class=\"note\">%s</p>\n",
                     drawn ? drawing->caption : "Nothing was measured that could be drawn.");
        html_put(out, "<div class=\"plots%s\">\n", first == 0 ? " key" : "");
        for (int i = 0; i < drawing->count; i++)
            if (drawing->picture[i].drawn && shown++ >= first && shown <= end)
                put_figure(&run->pictures, i, out);
        fputs("</div>\n", out);
    }
}

static void put_picture(const struct page *page, FILE *out)
{
    put_figures(page, 0, 1, out);
}

static void put_plots(const struct page *page, FILE *out)
{
    put_figures(page, 1, INT_MAX, out);
}

/* ---- tables ---- */

enum { WIDE = 8 }; /* columns: printed smaller */

static void put_table(const struct table *table, FILE *out)
{
    html_put(out,
             "<details open>\n<summary>%s</summary>\n<div class=\"scroll\"><table "
             "class=\"sortable%s\">\n<thead><tr>",
             table->title, table->column_count > WIDE ? " wide" : "");
    for (int c = 0; c < table->column_count; c++) {
        const struct table_column *column = &table->columns[c];
        html_put(out, "<th scope=\"col\" class=\"%s\">%s", table_is_text(column) ? "" : "right",
                 column->name);
        if (*column->unit)
            html_put(out, "<small>%s</small>", column->unit);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int r = 0; r < table->rows; r++) {
        union table_row row;
        table->fill(table, r, &row);
        fputs("<tr>", out);
        for (int c = 0; c < table->column_count; c++) {
            char text[CELL_TEXT_SIZE];
            html_put(out, "<td class=\"%s\">%s</td>", table_is_text(&table->columns[c]) ? "" : "right",
                     table_cell(table, &row, c, text));
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n</details>\n", out);
}

static void put_data_tables(const struct report *report, FILE *out)
{
    int count = report->sheet->data_count;
    if (!count)
        return;
    html_put(out, "<details open class=\"folded\">\n<summary>The tables of patterns/ (%d)</summary>\n<div>\n",
             count);
    for (int i = 0; i < count; i++) {
        struct table table;
        report->engine->table(report->sheet, i, &table);
        put_table(&table, out);
    }
    fputs("</div>\n</details>\n", out);
}

static void put_tables(const struct page_run *run, FILE *out)
{
    const struct report *report = &run->report;
    fputs("<div>\n", out);
    put_heading(run, out);
    for (int i = 0; i < report->sheet->table_count; i++)
        put_table(&report->sheet->tables[i], out);
    put_data_tables(report, out);
    fputs("</div>\n", out);
}

static void put_all_tables(const struct page *page, FILE *out)
{
    fputs("<p class=\"note screen\">A click on a heading sorts. Folded tables are printed, too.</p>\n", out);
    for (int r = 0; r < page->count; r++)
        put_tables(&page->run[r], out);
}

/* ---- rating sheet ---- */

/* The systems with median and interval, or why there are none. */
static void put_rank(const struct rank *rank, FILE *out)
{
    struct rank_table systems;
    if (rank->runs.all.count)
        html_put(out, "<h3>All runs of %s</h3>\n", rank->runs.all.runs[0].engine->program);
    if (rank->count) {
        rank_table_make(&systems, rank);
        put_table(&systems.table, out);
        put_notes(&rank->runs.notes, out);
    }
    if (rank->runs.reasons.count)
        html_put(out, "<p>%s:</p>\n", rank->count ? "Refused" : "There is no median of these runs");
    put_notes(&rank->runs.reasons, out);
}

/* One run has its figures beside the verdict, several have theirs beside one another. */
static void put_ratings(const struct page *page, FILE *out)
{
    for (int i = 0; i < page->rank_count; i++)
        put_rank(&page->rank[i], out);
    fputs("<div class=\"runs\">\n", out);
    for (int i = 0; i < page->count; i++)
        put_card(&page->run[i], out);
    fputs(page->count > 1 ? "</div>\n<div class=\"runs\">\n" : "", out);
    for (int i = 0; i < page->count; i++)
        put_values(&page->run[i], out);
    fputs("</div>\n", out);
}

/* ---- how to recompute ---- */

static void put_recompute(const struct page *page, FILE *out)
{
    fputs("<p>Every figure on this page is computed from the protocols alone, and can be computed again "
          "by anybody who has them. Two runs compare only if both are VALID and have the same definition and "
          "the settings that it names.</p>\n",
          out);
    for (int r = 0; r < page->count; r++) {
        const struct report *report = &page->run[r].report;
        const char *run = report_name(report);
        put_heading(&page->run[r], out);
        html_put(out,
                 "<p>The numbers, from the protocol:</p>\n<pre>beff_report verify %s\nbeff_report "
                 "show %s</pre>\n",
                 run, run);
        html_put(out,
                 "<p>The measurement, with %s processes, by version %s (commit %s, built with %s, "
                 "%s):</p>\n<pre>%s</pre>\n",
                 report_meta(report, "processes"), report_meta(report, "version"),
                 report_meta(report, "commit"), report_meta(report, "compiler"), report_meta(report, "flags"),
                 report_meta(report, "command"));
        html_put(out, "<p class=\"note\">The protocol has %d records and ends %s.</p>\n",
                 (int)report->protocol.record_count,
                 report->protocol.end ? report->protocol.end : "without an end line: it is cut short");
    }
}

/* ---- head ---- */

/* Hosts of all runs, each once. */
static void put_hosts(const struct page *page, FILE *out)
{
    for (int i = 0; i < page->count; i++) {
        const char *host = report_meta(&page->run[i].report, "host");
        int before = 0;
        while (before < i && strcmp(report_meta(&page->run[before].report, "host"), host) != 0)
            before++;
        if (before == i)
            html_put(out, "%s%s", i ? ", " : "", host);
    }
}

static const struct section {
    const char *id, *title;
    void (*put)(const struct page *page, FILE *out);
} sections[] = {{"rating", "Rating sheet", put_ratings},
                {"picture", "In one picture", put_picture},
                {"plots", "More plots", put_plots},
                {"tables", "Tables", put_all_tables},
                {"recompute", "How to recompute", put_recompute},
                {"environment", "Environment", page_put_environment}};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

static void put_start(FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'; "
          "script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n",
          out);
    html_put(out, "<meta name=\"generator\" content=\"beff_report %s (commit %s)\">\n", version_number,
             version_commit);
    fprintf(out, "<style>\n%s</style>\n", asset_text("page.css"));
}

static void put_end(FILE *out)
{
    html_put(out,
             "</main>\n<footer><p class=\"note\">Made by beff_report %s (commit %s) from the protocols "
             "alone.</p></footer>\n",
             version_number, version_commit);
    fprintf(out, "<script>\n%s</script>\n</body>\n</html>\n", asset_text("page.js"));
}

static void put_head(const struct page *page, FILE *out)
{
    put_start(out);
    fputs("<title>Results of ", out);
    put_hosts(page, out);
    fputs("</title>\n</head>\n<body>\n<header>\n<h1>Results of ", out);
    put_hosts(page, out);
    fputs("</h1>\n<p class=\"lead\">", out);
    for (int i = 0; i < page->count; i++) {
        fputs(i ? "; " : "", out);
        page_put_name(&page->run[i], out);
    }
    fputs("</p>\n<nav aria-label=\"Sections\"><ul>\n", out);
    for (int i = 0; i < SECTIONS; i++)
        html_put(out, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id, sections[i].title);
    fputs("</ul></nav>\n</header>\n<main>\n", out);
}

/* ---- all ---- */

void page_write(const struct page *page, FILE *out)
{
    put_head(page, out);
    for (int i = 0; i < SECTIONS; i++) {
        html_put(out, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n",
                 sections[i].id, sections[i].id, sections[i].id, sections[i].title);
        sections[i].put(page, out);
        fputs("</section>\n", out);
    }
    put_end(out);
}

void page_write_systems(const struct page_systems *page, FILE *out)
{
    put_start(out);
    fputs("<title>Systems by rating</title>\n</head>\n<body>\n<header>\n<h1>Systems by "
          "rating</h1>\n</header>\n<main>\n",
          out);
    put_without(page->without_plots, out);
    fputs("<div class=\"plots\">\n", out);
    for (int i = 0; i < page->pictures.drawing.count && !page->without_plots; i++)
        put_figure(&page->pictures, i, out);
    fputs("</div>\n", out);
    put_table(page->table, out);
    put_notes(page->notes, out);
    put_end(out);
}
