/* IMB-IO: creates, fills and removes the files of a table. Provides the steps of the timed loop, and checks
 * the data that were read or written (docs/definition-imb.md 9). */
#include "common/memory.h"
#include "imb_compat/mpi/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mpi/file.h"
#include "imb_compat/check.h"
#include "imb_compat/mpi/kernels.h"

enum { FILL_PIECE = 1 << 20 };

/* The files of the current table. This struct lives until the process exits, because the files have to be
 * removed however the run ends. */
struct imb_files {
    struct comm *comm;
    const struct imb_table *table;
    char own[IMB_FILE_NAME_SIZE];  /* file that this process created, or "" */
    char path[IMB_FILE_NAME_SIZE]; /* file that this process uses */
    uint32_t loops;                /* loops run on these files so far; each loop writes different content */
    bool described;                /* the hints in force have been written to the protocol */
};

/* Returns true if a call succeeded. Otherwise records this process's failure and returns false. */
static bool check_call(const struct imb_files *f, int code, const char *call)
{
    file_check(f->comm, code, call, f->path);
    return code == MPI_SUCCESS;
}
#define CHECK(files, call) check_call(files, call, #call)

bool imb_files_agree(const struct imb_context *context)
{
    struct comm *comm = context->run->run.comm;
    struct imb_end *end = &context->run->end;
    int own[] = {*comm->failure ? context->number : INT_MAX, -ending_signal()}, all[2];
    COMM_CHECK(comm, MPI_Allreduce(own, all, 2, MPI_INT, MPI_MIN, context->active));
    ending_forgive(); /* now all processes know about the failure */
    if (all[1])
        end->signal = -all[1];
    if (all[0] < INT_MAX && !end->failed) {
        end->failed = true;
        COMM_CHECK(comm, MPI_Bcast(comm->failure, sizeof comm->failure, MPI_CHAR, all[0], context->active));
    }
    return end->failed || end->signal;
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

static uint32_t seed_of(const struct imb_context *context)
{
    return (uint32_t)(is_private(context->table) ? context->run->run.comm->rank : context->group);
}

/* ---- removing ---- */

/* Removes the files in which ROMIO keeps the shared file pointer of `name`, .NAME.shfp.NUMBER. ROMIO removes
 * them only when the file is closed. Async-signal-safe. */
static void remove_pointers(const char *name)
{
    _Alignas(struct dirent64) char entries[4096];
    char start[IMB_FILE_NAME_SIZE + 8];
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    stpcpy(stpcpy(stpcpy(start, "."), name), ".shfp.");
    for (ssize_t size; here >= 0 && (size = getdents64(here, entries, sizeof entries)) > 0;)
        for (const char *at = entries; at < entries + size;) {
            const struct dirent64 *entry = (const void *)at;
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
    int size = is_private(f->table) ? groups->size : 1;
    char name[IMB_FILE_NAME_SIZE];
    name_file(name, f->table, (int)i / size, imb_groups_rank(groups, (int)i / size, (int)i % size));
    unlink(name);
    if (!is_private(f->table))
        remove_pointers(name);
}

static void remove_own(const void *context, size_t i)
{
    (void)i;
    unlink(((const struct imb_files *)context)->own);
}

void imb_files_remove(const struct imb_context *context)
{
    struct imb_files *f = context->run->files;
    struct comm *comm = context->run->run.comm;
    COMM_CHECK(comm, MPI_Barrier(context->active));
    if (*f->own && unlink(f->own))
        comm_fail(comm, "%s cannot be removed: %s (rank %d)", f->own, strerror(errno), comm->rank);
    ending_set_files(0, NULL, NULL);
    *f->own = 0;
    imb_files_agree(context);
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

/* Fills a file with content. Stops early if the run has to end. */
static void fill(struct imb_files *f, const struct imb_context *context, MPI_File file, int64_t extent)
{
    struct imb_run *run = context->run;
    char *piece = memory_new(1, FILL_PIECE, "the content of a file");
    for (int64_t at = 0; at < extent && !*f->comm->failure; at += FILL_PIECE) {
        MPI_Status status;
        run->end.signal = ending_signal();
        run->end.time_is_up = comm_elapsed(f->comm) >= run->settings->run.time;
        if (run->end.signal || run->end.time_is_up)
            break;
        int bytes = extent - at < FILL_PIECE ? (int)(extent - at) : FILL_PIECE;
        imb_content_fill(seed_of(context), at, piece, bytes);
        if (CHECK(f, MPI_File_write_at(file, at, piece, bytes, MPI_BYTE, &status)))
            file_check_whole(f->comm, &status, bytes, "MPI_File_write_at", f->path);
    }
    free(piece);
}

static void make_own(struct imb_files *f, const struct imb_context *context, int64_t extent)
{
    MPI_File file;
    if (!check_call(
            f, file_open(MPI_COMM_SELF, f->path, FILE_NEW | MPI_MODE_UNIQUE_OPEN, context->run->info, &file),
            "MPI_File_open"))
        return;
    memcpy(f->own, f->path, sizeof f->own);
    ending_set_files(1, remove_own, f); /* files with the other names may belong to the user */
    CHECK(f, MPI_File_set_size(file, extent));
    if (!(f->table->benchmark->flags & IMB_WRITES))
        fill(f, context, file, extent);
    CHECK(f, MPI_File_close(&file));
}

void imb_files_make(const struct imb_context *context)
{
    struct imb_files *f = context->run->files;
    struct comm *comm = f->comm;
    f->table = context->table;
    f->loops = 0;
    name_file(f->path, f->table, context->group, comm->rank);
    if (is_private(f->table) || context->rank == 0)
        make_own(f, context, extent_of(f->table, &context->sizes, context->rank));
    if (imb_files_agree(context))
        return;
    struct imb_end own = context->run->end;
    COMM_CHECK(comm,
               MPI_Allreduce(&own, &context->run->end, IMB_END_MEMBERS, MPI_INT, MPI_MAX, context->active));
    int each = is_private(f->table) ? f->table->groups.size : 1;
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
    if (number >= groups->active || (!is_private(table) && number % groups->size))
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
    int files = is_private(table) ? groups->size : 1;
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

enum exit_status imb_files_set_up(struct imb_run *run)
{
    struct message error = {""};
    struct imb_files *files = run->files = memory_new(1, sizeof *files, "the files");
    files->comm = run->run.comm;
    return comm_agree(run->run.comm, check_all_tables(run, &error) ? EXIT_ENVIRONMENT : EXIT_OK, &error);
}

/* ---- one size ---- */

struct io {
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

/* ---- calls ---- */

/* Returns true if a call has to be skipped: after a failure or a signal, only collective calls are made. */
static bool skips(const struct io *io)
{
    return (*io->comm->failure || ending_signal()) && !io->together;
}

static void check_moved(struct io *io, int code, const MPI_Status *status, int bytes, const char *name)
{
    if (check_call(io->files, code, name))
        file_check_whole(io->comm, status, bytes, name, io->files->path);
}

static bool open_file(struct io *io, MPI_Comm comm, int mode)
{
    int code = file_open(comm, io->files->path, mode, io->base.context->run->info, &io->chunk.file);
    return check_call(io->files, code, "MPI_File_open");
}

/* Makes written data visible to all processes of the group: sync, barrier, sync. */
static void sync_all(struct io *io)
{
    CHECK(io->files, MPI_File_sync(io->chunk.file));
    CHECK(io->files, MPI_Barrier(io->base.context->members));
    CHECK(io->files, MPI_File_sync(io->chunk.file));
}

static void complete(struct io *io)
{
    if (is_private(io->table) && ending_signal())
        return;
    if (io->table->settings->compat == IMB_30)
        CHECK(io->files, MPI_File_sync(io->chunk.file));
    else
        sync_all(io);
}

static void compute(struct io *io)
{
    struct imb_compute *c = &io->base.context->run->compute;
    if (!io->base.probing)
        imb_compute_run(c, c->task);
    io->base.computed += c->task_seconds;
}

static void move_split(struct io *io)
{
    MPI_Status status;
    if (!check_call(io->files, io->call->start(&io->chunk, NULL), io->call->start_name))
        return;
    compute(io);
    check_moved(io, io->call->end(&io->chunk, &status), &status, io->chunk.bytes, io->call->name);
}

static void start(struct io *io)
{
    if (skips(io))
        return;
    io->requests[io->started] = MPI_REQUEST_NULL;
    check_call(io->files, io->call->start(&io->chunk, &io->requests[io->started]), io->call->start_name);
    io->started++;
}

static void wait_for_all(struct io *io)
{
    int code = MPI_Waitall((int)io->started, io->requests, io->statuses);
    for (long i = 0; i < io->started && code == MPI_ERR_IN_STATUS; i++)
        check_call(io->files, io->statuses[i].MPI_ERROR, io->call->start_name);
    if (code != MPI_ERR_IN_STATUS)
        check_call(io->files, code, "MPI_Waitall");
    for (long i = 0; i < io->started && !*io->comm->failure; i++)
        file_check_whole(io->comm, &io->statuses[i], io->chunk.bytes, io->call->start_name, io->files->path);
}

/* Returns true if this loop starts all calls before it waits for any of them. */
static bool starts_all(const struct io *io)
{
    return io->base.overlapping && io->requests;
}

static void open_and_close(struct io *io)
{
    MPI_Status status;
    if (!open_file(io, io->base.context->members, MPI_MODE_RDWR | MPI_MODE_CREATE))
        return;
    int code = MPI_File_write(io->chunk.file, io->data, 1, MPI_BYTE, &status);
    check_moved(io, code, &status, 1, "MPI_File_write");
    CHECK(io->files, MPI_File_close(&io->chunk.file));
}

/* ---- checking ---- */

/* Returns the seed of the content that this loop writes, which differs for each loop and group. */
static uint32_t written_seed(const struct io *io)
{
    return io->files->loops * (uint32_t)io->table->groups.count + (uint32_t)io->base.context->group;
}

static void check_read(struct io *io, const char *data, int64_t i)
{
    uint32_t seed = seed_of(io->base.context);
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
static void check_all_read(struct io *io)
{
    struct imb_tally all = {0};
    int code = MPI_Reduce(&io->tally, &all, 2, MPI_UINT64_T, MPI_SUM, 0, io->base.context->members), last = 0;
    while (last + 1 < io->table->groups.size && imb_portion_of(io->x, last + 1, io->table->groups.size).bytes)
        last++;
    bool known = imb_contains_item(io->x, imb_portion_of(io->x, last, io->table->groups.size).bytes);
    if (check_call(io->files, code, "MPI_Reduce") && io->base.context->rank == 0 && known)
        imb_tally_check(&all, io->base.count * io->x, 1, &io->base.mismatch);
}

static bool read_back(struct io *io, int64_t at, int64_t bytes)
{
    MPI_Status status;
    int code = MPI_File_read_at(io->chunk.file, at, io->back, (int)bytes, MPI_BYTE, &status);
    check_moved(io, code, &status, (int)bytes, "MPI_File_read_at");
    return !*io->comm->failure;
}

/* Checks all portions that were written through the shared pointer. One process reads the whole file. */
static void check_any_order(struct io *io)
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

static void check_own(struct io *io)
{
    int64_t bytes = io->portion.bytes, at = io->placing.first;
    for (int64_t i = 0; i < io->base.count && bytes && read_back(io, at, bytes); i++) {
        imb_content_check(written_seed(io), io->portion.offset, io->back, bytes, at, &io->base.mismatch);
        at += io->placing.step;
    }
}

static void check_written(struct io *io)
{
    sync_all(io);
    check_call(io->files, file_view(io->chunk.file, 0, 0, 0, MPI_INFO_NULL), "MPI_File_set_view");
    if (!io->placing.any_order)
        check_own(io);
    else if (io->base.context->rank == 0)
        check_any_order(io);
    CHECK(io->files, MPI_Barrier(io->base.context->members)); /* no process writes until all have checked */
}

static void check_opened_byte(struct io *io)
{
    CHECK(io->files, MPI_Barrier(io->base.context->members)); /* all have written */
    if (io->base.context->rank == 0 && !*io->comm->failure && open_file(io, MPI_COMM_SELF, MPI_MODE_RDONLY)) {
        if (read_back(io, 0, 1))
            imb_compare(io->data, io->back, 1, 0, IMB_SOURCE_FILE, &io->base.mismatch);
        CHECK(io->files, MPI_File_close(&io->chunk.file));
    }
    ++*io->data;
}

static void check_reads(struct io *io)
{
    const int64_t n = io->base.count;
    io->tally = (struct imb_tally){0};
    for (int64_t i = n > io->base.memory.places ? n - io->base.memory.places : 0;
         i < n && !*io->comm->failure; i++)
        check_read(io, io->data + i % io->base.memory.places * io->portion.bytes, i);
    if (io->placing.any_order && io->base.checking)
        check_all_read(io);
    memset(io->data, 0, (size_t)(io->base.memory.places * io->portion.bytes));
}

/* Checks the data of the last loop. Timed reads that are all started together share one buffer, so their data
 * cannot be checked. */
void imb_files_check(struct imb_measurement *base)
{
    struct io *io = (struct io *)base;
    if (io->opens)
        check_opened_byte(io);
    else if (io->writes)
        check_written(io);
    else if (base->checking || !starts_all(io))
        check_reads(io);
    imb_files_agree(base->context);
}

/* ---- steps of the timed loop ---- */

static int synchronise(void *context)
{
    return MPI_Barrier(((const struct io *)context)->base.context->active);
}

/* Runs one repetition. Failures are reported after the loop, because other processes may be waiting for this
 * one. */
static int work(void *context, long iteration)
{
    struct io *io = context;
    MPI_Status status;
    if (!io->writes)
        io->chunk.data = io->data + iteration % io->base.memory.places * io->portion.bytes;
    if (io->opens)
        open_and_close(io);
    else if (starts_all(io))
        start(io);
    else if (io->base.overlapping)
        move_split(io);
    else if (!skips(io))
        check_moved(io, io->call->move(&io->chunk, &status), &status, io->chunk.bytes, io->call->name);
    io->chunk.at += io->placing.step;
    if (io->table->mode == IMB_MODE_NON_AGGREGATE)
        complete(io);
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
    if (io->writes && io->table->mode == IMB_MODE_AGGREGATE)
        complete(io);
    return 0;
}

static int after(void *context, long iteration, double seconds)
{
    ((const struct io *)context)->base.each[iteration] = seconds;
    return 0;
}

/* Sets a new file view, which also resets the individual and the shared file pointer. */
static void begin(struct io *io)
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
    check_call(io->files,
               file_view(io->chunk.file, p->stride ? p->first : 0, io->chunk.bytes, p->stride,
                         io->base.context->run->info),
               "MPI_File_set_view");
    /* This seek makes one process create ROMIO's file for the shared pointer. Several processes must not
     * create it at once. */
    if (io->base.benchmark->flags & IMB_SHARED_POINTER)
        CHECK(io->files, MPI_File_seek_shared(io->chunk.file, 0, MPI_SEEK_SET));
}

/* ---- preparation ---- */

static void allocate(struct io *io)
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

void imb_files_close(struct imb_measurement *base)
{
    struct io *io = (struct io *)base;
    if (io->is_open)
        CHECK(io->files, MPI_File_close(&io->chunk.file));
    COMM_CHECK(io->comm, MPI_Free_mem(io->data));
    free(io->requests);
    free(io->statuses);
    free(io);
}

static void describe_hints(struct io *io)
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

static bool open_table_file(struct io *io)
{
    const bool private = io->base.benchmark->flags & IMB_PRIVATE;
    return open_file(io, private ? MPI_COMM_SELF : io->base.context->members,
                     MPI_MODE_RDWR | MPI_MODE_CREATE | (private ? MPI_MODE_UNIQUE_OPEN : 0));
}

/* With -compat 3.0, closes and reopens the file before the loop that computes, as release 3.0 did. */
static void reopen(struct io *io)
{
    CHECK(io->files, MPI_File_close(&io->chunk.file));
    io->is_open = open_table_file(io);
    imb_files_agree(io->base.context);
}

struct measure_ops imb_files_begin(struct imb_measurement *base)
{
    struct io *io = (struct io *)base;
    if (base->overlapping && io->table->settings->compat == IMB_30)
        reopen(io);
    if (base->context->run->end.failed)
        return (struct measure_ops){.work = NULL};
    begin(io);
    const bool finishes = starts_all(io) || (io->writes && io->table->mode == IMB_MODE_AGGREGATE);
    return (struct measure_ops){.now = comm_now,
                                .synchronise = synchronise,
                                .work = work,
                                .after = base->each ? after : NULL,
                                .finish = finishes ? finish : NULL,
                                .context = io};
}

void imb_files_end(struct imb_measurement *base)
{
    imb_files_agree(base->context);
}

struct imb_measurement *imb_files_open(const struct imb_context *context, const struct imb_memory *memory,
                                       bool checking)
{
    const struct imb_table *table = context->table;
    const struct imb_benchmark *b = table->benchmark;
    const struct imb_io_call *call = imb_kernels[b - imb_benchmarks].call;
    const int size = table->groups.size;
    const bool opens = !call->move;
    struct io *io = memory_new(1, sizeof *io, IMB_BUFFERS);
    *io = (struct io){.base = {.context = context,
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
        imb_files_agree(context);
    }
    return &io->base;
}
