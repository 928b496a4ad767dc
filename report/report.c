/* Reads a run and keeps its findings. */
#include "report/report.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/stats.h"
#include "report/command.h"

/* ---- findings ---- */

void finding_clean(char *text)
{
    while (*text) {
        int length = text_utf8_length(text);
        if (!length || text_is_control(text))
            memset(text, '?', length ? (size_t)length : 1);
        text += length ? length : 1;
    }
}

void finding_add(struct findings *findings, const struct finding *where, const char *format, ...)
{
    bool full = findings->count == FINDINGS_MAX;
    findings->more += full;
    /* The first fatal finding is always listed; it replaces the last one if the list is full. */
    if (full && !(where->fatal && !finding_fatal(findings)))
        return;
    struct finding *f = &findings->list[full ? FINDINGS_MAX - 1 : findings->count++];
    *f = *where;
    TEXT_PRINT(f->text, sizeof f->text, format);
    finding_clean(f->text);
    finding_clean(f->file);
}

const struct finding *finding_fatal(const struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->list[i].fatal)
            return &findings->list[i];
    return NULL;
}

/* ---- a run ---- */

const char *report_meta(const struct report *report, const char *key)
{
    const char *value = protocol_get(&report->protocol, key);
    return value ? value : "";
}

const char *report_name(const struct report *report)
{
    return report->directory ? report->directory : report->path;
}

/* Makes the sheet NOT VALID if there are findings. Call it after verify_run(), because the files of the run
 * contain the verdict without these findings. */
static void apply_findings(struct report *report)
{
    struct sheet *sheet = report->sheet;
    size_t count = report->findings.count + report->findings.more + (*report->damage.text != 0);
    if (!count)
        return;
    if (sheet_valid(sheet))
        snprintf(sheet->headline, sizeof sheet->headline, "NOT VALID: the files of the run contain faults");
    sheet_criterion(sheet, false, "the run's files are consistent (%zu fault%s found by beff_report verify)",
                    count, PLURAL(count));
}

bool report_equal(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-12 * fabs(b);
}

/* ---- loading ---- */

static const struct report_engine *const report_engines[] = {&report_beff, &report_beff_io, &report_imb,
                                                             NULL};

enum { MAX_ENGINES = sizeof report_engines / sizeof report_engines[0] };

/* Sets directory and path of a run, without slashes at the end. */
static void find_file(struct report *report, const char *path)
{
    struct stat status;
    bool directory = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    size_t length = strlen(path);
    while (directory && length > 1 && path[length - 1] == '/')
        length--;
    report->directory = directory ? text_format("%.*s", (int)length, path) : NULL;
    report->path = directory ? text_format("%s/run.prot", report->directory) : memory_text(path);
}

/* Returns -1 with a message if the directory is not a run but contains runs. */
static int check_directory(const struct report *report, struct message *error)
{
    glob_t runs = {0};
    char *pattern = report->directory && access(report->path, F_OK) && !strpbrk(report->directory, "*?[\\")
                        ? text_format("%s/*/run.prot", report->directory)
                        : NULL;
    bool found = pattern && glob(pattern, 0, NULL, &runs) == 0;
    if (found)
        message_set(error, "%.200s is not a run but contains the directories of %zu run%s: use %.200s/*",
                    report->directory, runs.gl_pathc, PLURAL(runs.gl_pathc), report->directory);
    globfree(&runs);
    free(pattern);
    return found ? -1 : 0;
}

static int read_protocol(struct report *report, struct message *error)
{
    const struct record_type *types[MAX_ENGINES] = {NULL};
    for (int i = 0; report_engines[i]; i++)
        types[i] = report_engines[i]->engine->type;
    if (protocol_read(&report->protocol, report->path, types, &report->damage, error))
        return -1;
    for (int i = 0; report_engines[i]; i++)
        if (report_engines[i]->engine->type == report->protocol.type)
            report->row = report_engines[i];
    report->engine = report->row->engine;
    return 0;
}

static int make_results(struct report *report, struct message *error)
{
    const struct finding *fatal = finding_fatal(&report->findings);
    if (fatal && fatal->line)
        return message_set(error, "%.230s:%zu: %s", report->path, fatal->line, fatal->text);
    if (fatal)
        return message_set(error, "%.250s: %s", report->path, fatal->text);
    struct message reason;
    report->sheet = engine_results(report->engine, &report->protocol, &reason);
    if (report->sheet)
        return 0;
    finding_clean(reason.text);
    return message_set(error, "%.200s: %.300s", report->path, reason.text);
}

int report_open(struct report *report, const char *path, struct message *error)
{
    *report = (struct report){0};
    find_file(report, path);
    if (check_directory(report, error) || read_protocol(report, error)) {
        finding_clean(error->text);
        return -1;
    }
    report->row->examine(report);
    int failed = make_results(report, error);
    if (!failed) {
        verify_run(report);
        apply_findings(report);
    }
    return *report->damage.text ? message_set(error, "%s", report->damage.text) : failed;
}

void report_free(struct report *report)
{
    engine_free_results(report->engine, report->sheet);
    protocol_free(&report->protocol);
    texts_free(&report->unchecked);
    free(report->path);
    free(report->directory);
    *report = (struct report){0};
}
