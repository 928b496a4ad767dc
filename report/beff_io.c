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
#include "common/checksum.h"
#include "common/memory.h"
#include "report/pictures.h"

/* The run as its records describe it. */
struct io_check {
    struct io_task task;
    int64_t processes;
    struct io_layout layouts[IO_MAX_PARTITIONS];
    /* Number of the record of each pattern and of each total, counted from 1; 0 if there is no record. */
    size_t patterns[IO_MAX_PARTITIONS][IO_ACCESSES][IO_PATTERNS];
    size_t totals[IO_MAX_PARTITIONS][IO_ACCESSES][IO_TYPES];
    double bytes;    /* bytes of all access methods */
    double busy;     /* seconds of all types */
    double excluded; /* seconds excluded from the times of the types */
};

/* A record and its place in the run. */
struct context {
    struct check check;
    const struct io_record *record;
    int partition, pattern; /* indices; pattern is -1 for a total */
    enum io_access access;
};

/* Finds the place of a record in the run. If the run has no such place, adds a fatal finding and returns
 * false. */
static bool find_place(const struct io_check *run, struct context *c)
{
    const struct io_record *r = c->record;
    char number[COLUMN_TEXT_SIZE];
    c->access = io_access_find(r->access);
    c->pattern = io_record_is_total(r) ? -1 : atoi(r->pattern);
    c->partition = 0;
    while (c->partition < run->task.partition_count && run->task.partitions[c->partition] != r->processes)
        c->partition++;
    const char *what = c->access == IO_ACCESSES                    ? "access method"
                       : c->partition == run->task.partition_count ? "partition"
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

/* Checks that a file can hold the bytes of a pattern. With more bytes, the offsets that are computed from
 * them would overflow. */
static bool check_amount(const struct io_check *run, const struct context *c)
{
    const struct io_record *r = c->record;
    double calls = fmax((double)r->calls, (double)r->planned);
    if (c->pattern < 0 ||
        calls * (double)io_call_bytes(&run->task.patterns[c->pattern]) * (double)r->processes <=
            (double)CHECK_MAX)
        return true;
    check_fail(&c->check, true, "calls = %" PRId64 ", planned = %" PRId64 ": more bytes than a file can hold",
               r->calls, r->planned);
    return false;
}

/* Enters the number, bytes, calls and planned calls of a record into `run`. */
static void enter(struct io_check *run, const struct context *c)
{
    const struct io_record *r = c->record;
    struct io_layout *layout = &run->layouts[c->partition];
    if (c->pattern < 0) {
        run->totals[c->partition][c->access][r->type] = c->check.i + 1;
        return;
    }
    run->patterns[c->partition][c->access][c->pattern] = c->check.i + 1;
    run->bytes += (double)r->bytes;
    io_layout_note(layout, c->access, c->pattern, r->calls);
    if (c->access == ACCESS_WRITE && r->planned > 0)
        layout->planned[c->pattern] = r->planned;
}

/* ---- one pattern ---- */

static void check_shape(const struct context *c, const struct io_pattern *p, const struct io_place *place)
{
    const struct io_record *r = c->record;
    if (r->units != p->units || r->chunk_disk != place->disk || r->chunk_mem != place->memory)
        check_fail(&c->check, false,
                   "pattern %s has l = %" PRId64 ", L = %" PRId64 ", U = %d, not %" PRId64 ", %" PRId64
                   ", %" PRId64,
                   r->pattern, place->disk, place->memory, p->units, r->chunk_disk, r->chunk_mem, r->units);
    if ((double)r->bytes != (double)r->calls * (double)r->chunk_mem * (double)r->processes)
        check_fail(&c->check, false,
                   "bytes = %" PRId64 ", but the pattern made %" PRId64 " calls of %" PRId64
                   " bytes on %" PRId64 " processes",
                   r->bytes, r->calls, r->chunk_mem, r->processes);
}

/* Checks the offset and the number of calls against the patterns that were written before. */
static void check_calls(const struct context *c, const struct io_layout *layout, const struct io_place *place)
{
    const struct io_record *r = c->record;
    int64_t room = io_layout_room(layout, c->pattern), written = layout->written[c->pattern];
    if (r->offset != place->base)
        check_fail(&c->check, false, "offset = %" PRId64 ", but the previous pattern ends at %" PRId64,
                   r->offset, place->base);
    if (r->planned != room)
        check_fail(&c->check, false, "planned = %" PRId64 ", but the initial write has %" PRId64, r->planned,
                   room);
    if (room >= 0 && r->calls > room)
        check_fail(&c->check, false, "%" PRId64 " calls, but only %" PRId64 " were planned", r->calls, room);
    if (c->access != ACCESS_WRITE && r->calls > written)
        check_fail(&c->check, false, "%" PRId64 " calls, but the initial write made only %" PRId64, r->calls,
                   written);
    if (room > 0 && place->disk > 0 && room > io_layout_repeat(layout, c->pattern))
        check_fail(&c->check, false, "planned = %" PRId64 ", but its repeat factor is %" PRId64, room,
                   io_layout_repeat(layout, c->pattern));
}

static void check_times(const struct context *c)
{
    const struct io_record *r = c->record;
    if (r->t_calls + r->t_sync > r->t_total * (1 + 1e-9) || r->call_max > r->t_total * (1 + 1e-9))
        check_fail(&c->check, false,
                   "t_calls = %.9g + t_sync = %.9g, or call_max = %.9g, exceeds t_total = %.9g", r->t_calls,
                   r->t_sync, r->call_max, r->t_total);
    if (r->call_median > r->call_95 || r->call_95 > r->call_99 || r->call_99 > r->call_max)
        check_fail(&c->check, false, "call_median, call_95, call_99 and call_max are not in ascending order");
}

/* Checks `ended_by`, on which the verdict depends. */
static void check_end(const struct context *c, const struct io_layout *layout)
{
    static const char *const ends[] = {"time", "once", "skipped", "space", "data", "bytes", "repeat"};
    enum { TIME, ONCE, SKIPPED, SPACE, DATA, BYTES, REPEAT, ENDS };
    const struct io_record *r = c->record;
    bool writes = c->access == ACCESS_WRITE, timed = r->units > 0;
    bool whole = r->calls == layout->planned[c->pattern] && r->calls == io_layout_repeat(layout, c->pattern);
    const bool possible[ENDS + 1] = {
        [TIME] = timed && r->calls > 0,
        [ONCE] = !timed && r->calls == 1,
        [SKIPPED] = r->calls == 0,
        [SPACE] = writes || c->access == ACCESS_REWRITE,
        [DATA] = writes ? !timed && r->calls == 0 : r->calls == layout->written[c->pattern],
        [BYTES] = writes && timed && r->calls > 0 && !(r->type >= TYPE_SEGMENTED && whole),
        [REPEAT] = writes && timed && r->type >= TYPE_SEGMENTED && whole};
    if (!possible[text_find(ends, ENDS, r->ended_by)])
        check_fail(&c->check, false, "ended_by = %s is impossible after %" PRId64 " calls", r->ended_by,
                   r->calls);
}

/* ---- one type ---- */

static void check_total(const struct context *c, const struct io_record *sum)
{
    const struct io_record *r = c->record;
    const struct {
        const char *name;
        double stated, sum;
    } parts[] = {{"calls", (double)r->calls, (double)sum->calls},
                 {"bytes", (double)r->bytes, (double)sum->bytes},
                 {"units", (double)r->units, (double)sum->units},
                 {"errors", (double)r->errors, (double)sum->errors},
                 {"t_calls", r->t_calls, sum->t_calls},
                 {"t_vote", r->t_vote, sum->t_vote},
                 {"t_sync", r->t_sync, sum->t_sync},
                 {"t_view", r->t_view, sum->t_view}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!(fabs(parts[i].stated - parts[i].sum) <= 1e-9 * parts[i].sum))
            check_fail(&c->check, false, "total: %s = %.15g, but the sum of its patterns is %.15g",
                       parts[i].name, parts[i].stated, parts[i].sum);
    double min = sum->t_total + r->t_open + r->t_close;
    if (r->t_total < min * (1 - 1e-9))
        check_fail(&c->check, false, "total: t_total = %.15g, but its parts take %.15g", r->t_total, min);
}

/* Checks the column `cold` against the figures from which it follows, and these figures against the whole
 * run. */
static void check_coldness(const struct context *c, const struct io_check *run)
{
    const struct io_record *r = c->record;
    const struct report *report = c->check.report;
    double memory = protocol_number(&report->protocol, "memory_mib") * 1048576;
    const char *expected = c->access == ACCESS_READ ? io_record_coldness(r) : "";
    if (strcmp(r->cold, expected) != 0)
        check_fail(&c->check, false,
                   "cold = %s, but resident = %.6g, passed = %.6g, direct = %d and elsewhere = %d make it %s",
                   r->cold, r->resident, r->passed, (int)r->direct, (int)r->elsewhere,
                   *expected ? expected : "empty");
    if (c->access != ACCESS_READ)
        return;
    if (r->elsewhere && (r->type == TYPE_SCATTER || r->type == TYPE_SEG_COLL ||
                         strcmp(report_meta(report, "option_shift-reads"), "yes") != 0))
        check_fail(&c->check, false,
                   "elsewhere = 1 is possible only with --shift-reads and for types 1 to 3");
    if (r->resident >= 0 && strcmp(report_meta(report, "option_keep-caches"), "yes") == 0)
        check_fail(&c->check, false, "resident = %.6g, but with --keep-caches no file is dropped",
                   r->resident);
    if (r->passed * memory > 1.01 * run->bytes)
        check_fail(&c->check, false, "passed = %.6g exceeds the amount that the run wrote and read (%.6g)",
                   r->passed, run->bytes / memory);
}

static void check_type(struct report *report, const struct io_check *run, int partition,
                       enum io_access access, enum io_type type)
{
    const struct io_layout *layout = &run->layouts[partition];
    struct io_record sum = {0};
    struct context c = {.check = {.report = report}, .partition = partition, .access = access};
    for (int i = io_first(type); i < io_first(type) + io_count(type); i++) {
        size_t number = run->patterns[partition][access][i];
        struct io_place place = io_layout_place(layout, i);
        if (!number)
            continue;
        c.check.i = number - 1;
        c.record = protocol_at(&report->protocol, c.check.i);
        c.pattern = i;
        check_shape(&c, &run->task.patterns[i], &place);
        check_calls(&c, layout, &place);
        check_times(&c);
        check_end(&c, layout);
        io_record_add(&sum, c.record);
    }
    size_t total = run->totals[partition][access][type];
    if (!total)
        return;
    c.check.i = total - 1;
    c.record = protocol_at(&report->protocol, c.check.i);
    check_total(&c, &sum);
    check_coldness(&c, run);
}

/* ---- the whole run ---- */

/* Checks every record by itself, and enters it in its place. */
static void read_records(struct report *report, struct io_check *run)
{
    for (size_t i = 0; i < report->protocol.record_count; i++) {
        struct context c = {.check = {report, i}, .record = protocol_at(&report->protocol, i)};
        const struct io_record *r = c.record;
        if (!check_columns(&c.check, ranges) || !find_place(run, &c) || !check_amount(run, &c))
            continue;
        check_follows(&c.check, "bandwidth", r->bandwidth,
                      r->t_total > 0 ? (double)r->bytes / r->t_total / 1e6 : 0);
        run->busy += c.pattern < 0 ? r->t_total : 0;
        run->excluded += c.pattern < 0 ? r->t_excluded : 0;
        enter(run, &c);
    }
}

/* Checks that the times of the types and the excluded times add up to the time of a complete run. In honest
 * runs of 12 s to 30 minutes, at most 1.4 s were missing, and at most 6 s or 12 % were excluded. With
 * --verify full, any share may be excluded. */
static void check_parts(struct report *report, const struct io_check *run)
{
    double elapsed = protocol_number(&report->protocol, "elapsed_s");
    if (!protocol_is_complete(&report->protocol))
        return;
    if (run->busy + run->excluded < 0.95 * elapsed - 5)
        REPORT_FAULT(report, "the types took %.0f s and %.0f s were excluded, but the run took %.0f s",
                     run->busy, run->excluded, elapsed);
    if (run->excluded > 0.15 * elapsed + 10 && !protocol_is(&report->protocol, "option_verify", "full"))
        REPORT_FAULT(report, "too much time is excluded: %.0f s of %.0f s", run->excluded, elapsed);
}

/* Checks the written bytes against --max-bytes and the free space. */
static void check_bytes(struct report *report, const struct io_check *run)
{
    const struct protocol *p = &report->protocol;
    const char *option = report_meta(report, "option_max-bytes");
    double written = 0, max = protocol_number(p, "max_bytes"), left = protocol_number(p, "free_bytes");
    for (int n = 0; n < run->task.partition_count; n++)
        for (int i = 0; i < IO_PATTERNS; i++) {
            size_t number = run->patterns[n][ACCESS_WRITE][i];
            written += number ? (double)((const struct io_record *)protocol_at(p, number - 1))->bytes : 0;
        }
    if (!(written <= max) || !(max <= left) || (*option && (double)io_parse_bytes(option) != max))
        REPORT_FAULT(
            report,
            "contradiction: %.0f bytes were written, with max_bytes = %s, free_bytes = %s and --max-bytes "
            "\"%.40s\"",
            written, report_meta(report, "max_bytes"), report_meta(report, "free_bytes"), option);
}

/* Checks that a complete run has a record for every pattern, even if the pattern was skipped. */
static void check_complete(struct report *report, const struct io_check *run)
{
    if (!protocol_is_complete(&report->protocol) || io_is_selection(&report->protocol))
        return;
    for (int n = 0; n < run->task.partition_count; n++)
        for (int a = 0; a < IO_ACCESSES; a++)
            for (int i = 0; i < IO_PATTERNS; i++)
                if (io_selected(&run->task.selection, (enum io_access)a, &run->task.patterns[i]) &&
                    !run->patterns[n][a][i])
                    REPORT_FAULT(
                        report,
                        "the run is complete, but has no record of %" PRId64 " process%s, %s, pattern %d",
                        run->task.partitions[n], TEXT_ES(run->task.partitions[n]), io_access_names[a], i);
}

static bool read_run(struct report *report, struct io_check *run)
{
    const char *partitions = report_meta(report, "partitions");
    struct io_task *task = &run->task;
    int64_t memory;
    if (!check_metadata(report, "processes", 1, INT32_MAX, &run->processes) ||
        !check_metadata(report, "lmax", io_mpart(1), io_mpart(INT32_MAX), &task->mpart) ||
        !check_metadata(report, "memory_per_process_mib", 1, INT32_MAX, &memory))
        return false;
    struct message error;
    task->partition_count =
        *partitions ? io_partitions(run->processes, partitions, task->partitions, &error) : 0;
    if (!task->partition_count) {
        REPORT_FATAL(report, "partitions = %.60s is not a list of numbers of processes", partitions);
        return false;
    }
    check_lmax(report, task->mpart, memory, io_mpart(memory));
    check_definition(report);
    io_patterns(task->mpart, task->patterns);
    task->selection = io_select_all(strcmp(report_meta(report, "option_rewrite"), "yes") == 0);
    for (int i = 0; i < task->partition_count; i++)
        io_layout_start(&run->layouts[i], task, i);
    return true;
}

static void examine(struct report *report)
{
    static const char *const same[] = {"processes", "access", "type", "pattern", NULL};
    struct io_check *run = memory_new(1, sizeof *run, "the checks");
    if (read_run(report, run)) {
        read_records(report, run);
        for (int n = 0; n < run->task.partition_count; n++)
            for (int a = 0; a < IO_ACCESSES; a++)
                for (int t = 0; t < IO_TYPES; t++)
                    check_type(report, run, n, (enum io_access)a, (enum io_type)t);
        check_bytes(report, run);
        check_complete(report, run);
        check_parts(report, run);
        check_run(report, run->busy);
        check_repeated(report, same, true, "measurement", "");
    }
    free(run);
}

/* ---- items and pictures ---- */

/* Adds an item for every type and every pattern, for each partition and access method. */
static void items(const struct report *report, struct report_items *items)
{
    const struct protocol *p = &report->protocol;
    for (size_t i = 0; i < p->record_count; i++) {
        const struct io_record *r = protocol_at(p, i);
        bool total = io_record_is_total(r);
        struct report_item item = {
            .group = total ? "type" : "pattern", .unit = "MB/s", .value = r->t_total > 0 ? r->bandwidth : 0};
        snprintf(item.name, sizeof item.name, "%" PRId64 " process%s, %s, %s%s%s", r->processes,
                 TEXT_ES(r->processes), r->access, io_type_names[r->type], total ? "" : " ",
                 total ? "" : r->pattern);
        report_item_add(items, &item);
    }
}

static void pictures(struct drawing *drawing, const struct report *report)
{
    const struct io_rating *rating = &((const struct io_results *)(const void *)report->sheet)->rating;
    draw_add(drawing, "partitions", "b_eff_io by number of processes");
    for (int p = 0; p < rating->partitions; p++) {
        long long processes = rating->partition[p].processes;
        struct picture *picture = draw_add(drawing, "chunks", "I/O bandwidth by chunk size, %lld process%s",
                                           processes, TEXT_ES(processes));
        snprintf(picture->name, sizeof picture->name, "chunks-n%lld", processes);
        snprintf(picture->argument, sizeof picture->argument, "%lld", processes);
    }
    picture_tables(drawing, report);
}

static double sample(const void *record, uint64_t *cell, uint64_t *group)
{
    const struct io_record *r = record;
    const int64_t numbers[] = {r->processes, r->type};
    *group = checksum_add(*group, r->access, strlen(r->access) + 1);
    *cell = checksum_add(*group, r->pattern, strlen(r->pattern) + 1);
    *cell = checksum_add(*cell, numbers, sizeof numbers);
    return r->t_total;
}

static const char *const ranked[] = {"b_eff_io", "b_eff_io_write", "b_eff_io_rewrite", "b_eff_io_read", NULL};

const struct report_engine report_beff_io = {.engine = &beff_io_engine,
                                             .examine = examine,
                                             .sample = sample,
                                             .has_directory = true,
                                             .ranked = ranked,
                                             .main = ranked + 1,
                                             .items = items,
                                             .pictures = pictures};
