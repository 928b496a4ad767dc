/* One process's files and chunks. Uses content, file, scratch, comm. */
#include "beff_io/mpi/transfer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* ---- what ROMIO reports ---- */

/* Whether MPI's text for an error has these words. */
static bool says(int code, const char *words)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(code, text, &length);
    return strstr(text, words);
}

/* Whether an error says that the file system, a quota or a limit leaves no room. ROMIO reports most of these
 * as MPI_ERR_IO with the system's text. */
static bool is_full(int code)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    return class == MPI_ERR_NO_SPACE || class == MPI_ERR_QUOTA || says(code, strerror(ENOSPC)) ||
           says(code, strerror(EDQUOT)) || says(code, strerror(EFBIG));
}

/* ROMIO's list of ranks, separated by blanks. */
static double aggregator_share(const char *aggregators, int rank, int size)
{
    int count = 0;
    bool among = false;
    char *end;
    for (long next; next = strtol(aggregators, &end, 10), end != aggregators; aggregators = end, count++)
        among = among || next == rank;
    return count == 0 ? 1 : among ? (double)size / count : 0;
}

/* Where collective calls transfer through aggregators: bytes that this process moves for each byte of its
 * own, on average; 1 where each process transfers its own. `interleaved`: chunks of the processes alternate.
 */
static double moved_share(MPI_File file, bool writes, bool interleaved, int rank, int size)
{
    MPI_Info info;
    char use[MPI_MAX_INFO_VAL + 1] = "", list[MPI_MAX_INFO_VAL + 1] = "";
    int found;
    if (MPI_File_get_info(file, &info) != MPI_SUCCESS || info == MPI_INFO_NULL)
        return 1;
    MPI_Info_get(info, writes ? "romio_cb_write" : "romio_cb_read", MPI_MAX_INFO_VAL, use, &found);
    MPI_Info_get(info, "romio_aggregator_list", MPI_MAX_INFO_VAL, list, &found);
    MPI_Info_free(&info);
    bool aggregated = strcmp(use, "enable") == 0 || (strcmp(use, "automatic") == 0 && interleaved);
    return aggregated ? aggregator_share(list, rank, size) : 1;
}

/* ---- failures ---- */

static const char *file_name(const struct transfer *t)
{
    const char *slash = strrchr(t->path, '/');
    return slash ? slash + 1 : t->path;
}

static void check_code(struct transfer *t, int code, const char *call)
{
    if (code != MPI_SUCCESS && !*t->comm->failure) /* ROMIO's words for it; the error class is any */
        t->second_hand = says(code, "on a remote node");
    file_check(t->comm, code, call, file_name(t));
}

/* ---- how a type makes its calls ---- */

typedef int write_call(MPI_File, const void *, int, MPI_Datatype, MPI_Status *);
typedef int read_call(MPI_File, void *, int, MPI_Datatype, MPI_Status *);

struct io_call {
    const char *write_name, *read_name;
    write_call *write;
    read_call *read;
    bool collective;
};

static const struct io_call alone = {"MPI_File_write", "MPI_File_read", MPI_File_write, MPI_File_read, false};
static const struct io_call together = {"MPI_File_write_all", "MPI_File_read_all", MPI_File_write_all,
                                        MPI_File_read_all, true};
static const struct io_call ordered = {"MPI_File_write_ordered", "MPI_File_read_ordered",
                                       MPI_File_write_ordered, MPI_File_read_ordered, true};

static const struct io_call *const calls[IO_TYPES] = {[TYPE_SCATTER] = &together,
                                                      [TYPE_SHARED] = &ordered,
                                                      [TYPE_SEPARATED] = &alone,
                                                      [TYPE_SEGMENTED] = &alone,
                                                      [TYPE_SEG_COLL] = &together};

static const struct io_call *call_of(const struct transfer *t)
{
    bool strided = t->command.type == TYPE_SHARED && t->settings->noshared;
    return calls[strided ? TYPE_SCATTER : t->command.type];
}

bool transfer_is_collective(enum io_type type)
{
    return calls[type]->collective;
}

