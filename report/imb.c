/* Checks the protocols of imb_compat against the formulas of the benchmarks and the command line, draws their
 * pictures, and makes the items for compare. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/checksum.h"
#include "common/memory.h"
#include "imb_compat/results.h"
#include "report/escape.h"
#include "report/pictures.h"

struct imb_check {
    struct imb_settings settings; /* only component, compat, window_size and team are set */
    int64_t processes;
};

/* Checks the computed columns against the formulas of the benchmark. */
static void check_formulas(const struct check *check, const struct imb_check *run, const struct imb_record *r,
                           const struct imb_benchmark *benchmark)
{
    double messages = imb_messages(&run->settings, benchmark, (int)r->processes);
    double rate = r->t_max > 0 ? messages / r->t_max : 0;
    bool overlapped = benchmark->columns == IMB_COLUMNS_OVERLAP;
    check_follows(check, "bandwidth", r->bandwidth, rate * (double)r->bytes / run->settings.team / 1e6);
    check_follows(check, "msg_rate", r->msg_rate, imb_has_messages(benchmark) ? rate : 0);
    check_follows(
        check, "overlap", r->overlap,
        overlapped ? imb_overlap(r->t_max, r->t_pure, r->t_cpu, (enum imb_release)run->settings.compat) : 0);
}

static void check_record(const struct check *check, const struct imb_check *run)
{
    const struct imb_record *r = protocol_at(&check->report->protocol, check->i);
    const struct imb_benchmark *benchmark = imb_benchmark_find(run->settings.component, r->benchmark);
    const struct check_range ranges[] = {{"processes", 1, run->processes},
                                         {"groups", 1, r->processes > 0 ? run->processes / r->processes : 0},
                                         {"group", -1, r->groups > 0 ? r->groups - 1 : -1},
                                         {"repetitions", 1, CHECK_MAX},
                                         {NULL, 0, 0}};
    bool good = check_columns(check, ranges);
    if (!benchmark)
        check_fail(check, true, "unknown benchmark of %s: %s", imb_component_name(run->settings.component),
                   r->benchmark);
    if (!benchmark || !good)
        return;
    check_order(check, r->t_min, r->t_avg, r->t_max);
    check_formulas(check, run, r, benchmark);
}

/* ---- the rows that the command line requires ---- */

enum {
    SKIPPED_MAX = 10000000, /* the check of a partial run ends after this number of missing rows */
    EQUAL_MIN = 5           /* equal times of at least this number of repetitions are a fault */
};
#define RESOLUTIONS_MIN 30 /* equal times are a fault only if they exceed this multiple of the resolution */

struct replay {
    struct report *report;
    double resolution; /* clock resolution in seconds; NaN: unknown */
    size_t next;       /* index of the next record to take */
    int64_t skipped;
    bool failed;
};

static bool is_of_size(const struct imb_record *r, const struct imb_record *size)
{
    return r->processes == size->processes && r->groups == size->groups && r->bytes == size->bytes &&
           strcmp(r->benchmark, size->benchmark) == 0 && strcmp(r->mode, size->mode) == 0;
}

/* Writes benchmark, mode, groups, processes and size of a row. */
static void describe(const struct imb_record *r, char *text, size_t size)
{
    char group[32] = "";
    bool modeless = strcmp(r->mode, "-") == 0;
    if (r->group >= 0)
        snprintf(group, sizeof group, " group %" PRId64, r->group);
    snprintf(text, size, "%s%s%s %" PRId64 "x%" PRId64 "%s %" PRId64 " B", r->benchmark, modeless ? "" : " ",
             modeless ? "" : r->mode, r->groups, r->processes, group, r->bytes);
}

/* Takes the next record if it is this row. Otherwise, counts the row as skipped and, if the run is complete,
 * adds a finding. */
