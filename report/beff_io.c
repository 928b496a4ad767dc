/* Checks protocols of beff_io, and describes beff_io to the other parts of beff_report. Checks each record
 * against its pattern, the totals against the patterns, and both against the whole run. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beff_io/patterns.h"
#include "beff_io/record.h"
#include "beff_io/results.h"
#include "beff_io/settings.h"
#include "common/memory.h"
#include "report/report.h"

/* A record and its place in the run. */
struct context {
    struct check check;
    const struct io_record *record;
    int partition, pattern; /* indices; pattern is -1 for a total */
    enum io_access access;
};

/* Finds the place of a record in the run. If the run has no such place, adds a fatal finding and returns
 * false. */
static bool find_place(const struct io_task *task, struct context *c)
{
    const struct io_record *r = c->record;
    char number[COLUMN_TEXT_SIZE];
    c->access = io_access_find(r->access);
    c->pattern = io_record_is_total(r) ? -1 : atoi(r->pattern);
    c->partition = 0;
    while (c->partition < task->partition_count && task->partitions[c->partition] != r->processes)
        c->partition++;
    const char *what = c->access == IO_ACCESSES                ? "access method"
                       : c->partition == task->partition_count ? "partition"
                                                               : NULL;
    if (!what && c->pattern >= 0) {
        int first = io_first((enum io_type)r->type), end = first + io_count((enum io_type)r->type);
        snprintf(number, sizeof number, "%d", c->pattern); /* reject other spellings, such as 07 */
        if (c->pattern < first || c->pattern >= end || strcmp(number, r->pattern) != 0)
            what = "pattern of this type";
    } else if (!what && !io_record_is_total(r)) {
        what = "pattern of this type";
    }
    if (what)
        check_fail(&c->check, true, "no such %s: %" PRId64 " processes, %s, type %" PRId64 ", pattern %s",
                   what, r->processes, r->access, r->type, r->pattern);
    return !what;
}

#define ANY INT64_MIN, INT64_MAX

/* The columns whose range differs from the default range of check_columns(). */
static const struct check_range ranges[] = {{"processes", ANY}, /* checked by find_place() */
                                            {"type", 0, IO_TYPES - 1},  {"units", 0, IO_UNITS},
                                            {"planned", -1, CHECK_MAX}, {"slowest_rank", ANY},
                                            {"resident", ANY},          {NULL, 0, 0}};

static void examine(struct report *report)
{
    const char *partitions = report_meta(report, "partitions");
    struct io_task task;
    struct message error;
    int64_t processes, memory;
    check_definition(report);
    if (!check_metadata(report, "processes", 1, INT32_MAX, &processes) ||
        !check_metadata(report, "lmax", io_mpart(1), io_mpart(INT32_MAX), &task.mpart) ||
        !check_metadata(report, "memory_per_process_mib", 1, INT32_MAX, &memory))
        return;
    if (!*partitions || io_partitions(&task, processes, partitions, &error))
        REPORT_FATAL(report, "partitions = %.60s is not a list of numbers of processes", partitions);
    for (struct context c = {.check = {report, 0}}; c.check.i < report->protocol.record_count; c.check.i++) {
        const struct io_record *r = c.record = protocol_at(&report->protocol, c.check.i);
        if (check_columns(&c.check, ranges) && find_place(&task, &c))
            check_follows(&c.check, "bandwidth", r->bandwidth,
                          r->t_total > 0 ? (double)r->bytes / r->t_total / 1e6 : 0);
    }
    check_run(report);
}

const struct report_engine report_beff_io = {.engine = &beff_io_engine, .examine = examine};
