/* The files of a table of IMB-IO: made anew, filled if they are to be read, removed; and what failed. */
#ifndef IMB_COMPAT_MPI_FILES_H
#define IMB_COMPAT_MPI_FILES_H

#include "common/mpi/machine.h"
#include "imb_compat/file.h"
#include "imb_compat/mpi/runner.h"

/* Those of the table under way. It stays until the process exits, so that whoever ends the run can remove
 * them. */
struct imb_files {
    struct comm *comm;
    const struct imb_table *table;
    time_t since;                  /* the run began */
    _Atomic int made;              /* all of them exist and are this run's */
    char own[IMB_FILE_NAME_SIZE];  /* the one that this process made; "": none */
    char path[IMB_FILE_NAME_SIZE]; /* the one that it uses */
    uint32_t runs;                 /* on the table's files so far: each writes another content */
    struct imb_end *end;           /* of the run */
    char hints[1600];              /* of MPI-IO, in force; "": not known yet */
    bool hints_told;
};

/* NULL when out of memory. At the exit of the process, also one that MPI brings about, the files are removed.
 */
struct imb_files *imb_files_new(struct comm *comm, struct imb_end *end);

/* Before anything runs: no name that the run will use exists, and there is space for the largest table.
 * Collective over the comm; what is wrong is told. */
enum exit_status imb_files_check(struct comm *comm, const struct machine *machine,
                                 const struct imb_tables *tables, const struct imb_sizes *listed);

/* Makes the files of a table, as long as what its sizes move, filled with content if it reads; what ended
 * that early stands in `end`. Collective over the active processes. */
void imb_files_make(struct imb_files *files, const struct imb_context *context,
                    const struct imb_sizes *sizes);

/* Removes them. Collective. */
void imb_files_remove(struct imb_files *files, const struct imb_context *context);

/* The same by one process for all, in any thread, when the run ends early. */
void imb_files_remove_all(struct imb_files *files);

/* Whether something failed on any active process: then it stands in `end`, and all know what failed on the
 * first such. Collective over them. */
bool imb_files_agree(struct imb_files *files, const struct imb_context *context);

/* Of a file's content. */
uint32_t imb_files_seed(const struct imb_context *context);

#endif
