/* Creates and locks the directory of a run, and, on request, removes an earlier run from it. */
#ifndef COMMON_RUNDIR_H
#define COMMON_RUNDIR_H

#include <stdbool.h>

#include "common/engine.h"

struct rundir {
    char *path;
    int lock; /* descriptor of the locked directory, or -1 */
};

/* Creates the directory and its parents, and locks it against other runs until rundir_free(), which must also
 * be called after an error. If `path` is NULL, the directory is
 * protocols/runs/<program>-<host>-n<processes>-<UTC time>, with a number appended if that exists. An existing
 * directory must be empty, or, with `force`, contain nothing but an earlier run, which is removed. Returns
 * EXIT_OK, or another status with a message in `error`. */
enum exit_status rundir_make(struct rundir *dir, const char *path, bool force, const char *program,
                             const char *host, long long processes, struct message *error);
void rundir_free(struct rundir *dir);

#endif
