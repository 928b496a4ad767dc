/* Implements the command show: prints the sheet of each run as text or JSON. */
#include "report/command.h"

static enum report_status show_command(const struct report_settings *settings)
{
    bool json = settings->format == FORMAT_JSON, list = json && settings->runs.count > 1, first = true;
    enum report_status status = REPORT_FINE;
    for (size_t i = 0; i < settings->runs.count; i++) {
        struct report report;
        struct message error;
        if (report_open(&report, settings->runs.text[i], &error)) {
            status = report_refuse(&error);
            report_free(&report);
            continue;
        }
        fputs(first ? (list ? "[\n" : "") : list ? ",\n" : "\n", stdout);
        first = false;
        if (json)
            sheet_json(report.sheet, true, stdout);
        else
            sheet_text(report.sheet, stdout);
        report_free(&report);
    }
    if (list && !first)
        puts("]");
    return status;
}

/* ---- the command ---- */

static const char *const formats[] = {"text", "json", NULL};

static const struct option_row rows[] = {REPORT_CHOICE(format, formats, "text or json"), REPORT_HELP};

static const char notes[] =
    "All output is computed from the records of run.prot. A run whose other files contradict its records is\n"
    "NOT VALID. --format json prints run.json as described in protocols/README.md. For several runs, it\n"
    "prints a list. The records themselves are lines of run.prot whose fields are separated by tabs.\n"
    "Comments start with #.\n\n"
    "Exit status: 0 all runs were shown; 2 usage; 3 a run cannot be read.\n";

REPORT_COMMAND(show, "[--format text|json] RUN...", "print the rating sheet and all tables");
