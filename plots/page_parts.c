/* The parts of the page. Uses page. */
#include <math.h>
#include <string.h>

#include "plots/page.h"

/* ---- numbers ---- */

static void put_value(const struct sheet_value *v, FILE *out)
{
    bool count = !*v->unit || v->value == floor(v->value);
    if (isnan(v->value))
        fputs("-", out);
    else
        fprintf(out, count && fabs(v->value) < 1e15 ? "%.0f" : "%.3f", v->value);
}

static void put_cell(const struct table *table, const union table_row *row, int column, FILE *out)
{
    char text[CELL_TEXT_SIZE];
    page_put(out, "<td class=\"%s\">%s</td>", table->columns[column].kind == CELL_TEXT ? "" : "right",
             table_cell(table, row, column, text));
}

/* ---- rating ---- */

static void put_card(const struct page_run *run, int number, FILE *out)
{
    const struct sheet *sheet = run->report->sheet;
    bool valid = sheet_valid(sheet);
    page_put(out, "<article class=\"card%s\" id=\"run-%d\">\n<h3>", valid ? " valid" : "", number);
    page_name(run, out);
    fputs("</h3>\n", out);
    for (int i = 0; i < sheet->value_count; i++)
        if (sheet_rates(sheet, sheet->values[i].name) && strcmp(sheet->values[i].unit, "MB/s") == 0) {
            page_put(out, "<p>%s</p>\n<p class=\"number\">", sheet->values[i].label);
            put_value(&sheet->values[i], out);
            page_put(out, " <span>%s</span></p>\n", sheet->values[i].unit);
        }
    page_put(out, "<p class=\"verdict\">%s for comparison</p>\n<p>%s</p>\n<p class=\"note\">%s</p>\n",
             sheet_verdict(sheet), sheet->interval_note, sheet->headline);
    fputs("</article>\n", out);
}

static bool has_shares(const struct sheet *sheet)
{
    for (int i = 0; i < sheet->value_count; i++)
        if (isfinite(sheet->values[i].share))
            return true;
    return false;
}

static void put_values(const struct page_run *run, FILE *out)
{
    const struct sheet *sheet = run->report->sheet;
    bool shares = has_shares(sheet);
    fputs("<div>\n<h3>", out);
    page_name(run, out);
    fputs("</h3>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">figure</th>"
          "<th scope=\"col\" class=\"right\">value</th><th scope=\"col\">unit</th>",
          out);
    fputs(shares ? "<th scope=\"col\" class=\"right\">of the limit</th>" : "", out);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int i = 0; i < sheet->value_count; i++) {
        const struct sheet_value *v = &sheet->values[i];
        page_put(out, "<tr class=\"%s\"><th scope=\"row\">%s</th><td class=\"right\">",
                 sheet_rates(sheet, v->name) ? "rated"
                 : *v->label == ' '          ? "part"
                                             : "",
                 v->label);
        put_value(v, out);
        page_put(out, "</td><td>%s</td>", v->unit);
        if (isfinite(v->share))
            fprintf(out, "<td class=\"right\">%.1f %%</td>", 100 * v->share);
        else if (shares)
            fputs("<td></td>", out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n</div>\n", out);
}

void page_ratings(const struct page *page, FILE *out)
{
    fputs("<div class=\"runs\">\n", out);
    for (int i = 0; i < page->count; i++)
        put_card(&page->run[i], i + 1, out);
    fputs("</div>\n<div class=\"runs\">\n", out);
    for (int i = 0; i < page->count; i++)
        put_values(&page->run[i], out);
    fputs("</div>\n", out);
}

/* ---- verdict ---- */

static void put_findings(const struct findings *findings, FILE *out)
{
    if (!findings->count) {
        fputs("<p>Checked: everything that the run's files state follows from the records.</p>\n", out);
        return;
    }
    fprintf(out,
            "<p class=\"verdict\">%zu things differ from what follows from the records:</p>\n<ul "
            "class=\"notes\">\n",
            findings->count + findings->more);
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *f = &findings->kept[i];
        page_put(out, "<li>%s line %d: %s</li>\n", *f->file ? f->file : "run.prot", (int)f->line, f->text);
    }
    fputs("</ul>\n", out);
}

