/* Implements the command verify: compares a run's files with its records. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "report/command.h"

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
        finding_add(findings, &where, "result %.60s appears twice", stated->name);
}

/* Returns true if the run states that it ended early. */
static bool is_partial(const struct protocol *p)
{
    return p->end && strncmp(p->end, "partial (", 9) == 0;
}

/* Verifies the end line and the result lines of the protocol. The rating must be stated; other figures may be
 * missing. */
static void verify_protocol(struct report *report)
{
    const struct protocol *p = &report->protocol;
    const struct finding last = {.line = p->lines};
    struct findings *findings = &report->findings;
    const struct sheet_value *rating = sheet_find(report->sheet, report->sheet->headline_name);
    if (!p->end)
        finding_add(
            findings, &last,
            "cut short: no end and no checksum after this line (the run was killed, or is not over yet)");
    else if (!protocol_is_complete(p) && !is_partial(p))
        finding_add(findings, &last, "end = %.100s is neither complete nor partial (with a reason)", p->end);
    for (size_t i = 0; i < p->result_count; i++)
        verify_result(report, &p->results[i]);
    if (p->end && rating && isfinite(rating->value) && !find_result(p, rating->name))
        finding_add(findings, &last, "result %s = %.17g follows from the records, but is not stated",
                    rating->name, rating->value);
}

/* ---- output ---- */

void verify_run(struct report *report)
{
    verify_protocol(report);
}

/* Sorts fatal findings first, then findings of run.prot, whose `file` is "". */
static int causes_first(const void *a, const void *b)
{
    const struct finding *left = a, *right = b;
    int order = left->fatal != right->fatal ? right->fatal - left->fatal : strcmp(left->file, right->file);
    return order ? order : (left->line > right->line) - (left->line < right->line);
}

/* Maximum number of listed faults; AFTER_CAUSE applies to faults that may follow from a fatal one. */
enum { FAULTS = 10, AFTER_CAUSE = 3 };

void verify_faults(struct report *report, struct texts *lines)
{
    struct findings *findings = &report->findings;
    const char *name = report_name(report), *protocol = report->directory ? "/run.prot" : "";
    bool caused = *report->damage.text || finding_fatal(findings);
    size_t others = findings->more;
    if (*report->damage.text)
        texts_add(lines, "%s", report->damage.text);
    if (is_partial(&report->protocol)) /* listed with the faults, but not a finding */
        texts_add(lines, "%s%s:%zu: not complete: %.150s", name, protocol, report->protocol.lines,
                  report->protocol.end);
    qsort(findings->list, findings->count, sizeof *findings->list, causes_first);
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *f = &findings->list[i];
        char line[32] = "";
        if (f->line)
            snprintf(line, sizeof line, "%zu:", f->line);
        if (lines->count < (caused && !f->fatal ? AFTER_CAUSE : FAULTS))
            texts_add(lines, "%s%s%s:%s %s", name, *f->file ? "/" : protocol, f->file, line, f->text);
        else
            others++;
    }
    if (others)
        texts_add(lines, "%s: %zu more fault%s%s", name, others, PLURAL(others),
                  caused ? ", which may follow from the first" : "");
    for (size_t i = 0; i < lines->count; i++)
        finding_clean(lines->text[i]);
}

static void put_criteria(const struct sheet *sheet, enum criterion_state state, const char *lead)
{
    for (int i = 0; i < sheet->criterion_count; i++)
        if (sheet->criteria[i].state == state)
            printf("  %s%s\n", lead, sheet->criteria[i].text);
}

static void put_result(const struct report *report)
{
    const struct sheet *sheet = report->sheet;
    char name[400], headline[512];
    snprintf(name, sizeof name, "%.390s", report_name(report));
    snprintf(headline, sizeof headline, "%s", sheet->headline);
    finding_clean(name);
    finding_clean(headline);
    bool differs = report->findings.count || *report->damage.text;
    printf("%s: %s, %zu record%s, %s\n  %s\n", name, report->engine->program, report->protocol.record_count,
           PLURAL(report->protocol.record_count),
           differs ? "with the faults above" : "all figures match the raw records", headline);
    printf("  %s%s\n", sheet_verdict(sheet), sheet->rates_nothing ? "" : " for comparison");
    put_criteria(sheet, CRITERION_MISSED, "FAIL  ");
    put_criteria(sheet, CRITERION_UNCHECKED, "not checked: "); /* not checked by the run itself */
    for (size_t i = 0; i < report->unchecked.count; i++)
        printf("%s%s", i ? ", " : "  not checked: ", report->unchecked.text[i]);
    fputs(report->unchecked.count ? "\n" : "", stdout);
}

static bool verify(const char *path, const struct report_settings *settings)
{
    struct report report;
    struct message error;
    struct texts faults = {0};
    bool good = !report_open(&report, path, &error);
    verify_faults(&report, &faults);
    for (size_t i = 0; i < faults.count; i++)
        puts(faults.text[i]);
    if (!report.sheet && !*report.damage.text && !finding_fatal(&report.findings))
        puts(error.text);
    if (report.sheet && !settings->quiet)
        put_result(&report);
    good = good && !faults.count;
    texts_free(&faults);
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
    "Checks format, checksum and completeness of run.prot. Checks every record by itself, against its\n"
    "pattern and against the run. For beff, also checks the number of iterations of every record, which\n"
    "follows from earlier times. Recomputes every figure from the records alone, and compares it with the\n"
    "result lines of run.prot and, if they exist, with run.json, summary.txt and patterns/*.dat, line by\n"
    "line. run.prot alone is sufficient. Faults that prevent recomputing are listed first. After them come\n"
    "the first few faults that may be caused by them, and the number of the remaining faults. Plots and\n"
    "pages are not verified: plot and html recreate them from run.prot.\n\n"
    "verify cannot detect a protocol that was invented by someone who has read docs/definition.md. It also\n"
    "cannot detect a false memory size of a node (which leads to a wrong Lmax), false names of hosts,\n"
    "processors or file systems, or reads from a cache that are stated to be cold. rank and compare\n"
    "skip copies of another run, even if noise was added. A buyer should repeat the runs on the\n"
    "machine (docs/procurement.md).\n\n"
    "Exit status: 0 all figures match; 1 faults, each with file and line, or a file that could not be\n"
    "compared; 2 usage.\n";

REPORT_COMMAND(verify, "[--quiet] RUN...", "recompute every figure from the records and list what differs");
