/* Hints for MPI-IO from a file, by partition, access method, type and chunk (docs/definition.md 2.11). */
#ifndef BEFF_IO_HINTS_H
#define BEFF_IO_HINTS_H

#include "beff_io/patterns.h"

enum { HINT_SIZE = 256 };

struct hint {
    int64_t processes; /* 0: all */
    int access, type;  /* IO_ACCESSES, IO_TYPES: all */
    enum { HINT_ON_OPEN, HINT_CHUNK, HINT_EVERYWHERE } where;
    int64_t chunk; /* of HINT_CHUNK; 0: M_PART ("Lmax") */
    char key[HINT_SIZE], value[HINT_SIZE];
    char line[2 * HINT_SIZE + 128]; /* all of it as it was asked for, with one blank between the words */
};

struct hints {
    struct hint *hint;
    int count;
};

/* Reads the text of the file `path`. A line that cannot be understood is an error that names file, line and
 * reason. 0 or -1. */
int hints_read(struct hints *hints, const char *text, const char *path, struct message *error);

/* Whether a hint goes to opening a file (chunk < 0), or to a pattern with this chunk on disk. */
bool hint_applies(const struct hint *hint, int64_t processes, enum io_access access, enum io_type type,
                  int64_t chunk, int64_t mpart);

void hints_free(struct hints *hints);

#endif
