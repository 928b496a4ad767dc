/* What a run's files say, held against what follows from its records. Pure. */
#ifndef PROTOCOLS_VERIFY_H
#define PROTOCOLS_VERIFY_H

#include "protocols/report.h"

/* Programs of another commit may have other figures and other words: of their runs only the figures that both
 * have are compared, but every record. */
bool verify_same_program(const struct report *report);

/* Whether a result is computed again: of an older definition the rating alone. */
bool verify_checks(const struct report *report, const char *name);

/* Each of these adds what differs to the findings. */

/* Checksum, end, result lines of run.prot. */
void verify_protocol(const struct report *report, struct findings *findings);

/* The last line of summary.txt and its verdict. */
void verify_summary(const struct report *report, struct findings *findings);

/* Every number of patterns/NAME.dat. */
void verify_tables(const struct report *report, struct findings *findings);

/* run.json, value by value. False if it was not looked at: there is none, or this program knows no JSON. */
bool verify_json(const struct report *report, struct findings *findings);

/* Opens a file of the run's directory; NULL with errno if it can't be, or is no regular file. */
FILE *verify_open(const struct report *report, const char *name);

#endif
