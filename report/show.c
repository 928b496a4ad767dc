/* show: the rating sheet and all tables of a run. Uses report, output. */
#include <math.h>
#include <string.h>

#include "report/command.h"
#include "report/output.h"

/* ---- CSV: blocks of rows ---- */

#define PUT(out, ...)                                                                                        \
    csv_row((const char *const[]){__VA_ARGS__},                                                              \
            (int)(sizeof(const char *[]){__VA_ARGS__} / sizeof(const char *)), out)

static void put_verdict(const struct sheet *sheet, FILE *out)
{
    static const char *const words[CRITERION_STATES] = {"FAIL", "pass", "not checked"};
    fputs("\nverdict\n", out);
    PUT(out, "state", "criterion");
    for (int i = 0; i < sheet->criterion_count; i++)
        PUT(out, words[sheet->criteria[i].state], sheet->criteria[i].text);
    for (int i = 0; i < sheet->notes.count; i++)
        PUT(out, "note", sheet->notes.text[i]);
}

static void put_figures(const struct sheet *sheet, FILE *out)
{
    char value[CSV_NUMBER_SIZE];
    fputs("\nfigures\n", out);
    PUT(out, "name", "label", "value", "unit");
    for (int i = 0; i < sheet->value_count; i++) {
        const struct sheet_value *v = &sheet->values[i];
        PUT(out, v->name, v->label + strspn(v->label, " "), csv_number(v->value, value), v->unit);
    }
    if (isnan(sheet->spread[0]))
        return;
    PUT(out, "spread_low", "spread in this run, lower end", csv_number(sheet->spread[0], value), "MB/s");
    PUT(out, "spread_high", "spread in this run, upper end", csv_number(sheet->spread[1], value), "MB/s");
}

static void put_csv(const struct report *report, FILE *out)
{
    const struct sheet *sheet = report->sheet;
    fputs("result\n", out);
    PUT(out, sheet->headline);
    put_verdict(sheet, out);
    put_figures(sheet, out);
    for (int i = 0; i < sheet->table_count; i++) {
        fprintf(out, "\n%s\n", sheet->tables[i].name);
        csv_table(&sheet->tables[i], out);
    }
    fputs("\nenvironment\n", out);
    PUT(out, "key", "value");
    for (size_t i = 0; i < report->protocol.meta_count; i++)
        PUT(out, report->protocol.meta[i].key, report->protocol.meta[i].value);
}

/* ---- a run ---- */

enum report_status show_run(const struct report *report, const struct report_settings *settings, FILE *out)
{
    int failed = 0;
    if (settings->format == FORMAT_JSON)
        failed = sheet_json(report->sheet, true, out);
    else if (settings->format == FORMAT_CSV)
        put_csv(report, out);
    else
        sheet_text(report->sheet, out);
    if (failed)
        report_say("JSON can't be written");
    return failed ? REPORT_REFUSED : REPORT_FINE;
}

static enum report_status show_command(const struct report_settings *settings)
{
    bool list = settings->format == FORMAT_JSON && settings->runs.count > 1, first = true;
    enum report_status status = REPORT_FINE;
    for (size_t i = 0; i < settings->runs.count; i++) {
        struct report report;
        struct message error;
        if (report_load(&report, settings->runs.word[i], &error)) {
            status = report_refuse(&error);
            continue;
        }
        report_hold_faults(&report);
        fputs(first ? (list ? "[\n" : "") : list ? ",\n" : "\n", stdout);
        first = false;
        enum report_status shown = show_run(&report, settings, stdout);
        status = shown ? shown : status;
        report_free(&report);
    }
    if (list && !first)
        puts("]");
    return status;
}

/* ---- the command ---- */

static const struct option_row rows[] = {REPORT_FORMAT, REPORT_HELP};

static const char notes[] =
    "Everything is computed from the records of run.prot; no other file of the run is read.\n"
    "csv: blocks of rows with an empty line between them, each headed by the table's name. json: run.json\n"
    "as it is described in protocols/README.md; of several runs a list. The records themselves are the\n"
    "lines of run.prot: tabs between the fields, comments from # on.\n\n"
    "Exit status: 0; 2 usage; 3 a run can't be read.\n";

REPORT_COMMAND(show, "[--format text|json|csv] RUN...", "print the rating sheet and all tables");
