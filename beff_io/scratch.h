/* Scratch files: a directory of the run's own inside one of the user's, with nothing in it but what the run
 * wrote. It is always created, never reused; only what is in it is removed (docs/definition.md 2.8). Pure. */
#ifndef BEFF_IO_SCRATCH_H
#define BEFF_IO_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/text.h"

struct scratch {
    char *path;  /* the directory; NULL: none was made */
    bool shared; /* made by another process, which removes it */
};

/* Name of a run's directory, for all its processes: "<program>.scratch.<host>-<process id>-<UTC time>". */
enum { SCRATCH_NAME_SIZE = 256 };
void scratch_name(const char *program, char name[SCRATCH_NAME_SIZE]);

/* Makes `parent`/`name`, which must not exist in any form, accessible to this user alone, with a mark that
 * identifies its owner. With `shared`, one that carries the mark of this run is accepted, too (another
 * process of the run was faster). Returns 0, or -1 with one line. */
int scratch_make(struct scratch *scratch, const char *parent, const char *name, bool shared,
                 struct message *error);

/* Makes a partition's directory in it, unless another process of the run was faster. 0, or -1 with one line.
 */
int scratch_directory(const struct scratch *scratch, int64_t processes, struct message *error);

/* Removes the directory and the regular files in it and in its directories. Safe at any time, in any thread,
 * more than once. 0, or -1 with one line if something can't be removed. */
int scratch_remove(const struct scratch *scratch, struct message *error);

/* Leaves the files and marks them (--keep), so that no later run takes them for leftovers. */
void scratch_keep(const struct scratch *scratch);

void scratch_free(struct scratch *scratch);

/* Looks for directories that earlier runs of `program` left in `parent`. One is removed if it belongs to this
 * user and its mark names a process of this host, boot and PID namespace that has ended; with `elsewhere`,
 * also if it names another host, boot or namespace. `lines` gets one for each that belongs to no running
 * process and was not kept on purpose. */
void scratch_leftovers(const char *parent, const char *program, bool elsewhere, struct texts *lines);

#endif
