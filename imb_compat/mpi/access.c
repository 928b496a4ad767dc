/* Measures file accesses with one size: the steps of the timed loop, with blocking, nonblocking and split
 * calls, and the checks of the data. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "imb_compat/mpi/files.h"
#include "imb_compat/mpi/kernels.h"

struct access {
    struct imb_measurement base; /* must be first */
    struct comm *comm;
    struct imb_files *files;
    const struct imb_table *table;
    const struct imb_io_call *call;
    int64_t x;
    struct imb_portion portion;
    struct imb_placing placing;
    struct imb_chunk chunk;
    bool is_open, opens; /* opens: Open_Close opens the file in each repetition */
    bool writes, together;
    char *data, *back; /* data: a portion in each place; back: buffer into which written data are read back */
    struct imb_tally tally; /* portions that this process read in any order */
    MPI_Request *requests;  /* one for each repetition */
    MPI_Status *statuses;
    long started; /* calls started in the current loop */
};

/* Returns the place of a repetition's portion in the buffer. */
static char *place_of(const struct access *io, int64_t repetition)
{
    return io->data + repetition % io->base.memory.places * io->portion.bytes;
}

/* ---- calls ---- */

/* The rule for signals and failures that only this process knows of: it skips the calls that no other process
 * takes part in, and makes all collective calls, until imb_agree() tells the others. */
static bool skips(const struct access *io, bool collective)
{
    return !collective && (*io->comm->failure || ending_signal());
}

/* Returns the seed of the content that the current loop writes, which differs for each loop and group. */
static uint32_t written_seed(const struct access *io)
{
    return io->files->loops * (uint32_t)io->table->groups.count + (uint32_t)io->base.context->group;
}

/* Checks that a call succeeded and moved all bytes. */
static void moved(struct access *io, int code, const MPI_Status *status, int bytes, const char *name)
{
    if (imb_file_call(io->files, code, name))
        file_check_whole(io->comm, status, bytes, name, io->files->path);
}

static bool open_file(struct access *io, MPI_Comm comm, int mode)
{
    int code = file_open(comm, io->files->path, mode, io->base.context->run->info, &io->chunk.file);
    return imb_file_call(io->files, code, "MPI_File_open");
}

static void sync_file(struct access *io)
{
    if (!imb_ended(io->base.context->run) && !skips(io, !imb_is_private(io->table)))
        CHECK(io->files, MPI_File_sync(io->chunk.file));
}

/* Makes written data visible to all processes of the group: sync, barrier, sync. */
static void sync_all(struct access *io)
{
    sync_file(io);
    CHECK(io->files, MPI_Barrier(io->base.context->members));
    sync_file(io);
}

static void complete(struct access *io)
{
    if (io->table->settings->compat == IMB_30)
        sync_file(io);
    else
        sync_all(io);
}

static void compute(struct access *io)
{
    struct imb_compute *c = &io->base.context->run->compute;
    if (!io->base.probing)
        imb_compute_run(c, c->task);
    io->base.computed += c->task_seconds;
}

static void move_split(struct access *io)
{
    MPI_Status status;
    if (!imb_file_call(io->files, io->call->start(&io->chunk, NULL), io->call->start_name))
        return;
    compute(io);
    moved(io, io->call->end(&io->chunk, &status), &status, io->chunk.bytes, io->call->name);
}

static void start(struct access *io)
{
    if (skips(io, io->together))
        return;
    io->requests[io->started] = MPI_REQUEST_NULL;
    imb_file_call(io->files, io->call->start(&io->chunk, &io->requests[io->started]), io->call->start_name);
    io->started++;
}

static void wait_for_all(struct access *io)
{
    int code = MPI_Waitall((int)io->started, io->requests, io->statuses);
    for (long i = 0; i < io->started && code == MPI_ERR_IN_STATUS; i++)
        imb_file_call(io->files, io->statuses[i].MPI_ERROR, io->call->start_name);
    if (code != MPI_ERR_IN_STATUS)
        imb_file_call(io->files, code, "MPI_Waitall");
    for (long i = 0; i < io->started && !*io->comm->failure; i++)
        file_check_whole(io->comm, &io->statuses[i], io->chunk.bytes, io->call->start_name, io->files->path);
}

/* Returns true if this loop starts all calls before it waits for any of them. */
static bool starts_all(const struct access *io)
{
    return io->base.overlapping && io->requests;
}

static void open_and_close(struct access *io)
{
    MPI_Status status;
    if (!open_file(io, io->base.context->members, MPI_MODE_RDWR | MPI_MODE_CREATE))
        return;
    int code = MPI_File_write(io->chunk.file, io->data, 1, MPI_BYTE, &status);
    moved(io, code, &status, 1, "MPI_File_write");
    CHECK(io->files, MPI_File_close(&io->chunk.file));
}

