#include "beff_io/mpi/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- aggregators ---- */

/* Returns the average number of bytes that this process transfers for each byte of its own collective calls:
 * 1 unless ROMIO uses aggregators. `interleaved` means that in some patterns, the chunks of one call
 * alternate in the file. ROMIO's driver for Lustre also aggregates other writes, unless it has a threshold.
 */
static double moved_share(MPI_File file, bool writes, bool interleaved, int rank, int size)
{
    char use[MPI_MAX_INFO_VAL + 1] = "", list[MPI_MAX_INFO_VAL + 1] = "", count[MPI_MAX_INFO_VAL + 1] = "";
    char threshold[MPI_MAX_INFO_VAL + 1] = "";
    file_hint(file, writes ? "romio_cb_write" : "romio_cb_read", use);
    file_hint(file, "romio_aggregator_list", list);
    file_hint(file, "cb_nodes", count);
    file_hint(file, "romio_lustre_coll_threshold", threshold);
    bool chosen = interleaved || (writes && strcmp(threshold, "0") == 0);
    bool aggregated = strcmp(use, "enable") == 0 || (strcmp(use, "automatic") == 0 && chosen);
    return aggregated ? hints_share(list, MPI_MAX_INFO_VAL, (int)strtol(count, NULL, 10), rank, size) : 1;
}

/* ---- errors ---- */

/* Returns true if MPI's text for an error contains `words`. */
static bool error_contains(int code, const char *words)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(code, text, &length);
    return strstr(text, words);
}

/* ROMIO reports most of these errors as MPI_ERR_IO with the system's text. */
bool io_file_is_full(int code)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    return class == MPI_ERR_NO_SPACE || class == MPI_ERR_QUOTA || error_contains(code, strerror(ENOSPC)) ||
           error_contains(code, strerror(EDQUOT)) || error_contains(code, strerror(EFBIG));
}

void io_file_check(struct io_file *f, int code, const char *call)
{
    if (code != MPI_SUCCESS && !*f->job->comm->failure) /* only MPI's text shows a remote failure */
        f->failed_remotely = error_contains(code, "on a remote node");
    file_check(f->job->comm, code, call, scratch_shown(f->path));
}

/* ---- the MPI calls of each type ---- */

static const struct io_call alone = {"MPI_File_write", "MPI_File_read", MPI_File_write, MPI_File_read};
static const struct io_call together = {"MPI_File_write_all", "MPI_File_read_all", MPI_File_write_all,
                                        MPI_File_read_all, .collective = true};
static const struct io_call ordered = {"MPI_File_write_ordered", "MPI_File_read_ordered",
                                       MPI_File_write_ordered,   MPI_File_read_ordered,
                                       .collective = true,       .shared_pointer = true};

static const struct io_call *const calls[IO_TYPES] = {[TYPE_SCATTER] = &together,
                                                      [TYPE_SHARED] = &ordered,
                                                      [TYPE_SEPARATED] = &alone,
                                                      [TYPE_SEGMENTED] = &alone,
                                                      [TYPE_SEG_COLL] = &together};

/* ---- opening and closing ---- */

bool io_file_uses_hint(const struct io_job *job, const struct io_command *c, const struct hint *hint)
{
    return hint_applies(hint, job->task.partitions[c->partition], c->access, c->type,
                        c->action == IO_PATTERN ? c->place.disk : -1, job->task.mpart);
}

static MPI_Info find_hints(const struct io_job *job, const struct io_command *c)
{
    MPI_Info info;
    COMM_CHECK(job->comm, MPI_Info_create(&info));
    for (int i = 0; i < job->hints.count; i++)
        if (io_file_uses_hint(job, c, &job->hints.hint[i]))
            MPI_Info_set(info, job->hints.hint[i].key, job->hints.hint[i].value);
    return info;
}

/* Writes to `path` the path of the file that a rank of a partition uses for a type. */
static void name_file(const struct io_job *job, int partition, enum io_type type, int rank, char *path,
                      size_t size)
{
    const struct scratch *scratch = type == TYPE_SEPARATED ? &job->own : &job->shared;
    scratch_file(scratch->path, job->task.partitions[partition], type, rank, path, size);
}

void io_file_open(struct io_file *f, const struct io_partition *partition, const struct io_command *c)
{
    static const int modes[IO_ACCESSES] = {
        [ACCESS_WRITE] = FILE_NEW, [ACCESS_REWRITE] = MPI_MODE_WRONLY, [ACCESS_READ] = MPI_MODE_RDONLY};
    const struct io_settings *s = f->job->settings;
    int unique = s->nounique ? 0 : MPI_MODE_UNIQUE_OPEN;
    MPI_Comm comm = c->access == ACCESS_READ ? partition->reading : partition->writing;
    f->call = calls[c->type == TYPE_SHARED && s->noshared ? TYPE_SCATTER : c->type];
    io_file_check(f, MPI_Comm_rank(comm, &f->rank), "MPI_Comm_rank");
    name_file(f->job, c->partition, c->type, f->rank, f->path, sizeof f->path);
    MPI_Info info = find_hints(f->job, c);
    int code = file_open(c->type == TYPE_SEPARATED ? MPI_COMM_SELF : comm, f->path, modes[c->access] | unique,
                         info, &f->handle);
    f->is_open = code == MPI_SUCCESS;
    io_file_check(f, code, "MPI_File_open");
    MPI_Info_free(&info);
    f->share = 1;
    bool interleaved = f->call == &together && c->type != TYPE_SEG_COLL;
    if (f->is_open && f->call->collective)
        f->share =
            moved_share(f->handle, c->access != ACCESS_READ, interleaved, f->rank, partition->group.size);
}

void io_file_view(struct io_file *f, const struct io_command *c)
{
    const struct io_place *place = &c->place;
    bool shared = f->call->shared_pointer;
    int64_t start = shared ? place->base : io_chunk_offset(place, f->rank, 0);
    int64_t stride = shared ? 0 : place->chunk_step;
    MPI_Info info = find_hints(f->job, c);
    io_file_check(f, file_view(f->handle, (MPI_Offset)start, (int)place->disk, (MPI_Offset)stride, info),
                  "MPI_File_set_view");
    MPI_Info_free(&info);
}

void io_file_close(struct io_file *f)
{
    if (!f->is_open)
        return;
    f->is_open = false;
    io_file_check(f, MPI_File_close(&f->handle), "MPI_File_close");
}

/* ---- after closing ---- */

/* If stat() shows too few bytes, opens the file to check again, because network file systems may report an
 * old size until then. */
void io_file_check_size(const struct io_file *f, int64_t end)
{
    struct stat status;
    if (*f->job->comm->failure || stat(f->path, &status) || status.st_size >= end)
        return;
    int file = open(f->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    off_t size = file < 0 ? -1 : lseek(file, 0, SEEK_END);
    if (file >= 0)
        close(file);
    if (size < end)
        comm_fail(f->job->comm, "%s is too short after writing: %lld bytes, expected %" PRId64,
                  scratch_shown(f->path), (long long)size, end);
}

void io_file_remove(const struct io_job *job, int partition, enum io_type type, int rank)
{
    char path[4096];
    name_file(job, partition, type, rank, path, sizeof path);
    unlink(path);
}
