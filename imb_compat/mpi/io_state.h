/* The state of one benchmark of IMB-IO with one size, and what its parts (io.c, io_check.c) share. */
#ifndef IMB_COMPAT_MPI_IO_STATE_H
#define IMB_COMPAT_MPI_IO_STATE_H

#include "imb_compat/mpi/files.h"
#include "imb_compat/mpi/ways.h"

struct imb_io {
    const struct imb_site *site;
    struct imb_files *files;
    struct imb_load *load;
    struct imb_mismatch *mismatch;
    const struct imb_way *way; /* NULL: Open_Close */
    int64_t x;
    struct imb_portion portion;
    struct imb_placing placing;
    struct imb_chunk chunk;
    bool is_open;
    bool writes, together;
    bool checking;
    char *data, *back; /* `places` portions; what was written, read again */
    int64_t places;
    int64_t *found, *all_found; /* what was read in any order: own and, on the first process, all entries */
    MPI_Request *requests;      /* of all repetitions */
    MPI_Status *statuses;

    /* The run under way. */
    bool overlapping;
    bool computing; /* not while probing */
    long started;   /* calls */
    int64_t repetitions;
    double *each;
};

/* Keeps the failure of a call. */
void imb_io_check_call(struct imb_io *io, int code, const char *name);

/* What was written is in the file, and seen by all (docs/definition.md 3.9; 3.0 synchronised once). */
void imb_io_complete(struct imb_io *io);

/* Whether the run under way starts all repetitions at once. */
bool imb_io_starts_all(const struct imb_io *io);

/* Of what a process of the group writes in this run (content.h): each run of each process writes another. */
uint32_t imb_io_written_seed(const struct imb_io *io, int rank);

/* Compares what repetition `i` read. */
void imb_io_check_read(struct imb_io *io, const char *data, int64_t i);

/* After a repetition of Open_Close: the byte that it wrote; the next one writes another. Collective over the
 * group. */
void imb_io_check_opened(struct imb_io *io);

/* After a run, outside of the clock: what it wrote, or has read at once. Collective over the group. */
void imb_io_check_all(struct imb_io *io);

#endif