/* ---- steps of the timed loop ---- */

static int synchronise(void *context)
{
    return MPI_Barrier(((const struct access *)context)->base.context->active);
}

/* Runs one repetition. Failures are reported after the loop, because other processes may be waiting for this
 * one. */
static int repeat(void *context, long iteration)
{
    struct access *io = context;
    MPI_Status status;
    if (!io->writes)
        io->chunk.data = place_of(io, iteration);
    if (io->opens)
        open_and_close(io);
    else if (starts_all(io))
        start(io);
    else if (io->base.overlapping)
        move_split(io);
    else if (!skips(io, io->together))
        moved(io, io->call->move(&io->chunk, &status), &status, io->chunk.bytes, io->call->name);
    io->chunk.at += io->placing.step;
    if (io->table->mode == IMB_MODE_NON_AGGREGATE)
        complete(io);
    return 0;
}

static int complete_all(void *context)
{
    struct access *io = context;
    if (starts_all(io)) {
        for (long i = 0; i < io->started && !skips(io, false); i++)
            compute(io);
        wait_for_all(io);
    }
    if (io->writes && io->table->mode == IMB_MODE_AGGREGATE)
        complete(io);
    return 0;
}

/* Sets a new file view, which also resets the individual and the shared file pointer. */
static void set_view(struct access *io)
{
    const struct imb_placing *p = &io->placing;
    io->files->loops++;
    io->started = 0;
    io->chunk.at = p->first;
    io->chunk.data = io->data;
    if (io->opens)
        return;
    if (io->writes)
        imb_content_fill(written_seed(io), io->portion.offset, io->data, io->portion.bytes);
    imb_file_call(io->files,
                  file_view(io->chunk.file, p->stride ? p->first : 0, io->chunk.bytes, p->stride,
                            io->base.context->run->info),
                  "MPI_File_set_view");
    /* This seek makes one process create ROMIO's file for the shared pointer. Several processes must not
     * create it at once. */
    if (io->base.benchmark->flags & IMB_SHARED_POINTER)
        CHECK(io->files, MPI_File_seek_shared(io->chunk.file, 0, MPI_SEEK_SET));
}

/* ---- checks (docs/definition-imb.md 8) ---- */

static void check_read(struct access *io, const char *data, int64_t i)
{
    uint32_t seed = imb_file_seed(io->base.context);
    int64_t at = io->placing.first + i * io->placing.step, bytes = io->portion.bytes;
    if (io->placing.any_order) {
        if (!imb_contains_item(io->x, bytes))
            return;
        at = imb_content_find(seed, data, bytes, io->base.count * io->x);
        if (at < 0)
            at = 0; /* the data do not match any offset, so any offset shows the error */
        imb_tally_add(&io->tally, at, bytes);
    }
    imb_content_check(seed, at, data, bytes, at, &io->base.mismatch);
}

/* If all portions are long enough to be identified, checks that all processes together read each byte of the
 * file exactly once. */
static void check_all_read(struct access *io)
{
    struct imb_tally all = {0};
    int code = MPI_Reduce(&io->tally, &all, 2, MPI_UINT64_T, MPI_SUM, 0, io->base.context->members), last = 0;
    while (last + 1 < io->table->groups.size && imb_portion_of(io->x, last + 1, io->table->groups.size).bytes)
        last++;
    bool known = imb_contains_item(io->x, imb_portion_of(io->x, last, io->table->groups.size).bytes);
    if (imb_file_call(io->files, code, "MPI_Reduce") && io->base.context->rank == 0 && known)
        imb_tally_check(&all, io->base.count * io->x, 1, &io->base.mismatch);
}

static bool read_back(struct access *io, int64_t at, int64_t bytes)
{
    MPI_Status status;
    int code = MPI_File_read_at(io->chunk.file, at, io->back, (int)bytes, MPI_BYTE, &status);
    moved(io, code, &status, (int)bytes, "MPI_File_read_at");
    return !*io->comm->failure;
}

/* Checks all portions that were written through the shared pointer. One process reads the whole file. */
static void check_any_order(struct access *io)
{
    struct imb_tally tally = {0};
    int64_t extent = io->base.count * io->x, taken;
    for (int64_t at = 0; at < extent; at += taken) {
        int64_t max = extent - at < io->portion.bytes ? extent - at : io->portion.bytes;
        if (!read_back(io, at, max))
            return;
        taken = imb_portion_check(written_seed(io), io->x, io->table->groups.size, io->back, max, at, &tally,
                                  &io->base.mismatch);
    }
    imb_tally_check(&tally, io->x, io->base.count, &io->base.mismatch);
}

