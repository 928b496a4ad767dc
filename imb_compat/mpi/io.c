/* The runner of IMB-IO: the open file, the timed loop, the comparison of what was read or written
 * (docs/from-imb.md 9). Uses files, file, kernels, load, measure. */
#include "imb_compat/mpi/runner.h"

#include <stdlib.h>
#include <string.h>

#include "common/measure.h"
#include "common/mpi/file.h"
#include "imb_compat/file.h"
#include "imb_compat/mpi/files.h"
#include "imb_compat/mpi/kernels.h"

struct io {
    const struct imb_context *context;
    const struct imb_benchmark *benchmark;
    struct comm *comm;
    struct imb_files *files;
    struct imb_compute *load;
    struct imb_mismatch *mismatch;
    const struct imb_io_call *call;
    int64_t x;
    struct imb_portion portion;
    struct imb_placing placing;
    struct imb_chunk chunk;
    bool is_open, opens; /* Open_Close opens it in each repetition */
    bool writes, together;
    bool checking;
    char *data, *back; /* `places` portions; what was written, read again */
    int64_t places;
    int64_t *found, *all_found; /* what was read in any order: own and, on the first process, all entries */
    MPI_Request *requests;      /* of all repetitions */
    MPI_Status *statuses;

    /* The run under way. */
    bool overlapping;
    bool computing; /* not while probing */
    long started;   /* calls */
    int64_t repetitions;
    double *each;
};

/* ---- calls ---- */

/* Calls that others wait for are made after a failure, too. */
static bool skips(const struct io *io)
{
    return *io->comm->failure && !io->together;
}

static void check_call(const struct io *io, int code, const char *name)
{
    file_check(io->comm, code, name, io->files->path);
}

static void check_moved(struct io *io, int code, const MPI_Status *status, const char *name)
{
    check_call(io, code, name);
    if (code == MPI_SUCCESS)
        file_check_whole(io->comm, status, io->chunk.bytes, name, io->files->path);
}

/* Whether that went well. */
static bool open_file(struct io *io, MPI_Comm comm, enum file_use use, bool unique)
{
    int code = file_open(comm, io->files->path, use, unique, MPI_INFO_NULL, &io->chunk.file);
    check_call(io, code, "MPI_File_open");
    return code == MPI_SUCCESS;
}

static void close_file(struct io *io)
{
    check_call(io, MPI_File_close(&io->chunk.file), "MPI_File_close");
}

static void sync_file(struct io *io)
{
    check_call(io, MPI_File_sync(io->chunk.file), "MPI_File_sync");
}

/* What MPI asks for before a process sees what another one wrote. */
static void sync_all(struct io *io)
{
    sync_file(io);
    check_call(io, MPI_Barrier(io->context->members), "MPI_Barrier");
    sync_file(io);
}

static void complete(struct io *io)
{
    if (io->context->table->settings->compat == IMB_30)
        sync_file(io);
    else
        sync_all(io);
}

static void compute(struct io *io)
{
    if (io->computing)
        imb_compute_run(io->load, io->load->task);
}

static void move(struct io *io)
{
    MPI_Status status;
    if (!skips(io))
        check_moved(io, io->call->move(&io->chunk, &status), &status, io->call->name);
}

/* A split call with computation in it. */
static void move_split(struct io *io)
{
    MPI_Status status;
    int code = io->call->start(&io->chunk, NULL);
    check_call(io, code, io->call->start_name);
    if (code != MPI_SUCCESS)
        return;
    compute(io);
    check_moved(io, io->call->end(&io->chunk, &status), &status, io->call->name);
}

static void start(struct io *io)
{
    io->requests[io->started] = MPI_REQUEST_NULL;
    io->chunk.data = io->data + io->started % io->places * io->portion.bytes;
    if (!skips(io))
        check_call(io, io->call->start(&io->chunk, &io->requests[io->started]), io->call->start_name);
    io->started++;
}

static void wait_for_all(struct io *io)
{
    int code = MPI_Waitall((int)io->started, io->requests, io->statuses);
    for (long i = 0; i < io->started && code == MPI_ERR_IN_STATUS; i++)
        check_call(io, io->statuses[i].MPI_ERROR, io->call->start_name);
    if (code != MPI_ERR_IN_STATUS)
        check_call(io, code, "MPI_Waitall");
    for (long i = 0; i < io->started && !*io->comm->failure; i++)
        file_check_whole(io->comm, &io->statuses[i], io->chunk.bytes, io->call->start_name, io->files->path);
}

