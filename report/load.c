/* Loading a run. Uses report, and the row of each engine. */
#include "report/load.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct report_engine *const report_engines[] = {&report_beff, &report_beff_io, &report_imb,
                                                             NULL};

enum { MOST_ENGINES = sizeof report_engines / sizeof report_engines[0] };

static int find_file(struct report *report, const char *path, struct message *error)
{
    struct stat status;
    bool directory = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    report->directory = directory ? strdup(path) : NULL;
    report->path = directory ? text_format("%s/run.prot", path) : strdup(path);
    return report->path && (!directory || report->directory) ? 0 : message_set(error, "out of memory");
}

static int read_protocol(struct report *report, struct message *error)
{
    const struct record_type *types[MOST_ENGINES] = {NULL};
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

int report_read(struct report *report, const char *path, struct message *error)
{
    *report = (struct report){0};
    int failed = find_file(report, path, error) || read_protocol(report, error) ? -1 : 0;
    if (failed) {
        finding_clean(error->text);
        return failed;
    }
    report->row->examine(report);
    if (report->row->same)
        check_repeated(report, report->row->same, true, "measurement", "");
    return 0;
}

int report_make(struct report *report, struct message *error)
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

int report_load(struct report *report, const char *path, struct message *error)
{
    int failed = report_read(report, path, error);
    if (!failed && *report->damage.text)
        failed = message_set(error, "%s", report->damage.text);
    failed = failed || report_make(report, error) ? -1 : 0;
    if (failed)
        report_free(report);
    return failed;
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
