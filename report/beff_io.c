/* beff_io: its checks, and its row: each record against its pattern, the totals against the patterns. Uses
 * beff_io's results. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beff_io/record.h"
#include "beff_io/results.h"
#include "beff_io/settings.h"
#include "report/report.h"

/* What the patterns of one type add up to. */
struct sums {
    double calls, bytes, units, errors, t_calls, t_vote, t_sync, t_view, t_total;
};

struct run {
    struct io_pattern patterns[IO_PATTERNS];
    int64_t processes, partitions[IO_MOST_PARTITIONS];
    int partition_count;
    struct sums sums[IO_MOST_PARTITIONS][IO_ACCESSES][IO_TYPES];
    bool seen[IO_MOST_PARTITIONS][IO_ACCESSES][IO_PATTERNS];
};

/* Where a record belongs. */
struct place {
    int partition, pattern; /* pattern: -1 of a total */
    enum io_access access;
    enum io_type type;
};

static bool is_known_end(const char *ended_by)
{
    static const char *const known[] = {"once", "time", "bytes", "data", "repeat", "space", "skipped"};
    enum { KNOWN = sizeof known / sizeof known[0] };
    return text_find(known, KNOWN, ended_by) < KNOWN;
}

static bool check_place(const struct check *check, const struct run *run, const struct io_record *r,
                        struct place *place)
{
    char *rest;
    long number = strtol(r->pattern, &rest, 10);
    *place =
        (struct place){.access = io_access_find(r->access), .type = (enum io_type)r->type, .pattern = -1};
    while (place->partition < run->partition_count && run->partitions[place->partition] != r->processes)
        place->partition++;
    const char *what = place->access == IO_ACCESSES               ? "access method"
                       : place->partition == run->partition_count ? "partition"
                                                                  : NULL;
    if (!what && !io_record_is_total(r)) {
        int first = io_first(place->type);
        bool known =
            rest != r->pattern && !*rest && number >= first && number < first + io_count(place->type);
        what = known ? NULL : "pattern of this type";
        place->pattern = known ? (int)number : -1;
    }
    if (what)
        check_fail(check, true, "no such %s: %" PRId64 " processes, %s, type %" PRId64 ", pattern %s", what,
                   r->processes, r->access, r->type, r->pattern);
    return !what;
}

#define ANY INT64_MIN, INT64_MAX

/* What is not from 0 on. */
static const struct check_range ranges[] = {{"processes", ANY}, /* one of the partitions: check_place */
                                            {"type", 0, IO_TYPES - 1},   {"units", 0, IO_UNITS},
                                            {"planned", -1, CHECK_MOST}, {"slowest_rank", ANY},
                                            {"resident", ANY},           {NULL, 0, 0}};

/* What a record says of its file against the figures it rests on. */
static void check_coldness(const struct check *check, const struct io_record *r)
{
    const char *expected = io_access_find(r->access) == ACCESS_READ && *r->cold
                               ? io_record_coldness(r->resident, r->passed)
                               : "";
    if (strcmp(r->cold, expected) != 0)
        check_fail(check, false, "cold = %s, but resident = %.6g and passed = %.6g make it %s", r->cold,
                   r->resident, r->passed, *expected ? expected : "empty");
}

static void check_pattern(const struct check *check, const struct run *run, const struct io_record *r,
                          const struct place *place)
{
    const struct io_pattern *p = &run->patterns[place->pattern];
    if (r->units != p->units || (!p->fill && (r->chunk_disk != p->disk || r->chunk_mem != p->memory)))
        check_fail(check, false,
                   "pattern %s has l = %" PRId64 ", L = %" PRId64 ", U = %d, not %" PRId64 ", %" PRId64
                   ", %" PRId64,
                   r->pattern, p->disk, p->memory, p->units, r->chunk_disk, r->chunk_mem, r->units);
    if (r->planned >= 0 && r->calls > r->planned)
        check_fail(check, false, "%" PRId64 " calls, but there is room for %" PRId64, r->calls, r->planned);
    double most = (double)r->calls * (double)r->chunk_mem * (double)r->processes;
    bool whole = r->chunk_mem ? r->bytes % r->chunk_mem == 0 : r->bytes == 0;
    if ((double)r->bytes > most || !whole || (r->bytes == 0 && most > 0))
        check_fail(check, false,
                   "%" PRId64 " bytes can't come of %" PRId64 " calls of %" PRId64 " bytes on %" PRId64
                   " processes",
                   r->bytes, r->calls, r->chunk_mem, r->processes);
    if (r->call_median > r->call_95 || r->call_95 > r->call_99 || r->call_99 > r->call_max)
        check_fail(check, false, "call_median, call_95, call_99, call_max are not in this order");
    if (!is_known_end(r->ended_by))
        check_fail(check, false, "ended_by = %s is not known", r->ended_by);
}

static void add(struct sums *sums, const struct io_record *r)
{
    sums->calls += (double)r->calls;
    sums->bytes += (double)r->bytes;
    sums->units += (double)r->units;
    sums->errors += (double)r->errors;
    sums->t_calls += r->t_calls;
    sums->t_vote += r->t_vote;
    sums->t_sync += r->t_sync;
    sums->t_view += r->t_view;
    sums->t_total += r->t_total + r->t_view;
}

