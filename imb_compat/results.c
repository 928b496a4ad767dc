/* The sheet of imb_compat: tables, figures, verdict. Uses record, sheet. */
#include "imb_compat/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats.h"

static const char *get(const struct protocol *p, const char *key)
{
    const char *value = protocol_get(p, key);
    return value ? value : "unknown";
}

static const struct imb_record *record_at(const struct protocol *p, size_t i)
{
    return protocol_at(p, i);
}

/* ---- tables: times in microseconds ---- */

static const struct imb_results *results_of(const struct table *table)
{
    return table->context;
}

/* ---- rows: of all, or of the series that is the item ---- */

enum { ALL_SERIES = -1 };

static const struct imb_record *row_at(const struct table *table, int row)
{
    const struct imb_results *r = results_of(table);
    size_t first = table->item == ALL_SERIES ? 0 : r->series[table->item].first;
    const size_t *rows = table->item == ALL_SERIES ? r->row : r->by_series;
    return record_at(r->sheet.protocol, rows[first + (size_t)row]);
}

static const char *row_text(const struct table *table, int row, size_t which, char buffer[CELL_TEXT_SIZE])
{
    (void)buffer;
    return (const char *)row_at(table, row) + which;
}

static double row_integer(const struct table *table, int row, size_t which)
{
    return (double)*(const int64_t *)(const void *)((const char *)row_at(table, row) + which);
}

static double row_group(const struct table *table, int row, size_t which)
{
    double group = row_integer(table, row, which);
    return group < 0 ? NAN : group;
}

static double row_real(const struct table *table, int row, size_t which)
{
    return table_real_at(row_at(table, row), which);
}

static double row_microseconds(const struct table *table, int row, size_t which)
{
    return 1e6 * row_real(table, row, which);
}

/* What a benchmark has not got is 0 in the records and no value in tables. */
static double row_if_any(const struct table *table, int row, size_t which)
{
    double value = row_real(table, row, which);
    return value != 0 ? value : NAN;
}

static double row_microseconds_if_any(const struct table *table, int row, size_t which)
{
    return 1e6 * row_if_any(table, row, which);
}

static double row_overlap(const struct table *table, int row, size_t which)
{
    return row_at(table, row)->t_cpu > 0 ? row_real(table, row, which) : NAN;
}

#define FIELD(member) offsetof(struct imb_record, member)

static const struct table_column row_columns[] = {
    {"benchmark", "", CELL_TEXT, .text = row_text, .which = FIELD(benchmark)},
    {"mode", "", CELL_TEXT, .text = row_text, .which = FIELD(mode)},
    {"processes", "", CELL_INTEGER, 0, row_integer, .which = FIELD(processes)},
    {"groups", "", CELL_INTEGER, 0, row_integer, .which = FIELD(groups)},
    {"group", "", CELL_INTEGER, 0, row_group, .which = FIELD(group)},
    {"bytes", "B", CELL_INTEGER, 0, row_integer, .which = FIELD(bytes)},
    {"repetitions", "", CELL_INTEGER, 0, row_integer, .which = FIELD(repetitions)},
    {"t_min", "microsec", CELL_REAL, 3, row_microseconds, .which = FIELD(t_min)},
    {"t_avg", "microsec", CELL_REAL, 3, row_microseconds, .which = FIELD(t_avg)},
    {"t_max", "microsec", CELL_REAL, 3, row_microseconds, .which = FIELD(t_max)},
    {"bandwidth", "MB/s", CELL_REAL, 3, row_if_any, .which = FIELD(bandwidth)},
    {"msg_rate", "1/s", CELL_REAL, 0, row_if_any, .which = FIELD(msg_rate)},
    {"t_pure", "microsec", CELL_REAL, 3, row_microseconds_if_any, .which = FIELD(t_pure)},
    {"t_cpu", "microsec", CELL_REAL, 3, row_microseconds_if_any, .which = FIELD(t_cpu)},
    {"overlap", "%", CELL_REAL, 2, row_overlap, .which = FIELD(overlap)},
    {"errors", "B", CELL_INTEGER, 0, row_integer, .which = FIELD(errors)}};
enum { ROW_COLUMNS = sizeof row_columns / sizeof row_columns[0], FIRST_SERIES_COLUMN = 4 };

int imb_series_count(const void *results)
{
    const struct imb_results *r = results;
    return r->series_count;
}

void imb_series_table(const void *results, int series, struct table *table)
{
    const struct imb_results *r = results;
    const struct imb_series *s = &r->series[series];
    bool modeless = strcmp(s->mode, "-") == 0;
    *table = (struct table){.columns = row_columns + FIRST_SERIES_COLUMN,
                            .column_count = ROW_COLUMNS - FIRST_SERIES_COLUMN,
                            .rows = s->rows,
                            .context = r,
                            .item = series};
    snprintf(table->name, sizeof table->name, "%s%s%s-%" PRId64 "x%" PRId64, s->benchmark,
             modeless ? "" : "-", modeless ? "" : s->mode, s->groups, s->processes);
    snprintf(table->title, sizeof table->title,
             "%s%s%s, %" PRId64 " processes, %" PRId64 " %s: time of one repetition", s->benchmark,
             modeless ? "" : ", ", modeless ? "" : s->mode, s->processes, s->groups,
             s->groups == 1 ? "group" : "groups");
}

