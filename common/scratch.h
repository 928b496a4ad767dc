/* Scratch files: a directory of a run's own inside of one of the user's, in which nothing is but what the run
 * wrote. It is created, never found; only what is in it is removed. Pure. */
#ifndef COMMON_SCRATCH_H
#define COMMON_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/text.h"

struct scratch {
    char *path;  /* the directory; NULL: none was made */
    bool shared; /* it was made by another process, which removes it */
};

/* Name of the directory of a run, for all processes: "<program>.scratch.<host>-<process id>-<UTC time>". */
char *scratch_name(const char *program);

/* Makes `parent`/`name`, which must not exist in any form, for this user alone, with a mark that tells whose
 * it is. With `shared` one that the mark of this run is in is taken, too (another process of the run was
 * faster). Returns 0, or -1 with one line. */
int scratch_make(struct scratch *scratch, const char *parent, const char *name, bool shared,
                 struct message *error);

/* Path of a file in it, in memory of its own; NULL when out of memory. */
char *scratch_file(const struct scratch *scratch, const char *name);

/* Removes the regular files in the directory, and it. Safe at any time, in any thread, more than once. What
 * can't be removed is told: -1 with one line. */
int scratch_remove(const struct scratch *scratch, struct message *error);

/* Leaves the files, marked as kept, so that no later run takes them for a leftover. */
void scratch_keep(const struct scratch *scratch);

void scratch_free(struct scratch *scratch);

/* Looks for directories that earlier runs of `program` left behind in `parent`: removed if the mark in it is
 * ours, of this user and this host, and that process is no more. `tell` gets one line for each that was
 * found, is not of a running process, and was not kept on purpose. */
void scratch_leftovers(const char *parent, const char *program, void (*tell)(void *context, const char *line),
                       void *context);

/* Bytes that may still be written to the file system of `path`, and whether it lives in memory. -1 if that is
 * not known. */
int64_t scratch_free_bytes(const char *path, bool *in_memory);

/* Asks the system to forget what it has of a file in memory; then the share of it that it still has, from 0
 * to 1; -1 if that can't be found out. */
double scratch_drop_cache(const char *path);

#endif
