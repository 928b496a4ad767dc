/* A table as data: its columns, and a function that fills a row. Text, JSON, CSV and HTML are written from
 * it. Rows are computed on demand and not stored. */
#ifndef COMMON_TABLE_H
#define COMMON_TABLE_H

#include <stdio.h>

#include "common/column.h"
#include "common/json.h"

/* Memory for a row of any table. */
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
    /* Computes a row, from `context` and `item`. */
    void (*fill)(const struct table *table, int row, void *cells);
    const void *context;
    int item; /* number of the table among several of a kind */
};

#define TABLE_COLUMNS(array) .columns = array, .column_count = (int)(sizeof array / sizeof array[0])

/* Returns a cell as printed: numbers are rounded to the column's digits; "-" means that there is no value.
 * The result is in `text` or in the row. */
const char *table_cell(const struct column *column, const union table_row *row, char text[CELL_TEXT_SIZE]);

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
