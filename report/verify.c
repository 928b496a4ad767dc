/* Implements the command verify: recomputes the results of runs and lists the differences. */
#include <string.h>

#include "report/command.h"

enum { FAULTS = 10 }; /* maximum number of listed faults */

static void put_criteria(const struct sheet *sheet, enum criterion_state state, const char *lead)
{
    for (int i = 0; i < sheet->criterion_count; i++)
        if (sheet->criteria[i].state == state)
            printf("  %s%s\n", lead, sheet->criteria[i].text);
}

static void put_result(const struct report *report, bool faults)
{
    const struct sheet *sheet = report->sheet;
    struct message name;
    message_set(&name, "%s", report_name(report)); /* without control characters */
    printf("%s: %s, %zu record%s, %s\n  %s\n", name.text, report->engine->program,
           report->protocol.record_count, TEXT_S(report->protocol.record_count),
           faults           ? "with the faults above"
           : sheet->unknown ? "not recomputed"
                            : "all figures match the raw records",
           sheet->headline);
    printf("  %s%s\n", sheet_verdict(sheet), sheet->rates_nothing || sheet->unknown ? "" : " for comparison");
    put_criteria(sheet, CRITERION_MISSED, "FAIL  ");
    put_criteria(sheet, CRITERION_UNCHECKED, "not checked: "); /* not checked by the run itself */
}

/* Verifies a run. Returns true if it is complete and has no faults, and its results were recomputed. */
static bool verify(const char *path, const struct report_settings *settings)
{
    struct report report;
    struct message error;
    bool good = !report_open(&report, path, &error);
    const struct texts *faults = &report.faults;
    if (!good)
        puts(error.text);
    if (good && report.protocol.end && !protocol_is_complete(&report.protocol)) {
        printf("%s:%zu: not complete: %.150s\n", report.path, report.protocol.lines, report.protocol.end);
        good = false;
    }
    for (size_t i = 0; i < faults->count && i < FAULTS; i++)
        puts(faults->text[i]);
    if (faults->count > FAULTS)
        printf("%s: %zu more fault%s\n", report_name(&report), faults->count - FAULTS,
               TEXT_S(faults->count - FAULTS));
    if (report.sheet && !settings->quiet)
        put_result(&report, faults->count || *report.damage.text);
    good = good && !faults->count && !report.sheet->unknown;
    report_free(&report);
    return good;
}

static enum report_status verify_command(const struct report_settings *settings)
{
    enum report_status status = REPORT_FINE;
    for (size_t i = 0; i < settings->runs.count; i++)
        if (!verify(settings->runs.text[i], settings))
            status = REPORT_DIFFERS;
    return status;
}

/* ---- the command ---- */

static const struct option_row rows[] = {REPORT_FLAG("quiet", quiet, "print only faults"), REPORT_HELP};

static const char notes[] =
    "Checks format, checksum and completeness of run.prot, and the type and range of each value of its\n"
    "records. Recomputes every result and the verdict from the records alone, and compares them with the\n"
    "result lines. Results that this program does not compute are shown by \"show\" as stated. A run of a\n"
    "definition that this program does not know gets no verdict.\n\n"
    "verify cannot detect an invented record. A buyer should repeat the runs on the machine\n"
    "(docs/procurement.md).\n\n"
    "Exit status: 0 all figures match; 1 faults, or a run that cannot be read or recomputed; 2 usage.\n";

REPORT_COMMAND(verify, "[--quiet] RUN...", "recompute every figure from the records and list what differs");
