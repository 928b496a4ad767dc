/* Writes whole files into folders that other users may have created, without following symbolic links. */
#ifndef REPORT_FOLDER_H
#define REPORT_FOLDER_H

#include <stdio.h>

#include "common/text.h"

/* Opens a folder, and creates it if it is missing. Refuses a symbolic link. Returns a descriptor, or -1 with
 * a message in `error`. */
int folder_make(const char *path, struct message *error);

/* Writes a file into an open folder. After a failure, an existing file of that name is unchanged. Returns 0
 * on success, or -1 with a message in `error`. */
int folder_write(int folder, const char *name, const char *text, size_t size, struct message *error);

#endif
