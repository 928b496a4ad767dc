/* One process's files and chunks. Uses content, file, scratch, world. */
#include "beff_io/mpi/transfer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* ---- failures ---- */

static const char *file_name(const struct transfer *t)
{
    const char *slash = strrchr(t->path, '/');
    return slash ? slash + 1 : t->path;
}

static void check_code(struct transfer *t, int code, const char *call)
{
    if (code != MPI_SUCCESS && !*t->world->failure)
        t->second_hand = file_failed_elsewhere(code);
    file_check(t->world, code, call, file_name(t));
}

/* ---- the ways to make a call ---- */

typedef int write_call(MPI_File, const void *, int, MPI_Datatype, MPI_Status *);
typedef int read_call(MPI_File, void *, int, MPI_Datatype, MPI_Status *);

struct way {
    const char *write_name, *read_name;
    write_call *write;
    read_call *read;
    bool collective;
};

static const struct way alone = {"MPI_File_write", "MPI_File_read", MPI_File_write, MPI_File_read, false};
static const struct way together = {"MPI_File_write_all", "MPI_File_read_all", MPI_File_write_all,
                                    MPI_File_read_all, true};
static const struct way ordered = {"MPI_File_write_ordered", "MPI_File_read_ordered", MPI_File_write_ordered,
                                   MPI_File_read_ordered, true};

static const struct way *const ways[IO_TYPES] = {[TYPE_SCATTER] = &together,
                                                 [TYPE_SHARED] = &ordered,
                                                 [TYPE_SEPARATED] = &alone,
                                                 [TYPE_SEGMENTED] = &alone,
                                                 [TYPE_SEG_COLL] = &together};

static const struct way *way_of(const struct transfer *t)
{
    bool strided = t->order.type == TYPE_SHARED && t->settings->noshared;
    return ways[strided ? TYPE_SCATTER : t->order.type];
}

bool transfer_is_collective(enum io_type type)
{
    return ways[type]->collective;
}

/* Strided collective writes beyond ROMIO's collective buffer: an error leaves the other processes inside. */
enum { COLLECTIVE_BUFFER = 16 << 20 };

static bool may_hang(const struct transfer *t)
{
    return way_of(t) == &together && t->order.place.memory > COLLECTIVE_BUFFER;
}

/* ---- memory ---- */

enum { PAGE = 4096, LARGEST_FIXED = 2 << 20 /* of the chunks in memory that do not depend on M_PART */ };

int64_t transfer_memory(int64_t mpart)
{
    return content_area(mpart > LARGEST_FIXED ? mpart : LARGEST_FIXED);
}

int transfer_make(struct transfer *t, int64_t mpart)
{
    size_t size = ((size_t)transfer_memory(mpart) + PAGE - 1) / PAGE * PAGE;
    t->mpart = mpart;
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
    t->area = NULL;
    t->error = NULL;
}

/* ---- the file ---- */

