/* Records as a table. Uses report. */
#include "protocols/records.h"

#include <stdio.h>
#include <string.h>

/* What stands before the columns of the protocol. */
static const char *const run_columns[] = {"run", "host", "started"};
enum { RUN_COLUMNS = sizeof run_columns / sizeof run_columns[0], EXACT = 17 };

/* All columns of protocols are in these units (protocols/README.md). */
static const char *unit_of(const char *column)
{
    return strncmp(column, "t_", 2) == 0      ? "_s"
           : strcmp(column, "bandwidth") == 0 ? "_mb_per_s"
           : strcmp(column, "msg_rate") == 0  ? "_per_s"
           : strncmp(column, "call_", 5) == 0 ? "_s"
                                              : "";
}

/* Every cell is as large as a double. */
union cell {
    double number;
    const char *text;
};

static void fill(const struct table *table, int number, void *cells)
{
    const struct report *report = table->context;
    const struct record_type *type = report->protocol.type;
    const char *record = protocol_at(&report->protocol, (size_t)number);
    union cell *cell = cells;
    (cell++)->text = report->directory ? report->directory : report->path;
    (cell++)->text = report_meta(report, "host");
    (cell++)->text = report_meta(report, "started");
    for (int i = RUN_COLUMNS; i < table->column_count; i++, cell++) {
        const struct column *column = &type->columns[i - RUN_COLUMNS];
        const void *field = record + column->offset;
        if (column->kind == COLUMN_TEXT)
            cell->text = field;
        else
            cell->number =
                column->kind == COLUMN_INTEGER ? (double)*(const int64_t *)field : *(const double *)field;
    }
}

void records_make(struct records *records, const struct report *report)
{
    static const enum cell_kind kinds[] = {
        [COLUMN_TEXT] = CELL_TEXT, [COLUMN_INTEGER] = CELL_INTEGER, [COLUMN_REAL] = CELL_REAL};
    const struct record_type *type = report->protocol.type;
    int count = RUN_COLUMNS + (int)type->column_count;
    *records = (struct records){.table = {.name = "records",
                                          .title = "Records",
                                          .columns = records->columns,
                                          .column_count = count,
                                          .rows = (int)report->protocol.record_count,
                                          .fill = fill,
                                          .context = report}};
    for (int i = 0; i < count; i++) {
        const struct column *column = i < RUN_COLUMNS ? NULL : &type->columns[i - RUN_COLUMNS];
        const char *name = column ? column->name : run_columns[i];
        snprintf(records->names[i], sizeof records->names[i], "%s%s", name, column ? unit_of(name) : "");
        records->columns[i] = (struct table_column){.name = records->names[i],
                                                    .unit = "",
                                                    .kind = column ? kinds[column->kind] : CELL_TEXT,
                                                    .digits = EXACT,
                                                    .offset = (size_t)i * sizeof(union cell)};
    }
}
