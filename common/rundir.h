/* The directory of one run and the files in it. Pure. */
#ifndef COMMON_RUNDIR_H
#define COMMON_RUNDIR_H

#include <stdbool.h>

#include "common/engine.h"

struct rundir {
    char *path;
    int lock; /* the directory, open and locked; -1: not */
};

/* Makes the directory and its parents, and keeps other runs out of it until rundir_free(), which is needed
 * after an error, too. path NULL: protocols/runs/<program>-<host>-n<processes>-<UTC time>, with a number
 * behind it if that exists. An existing directory is refused unless it is empty, or `force` is given and
 * there is an earlier run in it and nothing else: that is removed. */
enum exit_status rundir_make(struct rundir *dir, const char *path, bool force, const char *program,
                             const char *host, long long processes, struct message *error);
void rundir_free(struct rundir *dir);

/* Path of a file in it, in memory of its own; a folder in it is made if it is missing. NULL with an error. */
char *rundir_file(const char *directory, const char *name, struct message *error);

#endif
