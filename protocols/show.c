/* show: the rating sheet and all tables of a run. Uses report, write. */
#include "protocols/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocols/write.h"

/* How a format starts a block of rows. */
struct style {
    void (*start)(const char *name, const char *title, FILE *out);
    void (*heading)(const char *const *fields, const bool *right, int count, FILE *out);
    void (*row)(const char *const *fields, int count, FILE *out);
    void (*table)(const struct table *table, FILE *out);
};

static void start_csv(const char *name, const char *title, FILE *out)
{
    (void)title;
    fprintf(out, "\n%s\n", name);
}

static void head_csv(const char *const *fields, const bool *right, int count, FILE *out)
{
    (void)right;
    write_csv_row(fields, count, out);
}

static void start_md(const char *name, const char *title, FILE *out)
{
    (void)name;
    fputs("\n## ", out);
    write_md_text(title, out);
    fputs("\n\n", out);
}

static void head_md(const char *const *fields, const bool *right, int count, FILE *out)
{
    write_md_row(fields, count, out);
    write_md_rule(right, count, out);
}

static const struct style csv = {start_csv, head_csv, write_csv_row, write_csv_table};
static const struct style md = {start_md, head_md, write_md_row, write_md_table};

/* ---- blocks ---- */

static void put_figures(const struct sheet *sheet, const struct style *style, FILE *out)
{
    static const char *const heading[] = {"name", "label", "value", "unit", "share_of_limit"};
    static const bool right[] = {false, false, true, false, true};
    style->start("figures", "Figures", out);
    style->heading(heading, right, 5, out);
    for (int i = 0; i < sheet->value_count; i++) {
        const struct sheet_value *v = &sheet->values[i];
        char value[WRITE_NUMBER_SIZE], share[WRITE_NUMBER_SIZE];
        write_number(v->value, value);
        write_number(v->share, share);
        if (style == &md && !isnan(v->value))
            snprintf(value, sizeof value, "%.3f", v->value);
        if (style == &md && !isnan(v->share))
            snprintf(share, sizeof share, "%.3f", v->share);
        style->row((const char *[]){v->name, v->label + strspn(v->label, " "), value, v->unit, share}, 5,
                   out);
    }
    char low[WRITE_NUMBER_SIZE], high[WRITE_NUMBER_SIZE];
    if (!isnan(sheet->interval[0])) {
        style->row((const char *[]){"interval_low", "95 % interval, lower end",
                                    write_number(sheet->interval[0], low), "MB/s", ""},
                   5, out);
        style->row((const char *[]){"interval_high", "95 % interval, upper end",
                                    write_number(sheet->interval[1], high), "MB/s", ""},
                   5, out);
    }
}

static void put_verdict(const struct sheet *sheet, const struct style *style, FILE *out)
{
    static const char *const heading[] = {"reached", "criterion"};
    style->start("verdict", sheet_valid(sheet) ? "VALID for comparison" : "NOT VALID for comparison", out);
    style->heading(heading, NULL, 2, out);
    for (int i = 0; i < sheet->criterion_count; i++)
        style->row((const char *[]){sheet->criteria[i].reached ? "yes" : "no", sheet->criteria[i].text}, 2,
                   out);
    for (int i = 0; i < sheet->note_count; i++)
        style->row((const char *[]){"note", sheet->notes[i]}, 2, out);
}

static void put_environment(const struct protocol *protocol, const struct style *style, FILE *out)
{
    static const char *const heading[] = {"key", "value"};
    style->start("environment", "Environment and settings", out);
    style->heading(heading, NULL, 2, out);
    for (size_t i = 0; i < protocol->meta_count; i++)
        style->row((const char *[]){protocol->meta[i].key, protocol->meta[i].value}, 2, out);
}

static void put_sheet(const struct report *report, const struct style *style, FILE *out)
{
    const struct sheet *sheet = report->sheet;
    if (style == &md) {
        fputs("# ", out);
        write_md_text(sheet->headline, out);
        fputc('\n', out);
    } else {
        fputs("result\n", out);
        write_csv_row((const char *[]){sheet->headline}, 1, out);
    }
    put_verdict(sheet, style, out);
    put_figures(sheet, style, out);
    for (int i = 0; i < sheet->table_count; i++) {
        style->start(sheet->tables[i].name, sheet->tables[i].title, out);
        style->table(&sheet->tables[i], out);
    }
    put_environment(&report->protocol, style, out);
}

