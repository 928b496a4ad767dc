/* One benchmark of IMB-IO, one size, one process. Uses files, ways, io_check, load, measure. */
#include "imb_compat/mpi/io.h"

#include <stdlib.h>
#include <string.h>

#include "common/measure.h"
#include "common/mpi/file.h"
#include "imb_compat/content.h"
#include "imb_compat/mpi/io_state.h"

/* ---- calls ---- */

/* Calls that others wait for are made after a failure, too. */
static bool skips(const struct imb_io *io)
{
    return *io->files->failure && !io->together;
}

void imb_io_check_call(struct imb_io *io, int code, const char *name)
{
    if (code != MPI_SUCCESS)
        imb_files_check_code(io->files, code, name);
}

static void check_count(struct imb_io *io, const MPI_Status *status, const char *name)
{
    int moved = 0;
    if (!file_is_whole(status, io->chunk.bytes, &moved) && !*io->files->failure)
        imb_files_fail(io->files, "%s on %s transferred %d of %d bytes (rank %d, while %s)", name,
                       io->files->path, moved, io->chunk.bytes, io->site->world->rank,
                       io->site->world->doing);
}

static void check_moved(struct imb_io *io, int code, const MPI_Status *status, const char *name)
{
    imb_io_check_call(io, code, name);
    if (code == MPI_SUCCESS)
        check_count(io, status, name);
}

void imb_io_complete(struct imb_io *io)
{
    imb_io_check_call(io, MPI_File_sync(io->chunk.file), "MPI_File_sync");
    if (io->site->settings->compat == IMB_30)
        return;
    imb_io_check_call(io, MPI_Barrier(io->site->comm), "MPI_Barrier");
    imb_io_check_call(io, MPI_File_sync(io->chunk.file), "MPI_File_sync");
}

static void compute(struct imb_io *io)
{
    if (io->computing)
        imb_load_run(io->load, io->load->task);
}

static void move(struct imb_io *io)
{
    MPI_Status status;
    if (!skips(io))
        check_moved(io, io->way->move(&io->chunk, &status), &status, io->way->name);
}

/* A split call with computation in it. */
static void move_split(struct imb_io *io)
{
    MPI_Status status;
    int code = io->way->start(&io->chunk, NULL);
    imb_io_check_call(io, code, io->way->start_name);
    if (code != MPI_SUCCESS)
        return;
    compute(io);
    check_moved(io, io->way->end(&io->chunk, &status), &status, io->way->name);
}

static void start(struct imb_io *io)
{
    io->requests[io->started] = MPI_REQUEST_NULL;
    io->chunk.data = io->data + io->started % io->places * io->portion.bytes;
    if (!skips(io))
        imb_io_check_call(io, io->way->start(&io->chunk, &io->requests[io->started]), io->way->start_name);
    io->started++;
}

static void wait_for_all(struct imb_io *io)
{
    int code = MPI_Waitall((int)io->started, io->requests, io->statuses);
    for (long i = 0; i < io->started && code == MPI_ERR_IN_STATUS; i++)
        imb_io_check_call(io, io->statuses[i].MPI_ERROR, io->way->start_name);
    if (code != MPI_ERR_IN_STATUS)
        imb_io_check_call(io, code, "MPI_Waitall");
    for (long i = 0; i < io->started && !*io->files->failure; i++)
        check_count(io, &io->statuses[i], io->way->start_name);
}

bool imb_io_starts_all(const struct imb_io *io)
{
    return io->overlapping && imb_starts_together(io->site->benchmark);
}

static void open_and_close(struct imb_io *io)
{
    MPI_Status status;
    int code = file_open(io->site->comm, io->files->path, FILE_BOTH, false, MPI_INFO_NULL, &io->chunk.file);
    imb_io_check_call(io, code, "MPI_File_open");
    if (code != MPI_SUCCESS)
        return;
    code = MPI_File_write(io->chunk.file, io->data, 1, MPI_BYTE, &status);
    check_moved(io, code, &status, "MPI_File_write");
    imb_io_check_call(io, MPI_File_close(&io->chunk.file), "MPI_File_close");
}