/* Strided collective writes beyond ROMIO's collective buffer: an error leaves the other processes inside. */
enum { COLLECTIVE_BUFFER = 16 << 20 };

static bool may_hang(const struct transfer *t)
{
    return call_of(t) == &together && t->place.memory > COLLECTIVE_BUFFER;
}

/* ---- memory ---- */

enum { PAGE = 4096 };

/* No chunk in memory is larger than M_PART, and that is a multiple of the page size, as the area's minimum
 * is. */
int transfer_make(struct transfer *t)
{
    size_t size = (size_t)content_area(t->task->mpart);
    t->area = aligned_alloc(PAGE, size);
    if (!t->area)
        return -1;
    memset(t->area, 0, size); /* touched now, so that no measurement pays for it */
    return 0;
}

void transfer_free(struct transfer *t)
{
    free(t->area);
    free(t->error);
}

/* ---- the file ---- */

/* Hints for opening (chunk < 0) or for a pattern; MPI_INFO_NULL if there are none. For free_hints(). */
static MPI_Info find_hints(const struct transfer *t, int64_t chunk)
{
    MPI_Info info = MPI_INFO_NULL;
    for (int i = 0; i < t->hints->count; i++) {
        const struct hint *hint = &t->hints->hint[i];
        if (!hint_applies(hint, t->task->partitions[t->command.partition], t->command.access, t->command.type,
                          chunk, t->task->mpart))
            continue;
        if (info == MPI_INFO_NULL)
            MPI_Info_create(&info);
        MPI_Info_set(info, hint->key, hint->value);
    }
    return info;
}

static void free_hints(MPI_Info info)
{
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
}

int transfer_path(const struct transfer *t, int partition, enum io_type type, int rank, char *path,
                  size_t size)
{
    int64_t processes = t->task->partitions[partition];
    if (type == TYPE_SEPARATED)
        return snprintf(path, size, "%s/n%" PRId64 "/separated.%06d", t->own->path, processes, rank);
    return snprintf(path, size, "%s/n%" PRId64 "/%s", t->shared->path, processes, io_type_names[type]);
}

void transfer_open(struct transfer *t, const struct io_command *command, MPI_Comm comm)
{
    static const int modes[IO_ACCESSES] = {
        [ACCESS_WRITE] = FILE_NEW, [ACCESS_REWRITE] = MPI_MODE_WRONLY, [ACCESS_READ] = MPI_MODE_RDONLY};
    int unique = t->settings->nounique ? 0 : MPI_MODE_UNIQUE_OPEN;
    t->command = *command;
    check_code(t, MPI_Comm_rank(comm, &t->rank), "MPI_Comm_rank");
    transfer_path(t, command->partition, command->type, t->rank, t->path, sizeof t->path);
    MPI_Info info = find_hints(t, -1);
    int code = file_open(command->type == TYPE_SEPARATED ? MPI_COMM_SELF : comm, t->path,
                         modes[command->access] | unique, info, &t->file);
    t->is_open = code == MPI_SUCCESS;
    check_code(t, code, "MPI_File_open");
    free_hints(info);
    t->share = 1;
    if (t->is_open && call_of(t) == &together)
        t->share = moved_share(t->file, command->access != ACCESS_READ, command->type != TYPE_SEG_COLL,
                               t->rank, t->group->size);
}

void transfer_close(struct transfer *t)
{
    if (!t->is_open)
        return;
    t->is_open = false;
    check_code(t, MPI_File_close(&t->file), "MPI_File_close");
}

void transfer_prepare(struct transfer *t, const struct io_command *command, const struct io_layout *layout)
{
    int number = command->pattern;
    t->command = *command;
    t->place = io_layout_place(layout, number);
    t->rewritten = layout->rewritten[number];
    for (int i = 0; i < 2; i++)
        t->content[i] = content_of(t->task->seed, i > 0, number, layout->processes, t->rank, &t->place);
    t->errors = t->noted = t->held = t->checked = t->complete = 0;
    t->full = t->doubtful = false;
    t->excluded = 0;
    if (command->access != ACCESS_READ)
        content_fill(&t->content[command->access == ACCESS_REWRITE], t->area);
}

