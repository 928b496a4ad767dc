/* Measures file accesses: the steps of the timed loop, with blocking, nonblocking and split calls. */
#include "imb_compat/mpi/files.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

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

/* The rule for signals and failures that only this process knows of: it skips the calls that no other process
 * takes part in, and makes all collective calls, until imb_agree() tells the others. */
static bool skips(const struct imb_access *io, bool collective)
{
    return !collective && (*io->comm->failure || ending_signal());
}

uint32_t imb_written_seed(const struct imb_access *io)
{
    return io->files->loops * (uint32_t)io->table->groups.count + (uint32_t)io->base.context->group;
}

void imb_access_moved(struct imb_access *io, int code, const MPI_Status *status, int bytes, const char *name)
{
    if (imb_file_call(io->files, code, name))
        file_check_whole(io->comm, status, bytes, name, io->files->path);
}

bool imb_access_open(struct imb_access *io, MPI_Comm comm, int mode)
{
    int code = file_open(comm, io->files->path, mode, io->base.context->run->info, &io->chunk.file);
    return imb_file_call(io->files, code, "MPI_File_open");
}

static void sync_file(struct imb_access *io)
{
    if (!imb_ended(io->base.context->run) && !skips(io, !imb_is_private(io->table)))
        CHECK(io->files, MPI_File_sync(io->chunk.file));
}

void imb_access_sync(struct imb_access *io)
{
    sync_file(io);
    CHECK(io->files, MPI_Barrier(io->base.context->members));
    sync_file(io);
}

static void complete(struct imb_access *io)
{
    if (io->table->settings->compat == IMB_30)
        sync_file(io);
    else
        imb_access_sync(io);
}

static void compute(struct imb_access *io)
{
    struct imb_compute *c = &io->base.context->run->compute;
    if (!io->base.probing)
        imb_compute_run(c, c->task);
    io->base.computed += c->task_seconds;
}

static void move_split(struct imb_access *io)
{
    MPI_Status status;
    if (!imb_file_call(io->files, io->call->start(&io->chunk, NULL), io->call->start_name))
        return;
    compute(io);
    imb_access_moved(io, io->call->end(&io->chunk, &status), &status, io->chunk.bytes, io->call->name);
}

static void start(struct imb_access *io)
{
    if (skips(io, io->together))
        return;
    io->requests[io->started] = MPI_REQUEST_NULL;
    imb_file_call(io->files, io->call->start(&io->chunk, &io->requests[io->started]), io->call->start_name);
    io->started++;
}

static void wait_for_all(struct imb_access *io)
{
    int code = MPI_Waitall((int)io->started, io->requests, io->statuses);
    for (long i = 0; i < io->started && code == MPI_ERR_IN_STATUS; i++)
        imb_file_call(io->files, io->statuses[i].MPI_ERROR, io->call->start_name);
    if (code != MPI_ERR_IN_STATUS)
        imb_file_call(io->files, code, "MPI_Waitall");
    for (long i = 0; i < io->started && !*io->comm->failure; i++)
        file_check_whole(io->comm, &io->statuses[i], io->chunk.bytes, io->call->start_name, io->files->path);
}

bool imb_starts_all(const struct imb_access *io)
{
    return io->base.overlapping && io->requests;
}

static void open_and_close(struct imb_access *io)
{
    MPI_Status status;
    if (!imb_access_open(io, io->base.context->members, MPI_MODE_RDWR | MPI_MODE_CREATE))
        return;
    int code = MPI_File_write(io->chunk.file, io->data, 1, MPI_BYTE, &status);
    imb_access_moved(io, code, &status, 1, "MPI_File_write");
    CHECK(io->files, MPI_File_close(&io->chunk.file));
}

/* ---- steps of the timed loop ---- */

int imb_access_synchronise(void *context)
{
    return MPI_Barrier(((const struct imb_access *)context)->base.context->active);
}

/* Runs one repetition. Failures are reported after the loop, because other processes may be waiting for this
 * one. */
int imb_access_repeat(void *context, long iteration)
{
    struct imb_access *io = context;
    MPI_Status status;
    if (!io->writes)
        io->chunk.data = imb_access_place(io, iteration);
    if (io->opens)
        open_and_close(io);
    else if (imb_starts_all(io))
        start(io);
    else if (io->base.overlapping)
        move_split(io);
    else if (!skips(io, io->together))
        imb_access_moved(io, io->call->move(&io->chunk, &status), &status, io->chunk.bytes, io->call->name);
    io->chunk.at += io->placing.step;
    if (io->table->mode == IMB_MODE_NON_AGGREGATE)
        complete(io);
    return 0;
}

int imb_access_complete(void *context)
{
    struct imb_access *io = context;
    if (imb_starts_all(io)) {
        for (long i = 0; i < io->started && !skips(io, false); i++)
            compute(io);
        wait_for_all(io);
    }
    if (io->writes && io->table->mode == IMB_MODE_AGGREGATE)
        complete(io);
    return 0;
}