static void take_row(struct replay *replay, const struct imb_record *wanted)
{
    const struct protocol *p = &replay->report->protocol;
    const struct imb_record *found = replay->next < p->record_count ? protocol_at(p, replay->next) : NULL;
    char row[96];
    if (found && found->repetition == 0 && found->group == wanted->group && is_of_size(found, wanted)) {
        replay->next++;
        return;
    }
    replay->skipped++;
    if (!protocol_is_complete(p))
        return;
    replay->failed = true;
    describe(wanted, row, sizeof row);
    if (found)
        check_fail(&(struct check){replay->report, replay->next}, false,
                   "unexpected row: the command line requires %s here", row);
    else
        REPORT_FAULT(replay->report, "rows that the command line requires are missing, from %s on", row);
}

/* Takes the repetitions of the size whose last row was just taken. Checks that t_avg of the row is the mean
 * of their times. */
static void take_repetitions(struct replay *replay, const struct imb_table *table)
{
    const struct check check = {replay->report, replay->next - 1};
    const struct protocol *p = &replay->report->protocol;
    const struct imb_record *row = protocol_at(p, check.i), *first = row + 1, *one = first;
    const size_t left = p->record_count - replay->next;
    bool equal = true;
    double sum = 0;
    int64_t n = 0;
    for (; n < (int64_t)left && one->repetition == n + 1 && is_of_size(one, row); n++, one++) {
        equal =
            equal && one->t_min == first->t_min && one->t_avg == first->t_avg && one->t_max == first->t_max;
        sum += one->t_avg;
    }
    replay->next += (size_t)n;
    bool raw = table->settings->raw && !table->completed_together;
    if (n != (raw ? row->repetitions : 0))
        check_fail(&check, false, "%" PRId64 " repetitions follow instead of %" PRId64, n,
                   raw ? row->repetitions : 0);
    else if (n && row->group < 0) {
        double mean = sum / (double)n;
        if (!(fabs(row->t_avg - mean) <= 1e-6 * mean + 1e-12))
            check_fail(&check, false, "t_avg = %.9g, but the mean of its repetitions is %.9g", row->t_avg,
                       mean);
    }
    if (equal && n >= EQUAL_MIN && first->t_max > RESOLUTIONS_MIN * replay->resolution)
        check_fail(&check, false, "all %" PRId64 " repetitions took exactly the same time", n);
}

static void take_table(struct replay *replay, const struct imb_table *table, const struct imb_sizes *listed)
{
    const bool apart = table->settings->multi > 0;
    struct imb_record row = {.processes = table->groups.size, .groups = table->groups.count};
    struct imb_sizes sizes;
    snprintf(row.benchmark, sizeof row.benchmark, "%s", table->benchmark->name);
    snprintf(row.mode, sizeof row.mode, "%s", imb_mode_names[table->mode]);
    imb_sizes_make(&sizes, table, listed);
    for (int i = 0; i < sizes.count; i++) {
        const size_t before = replay->next;
        row.bytes = sizes.bytes[i];
        for (int g = 0; g < (apart ? row.groups : 1) && !replay->failed && replay->skipped < SKIPPED_MAX;
             g++) {
            row.group = apart ? g : -1;
            take_row(replay, &row);
        }
        if (replay->next > before)
            take_repetitions(replay, table);
    }
    free(sizes.bytes);
}

/* Compares the records with the rows that the command line requires, in their order. */
static void replay(struct report *report, const void *settings)
{
    struct imb_settings s = *(const struct imb_settings *)settings;
    struct replay r = {report, protocol_number(&report->protocol, "clock_resolution_s"), 0, 0, false};
    struct imb_selection selection;
    struct imb_sizes listed = {0};
    struct imb_tables tables = {0};
    struct message error;
    int processes = (int)strtol(report_meta(report, "processes"), NULL, 10);
    s.team = *report_meta(report, "threads") ? (int)strtol(report_meta(report, "threads"), NULL, 10) : 1;
    if (s.input || s.msglen) {
        texts_add(&report->unchecked, "whether the rows match %.100s", s.input ? s.input : s.msglen);
        return;
    }
    if (imb_processes_fit(&s, processes, &error) || imb_selection_make(&selection, &s, NULL, &error) ||
        imb_sizes_listed(&listed, &s, NULL, &error)) {
        REPORT_FAULT(report, "invalid command line: %s", error.text);
    } else {
        imb_tables_make(&tables, &s, &selection, processes);
        for (size_t i = 0; i < tables.count && !r.failed; i++)
            if (tables.table[i].groups.size)
                take_table(&r, &tables.table[i], &listed);
        if (!r.failed && r.skipped < SKIPPED_MAX && r.next < report->protocol.record_count)
            check_fail(&(struct check){report, r.next}, false,
                       "unexpected row: the command line requires no more rows");
    }
    free(selection.benchmarks);
    free(listed.bytes);
    free(tables.table);
}