/* Hints for opening (chunk < 0) or for a pattern; MPI_INFO_NULL if there are none. For free_hints(). */
static MPI_Info find_hints(const struct transfer *t, int64_t chunk)
{
    MPI_Info info = MPI_INFO_NULL;
    for (int i = 0; i < t->hints->count; i++) {
        const struct hint *hint = &t->hints->hint[i];
        if (!hint_applies(hint, t->order.processes, t->order.access, t->order.type, chunk, t->mpart))
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

int transfer_path(const struct transfer *t, const struct io_order *o, int rank, char *path, size_t size)
{
    if (o->type == TYPE_SEPARATED)
        return snprintf(path, size, "%s/n%" PRId64 "/separated.%06d", t->own->path, o->processes, rank);
    return snprintf(path, size, "%s/n%" PRId64 "/%s", t->shared->path, o->processes,
                    o->probe ? "probe" : io_type_name(o->type));
}

void transfer_open(struct transfer *t, const struct io_order *order, MPI_Comm comm)
{
    static const enum file_use uses[IO_ACCESSES] = {
        [ACCESS_WRITE] = FILE_NEW, [ACCESS_REWRITE] = FILE_OVERWRITE, [ACCESS_READ] = FILE_READ};
    t->order = *order;
    check_code(t, MPI_Comm_rank(comm, &t->rank), "MPI_Comm_rank");
    transfer_path(t, order, t->rank, t->path, sizeof t->path);
    MPI_Info info = find_hints(t, -1);
    int code = file_open(order->type == TYPE_SEPARATED ? MPI_COMM_SELF : comm, t->path, uses[order->access],
                         !t->settings->nounique, info, &t->file);
    t->is_open = code == MPI_SUCCESS;
    check_code(t, code, "MPI_File_open");
    free_hints(info);
    t->share = 1;
    if (t->is_open && way_of(t) == &together)
        t->share = file_share(t->file, order->access != ACCESS_READ, order->type != TYPE_SEG_COLL, t->rank,
                              t->group->size);
}

void transfer_close(struct transfer *t)
{
    if (!t->is_open)
        return;
    t->is_open = false;
    check_code(t, MPI_File_close(&t->file), "MPI_File_close");
}

void transfer_prepare(struct transfer *t, const struct io_order *order)
{
    int number = order->pattern.number;
    t->order = *order;
    t->first = content_of(t->seed, false, number, order->processes, t->rank, &order->place);
    t->second = content_of(t->seed, true, number, order->processes, t->rank, &order->place);
    t->errors = t->kept = t->held = t->checked = t->complete = 0;
    t->full = t->doubtful = false;
    if (order->access != ACCESS_READ)
        content_fill(order->access == ACCESS_WRITE ? &t->first : &t->second, t->area);
}

void transfer_view(struct transfer *t)
{
    const struct io_order *o = &t->order;
    bool shared_pointer = way_of(t) == &ordered;
    int64_t start = shared_pointer ? o->place.base : io_chunk_offset(&o->place, t->rank, 0);
    int64_t stride = shared_pointer ? 0 : o->place.chunk_step;
    MPI_Info info = find_hints(t, o->place.disk);
    check_code(t, file_view(t->file, (MPI_Offset)start, (int)o->place.disk, (MPI_Offset)stride, info),
               "MPI_File_set_view");
    free_hints(info);
}

double transfer_moved(const struct transfer *t)
{
    return (double)(t->complete * t->order.place.memory) * t->share;
}

/* A write that finds no room ends its pattern; any other error ends the run. */
static void check_write(struct transfer *t, int code, const char *call)
{
    if (code != MPI_SUCCESS && file_is_full(code) && !may_hang(t)) {
        t->full = true;
    } else {
        t->doubtful = t->doubtful || (code != MPI_SUCCESS && !*t->world->failure && way_of(t)->collective);
        check_code(t, code, call);
    }
}

void transfer_forgive(struct transfer *t)
{
    if (*t->world->failure)
        guard_forgive(&t->world->guard);
    *t->world->failure = 0;
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

/* Keeps the first wrong words, as far as memory goes. */
static void note_error(void *context, const struct content_mismatch *word)
{
    struct transfer *t = context;
    t->errors++;
    if (t->kept < t->settings->errors && array_room(&t->error, (size_t)t->kept, sizeof *t->error))
        t->error[t->kept++] = (struct transfer_error){*word, t->checked};
}

void transfer_tell_errors(const struct transfer *t, int64_t most)
{
    const struct io_order *o = &t->order;
    for (int64_t i = 0; i < t->kept && i < most; i++) {
        const struct content_mismatch *word = &t->error[i].word;
        world_say(t->world,
                  "data error: %s, offset %" PRId64 ": 0x%016" PRIx64 " expected, 0x%016" PRIx64
                  " found (pattern %d, %" PRId64 " processes, rank %d, call %" PRId64 ")",
                  t->path, word->offset, word->expected, word->found, o->pattern.number, o->processes,
                  t->world->rank, t->error[i].call);
    }
}

void transfer_meet(struct transfer *t)
{
    if (world_barrier(t->group))
        world_fail(t->world, "MPI_Barrier failed (rank %d)", t->world->rank);
}

void transfer_check_rest(struct transfer *t)
{
    double start = MPI_Wtime();
    for (int64_t i = 0; i < t->held && !*t->world->failure; i++, t->checked++)
        content_check(t->checked < t->order.place.rewritten ? &t->second : &t->first, t->checked,
                      t->area + i * t->order.place.memory, t->settings->verify == VERIFY_FULL, note_error, t);
    t->held = 0;
    t->excluded += MPI_Wtime() - start;
}

/* ---- one call ---- */

static void check_count(struct transfer *t, const MPI_Status *status, int bytes, const char *name)
{
    if (!*t->world->failure && !t->full)
        t->complete += file_check_whole(t->world, status, bytes, name, file_name(t));
}

void transfer_call(struct transfer *t, int64_t call)
{
    const struct way *way = way_of(t);
    int bytes = (int)t->order.place.memory;
    MPI_Status status;
    if ((*t->world->failure || t->full) && !way->collective)
        return;
    if (t->order.access == ACCESS_READ) {
        char *data = t->area + t->held * bytes;
        check_code(t, way->read(t->file, data, bytes, MPI_BYTE, &status), way->read_name);
        check_count(t, &status, bytes, way->read_name);
        if (++t->held == t->first.slots)
            transfer_check_rest(t);
        return;
    }
    const char *data = content_stamp(t->order.access == ACCESS_WRITE ? &t->first : &t->second, t->area, call);
    check_write(t, way->write(t->file, data, bytes, MPI_BYTE, &status), way->write_name);
    check_count(t, &status, bytes, way->write_name);
}
