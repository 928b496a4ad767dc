/* show: the rating sheet and all tables of a run. Uses load, csv, rank. */
#include <math.h>
#include <string.h>

#include "report/command.h"
#include "report/csv.h"
#include "report/load.h"
#include "report/rank.h"

/* ---- CSV: blocks of rows ---- */

#define PUT(out, ...)                                                                                        \
    csv_row((const char *const[]){__VA_ARGS__},                                                              \
            (int)(sizeof(const char *[]){__VA_ARGS__} / sizeof(const char *)), out)

static void put_verdict(const struct sheet *sheet, FILE *out)
{
    static const char *const words[CRITERION_STATES] = {"FAIL", "pass", "not checked"};
    fputs("\nverdict\n", out);
    PUT(out, "state", "criterion");
    for (int i = 0; i < sheet->criterion_count; i++)
        PUT(out, words[sheet->criteria[i].state], sheet->criteria[i].text);
    for (int i = 0; i < sheet->notes.count; i++)
        PUT(out, "note", sheet->notes.text[i]);
}

static void put_figures(const struct sheet *sheet, FILE *out)
{
    char value[CSV_NUMBER_SIZE];
    fputs("\nfigures\n", out);
    PUT(out, "name", "label", "value", "unit");
    for (int i = 0; i < sheet->value_count; i++) {
        const struct sheet_value *v = &sheet->values[i];
        PUT(out, v->name, v->label + strspn(v->label, " "), csv_number(v->value, value), v->unit);
    }
    if (isnan(sheet->spread[0]))
        return;
    PUT(out, "spread_low", "spread in this run, lower end", csv_number(sheet->spread[0], value), "MB/s");
    PUT(out, "spread_high", "spread in this run, upper end", csv_number(sheet->spread[1], value), "MB/s");
}

static void put_csv(const struct report *report, FILE *out)
{
    const struct sheet *sheet = report->sheet;
    fputs("result\n", out);
    PUT(out, sheet->headline);
    put_verdict(sheet, out);
    put_figures(sheet, out);
    for (int i = 0; i < sheet->table_count; i++) {
        fprintf(out, "\n%s\n", sheet->tables[i].name);
        csv_table(&sheet->tables[i], true, out);
    }
    fputs("\nenvironment\n", out);
    PUT(out, "key", "value");
    for (size_t i = 0; i < report->protocol.meta_count; i++)
        PUT(out, report->protocol.meta[i].key, report->protocol.meta[i].value);
}

/* ---- the records as a table, one observation a row, so that those of many runs make one table ---- */

/* What stands before the columns of the protocol. */
static const char *const run_columns[] = {"run", "host", "started"};
enum { RUN_COLUMNS = sizeof run_columns / sizeof run_columns[0], MOST_COLUMNS = 64, EXACT = 17 /* digits */ };

/* A row is these, and the record. */
struct record_row {
    const char *run[RUN_COLUMNS];
    _Alignas(double) char record[sizeof(union table_row) - RUN_COLUMNS * sizeof(const char *)];
};

struct records {
    struct table table; /* "records": run, host, started, then the columns of the protocol with their units */
    struct table_column columns[MOST_COLUMNS];
    char names[MOST_COLUMNS][40];
};

/* All columns of protocols are in these units (protocols/README.md). */
static const char *unit_of(const char *column)
{
    return strncmp(column, "t_", 2) == 0      ? "_s"
           : strcmp(column, "bandwidth") == 0 ? "_mb_per_s"
           : strcmp(column, "msg_rate") == 0  ? "_per_s"
           : strncmp(column, "call_", 5) == 0 ? "_s"
           : strcmp(column, "overlap") == 0   ? "_percent"
                                              : "";
}

static void fill_record(const struct table *table, int number, void *cells)
{
    const struct report *report = table->context;
    struct record_row *row = cells;
    row->run[0] = report_name(report);
    row->run[1] = report_meta(report, "host");
    row->run[2] = report_meta(report, "started");
    memcpy(row->record, protocol_at(&report->protocol, (size_t)number), report->protocol.type->size);
}

static void make_records(struct records *records, const struct report *report)
{
    static const enum cell_kind kinds[] = {
        [COLUMN_TEXT] = CELL_NAME, [COLUMN_INTEGER] = CELL_WHOLE, [COLUMN_REAL] = CELL_REAL};
    const struct record_type *type = report->protocol.type;
    int count = RUN_COLUMNS + (int)type->column_count;
    *records = (struct records){.table = {.name = "records",
                                          .title = "Records",
                                          .columns = records->columns,
                                          .column_count = count,
                                          .rows = (int)report->protocol.record_count,
                                          .fill = fill_record,
                                          .context = report}};
    for (int i = 0; i < count; i++) {
        const struct column *column = i < RUN_COLUMNS ? NULL : &type->columns[i - RUN_COLUMNS];
        const char *name = column ? column->name : run_columns[i];
        snprintf(records->names[i], sizeof records->names[i], "%s%s", name, column ? unit_of(name) : "");
        records->columns[i] =
            (struct table_column){.name = records->names[i],
                                  .unit = "",
                                  .kind = column ? kinds[column->kind] : CELL_TEXT,
                                  .digits = EXACT,
                                  .offset = column ? offsetof(struct record_row, record) + column->offset
                                                   : (size_t)i * sizeof(const char *)};
    }
}

/* ---- one table ---- */