static bool starts_all(const struct io *io)
{
    return io->overlapping && imb_starts_together(io->benchmark);
}

static void open_and_close(struct io *io)
{
    MPI_Status status;
    if (!open_file(io, io->context->members, FILE_BOTH, false))
        return;
    int code = MPI_File_write(io->chunk.file, io->data, 1, MPI_BYTE, &status);
    check_moved(io, code, &status, "MPI_File_write");
    close_file(io);
}

/* ---- what was read and written ---- */

static uint32_t written_seed(const struct io *io, int rank)
{
    return io->files->runs * (uint32_t)io->context->table->groups.size + (uint32_t)rank;
}

static void check_read(struct io *io, const char *data, int64_t i)
{
    uint32_t seed = imb_files_seed(io->context);
    int64_t at = io->placing.first + i * io->placing.step, bytes = io->portion.bytes;
    if (io->found) {
        at = io->found[i] = imb_cover_entry(seed, data, bytes, io->repetitions * io->x);
        if (!imb_cover_finds(bytes))
            return;
        if (at < 0)
            at = 0; /* it is nowhere: wrong wherever it is looked for */
    }
    imb_content_check(seed, at, data, bytes, at, io->mismatch);
}

/* All that was read in any order, by one process. */
static void check_cover(struct io *io)
{
    int n = (int)io->repetitions, size = io->context->table->groups.size;
    int code = MPI_Gather(io->found, n, MPI_INT64_T, io->all_found, n, MPI_INT64_T, 0, io->context->members);
    check_call(io, code, "MPI_Gather");
    struct imb_cover cover = {io->x, size, imb_files_seed(io->context), io->repetitions, io->all_found};
    if (io->context->rank == 0 && !*io->comm->failure && imb_cover_check(&cover, io->mismatch))
        comm_fail(io->comm, "out of memory for checking (rank %d)", io->comm->rank);
}

static bool read_back(struct io *io, int64_t at, int64_t bytes)
{
    MPI_Status status;
    int moved = 0;
    int code = MPI_File_read_at(io->chunk.file, at, io->back, (int)bytes, MPI_BYTE, &status);
    check_call(io, code, "MPI_File_read_at");
    if (code == MPI_SUCCESS && !file_is_whole(&status, (int)bytes, &moved))
        comm_fail(io->comm, "%s is short after it was written: %d of %d bytes at %lld (rank %d)",
                  io->files->path, moved, (int)bytes, (long long)at, io->comm->rank);
    return !*io->comm->failure;
}

/* All portions that came through the shared pointer, by one process. */
static void check_mixture(struct io *io)
{
    int size = io->context->table->groups.size;
    int64_t *left = calloc((size_t)size, sizeof *left), extent = io->repetitions * io->x, at = 0, taken = 1;
    struct imb_mixture mixture = {io->x, size, written_seed(io, 0), left};
    if (!left) {
        comm_fail(io->comm, "out of memory for checking (rank %d)", io->comm->rank);
        return;
    }
    for (int rank = 0; rank < size; rank++)
        left[rank] = imb_portion_of(io->x, rank, size).bytes ? io->repetitions : 0;
    for (; at < extent && taken; at += taken) {
        int64_t most = extent - at < io->portion.bytes ? extent - at : io->portion.bytes;
        if (!read_back(io, at, most))
            break;
        taken = imb_mixture_take(&mixture, io->back, most, at, io->mismatch);
    }
    free(left);
}

static void check_own(struct io *io)
{
    int64_t bytes = io->portion.bytes, at = io->placing.first;
    uint32_t seed = written_seed(io, io->context->rank);
    for (int64_t i = 0; i < io->repetitions && bytes && read_back(io, at, bytes); i++) {
        imb_content_check(seed, 0, io->back, bytes, at, io->mismatch);
        at += io->placing.step;
    }
}

/* Outside of the clock. */
static void check_written(struct io *io)
{
    sync_all(io);
    check_call(io, file_view(io->chunk.file, 0, 0, 0, MPI_INFO_NULL), "MPI_File_set_view");
    if (!io->placing.any_order)
        check_own(io);
    else if (io->context->rank == 0)
        check_mixture(io);
    check_call(io, MPI_Barrier(io->context->members), "MPI_Barrier"); /* nobody writes anew before */
}

