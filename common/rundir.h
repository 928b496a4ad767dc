/* The directory of one run and the files in it. Pure. */
#ifndef COMMON_RUNDIR_H
#define COMMON_RUNDIR_H

#include <stdbool.h>

#include "common/engine.h"

/* Key of the lines of run.prot that list the run's files. */
#define RUNDIR_FILE_KEY "file"

/* First line of a plot's script, with its own name and the picture's. */
#define RUNDIR_PLOT_LINE(script, picture) "# gnuplot " script " > " picture

/* Makes the directory and its parents; its path is in memory of its own, also after an error. path NULL:
 * protocols/runs/<program>-<host>-n<processes>-<UTC time>, with a number behind it if that exists. An
 * existing directory is refused unless it is empty, or `force` is given: then the files that an earlier run
 * lists in its run.prot are removed, and its plots, and only those; any other file of a name that the run
 * would write is a reason to refuse, too. */
enum exit_status rundir_make(char **directory, const char *path, bool force, const char *program,
                             const char *host, long long processes, struct message *error);

/* Path of a file in it, in memory of its own; a folder in it is made if it is missing. NULL with an error. */
char *rundir_file(const char *directory, const char *name, struct message *error);

#endif