void page_verdicts(const struct page *page, FILE *out)
{
    fputs("<div class=\"runs\">\n", out);
    for (int i = 0; i < page->count; i++) {
        const struct sheet *sheet = page->run[i].report->sheet;
        page_put(out, "<div class=\"%s\">\n<h3>", sheet_valid(sheet) ? "valid" : "");
        page_name(&page->run[i], out);
        page_put(out, "</h3>\n<p class=\"verdict\">%s for comparison</p>\n<ul class=\"criteria\">\n",
                 sheet_verdict(sheet));
        for (int c = 0; c < sheet->criterion_count; c++) {
            const struct sheet_criterion *criterion = &sheet->criteria[c];
            page_put(out, "<li class=\"%s\"><b aria-hidden=\"true\">%s</b> %s: %s</li>\n",
                     criterion->reached ? "" : "missed", criterion->reached ? "\xE2\x9C\x93" : "\xE2\x9C\x97",
                     criterion->reached ? "reached" : "not reached", criterion->text);
        }
        fputs("</ul>\n", out);
        put_findings(&page->run[i].report->findings, out);
        fputs("<ul class=\"notes\">\n", out);
        for (int n = 0; n < sheet->notes.count; n++)
            page_put(out, "<li>%s</li>\n", sheet->notes.text[n]);
        fputs("</ul>\n</div>\n", out);
    }
    fputs("</div>\n", out);
}

/* ---- environment ---- */

static int count_key(const struct report *report, const char *key)
{
    int count = 0;
    for (size_t i = 0; i < report->protocol.meta_count; i++)
        count += strcmp(report->protocol.meta[i].key, key) == 0;
    return count;
}

static bool is_setting(const char *key)
{
    return strncmp(key, "option_", 7) == 0;
}

/* Whether a run before this one, or an earlier line of it, has the key. */
static bool was_put(const struct page *page, int run, size_t line, const char *key)
{
    for (int r = 0; r < run; r++)
        if (count_key(page->run[r].report, key))
            return true;
    const struct protocol *p = &page->run[run].report->protocol;
    for (size_t i = 0; i < line; i++)
        if (strcmp(p->meta[i].key, key) == 0)
            return true;
    return false;
}

static void put_key(const struct page *page, const char *key, FILE *out)
{
    const char *first = NULL;
    bool differs = false;
    for (int r = 0; r < page->count; r++) {
        const char *value = protocol_get(&page->run[r].report->protocol, key);
        differs |= first && value && strcmp(first, value) != 0;
        first = first ? first : value;
    }
    page_put(out, "<tr class=\"%s\"><th scope=\"row\">%s</th>", differs ? "differs" : "",
             is_setting(key) ? key + 7 : key);
    for (int r = 0; r < page->count; r++) {
        int count = count_key(page->run[r].report, key);
        if (count > 1)
            page_put(out, "<td>%d lines in run.prot</td>", count);
        else
            page_put(out, "<td>%s</td>", report_meta(page->run[r].report, key));
    }
    fputs("</tr>\n", out);
}

/* One table for all runs: metadata, or settings. */
static void put_keys(const struct page *page, bool settings, FILE *out)
{
    page_put(out, "<div class=\"scroll\"><table class=\"keys\">\n<thead><tr><th scope=\"col\">%s</th>",
             settings ? "setting" : "");
    for (int r = 0; r < page->count; r++) {
        fputs("<th scope=\"col\">", out);
        page_name(&page->run[r], out);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int r = 0; r < page->count; r++) {
        const struct protocol *p = &page->run[r].report->protocol;
        for (size_t i = 0; i < p->meta_count; i++)
            if (is_setting(p->meta[i].key) == settings && !was_put(page, r, i, p->meta[i].key))
                put_key(page, p->meta[i].key, out);
    }
    fputs("</tbody></table></div>\n", out);
}

