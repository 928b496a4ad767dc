/* Prints the results of several runs as text, JSON, CSV or JUnit: tables, notes and a verdict. */
#ifndef REPORT_OUTPUT_H
#define REPORT_OUTPUT_H

#include <stdio.h>

#include "common/table.h"
#include "common/text.h"
#include "report/command.h"

struct sides;

/* ---- lines that may concern several runs ---- */

enum { GROUPED_NAMES = 10 };

struct grouped {
    struct grouped_line {
        char *text;
        char *names;  /* names of the first runs; NULL if the line concerns no single run */
        size_t runs;  /* number of runs that the line concerns */
        size_t named; /* number of runs in `names` */
    } * line;
    size_t count;
    bool all; /* each line names all runs, not only the first GROUPED_NAMES */
};

/* Adds a text, formatted like printf. `run` is the name of the run that the text concerns; NULL if it
 * concerns no single run. Equal texts about several runs are merged into one line. Texts that differ only in
 * the parentheses at their end count as equal, and their line omits the parentheses. */
void grouped_add(struct grouped *grouped, const char *run, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns "RUN: TEXT" or "12 runs (RUN, RUN, ... and 2 more): TEXT", cleaned by text_clean(). The caller
 * must free it. */
char *grouped_text(const struct grouped_line *line);

/* Adds all lines to a list. */
void grouped_texts(const struct grouped *grouped, struct texts *texts);
void grouped_free(struct grouped *grouped);

/* Returns the number of bytes before the first parentheses of a text: they and the rest hold figures of one
 * run. */
size_t output_stem(const char *text);

/* ---- CSV (RFC 4180) ---- */

/* Writes a table with a heading line. Numbers have full precision; NaN is an empty field. Fields with commas
 * or quotes are quoted. An apostrophe is put before a field that a spreadsheet could take for a formula. */
void csv_table(const struct table *table, FILE *out);

/* ---- JUnit ---- */

/* One test, whose name is the same in all runs, so that a pipeline can follow it. */
struct junit_case {
    const char *text;
    size_t name; /* number of bytes of `text` that are the name; measured values follow them */
    enum junit_outcome { JUNIT_PASSED, JUNIT_FAILED, JUNIT_SKIPPED, JUNIT_ERROR, JUNIT_OUTCOMES } outcome;
};

/* Writes a suite of tests with the numbers of tests, failures, errors and skipped tests. */
void junit_suite(const char *name, const struct junit_case *cases, size_t count, FILE *out);

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
