/* A table as data: its columns, and an array of rows or a function that fills a row on demand. Text, JSON,
 * CSV and HTML are written from it. */
#ifndef COMMON_TABLE_H
#define COMMON_TABLE_H

#include <stdio.h>

#include "common/column.h"
#include "common/json.h"

/* Memory for a row that any table fills. */
union table_row {
    double aligned;
    char bytes[512];
};
/* Stops compilation if a row is too large for union table_row. */
#define TABLE_FITS(row) _Static_assert(sizeof(row) <= sizeof(union table_row), #row " fits union table_row")

enum { CELL_TEXT_SIZE = 72 };

struct table {
    char name[64]; /* key in JSON, and name of the data file without ".dat" */
    char title[160];
    const struct column *columns;
    int column_count, rows;
    /* Computes a row, from `context` and `item`. NULL: the rows are an array. */
    void (*fill)(const struct table *table, int row, void *cells);
    const void *context;
    int item;          /* number of the table among several of a kind */
    const char *array; /* the rows, of `step` bytes each */
    size_t step;
};

#define TABLE_COLUMNS(list)     .columns = list, .column_count = (int)(sizeof list / sizeof list[0])
#define TABLE_ROWS(list, count) .array = (const char *)(list), .step = sizeof *(list), .rows = count

/* Returns a row, for the functions of common/column.h. `room` is used if the table fills its rows. */
const void *table_row(const struct table *table, int row, union table_row *room);

/* Returns a cell as printed: numbers are rounded to the column's digits; "-" means that there is no value.
 * The result is in `text` or in the row. */
const char *table_cell(const struct column *column, const void *row, char text[CELL_TEXT_SIZE]);

/* Writes title, heading and aligned rows. With a `prefix`, which starts the lines before the first row, the
 * table is a data file: texts with spaces are quoted, and reals have at least six decimals. */
void table_text(const struct table *table, const char *prefix, FILE *out);

/* Writes a table to the file NAME.dat of a folder, which is created if its parent exists. Replaces a file of
 * this name, even if it is a link. */
int table_write(const struct table *table, const char *folder, struct message *error);

/* Writes a row, or a record, as a JSON object on one line. Unknown numbers are null. */
void row_json(const struct column *columns, size_t count, const void *row, struct json *json);

/* Writes the rows as a JSON array, with one object on each line. */
void table_json(const struct table *table, struct json *json, const char *key);

#endif