void page_environment(const struct page *page, FILE *out)
{
    if (page->count > 1)
        fputs("<p class=\"note\">Coloured rows differ between the runs.</p>\n", out);
    put_keys(page, false, out);
    fputs("<h3>Settings</h3>\n", out);
    put_keys(page, true, out);
}

/* ---- tables ---- */

enum { WIDE = 8 }; /* columns: printed smaller */

static void put_table(const struct table *table, bool open, FILE *out)
{
    page_put(
        out,
        "<details%s>\n<summary>%s</summary>\n<div class=\"scroll\"><table class=\"sortable%s\">\n<thead><tr>",
        open ? " open" : "", table->title, table->column_count > WIDE ? " wide" : "");
    for (int c = 0; c < table->column_count; c++) {
        const struct table_column *column = &table->columns[c];
        page_put(out, "<th scope=\"col\" class=\"%s\">%s", column->kind == CELL_TEXT ? "" : "right",
                 column->name);
        if (*column->unit)
            page_put(out, "<small>%s</small>", column->unit);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int r = 0; r < table->rows; r++) {
        union table_row row;
        table->fill(table, r, &row);
        fputs("<tr>", out);
        for (int c = 0; c < table->column_count; c++)
            put_cell(table, &row, c, out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n</details>\n", out);
}

static void put_data_tables(const struct report *report, FILE *out)
{
    int count = report->engine->table_count(report->sheet);
    if (!count)
        return;
    page_put(out, "<details>\n<summary>The tables of patterns/ (%d)</summary>\n", count);
    for (int i = 0; i < count; i++) {
        struct table table;
        report->engine->table(report->sheet, i, &table);
        put_table(&table, false, out);
    }
    fputs("</details>\n", out);
}

void page_tables(const struct page *page, FILE *out)
{
    fputs("<p class=\"note screen\">A click on a heading sorts. Folded tables are not printed.</p>\n", out);
    for (int r = 0; r < page->count; r++) {
        const struct report *report = page->run[r].report;
        fputs("<h3>", out);
        page_name(&page->run[r], out);
        fputs("</h3>\n", out);
        for (int i = 0; i < report->sheet->table_count; i++)
            put_table(&report->sheet->tables[i], true, out);
        put_data_tables(report, out);
    }
}

/* ---- how to recompute ---- */

void page_recompute(const struct page *page, FILE *out)
{
    fputs("<p>Every number on this page follows from the records in the protocols, and can be computed again "
          "by anybody who "
          "has them. Two runs compare only if both are VALID and have the same definition and the settings "
          "that it "
          "names.</p>\n",
          out);
    for (int r = 0; r < page->count; r++) {
        const struct report *report = page->run[r].report;
        const char *run = report_name(report);
        fputs("<h3>", out);
        page_name(&page->run[r], out);
        page_put(out,
                 "</h3>\n<p>The numbers, from the protocol:</p>\n<pre>beff_report verify %s\nbeff_report "
                 "show %s</pre>\n",
                 run, run);
        page_put(out,
                 "<p>The measurement, with %s processes, by version %s (commit %s, built with %s, "
                 "%s):</p>\n<pre>%s</pre>\n",
                 report_meta(report, "processes"), report_meta(report, "version"),
                 report_meta(report, "commit"), report_meta(report, "compiler"), report_meta(report, "flags"),
                 report_meta(report, "command"));
        fprintf(out, "<p class=\"note\">The protocol has %zu records", report->protocol.record_count);
        page_put(out, " and ends %s.</p>\n",
                 report->protocol.end ? report->protocol.end : "without an end line: it is cut short");
    }
}
