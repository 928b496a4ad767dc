/* The raw records of a run as a table, one observation a row, so that those of many runs make one table.
 * Pure. */
#ifndef PROTOCOLS_RECORDS_H
#define PROTOCOLS_RECORDS_H

#include "protocols/report.h"

enum { RECORDS_MOST_COLUMNS = sizeof(union table_row) / sizeof(double) };

struct records {
    struct table table; /* "records": run, host, started, then the columns of the protocol with their units */
    struct table_column columns[RECORDS_MOST_COLUMNS];
    char names[RECORDS_MOST_COLUMNS][40];
};

/* The report must live as long as the table. */
void records_make(struct records *records, const struct report *report);

#endif
