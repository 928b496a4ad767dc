/* The files of a table of IMB-IO: made anew, filled if they are to be read, removed; and what failed. */
#ifndef IMB_COMPAT_MPI_FILES_H
#define IMB_COMPAT_MPI_FILES_H

#include "imb_compat/file.h"
#include "imb_compat/mpi/measurer.h"
#include "imb_compat/mpi/run.h"

enum { IMB_FAILURE_SIZE = 480 };

/* What cut the filling of a file short, so that it can't be read. */
struct imb_cut {
    int signal;     /* 0: none */
    int time_is_up; /* of the whole run */
};

/* Those of the table under way. It stays until the process exits, so that whoever ends the run can remove
 * them. */
struct imb_files {
    struct world *world;
    struct imb_groups groups;
    time_t since;                   /* the run began */
    bool grouped, private;          /* whether names have the group and the rank in them */
    _Atomic int made;               /* all of them exist and are this run's */
    char own[IMB_FILE_NAME_SIZE];   /* the one that this process made; "": none */
    char path[IMB_FILE_NAME_SIZE];  /* the one that it uses */
    struct imb_cut cut;             /* known to all of the table */
    uint32_t runs;                  /* on the table's files so far: each writes another content */
    char failure[IMB_FAILURE_SIZE]; /* "": nothing failed on this process */
    bool failed;                    /* something failed somewhere: known to all of the table */
    char hints[1600];               /* of MPI-IO, in force; "": not known yet */
    bool hints_told;
};

/* NULL when out of memory. At the exit of the process, also one that MPI brings about, the files are removed.
 */
struct imb_files *imb_files_new(struct world *world);

/* Before anything runs: no name that the run will use exists, and there is space for the largest table.
 * Collective over the world; what is wrong is told. */
enum exit_status imb_files_check(struct imb_run *run);

/* Makes the files of a table, as long as what its sizes move, filled with content if it reads. Whether
 * that failed; `cut` tells whether it ended early. Collective over the active processes. */
bool imb_files_make(struct imb_files *files, const struct imb_site *site, const struct imb_sizes *sizes);

/* Removes them. Whether something failed, now or before. Collective. */
bool imb_files_remove(struct imb_files *files, const struct imb_site *site);

/* The same by one process for all, in any thread, when the run ends early. */
void imb_files_remove_all(struct imb_files *files);

/* Keeps the first failure, and starts the guard's patience: others may wait for this process. */
void imb_files_fail(struct imb_files *files, const char *format, ...) __attribute__((format(printf, 2, 3)));
void imb_files_check_code(struct imb_files *files, int code, const char *call);

/* Whether something failed on any active process: then all know what failed on the first such. Collective
 * over them. */
bool imb_files_agree(struct imb_files *files, const struct imb_site *site);

/* Of a file's content (content.h). */
uint32_t imb_files_seed(const struct imb_site *site);

#endif
