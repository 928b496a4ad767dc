/* Files of IMB-IO. Uses file, sizes, common/mpi/file, scratch. */
#include "imb_compat/mpi/files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/mpi/file.h"
#include "common/scratch.h"

enum { FILL_PIECE = 1 << 20 };

bool imb_files_agree(struct imb_files *f, const struct imb_context *context)
{
    struct comm *comm = f->comm;
    int own = *comm->failure ? context->number : INT_MAX, first;
    COMM_CHECK(comm, MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, context->active));
    if (first < INT_MAX && !f->end->failed) {
        f->end->failed = true;
        COMM_CHECK(comm, MPI_Bcast(comm->failure, sizeof comm->failure, MPI_CHAR, first, context->active));
    }
    return f->end->failed;
}

/* ---- names ---- */

static bool is_private(const struct imb_table *table)
{
    return table->benchmark->flags & IMB_PRIVATE;
}

static void name_file(char name[IMB_FILE_NAME_SIZE], const struct imb_table *table, int group, int rank)
{
    imb_file_name(name, table->settings->multi >= 0 ? group : -1, is_private(table) ? rank : -1);
}

uint32_t imb_files_seed(const struct imb_context *context)
{
    return (uint32_t)(is_private(context->table) ? context->comm->rank : context->group);
}

/* ---- removing ---- */

/* ROMIO keeps the shared pointer of NAME in .NAME.shfp.NUMBERS beside it, and removes that when NAME is
 * closed: not if the run ends before. Those that are older than this run are not its own. */
static void remove_pointers(const char *name, time_t since)
{
    char start[IMB_FILE_NAME_SIZE + 8];
    struct stat status;
    int length = snprintf(start, sizeof start, ".%s.shfp.", name);
    DIR *here = opendir(".");
    for (struct dirent *entry; here && (entry = readdir(here));)
        if (strncmp(entry->d_name, start, (size_t)length) == 0 && lstat(entry->d_name, &status) == 0 &&
            S_ISREG(status.st_mode) && status.st_uid == geteuid() && status.st_mtime >= since)
            unlink(entry->d_name);
    if (here)
        closedir(here);
}

void imb_files_remove_all(struct imb_files *f)
{
    char name[IMB_FILE_NAME_SIZE];
    if (*f->own)
        unlink(f->own);
    if (!atomic_load(&f->made))
        return; /* a file that stands in the way may be the user's */
    const struct imb_groups *groups = &f->table->groups;
    bool private = is_private(f->table);
    for (int group = 0; group < groups->count; group++)
        for (int i = 0; i < (private ? groups->size : 1); i++) {
            name_file(name, f->table, group, imb_groups_rank(groups, group, i));
            unlink(name);
            if (!private)
                remove_pointers(name, f->since);
        }
}

static void at_exit(int status, void *files)
{
    (void)status;
    imb_files_remove_all(files);
}

struct imb_files *imb_files_new(struct comm *comm, struct imb_end *end)
{
    struct imb_files *files = calloc(1, sizeof *files);
    if (files) {
        files->comm = comm;
        files->end = end;
        files->since = time(NULL);
        on_exit(at_exit, files);
    }
    return files;
}

void imb_files_remove(struct imb_files *f, const struct imb_context *context)
{
    COMM_CHECK(f->comm, MPI_Barrier(context->active));
    if (*f->own && unlink(f->own))
        comm_fail(f->comm, "%s cannot be removed: %s (rank %d)", f->own, strerror(errno), f->comm->rank);
    atomic_store(&f->made, 0);
    *f->own = 0;
    imb_files_agree(f, context);
}

/* ---- making ---- */

