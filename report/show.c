/* Implements the command show: prints the sheet of each run as text or JSON, or a page about all runs. */
#include "report/command.h"
#include "report/page.h"

enum { SHOW_TEXT, SHOW_JSON, SHOW_HTML };
static const char *const formats[] = {"text", "json", "html", NULL};

/* Prints a run. `first` is true if no run was printed before. */
static void show_run(const struct report *report, const struct report_settings *settings, bool first)
{
    bool list = settings->runs.count > 1;
    if (settings->format == SHOW_HTML) {
        if (first)
            page_start(report, settings->runs.count, stdout);
        page_run(report, stdout);
        return;
    }
    bool json = settings->format == SHOW_JSON;
    fputs(first ? (list && json ? "[\n" : "") : json ? ",\n" : "\n", stdout);
    if (json)
        sheet_json(report->sheet, true, stdout);
    else
        sheet_text(report->sheet, stdout);
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
    return status;
}

/* ---- the command ---- */

static const struct option_row rows[] = {REPORT_CHOICE(format, formats, "text, json or html"), REPORT_HELP};

static const char notes[] =
    "All output is computed from the records of run.prot. A run whose other files contradict its records is\n"
    "NOT VALID. --format json prints run.json as described in protocols/README.md. For several runs, it\n"
    "prints a list. The records themselves are lines of run.prot whose fields are separated by tabs.\n"
    "Comments start with #.\n\n"
    "--format html prints one page about all runs, with verdicts, figures, tables and metadata. It also\n"
    "contains the pictures in plots/ of each run, which beff_plot draws:\n"
    "beff_plot RUN; beff_report show --format html RUN > page.html\n\n"
    "Exit status: 0 all runs were shown; 2 usage; 3 a run cannot be read.\n";

REPORT_COMMAND(show, "[--format text|json|html] RUN...", "print the rating sheet and all tables");