void transfer_view(struct transfer *t)
{
    bool shared_pointer = call_of(t) == &ordered;
    int64_t start = shared_pointer ? t->place.base : io_chunk_offset(&t->place, t->rank, 0);
    int64_t stride = shared_pointer ? 0 : t->place.chunk_step;
    MPI_Info info = find_hints(t, t->place.disk);
    check_code(t, file_view(t->file, (MPI_Offset)start, (int)t->place.disk, (MPI_Offset)stride, info),
               "MPI_File_set_view");
    free_hints(info);
}

/* A write that finds no room ends its pattern; any other error ends the run. */
static void check_write(struct transfer *t, int code, const char *call)
{
    if (code != MPI_SUCCESS && is_full(code) && !may_hang(t)) {
        t->full = true;
    } else {
        t->doubtful = t->doubtful || (code != MPI_SUCCESS && !*t->comm->failure && call_of(t)->collective);
        check_code(t, code, call);
    }
}

void transfer_forgive(struct transfer *t)
{
    if (*t->comm->failure)
        guard_forgive(&t->comm->guard);
    *t->comm->failure = 0;
    t->doubtful = false;
    t->full = true;
}

void transfer_sync(struct transfer *t)
{
    bool full = t->full;
    check_write(t, MPI_File_sync(t->file), "MPI_File_sync");
    if (t->full && !full) /* which of the calls are on disk is unknown */
        t->complete = 0;
}

/* ---- checking ---- */

/* Stores the first wrong words, as far as memory allows. */
static void note_error(void *context, const struct content_mismatch *word)
{
    struct transfer *t = context;
    t->errors++;
    if (t->noted < t->settings->errors && array_room(&t->error, (size_t)t->noted, sizeof *t->error))
        t->error[t->noted++] = (struct transfer_error){*word, t->checked};
}

void transfer_print_errors(const struct transfer *t)
{
    int64_t before = 0;
    COMM_CHECK(t->comm, MPI_Exscan(&t->noted, &before, 1, MPI_INT64_T, MPI_SUM, t->group->all));
    if (t->group->rank == 0) /* MPI leaves it undefined there */
        before = 0;
    for (int64_t i = 0; i < t->noted && before + i < t->settings->errors; i++) {
        const struct content_mismatch *word = &t->error[i].word;
        comm_say(t->comm,
                 "data error: %s, offset %" PRId64 ": 0x%016" PRIx64 " expected, 0x%016" PRIx64
                 " found (pattern %d, %" PRId64 " processes, rank %d, call %" PRId64 ")",
                 t->path, word->offset, word->expected, word->found, t->command.pattern,
                 t->task->partitions[t->command.partition], t->comm->rank, t->error[i].call);
    }
}

void transfer_check_rest(struct transfer *t)
{
    double start = MPI_Wtime();
    for (int64_t i = 0; i < t->held && !*t->comm->failure; i++, t->checked++)
        content_check(&t->content[t->checked < t->rewritten], t->checked, t->area + i * t->place.memory,
                      t->settings->verify == VERIFY_FULL, note_error, t);
    t->held = 0;
    t->excluded += MPI_Wtime() - start;
}

/* ---- one call ---- */

void transfer_call(struct transfer *t, int64_t call)
{
    const struct io_call *io_call = call_of(t);
    bool reads = t->command.access == ACCESS_READ;
    const char *name = reads ? io_call->read_name : io_call->write_name;
    int bytes = (int)t->place.memory;
    MPI_Status status;
    if ((*t->comm->failure || t->full) && !io_call->collective)
        return;
    if (reads) {
        char *data = t->area + t->held * bytes;
        check_code(t, io_call->read(t->file, data, bytes, MPI_BYTE, &status), name);
    } else {
        const char *data = content_stamp(&t->content[t->command.access == ACCESS_REWRITE], t->area, call);
        check_write(t, io_call->write(t->file, data, bytes, MPI_BYTE, &status), name);
    }
    if (!*t->comm->failure && !t->full)
        t->complete += file_check_whole(t->comm, &status, bytes, name, file_name(t));
    if (reads && ++t->held == t->content->slots)
        transfer_check_rest(t);
}
