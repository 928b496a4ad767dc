/* The sheet of imb_compat. Uses record, sheet. */
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

/* ---- series ---- */

static bool belongs(const struct imb_record *r, const struct imb_series *s)
{
    return r->processes == s->processes && r->groups == s->groups &&
           strcmp(r->benchmark, s->benchmark) == 0 && strcmp(r->mode, s->mode) == 0;
}

/* The tables in the order in which they were printed; one that was printed twice is one series. */
static int find_series(struct imb_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    for (size_t i = 0; i < p->record_count; i++) {
        const struct imb_record *record = record_at(p, i);
        int s = r->series_count - 1;
        while (s >= 0 && !belongs(record, &r->series[s]))
            s--;
        if (s >= 0)
            continue;
        struct imb_series *grown = realloc(r->series, (size_t)(r->series_count + 1) * sizeof *grown);
        if (!grown)
            return -1;
        r->series = grown;
        struct imb_series *last = &r->series[r->series_count++];
        *last = (struct imb_series){.processes = record->processes, .groups = record->groups};
        memcpy(last->benchmark, record->benchmark, sizeof last->benchmark);
        memcpy(last->mode, record->mode, sizeof last->mode);
    }
    return 0;
}

/* ---- tables ---- */

static const struct table_column row_columns[] = {
    {"benchmark", "", CELL_TEXT, 0},      {"mode", "", CELL_TEXT, 0},
    {"processes", "", CELL_INTEGER, 0},   {"groups", "", CELL_INTEGER, 0},
    {"group", "", CELL_INTEGER, 0},       {"bytes", "B", CELL_INTEGER, 0},
    {"repetitions", "", CELL_INTEGER, 0}, {"t_min", "microsec", CELL_REAL, 3},
    {"t_avg", "microsec", CELL_REAL, 3},  {"t_max", "microsec", CELL_REAL, 3},
    {"bandwidth", "MB/s", CELL_REAL, 3},  {"msg_rate", "1/s", CELL_REAL, 0},
    {"t_pure", "microsec", CELL_REAL, 3}, {"t_cpu", "microsec", CELL_REAL, 3},
    {"overlap", "%", CELL_REAL, 2},       {"errors", "B", CELL_INTEGER, 0}};
enum { ROW_COLUMNS = sizeof row_columns / sizeof row_columns[0], FIRST_SERIES_COLUMN = 4 };

/* What a benchmark has not got is 0 in the records and no value in tables. */
static double unless_zero(double value)
{
    return value != 0 ? value : NAN;
}

/* All columns behind the number of groups. */
static void fill_row(const struct imb_record *r, struct cell *cells)
{
    const double numbers[] = {r->group < 0 ? NAN : (double)r->group,
                              (double)r->bytes,
                              (double)r->repetitions,
                              1e6 * r->t_min,
                              1e6 * r->t_avg,
                              1e6 * r->t_max,
                              unless_zero(r->bandwidth),
                              unless_zero(r->msg_rate),
                              unless_zero(1e6 * r->t_pure),
                              unless_zero(1e6 * r->t_cpu),
                              r->t_cpu > 0 ? r->overlap : NAN,
                              (double)r->errors};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        cells[i].number = numbers[i];
}

static void add_rows(struct imb_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    struct table *table = &r->sheet.tables[r->sheet.table_count++];
    table_start(table, "by_size", "By benchmark, number of processes and size: time of one repetition",
                row_columns, ROW_COLUMNS);
    for (size_t i = 0; i < p->record_count; i++) {
        const struct imb_record *record = record_at(p, i);
        struct cell *row = record->repetition == 0 ? table_row(table) : NULL;
        if (!row)
            continue;
        snprintf(row[0].text, sizeof row[0].text, "%s", record->benchmark);
        snprintf(row[1].text, sizeof row[1].text, "%s", record->mode);
        row[2].number = (double)record->processes;
        row[3].number = (double)record->groups;
        fill_row(record, &row[FIRST_SERIES_COLUMN]);
    }
}

