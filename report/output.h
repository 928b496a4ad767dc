/* What is said of several runs: lines that repeat, CSV, and text, JSON or CSV of tables with notes and a
 * verdict. */
#ifndef REPORT_OUTPUT_H
#define REPORT_OUTPUT_H

#include <stdio.h>

#include "common/table.h"
#include "common/text.h"
#include "report/command.h"

struct runs;

/* ---- lines of which each may be said of several runs ---- */

struct grouped {
    struct grouped_line {
        char *text, *names; /* names: of the first runs; NULL: it is of no run */
        size_t runs, named;
    } * line;
    size_t count;
    bool all_names; /* each line names all runs, not only the first three */
};

/* Adds what is said of a run (NULL: of none); what is said of several is one line, without figures in
 * brackets at its end where these differ. */
void grouped_add(struct grouped *grouped, const char *run, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "RUN: TEXT", or "12 runs (RUN, RUN, RUN and 9 more): TEXT"; to be freed, cleaned for a terminal. */
char *grouped_text(const struct grouped_line *line);
void grouped_free(struct grouped *grouped);

/* ---- CSV (RFC 4180) ---- */

/* A table with its heading: numbers in full precision, empty for NaN. Fields with commas or quotes are
 * quoted, and what a spreadsheet would take for a formula has a ' before it. */
void csv_table(const struct table *table, FILE *out);

/* ---- the whole ---- */

struct output {
    struct runs *runs;    /* what was left out, refused and noted */
    const char *verdict;  /* last line; NULL: there is none */
    const char *decision; /* of a threshold, before the verdict; NULL or "": there is none */
    enum report_status status;
    const struct table *tables;
    int table_count, first_figures; /* from this one on they are members of "figures" in JSON; 0: none */
    const struct table *csv;        /* NULL: the first table */
    void (*json)(const void *context, struct json *json); /* what else JSON has; NULL: nothing */
    const void *context;
};

/* Writes it to standard output as text, JSON or CSV (enum report_format); returns the exit status. */
enum report_status output_put(const struct output *output, int format);

#endif
