/* The sheet of imb_compat: tables, figures, verdict. Uses record, sheet. */
#include "imb_compat/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats.h"

static const struct imb_record *record_at(const struct protocol *p, size_t i)
{
    return protocol_at(p, i);
}

/* ---- tables: times in microseconds ---- */

#define AT(row, member) offsetof(struct row##_row, member)

struct size_row {
    const char *benchmark, *mode;
    double processes, groups, group, bytes, repetitions, t_min, t_avg, t_max, bandwidth, msg_rate, t_pure,
        t_cpu, overlap, errors;
};

static const struct table_column size_columns[] = {
    {"benchmark", "", CELL_TEXT, 0, AT(size, benchmark)},
    {"mode", "", CELL_TEXT, 0, AT(size, mode)},
    {"processes", "", CELL_INTEGER, 0, AT(size, processes)},
    {"groups", "", CELL_INTEGER, 0, AT(size, groups)},
    {"group", "", CELL_INTEGER, 0, AT(size, group)},
    {"bytes", "B", CELL_INTEGER, 0, AT(size, bytes)},
    {"repetitions", "", CELL_INTEGER, 0, AT(size, repetitions)},
    {"t_min", "microsec", CELL_REAL, 3, AT(size, t_min)},
    {"t_avg", "microsec", CELL_REAL, 3, AT(size, t_avg)},
    {"t_max", "microsec", CELL_REAL, 3, AT(size, t_max)},
    {"bandwidth", "MB/s", CELL_REAL, 3, AT(size, bandwidth)},
    {"msg_rate", "1/s", CELL_REAL, 0, AT(size, msg_rate)},
    {"t_pure", "microsec", CELL_REAL, 3, AT(size, t_pure)},
    {"t_cpu", "microsec", CELL_REAL, 3, AT(size, t_cpu)},
    {"overlap", "%", CELL_REAL, 2, AT(size, overlap)},
    {"errors", "B", CELL_INTEGER, 0, AT(size, errors)}};
enum { SIZE_COLUMNS = sizeof size_columns / sizeof size_columns[0], FIRST_SERIES_COLUMN = 4 };

/* What a benchmark has not got is 0 in the records and no value in tables. */
static double unless_zero(double value)
{
    return value != 0 ? value : NAN;
}

/* The item is a series, or all of them. */
enum { ALL_SERIES = -1 };

static void fill_size(const struct table *table, int number, void *cells)
{
    const struct imb_results *r = table->context;
    const size_t *rows = table->item == ALL_SERIES ? r->row : r->by_series + r->series[table->item].first;
    const struct imb_record *record = record_at(r->sheet.protocol, rows[number]);
    *(struct size_row *)cells = (struct size_row){.benchmark = record->benchmark,
                                                  .mode = record->mode,
                                                  .processes = (double)record->processes,
                                                  .groups = (double)record->groups,
                                                  .group = record->group < 0 ? NAN : (double)record->group,
                                                  .bytes = (double)record->bytes,
                                                  .repetitions = (double)record->repetitions,
                                                  .t_min = 1e6 * record->t_min,
                                                  .t_avg = 1e6 * record->t_avg,
                                                  .t_max = 1e6 * record->t_max,
                                                  .bandwidth = unless_zero(record->bandwidth),
                                                  .msg_rate = unless_zero(record->msg_rate),
                                                  .t_pure = unless_zero(1e6 * record->t_pure),
                                                  .t_cpu = unless_zero(1e6 * record->t_cpu),
                                                  .overlap = record->t_cpu > 0 ? record->overlap : NAN,
                                                  .errors = (double)record->errors};
}

int imb_series_count(const void *results)
{
    return ((const struct imb_results *)results)->series_count;
}

