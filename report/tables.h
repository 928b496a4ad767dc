/* Writes tables as files, which gnuplot and other programs can read. */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "common/table.h"
#include "common/text.h"

/* Writes a table to the file NAME.dat of a folder, which is created if its parent exists. Replaces a file of
 * this name, even if it is a link. */
int table_write(const struct table *table, const char *folder, struct message *error);

#endif