/* Bytes that a table moves through one file at most. */
static int64_t extent_of(const struct imb_table *table, const struct imb_sizes *sizes, int rank)
{
    int64_t most = 0;
    int size = table->groups.size;
    for (int i = 0; i < sizes->count; i++) {
        int64_t x = sizes->bytes[i];
        int64_t n = imb_repetitions(table->settings, table->benchmark, table->mode, sizes->listed, x, size);
        int64_t bytes = n * imb_placing_of(table->benchmark, x, rank, size).step;
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Whether the run has to end. */
static bool is_over(struct imb_files *f, const struct imb_context *context)
{
    f->end->signal = guard_signal(&f->comm->guard);
    f->end->time_is_up = comm_elapsed(f->comm) >= context->table->settings->run.time;
    return f->end->signal || f->end->time_is_up;
}

static int fill(struct imb_files *f, const struct imb_context *context, MPI_File file, int64_t extent)
{
    const uint32_t seed = imb_files_seed(context);
    char *piece = malloc(FILL_PIECE);
    int code = piece ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    for (int64_t at = 0; at < extent && code == MPI_SUCCESS && !is_over(f, context); at += FILL_PIECE) {
        MPI_Status status;
        int bytes = extent - at < FILL_PIECE ? (int)(extent - at) : FILL_PIECE, written;
        imb_content_fill(seed, at, piece, bytes);
        code = MPI_File_write_at(file, at, piece, bytes, MPI_BYTE, &status);
        if (code == MPI_SUCCESS && !file_is_whole(&status, bytes, &written))
            code = MPI_ERR_IO;
    }
    free(piece);
    return code;
}

static void make_own(struct imb_files *f, const struct imb_context *context, int64_t extent)
{
    MPI_File file;
    int code = file_open(MPI_COMM_SELF, f->path, FILE_NEW, true, MPI_INFO_NULL, &file);
    file_check(f->comm, code, "MPI_File_open", f->path);
    if (code != MPI_SUCCESS)
        return;
    memcpy(f->own, f->path, sizeof f->own);
    file_check(f->comm, MPI_File_set_size(file, extent), "MPI_File_set_size", f->path);
    if (!(context->table->benchmark->flags & IMB_WRITES) && !*f->comm->failure)
        file_check(f->comm, fill(f, context, file, extent), "MPI_File_write_at", f->path);
    file_check(f->comm, MPI_File_close(&file), "MPI_File_close", f->path);
}

void imb_files_make(struct imb_files *f, const struct imb_context *context, const struct imb_sizes *sizes)
{
    f->table = context->table;
    f->runs = 0;
    name_file(f->path, f->table, context->group, f->comm->rank);
    if (is_private(f->table) || context->rank == 0)
        make_own(f, context, extent_of(context->table, sizes, context->rank));
    if (imb_files_agree(f, context))
        return;
    struct imb_end own = *f->end;
    COMM_CHECK(f->comm, MPI_Allreduce(&own, f->end, IMB_END_MEMBERS, MPI_INT, MPI_MAX, context->active));
    atomic_store(&f->made, 1);
}

/* ---- before anything runs: each table of the run ---- */

/* Whether the name of the file that this process will make is free. */
static int check_name(const struct comm *comm, const struct imb_table *table, struct message *error)
{
    const struct imb_groups *groups = &table->groups;
    char name[IMB_FILE_NAME_SIZE];
    struct stat status;
    int number = imb_map_number(comm->rank, groups->map_p, groups->map_q);
    if (number >= imb_groups_active(groups) || (!is_private(table) && number % groups->size))
        return 0;
    name_file(name, table, number / groups->size, comm->rank);
    if (lstat(name, &status) == 0)
        return message_set(error,
                           "%s already exists in the working directory and is not of this run: move it "
                           "away, or start elsewhere (rank %d)",
                           name, comm->rank);
    return 0;
}

static int check_space(const struct imb_sizes *listed, const struct imb_table *table, int64_t free_bytes,
                       struct message *error)
{
    const struct imb_groups *groups = &table->groups;
    struct imb_sizes sizes;
    if (imb_sizes_make(&sizes, table->settings, listed, table->benchmark, 1))
        return message_set(error, "out of memory for the sizes");
    int64_t bytes = 0;
    int files = is_private(table) ? groups->size : 1;
    for (int rank = 0; rank < files; rank++)
        bytes += groups->count * extent_of(table, &sizes, rank);
    imb_sizes_free(&sizes);
    if (bytes <= free_bytes)
        return 0;
    return message_set(
        error,
        "not enough space: %s on %d processes takes %.1f MB, the working directory has %.1f MB "
        "free; -iter COUNT,VOLUME or -msglog reduces it",
        table->benchmark->name, groups->size, (double)bytes / 1e6, (double)free_bytes / 1e6);
}

/* Of the working directory, as far as it is known; INT64_MAX otherwise. */
static int64_t find_free_bytes(const struct machine *machine)
{
    bool in_memory;
    int64_t bytes = scratch_free_bytes(".", &in_memory), memory = machine->node.available_mib * 1048576;
    if (in_memory && memory > 0 && memory < bytes)
        bytes = memory;
    return bytes < 0 ? INT64_MAX : bytes;
}

enum exit_status imb_files_check(struct comm *comm, const struct machine *machine,
                                 const struct imb_tables *tables, const struct imb_sizes *listed)
{
    struct message error = {""};
    int64_t free_bytes = comm->rank == 0 ? find_free_bytes(machine) : INT64_MAX;
    int failed = 0;
    for (size_t i = 0; i < tables->count && !failed; i++)
        failed = tables->table[i].groups.size && check_name(comm, &tables->table[i], &error);
    if (!failed && access(".", W_OK | X_OK))
        failed = message_set(&error, "cannot create files in the working directory: %s (rank %d)",
                             strerror(errno), comm->rank);
    for (size_t i = 0; i < tables->count && !failed && comm->rank == 0; i++)
        failed = tables->table[i].groups.size && check_space(listed, &tables->table[i], free_bytes, &error);
    return comm_agree(comm, failed ? EXIT_ENVIRONMENT : EXIT_RATED, &error);
}
