/* verify: a run's files against its records. Uses report, verify_files. */
#include "protocols/verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/version.h"
#include "protocols/command.h"

bool verify_same_program(const struct report *report)
{
    return strcmp(report_meta(report, "commit"), version_commit) == 0;
}

/* ---- run.prot ---- */

static const struct sheet_value *find_value(const struct sheet *sheet, const char *name)
{
    for (int i = 0; i < sheet->value_count; i++)
        if (strcmp(sheet->values[i].name, name) == 0)
            return &sheet->values[i];
    return NULL;
}

static const struct protocol_result *find_result(const struct protocol *p, const char *name)
{
    for (size_t i = 0; i < p->result_count; i++)
        if (strcmp(p->results[i].name, name) == 0)
            return &p->results[i];
    return NULL;
}

/* Whether a result is computed again: of an older definition the rating alone. */
static bool is_checked(const struct report *report, const char *name)
{
    return !report_is_older(report) || strcmp(name, report->sheet->headline_name) == 0;
}

static void verify_result(struct report *report, const struct protocol_result *stated)
{
    struct findings *findings = &report->findings;
    const struct finding where = {.line = stated->line};
    const struct sheet_value *value = find_value(report->sheet, stated->name);
    if (!is_checked(report, stated->name))
        return;
    if (!value || isnan(value->value))
        finding_add(findings, &where, "result %.60s = %.17g does not follow from the records", stated->name,
                    stated->value);
    else if (!report_equal(stated->value, value->value))
        finding_add(findings, &where, "result %.60s = %.17g, but %.17g follows from the records",
                    stated->name, stated->value, value->value);
    else if (strcmp(stated->unit, value->unit) != 0)
        finding_add(findings, &where, "result %.60s is in %s, not in %.40s", stated->name, value->unit,
                    stated->unit);
    if (find_result(&report->protocol, stated->name) != stated)
        finding_add(findings, &where, "result %.60s is there twice", stated->name);
}

/* Of another program's run only the rating has to be stated, and only the figures that both have are
 * compared. */
static void verify_stated(struct report *report, const struct finding *last)
{
    const struct sheet *sheet = report->sheet;
    int unstated = 0;
    for (int i = 0; i < sheet->value_count; i++) {
        const struct sheet_value *value = &sheet->values[i];
        bool rating = strcmp(value->name, sheet->headline_name) == 0;
        if (!isfinite(value->value) || find_result(&report->protocol, value->name))
            continue;
        if (rating || (verify_same_program(report) && !report_is_older(report)))
            finding_add(&report->findings, last,
                        "result %s = %.17g follows from the records, but is not stated", value->name,
                        value->value);
        else
            unstated++;
    }
    if (unstated && !report_is_older(report))
        report_unchecked(report, "%d figures without a result line", unstated);
}

static void verify_end(struct report *report, const struct finding *last)
{
    const char *end = report->protocol.end;
    if (!end)
        finding_add(&report->findings, last, "cut short: no end and no checksum after this line");
    else if (strncmp(end, "partial (", 9) == 0)
        finding_add(&report->findings, last, "not complete: %.150s", end);
    else if (strcmp(end, "complete") != 0)
        finding_add(&report->findings, last, "end = %.100s is neither complete nor partial (with a reason)",
                    end);
}

void verify_protocol(struct report *report)
{
    const struct protocol *p = &report->protocol;
    const struct finding last = {.line = p->lines};
    verify_end(report, &last);
    for (size_t i = 0; i < p->result_count; i++)
        verify_result(report, &p->results[i]);
    if (p->end)
        verify_stated(report, &last);
}

/* ---- all of a run ---- */

static int compare_findings(const void *a, const void *b)
{
    const struct finding *left = a, *right = b;
    int order = strcmp(left->file, right->file);
    return order ? order : (left->line > right->line) - (left->line < right->line);
}

static void put_findings(const char *run, struct findings *findings)
{
    size_t kept = findings->count < FINDINGS_MOST ? findings->count : FINDINGS_MOST;
    char name[400];
    snprintf(name, sizeof name, "%.390s", run);
    finding_clean(name);
    if (findings->kept)
        qsort(findings->kept, kept, sizeof *findings->kept, compare_findings);
    for (size_t i = 0; findings->kept && i < kept; i++) {
        const struct finding *f = &findings->kept[i];
        printf("%s%s%s:", name, *f->file ? "/" : "", f->file);
        if (f->line)
            printf("%zu:", f->line);
        printf(" %s\n", f->text);
    }
    if (findings->count > kept)
        printf("%s: %zu more\n", name, findings->count - kept);
}

/* Where a finding without a file's name is: the protocol itself. */
static void name_protocol(const struct report *report, struct findings *findings)
{
    for (size_t i = 0; findings->kept && i < findings->count && i < FINDINGS_MOST; i++)
        if (report->directory && !*findings->kept[i].file)
            snprintf(findings->kept[i].file, sizeof findings->kept[i].file, "run.prot");
}

static void put_result(const char *run, const struct report *report)
{
    char name[400], headline[512];
    snprintf(name, sizeof name, "%.390s", run);
    snprintf(headline, sizeof headline, "%s", report->sheet->headline);
    finding_clean(name);
    finding_clean(headline);
    printf("%s: %s, %zu records, %s\n  %s\n", name, report->engine->program, report->protocol.record_count,
           !report->findings.count && !*report->damage.text ? "everything follows from them"
                                                            : "but something differs: see above",
           headline);
    printf("  %s for comparison\n", sheet_valid(report->sheet) ? "VALID" : "NOT VALID");
    if (*report->unchecked.text)
        printf("  not checked: %s\n", report->unchecked.text);
}

static bool verify(const char *path, bool quiet)
{
    struct report report;
    struct message error;
    bool read = !report_read(&report, path, &error), made = read && !report_make(&report, &error);
    if (made) {
        verify_protocol(&report);
        verify_files(&report);
    }
    if (*report.damage.text)
        printf("%s\n", report.damage.text);
    if (read) {
        name_protocol(&report, &report.findings);
        put_findings(path, &report.findings);
    }
    if (!made && !finding_fatal(&report.findings))
        printf("%s\n", error.text);
    if (made && !quiet)
        put_result(path, &report);
    bool good = made && report.findings.count == 0 && !*report.damage.text;
    report_free(&report);
    return good;
}

static enum report_status verify_command(const struct report_settings *settings)
{
    enum report_status status = REPORT_FINE;
    for (size_t i = 0; i < settings->runs.count; i++)
        if (!verify(settings->runs.word[i], settings->quiet))
            status = REPORT_DIFFERS;
    return status;
}

/* ---- the command ---- */

static const struct option_row rows[] = {
    {"quiet", OPTION_FLAG, REPORT_FIELD(quiet), NULL, "print only what is wrong"}, REPORT_HELP};

static const char notes[] =
    "Checks format, checksum, completeness, every record by itself, against its pattern and against the "
    "run;\n"
    "computes every figure again from the records alone and compares the result lines of run.prot and every\n"
    "line of run.json, summary.txt and patterns/*.dat. What can't be compared, such as the words of a "
    "program of\n"
    "another commit, is listed as not checked.\n\n"
    "Exit status: 0 nothing differs; 1 something does, and is named with file and line; 2 usage.\n";

const struct report_command report_command_verify = {
    .name = "verify",
    .options = {.program = "beff_report verify",
                .synopsis = "[--quiet] RUN...",
                .purpose = "compute everything again from the records, and say what differs",
                .notes = notes,
                REPORT_ROWS(rows),
                .arguments = &report_runs},
    .least_runs = 1,
    .run = verify_command};