void imb_series_table(const void *results, int series, struct table *table)
{
    const struct imb_results *r = results;
    const struct imb_series *s = &r->series[series];
    bool modeless = strcmp(s->mode, "-") == 0;
    *table = (struct table){.columns = size_columns + FIRST_SERIES_COLUMN,
                            .column_count = SIZE_COLUMNS - FIRST_SERIES_COLUMN,
                            .rows = s->rows,
                            .fill = fill_size,
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

struct spread_row {
    const char *benchmark;
    double processes, bytes, repetitions, least, quarter, median, three_quarters, most;
};

static const struct table_column spread_columns[] = {
    {"benchmark", "", CELL_TEXT, 0, AT(spread, benchmark)},
    {"processes", "", CELL_INTEGER, 0, AT(spread, processes)},
    {"bytes", "B", CELL_INTEGER, 0, AT(spread, bytes)},
    {"repetitions", "", CELL_INTEGER, 0, AT(spread, repetitions)},
    {"least", "microsec", CELL_REAL, 3, AT(spread, least)},
    {"quarter", "microsec", CELL_REAL, 3, AT(spread, quarter)},
    {"median", "microsec", CELL_REAL, 3, AT(spread, median)},
    {"three_quarters", "microsec", CELL_REAL, 3, AT(spread, three_quarters)},
    {"most", "microsec", CELL_REAL, 3, AT(spread, most)}};

static void fill_spread(const struct table *table, int number, void *cells)
{
    const struct imb_results *r = table->context;
    size_t first = r->spread[number].first, n = r->spread[number].count;
    const struct imb_record *from = record_at(r->sheet.protocol, first);
    double *times = calloc(n, sizeof *times);
    for (size_t i = 0; times && i < n; i++)
        times[i] = 1e6 * record_at(r->sheet.protocol, first + i)->t_max;
    n = times ? n : 0;
    *(struct spread_row *)cells = (struct spread_row){.benchmark = from->benchmark,
                                                      .processes = (double)from->processes,
                                                      .bytes = (double)from->bytes,
                                                      .repetitions = (double)n,
                                                      .least = stats_min(times, n),
                                                      .quarter = stats_quantile(times, n, 0.25),
                                                      .median = stats_median(times, n),
                                                      .three_quarters = stats_quantile(times, n, 0.75),
                                                      .most = stats_max(times, n)};
    free(times);
}

/* Whether a record is the repetition after that of the record before it. */
static bool goes_on(const struct imb_record *r, const struct imb_record *before)
{
    return r->repetition == before->repetition + 1 && r->bytes == before->bytes &&
           r->processes == before->processes && strcmp(r->benchmark, before->benchmark) == 0 &&
           strcmp(r->mode, before->mode) == 0;
}

static int find_spreads(struct imb_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    r->spread = calloc(p->record_count - (size_t)r->rows + 1, sizeof *r->spread);
    for (size_t i = 0; r->spread && i < p->record_count; i++)
        if (record_at(p, i)->repetition == 1)
            r->spread[r->spread_count++] = (struct imb_spread){i, 1};
        else if (r->spread_count && record_at(p, i)->repetition > 1 &&
                 goes_on(record_at(p, i), record_at(p, i - 1)))
            r->spread[r->spread_count - 1].count++;
    return r->spread ? 0 : -1;
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
                         TABLE_COLUMNS(size_columns),
                         .rows = (int)r->rows,
                         .fill = fill_size,
                         .item = ALL_SERIES};
    sheet_table(&r->sheet, &rows, r);
    struct table repetitions = {.name = "by_repetition",
                                .title = "By repetition (-raw): time of the slowest process",
                                TABLE_COLUMNS(spread_columns),
                                .rows = r->spread_count,
                                .fill = fill_spread};
    if ((size_t)r->rows < r->sheet.protocol->record_count)
        sheet_table(&r->sheet, &repetitions, r);
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
    if (protocol_is(p, "option_check", "no"))
        sheet_note(&r->sheet, "the data was not checked: -check does that");
    if (protocol_is(p, "more_ranks_than_cores", "yes"))
        sheet_note(&r->sheet, "more processes than cores: some share one");
    if (switches > 0)
        sheet_note(&r->sheet, "%.0f involuntary context switches of all processes", switches);
    const char *note;
    for (size_t i = 0; (note = protocol_next(p, "note", &i));)
        sheet_note(&r->sheet, "%s", note);
}

static void judge(struct imb_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    struct sheet *sheet = &r->sheet;
    double left = stated(p, "left_out", 0), switches = stated(p, "involuntary_switches", NAN);
    const char *end = p->end ? p->end : "its protocol is cut short";
    sheet->errors = r->errors;
    sheet_value(sheet, "rows", "rows", "rows", (double)r->rows, NAN);
    sheet_value(sheet, "errors", "wrong bytes", "B", (double)r->errors, NAN);
    sheet_value(sheet, "left_out", "sizes and tables left out", "tables", left, NAN);
    if (isfinite(switches))
        sheet_value(sheet, "involuntary_switches", "involuntary context switches", "count", switches, NAN);
    sheet_criterion(sheet, r->errors == 0, "no data errors (%" PRId64 " wrong bytes found)", r->errors);
    sheet_criterion(sheet, left == 0, "nothing left out (%.0f sizes or tables)", left);
    sheet_criterion(sheet, protocol_is(p, "oversubscribed", "no"),
                    "not oversubscribed (oversubscribed: %.40s)", protocol_text(p, "oversubscribed"));
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