/* ---- -raw: how the repetitions of one row differ ---- */

static const char *spread_benchmark(const struct table *table, int row, size_t which,
                                    char buffer[CELL_TEXT_SIZE])
{
    (void)which, (void)buffer;
    return record_at(results_of(table)->sheet.protocol, results_of(table)->spread[row].first)->benchmark;
}

static double spread_integer(const struct table *table, int row, size_t which)
{
    const struct imb_record *first =
        record_at(results_of(table)->sheet.protocol, results_of(table)->spread[row].first);
    return (double)*(const int64_t *)(const void *)((const char *)first + which);
}

static double spread_value(const struct table *table, int row, size_t which)
{
    return table_real_at(&results_of(table)->spread[row], which);
}

#define SPREAD(member) spread_value, .which = offsetof(struct imb_spread, member)

static const struct table_column spread_columns[] = {
    {"benchmark", "", CELL_TEXT, .text = spread_benchmark},
    {"processes", "", CELL_INTEGER, 0, spread_integer, .which = FIELD(processes)},
    {"bytes", "B", CELL_INTEGER, 0, spread_integer, .which = FIELD(bytes)},
    {"repetitions", "", CELL_INTEGER, 0, SPREAD(repetitions)},
    {"least", "microsec", CELL_REAL, 3, SPREAD(least)},
    {"quarter", "microsec", CELL_REAL, 3, SPREAD(quarter)},
    {"median", "microsec", CELL_REAL, 3, SPREAD(median)},
    {"three_quarters", "microsec", CELL_REAL, 3, SPREAD(three_quarters)},
    {"most", "microsec", CELL_REAL, 3, SPREAD(most)}};

/* How many raw records from `first` on belong together; their times. */
static size_t collect(const struct imb_results *r, size_t first, double *times)
{
    const struct imb_record *from = record_at(r->sheet.protocol, first);
    size_t n = 0, count = r->sheet.protocol->record_count;
    for (; first + n < count; n++) {
        const struct imb_record *next = record_at(r->sheet.protocol, first + n);
        if (next->repetition != (int64_t)n + 1 || next->bytes != from->bytes ||
            next->processes != from->processes || strcmp(next->benchmark, from->benchmark) != 0 ||
            strcmp(next->mode, from->mode) != 0)
            break;
        times[n] = 1e6 * next->t_max;
    }
    return n;
}

/* A spread takes one raw record at least. */
static int find_spreads(struct imb_results *r)
{
    size_t count = r->sheet.protocol->record_count, raw = count - (size_t)r->rows;
    double *times = calloc(raw + 1, sizeof *times);
    r->spread = calloc(raw + 1, sizeof *r->spread);
    for (size_t i = 0, n; times && r->spread && i < count; i += n) {
        n = record_at(r->sheet.protocol, i)->repetition > 0 ? collect(r, i, times) : 0;
        if (n)
            r->spread[r->spread_count++] =
                (struct imb_spread){.first = i,
                                    .repetitions = (double)n,
                                    .least = stats_min(times, n),
                                    .quarter = stats_quantile(times, n, 0.25),
                                    .median = stats_median(times, n),
                                    .three_quarters = stats_quantile(times, n, 0.75),
                                    .most = stats_max(times, n)};
        else
            n = 1;
    }
    int failed = times && r->spread ? 0 : -1;
    free(times);
    return failed;
}

/* ---- series ---- */

static bool belongs(const struct imb_record *r, const struct imb_series *s)
{
    return r->processes == s->processes && r->groups == s->groups &&
           strcmp(r->benchmark, s->benchmark) == 0 && strcmp(r->mode, s->mode) == 0;
}

/* The series of a record, which is added if it is the first one of it; -1 when out of memory. */
static int series_of(struct imb_results *r, const struct imb_record *record)
{
    int s = r->series_count - 1;
    while (s >= 0 && !belongs(record, &r->series[s]))
        s--;
    if (s >= 0)
        return s;
    struct imb_series *grown = realloc(r->series, (size_t)(r->series_count + 1) * sizeof *grown);
    if (!grown)
        return -1;
    r->series = grown;
    struct imb_series *last = &r->series[r->series_count];
    *last = (struct imb_series){.processes = record->processes, .groups = record->groups};
    memcpy(last->benchmark, record->benchmark, sizeof last->benchmark);
    memcpy(last->mode, record->mode, sizeof last->mode);
    return r->series_count++;
}

