/* What a run's files say, held against what follows from its records. Pure. */
#ifndef PROTOCOLS_VERIFY_H
#define PROTOCOLS_VERIFY_H

#include "protocols/report.h"

/* Programs of another commit may have other figures and other words: of their runs only the figures that both
 * have are compared, but every record. */
bool verify_same_program(const struct report *report);

/* Each of these adds what differs to the run's findings, and what can't be compared to `unchecked`. */

/* Checksum, end, result lines of run.prot. */
void verify_protocol(struct report *report);

/* summary.txt, run.json and patterns/NAME.dat: each is written again, and compared line by line while it is.
 */
void verify_files(struct report *report);

#endif