/* One row for the raw records from `first` on, which belong together; returns how many they are. */
static size_t add_spread(const struct protocol *p, size_t first, double *times, struct table *table)
{
    const struct imb_record *from = record_at(p, first);
    size_t n = 0;
    for (const struct imb_record *r; first + n < p->record_count; n++) {
        r = record_at(p, first + n);
        if (r->repetition != (int64_t)n + 1 || r->bytes != from->bytes || r->processes != from->processes ||
            strcmp(r->benchmark, from->benchmark) != 0 || strcmp(r->mode, from->mode) != 0)
            break;
        times[n] = 1e6 * r->t_max;
    }
    struct cell *row = n ? table_row(table) : NULL;
    if (!row)
        return n ? n : 1;
    snprintf(row[0].text, sizeof row[0].text, "%s", from->benchmark);
    row[1].number = (double)from->processes;
    row[2].number = (double)from->bytes;
    row[3].number = (double)n;
    row[4].number = stats_min(times, n);
    row[5].number = stats_quantile(times, n, 0.25);
    row[6].number = stats_median(times, n);
    row[7].number = stats_quantile(times, n, 0.75);
    row[8].number = stats_max(times, n);
    return n;
}

/* -raw: how the repetitions of one row differ. */
static void add_repetitions(struct imb_results *r)
{
    static const struct table_column columns[] = {
        {"benchmark", "", CELL_TEXT, 0},      {"processes", "", CELL_INTEGER, 0},
        {"bytes", "B", CELL_INTEGER, 0},      {"repetitions", "", CELL_INTEGER, 0},
        {"least", "microsec", CELL_REAL, 3},  {"quarter", "microsec", CELL_REAL, 3},
        {"median", "microsec", CELL_REAL, 3}, {"three_quarters", "microsec", CELL_REAL, 3},
        {"most", "microsec", CELL_REAL, 3}};
    const struct protocol *p = r->sheet.protocol;
    if ((size_t)r->rows == p->record_count)
        return;
    double *times = calloc(p->record_count, sizeof *times);
    struct table *table = &r->sheet.tables[r->sheet.table_count++];
    table_start(table, "by_repetition", "By repetition (-raw): time of the slowest process", columns,
                sizeof columns / sizeof columns[0]);
    for (size_t i = 0; times && i < p->record_count;)
        i += record_at(p, i)->repetition > 0 ? add_spread(p, i, times, table) : 1;
    free(times);
}

int imb_series_count(const void *results)
{
    return ((const struct imb_results *)results)->series_count;
}

void imb_series_table(const void *results, int series, struct table *table)
{
    const struct imb_results *r = results;
    const struct imb_series *s = &r->series[series];
    const struct protocol *p = r->sheet.protocol;
    char name[112], title[160];
    bool modeless = strcmp(s->mode, "-") == 0;
    snprintf(name, sizeof name, "%s%s%s-%" PRId64 "x%" PRId64, s->benchmark, modeless ? "" : "-",
             modeless ? "" : s->mode, s->groups, s->processes);
    snprintf(title, sizeof title, "%s%s%s, %" PRId64 " processes, %" PRId64 " %s: time of one repetition",
             s->benchmark, modeless ? "" : ", ", modeless ? "" : s->mode, s->processes, s->groups,
             s->groups == 1 ? "group" : "groups");
    table_start(table, name, title, row_columns + FIRST_SERIES_COLUMN, ROW_COLUMNS - FIRST_SERIES_COLUMN);
    for (size_t i = 0; i < p->record_count; i++) {
        const struct imb_record *record = record_at(p, i);
        struct cell *row = record->repetition == 0 && belongs(record, s) ? table_row(table) : NULL;
        if (row)
            fill_row(record, row);
    }
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

/* Hints, and the notes of the text as far as there is room. */
static void add_notes(struct imb_results *r, double switches)
{
    const struct protocol *p = r->sheet.protocol;
    size_t more = 0;
    if (strcmp(get(p, "option_check"), "no") == 0)
        sheet_note(&r->sheet, "the data was not checked: -check does that");
    if (strcmp(get(p, "more_ranks_than_cores"), "yes") == 0)
        sheet_note(&r->sheet, "more processes than cores: some share one");
    if (switches > 0)
        sheet_note(&r->sheet, "%.0f involuntary context switches of all processes", switches);
    for (size_t i = 0; i < p->meta_count; i++) {
        if (strcmp(p->meta[i].key, "note") != 0)
            continue;
        if (r->sheet.note_count < SHEET_MOST_NOTES - 1)
            sheet_note(&r->sheet, "%s", p->meta[i].value);
        else
            more++;
    }
    if (more)
        sheet_note(&r->sheet, "%zu more notes: all of them are in the protocol", more);
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
    if (find_series(r))
        return message_set(error, "out of memory for the tables");
    judge(r);
    add_rows(r);
    add_repetitions(r);
    return 0;
}

void imb_results_free(void *results)
{
    struct imb_results *r = results;
    free(r->series);
    sheet_free(&r->sheet);
}
