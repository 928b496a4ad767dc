/* The files of IMB-IO: checks that none exists, creates, fills and removes the files of a table
 * (docs/definition-imb.md 9). */
#include "imb_compat/mpi/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/memory.h"

enum { FILL_PIECE = 1 << 20, FILL_ROUND = 16 };

/* ---- calls ---- */

bool imb_file_call(const struct imb_files *f, int code, const char *call)
{
    file_check(f->comm, code, call, f->path);
    return code == MPI_SUCCESS;
}

uint32_t imb_file_seed(const struct imb_context *context)
{
    return (uint32_t)(imb_is_private(context->table) ? context->run->run.comm->rank : context->group);
}

/* ---- names ---- */

static void name_file(char name[IMB_FILE_NAME_SIZE], const struct imb_table *table, int group, int rank)
{
    imb_file_name(name, table->settings->multi >= 0 ? group : -1, imb_is_private(table) ? rank : -1);
}

/* ---- removing ---- */

/* Removes the files in which ROMIO keeps the shared file pointer of `name`, .NAME.shfp.NUMBER. ROMIO removes
 * them only when the file is closed. Async-signal-safe. glibc has getdents64() only since 2.30. */
static void remove_pointers(const char *name)
{
    _Alignas(struct dirent) char entries[4096];
    char start[IMB_FILE_NAME_SIZE + 8];
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    stpcpy(stpcpy(stpcpy(start, "."), name), ".shfp.");
    for (long size; here >= 0 && (size = syscall(SYS_getdents64, here, entries, sizeof entries)) > 0;)
        for (const char *at = entries; at < entries + size;) {
            const struct dirent *entry = (const void *)at;
            if (strncmp(entry->d_name, start, strlen(start)) == 0)
                unlinkat(here, entry->d_name, 0);
            at += entry->d_reclen;
        }
    close(here);
}

static void remove_file(const void *context, size_t i)
{
    const struct imb_files *f = context;
    const struct imb_groups *groups = &f->table->groups;
    int size = imb_is_private(f->table) ? groups->size : 1;
    char name[IMB_FILE_NAME_SIZE];
    name_file(name, f->table, (int)i / size, imb_groups_rank(groups, (int)i / size, (int)i % size));
    unlink(name);
    if (!imb_is_private(f->table))
        remove_pointers(name);
}

static void remove_own(const void *context, size_t i)
{
    (void)i;
    unlink(((const struct imb_files *)context)->own);
}

/* Removes the files of a table. Collective over the active processes. */
void imb_files_close(const struct imb_context *context)
{
    struct imb_files *f = context->run->files;
    struct comm *comm = context->run->run.comm;
    COMM_CHECK(comm, MPI_Barrier(context->active));
    if (*f->own && unlink(f->own))
        comm_fail(comm, "%s cannot be removed: %s (rank %d)", f->own, strerror(errno), comm->rank);
    ending_set_files(0, NULL, NULL);
    *f->own = 0;
    imb_agree(context);
}

/* ---- creating ---- */

/* Returns the size that a table needs in one file: the maximum over its message sizes. */
static int64_t extent_of(const struct imb_table *table, const struct imb_sizes *sizes, int rank)
{
    int64_t max = 0;
    int size = table->groups.size;
    for (int i = 0; i < sizes->count; i++) {
        int64_t x = sizes->bytes[i];
        int64_t n = imb_repetitions(table, sizes->listed, x);
        int64_t bytes = n * imb_placing_of(table->benchmark, x, rank, size).step;
        max = bytes > max ? bytes : max;
    }
    return max;
}

/* Fills a part of a file with content. */
static void fill(const struct imb_files *f, const struct imb_context *context, MPI_File file, int64_t start,
                 int64_t end)
{
    char *piece = memory_new(1, FILL_PIECE, "the content of a file");
    for (int64_t at = start; at < end && !*f->comm->failure; at += FILL_PIECE) {
        MPI_Status status;
        int bytes = end - at < FILL_PIECE ? (int)(end - at) : FILL_PIECE;
        imb_content_fill(imb_file_seed(context), at, piece, bytes);
        if (CHECK(f, MPI_File_write_at(file, at, piece, bytes, MPI_BYTE, &status)))
            file_check_whole(f->comm, &status, bytes, "MPI_File_write_at", f->path);
    }
    free(piece);
}

/* Fills the files of all processes in rounds, and ends after a round if the run has to end. Collective over
 * the active processes. */
static void fill_all(const struct imb_files *f, const struct imb_context *context, MPI_File file,
                     int64_t extent)
{
    const int64_t step = (int64_t)FILL_ROUND * FILL_PIECE;
    struct imb_run *run = context->run;
    int64_t most;
    COMM_CHECK(f->comm, MPI_Allreduce(&extent, &most, 1, MPI_INT64_T, MPI_MAX, context->active));
    for (int64_t at = 0; at < most && !imb_agree(context) && !run->end.time_is_up; at += step) {
        fill(f, context, file, at, extent - at < step ? extent : at + step);
        run->end.time_is_up = comm_elapsed(f->comm) >= run->settings->run.time;
    }
}

