/* Files through MPI-IO: opening one's own, sizes, hints in force. Functions return MPI error codes. */
#ifndef COMMON_MPI_FILE_H
#define COMMON_MPI_FILE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum file_use {
    FILE_NEW,       /* created, must not exist, for writing */
    FILE_OVERWRITE, /* exists, for writing */
    FILE_READ,      /* exists, for reading */
    FILE_BOTH       /* for both; made if it is not there */
};

/* Opens for all processes of `comm`; errors are returned, also by later calls. `unique`: nobody else opens
 * it. */
int file_open(MPI_Comm comm, const char *path, enum file_use use, bool unique, MPI_Info info, MPI_File *file);

/* Starts the process's view at `displacement`: every `stride` bytes a chunk of `chunk` bytes; stride 0: all
 * bytes. Collective. */
int file_view(MPI_File file, MPI_Offset displacement, int chunk, MPI_Offset stride, MPI_Info info);

/* Whether a call transferred all of `bytes`. */
bool file_is_whole(const MPI_Status *status, int bytes, int *transferred);

/* What MPI says of an error code, without the calls that led to it. */
void file_error_text(int code, char *text, size_t size);

/* The hints that the implementation uses, as "key=value key=value ...", "" if it tells none. */
void file_hints(MPI_File file, char *text, size_t size);

#endif