static void examine(struct report *report)
{
    struct imb_check run = {
        .settings = {.component = imb_component_find(report_meta(report, "component")),
                     .compat = protocol_is(&report->protocol, "option_compat", "3.0") ? IMB_30 : IMB_2021,
                     .window_size = 1,
                     .team = 1}};
    if (run.settings.component == IMB_COMPONENTS) {
        REPORT_FATAL(report, "unknown component: \"%.60s\"", report_meta(report, "component"));
        return;
    }
    int64_t threads = 1;
    if ((*report_meta(report, "threads") && !check_metadata(report, "threads", 1, INT32_MAX, &threads)) ||
        !check_metadata(report, "processes", 1, INT32_MAX, &run.processes) ||
        (*report_meta(report, "option_window_size") &&
         !check_metadata(report, "option_window_size", 1, INT32_MAX, &run.settings.window_size)))
        return;
    run.settings.team = (int)threads;
    double busy = 0;
    for (struct check check = {report, 0}; check.i < report->protocol.record_count; check.i++) {
        const struct imb_record *r = protocol_at(&report->protocol, check.i);
        check_record(&check, &run);
        if (r->repetition == 0 && r->group <= 0) /* groups measure at the same time */
            busy += r->t_max * (double)r->repetitions;
    }
    check_run(report, busy);
}

/* ---- pictures: one for each benchmark, with a block for each number of processes and mode ---- */

enum { MAX_BENCHMARKS = 64 };

static const struct imb_record *row_at(const struct imb_results *r, const struct imb_series *s, int i)
{
    return protocol_at(r->sheet.protocol, s->row[i]);
}

/* Returns true if the benchmark has rows with a size above 0. Without such rows, it has one row for each
 * number of processes. */
static bool has_sizes(const struct imb_results *r, const char *benchmark)
{
    for (int s = 0; s < r->series_count; s++)
        for (int i = 0; i < r->series[s].rows && strcmp(r->series[s].benchmark, benchmark) == 0; i++)
            if (row_at(r, &r->series[s], i)->bytes > 0)
                return true;
    return false;
}

static void put_block(const struct imb_series *s, bool sized, bool first, FILE *out)
{
    char text[COLUMN_TEXT_SIZE + 96], groups[40] = "";
    bool modeless = strcmp(s->mode, "-") == 0;
    if (s->groups > 1)
        snprintf(groups, sizeof groups, "%" PRId64 " groups of ", s->groups);
    if (sized)
        snprintf(text, sizeof text, "%s%" PRId64 " process%s%s%s", groups, s->processes,
                 TEXT_ES(s->processes), modeless ? "" : ", ", modeless ? "" : s->mode);
    else
        snprintf(text, sizeof text, "all processes%s%s", modeless ? "" : ", ", modeless ? "" : s->mode);
    fputs(first ? "" : "\n\n", out);
    escape_data(text, out);
    fputc('\n', out);
}

/* Writes a row, with "-" for values that the benchmark does not report: for the times if t_avg is 0, for
 * bandwidth and message rate if they are 0, and for the overlap if t_cpu is 0. */
