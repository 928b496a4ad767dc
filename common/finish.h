/* The end of a run on rank 0, alike in all engines: results into the protocol, summary.txt, run.json, data
 * files, standard output. Pure: it may be called from the guard's thread when the main thread hangs in MPI.
 */
#ifndef COMMON_FINISH_H
#define COMMON_FINISH_H

#include <stdbool.h>

#include "common/options.h"
#include "common/protocol.h"
#include "common/rundir.h"
#include "common/sheet.h"

struct finish {
    struct protocol *protocol;
    const struct rundir *directory;
    const struct sheet *sheet; /* NULL: there are no results */
    const char *end;           /* "complete" or "partial (...)" */
    bool json, quiet;          /* what standard output gets */
    /* Data files patterns/NAME.dat: table number `i` of `table_count`, to be freed with table_free. */
    int table_count;
    void (*table)(const void *context, int i, struct table *table);
    const void *context;
};

/* Ends the protocol and writes the other files. What can't be written is reported, the rest still is:
 * returns 0, or -1 with one line. */
int finish_run(const struct finish *finish, struct message *error);

/* The settings as metadata `option_NAME` of a protocol. 0, or -1 with one line. */
int finish_describe_settings(const struct option_table *table, const void *settings,
                             struct protocol *protocol, struct message *error);

#endif
