/* Files through MPI-IO: opening, views, hints in force. int: an MPI error code. */
#ifndef COMMON_MPI_FILE_H
#define COMMON_MPI_FILE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/mpi/comm.h"

/* A file that must not exist: exclusive creation follows no symbolic link and takes no file that exists. */
enum { FILE_NEW = MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL };

/* Opens a file for all processes of `comm`, with errors returned by it and all later calls. */
int file_open(MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *file);

/* Starts the process's view at `displacement`: every `stride` bytes a chunk of `chunk` bytes; stride 0: all
 * bytes. Collective. */
int file_view(MPI_File file, MPI_Offset displacement, int chunk, MPI_Offset stride, MPI_Info info);

/* Whether a call transferred all of `bytes`; what was not is kept as this process's failure (comm_fail), with
 * what was being done. */
bool file_check_whole(struct comm *comm, const MPI_Status *status, int bytes, const char *call,
                      const char *path);

/* Keeps an error of a call on a file, whose name ends before its first "(", as this process's failure
 * (comm_fail), with what was being done. */
void file_check(struct comm *comm, int code, const char *call, const char *path);

/* The hints in force, as "key=value key=value ...", "" if the implementation reports none. */
void file_hints(MPI_File file, char *text, size_t size);

#endif
