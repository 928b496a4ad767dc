/* One process's files and chunks. Uses layout (content), file, scratch, world. */
#include "beff_io/mpi/transfer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* ---- failures ---- */

void transfer_fail(struct transfer *t, const char *format, ...)
{
    if (*t->failure)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(t->failure, sizeof t->failure, format, arguments);
    va_end(arguments);
    guard_fail(&t->world->guard);
}

static const char *file_name(const struct transfer *t)
{
    const char *slash = strrchr(t->path, '/');
    return slash ? slash + 1 : t->path;
}

static void check_code(struct transfer *t, int code, const char *call)
{
    if (code == MPI_SUCCESS || *t->failure)
        return;
    char text[200];
    file_error_text(code, text, sizeof text);
    transfer_fail(t, "%s failed on %s: %s (rank %d, while %s)", call, file_name(t), text, t->world->rank,
                  t->world->doing);
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

/* ---- memory ---- */

enum { PAGE = 4096 };

int64_t transfer_memory(int64_t mpart)
{
    return content_size(mpart > 2 * TRANSFER_CHECKED ? mpart : 2 * TRANSFER_CHECKED);
}

int transfer_make(struct transfer *t, int64_t mpart)
{
    size_t size = (size_t)transfer_memory(mpart), rounded = (size + PAGE - 1) / PAGE * PAGE;
    t->mpart = mpart;
    t->area = aligned_alloc(PAGE, rounded);
    if (!t->area)
        return -1;
    memset(t->area, 0, rounded); /* touched now, so that no measurement pays for it */
    return 0;
}

void transfer_free(struct transfer *t)
{
    free(t->area);
    t->area = NULL;
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

static void set_path(struct transfer *t)
{
    const struct io_order *o = &t->order;
    if (o->type == TYPE_SEPARATED)
        snprintf(t->path, sizeof t->path, "%s/separated.n%" PRId64 ".r%06d", t->own->path, o->processes,
                 t->world->rank);
    else
        snprintf(t->path, sizeof t->path, "%s/%s.n%" PRId64, t->shared->path,
                 o->probe ? "probe" : io_type_name(o->type), o->processes);
}

void transfer_open(struct transfer *t, const struct io_order *order)
{
    static const enum file_use uses[IO_ACCESSES] = {
        [ACCESS_WRITE] = FILE_NEW, [ACCESS_REWRITE] = FILE_OVERWRITE, [ACCESS_READ] = FILE_READ};
    t->order = *order;
    set_path(t);
    MPI_Info info = find_hints(t, -1);
    MPI_Comm comm = order->type == TYPE_SEPARATED ? MPI_COMM_SELF : t->group->comm;
    int code = file_open(comm, t->path, uses[order->access], !t->settings->nounique, info, &t->file);
    t->is_open = code == MPI_SUCCESS;
    check_code(t, code, "MPI_File_open");
    free_hints(info);
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
    int64_t rank = t->world->rank, memory = order->place.memory;
    int number = order->pattern.number;
    t->order = *order;
    t->first = content_of(number, order->processes, rank, false);
    t->second = content_of(number, order->processes, rank, true);
    t->errors = t->held = t->checked = t->reported = 0;
    t->slots = memory < TRANSFER_CHECKED ? TRANSFER_CHECKED / memory : 1;
    if (order->access != ACCESS_READ)
        content_fill(order->access == ACCESS_WRITE ? t->first : t->second, t->area, content_size(memory));
}

void transfer_view(struct transfer *t)
{
    const struct io_order *o = &t->order;
    bool shared_pointer = way_of(t) == &ordered;
    int64_t start = shared_pointer ? o->place.base : io_chunk_offset(&o->place, t->world->rank, 0);
    int64_t stride = shared_pointer ? 0 : o->place.chunk_step;
    MPI_Info info = find_hints(t, o->place.disk);
    check_code(t, file_view(t->file, (MPI_Offset)start, (int)o->place.disk, (MPI_Offset)stride, info),
               "MPI_File_set_view");
    free_hints(info);
}

void transfer_sync(struct transfer *t)
{
    check_code(t, MPI_File_sync(t->file), "MPI_File_sync");
}

/* ---- checking ---- */

static void report(struct transfer *t, int64_t call, int64_t position, const struct content_mismatch *m)
{
    const struct io_order *o = &t->order;
    int64_t chunk = call * (o->place.memory / o->place.disk) + position / o->place.disk;
    int64_t offset = io_chunk_offset(&o->place, t->world->rank, chunk) + m->position;
    if (t->reported++ < t->settings->errors)
        world_say(t->world,
                  "data error: %s, offset %" PRId64 ": 0x%016" PRIx64 " expected, 0x%016" PRIx64
                  " found (pattern %d, %" PRId64 " processes, rank %d, call %" PRId64 ")",
                  t->path, offset, m->expected, m->found, o->pattern.number, o->processes, t->world->rank,
                  call);
}

/* All disk chunks of one call. */
static void check_chunks(struct transfer *t, int64_t call, const char *data)
{
    const struct io_place *place = &t->order.place;
    struct content content = call < place->rewritten ? t->second : t->first;
    bool all = t->settings->verify == VERIFY_FULL;
    for (int64_t position = 0; position < place->memory; position += place->disk) {
        struct content_mismatch first;
        int64_t wrong = content_check(content, call, position, data + position, place->disk, all, &first);
        if (wrong)
            report(t, call, position, &first);
        t->errors += wrong;
    }
}

void transfer_meet(struct transfer *t)
{
    if (world_barrier(t->group))
        transfer_fail(t, "MPI_Barrier failed (rank %d)", t->world->rank);
}

/* Where calls are collective, processes wait for each other before and after the checking: the first wait
 * belongs to the calls, as a process that is late in one of them must not catch up unnoticed during the
 * pause; the second is due to the checking. */
void transfer_check_rest(struct transfer *t)
{
    bool collective = transfer_is_collective(t->order.type);
    if (!t->held)
        return;
    if (collective)
        transfer_meet(t);
    double start = MPI_Wtime();
    for (int64_t i = 0; i < t->held && !*t->failure; i++)
        check_chunks(t, t->checked + i, t->area + i * t->order.place.memory);
    t->checked += t->held;
    t->held = 0;
    if (collective)
        transfer_meet(t);
    t->excluded += MPI_Wtime() - start;
}

/* ---- one call ---- */

static void check_count(struct transfer *t, const MPI_Status *status, int bytes, const char *name)
{
    int transferred = 0;
    if (!*t->failure && !file_is_whole(status, bytes, &transferred))
        transfer_fail(t, "%s on %s transferred %d of %d bytes (rank %d, while %s)", name, file_name(t),
                      transferred, bytes, t->world->rank, t->world->doing);
}

void transfer_call(struct transfer *t, int64_t call)
{
    const struct way *way = way_of(t);
    int bytes = (int)t->order.place.memory, code;
    MPI_Status status;
    if (*t->failure && !transfer_is_collective(t->order.type))
        return;
    if (t->order.access != ACCESS_READ) {
        const char *chunk = t->area + content_start(call) * sizeof(uint64_t);
        code = way->write(t->file, chunk, bytes, MPI_BYTE, &status);
        check_code(t, code, way->write_name);
        check_count(t, &status, bytes, way->write_name);
        return;
    }
    code = way->read(t->file, t->area + t->held * bytes, bytes, MPI_BYTE, &status);
    check_code(t, code, way->read_name);
    check_count(t, &status, bytes, way->read_name);
    if (++t->held == t->slots)
        transfer_check_rest(t);
}
