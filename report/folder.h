/* Files that are written into a folder that others may have made: never through a symbolic link, and never
 * half a file. Pure. */
#ifndef REPORT_FOLDER_H
#define REPORT_FOLDER_H

#include <stdio.h>

#include "common/text.h"

/* Opens a folder, which is made if it is missing. A symbolic link is refused. A descriptor, or -1 with one
 * line. */
int folder_make(const char *path, struct message *error);

/* A new file that takes a name's place in a folder once it is whole. */
struct folder_file {
    int folder;
    char name[160], partial[40];
    FILE *out; /* to write to */
};

/* 0, or -1 with one line. */
int folder_start(struct folder_file *file, int folder, const char *name, struct message *error);

/* Gives the file its name, or removes it unless `keep`. 0, or -1 with one line, and no file.
 */
int folder_finish(struct folder_file *file, int keep, struct message *error);

/* Writes a file that has what is in another one. 0, or -1 with one line. */
int folder_copy(int folder, const char *name, const char *from, struct message *error);

#endif
