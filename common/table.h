/* A table as data: a column is a name, a unit, a number of digits and its offset in a row; text,
 * JSON, CSV and HTML are written from that. Rows are computed on demand, none is stored. Pure. */
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

struct table_column {
    const char *name; /* key in JSON and in data files */
    const char *unit; /* "" for none */
    enum cell_kind kind;
    int digits;    /* after the decimal point, of reals in text */
    size_t offset; /* in the table's row */
    double factor; /* from the row's unit to that of the column; 0: 1 */
    bool positive; /* 0 is no value */
};

/* Room for a row of any table, and for a cell's text. */
union table_row {
    double aligned;
    char bytes[512];
};
/* Refuses to compile a row that has no room in it. */
#define TABLE_FITS(row) _Static_assert(sizeof(row) <= sizeof(union table_row), #row " fits union table_row")

enum { CELL_TEXT_SIZE = 72 };

struct table {
    char name[64]; /* key in JSON; stem of a data file */
    char title[160];
    const struct table_column *columns;
    int column_count, rows;
    /* Fills in the struct of a row, by the table's context and item. */
    void (*fill)(const struct table *table, int row, void *cells);
    const void *context;
    int item; /* which of several tables of a kind */
};

#define TABLE_COLUMNS(array) .columns = array, .column_count = (int)(sizeof array / sizeof array[0])

/* Whether the cells of a column are words. */
static inline bool table_is_text(const struct table_column *column)
{
    return column->kind <= CELL_NAME;
}

/* A cell of a row that was filled in: the number (NaN of a text), the text ("" of a number). */
double table_number(const struct table *table, const union table_row *row, int column);
const char *table_words(const struct table *table, const union table_row *row, int column);

/* As it is printed: numbers rounded to the column's digits, "-" where there is no value. In `text`, or the
 * row's own. */
const char *table_cell(const struct table *table, const union table_row *row, int column,
                       char text[CELL_TEXT_SIZE]);

/* Aligned columns with a heading, lines starting with `prefix` up to the first row; with a prefix it is a
 * data file: words with blanks are quoted, and reals have six digits at least. */
void table_text(const struct table *table, const char *prefix, FILE *out);

/* An array of objects, one a line. */
void table_json(const struct table *table, struct json *json, const char *key);

#endif
