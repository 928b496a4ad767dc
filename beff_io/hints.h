/* MPI-IO hints of a file, selected by partition, access method, type and chunk (docs/file-systems.md). */
#ifndef BEFF_IO_HINTS_H
#define BEFF_IO_HINTS_H

#include "beff_io/patterns.h"

enum { HINT_SIZE = 256 };

struct hint {
    int64_t processes; /* 0: all partitions */
    int access, type;  /* IO_ACCESSES: all access methods; IO_TYPES: all types */
    enum { HINT_ON_OPEN, HINT_CHUNK, HINT_EVERYWHERE } where;
    int64_t chunk; /* for HINT_CHUNK: size of the chunk on disk in bytes, or 0 for M_PART ("Lmax") */
    char key[HINT_SIZE], value[HINT_SIZE];
    char line[2 * HINT_SIZE + 128]; /* the line of the file, with single spaces between the words */
    bool ignored;                   /* MPI does not use the hint, and a note says so */
};

struct hints {
    struct hint *hint; /* freed by the caller */
    int count;
};

/* Parses `text`, the content of the file `path`. */
int hints_read(struct hints *hints, const char *text, const char *path, struct message *error);

/* Returns true if a hint applies when a file is opened (`chunk` < 0), or to patterns with this chunk size on
 * disk. */
bool hint_applies(const struct hint *hint, int64_t processes, enum io_access access, enum io_type type,
                  int64_t chunk, int64_t mpart);

/* Returns the number of bytes that a process transfers for each byte of its own calls if only the aggregators
 * transfer data. `list` is ROMIO's list of their ranks, separated by spaces. ROMIO cuts a list of `most`
 * characters or more, perhaps within a number. The aggregators are then the first `aggregators` processes of
 * the partition, which ROMIO chooses by default. If the list is empty, every process transfers its own
 * data. */
double hints_share(const char *list, size_t most, int aggregators, int rank, int size);

#endif