/* Sets a new file view, which also resets the individual and the shared file pointer. */
static void set_view(struct imb_access *io)
{
    const struct imb_placing *p = &io->placing;
    io->files->loops++;
    io->started = 0;
    io->chunk.at = p->first;
    io->chunk.data = io->data;
    if (io->opens)
        return;
    if (io->writes)
        imb_content_fill(imb_written_seed(io), io->portion.offset, io->data, io->portion.bytes);
    imb_file_call(io->files,
                  file_view(io->chunk.file, p->stride ? p->first : 0, io->chunk.bytes, p->stride,
                            io->base.context->run->info),
                  "MPI_File_set_view");
    /* This seek makes one process create ROMIO's file for the shared pointer. Several processes must not
     * create it at once. */
    if (io->base.benchmark->flags & IMB_SHARED_POINTER)
        CHECK(io->files, MPI_File_seek_shared(io->chunk.file, 0, MPI_SEEK_SET));
}

/* ---- preparation ---- */

static void allocate(struct imb_access *io)
{
    const struct imb_memory *memory = &io->base.memory;
    int64_t moved = io->writes ? memory->send.bytes : memory->receive.bytes;
    int64_t bytes = moved + (io->writes ? memory->receive.bytes : 0) + 2; /* Open_Close: one byte each */
    size_t n = (size_t)memory->repetitions;
    if (io->table->started_together) {
        io->requests = memory_new(n, sizeof *io->requests, IMB_BUFFERS);
        io->statuses = memory_new(n, sizeof *io->statuses, IMB_BUFFERS);
    }
    if (MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &io->data) != MPI_SUCCESS)
        memory_exhausted(IMB_BUFFERS, (size_t)bytes, 1);
    io->back = io->data + moved + io->opens;
    memset(io->data, 0, (size_t)bytes);
}

void imb_access_free(struct imb_measurement *base)
{
    struct imb_access *io = (struct imb_access *)base;
    if (io->is_open)
        CHECK(io->files, MPI_File_close(&io->chunk.file));
    imb_agree(base->context); /* a file that cannot be closed is a failure */
    COMM_CHECK(io->comm, MPI_Free_mem(io->data));
    free(io->requests);
    free(io->statuses);
    free(io);
}

static void describe_hints(struct imb_access *io)
{
    struct imb_run *run = io->base.context->run;
    char hints[1600];
    if (!io->is_open || io->comm->rank != 0 || io->files->described)
        return;
    file_hints(io->chunk.file, hints, sizeof hints);
    io->files->described = *hints;
    if (*hints)
        protocol_put(&run->run.protocol, "hints_in_force", "%s", hints);
}

static bool open_table_file(struct imb_access *io)
{
    const bool private = io->base.benchmark->flags & IMB_PRIVATE;
    return imb_access_open(io, private ? MPI_COMM_SELF : io->base.context->members,
                           MPI_MODE_RDWR | MPI_MODE_CREATE | (private ? MPI_MODE_UNIQUE_OPEN : 0));
}

/* With -compat 3.0, closes and reopens the file before the loop that computes, as release 3.0 did. */
static void reopen(struct imb_access *io)
{
    CHECK(io->files, MPI_File_close(&io->chunk.file));
    io->is_open = open_table_file(io);
    imb_agree(io->base.context);
}

void imb_access_begin(struct imb_measurement *base)
{
    struct imb_access *io = (struct imb_access *)base;
    if (base->overlapping && io->table->settings->compat == IMB_30)
        reopen(io);
    base->completes = imb_starts_all(io) || (io->writes && io->table->mode == IMB_MODE_AGGREGATE);
    if (!base->context->run->end.failed)
        set_view(io);
}

void imb_access_end(struct imb_measurement *base)
{
    imb_agree(base->context);
}

struct imb_measurement *imb_access_prepare(const struct imb_context *context, const struct imb_memory *memory,
                                           bool checking)
{
    const struct imb_table *table = context->table;
    const struct imb_benchmark *b = table->benchmark;
    const struct imb_io_call *call = imb_kernels[b - imb_benchmarks].call;
    const int size = table->groups.size;
    const bool opens = !call->move;
    struct imb_access *io = memory_new(1, sizeof *io, IMB_BUFFERS);
    *io = (struct imb_access){.base = {.context = context,
                                       .benchmark = b,
                                       .memory = *memory,
                                       .checking = checking,
                                       .at_once = opens ? 1 : memory->repetitions},
                              .comm = context->run->run.comm,
                              .files = context->run->files,
                              .table = table,
                              .call = call,
                              .opens = opens,
                              .x = memory->bytes,
                              .portion = opens ? (struct imb_portion){0, 1}
                                               : imb_portion_of(memory->bytes, context->rank, size),
                              .placing = imb_placing_of(b, memory->bytes, context->rank, size),
                              .writes = b->flags & IMB_WRITES,
                              .together = b->class == IMB_CLASS_COLLECTIVE || opens};
    io->chunk.bytes = (int)io->portion.bytes;
    allocate(io);
    if (!opens) {
        io->is_open = open_table_file(io);
        describe_hints(io);
        imb_agree(context);
    }
    return &io->base;
}
