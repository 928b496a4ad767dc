/* Version and build of the programs. The Makefile sets them. */
#ifndef COMMON_VERSION_H
#define COMMON_VERSION_H

#include <stdio.h>

extern const char version_number[];   /* "1.0.0" */
extern const char version_commit[];   /* git commit, with "-dirty" if the tree had changes; "unknown" */
extern const char version_compiler[]; /* "gcc 12.2.0" */
extern const char version_flags[];    /* compiler flags */

/* Prints the output of --version. `basis` is the definition or the program that the results follow, or "".
 * The checksum of the text of `definition` follows, if there is one (NULL: none). */
void version_print(FILE *out, const char *program, const char *basis, const char *definition);

#endif
