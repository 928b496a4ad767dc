#include "imb_compat/results.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/space.h"

#define UNEQUAL 0.01

#define COLUMN(kind, name, min)   COLUMN_OF(imb_record, kind, name, min, COLUMN_MAX, false)
#define OPTIONAL(kind, name, min) COLUMN_OF(imb_record, kind, name, min, COLUMN_MAX, true)

static const struct column columns[] = {
    COLUMN(WORD, benchmark, 0),        COLUMN(WORD, mode, 0),          COLUMN(INTEGER, processes, 1),
    COLUMN(INTEGER, groups, 1),        OPTIONAL(INTEGER, group, -1),   COLUMN(INTEGER, bytes, 0),
    OPTIONAL(INTEGER, repetitions, 1), COLUMN(INTEGER, repetition, 0), OPTIONAL(REAL, t_min, 0),
    OPTIONAL(REAL, t_avg, 0),          COLUMN(REAL, t_max, 0),         OPTIONAL(REAL, bandwidth, 0),
    OPTIONAL(REAL, msg_rate, 0),       OPTIONAL(REAL, t_pure, 0),      OPTIONAL(REAL, t_cpu, 0),
    OPTIONAL(REAL, overlap, 0),        COLUMN(INTEGER, errors, 0)};

static const struct metadata_row keys[] = {
    {"component", METADATA_TEXT, METADATA_DEFINES},
    {"threads", METADATA_INTEGER, METADATA_DEFINES},
    {"hints_in_force", METADATA_TEXT, METADATA_REPEATS | METADATA_EXPLAINS},
    {"info", METADATA_TEXT, METADATA_REPEATS | METADATA_DEFINES},
};

static const struct metadata metadata = {keys, sizeof keys / sizeof keys[0], &imb_options};

static const struct record_table tables[] = {SPACE_TABLE};

const struct record_type imb_record_type = {
    .program = "imb_compat",
    .records = RECORD_TABLE("records", columns, struct imb_record),
    .metadata = &metadata,
    .tables = tables,
    .table_count = 1,
};

double imb_overlap(double overlapped, double pure, double cpu, enum imb_release release)
{
    double divisor = release == IMB_30 ? fmin(pure, cpu) : fmax(pure, cpu);
    if (!(divisor > 0))
        return 0;
    return 100 * fmin(1, fmax(0, (pure + cpu - overlapped) / divisor));
}

bool imb_overlap_is_meaningful(double pure, double cpu)
{
    return fmin(pure, cpu) >= UNEQUAL * fmax(pure, cpu);
}

double imb_parts(const struct imb_settings *settings, const struct imb_benchmark *benchmark)
{
    double parts = benchmark->flags & IMB_ROUND_TRIP ? 2 : 1;
    if (benchmark->columns == IMB_COLUMNS_BAND)
        parts *= (double)settings->window_size;
    return benchmark->component == IMB_P2P && parts == 1 ? benchmark->rate : parts;
}

bool imb_has_messages(const struct imb_benchmark *benchmark)
{
    return benchmark->columns == IMB_COLUMNS_MESSAGES || benchmark->columns == IMB_COLUMNS_MEAN ||
           benchmark->columns == IMB_COLUMNS_BAND;
}

double imb_messages(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                    int group_size)
{
    if (benchmark->class == IMB_CLASS_ONE_TO_ALL && group_size == 1)
        return 0;
    if (benchmark->component == IMB_P2P)
        return (double)benchmark->rate * group_size / imb_parts(settings, benchmark);
    double messages = (double)benchmark->rate * settings->team;
    if (imb_has_messages(benchmark))
        messages *= group_size / 2; /* pairs */
    return benchmark->columns == IMB_COLUMNS_MESSAGES ? messages * (double)settings->window_size : messages;
}

struct imb_record imb_record_make(const struct imb_table *table, const struct imb_share *shares, int count,
                                  int64_t bytes, int64_t repetitions)
{
    const struct imb_benchmark *benchmark = table->benchmark;
    const struct imb_share *slowest = shares;
    double min = INFINITY, sum = 0;
    int timed = 0;
    struct imb_record record = {.processes = table->groups.size,
                                .groups = table->groups.count,
                                .group = -1,
                                .bytes = bytes,
                                .repetitions = repetitions};
    snprintf(record.benchmark, sizeof record.benchmark, "%s", benchmark->name);
    snprintf(record.mode, sizeof record.mode, "%s", imb_mode_names[table->mode]);
    for (int i = 0; i < count; i++) {
        if (benchmark->columns == IMB_COLUMNS_PASSIVE) /* only origins have this time */
            record.t_pure = fmax(record.t_pure, shares[i].pure);
        record.errors += (int64_t)shares[i].defects;
        if (shares[i].seconds < 0)
            continue;
        min = fmin(min, shares[i].seconds);
        sum += shares[i].seconds;
        timed++;
        if (shares[i].seconds > slowest->seconds)
            slowest = &shares[i];
    }
    record.t_min = timed ? min : 0;
    record.t_avg = timed ? sum / timed : 0;
    record.t_max = timed ? slowest->seconds : 0;
    if (benchmark->columns == IMB_COLUMNS_OVERLAP) {
        record.t_pure = slowest->pure;
        record.t_cpu = slowest->cpu;
        record.overlap = imb_overlap(slowest->seconds, slowest->pure, slowest->cpu,
                                     (enum imb_release)table->settings->compat);
    }
    if (record.t_max > 0) {
        double rate = imb_messages(table->settings, benchmark, table->groups.size) / record.t_max;
        record.bandwidth = rate * (double)bytes / table->settings->team / 1e6;
        record.msg_rate = imb_has_messages(benchmark) ? rate : 0;
    }
    return record;
}

