/* One process's part in a file: opening, views, writing and reading chunks, checking their data
 * (docs/definition.md 2.1, 2.6, 2.7). */
#ifndef BEFF_IO_MPI_TRANSFER_H
#define BEFF_IO_MPI_TRANSFER_H

#include "beff_io/content.h"
#include "beff_io/hints.h"
#include "beff_io/scheduler.h"
#include "beff_io/settings.h"
#include "common/mpi/file.h"
#include "common/mpi/comm.h"
#include "beff_io/scratch.h"

/* A wrong word, and the call that read it. */
struct transfer_error {
    struct content_mismatch word;
    int64_t call;
};

struct transfer {
    struct comm *comm, *group; /* all processes; those of the partition */
    const struct io_settings *settings;
    const struct io_task *task;
    const struct hints *hints;
    const struct scratch *shared;      /* directory of shared files */
    const struct scratch *_Atomic own; /* of this process's file of type 2; NULL until it is set up: the guard
                                          may clean up at any time */

    char *area; /* content to write, or chunks that were read */

    MPI_File file;
    int rank;     /* whose chunks are written or read */
    double share; /* bytes that this process moves for each byte of its calls */
    bool is_open;
    char path[4096];

    struct io_command command; /* the latest one */
    struct io_place place;     /* of its pattern */
    int64_t rewritten;         /* calls of that */
    struct content content[2]; /* of initial write and rewrite */
    int64_t held, checked;     /* calls that were read and are unchecked; checked */
    int64_t errors, noted;     /* wrong words; how many of the first are stored, up to -e */
    struct transfer_error *error;
    int64_t complete; /* calls that transferred everything, up to the first that did not */
    bool full;        /* one found no room left */
    bool second_hand; /* MPI reports another process's failure here */
    bool doubtful;    /* the failure may be another process's lack of room */
    double excluded;  /* seconds that the clock leaves out */
};

/* Allocates and touches the area for `task`, content_area() bytes. 0, or -1 when out of memory. */
int transfer_make(struct transfer *transfer);
void transfer_free(struct transfer *transfer);

/* Opens the file of the command's type for all processes of `comm`, in the order in which they wrote it;
 * closes it. Failures become those of the comm (comm_fail). */
void transfer_open(struct transfer *transfer, const struct io_command *command, MPI_Comm comm);
void transfer_close(struct transfer *transfer);

/* Path of the file of a type that a rank of a partition wrote, as in snprintf. */
int transfer_path(const struct transfer *transfer, int partition, enum io_type type, int rank, char *path,
                  size_t size);

/* Prepares the data of a pattern, then its view: two steps, so that the view alone can be timed. */
void transfer_prepare(struct transfer *transfer, const struct io_command *command,
                      const struct io_layout *layout);
void transfer_view(struct transfer *transfer);

/* One call; when the area is full, also checks what was read, outside the clock, without waiting for others.
 * Collective calls are made even after a failure, as the others wait for them. */
void transfer_call(struct transfer *transfer, int64_t call);

/* Checks what is read and unchecked. */
void transfer_check_rest(struct transfer *transfer);

/* Prints one line for each of the first wrong words, at most -e for all processes together. Collective. */
void transfer_print_errors(const struct transfer *transfer);

void transfer_sync(struct transfer *transfer);

/* Whether each call is made by all processes of the partition together. */
bool transfer_is_collective(enum io_type type);

/* Another process found no room left, which explains this one's doubtful failure. */
void transfer_forgive(struct transfer *transfer);

#endif