static int put_table(const struct table *table, int format, bool heading, FILE *out)
{
    struct json json;
    if (format == FORMAT_CSV)
        csv_table(table, heading, out);
    if (format == FORMAT_TEXT)
        table_text(table, "", out);
    if (format != FORMAT_JSON)
        return 0;
    json_start(&json, out);
    table_json(table, &json, NULL);
    return json_finish(&json);
}

/* Table number `i`: those of the sheet, then the data files'; false: there is none. */
static bool get_table(const struct report *report, int i, struct table *table)
{
    int sheet = report->sheet->table_count;
    if (i < sheet)
        *table = report->sheet->tables[i];
    else if (i - sheet < report->sheet->data_count)
        report->engine->table(report->sheet, i - sheet, table);
    else
        return false;
    return true;
}

/* The names of all tables, for the refusal. */
static void refuse_table(const struct report *report, const char *name)
{
    char names[400] = " records";
    struct table table;
    for (int i = 0; get_table(report, i, &table) && strlen(names) < sizeof names - 64; i++)
        text_append(names, sizeof names, " %s", table.name);
    report_say("--table: %.200s has no table \"%.40s\"; there are:%s", report->path, name, names);
}

/* The records of several runs are one table: only the `first` has a heading. */
static enum report_status show_table(const struct report *report, const struct report_settings *settings,
                                     bool first, FILE *out)
{
    struct records records;
    struct table table;
    if (strcmp(settings->table, "records") == 0) {
        make_records(&records, report);
        return put_table(&records.table, settings->format, first, out) ? REPORT_REFUSED : REPORT_FINE;
    }
    for (int i = 0; get_table(report, i, &table); i++)
        if (strcmp(table.name, settings->table) == 0)
            return put_table(&table, settings->format, true, out) ? REPORT_REFUSED : REPORT_FINE;
    refuse_table(report, settings->table);
    return REPORT_USAGE;
}

/* ---- a run ---- */

enum report_status show_run(const struct report *report, const struct report_settings *settings, bool first,
                            FILE *out)
{
    int failed = 0;
    if (settings->table)
        return show_table(report, settings, first, out);
    if (settings->format == FORMAT_JSON)
        failed = sheet_json(report->sheet, true, out);
    else if (settings->format == FORMAT_CSV)
        put_csv(report, out);
    else
        sheet_text(report->sheet, out);
    if (failed)
        report_say("JSON can't be written");
    return failed ? REPORT_REFUSED : REPORT_FINE;
}

/* Between two runs: nothing in one table of records, a comma in JSON's list. */
static void put_between(const struct report_settings *settings, bool first)
{
    bool one_table =
        settings->format == FORMAT_CSV && settings->table && strcmp(settings->table, "records") == 0;
    if (settings->format == FORMAT_JSON && settings->runs.count > 1)
        fputs(first ? "[\n" : ",\n", stdout);
    else if (!first && !one_table)
        putchar('\n');
}

/* What several runs tell of their system, or why they tell nothing. */
static enum report_status show_systems(const struct report_settings *settings)
{
    struct rank rank;
    struct message error;
    if (rank_make(&rank, settings, &error))
        return report_refuse(&error);
    const struct texts *lines[] = {&rank.runs.reasons, &rank.runs.notes};
    puts(rank.count ? "\nAll these runs (see beff_report rank):" : "\nNo median of these runs:");
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < lines[k]->count; i++) {
            finding_clean(lines[k]->text[i]);
            printf("  %s%s\n", k ? "" : "refused: ", lines[k]->text[i]);
        }
    rank_free(&rank);
    return REPORT_FINE;
}

static enum report_status show_command(const struct report_settings *settings)
{
    enum report_status status = REPORT_FINE;
    const struct engine *engine = NULL; /* of the first run */
    for (size_t i = 0; i < settings->runs.count; i++) {
        struct report report;
        struct message error;
        int failed = report_load(&report, settings->runs.word[i], &error);
        if (!failed && settings->table && engine && report.engine != engine) {
            failed = message_set(&error, "%.200s is of %s, the runs before it of %s: their tables differ",
                                 report.path, report.engine->program, engine->program);
            report_free(&report);
        }
        if (failed) {
            status = report_refuse(&error);
            continue;
        }
        report_hold_faults(&report);
        put_between(settings, !engine);
        enum report_status shown = show_run(&report, settings, !engine, stdout);
        status = shown ? shown : status;
        engine = report.engine;
        report_free(&report);
    }
    if (engine && settings->format == FORMAT_JSON && settings->runs.count > 1)
        puts("]");
    if (!status && settings->format == FORMAT_TEXT && !settings->table && settings->runs.count > 1)
        status = show_systems(settings);
    return status;
}

/* ---- the command ---- */

static const struct option_row rows[] = {
    REPORT_FORMAT,
    {"table", OPTION_TEXT, REPORT_FIELD(table), "NAME",
     "only this table: one of the sheet's, of those in patterns/, or records"},
    REPORT_HELP};

static const char notes[] =
    "Everything is computed from the records of run.prot; no other file of the run is read. Several runs\n"
    "are followed by the median and the interval of their system, as by rank, or by why there is none.\n"
    "csv: blocks of rows with an empty line between them, each headed by the table's name; with --table one\n"
    "block alone, without that name. json: run.json as it is described in protocols/README.md; of several "
    "runs a\n"
    "list. --table records --format csv: the records of all runs as one table, one observation a row, with "
    "run,\n"
    "host and start, and the units in the names (t_max_s, bandwidth_mb_per_s).\n\n"
    "Exit status: 0; 2 usage; 3 a run can't be read.\n";

REPORT_COMMAND(show, "[--format text|json|csv] [--table NAME] RUN...",
               "print the rating sheet and all tables");