/* ---- tables ---- */

#define AT(member)   offsetof(struct imb_record, member)
#define TIME(member) COLUMN_REAL, 3, AT(member), 1e6

/* In columns with a minimum, 0 means that the benchmark does not have this value. */
static const struct column size_columns[] = {
    {"benchmark", "", COLUMN_WORD, 0, AT(benchmark), .role = COLUMN_KEY},
    {"mode", "", COLUMN_WORD, 0, AT(mode), .role = COLUMN_KEY},
    {"processes", "", COLUMN_INTEGER, 0, AT(processes), .role = COLUMN_KEY},
    {"groups", "", COLUMN_INTEGER, 0, AT(groups)},
    {"group", "", COLUMN_INTEGER, 0, AT(group), .role = COLUMN_KEY},
    {"bytes", "B", COLUMN_INTEGER, 0, AT(bytes), .role = COLUMN_KEY},
    {"repetitions", "", COLUMN_INTEGER, 0, AT(repetitions)},
    {"time_min_us", "microsec", TIME(t_min)},
    {"time_avg_us", "microsec", TIME(t_avg)},
    {"time_max_us", "microsec", TIME(t_max), .role = COLUMN_LOWER},
    {"bandwidth", "MB/s", COLUMN_REAL, 3, AT(bandwidth), .min = DBL_MIN},
    {"msg_rate", "1/s", COLUMN_REAL, 0, AT(msg_rate), .min = DBL_MIN},
    {"time_pure_us", "microsec", TIME(t_pure), .min = DBL_MIN},
    {"time_cpu_us", "microsec", TIME(t_cpu), .min = DBL_MIN},
    {"overlap", "%", COLUMN_REAL, 2, AT(overlap)},
    {"errors", "B", COLUMN_INTEGER, 0, AT(errors)}};

static bool is_checked(const struct protocol *p)
{
    return protocol_is(p, "option_check", "yes");
}

static void fill_size(const struct table *table, int number, void *cells)
{
    const struct imb_results *r = table->context;
    TABLE_FITS(struct imb_record);
    struct imb_record *row = cells;
    *row = *(const struct imb_record *)protocol_at(r->sheet.protocol, r->row[number]);
    row->overlap = row->t_cpu > 0 ? row->overlap : NAN; /* an overlap of 0 % is a result */
    if (row->errors == 0 && !is_checked(r->sheet.protocol))
        row->errors = -1; /* unknown */
}

/* ---- values and criteria ---- */

static void judge(struct imb_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    struct sheet *sheet = &r->sheet;
    double skipped = 0; /* copied from the protocol, because the records do not show this number */
    for (size_t i = 0; i < p->result_count; i++)
        if (strcmp(p->results[i].name, "left_out") == 0)
            skipped = p->results[i].value;
    sheet_value(sheet, "rows", "rows", "rows", r->rows);
    sheet_value(sheet, "errors", "wrong bytes found", "B", (double)sheet->errors);
    sheet_value(sheet, "left_out", "sizes and tables skipped", "tables", skipped);
    if (is_checked(p) || sheet->errors)
        sheet_criterion(sheet, sheet->errors == 0, "all data correct (%" PRId64 " wrong byte%s)",
                        sheet->errors, TEXT_S(sheet->errors));
    else
        sheet_criterion(sheet, CRITERION_UNCHECKED, "all data correct (-check was not given)");
    sheet_criterion(sheet, skipped == 0, "every size and table measured (%.0f skipped)", skipped);
    sheet_criterion(sheet, protocol_is(p, "oversubscribed", "no"),
                    "at most one process per hardware thread (oversubscribed: %.40s)",
                    protocol_text(p, "oversubscribed"));
    sheet_completed(sheet);
    if (protocol_is(p, "more_ranks_than_cores", "yes"))
        texts_add(&sheet->notes, "more processes than cores: some processes share a core");
    snprintf(sheet->headline, sizeof sheet->headline, "%d row%s, %.200s", r->rows, TEXT_S(r->rows),
             p->end ? p->end : "the record has no end");
}

int imb_results_make(void *results, const struct protocol *protocol, struct message *error)
{
    struct imb_results *r = results;
    r->sheet = (struct sheet){.protocol = protocol, .headline_name = "rows", .rates_nothing = true};
    (void)error;
    r->row = memory_new(protocol->records.count, sizeof *r->row, "the rows");
    for (size_t i = 0; i < protocol->records.count; i++) {
        const struct imb_record *record = protocol_at(protocol, i);
        if (record->repetition != 0)
            continue;
        r->row[r->rows++] = i;
        r->sheet.errors = protocol_sum(r->sheet.errors, record->errors);
    }
    judge(r);
    const struct table rows = {.name = "by_size",
                               .title = "By benchmark, number of processes and size: time of one repetition",
                               TABLE_COLUMNS(size_columns),
                               .rows = r->rows,
                               .fill = fill_size};
    sheet_table(&r->sheet, &rows, r);
    return 0;
}

void imb_results_free(void *results)
{
    struct imb_results *r = results;
    free(r->row);
    sheet_free(&r->sheet);
}