static void check_opened_byte(struct io *io)
{
    check_call(io, MPI_Barrier(io->context->members), "MPI_Barrier"); /* all have written */
    if (io->context->rank == 0 && !*io->comm->failure && open_file(io, MPI_COMM_SELF, FILE_READ, false)) {
        if (read_back(io, 0, 1))
            imb_compare(io->data, io->back, 1, 0, IMB_SOURCE_FILE, io->mismatch);
        close_file(io);
    }
    ++*io->data;
}

static void check_all(struct io *io)
{
    if (io->writes) {
        check_written(io);
        return;
    }
    for (long i = 0; i < io->started && !*io->comm->failure; i++)
        check_read(io, io->data + i * io->portion.bytes, i);
    if (io->found)
        check_cover(io);
    if (io->started)
        memset(io->data, 0, (size_t)(io->places * io->portion.bytes));
}

/* ---- the measuring loop's view ---- */

/* Whether what each repetition read is compared before the next one. */
static bool checks_each(const struct io *io)
{
    return io->checking && !io->writes && !io->opens && !starts_all(io);
}

static int synchronise(void *context)
{
    const struct io *io = context;
    int code = MPI_Barrier(io->context->active);
    return code == MPI_SUCCESS ? MPI_Barrier(io->context->members) : code;
}

/* A failure is told after the run: others may wait for this process. */
static int work(void *context, long iteration)
{
    struct io *io = context;
    (void)iteration;
    if (io->opens)
        open_and_close(io);
    else if (starts_all(io))
        start(io);
    else if (io->overlapping)
        move_split(io);
    else
        move(io);
    io->chunk.at += io->placing.step;
    if (io->context->table->mode == IMB_MODE_NON_AGGREGATE)
        complete(io);
    return 0;
}

static int after(void *context, long iteration, double seconds)
{
    struct io *io = context;
    if (io->each)
        io->each[iteration] = seconds;
    if (io->checking && io->opens)
        check_opened_byte(io);
    else if (checks_each(io)) {
        if (!*io->comm->failure)
            check_read(io, io->data, iteration);
        memset(io->data, 0, (size_t)io->portion.bytes);
    }
    return 0;
}

static int finish(void *context)
{
    struct io *io = context;
    if (starts_all(io)) {
        for (long i = 0; i < io->started; i++)
            compute(io);
        wait_for_all(io);
    }
    if (io->writes && io->context->table->mode == IMB_MODE_AGGREGATE)
        complete(io);
    return 0;
}

/* ---- a run ---- */

/* A new view sets the individual and the shared file pointer back to the start. */
static void begin(struct io *io, int64_t repetitions)
{
    const struct imb_placing *p = &io->placing;
    io->repetitions = repetitions;
    io->files->runs++;
    io->started = 0;
    io->chunk.at = p->first;
    io->chunk.data = io->data;
    if (io->checking && io->writes && !io->opens)
        imb_content_fill(written_seed(io, io->context->rank), 0, io->data, io->portion.bytes);
    if (!io->opens)
        check_call(
            io,
            file_view(io->chunk.file, p->stride ? p->first : 0, io->chunk.bytes, p->stride, MPI_INFO_NULL),
            "MPI_File_set_view");
    if (io->benchmark->flags & IMB_SHARED_POINTER) /* several may not create ROMIO's file of it at once */
        check_call(io, MPI_File_seek_shared(io->chunk.file, 0, MPI_SEEK_SET), "MPI_File_seek_shared");
}

/* Seconds for one repetition. */
static double run_loop(struct io *io, int64_t repetitions, double *each)
{
    struct measure_ops ops = {.now = comm_now, .synchronise = synchronise, .work = work, .context = io};
    struct measured measured;
    begin(io, repetitions);
    io->each = each;
    if (io->each || (io->checking && io->opens) || checks_each(io))
        ops.after = after;
    if (starts_all(io) || (io->writes && io->context->table->mode == IMB_MODE_AGGREGATE))
        ops.finish = finish;
    enum measure_status status = measure(&ops, 0, (long)repetitions, &measured);
    if (status == MEASURE_FAILED)
        comm_check(io->comm, measured.error, io->benchmark->name, __FILE__, __LINE__);
    if (status == MEASURE_CLOCK_BACKWARDS)
        comm_fail(io->comm, "%s (rank %d)", measure_status_text(status), io->comm->rank);
    if (!imb_files_agree(io->files, io->context) && io->checking && !io->opens) {
        check_all(io);
        imb_files_agree(io->files, io->context);
    }
    return measured.seconds / (double)repetitions;
}

