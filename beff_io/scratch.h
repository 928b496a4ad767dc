/* Scratch files. Each run creates a new scratch directory in a directory that the user chose, and removes
 * only its own files. The scratch directory is named beff_io.scratch.HOST-PID-TIME, with the host and PID of
 * rank 0. Its name is the same in --path and in every directory of --separated-paths. It contains:
 *
 * - n<processes>.<type>: one file per partition, for all types except separated;
 * - n<processes>.separated.<rank>: one file per partition and rank in it;
 * - [.]n<processes>.<type>...: files that an MPI library creates next to these files. */
#ifndef BEFF_IO_SCRATCH_H
#define BEFF_IO_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "beff_io/patterns.h"
#include "common/text.h"

struct scratch {
    char *path; /* the directory; NULL if there is none */
    bool made;  /* this process created the directory and removes it */
};

/* Writes the name of a run's scratch directories to `name`. All processes of the run use the same name. */
enum { SCRATCH_NAME_SIZE = 256 };
void scratch_name(const char *host, char name[SCRATCH_NAME_SIZE]);

/* Returns a path for a message: the whole path, or the end of a long one. */
const char *scratch_shown(const char *path);

/* Creates the directory `parent`/`name`, accessible to this user only. Fails if the directory exists, unless
 * `shared` is set, which means that another process of the run may have created it first. */
int scratch_make(struct scratch *scratch, const char *parent, const char *name, bool shared,
                 struct message *error);

/* Writes the path of a file in `directory` to `path`. `rank` is used only if the type is separated. */
void scratch_file(const char *directory, int64_t processes, enum io_type type, int rank, char *path,
                  size_t size);

/* Removes the run's files in the directory `path`, and then the directory. If the directory contains files
 * with other names, keeps them and the directory. Returns 0 or an errno: ENOTEMPTY if there are such files.
 * Makes only system calls, allocates no memory and takes no lock, so signal handlers may call it. */
int scratch_clear(const char *path);

/* Calls scratch_clear() if this process made the directory. */
int scratch_remove(const struct scratch *scratch, struct message *error);

void scratch_free(struct scratch *scratch);

/* Adds a line for each scratch directory in `parent` that belongs to this user, with the command that removes
 * it. */
void scratch_leftovers(const char *parent, struct texts *lines);

#endif
