/* What this program was built from and with. Pure. */
#ifndef COMMON_VERSION_H
#define COMMON_VERSION_H

extern const char version_number[];   /* "0.1.0" */
extern const char version_commit[];   /* git commit, with "-dirty" if the tree had changes; "unknown" */
extern const char version_compiler[]; /* "gcc 12.2.0" */
extern const char version_flags[];    /* compiler flags */

#endif
