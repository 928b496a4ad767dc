/* The files of IMB-IO, and the measurement of accesses to them. */
#ifndef IMB_COMPAT_MPI_FILES_H
#define IMB_COMPAT_MPI_FILES_H

#include "common/mpi/file.h"
#include "imb_compat/mpi/kernels.h"
#include "imb_compat/mpi/run.h"

/* ---- files.c ---- */

/* The files of the current table. This struct lives until the process exits, because the files have to be
 * removed however the run ends. */
struct imb_files {
    struct comm *comm;
    const struct imb_table *table;
    char own[IMB_FILE_NAME_SIZE];  /* file that this process created, or "" */
    char path[IMB_FILE_NAME_SIZE]; /* file that this process uses */
    uint32_t loops;                /* loops run on these files so far; each loop writes different content */
    bool described;                /* the hints in force have been written to the protocol */
};

/* Returns true if a call succeeded. Otherwise records this process's failure and returns false. */
bool imb_file_call(const struct imb_files *files, int code, const char *call);
#define CHECK(files, call) imb_file_call(files, call, #call)

/* Returns true if each process has its own file. */
static inline bool imb_is_private(const struct imb_table *table)
{
    return table->benchmark->flags & IMB_PRIVATE;
}

/* Returns the seed of the content of this process's file before any benchmark writes to it. */
uint32_t imb_file_seed(const struct imb_context *context);

/* ---- access.c: one size ---- */

struct imb_access {
    struct imb_measurement base; /* must be first */
    struct comm *comm;
    struct imb_files *files;
    const struct imb_table *table;
    const struct imb_io_call *call;
    int64_t x;
    struct imb_portion portion;
    struct imb_placing placing;
    struct imb_chunk chunk;
    bool is_open, opens; /* opens: Open_Close opens the file in each repetition */
    bool writes, together;
    char *data, *back; /* data: a portion in each place; back: buffer into which written data are read back */
    struct imb_tally tally; /* portions that this process read in any order */
    MPI_Request *requests;  /* one for each repetition */
    MPI_Status *statuses;
    long started; /* calls started in the current loop */
};

/* Returns the place of a repetition's portion in the buffer. */
static inline char *imb_access_place(const struct imb_access *io, int64_t repetition)
{
    return io->data + repetition % io->base.memory.places * io->portion.bytes;
}

/* Returns the seed of the content that the current loop writes, which differs for each loop and group. */
uint32_t imb_written_seed(const struct imb_access *io);

/* Returns true if this loop starts all calls before it waits for any of them. */
bool imb_starts_all(const struct imb_access *io);

bool imb_access_open(struct imb_access *io, MPI_Comm comm, int mode);

/* Makes written data visible to all processes of the group: sync, barrier, sync. */
void imb_access_sync(struct imb_access *io);

/* Checks that a call succeeded and moved all bytes. */
void imb_access_moved(struct imb_access *io, int code, const MPI_Status *status, int bytes, const char *name);

/* Members of struct imb_kind. */
struct imb_measurement *imb_access_prepare(const struct imb_context *context, const struct imb_memory *memory,
                                           bool checking);
void imb_access_begin(struct imb_measurement *m);
void imb_access_end(struct imb_measurement *m);
void imb_access_free(struct imb_measurement *m);
int imb_access_synchronise(void *measurement);
int imb_access_repeat(void *measurement, long iteration);
int imb_access_complete(void *measurement);

/* ---- access_check.c ---- */

/* Checks the data of the last loop. Timed reads that are all started together share one buffer, so their data
 * cannot be checked. */
void imb_access_check(struct imb_measurement *m);

#endif
