/* Writes tables as files, which gnuplot and other programs can read. */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include <stdio.h>

#include "common/text.h"

/* Creates a file NAME.dat in a folder, which is also created if its parent exists. Replaces a file of this
 * name, even if it is a link. Returns NULL with a message in `error` if that fails. */
FILE *tables_open(const char *folder, const char *name, struct message *error);

/* Closes the file. */
int tables_close(FILE *out, const char *folder, const char *name, struct message *error);

#endif