static bool make_own(struct imb_files *f, const struct imb_context *context, int64_t extent, MPI_File *file)
{
    if (!imb_file_call(
            f, file_open(MPI_COMM_SELF, f->path, FILE_NEW | MPI_MODE_UNIQUE_OPEN, context->run->info, file),
            "MPI_File_open"))
        return false;
    memcpy(f->own, f->path, sizeof f->own);
    ending_set_files(1, remove_own, f); /* files with the other names may belong to the user */
    CHECK(f, MPI_File_set_size(*file, extent));
    return true;
}

/* Creates the files of a table, large enough for all its sizes. If the benchmark reads, also fills them. If a
 * failure, a signal or the time limit stops this early, sets run->end. Collective over the active
 * processes. */
void imb_files_open(const struct imb_context *context)
{
    struct imb_files *f = context->run->files;
    MPI_File file = MPI_FILE_NULL;
    f->table = context->table;
    f->loops = 0;
    name_file(f->path, f->table, context->group, f->comm->rank);
    const bool owns = imb_is_private(f->table) || context->rank == 0;
    const int64_t extent = owns ? extent_of(f->table, &context->sizes, context->rank) : 0;
    const bool made = owns && make_own(f, context, extent, &file);
    if (!(f->table->benchmark->flags & IMB_WRITES))
        fill_all(f, context, file, made ? extent : 0);
    if (made)
        CHECK(f, MPI_File_close(&file));
    if (imb_agree(context))
        return;
    int each = imb_is_private(f->table) ? f->table->groups.size : 1;
    ending_set_files((size_t)f->table->groups.count * (size_t)each, remove_file, f);
}

/* ---- checks before the first table ---- */

/* Returns 0, or -1 with a message if the file that this process will create for a table exists. */
static int check_name(const struct comm *comm, const struct imb_table *table, struct message *error)
{
    const struct imb_groups *groups = &table->groups;
    char name[IMB_FILE_NAME_SIZE];
    struct stat status;
    int number = imb_map_number(comm->rank, groups->map_p, groups->map_q);
    if (number >= groups->active || (!imb_is_private(table) && number % groups->size))
        return 0;
    name_file(name, table, number / groups->size, comm->rank);
    return lstat(name, &status)
               ? 0
               : message_set(error,
                             "%s already exists in the working directory and does not belong to this run: "
                             "move it away, or start in another directory (rank %d)",
                             name, comm->rank);
}

static int check_space(const struct imb_sizes *listed, const struct imb_table *table, int64_t free_bytes,
                       struct message *error)
{
    const struct imb_groups *groups = &table->groups;
    struct imb_sizes sizes;
    imb_sizes_make(&sizes, table, listed);
    double bytes = 0; /* total of all files; may exceed the range of int64_t */
    int files = imb_is_private(table) ? groups->size : 1;
    for (int rank = 0; rank < files; rank++)
        bytes += groups->count * (double)extent_of(table, &sizes, rank);
    free(sizes.bytes);
    if (free_bytes < 0 || bytes <= (double)free_bytes)
        return 0;
    return message_set(
        error,
        "not enough space: %s on %d process%s takes %.1f MB, but the working directory has only %.1f MB "
        "free: reduce the amount of data with -iter COUNT,VOLUME or -msglog",
        table->benchmark->name, groups->size, TEXT_ES(groups->size), bytes / 1e6, (double)free_bytes / 1e6);
}

/* Returns 0, or another value with a message if a file of a table already exists, files cannot be created, or
 * there is too little space. */
static int check_all_tables(const struct imb_run *run, struct message *error)
{
    const struct comm *comm = run->run.comm;
    const struct imb_tables *tables = &run->tables;
    struct sysinfo_space space;
    machine_space(&run->run.machine, ".", &space);
    int failed = 0;
    for (size_t i = 0; i < tables->count && !failed; i++)
        failed = tables->table[i].groups.size && check_name(comm, &tables->table[i], error);
    if (!failed && access(".", W_OK | X_OK))
        failed = message_set(error, "cannot create files in the working directory: %s (rank %d)",
                             strerror(errno), comm->rank);
    for (size_t i = 0; i < tables->count && !failed && comm->rank == 0; i++)
        failed =
            tables->table[i].groups.size && check_space(&run->listed, &tables->table[i], space.free, error);
    return failed;
}

/* Checks before the first table that none of the run's files exist and that there is space for the largest
 * table. Prints a message if a check fails. Collective. */
enum exit_status imb_files_set_up(struct imb_run *run)
{
    struct message error = {""};
    struct imb_files *files = run->files = memory_new(1, sizeof *files, "the files");
    files->comm = run->run.comm;
    return comm_agree(run->run.comm, check_all_tables(run, &error) ? EXIT_ENVIRONMENT : EXIT_OK, &error);
}
