/* Prints the results of several runs as text, JSON or CSV: tables, notes and a verdict. */
#ifndef REPORT_OUTPUT_H
#define REPORT_OUTPUT_H

#include <stdio.h>

#include "common/table.h"
#include "common/text.h"
#include "report/command.h"

struct sides;

/* ---- lines that may concern several runs ---- */

struct grouped {
    struct grouped_line {
        char *text;
        char *names;  /* names of the first runs; NULL if the line concerns no single run */
        size_t runs;  /* number of runs that the line concerns */
        size_t named; /* number of runs in `names` */
    } * line;
    size_t count;
    bool all_names; /* each line names all runs, not only the first three */
};

/* Adds a text, formatted like printf. `run` is the name of the run that the text concerns; NULL if it
 * concerns no single run. Equal texts about several runs are merged into one line. Texts that differ only in
 * the parentheses at their end count as equal, and their line omits the parentheses. */
void grouped_add(struct grouped *grouped, const char *run, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns "RUN: TEXT" or "12 runs (RUN, RUN, RUN and 9 more): TEXT", cleaned by text_clean(). The caller
 * must free it. */
char *grouped_text(const struct grouped_line *line);
void grouped_free(struct grouped *grouped);

/* ---- CSV (RFC 4180) ---- */

/* Writes a table with a heading line. Numbers have full precision; NaN is an empty field. Fields with commas
 * or quotes are quoted. An apostrophe is put before a field that a spreadsheet could take for a formula. */
void csv_table(const struct table *table, FILE *out);

/* ---- all output ---- */

struct output {
    const struct sides *sides; /* all lists of the sides are printed */
    const char *verdict;       /* line after the lists; NULL: none */
    const char *decision;      /* line about the threshold, before the verdict; NULL or "": none */
    enum report_status status;
    const struct table *tables;
    int table_count;
    int first_figures;        /* first table that is a member of "figures" in JSON; 0: none */
    const struct table *last; /* table after the verdict; NULL: none */
    const struct table *csv;  /* table for CSV; NULL: the first table */
    void (*json)(const void *context, struct json *json); /* writes other members in JSON; NULL: none */
    const void *context;
};

/* Writes to standard output as text, JSON or CSV (enum report_format). Returns the exit status. */
enum report_status output_put(const struct output *output, int format);

#endif
