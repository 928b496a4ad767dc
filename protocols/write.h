/* Rows of text as CSV, Markdown or JSON. What they say may come from anywhere: it is quoted so that it stays
 * data. Pure. */
#ifndef PROTOCOLS_WRITE_H
#define PROTOCOLS_WRITE_H

#include "common/sheet.h"

enum { WRITE_NUMBER_SIZE = 32 };

/* 12 digits: what follows from the records is the same on every system as far as that; "" for NaN. Returns
 * text.
 */
const char *write_number(double value, char text[WRITE_NUMBER_SIZE]);

/* One line of comma-separated fields (RFC 4180, but for its line ends). A text that a spreadsheet would take
 * for a formula gets an apostrophe before it. */
void write_csv_row(const char *const *fields, int count, FILE *out);

/* One row of a Markdown table. */
void write_md_row(const char *const *fields, int count, FILE *out);

/* The line below the heading; columns for which `right` is true stand to the right (NULL: none). */
void write_md_rule(const bool *right, int count, FILE *out);

/* Text in Markdown, on one line. */
void write_md_text(const char *text, FILE *out);

/* A string of JSON with its quotes; what is not ASCII becomes '?' unless it is UTF-8. */
void write_json_text(const char *text, FILE *out);

/* Heading and rows of a table. */
void write_csv_table(const struct table *table, FILE *out);
void write_md_table(const struct table *table, FILE *out);
/* A list of objects. */
void write_json_table(const struct table *table, FILE *out);

#endif