static void check_total(const struct check *check, const struct io_record *r, const struct sums *s)
{
    const struct {
        const char *name;
        double stated, sum;
    } parts[] = {{"calls", (double)r->calls, s->calls}, {"bytes", (double)r->bytes, s->bytes},
                 {"units", (double)r->units, s->units}, {"errors", (double)r->errors, s->errors},
                 {"t_calls", r->t_calls, s->t_calls},   {"t_vote", r->t_vote, s->t_vote},
                 {"t_sync", r->t_sync, s->t_sync},      {"t_view", r->t_view, s->t_view}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!(fabs(parts[i].stated - parts[i].sum) <= 1e-9 * parts[i].sum))
            check_fail(check, false, "total: %s = %.15g, but its patterns make %.15g", parts[i].name,
                       parts[i].stated, parts[i].sum);
    if (r->t_total < s->t_total * (1 - 1e-9))
        check_fail(check, false, "total: t_total = %.15g, but its patterns take %.15g", r->t_total,
                   s->t_total);
}

static void check_record(const struct check *check, struct run *run, bool totals)
{
    const struct io_record *r = protocol_at(&check->report->protocol, check->i);
    struct place place;
    bool total = io_record_is_total(r);
    if (total != totals || !check_columns(check, ranges) || !check_place(check, run, r, &place))
        return;
    struct sums *sums = &run->sums[place.partition][place.access][place.type];
    check_follows(check, "bandwidth", r->bandwidth, r->t_total > 0 ? (double)r->bytes / r->t_total / 1e6 : 0);
    if (total) {
        check_total(check, r, sums);
        check_coldness(check, r);
    } else {
        check_pattern(check, run, r, &place);
        add(sums, r);
        run->seen[place.partition][place.access][place.pattern] = true;
    }
}

/* A complete run has a record for every pattern, if only to say that it was skipped. */
static void check_complete(struct report *report, const struct run *run)
{
    bool all = strcmp(report_meta(report, "option_rewrite"), "yes") == 0;
    if (!report_is_complete(report) || io_is_selection(&report->protocol))
        return;
    for (int n = 0; n < run->partition_count; n++)
        for (int a = 0; a < IO_ACCESSES; a++)
            for (int i = 0; i < IO_PATTERNS; i++)
                if (io_runs(run->patterns[i].type, (enum io_access)a, all) && !run->seen[n][a][i])
                    finding_add(&report->findings, &(struct finding){""},
                                "no record of %" PRId64 " processes, %s, pattern %d, though it is complete",
                                run->partitions[n], io_access_name((enum io_access)a), i);
}

static bool read_run(struct report *report, struct run *run)
{
    const char *partitions = report_meta(report, "partitions");
    int64_t mpart, memory, wrong;
    if (!check_metadata(report, "processes", 1, INT32_MAX, &run->processes) ||
        !check_metadata(report, "lmax", io_mpart(1), io_mpart(INT32_MAX), &mpart) ||
        !check_metadata(report, "memory_per_process_mib", 1, INT32_MAX, &memory) ||
        (*report_meta(report, "probe_errors") &&
         !check_metadata(report, "probe_errors", 0, CHECK_MOST, &wrong)))
        return false;
    struct message error;
    run->partition_count =
        *partitions ? io_partitions(run->processes, partitions, run->partitions, &error) : 0;
    if (!run->partition_count) {
        finding_add(&report->findings, &(struct finding){.fatal = true},
                    "partitions = %.60s is no list of numbers of processes", partitions);
        return false;
    }
    check_lmax(report, mpart, memory, io_mpart(memory));
    check_definition(report, IO_DEFINITION_BEFORE);
    io_patterns(mpart, run->patterns);
    return true;
}

static void examine(struct report *report)
{
    struct run *run = calloc(1, sizeof *run);
    if (!run) {
        finding_add(&report->findings, &(struct finding){.fatal = true}, "out of memory for its patterns");
        return;
    }
    if (read_run(report, run)) {
        double busy = 0; /* all types, one after the other */
        for (int totals = 0; totals < 2; totals++)
            for (struct check check = {report, 0}; check.i < report->protocol.record_count; check.i++) {
                const struct io_record *r = protocol_at(&report->protocol, check.i);
                busy += totals && io_record_is_total(r) ? r->t_total : 0;
                check_record(&check, run, totals);
            }
        check_complete(report, run);
        check_run(report, busy);
    }
    free(run);
}

/* ---- the row ---- */

/* Every type and every pattern, for each partition and access method. */
static int items(const struct report *report, struct report_items *items)
{
    const struct protocol *p = &report->protocol;
    int failed = 0;
    for (size_t i = 0; i < p->record_count && !failed; i++) {
        const struct io_record *r = protocol_at(p, i);
        bool total = io_record_is_total(r);
        struct report_item item = {
            .group = total ? "type" : "pattern", .unit = "MB/s", .value = r->t_total > 0 ? r->bandwidth : 0};
        snprintf(item.name, sizeof item.name, "%" PRId64 " processes, %s, %s%s%s", r->processes, r->access,
                 io_type_name((enum io_type)r->type), total ? "" : " ", total ? "" : r->pattern);
        failed = report_item_add(items, &item);
    }
    return failed;
}

static const char *const same[] = {"processes", "access", "type", "pattern", NULL};
static const char *const definition[] = {
    "definition",      "memory_source",      "option_max-bytes",   "option_rewrite",     "option_noshared",
    "option_nounique", "option_keep-caches", "option_drop-caches", "option_shift-reads", "option_reread",
    "option_types",    "option_patterns",    "option_access",      "option_hints",       NULL};
static const char *const system_keys[] = {
    "processes",    "time_s",         "partitions",     "option_path", "option_separated-paths",
    "storage_type", "storage_source", "hints_in_force", NULL};
static const char *const ranked[] = {"b_eff_io", "b_eff_io_write", "b_eff_io_rewrite", "b_eff_io_read", NULL};

const struct report_engine report_beff_io = {.engine = &beff_io_engine,
                                             .examine = examine,
                                             .same = same,
                                             .has_directory = true,
                                             .definition = definition,
                                             .system = system_keys,
                                             .ranked = ranked,
                                             .main = ranked + 1,
                                             .items = items};
