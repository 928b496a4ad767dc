/* Implements the command html. All text from protocols goes through html_put(), which escapes it. */
#include "report/page.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/stats.h"
#include "common/version.h"
#include "report/assets.h"
#include "report/escape.h"
#include "report/folder.h"

/* With more runs than this, the page has only one plot for each run and no tables of patterns/, so that it
 * stays below 2 MB. */
enum { MANY_RUNS = 3 };

/* Writes the name of a run, "beff on vm, 2 processes, 2026-11-21 12:34". If the page has several runs, the
 * directory of the run comes first. */
static void put_name(const struct page_run *run, FILE *out)
{
    const char *processes = report_meta(&run->report, "processes"),
               *started = report_meta(&run->report, "started"),
               *component = report_meta(&run->report, "component"); /* only imb_compat */
    char date[11], minute[6];
    snprintf(date, sizeof date, "%s", started);
    snprintf(minute, sizeof minute, "%s", strlen(started) > sizeof date ? started + sizeof date : "");
    if (run->one_of_several)
        html_put(out, "%s: ", report_name(&run->report));
    html_put(out, "%s%s%s on %s, %s process%s, %s %s", run->report.engine->program, *component ? " " : "",
             component, report_meta(&run->report, "host"), processes, TEXT_ES(atoi(processes)), date, minute);
}

static void put_heading(const struct page_run *run, FILE *out)
{
    fputs("<h3>", out);
    put_name(run, out);
    fputs("</h3>\n", out);
}

static void put_value(const struct sheet_value *v, FILE *out)
{
    char text[TEXT_NUMBER_SIZE];
    fputs(text_number(text, v->value), out);
}

/* Returns the rating of a run; NULL if it has none. */
static const struct sheet_value *rating_of(const struct page_run *run)
{
    const struct sheet *sheet = run->report.sheet;
    const struct sheet_value *rated = sheet_find(sheet, sheet->headline_name);
    return rated && strcmp(rated->unit, "MB/s") == 0 && !isnan(rated->value) ? rated : NULL;
}

/* ---- rating ---- */

static void put_notes(const struct texts *notes, const char *lead, FILE *out)
{
    for (size_t i = 0; i < notes->count; i++)
        html_put(out, "<li>%s%s</li>\n", lead, notes->text[i]);
}

/* Writes the verdict with all criteria and all faults, so that no reader mistakes faulty numbers for the
 * numbers in the records. */
static void put_verdict(const struct page_run *run, FILE *out)
{
    static const char *const states[CRITERION_STATES][3] = {
        {"missed", "\xE2\x9C\x97", "FAIL"}, {"", "\xE2\x9C\x93", "pass"}, {"unchecked", "?", "not checked"}};
    const struct sheet *sheet = run->report.sheet;
    html_put(out, "<p class=\"verdict\">%s%s%s%s</p>\n<ul class=\"criteria\">\n", sheet_verdict(sheet),
             sheet->rates_nothing ? "" : " for comparison", *sheet->noise ? ", " : "", sheet->noise);
    for (int i = CRITERION_STATES; i > 0; i--) { /* failed, not checked, passed */
        enum criterion_state state = i % CRITERION_STATES;
        for (int c = 0; c < sheet->criterion_count; c++)
            if (sheet->criteria[c].state == state)
                html_put(out, "<li class=\"%s\"><b aria-hidden=\"true\">%s</b> %s: %s</li>\n",
                         states[state][0], states[state][1], states[state][2], sheet->criteria[c].text);
    }
    fputs("</ul>\n<ul class=\"notes\">\n", out);
    put_notes(&run->faults, "", out);
    fputs("</ul>\n", out);
}

