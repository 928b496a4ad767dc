/* The result of a run as every engine hands it out: headline, verdict, figures, tables. Text, JSON and data
 * files are written from it; an engine formats nothing itself. Pure. */
#ifndef COMMON_SHEET_H
#define COMMON_SHEET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/protocol.h"

/* ---- tables ---- */

enum cell_kind { CELL_TEXT, CELL_INTEGER, CELL_REAL };

struct table_column {
    const char *name; /* key in JSON and in data files */
    const char *unit; /* "" for none */
    enum cell_kind kind;
    int digits; /* behind the decimal point, of reals in text */
};

struct cell {
    double number; /* NaN: no value */
    char text[64];
};

enum { TABLE_MOST_COLUMNS = 16 };

struct table {
    char name[64]; /* key in JSON; stem of a data file */
    char title[160];
    struct table_column columns[TABLE_MOST_COLUMNS];
    int column_count;
    int rows;
    struct cell *cells; /* [row][column] */
};

/* Starts an empty table with these columns. */
void table_start(struct table *table, const char *name, const char *title, const struct table_column *columns,
                 int column_count);
/* Adds a row without values and returns its cells; NULL when out of memory. */
struct cell *table_row(struct table *table);
void table_free(struct table *table);

/* Aligned columns with a heading, lines starting with `prefix` up to the first row. */
void table_text(const struct table *table, const char *prefix, FILE *out);

/* ---- sheet ---- */

struct sheet_value {
    const char *name;  /* key in JSON and in `#: result` lines */
    const char *label; /* for people */
    const char *unit;
    double value; /* NaN: not known */
    double share; /* of the known limit; NaN: none is known */
};

struct sheet_criterion {
    char text[160]; /* "no data errors (0 found)" */
    bool reached;
};

enum { SHEET_MOST_VALUES = 48, SHEET_MOST_CRITERIA = 12, SHEET_MOST_TABLES = 8, SHEET_MOST_NOTES = 16 };
enum { SHEET_NOTE_SIZE = 240 };

struct sheet {
    const struct protocol *protocol;
    const char *headline_name; /* "b_eff": the key of the number that is rated */
    char headline[512];        /* the last line of the result */
    bool rated;                /* there is such a number */
    int64_t errors;            /* wrong bytes or words found */
    struct sheet_value values[SHEET_MOST_VALUES];
    int value_count;
    struct sheet_criterion criteria[SHEET_MOST_CRITERIA];
    int criterion_count;
    double *passes; /* the rated number of each whole pass */
    int pass_count;
    double interval[2]; /* 95 %; NaN: none */
    char interval_note[SHEET_NOTE_SIZE];
    char notes[SHEET_MOST_NOTES][SHEET_NOTE_SIZE]; /* what a reader must know: reduction, disturbances */
    int note_count;
    struct table tables[SHEET_MOST_TABLES];
    int table_count;
};

void sheet_value(struct sheet *sheet, const char *name, const char *label, const char *unit, double value,
                 double share);
void sheet_criterion(struct sheet *sheet, bool reached, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void sheet_note(struct sheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* All criteria reached. */
bool sheet_valid(const struct sheet *sheet);

/* The whole sheet for people; the headline is the last line. */
void sheet_text(const struct sheet *sheet, FILE *out);

/* The sheet and all records as one JSON object (keys: protocols/README.md). 0, or -1 when out of memory, at a
 * write error, or when built without jansson. */
int sheet_json(const struct sheet *sheet, FILE *out);

/* Whether JSON was built in. */
bool sheet_has_json(void);

/* Frees the tables and the passes. */
void sheet_free(struct sheet *sheet);

#endif