/* ---- the measuring loop's view ---- */

static int synchronise(void *context)
{
    const struct imb_io *io = context;
    int code = MPI_Barrier(io->site->active);
    return code == MPI_SUCCESS ? MPI_Barrier(io->site->comm) : code;
}

/* A failure is told after the run: others may wait for this process. */
static int work(void *context, long iteration)
{
    struct imb_io *io = context;
    (void)iteration;
    if (!io->way)
        open_and_close(io);
    else if (imb_io_starts_all(io))
        start(io);
    else if (io->overlapping)
        move_split(io);
    else
        move(io);
    io->chunk.at += io->placing.step;
    if (io->site->mode == IMB_SINGLY)
        imb_io_complete(io);
    return 0;
}

static int after(void *context, long iteration, double seconds)
{
    struct imb_io *io = context;
    if (io->each)
        io->each[iteration] = seconds;
    return 0;
}

static int check_each(void *context, long iteration, double seconds)
{
    struct imb_io *io = context;
    if (!*io->files->failure)
        imb_io_check_read(io, io->data, iteration);
    memset(io->data, 0, (size_t)io->portion.bytes);
    return after(context, iteration, seconds);
}

static int check_opened(void *context, long iteration, double seconds)
{
    imb_io_check_opened(context);
    return after(context, iteration, seconds);
}

static int finish(void *context)
{
    struct imb_io *io = context;
    if (imb_io_starts_all(io)) {
        for (long i = 0; i < io->started; i++)
            compute(io);
        wait_for_all(io);
    }
    if (io->writes && io->site->mode == IMB_TOGETHER)
        imb_io_complete(io);
    return 0;
}

/* ---- a run ---- */

/* A new view sets the individual and the shared file pointer back to the start. */
static void begin(struct imb_io *io, int64_t repetitions)
{
    const struct imb_placing *p = &io->placing;
    io->repetitions = repetitions;
    io->files->runs++;
    io->started = 0;
    io->chunk.at = p->first;
    io->chunk.data = io->data;
    if (io->checking && io->writes && io->way)
        imb_content_fill(imb_io_written_seed(io, io->site->rank), 0, io->data, io->portion.bytes);
    if (io->way)
        imb_io_check_call(
            io,
            file_view(io->chunk.file, p->stride ? p->first : 0, io->chunk.bytes, p->stride, MPI_INFO_NULL),
            "MPI_File_set_view");
}

/* Seconds for one repetition. */
static double run_loop(struct imb_io *io, int64_t repetitions, double *each)
{
    struct measure_world world = {.now = world_now, .synchronise = synchronise, .work = work, .context = io};
    struct measured measured;
    begin(io, repetitions);
    io->each = each;
    if (io->checking && !io->way)
        world.after = check_opened;
    else if (io->checking && !io->writes && !imb_io_starts_all(io))
        world.after = check_each;
    else if (io->each)
        world.after = after;
    if (imb_io_starts_all(io) || (io->writes && io->site->mode == IMB_TOGETHER))
        world.finish = finish;
    enum measure_status status = measure(&world, 0, (long)repetitions, &measured);
    if (status == MEASURE_FAILED)
        world_check(io->site->world, measured.error, io->site->benchmark->name, __FILE__, __LINE__);
    if (status == MEASURE_CLOCK_BACKWARDS)
        imb_files_fail(io->files, "%s (rank %d)", measure_status_text(status), io->site->world->rank);
    if (!imb_files_agree(io->files, io->site) && io->checking && io->way) {
        imb_io_check_all(io);
        imb_files_agree(io->files, io->site);
    }
    return measured.seconds / (double)repetitions;
}

struct imb_share imb_io_run(struct imb_io *io, int64_t repetitions, bool probing, double *each)
{
    struct imb_share share = {0};
    bool overlapped = io->site->benchmark->flags & IMB_OVERLAPPED;
    io->computing = !probing;
    io->overlapping = false;
    if (!io->files->failed)
        share.seconds = run_loop(io, repetitions, overlapped ? NULL : each);
    if (overlapped && !io->files->failed) {
        io->overlapping = true;
        share.pure = share.seconds;
        share.cpu = io->load->task_seconds;
        share.seconds = run_loop(io, repetitions, each) + (probing ? share.cpu : 0);
    }
    share.defects = (double)io->mismatch->wrong;
    return share;
}

