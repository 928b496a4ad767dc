/* verify: a run's files against its records. Uses load, verify_files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/load.h"
#include "report/verify_files.h"

/* ---- run.prot ---- */

static const struct protocol_result *find_result(const struct protocol *p, const char *name)
{
    for (size_t i = 0; i < p->result_count; i++)
        if (strcmp(p->results[i].name, name) == 0)
            return &p->results[i];
    return NULL;
}

static void verify_result(struct report *report, const struct protocol_result *stated)
{
    struct findings *findings = &report->findings;
    const struct finding where = {.line = stated->line};
    const struct sheet_value *value = sheet_find(report->sheet, stated->name);
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
        if (!isfinite(value->value) || find_result(&report->protocol, value->name))
            continue;
        if (sheet_rates(sheet, value->name) || (report_is_same_program(report) && !report_is_older(report)))
            finding_add(&report->findings, last,
                        "result %s = %.17g follows from the records, but is not stated", value->name,
                        value->value);
        else
            unstated++;
    }
    if (unstated && !report_is_older(report))
        texts_add(&report->unchecked, "%d figures without a result line", unstated);
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

static void verify_protocol(struct report *report)
{
    const struct protocol *p = &report->protocol;
    const struct finding last = {.line = p->lines};
    verify_end(report, &last);
    for (size_t i = 0; i < p->result_count; i++) /* of an older definition the rating alone */
        if (!report_is_older(report) || sheet_rates(report->sheet, p->results[i].name))
            verify_result(report, &p->results[i]);
    if (p->end)
        verify_stated(report, &last);
}

/* ---- all of a run ---- */

void verify_run(struct report *report)
{
    verify_protocol(report);
    verify_files(report);
}

static int compare_findings(const void *a, const void *b)
{
    const struct finding *left = a, *right = b;
    int order = strcmp(left->file, right->file);
    return order ? order : (left->line > right->line) - (left->line < right->line);
}

static void put_findings(const char *name, struct report *report)
{
    struct findings *findings = &report->findings;
    for (size_t i = 0; i < findings->count; i++)
        if (report->directory && !*findings->kept[i].file)
            snprintf(findings->kept[i].file, sizeof findings->kept[i].file, "run.prot");
    qsort(findings->kept, findings->count, sizeof *findings->kept, compare_findings);
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *f = &findings->kept[i];
        printf("%s%s%s:", name, *f->file ? "/" : "", f->file);
        if (f->line)
            printf("%zu:", f->line);
        printf(" %s\n", f->text);
    }
    if (findings->more)
        printf("%s: %zu more\n", name, findings->more);
}

static void put_result(const char *name, const struct report *report)
{
    char headline[512];
    snprintf(headline, sizeof headline, "%s", report->sheet->headline);
    finding_clean(headline);
    bool differs = report->findings.count || *report->damage.text;
    printf("%s: %s, %zu records, %s\n  %s\n", name, report->engine->program, report->protocol.record_count,
           differs ? "with the faults above" : "nothing differs from what follows from them", headline);
    printf("  %s for comparison\n", sheet_verdict(report->sheet));
    for (int i = 0; i < report->unchecked.count; i++)
        printf("%s%s", i ? ", " : "  not checked: ", report->unchecked.text[i]);
    fputs(report->unchecked.count ? "\n" : "", stdout);
}

/* What the run itself did not look at. */
static void add_unchecked(struct report *report)
{
    for (int i = 0; i < report->sheet->criterion_count; i++)
        if (report->sheet->criteria[i].state == CRITERION_UNCHECKED)
            texts_add(&report->unchecked, "%s", report->sheet->criteria[i].text);
}

static bool verify(const char *path, const struct report_settings *settings)
{
    struct report report;
    struct message error;
    char name[400];
    snprintf(name, sizeof name, "%.390s", path);
    finding_clean(name);
    bool read = !report_read(&report, path, &error), made = read && !report_make(&report, &error);
    if (made) {
        verify_run(&report);
        verify_page(&report, settings->pictures->page);
        add_unchecked(&report);
        report_hold_faults(&report);
    }
    if (*report.damage.text)
        printf("%s\n", report.damage.text);
    if (read)
        put_findings(name, &report);
    if (!made && !finding_fatal(&report.findings))
        printf("%s\n", error.text);
    if (made && !settings->quiet)
        put_result(name, &report);
    bool good = made && report.findings.count == 0 && !*report.damage.text;
    report_free(&report);
    return good;
}

static enum report_status verify_command(const struct report_settings *settings)
{
    enum report_status status = REPORT_FINE;
    for (size_t i = 0; i < settings->runs.count; i++)
        if (!verify(settings->runs.word[i], settings))
            status = REPORT_DIFFERS;
    return status;
}

/* ---- the command ---- */

static const struct option_row rows[] = {REPORT_FLAG("quiet", quiet, "print only what is wrong"),
                                         REPORT_HELP};

static const char notes[] =
    "Checks format, checksum, completeness, every record by itself, against its pattern and against the "
    "run;\n"
    "computes every figure again from the records alone and compares the result lines of run.prot and every\n"
    "line of run.json, summary.txt, patterns/*.dat, and page.html but for plots and environment. What can't "
    "be\n"
    "compared, such as the words of a program of another commit, is listed as not checked. Whether the "
    "records "
    "were\n"
    "measured at all no file tells: a protocol can be invented.\n\n"
    "Exit status: 0 nothing differs; 1 something does, and is named with file and line; 2 usage.\n";

REPORT_COMMAND(verify, "[--quiet] RUN...", "compute everything again from the records, and say what differs");
