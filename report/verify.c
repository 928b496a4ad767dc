/* Implements the command verify: recomputes the results of runs and lists the differences. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "report/output.h"

enum { FAULTS = 10 }; /* maximum number of listed faults without --all */

static void put_criteria(const struct sheet *sheet, enum criterion_state state, const char *lead, FILE *out)
{
    for (int i = 0; i < sheet->criterion_count; i++)
        if (sheet->criteria[i].state == state)
            fprintf(out, "  %s%s\n", lead, sheet->criteria[i].text);
}

static void put_result(const struct report *report, bool faults, FILE *out)
{
    const struct sheet *sheet = report->sheet;
    struct message name;
    message_set(&name, "%s", report_name(report)); /* without control characters */
    fprintf(out, "%s: %s, %zu record%s, %s\n  %s\n", name.text, report->engine->program,
            report->protocol.records.count, TEXT_S(report->protocol.records.count),
            faults           ? "with the faults above"
            : sheet->unknown ? "not recomputed"
                             : "all figures match the raw records",
            sheet->headline);
    fprintf(out, "  %s%s\n", sheet_verdict(sheet),
            sheet->rates_nothing || sheet->unknown ? "" : " for comparison");
    put_criteria(sheet, CRITERION_MISSED, "FAIL  ", out);
    put_criteria(sheet, CRITERION_UNCHECKED, "not checked: ", out); /* not checked by the run itself */
}

/* Verifies a run and writes the result. Returns true if it is complete and has no faults, and its results
 * were recomputed. */
static bool verify(const char *path, const struct report_settings *settings, FILE *out)
{
    struct report report;
    struct message error;
    bool good = !report_open(&report, path, &error);
    const struct texts *faults = &report.faults;
    if (!good)
        fprintf(out, "%s\n", error.text);
    if (good && report.protocol.end && !protocol_is_complete(&report.protocol)) {
        fprintf(out, "%s:%zu: not complete: %.150s\n", report.path, report.protocol.lines,
                report.protocol.end);
        good = false;
    }
    size_t shown = faults->count < FAULTS || settings->all ? faults->count : FAULTS;
    for (size_t i = 0; i < shown; i++)
        fprintf(out, "%s\n", faults->text[i]);
    if (faults->count > shown)
        fprintf(out, "%s: %zu more fault%s (--all)\n", report_name(&report), faults->count - shown,
                TEXT_S(faults->count - shown));
    if (report.sheet && !settings->quiet)
        put_result(&report, faults->count || *report.damage.text, out);
    good = good && !faults->count && !report.sheet->unknown;
    report_free(&report);
    return good;
}

/* Verifies a run as a test case of its own suite. */
static bool verify_junit(const char *path, const struct report_settings *settings)
{
    static const char name[] = "all figures match the records";
    struct stream stream;
    FILE *out = stream_start(&stream);
    fprintf(out, "%s\n", name);
    bool good = verify(path, settings, out);
    char *text = stream_end(&stream);
    junit_suite(path, &(struct junit_case){text, strlen(name), good ? JUNIT_PASSED : JUNIT_FAILED}, 1,
                stdout);
    free(text);
    return good;
}

static enum report_status verify_command(const struct report_settings *settings)
{
    enum report_status status = REPORT_FINE;
    bool junit = settings->format != 0;
    fputs(junit ? "<testsuites>\n" : "", stdout);
    for (size_t i = 0; i < settings->runs.count; i++)
        if (!(junit ? verify_junit(settings->runs.text[i], settings)
                    : verify(settings->runs.text[i], settings, stdout)))
            status = REPORT_DIFFERS;
    fputs(junit ? "</testsuites>\n" : "", stdout);
    return status;
}

/* ---- the command ---- */

static const char *const formats[] = {"text", "junit", NULL};

static const struct option_row rows[] = {
    {"format", OPTION_CHOICE, REPORT_FIELD(format), "FORMAT", "text or junit", .choices = formats},
    {"quiet", OPTION_FLAG, REPORT_FIELD(quiet), NULL, "print only faults"},
    {"all", OPTION_FLAG, REPORT_FIELD(all), NULL, "print all faults, not only the first ten"},
    {REPORT_HELP}};

static const char notes[] =
    "Checks format, checksum and completeness of run.prot, and the type and range of each value of its\n"
    "records. Recomputes every result and the verdict from the records alone, and compares them with the\n"
    "result lines. The order of beff's records, their methods and polygons must follow the definition's\n"
    "schedule. Results that this program does not compute are shown by \"show\" as stated. A run of a\n"
    "definition that this program does not know gets no verdict.\n\n"
    "verify cannot detect an invented record. A buyer should repeat the runs on the machine\n"
    "(docs/procurement.md).\n\n"
    "Exit status: 0 all figures match; 1 faults, or a run that cannot be read or recomputed; 2 usage.\n";

REPORT_COMMAND(verify, "[--quiet] [--all] [--format text|junit] RUN...",
               "recompute every figure from the records and list what differs");
