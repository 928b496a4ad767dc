/* Comma-separated values. What they say may come from anywhere: it is quoted so that it stays data. Pure. */
#ifndef PROTOCOLS_CSV_H
#define PROTOCOLS_CSV_H

#include <stdbool.h>

#include "common/table.h"

enum { CSV_NUMBER_SIZE = 32 };

/* 12 digits: what follows from the records is the same on every system as far as that; "" for NaN. Returns
 * `text`. */
const char *csv_number(double value, char text[CSV_NUMBER_SIZE]);

/* One line (RFC 4180, but for its line end). A text that a spreadsheet would take for a formula gets an
 * apostrophe before it. */
void csv_row(const char *const *fields, int count, FILE *out);

/* Rows of a table, after its heading unless they go on another one's. Whole numbers are exact, and reals of
 * 17 digits. */
void csv_table(const struct table *table, bool heading, FILE *out);

#endif