static void put_card(const struct page_run *run, FILE *out)
{
    const struct sheet *sheet = run->report.sheet;
    const struct sheet_value *rated = rating_of(run);
    html_put(out, "<div>\n<article class=\"card%s\">\n", sheet_valid(sheet) ? " valid" : "");
    put_heading(run, out);
    if (rated) {
        html_put(out, "<p>%s</p>\n<p class=\"number\">", rated->label);
        put_value(rated, out);
        html_put(out, " <span>%s</span></p>\n", rated->unit);
    }
    put_verdict(run, out);
    html_put(out, "<p>%s</p>\n<p class=\"note\">%s</p>\n</article>\n<ul class=\"notes\">\n",
             sheet->spread_note, sheet->headline);
    put_notes(&sheet->notes, "", out);
    fputs("</ul>\n</div>\n", out);
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

/* Writes a drawn picture as an image. An image can neither run scripts nor load files. */
static void put_figure(const struct drawing *drawing, const struct picture *picture, FILE *out)
{
    struct message error;
    size_t size;
    if (*picture->failure.text)
        html_put(out, "<p class=\"note\">%s: %s</p>\n", picture->title, picture->failure.text);
    char *svg = picture->drawn ? draw_read(drawing, picture, "svg", &size, &error) : NULL;
    if (!svg)
        return;
    bool several_panels = strstr(svg, "viewBox=\"0 0 900 ");
    html_put(out,
             "<figure class=\"%s\">\n<figcaption>%s</figcaption>\n<img class=\"plot\" alt=\"%s\" "
             "src=\"data:image/svg+xml,",
             several_panels ? "panels" : "", picture->title, picture->title);
    for (const char *c = svg; *c; c++) {
        bool plain = *c >= ' ' && *c < 127 && !strchr("\"#%&<>", *c);
        if (strchr("\n\t", *c))
            fputc(' ', out);
        else
            fprintf(out, plain ? "%c" : "%%%02X", (unsigned char)*c);
    }
    fputs("\">\n</figure>\n", out);
    free(svg);
}

/* Returns true if another plot of a run could make the page larger than 2 MB. `put` is the number of plots of
 * this run that are already on the page. */
static bool is_full(const struct page *page, FILE *out, int put)
{
    enum { PLOT_BYTES = 1200000 };
    return (page->count > MANY_RUNS && put) || ftell(out) > PLOT_BYTES;
}

static void put_plots(const struct page *page, FILE *out)
{
    if (page->without_plots)
        html_put(out, "<p>There are no plots: %s.</p>\n", page->without_plots);
    for (int r = 0; r < page->count && !page->without_plots; r++) {
        const struct page_run *run = &page->run[r];
        const struct drawing *drawing = &run->drawing;
        int drawn = 0;
        for (int i = 0; i < drawing->count; i++)
            drawn += drawing->picture[i].drawn;
        put_heading(run, out);
        html_put(out, "<p class=\"note\">%s</p>\n<div class=\"plots\">\n",
                 drawn ? drawing->caption : "This run has no measurements to draw.");
        int put = 0;
        for (int i = 0; i < drawing->count && !is_full(page, out, put); i++, put++)
            put_figure(drawing, &drawing->picture[i], out);
        fputs("</div>\n", out);
        if (put < drawing->count)
            html_put(out,
                     "<p class=\"note\">To keep the page small, %d of %d plots are shown. "
                     "<code>beff_report plot %s</code> draws all of them.</p>\n",
                     put, drawing->count, report_name(&run->report));
    }
}

/* ---- tables ---- */

/* Tables with more than WIDE columns are printed smaller. */
enum { WIDE = 8, MAX_COLUMNS = 32 };

/* Selects rows of a table: all rows, all rows with the random polygons merged into one row, or only the
 * random polygons. */
enum rows { ROWS_ALL, ROWS_GROUPED, ROWS_POLYGONS };

static const char *cell_of(const struct table *table, int r, int column, char text[TEXT_NUMBER_SIZE])
{
    union table_row row;
    table->fill(table, r, &row);
    if (table_is_text(&table->columns[column]))
        snprintf(text, TEXT_NUMBER_SIZE, "%s", table_words(table, &row, column));
    else
        text_number(text, table_number(table, &row, column));
    return text;
}

static bool is_polygon(const struct table *table, int r)
{
    char text[TEXT_NUMBER_SIZE];
    return table_is_text(table->columns) && strncmp(cell_of(table, r, 0, text), "random-", 7) == 0;
}

/* Marks the columns in which at least one row has a value. */
static void find_columns(const struct table *table, bool shown[MAX_COLUMNS])
{
    for (int c = 0; c < table->column_count && c < MAX_COLUMNS; c++) {
        char text[TEXT_NUMBER_SIZE] = "";
        for (int r = 0; r < table->rows && !shown[c]; r++)
            shown[c] = *cell_of(table, r, c, text) && strcmp(text, "-") != 0;
    }
}

/* Writes one row with the median of the random polygons. */
static void put_polygons(const struct table *table, const bool shown[MAX_COLUMNS], size_t polygons, FILE *out)
{
    double *values = memory_new(polygons, sizeof *values, "the polygons");
    fputs("<tr>", out);
    for (int c = 0; c < table->column_count; c++) {
        char text[TEXT_NUMBER_SIZE];
        size_t count = 0;
        for (int r = 0; r < table->rows && !table_is_text(&table->columns[c]); r++) {
            union table_row row;
            table->fill(table, r, &row);
            if (is_polygon(table, r))
                values[count++] = table_number(table, &row, c);
        }
        if (c == 0)
            html_put(out, "<td>%d polygons</td>", (int)polygons);
        else if (shown[c])
            html_put(out, "<td class=\"%s\">%s</td>", count ? "right" : "",
                     count ? text_number(text, stats_median(values, count)) : "median");
    }
    fputs("</tr>\n", out);
    free(values);
}

static void put_rows(const struct table *table, const bool shown[MAX_COLUMNS], enum rows rows, FILE *out)
{
    size_t polygons = 0;
    for (int r = 0; r < table->rows; r++)
        polygons += is_polygon(table, r);
    for (int r = 0, put = 0; r < table->rows; r++) {
        bool polygon = is_polygon(table, r);
        if (rows == ROWS_GROUPED && polygon && !put++)
            put_polygons(table, shown, polygons, out);
        if ((rows == ROWS_GROUPED && polygon) || (rows == ROWS_POLYGONS && !polygon))
            continue;
        fputs("<tr>", out);
        for (int c = 0; c < table->column_count; c++) {
            char text[TEXT_NUMBER_SIZE];
            if (shown[c])
                html_put(out, "<td class=\"%s\">%s</td>", table_is_text(&table->columns[c]) ? "" : "right",
                         cell_of(table, r, c, text));
        }
        fputs("</tr>\n", out);
    }
}

/* Writes the selected rows. Skips columns without values. */
static void put_some_rows(const struct table *table, enum rows rows, FILE *out)
{
    bool shown[MAX_COLUMNS] = {false};
    find_columns(table, shown);
    html_put(out, "<div class=\"scroll\"><table class=\"sortable%s\">\n<thead><tr>",
             table->column_count > WIDE ? " wide" : "");
    for (int c = 0; c < table->column_count; c++) {
        const struct table_column *column = &table->columns[c];
        if (!shown[c])
            continue;
        html_put(out, "<th scope=\"col\" class=\"%s\">%s", table_is_text(column) ? "" : "right",
                 column->name);
        if (*column->unit)
            html_put(out, "<small>%s</small>", column->unit);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    put_rows(table, shown, rows, out);
    fputs("</tbody></table></div>\n", out);
}

static void put_table(const struct table *table, FILE *out)
{
    bool polygons = false;
    for (int r = 0; r < table->rows; r++)
        polygons |= is_polygon(table, r);
    html_put(out, "<details open>\n<summary>%s</summary>\n", table->title);
    put_some_rows(table, polygons ? ROWS_GROUPED : ROWS_ALL, out);
    if (polygons) {
        fputs("<details open class=\"folded\">\n<summary>Each polygon</summary>\n", out);
        put_some_rows(table, ROWS_POLYGONS, out);
        fputs("</details>\n", out);
    }
    fputs("</details>\n", out);
}

static void put_tables(const struct page *page, FILE *out)
{
    fputs("<p class=\"note screen\">Click a heading to sort its table. Printing unfolds all tables.</p>\n",
          out);
    for (int r = 0; r < page->count; r++) {
        const struct report *report = &page->run[r].report;
        const struct sheet *sheet = report->sheet;
        fputs("<div>\n", out);
        put_heading(&page->run[r], out);
        for (int i = 0; i < sheet->table_count; i++)
            put_table(&sheet->tables[i], out);
        int data_count = page->count > MANY_RUNS ? 0 : sheet->data_count;
        if (data_count)
            html_put(out,
                     "<details open class=\"folded\">\n<summary>The tables of patterns/ "
                     "(%d)</summary>\n<div>\n",
                     data_count);
        for (int i = 0; i < data_count; i++) {
            struct table table;
            report->engine->table(sheet, i, &table);
            put_table(&table, out);
        }
        fputs(data_count ? "</div>\n</details>\n</div>\n" : "</div>\n", out);
    }
}

/* ---- rating sheet ---- */

/* Sorts runs by program, then by rating. Runs without a rating come last. */
static int best_first(const void *a, const void *b)
{
    const struct page_run *left = *(const struct page_run *const *)a,
                          *right = *(const struct page_run *const *)b;
    const struct sheet_value *first = rating_of(left), *second = rating_of(right);
    int programs = strcmp(left->report.engine->program, right->report.engine->program);
    if (programs || !first || !second)
        return programs ? programs : (second != NULL) - (first != NULL);
    return (first->value < second->value) - (first->value > second->value);
}

/* Returns the run with the highest rating among the runs of the first run's program. */
static const struct page_run *best_run(const struct page *page)
{
    const struct page_run *best = page->run;
    for (int i = 1; i < page->count; i++) {
        const struct page_run *other = &page->run[i];
        if (other->report.engine == best->report.engine && best_first(&other, &best) < 0)
            best = other;
    }
    return best;
}

/* Writes a list of the runs, the best of each program first. */
static void put_ranking(const struct page *page, FILE *out)
{
    const struct page_run **runs = memory_new((size_t)page->count, sizeof *runs, "the runs");
    for (int i = 0; i < page->count; i++)
        runs[i] = &page->run[i];
    qsort(runs, (size_t)page->count, sizeof *runs, best_first);
    fputs("<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">run</th><th scope=\"col\">program</th>"
          "<th scope=\"col\">host</th><th scope=\"col\" class=\"right\">processes</th><th scope=\"col\" "
          "class=\"right\">rating<small>MB/s</small></th><th "
          "scope=\"col\">verdict</th></tr></thead>\n<tbody>\n",
          out);
    for (int i = 0; i < page->count; i++) {
        const struct report *report = &runs[i]->report;
        const struct sheet_value *rated = rating_of(runs[i]);
        char number[TEXT_NUMBER_SIZE];
        html_put(out,
                 "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td class=\"right\">%s</td><td "
                 "class=\"right\">%s</td><td>%s</td></tr>\n",
                 report_name(report), report->engine->program, report_meta(report, "host"),
                 report_meta(report, "processes"), text_number(number, rated ? rated->value : NAN),
                 sheet_verdict(report->sheet));
    }
    fputs("</tbody></table></div>\n", out);
    free(runs);
}

/* Writes verdicts and figures. The verdict and the figures of a single run are next to each other. With
 * several runs, all verdicts come before the figures. */
static void put_ratings(const struct page *page, FILE *out)
{
    if (page->count > 1)
        put_ranking(page, out);
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
    fputs(
        "<p>Every figure on this page is computed from the protocols alone. Anyone who has the protocols can "
        "compute it again. Two runs can be compared only if both are VALID, have the same definition, and "
        "agree in the settings that the definition names.</p>\n",
        out);
    for (int r = 0; r < page->count; r++) {
        const struct report *report = &page->run[r].report;
        put_heading(&page->run[r], out);
        const char *command = report_meta(report, "command"), *program = command;
        for (const char *c = command; *c && *c != ' '; c++) /* the program's name without its directory */
            program = *c == '/' ? c + 1 : program;
        html_put(out,
                 "<p>To recompute the numbers from the %d records of the protocol:</p>\n"
                 "<pre>build/beff_report verify "
                 "%s</pre>\n"
                 "<p>To repeat the measurement with commit %s:</p>\n<pre>mpiexec -n %s build/%s</pre>\n<ul "
                 "class=\"notes\">\n",
                 (int)report->protocol.record_count, report_name(report), report_meta(report, "commit"),
                 report_meta(report, "processes"), program);
        put_notes(&report->unchecked, "Not compared with the records: ", out);
        fputs("</ul>\n", out);
    }
}

/* ---- environment ---- */

/* Returns true if an earlier run, or an earlier line of this run, has the key. */
static bool was_put(const struct page *page, int run, size_t line, const char *key)
{
    size_t next = 0;
    for (int r = 0; r < run; r++)
        if (protocol_get(&page->run[r].report.protocol, key))
            return true;
    protocol_next(&page->run[run].report.protocol, key, &next);
    return next != line + 1;
}

static void put_key(const struct page *page, const char *key, FILE *out)
{
    const char *first = NULL;
    bool differs = false;
    for (int r = 0; r < page->count; r++) {
        const char *value = protocol_get(&page->run[r].report.protocol, key);
        differs |= r && (!first || !value ? first != value : strcmp(first, value) != 0);
        first = r ? first : value;
    }
    html_put(out, "<tr class=\"%s\"><th scope=\"row\">%s</th>", differs ? "differs" : "", key);
    for (int r = 0; r < (differs ? page->count : 1); r++) {
        const struct protocol *p = &page->run[r].report.protocol;
        size_t next = 0;
        const char *value = protocol_next(p, key, &next), *second = protocol_next(p, key, &next);
        html_put(out, "<td colspan=\"%d\">%s%s</td>", differs ? 1 : page->count, value ? value : "",
                 second ? " ... (more in run.prot)" : "");
    }
    fputs("</tr>\n", out);
}

/* Writes one table of metadata for all runs. */
static void put_environment(const struct page *page, FILE *out)
{
    if (page->count > 1)
        fputs("<p class=\"note\">Coloured rows differ between the runs; other rows are the same in all "
              "runs.</p>\n",
              out);
    fputs("<div class=\"scroll\"><table class=\"keys\">\n<thead><tr><th scope=\"col\"></th>", out);
    for (int r = 0; r < page->count; r++) {
        fputs("<th scope=\"col\">", out);
        put_name(&page->run[r], out);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int r = 0; r < page->count; r++) {
        const struct protocol *p = &page->run[r].report.protocol;
        for (size_t i = 0; i < p->meta_count; i++)
            if (!was_put(page, r, i, p->meta[i].key))
                put_key(page, p->meta[i].key, out);
    }
    fputs("</tbody></table></div>\n", out);
}

/* ---- head ---- */

static const struct section {
    const char *id, *title;
    void (*put)(const struct page *page, FILE *out);
} sections[] = {{"rating", "Rating sheet", put_ratings},
                {"plots", "Plots", put_plots},
                {"tables", "Tables", put_tables},
                {"recompute", "How to recompute", put_recompute},
                {"environment", "Environment", put_environment}};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

/* Writes " b_eff 4039 MB/s", or the program if the run has no rating. */
static void put_rating(const struct page_run *run, FILE *out)
{
    const struct sheet_value *rated = rating_of(run);
    html_put(out, " %s", rated ? rated->name : run->report.engine->program);
    if (rated) {
        fputc(' ', out);
        put_value(rated, out);
        html_put(out, " %s", rated->unit);
    }
}

/* Writes each host with its ratings, "vm: b_eff 4039 MB/s". With many runs, writes their number and the best
 * rating. */
static void put_title(const struct page *page, FILE *out)
{
    for (int r = 0; r < page->count && page->count <= MANY_RUNS; r++) {
        const char *host = report_meta(&page->run[r].report, "host");
        bool same = r && strcmp(host, report_meta(&page->run[r - 1].report, "host")) == 0;
        html_put(out, "%s%s%s", !r ? "" : same ? "," : "; ", same ? "" : host, same ? "" : ":");
        put_rating(&page->run[r], out);
    }
    if (page->count > MANY_RUNS) {
        html_put(out, "%d runs, best of %s:", page->count, page->run->report.engine->program);
        put_rating(best_run(page), out);
    }
}

static void put_head(const struct page *page, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action "
          "'none'\">\n",
          out);
    fprintf(out, "<style>\n%s</style>\n", asset_text("page.css"));
    fputs("<title>", out);
    put_title(page, out);
    fputs("</title>\n</head>\n<body>\n<header>\n<h1>", out);
    put_title(page, out);
    fputs("</h1>\n<p class=\"lead\">", out);
    for (int i = 0; i < page->count && page->count <= MANY_RUNS; i++) {
        fputs(i ? "; " : "", out);
        put_name(&page->run[i], out);
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
    html_put(out,
             "</main>\n<footer><p class=\"note\">Created by beff_report %s (commit %s) from the protocols "
             "alone.</p></footer>\n",
             version_number, version_commit);
    fprintf(out, "<script>\n%s</script>\n</body>\n</html>\n", asset_text("page.js"));
}

/* ---- html: the command ---- */

/* Draws the plots of one run. Sets page->without_plots if gnuplot is missing. */
static int draw(struct page_run *run, struct page *page, struct message *error)
{
    const struct draw_style style = {.format = "svg", .page = true};
    struct drawing *drawing = &run->drawing;
    pictures_of_run(drawing, &run->report);
    if (!page->without_plots && draw_all(drawing, &style, error) && !drawing->no_gnuplot)
        return -1;
    if (drawing->no_gnuplot)
        page->without_plots = "gnuplot is missing";
    return 0;
}

static int write_page(const struct page *page, const char *path, struct message *error)
{
    const char *slash = strrchr(path, '/');
    char *parent = text_format("%.*s/", slash ? (int)(slash - path) : 1, slash ? path : "."), *text;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    page_write(page, out);
    memory_stream_end(out);
    int folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int failed = folder < 0 ? message_set(error, "%s cannot be written: %s", path, strerror(errno))
                            : folder_write(folder, slash ? slash + 1 : path, text, size, error);
    if (folder >= 0)
        close(folder);
    free(text);
    free(parent);
    return failed;
}

static int make_page(struct page *page, const struct report_settings *settings, struct message *error)
{
    for (size_t i = 0; i < settings->runs.count; i++) {
        struct page_run *run = &page->run[i];
        page->count++;
        run->one_of_several = settings->runs.count > 1;
        if (report_open(&run->report, settings->runs.text[i], error))
            return -1;
        verify_faults(&run->report, &run->faults);
        if (draw(run, page, error))
            return -1;
    }
    return write_page(page, settings->output, error);
}

static enum report_status html_command(const struct report_settings *settings)
{
    struct message error;
    struct page page = {.run = memory_new(settings->runs.count, sizeof *page.run, "the page")};
    int failed = make_page(&page, settings, &error);
    if (failed)
        report_say("%s", error.text);
    else if (page.without_plots)
        report_say("%s has no plots: %s", settings->output, page.without_plots);
    else
        puts(settings->output);
    bool whole = !failed && !page.without_plots;
    for (int i = 0; i < page.count; i++) {
        if (draw_failed(&page.run[i].drawing, &error)) {
            report_say("%s: %s", report_name(&page.run[i].report), error.text);
            whole = false;
        }
        draw_close(&page.run[i].drawing);
        texts_free(&page.run[i].faults);
        report_free(&page.run[i].report);
    }
    free(page.run);
    return whole ? REPORT_FINE : REPORT_REFUSED;
}

static const struct option_row rows[] = {
    {"o", OPTION_TEXT, REPORT_FIELD(output), "FILE", "page to write, default page.html"}, REPORT_HELP};

static const char notes[] =
    "The page is one file that needs no network and no other file. It has the rating sheets with verdicts\n"
    "and reasons, the plots (gnuplot 5.0 or later), all tables, the commands that recompute the figures,\n"
    "and the environment. A run whose files contradict its records is NOT VALID. Several runs, such as beff\n"
    "and beff_io on one machine, are listed by rating and shown side by side. With more than three runs,\n"
    "the page has one plot for each run and no tables of patterns/, so that it stays below 2 MB. Its print\n"
    "layout is for A4 paper.\n\n"
    "Exit status: 0 the page was written; 2 usage; 3 a run cannot be read, the page cannot be written,\n"
    "gnuplot is missing (the page then has no plots), or gnuplot cannot draw a plot (an error names it; the\n"
    "page has the others).\n";

REPORT_COMMAND(html, "[-o FILE] RUN...", "write a self-contained HTML page about a few runs");