static void check_own(struct access *io)
{
    int64_t bytes = io->portion.bytes, at = io->placing.first;
    for (int64_t i = 0; i < io->base.count && bytes && read_back(io, at, bytes); i++) {
        imb_content_check(written_seed(io), io->portion.offset, io->back, bytes, at, &io->base.mismatch);
        at += io->placing.step;
    }
}

static void check_written(struct access *io)
{
    sync_all(io);
    imb_file_call(io->files, file_view(io->chunk.file, 0, 0, 0, MPI_INFO_NULL), "MPI_File_set_view");
    if (!io->placing.any_order)
        check_own(io);
    else if (io->base.context->rank == 0)
        check_any_order(io);
    CHECK(io->files, MPI_Barrier(io->base.context->members)); /* no process writes until all have checked */
}

static void check_opened_byte(struct access *io)
{
    CHECK(io->files, MPI_Barrier(io->base.context->members)); /* all have written */
    if (io->base.context->rank == 0 && !*io->comm->failure && open_file(io, MPI_COMM_SELF, MPI_MODE_RDONLY)) {
        if (read_back(io, 0, 1))
            imb_compare(io->data, io->back, 1, 0, IMB_SOURCE_FILE, &io->base.mismatch);
        CHECK(io->files, MPI_File_close(&io->chunk.file));
    }
    ++*io->data;
}

static void check_reads(struct access *io)
{
    const int64_t n = io->base.count;
    io->tally = (struct imb_tally){0};
    for (int64_t i = n > io->base.memory.places ? n - io->base.memory.places : 0;
         i < n && !*io->comm->failure; i++)
        check_read(io, place_of(io, i), i);
    if (io->placing.any_order && io->base.checking)
        check_all_read(io);
    memset(io->data, 0, (size_t)(io->base.memory.places * io->portion.bytes));
}

/* Timed reads that are all started together share one buffer, so their data cannot be checked. */
static void check(struct imb_measurement *base)
{
    struct access *io = (struct access *)base;
    if (io->opens)
        check_opened_byte(io);
    else if (io->writes)
        check_written(io);
    else if (base->checking || !starts_all(io))
        check_reads(io);
    imb_agree(base->context);
}

/* ---- preparation ---- */

static void allocate(struct access *io)
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

static void free_access(struct imb_measurement *base)
{
    struct access *io = (struct access *)base;
    if (io->is_open)
        CHECK(io->files, MPI_File_close(&io->chunk.file));
    imb_agree(base->context); /* a file that cannot be closed is a failure */
    COMM_CHECK(io->comm, MPI_Free_mem(io->data));
    free(io->requests);
    free(io->statuses);
    free(io);
}

static void describe_hints(struct access *io)
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

static bool open_table_file(struct access *io)
{
    const bool private = io->base.benchmark->flags & IMB_PRIVATE;
    return open_file(io, private ? MPI_COMM_SELF : io->base.context->members,
                     MPI_MODE_RDWR | MPI_MODE_CREATE | (private ? MPI_MODE_UNIQUE_OPEN : 0));
}

/* With -compat 3.0, closes and reopens the file before the loop that computes, as release 3.0 did. */
static void reopen(struct access *io)
{
    CHECK(io->files, MPI_File_close(&io->chunk.file));
    io->is_open = open_table_file(io);
    imb_agree(io->base.context);
}

static void begin(struct imb_measurement *base)
{
    struct access *io = (struct access *)base;
    if (base->overlapping && io->table->settings->compat == IMB_30)
        reopen(io);
    base->completes = starts_all(io) || (io->writes && io->table->mode == IMB_MODE_AGGREGATE);
    if (!base->context->run->end.failed)
        set_view(io);
}

static void end(struct imb_measurement *base)
{
    imb_agree(base->context);
}

static struct imb_measurement *prepare(const struct imb_context *context, const struct imb_memory *memory,
                                       bool checking)
{
    const struct imb_table *table = context->table;
    const struct imb_benchmark *b = table->benchmark;
    const struct imb_io_call *call = imb_kernels[b - imb_benchmarks].call;
    const int size = table->groups.size;
    const bool opens = !call->move;
    struct access *io = memory_new(1, sizeof *io, IMB_BUFFERS);
    *io = (struct access){.base = {.context = context,
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

const struct imb_kind imb_kind_files = {.set_up = imb_files_set_up,
                                        .open_table = imb_files_open,
                                        .close_table = imb_files_close,
                                        .prepare = prepare,
                                        .begin = begin,
                                        .end = end,
                                        .check = check,
                                        .free = free_access,
                                        .synchronise = synchronise,
                                        .repetition = repeat,
                                        .complete = complete_all,
                                        .fixed_compute = true};
