/* One process's part in a file: opening, views, the five ways to write and to read a chunk, checked data
 * (docs/definition.md 2.1, 2.6, 2.7). */
#ifndef BEFF_IO_MPI_TRANSFER_H
#define BEFF_IO_MPI_TRANSFER_H

#include "beff_io/conductor.h"
#include "beff_io/hints.h"
#include "beff_io/settings.h"
#include "common/mpi/file.h"
#include "common/mpi/world.h"
#include "common/scratch.h"

enum { TRANSFER_FAILURE_SIZE = 480, TRANSFER_CHECKED = 1 << 20 };

struct transfer {
    struct world *world;       /* all processes */
    const struct world *group; /* those of the partition */
    const struct io_settings *settings;
    const struct hints *hints;
    int64_t mpart;
    const struct scratch *shared,
        *own; /* directories of shared files, and of this process's file of type 2 */

    void *area; /* content to be written, or chunks that were read */
    int64_t area_size;

    MPI_File file;
    bool is_open;
    char path[4096];

    struct io_order order;        /* the pattern */
    struct content first, second; /* of initial write and rewrite */
    int64_t slots, held, checked; /* chunks that fit in the area; of these, read and not checked; checked */
    int64_t errors;
    int64_t reported;
    double excluded;                     /* seconds that the clock leaves out */
    char failure[TRANSFER_FAILURE_SIZE]; /* "": nothing failed on this process so far */
};

/* Allocates and touches the area. 0, or -1 when out of memory. */
int transfer_make(struct transfer *transfer, int64_t mpart);
void transfer_free(struct transfer *transfer);

/* Bytes of memory that a process needs. */
int64_t transfer_memory(int64_t mpart);

/* Opens the file of the order's type; closes it. What fails is kept in `failure`. */
void transfer_open(struct transfer *transfer, const struct io_order *order);
void transfer_close(struct transfer *transfer);

/* Prepares the data of a pattern, then its view: two steps, so that the view alone can be timed. */
void transfer_prepare(struct transfer *transfer, const struct io_order *order);
void transfer_view(struct transfer *transfer);

/* One call; also checks what was read when the area is full, outside of the clock. After a failure collective
 * calls are still made, as the others wait for them. */
void transfer_call(struct transfer *transfer, int64_t call);

/* Checks what was read and not yet checked. */
void transfer_check_rest(struct transfer *transfer);

void transfer_sync(struct transfer *transfer);

/* Whether all processes of the partition are in each call. */
bool transfer_is_collective(enum io_type type);

/* Keeps the first failure, and starts the guard's patience: the others may hang. */
void transfer_fail(struct transfer *transfer, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