/* ---- preparation ---- */

static int allocate(struct imb_io *io, const struct imb_memory *memory, int64_t repetitions)
{
    int64_t moved = io->writes ? memory->send.bytes : memory->receive.bytes;
    int64_t back = io->writes ? memory->receive.bytes : 0;
    if (MPI_Alloc_mem((MPI_Aint)(moved + back + 1), MPI_INFO_NULL, &io->data) != MPI_SUCCESS) {
        io->data = NULL;
        return -1;
    }
    io->back = io->data + moved;
    io->places = memory->places;
    memset(io->data, 0, (size_t)(moved + back + 1));
    if (io->writes && io->way)
        imb_content_fill(imb_io_written_seed(io, io->site->rank), 0, io->data, io->portion.bytes);
    if (io->checking && io->placing.any_order && !io->writes) {
        size_t n = (size_t)repetitions, all = io->site->rank ? 1 : n * (size_t)io->site->groups.size;
        io->found = calloc(n, sizeof *io->found);
        io->all_found = calloc(all, sizeof *io->all_found);
        if (!io->found || !io->all_found)
            return -1;
    }
    if (!imb_starts_together(io->site->benchmark))
        return 0;
    io->requests = calloc((size_t)repetitions, sizeof *io->requests);
    io->statuses = calloc((size_t)repetitions, sizeof *io->statuses);
    return io->requests && io->statuses ? 0 : -1;
}

static void open_file(struct imb_io *io)
{
    bool private = io->site->benchmark->flags & IMB_PRIVATE;
    int code = file_open(private ? MPI_COMM_SELF : io->site->comm, io->files->path, FILE_BOTH, private,
                         MPI_INFO_NULL, &io->chunk.file);
    imb_io_check_call(io, code, "MPI_File_open");
    io->is_open = code == MPI_SUCCESS;
    if (io->is_open && !*io->files->hints)
        file_hints(io->chunk.file, io->files->hints, sizeof io->files->hints);
}

struct imb_io *imb_io_make(const struct imb_site *site, struct imb_load *load,
                           const struct imb_memory *memory, int64_t bytes, int64_t repetitions,
                           struct imb_mismatch *mismatch)
{
    const struct imb_benchmark *b = site->benchmark;
    int size = site->groups.size;
    struct imb_io *io = calloc(1, sizeof *io);
    if (!io)
        return NULL;
    bool opens = b->kernel == IMB_OPEN_CLOSE;
    *io = (struct imb_io){.site = site,
                          .files = site->files,
                          .load = load,
                          .mismatch = mismatch,
                          .way = opens ? NULL : imb_way_of(b),
                          .x = bytes,
                          .portion =
                              opens ? (struct imb_portion){0, 1} : imb_portion_of(bytes, site->rank, size),
                          .placing = imb_placing_of(b, bytes, site->rank, size),
                          .writes = b->flags & IMB_WRITES,
                          .together = b->class == IMB_COLLECTIVE || opens,
                          .checking = site->settings->check};
    io->chunk.bytes = (int)io->portion.bytes;
    if (allocate(io, memory, repetitions)) {
        imb_io_free(io);
        return NULL;
    }
    if (!opens) {
        open_file(io);
        imb_files_agree(io->files, site);
    }
    return io;
}

void imb_io_close(struct imb_io *io)
{
    if (io->is_open)
        imb_io_check_call(io, MPI_File_close(&io->chunk.file), "MPI_File_close");
    io->is_open = false;
}

void imb_io_free(struct imb_io *io)
{
    imb_io_close(io);
    if (io->data)
        WORLD_CHECK(io->site->world, MPI_Free_mem(io->data));
    free(io->found);
    free(io->all_found);
    free(io->requests);
    free(io->statuses);
    free(io);
}
