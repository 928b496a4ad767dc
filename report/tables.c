/* Implements the command tables: writes the files of patterns/ of a run from its records. */
#include <errno.h>
#include <string.h>
#include <stdlib.h>

#include "common/rundir.h"
#include "report/command.h"

static int write_tables(const struct report *report, struct message *error)
{
    int failed = 0;
    for (int i = ENGINE_TABLES; i < engine_file_count(report->sheet) && !failed; i++) {
        char name[ENGINE_FILE_NAME];
        engine_file_name(report->engine, report->sheet, i, name);
        char *path = rundir_file(report->directory ? report->directory : ".", name, error);
        FILE *out = path ? fopen(path, "w") : NULL;
        if (out)
            engine_write_file(report->engine, report->sheet, i, false, out);
        if (!path || !out || fclose(out))
            failed = message_set(error, "%s cannot be written: %s", name, strerror(errno));
        free(path);
    }
    return failed;
}

static enum report_status tables_command(const struct report_settings *settings)
{
    enum report_status status = REPORT_FINE;
    for (size_t i = 0; i < settings->runs.count; i++) {
        struct report report;
        struct message error;
        if (report_open(&report, settings->runs.text[i], &error) || write_tables(&report, &error))
            status = report_refuse(&error);
        report_free(&report);
    }
    return status;
}

static const struct option_row rows[] = {REPORT_HELP};

static const char notes[] =
    "Writes patterns/*.dat, which the scripts in plots/ draw: gnuplot -c plots/rings.gp RUN.\n\n"
    "Exit status: 0 written; 2 usage; 3 a run cannot be read or a file cannot be written.\n";

REPORT_COMMAND(tables, "RUN...", "write the tables of a run for gnuplot");
