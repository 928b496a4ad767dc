/* What verify finds in the files beside run.prot. */
#ifndef PROTOCOLS_VERIFY_FILES_H
#define PROTOCOLS_VERIFY_FILES_H

#include "report/command.h"
#include "report/report.h"

/* Adds to the run's findings what differs in summary.txt, run.json and patterns/NAME.dat, and which of them
 * are missing; to `unchecked` what can't be compared. */
void verify_files(struct report *report);

/* The same of page.html, where the run's directory has one; `put` writes what it has to say of the run. */
void verify_page(struct report *report, void (*put)(const struct report *report, FILE *out));

#endif
