/* A table as data: a column is a name, a unit, a number of digits and a getter; text, JSON, CSV and HTML are
 * written from that. Nothing is kept in cells: they are computed when they are asked for. Pure. */
#ifndef COMMON_TABLE_H
#define COMMON_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "common/json.h"

enum cell_kind { CELL_TEXT, CELL_INTEGER, CELL_REAL };

/* A cell's text with its end. */
enum { CELL_TEXT_SIZE = 72 };

struct table;

struct table_column {
    const char *name; /* key in JSON and in data files */
    const char *unit; /* "" for none */
    enum cell_kind kind;
    int digits; /* after the decimal point, of reals in text */
    /* The cell in a row, by kind; NaN or "": no value. `which` is the column's own; a text may be put into
     * `buffer`. */
    double (*number)(const struct table *table, int row, size_t which);
    const char *(*text)(const struct table *table, int row, size_t which, char buffer[CELL_TEXT_SIZE]);
    size_t which;
};

struct table {
    char name[64]; /* key in JSON; stem of a data file */
    char title[160];
    const struct table_column *columns;
    int column_count, rows;
    const void *context; /* of the getters */
    int item;            /* which of several tables of a kind */
};

#define TABLE_COLUMNS(array) .columns = array, .column_count = (int)(sizeof array / sizeof array[0])

/* A number in full; NaN of a text or where there is no value. */
double table_number(const struct table *table, int row, int column);

/* A cell as it is printed: numbers rounded to the column's digits, "-" where there is no value. Returns
 * `text` or what the getter has. */
const char *table_cell(const struct table *table, int row, int column, char text[CELL_TEXT_SIZE]);

/* Aligned columns with a heading, lines starting with `prefix` up to the first row. */
void table_text(const struct table *table, const char *prefix, FILE *out);

/* An array of objects, one a line. */
void table_json(const struct table *table, struct json *json, const char *key);

/* For getters: the real number at offset `which` of a struct. */
double table_real_at(const void *structure, size_t which);

#endif
