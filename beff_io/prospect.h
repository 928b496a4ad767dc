/* Which criteria a run as it was started cannot reach, and what would help: said before it starts, and by
 * --plan (docs/definition.md 2.3). Pure. */
#ifndef BEFF_IO_PROSPECT_H
#define BEFF_IO_PROSPECT_H

#include "beff_io/settings.h"

struct io_prospect {
    const struct io_settings *settings;
    int partition_count;
    double max_bytes; /* of files */
    double
        wanted_bytes; /* what it would write at the expected bandwidth without that bound; NaN: not known */
    double memory;    /* bytes, physical, of all nodes together; 0: not known */
    bool in_memory;   /* the file system lives in memory */
};

/* Adds one line for each criterion that cannot be reached. */
void io_prospect_tell(const struct io_prospect *prospect, struct texts *lines);

/* Mean speed of writing, in MB/s, up to which the bytes suffice for the writing rule. */
double io_prospect_fastest(const struct io_prospect *prospect);

#endif