/* The tables in the order in which they were printed; one that was printed twice is one series. */
static int find_series(struct imb_results *r)
{
    size_t rows = (size_t)r->rows, first = 0;
    r->row = calloc(rows + 1, sizeof *r->row);
    r->by_series = calloc(rows + 1, sizeof *r->by_series);
    int *series = calloc(rows + 1, sizeof *series), failed = r->row && r->by_series && series ? 0 : -1;
    for (size_t i = 0, n = 0; !failed && i < r->sheet.protocol->record_count; i++)
        if (record_at(r->sheet.protocol, i)->repetition == 0) {
            r->row[n] = i;
            series[n] = series_of(r, record_at(r->sheet.protocol, i));
            failed = series[n++] < 0 ? -1 : 0;
        }
    for (int s = 0; !failed && s < r->series_count; s++) {
        r->series[s].first = first;
        for (size_t n = 0; n < rows; n++)
            if (series[n] == s)
                r->by_series[first++] = r->row[n];
        r->series[s].rows = (int)(first - r->series[s].first);
    }
    free(series);
    return failed;
}

static int add_tables(struct imb_results *r, struct message *error)
{
    if (find_series(r) || find_spreads(r))
        return message_set(error, "out of memory for the tables");
    struct table rows = {.name = "by_size",
                         .title = "By benchmark, number of processes and size: time of one repetition",
                         TABLE_COLUMNS(row_columns),
                         .rows = (int)r->rows,
                         .context = r,
                         .item = ALL_SERIES};
    sheet_table(&r->sheet, &rows);
    struct table repetitions = {.name = "by_repetition",
                                .title = "By repetition (-raw): time of the slowest process",
                                TABLE_COLUMNS(spread_columns),
                                .rows = r->spread_count,
                                .context = r};
    if ((size_t)r->rows < r->sheet.protocol->record_count)
        sheet_table(&r->sheet, &repetitions);
    return 0;
}

/* ---- figures, verdict ---- */

/* A result that does not follow from the records; `otherwise` if the protocol has none. */
static double stated(const struct protocol *p, const char *name, double otherwise)
{
    for (size_t i = 0; i < p->result_count; i++)
        if (strcmp(p->results[i].name, name) == 0)
            otherwise = p->results[i].value;
    return otherwise;
}

/* Hints, and the notes of the text. */
static void add_notes(struct imb_results *r, double switches)
{
    const struct protocol *p = r->sheet.protocol;
    if (strcmp(get(p, "option_check"), "no") == 0)
        sheet_note(&r->sheet, "the data was not checked: -check does that");
    if (strcmp(get(p, "more_ranks_than_cores"), "yes") == 0)
        sheet_note(&r->sheet, "more processes than cores: some share one");
    if (switches > 0)
        sheet_note(&r->sheet, "%.0f involuntary context switches of all processes", switches);
    for (size_t i = 0; i < p->meta_count; i++)
        if (strcmp(p->meta[i].key, "note") == 0)
            sheet_note(&r->sheet, "%s", p->meta[i].value);
}

static void judge(struct imb_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    struct sheet *sheet = &r->sheet;
    double left = stated(p, "left_out", 0), switches = stated(p, "involuntary_switches", NAN);
    const char *end = p->end ? p->end : "its protocol is cut short";
    sheet_value(sheet, "rows", "rows", "rows", (double)r->rows, NAN);
    sheet_value(sheet, "errors", "wrong bytes", "B", (double)r->errors, NAN);
    sheet_value(sheet, "left_out", "sizes and tables left out", "tables", left, NAN);
    if (isfinite(switches))
        sheet_value(sheet, "involuntary_switches", "involuntary context switches", "count", switches, NAN);
    sheet_criterion(sheet, r->errors == 0, "no data errors (%" PRId64 " wrong bytes found)", r->errors);
    sheet_criterion(sheet, left == 0, "nothing left out (%.0f sizes or tables)", left);
    sheet_criterion(sheet, strcmp(get(p, "oversubscribed"), "no") == 0,
                    "not oversubscribed (oversubscribed: %.40s)", get(p, "oversubscribed"));
    sheet_criterion(sheet, strcmp(end, "complete") == 0, "the run came to its end (%.100s)", end);
    add_notes(r, switches);
    snprintf(sheet->headline, sizeof sheet->headline, "%" PRId64 " rows, %.200s", r->rows, end);
    snprintf(sheet->interval_note, sizeof sheet->interval_note,
             "imb_compat rates nothing: there is no interval");
}

int imb_results_make(void *results, const struct protocol *protocol, struct message *error)
{
    struct imb_results *r = results;
    *r = (struct imb_results){
        .sheet = {.protocol = protocol, .headline_name = "rows", .interval = {NAN, NAN}}};
    for (size_t i = 0; i < protocol->record_count; i++) {
        const struct imb_record *record = record_at(protocol, i);
        if (record->repetition != 0)
            continue;
        r->rows++;
        if (__builtin_add_overflow(r->errors, record->errors, &r->errors))
            return message_set(error, "the records have more wrong bytes than can be");
    }
    judge(r);
    return add_tables(r, error) || sheet_check(&r->sheet, error) ? -1 : 0;
}

void imb_results_free(void *results)
{
    struct imb_results *r = results;
    free(r->series);
    free(r->row);
    free(r->by_series);
    free(r->spread);
    sheet_free(&r->sheet);
}
