/* Implements the command tables: writes the tables of a run from its records. */
#include <stdlib.h>

#include "report/command.h"

static int write_tables(const struct report *report, const char *folder, struct message *error)
{
    int failed = 0;
    struct table table;
    for (int i = 0; !failed && engine_table(report->engine, report->sheet, i, &table); i++)
        failed = table_write(&table, folder, error);
    return failed;
}

static enum report_status tables_command(const struct report_settings *settings)
{
    const char *run = settings->runs.text[0],
               *given = settings->runs.count > 1 ? settings->runs.text[1] : NULL;
    if (settings->runs.count > 2) {
        report_say("too many arguments: expected a run and a folder (see beff_report tables --help)");
        return REPORT_USAGE;
    }
    struct report report;
    struct message error;
    int failed = report_open(&report, run, &error);
    if (!failed && !given && !report.directory)
        failed = message_set(&error, "%.300s is a record file: name a folder for its tables", run);
    if (!failed) {
        char *folder = text_format("%s%s", given ? given : report.directory, given ? "" : "/patterns");
        failed = write_tables(&report, folder, &error);
        free(folder);
    }
    report_free(&report);
    return failed ? report_refuse(&error) : REPORT_FINE;
}

static const struct option_row rows[] = {{REPORT_HELP}};

static const char notes[] =
    "Computes the tables from the records, and writes each to FOLDER/NAME.dat, by default to patterns/ of\n"
    "the run's directory. beff and beff_io write the same tables at the end of a run. beff_plot draws them;\n"
    "gnuplot and most other programs can read them: the lines of names and units start with #.\n\n"
    "Exit status: 0 written; 2 usage; 3 the run cannot be read or a file cannot be written.\n";

REPORT_COMMAND(tables, "RUN [FOLDER]", "write the tables of a run as files");
