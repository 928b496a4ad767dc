/* The files of IMB-IO. */
#ifndef IMB_COMPAT_MPI_FILES_H
#define IMB_COMPAT_MPI_FILES_H

#include "common/mpi/file.h"
#include "imb_compat/mpi/run.h"

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

/* Members of imb_kind_files. Collective over all processes (set_up), or over the active processes. */
enum exit_status imb_files_set_up(struct imb_run *run);
void imb_files_open(const struct imb_context *context);
void imb_files_close(const struct imb_context *context);

#endif
