/* What this program was built from and with. Pure. */
#ifndef COMMON_VERSION_H
#define COMMON_VERSION_H

#include <stdio.h>

extern const char version_number[];   /* "0.1.0" */
extern const char version_commit[];   /* git commit, with "-dirty" if the tree had changes; "unknown" */
extern const char version_compiler[]; /* "gcc 12.2.0" */
extern const char version_flags[];    /* compiler flags */

/* What --version prints: program and build; `basis`: what its numbers follow, or "". */
void version_print(FILE *out, const char *program, const char *basis);

#endif
