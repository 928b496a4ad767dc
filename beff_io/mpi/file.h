/* The file of a command: opens it with its hints, sets its views, chooses the MPI calls, keeps its errors,
 * and finds out which processes transfer its data (docs/definition-beff_io-2.md 3, docs/file-systems.md). */
#ifndef BEFF_IO_MPI_FILE_H
#define BEFF_IO_MPI_FILE_H

#include "beff_io/mpi/partition.h"
#include "beff_io/scheduler.h"
#include "common/mpi/file.h"

/* The MPI calls of a pattern type. */
struct io_call {
    const char *write_name, *read_name;
    int (*write)(MPI_File, const void *, int, MPI_Datatype, MPI_Status *);
    int (*read)(MPI_File, void *, int, MPI_Datatype, MPI_Status *);
    bool collective, shared_pointer;
};

struct io_file {
    const struct io_job *job;
    MPI_File handle;
    bool is_open;
    char path[4096];
    int rank;                   /* rank whose chunks this process writes or reads */
    double share;               /* bytes that this process transfers for each byte of its calls */
    const struct io_call *call; /* the MPI calls in use */
    bool failed_remotely;       /* this process only received MPI's report that another process failed */
};

/* Opens the file for a command. With --shift-reads, the order of the processes for reading differs from the
 * order for writing. */
void io_file_open(struct io_file *file, const struct io_partition *partition,
                  const struct io_command *command);

/* Sets the view of the command's pattern. */
void io_file_view(struct io_file *file, const struct io_command *command);

/* Returns true if a hint applies when the command opens the file or, for IO_PATTERN, sets its view. */
bool io_file_uses_hint(const struct io_job *job, const struct io_command *command, const struct hint *hint);

/* Closes the file if it is open, even after an error. */
void io_file_close(struct io_file *file);

/* Checks the result of a call on the file; an error becomes this process's failure: see comm_fail(). */
void io_file_check(struct io_file *file, int code, const char *call);

/* Returns true if an error means that the file system is full or that a quota or limit is reached. */
bool io_file_is_full(int code);

/* Checks after closing that the file has at least `end` bytes. */
void io_file_check_size(const struct io_file *file, int64_t end);

/* Removes the file of a partition and type; for type 2, the file that this rank of the partition wrote. */
void io_file_remove(const struct io_job *job, int partition, enum io_type type, int rank);

#endif