/* ---- one table ---- */

static void put_table(const struct table *table, int format, FILE *out)
{
    switch (format) {
    case FORMAT_TEXT:
        table_text(table, "", out);
        break;
    case FORMAT_CSV:
        write_csv_table(table, out);
        break;
    case FORMAT_MD:
        write_md_table(table, out);
        break;
    default:
        write_json_table(table, out);
        fputc('\n', out);
    }
}

/* The names of all tables, for the refusal. */
static void refuse_table(const struct report *report, const char *name)
{
    char names[400] = "";
    for (int i = 0; i < report->sheet->table_count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), " %s", report->sheet->tables[i].name);
    for (int i = 0; i < report->engine->table_count(report) && strlen(names) < sizeof names - 64; i++) {
        struct table table;
        report->engine->table(report, i, &table);
        snprintf(names + strlen(names), sizeof names - strlen(names), " %s", table.name);
        table_free(&table);
    }
    report_say("--table: %.200s has no table \"%.40s\"; there are:%s", report->path, name, names);
}

static enum report_status show_table(const struct report *report, const struct report_settings *settings,
                                     FILE *out)
{
    for (int i = 0; i < report->sheet->table_count; i++)
        if (strcmp(report->sheet->tables[i].name, settings->table) == 0) {
            put_table(&report->sheet->tables[i], settings->format, out);
            return REPORT_FINE;
        }
    for (int i = 0; i < report->engine->table_count(report); i++) {
        struct table table;
        report->engine->table(report, i, &table);
        bool found = strcmp(table.name, settings->table) == 0;
        if (found)
            put_table(&table, settings->format, out);
        table_free(&table);
        if (found)
            return REPORT_FINE;
    }
    refuse_table(report, settings->table);
    return REPORT_USAGE;
}

/* ---- a run ---- */

enum report_status show_run(const struct report *report, const struct report_settings *settings, FILE *out)
{
    if (settings->table)
        return show_table(report, settings, out);
    switch (settings->format) {
    case FORMAT_TEXT:
        sheet_text(report->sheet, out);
        return REPORT_FINE;
    case FORMAT_JSON:
        if (sheet_json(report->sheet, out) == 0)
            return REPORT_FINE;
        report_say(sheet_has_json() ? "JSON can't be written"
                                    : "--format json: this beff_report was built without jansson");
        return REPORT_REFUSED;
    case FORMAT_CSV:
        put_sheet(report, &csv, out);
        return REPORT_FINE;
    default:
        put_sheet(report, &md, out);
        return REPORT_FINE;
    }
}

static enum report_status show_command(const struct report_settings *settings)
{
    enum report_status status = REPORT_FINE;
    for (size_t i = 0; i < settings->runs.count; i++) {
        struct report report;
        struct message error;
        if (report_load(&report, settings->runs.word[i], &error)) {
            report_say("%s", error.text);
            status = REPORT_REFUSED;
            continue;
        }
        if (i)
            putchar('\n');
        enum report_status shown = show_run(&report, settings, stdout);
        status = shown ? shown : status;
        report_free(&report);
    }
    return status;
}

/* ---- the command ---- */

static const struct option_row rows[] = {REPORT_FORMAT,
                                         {"table", OPTION_TEXT, REPORT_FIELD(table), "NAME",
                                          "only this table: one of the sheet's, or of those in patterns/"},
                                         REPORT_HELP};

static const char notes[] =
    "Everything is computed from the records of run.prot; no other file of the run is read.\n"
    "csv: blocks of rows with an empty line between them, each headed by the table's name; with --table one\n"
    "block alone, without that name. json: run.json as it is described in protocols/README.md.\n\n"
    "Exit status: 0; 2 usage; 3 a run can't be read.\n";

const struct report_command report_command_show = {
    .name = "show",
    .options = {.program = "beff_report show",
                .synopsis = "[--format text|json|csv|md] [--table NAME] RUN...",
                .purpose = "print the rating sheet and all tables",
                .notes = notes,
                REPORT_ROWS(rows),
                .arguments = &report_runs},
    .least_runs = 1,
    .run = show_command};
