/* Files that are written into a folder that others may have made: never through a symbolic link, and never
 * half a file. */
#ifndef REPORT_FOLDER_H
#define REPORT_FOLDER_H

#include <stdio.h>

#include "common/text.h"

/* Opens a folder, which is made if it is missing. A symbolic link is refused. A descriptor, or -1 with one
 * line. */
int folder_make(const char *path, struct message *error);

/* Writes a file into an open folder; under its name there is the whole file, or what was there before.
 * Returns 0, or -1 with a message in `error`. */
int folder_write(int folder, const char *name, const char *text, size_t size, struct message *error);

#endif
