/* Files of MPI-IO. Functions that return int return an MPI error code. */
#ifndef COMMON_MPI_FILE_H
#define COMMON_MPI_FILE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/mpi/comm.h"

/* The mode for a new file. It must not exist, and a symbolic link is not followed. */
enum { FILE_NEW = MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL };

/* Opens a file on all processes of `comm`. This and later calls on the file return errors. Collective. */
int file_open(MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *file);

/* Sets the process's view of a file: from `displacement` on, a chunk of `chunk` bytes every `stride` bytes,
 * or all bytes if `stride` is 0. Collective. */
int file_view(MPI_File file, MPI_Offset displacement, int chunk, MPI_Offset stride, MPI_Info info);

/* Returns true if a call transferred all of `bytes`. Otherwise keeps the call and the activity as this
 * process's failure: see comm_fail(). */
bool file_check_whole(struct comm *comm, const MPI_Status *status, int bytes, const char *call,
                      const char *path);

/* Checks the result of a call on a file. `call` starts with the name of the function and "(". Keeps an error,
 * with the activity, as this process's failure: see comm_fail(). */
void file_check(struct comm *comm, int code, const char *call, const char *path);

/* Writes the hints in force into `text`, as "key=value key=value ...", or "" if there are none. */
void file_hints(MPI_File file, char *text, size_t size);

/* Writes the value of a hint in force into `value` (MPI_MAX_INFO_VAL + 1 bytes). Returns false if MPI does
 * not report this hint. */
bool file_hint(MPI_File file, const char *key, char *value);

#endif