static struct imb_share measure_io(void *measurement, int64_t repetitions, bool probing, double *each)
{
    struct io *io = measurement;
    struct imb_share share = {0};
    bool overlapped = io->benchmark->flags & IMB_OVERLAPPED;
    io->computing = !probing;
    io->overlapping = false;
    if (!io->files->end->failed)
        share.seconds = run_loop(io, repetitions, overlapped ? NULL : each);
    if (overlapped && !io->files->end->failed) {
        io->overlapping = true;
        share.pure = share.seconds;
        share.cpu = io->load->task_seconds;
        share.seconds = run_loop(io, repetitions, each) + (probing ? share.cpu : 0);
    }
    share.defects = (double)io->mismatch->wrong;
    return share;
}

/* ---- preparation ---- */

static int allocate(struct io *io, const struct imb_memory *memory, int64_t repetitions)
{
    int64_t moved = io->writes ? memory->send.bytes : memory->receive.bytes;
    int64_t bytes = moved + (io->writes ? memory->receive.bytes : 0) + 2; /* Open_Close: 1 and 1 */
    if (MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &io->data) != MPI_SUCCESS) {
        io->data = NULL;
        return -1;
    }
    io->back = io->data + moved + io->opens;
    io->places = memory->places;
    memset(io->data, 0, (size_t)bytes);
    if (io->writes && !io->opens)
        imb_content_fill(written_seed(io, io->context->rank), 0, io->data, io->portion.bytes);
    size_t n = (size_t)repetitions, all = io->context->rank ? 1 : n * (size_t)io->context->table->groups.size;
    if (io->checking && io->placing.any_order && !io->writes) {
        io->found = calloc(n, sizeof *io->found);
        io->all_found = calloc(all, sizeof *io->all_found);
        if (!io->found || !io->all_found)
            return -1;
    }
    if (!imb_starts_together(io->benchmark))
        return 0;
    io->requests = calloc(n, sizeof *io->requests);
    io->statuses = calloc(n, sizeof *io->statuses);
    return io->requests && io->statuses ? 0 : -1;
}

static void finalize(void *measurement)
{
    struct io *io = measurement;
    if (io->is_open)
        close_file(io);
    if (io->data)
        COMM_CHECK(io->comm, MPI_Free_mem(io->data));
    free(io->found);
    free(io->all_found);
    free(io->requests);
    free(io->statuses);
    free(io);
}

static void *init(const struct imb_context *context, struct imb_compute *load, int64_t bytes,
                  int64_t repetitions, struct imb_mismatch *mismatch)
{
    const struct imb_benchmark *b = context->table->benchmark;
    const struct imb_memory memory =
        imb_memory_make(context->table->settings, b, context->table->groups.size, bytes, repetitions);
    struct io *io = calloc(1, sizeof *io);
    if (!io)
        return NULL;
    bool opens = b->class == IMB_CLASS_SYNC;
    *io = (struct io){.context = context,
                      .benchmark = b,
                      .comm = context->comm,
                      .files = context->files,
                      .load = load,
                      .mismatch = mismatch,
                      .call = imb_io_call_of(b),
                      .opens = opens,
                      .x = bytes,
                      .portion = opens ? (struct imb_portion){0, 1}
                                       : imb_portion_of(bytes, context->rank, context->table->groups.size),
                      .placing = imb_placing_of(b, bytes, context->rank, context->table->groups.size),
                      .writes = b->flags & IMB_WRITES,
                      .together = b->class == IMB_CLASS_COLLECTIVE || opens,
                      .checking = context->table->settings->check};
    io->chunk.bytes = (int)io->portion.bytes;
    if (allocate(io, &memory, repetitions)) {
        finalize(io);
        return NULL;
    }
    if (opens)
        return io;
    bool private = b->flags & IMB_PRIVATE;
    io->is_open = open_file(io, private ? MPI_COMM_SELF : context->members, FILE_BOTH, private);
    if (io->is_open && !*io->files->hints)
        file_hints(io->chunk.file, io->files->hints, sizeof io->files->hints);
    imb_files_agree(io->files, context);
    return io;
}

const struct imb_runner imb_files_runner = {init, measure_io, finalize};
