/* The directory of one run and the files in it. Pure. */
#ifndef COMMON_RUNDIR_H
#define COMMON_RUNDIR_H

#include <stdbool.h>

#include "common/text.h"

/* Key of the lines of run.prot that list the run's files. */
#define RUNDIR_FILE_KEY "file"

struct rundir {
    char *path;
    bool replace; /* files that exist are overwritten (--force) */
};

enum rundir_status {
    RUNDIR_OK = 0,
    RUNDIR_EXISTS,  /* it was there before, and --force was not given */
    RUNDIR_UNUSABLE /* can't be created or written */
};

/* Makes the directory and its parents. path NULL: protocols/runs/<program>-<host>-n<processes>-<UTC time>,
 * with a number behind it if that exists. An existing directory is refused unless it is empty, or `force` is
 * given: then the files that an earlier run lists in its run.prot are removed, and only those; any other file
 * of a name that the run would write is a reason to refuse, too. */
enum rundir_status rundir_make(struct rundir *directory, const char *path, bool force, const char *program,
                               const char *host, long long processes, struct message *error);

/* Path of a file in it, in memory of its own; a folder in it is made if it is missing. NULL with an error. */
char *rundir_file(const struct rundir *directory, const char *name, struct message *error);

void rundir_free(struct rundir *directory);

#endif
