/* Opens a run: reads its protocol, recomputes its results and lists the differences. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "common/engine.h"

struct report {
    char *path;      /* path of the protocol file */
    char *directory; /* directory of the run; NULL if a protocol file was given */
    struct protocol protocol;
    const struct engine *engine;
    struct message damage; /* message about a wrong checksum, or "" */
    struct texts faults;   /* lines "PATH:LINE: TEXT", for each difference between results and records */
    struct sheet *sheet;   /* first member of the engine's results; NULL if they cannot be computed */
};

/* Opens a run. `path` is its directory or its protocol file. Faults make the sheet NOT VALID. Returns -1 if
 * the run must not be used. If only the checksum is wrong, the message is also in `damage`, and the sheet
 * exists. Call report_free() in either case. */
int report_open(struct report *report, const char *path, struct message *error);
void report_free(struct report *report);

/* Returns the value of a metadata key, or "" if it is missing. */
const char *report_meta(const struct report *report, const char *key);

/* Returns the name of a run: its directory, or its protocol file. */
const char *report_name(const struct report *report);

#endif
