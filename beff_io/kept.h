/* The index of kept files: seed, M_PART and places, so that a later run can read and check them again
 * (docs/definition.md 2.6). Pure. */
#ifndef BEFF_IO_KEPT_H
#define BEFF_IO_KEPT_H

#include "beff_io/layout.h"
#include "common/text.h"

/* Name of the index in the directory of the files. */
#define KEPT_INDEX "index"

struct kept {
    uint64_t seed;
    int64_t mpart, partitions[IO_MOST_PARTITIONS];
    int partition_count;
    struct io_layout layout[IO_MOST_PARTITIONS];
};

/* 0, or -1 with one line that names the file. */
int kept_write(const struct kept *kept, const char *directory, struct message *error);
int kept_read(struct kept *kept, const char *directory, struct message *error);

#endif
