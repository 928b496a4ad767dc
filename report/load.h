/* Loading a run: which engine it is of the metadata tell. Pure. */
#ifndef PROTOCOLS_LOAD_H
#define PROTOCOLS_LOAD_H

#include "report/report.h"

/* Reads the run in a directory, or the protocol in a file, and examines it: what is wrong with it is in the
 * findings; a wrong checksum is kept apart. 0, or -1 with one line that names file, line and reason. */
int report_read(struct report *report, const char *path, struct message *error);

/* Makes the results. 0, or -1 with one line, which is the first fatal finding if there is one. */
int report_make(struct report *report, struct message *error);

/* Both, and a wrong checksum is an error; frees the report where it returns -1. */
int report_load(struct report *report, const char *path, struct message *error);

void report_free(struct report *report);

#endif