static void put_row(const struct imb_record *r, FILE *out)
{
    double unit = r->t_avg > 0 ? 1e6 : NAN;
    const double numbers[] = {unit * r->t_avg,
                              unit * r->t_min,
                              unit * r->t_max,
                              r->bandwidth > 0 ? r->bandwidth : NAN,
                              r->msg_rate > 0 ? r->msg_rate : NAN,
                              r->t_cpu > 0 ? r->overlap : NAN};
    fprintf(out, "%" PRId64 " %" PRId64, r->bytes, r->processes);
    picture_numbers(numbers, sizeof numbers / sizeof numbers[0], out);
    fputc('\n', out);
}

static void add_benchmark(struct drawing *drawing, const struct imb_results *r, const char *benchmark)
{
    const struct imb_series *last = NULL;
    bool sized = has_sizes(r, benchmark);
    FILE *out =
        picture_start(drawing, "imb", benchmark, benchmark, benchmark); /* names have only letters and _ */
    fputs("# bytes processes t_avg t_min t_max (microsec) MB/s messages/s overlap (%)\n", out);
    for (int s = 0; s < r->series_count; s++) {
        const struct imb_series *series = &r->series[s];
        if (strcmp(series->benchmark, benchmark) != 0)
            continue;
        if (sized || !last || strcmp(last->mode, series->mode) != 0)
            put_block(series, sized, !last, out);
        last = series;
        for (int i = 0; i < series->rows; i++)
            put_row(row_at(r, series, i), out);
    }
    memory_stream_end(out);
}

static void pictures(struct drawing *drawing, const struct report *report)
{
    const struct imb_results *r = (const void *)report->sheet;
    const char *known[MAX_BENCHMARKS];
    int count = 0;
    for (int s = 0; s < r->series_count && count < MAX_BENCHMARKS; s++) {
        const char *benchmark = r->series[s].benchmark;
        if (text_find(known, count, benchmark) == count) {
            known[count++] = benchmark;
            add_benchmark(drawing, r, benchmark);
        }
    }
}

/* ---- items ---- */

/* Adds the geometric mean of all times, which is used as the rating because imb_compat has none. */
static void add_mean(const struct report *report, struct report_items *items)
{
    const struct protocol *p = &report->protocol;
    struct report_item item = {.group = REPORT_RATING, .unit = "microsec", .less_is_better = true};
    double sum = 0;
    size_t n = 0;
    uint64_t checksum = CHECKSUM_START;
    for (size_t i = 0; i < p->record_count; i++) {
        const struct imb_record *r = protocol_at(p, i);
        if (r->repetition == 0 && r->t_max > 0) {
            char row[96];
            describe(r, row, sizeof row);
            checksum = checksum_add(checksum, row, strlen(row) + 1);
            sum += log(1e6 * r->t_max);
            n++;
        }
    }
    item.value = n ? exp(sum / (double)n) : 0;
    item.rows = checksum;
    snprintf(item.name, sizeof item.name, "logavg of the times of %zu rows", n);
    report_item_add(items, &item);
}

/* Adds the mean, and the time of each row. */
static void items(const struct report *report, struct report_items *items)
{
    const struct protocol *p = &report->protocol;
    add_mean(report, items);
    for (size_t i = 0; i < p->record_count; i++) {
        const struct imb_record *r = protocol_at(p, i);
        struct report_item item = {
            .group = "time", .unit = "microsec", .value = 1e6 * r->t_max, .less_is_better = true};
        describe(r, item.name, sizeof item.name);
        if (r->repetition == 0)
            report_item_add(items, &item);
    }
}

static double sample(const void *record, uint64_t *cell, uint64_t *group)
{
    const struct imb_record *r = record;
    const int64_t numbers[] = {r->processes, r->groups, r->group, r->bytes, r->repetition > 0};
    *group = checksum_add(*group, r->benchmark, strlen(r->benchmark) + 1);
    *group = checksum_add(*group, r->mode, strlen(r->mode) + 1);
    *cell = checksum_add(*group, numbers, sizeof numbers);
    return r->t_max;
}

const struct report_engine report_imb = {.engine = &imb_engine,
                                         .examine = examine,
                                         .replay = replay,
                                         .sample = sample,
                                         .items = items,
                                         .pictures = pictures};
