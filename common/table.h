/* A table as data: a column has a name, a unit, a number of digits and an offset in a row. Text, JSON, CSV
 * and HTML are written from it. Rows are computed on demand and not stored. */
#ifndef COMMON_TABLE_H
#define COMMON_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "common/json.h"

enum cell_kind {
    CELL_TEXT,    /* const char *; "": no value */
    CELL_NAME,    /* char[]; "": no value */
    CELL_INTEGER, /* double; NaN: no value */
    CELL_COUNT,   /* int64_t; negative: no value */
    CELL_REAL     /* double; NaN: no value */
};

/* The part that a column has in comparing tables of several runs. */
enum column_role {
    COLUMN_SHOWN,  /* none */
    COLUMN_KEY,    /* its cells identify the row */
    COLUMN_SIZE,   /* its cells are the message or chunk size of the row, but do not identify it */
    COLUMN_HIGHER, /* its cells are compared; higher is better */
    COLUMN_LOWER   /* its cells are compared; lower is better */
};

struct table_column {
    const char *name; /* heading, and key in JSON */
    const char *unit; /* "" for none */
    enum cell_kind kind;
    int digits;    /* decimals of a real in text */
    size_t offset; /* offset of the member in the table's row */
    double factor; /* converts from the row's unit to the column's unit; 0 means 1 */
    bool positive; /* the number 0 means that there is no value */
    enum column_role role;
};

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
    const struct table_column *columns;
    int column_count, rows;
    /* Computes a row, from `context` and `item`. */
    void (*fill)(const struct table *table, int row, void *cells);
    const void *context;
    int item; /* number of the table among several of a kind */
};

#define TABLE_COLUMNS(array) .columns = array, .column_count = (int)(sizeof array / sizeof array[0])

/* Returns true if the cells of a column are text. */
static inline bool table_is_text(const struct table_column *column)
{
    return column->kind <= CELL_NAME;
}

/* Return a cell as a number (NaN if it is a text), and as a text ("" if it is a number). */
double table_number(const struct table *table, const union table_row *row, int column);
const char *table_words(const struct table *table, const union table_row *row, int column);

/* Returns a cell as printed: numbers are rounded to the column's digits; "-" means that there is no value.
 * The result is in `text` or in the row. */
const char *table_cell(const struct table *table, const union table_row *row, int column,
                       char text[CELL_TEXT_SIZE]);

/* Writes title, heading and aligned rows. With a `prefix`, which starts the lines before the first row, the
 * table is a data file: texts with spaces are quoted, and reals have at least six decimals. */
void table_text(const struct table *table, const char *prefix, FILE *out);

/* Writes the rows as a JSON array, with one object on each line. */
void table_json(const struct table *table, struct json *json, const char *key);

#endif
