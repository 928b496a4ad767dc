/* Carries out a command on the processes of a partition: handles files and chunks, measures, and reduces the
 * measurements of all processes. */
#include "beff_io/mpi/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beff_io/storage.h"
#include "common/checksum.h"
#include "common/memory.h"
#include "common/measure.h"
#include "common/mpi/file.h"

/* ---- reports of ROMIO ---- */

/* Returns true if MPI's text for an error contains `words`. */
static bool error_contains(int code, const char *words)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(code, text, &length);
    return strstr(text, words);
}

/* Returns true if an error means that the file system is full or that a quota or limit is reached. ROMIO
 * reports most of these errors as MPI_ERR_IO with the system's text. */
static bool is_full(int code)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    return class == MPI_ERR_NO_SPACE || class == MPI_ERR_QUOTA || error_contains(code, strerror(ENOSPC)) ||
           error_contains(code, strerror(EDQUOT)) || error_contains(code, strerror(EFBIG));
}

/* Returns the number of bytes that a process transfers for each byte of its own calls if only the aggregators
 * transfer data. `aggregators` is ROMIO's list of ranks, separated by spaces. If the list is empty, every
 * process transfers its own data. */
static double aggregator_share(const char *aggregators, int rank, int size)
{
    int count = 0;
    bool among = false;
    char *end;
    for (long next; next = strtol(aggregators, &end, 10), end != aggregators; aggregators = end, count++)
        among = among || next == rank;
    return count == 0 ? 1 : among ? (double)size / count : 0;
}

/* Returns the average number of bytes that this process transfers for each byte of its own collective calls:
 * 1 unless ROMIO uses aggregators. `interleaved` means that the processes' chunks alternate in the file. */
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

static const char *file_name(const struct io_runner *r)
{
    const char *slash = strrchr(r->path, '/');
    return slash ? slash + 1 : r->path;
}

static void check_code(struct io_runner *r, int code, const char *call)
{
    if (code != MPI_SUCCESS && !*r->comm->failure) /* only MPI's text shows a remote failure */
        r->failed_remotely = error_contains(code, "on a remote node");
    file_check(r->comm, code, call, file_name(r));
}

/* ---- the MPI calls of each type ---- */

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

/* ---- the file ---- */

/* Returns the hints for opening a file (`chunk` < 0) or for a pattern. The caller frees them. */
static MPI_Info find_hints(const struct io_runner *r, int64_t chunk)
{
    MPI_Info info;
    COMM_CHECK(r->comm, MPI_Info_create(&info));
    for (int i = 0; i < r->hints->count; i++) {
        const struct hint *hint = &r->hints->hint[i];
        if (hint_applies(hint, r->task->partitions[r->command.partition], r->command.access, r->command.type,
                         chunk, r->task->mpart))
            MPI_Info_set(info, hint->key, hint->value);
    }
    return info;
}

/* Writes to `path` the path of the file that a rank of a partition uses for a type. */
static void name_file(const struct io_runner *r, int partition, enum io_type type, int rank, char *path,
                      size_t size)
{
    const struct scratch *scratch = type == TYPE_SEPARATED ? r->own : r->shared;
    scratch_file(scratch->path, r->task->partitions[partition], type, rank, path, size);
}

/* Opens the file for the command. With --shift-reads, the order of the processes for reading differs from the
 * order for writing. */
static void open_file(struct io_runner *r)
{
    static const int modes[IO_ACCESSES] = {
        [ACCESS_WRITE] = FILE_NEW, [ACCESS_REWRITE] = MPI_MODE_WRONLY, [ACCESS_READ] = MPI_MODE_RDONLY};
    const struct io_command *c = &r->command;
    int unique = r->settings->nounique ? 0 : MPI_MODE_UNIQUE_OPEN;
    MPI_Comm comm = c->access == ACCESS_READ ? r->partition->reading : r->partition->writing;
    r->call = calls[c->type == TYPE_SHARED && r->settings->noshared ? TYPE_SCATTER : c->type];
    check_code(r, MPI_Comm_rank(comm, &r->rank), "MPI_Comm_rank");
    name_file(r, c->partition, c->type, r->rank, r->path, sizeof r->path);
    MPI_Info info = find_hints(r, -1);
    int code = file_open(c->type == TYPE_SEPARATED ? MPI_COMM_SELF : comm, r->path, modes[c->access] | unique,
                         info, &r->file);
    r->is_open = code == MPI_SUCCESS;
    check_code(r, code, "MPI_File_open");
    MPI_Info_free(&info);
    r->share = 1;
    if (r->is_open && r->call == &together)
        r->share = moved_share(r->file, c->access != ACCESS_READ, c->type != TYPE_SEG_COLL, r->rank,
                               r->partition->group.size);
}

void io_runner_close(struct io_runner *r)
{
    if (!r->is_open)
        return;
    r->is_open = false;
    check_code(r, MPI_File_close(&r->file), "MPI_File_close");
}

/* Prepares the data of a pattern. set_view() is a separate step, because it is timed. */
static void prepare(struct io_runner *r)
{
    const struct io_command *c = &r->command;
    struct transfer *t = &r->transfer;
    *t = (struct transfer){0};
    for (int i = 0; i < 2; i++)
        t->content[i] =
            content_of(r->task->seed, i > 0, c->pattern, r->partition->group.size, r->rank, &c->place);
    if (c->access != ACCESS_READ)
        content_fill(&t->content[c->access == ACCESS_REWRITE], r->area);
}

static void set_view(struct io_runner *r)
{
    const struct io_place *place = &r->command.place;
    bool shared_pointer = r->call == &ordered;
    int64_t start = shared_pointer ? place->base : io_chunk_offset(place, r->rank, 0);
    int64_t stride = shared_pointer ? 0 : place->chunk_step;
    MPI_Info info = find_hints(r, place->disk);
    check_code(r, file_view(r->file, (MPI_Offset)start, (int)place->disk, (MPI_Offset)stride, info),
               "MPI_File_set_view");
    MPI_Info_free(&info);
}

/* Handles the result of a write. If an initial write finds no space, its pattern ends. After any other error,
 * the run ends. If a collective call fails on one process, the other processes may wait in it forever. The
 * failure therefore starts an alarm, which ends the run unless the next vote forgives the failure. */
static void check_write(struct io_runner *r, int code)
{
    struct transfer *t = &r->transfer;
    bool full = code != MPI_SUCCESS && r->command.access == ACCESS_WRITE && is_full(code);
    t->full = t->full || full;
    if (code == MPI_SUCCESS || (full && !r->call->collective))
        return;
    if (!*r->comm->failure)
        t->doubtful = r->call->collective;
    check_code(r, code, r->call->write_name);
}

/* Cancels a doubtful failure of this process: another process found no space, which explains the failure. */
static void forgive(struct io_runner *r)
{
    ending_forgive();
    *r->comm->failure = 0;
    r->transfer.doubtful = false;
    r->transfer.full = true;
}

/* ---- checking ---- */

/* Counts a wrong word, and stores it unless -e words are already stored. */
static void note_error(void *context, const struct content_mismatch *word)
{
    struct io_runner *r = context;
    struct transfer *t = &r->transfer;
    t->errors++;
    if (t->noted < r->settings->errors) {
        array_grow(&r->error, (size_t)t->noted, sizeof *r->error);
        r->error[t->noted++] = *word;
    }
}

/* Prints a line for each of the first wrong words, at most -e lines over all processes. Collective. */
static void print_errors(const struct io_runner *r)
{
    const struct comm *group = &r->partition->group;
    int64_t before = 0;
    COMM_CHECK(r->comm, MPI_Exscan(&r->transfer.noted, &before, 1, MPI_INT64_T, MPI_SUM, group->all));
    if (group->rank == 0) /* MPI_Exscan leaves `before` undefined on rank 0 */
        before = 0;
    for (int64_t i = 0; i < r->transfer.noted && before + i < r->settings->errors; i++) {
        const struct content_mismatch *word = &r->error[i];
        comm_say(r->comm,
                 "data error: %s, offset %" PRId64 ": 0x%016" PRIx64 " expected, 0x%016" PRIx64
                 " found (pattern %d, %d process%s, rank %d, call %" PRId64 ")",
                 r->path, word->offset, word->expected, word->found, r->command.pattern, group->size,
                 TEXT_ES(group->size), r->comm->rank, word->call);
    }
}

/* Checks the data that were read but not yet checked. */
static void check_rest(struct io_runner *r)
{
    struct transfer *t = &r->transfer;
    double start = MPI_Wtime();
    for (int64_t i = 0; i < t->held && !*r->comm->failure; i++, t->checked++)
        content_check(&t->content[t->checked < r->command.rewritten], t->checked,
                      r->area + i * r->command.place.memory, r->settings->verify == VERIFY_FULL, note_error,
                      r);
    t->held = 0;
    t->excluded += MPI_Wtime() - start;
}

/* ---- functions for the measuring loop; the context is the runner ---- */

enum { VOTE_FAILED = -1, VOTE_STOPPED = -2 };
enum state { STATE_WELL, STATE_STOPPED, STATE_FAILED };

/* Returns the time in seconds, excluding the time in which data were checked. */
static double counted_now(void *context)
{
    return MPI_Wtime() - ((struct io_runner *)context)->transfer.excluded;
}

/* Synchronises the partition. Returns 0 even after a failure: as in work(), the next vote reports it. */
static int barrier(void *context)
{
    struct io_runner *r = context;
    if (comm_barrier(&r->partition->group))
        comm_fail(r->comm, "MPI_Barrier failed (rank %d)", r->comm->rank);
    return 0;
}

/* Makes one call. If reads have filled the area, stops the clock and checks the data without waiting for
 * other processes. Makes collective calls even after a failure, because the other processes wait in them. For
 * the same reason, does not report a failure before the next vote. */
static int work(void *context, long iteration)
{
    struct io_runner *r = context;
    struct transfer *t = &r->transfer;
    const struct io_call *io_call = r->call;
    bool reads = r->command.access == ACCESS_READ;
    const char *name = reads ? io_call->read_name : io_call->write_name;
    int bytes = (int)r->command.place.memory;
    MPI_Status status;
    if ((*r->comm->failure || t->full) && !io_call->collective)
        return 0;
    if (*r->comm->failure) { /* the previous call returned: restart the alarm */
        ending_forgive();
        ending_fail(r->comm->failure);
    }
    if (reads) {
        char *data = r->area + t->held * bytes;
        check_code(r, io_call->read(r->file, data, bytes, MPI_BYTE, &status), name);
    } else {
        const char *data =
            content_stamp(&t->content[r->command.access == ACCESS_REWRITE], r->area, iteration);
        check_write(r, io_call->write(r->file, data, bytes, MPI_BYTE, &status));
    }
    if (!*r->comm->failure && !t->full)
        t->complete += file_check_whole(r->comm, &status, bytes, name, file_name(r));
    if (reads && ++t->held == t->content->slots)
        check_rest(r);
    return 0;
}

static void lap(void *context, double seconds)
{
    struct io_runner *r = context;
    struct transfer *t = &r->transfer;
    if (t->full || *r->comm->failure)
        return;
    histogram_add(&t->durations, seconds);
    t->sum += seconds;
}

/* Agrees with all processes on the maximum time and cost, and on any failure, signal or full file system. If
 * a collective call finds the file system full on one process, it may fail with a different error on the
 * other processes. */
static long vote(void *context, const struct measured *so_far)
{
    enum { LOOPING, ELAPSED, STATE, COST, LAST, FULL, CERTAIN, VALUES };
    struct io_runner *r = context;
    struct transfer *t = &r->transfer;
    struct comm *comm = r->comm;
    double looping = so_far->seconds + t->excluded, last = so_far->vote_seconds - t->voted, all[VALUES] = {0};
    t->voted = so_far->vote_seconds;
    if (t->cheapest == 0 || last < t->cheapest)
        t->cheapest = last;
    enum state state = *comm->failure ? STATE_FAILED : ending_signal() ? STATE_STOPPED : STATE_WELL;
    double own[VALUES] = {[LOOPING] = looping,
                          [ELAPSED] = t->before + looping,
                          [STATE] = state,
                          [COST] = t->cheapest,
                          [LAST] = -last,
                          [FULL] = t->full,
                          [CERTAIN] = *comm->failure && !t->doubtful};
    if (comm_allreduce(&r->partition->group, own, all, VALUES, MPI_DOUBLE, MPI_MAX)) {
        comm_fail(comm, "MPI_Allreduce failed (rank %d)", comm->rank);
        return VOTE_FAILED;
    }
    t->agreeing -= all[LAST];
    t->votes += all[LAST] < 0;
    if (all[FULL] > 0 && all[CERTAIN] == 0)
        forgive(r);
    else if (all[STATE] > STATE_WELL)
        return all[STATE] > STATE_STOPPED ? VOTE_FAILED : VOTE_STOPPED;
    if (t->full)
        return 0;
    double mean = t->votes ? t->agreeing / (double)t->votes : 0;
    struct io_progress progress = {so_far->loops, all[ELAPSED], all[LOOPING], fmax(all[COST], mean)};
    return (long)io_stop_calls(&r->command.stop, &progress);
}

static int finish(void *context)
{
    struct io_runner *r = context;
    struct transfer *t = &r->transfer;
    int code = MPI_File_sync(r->file);
    if (code == MPI_SUCCESS || r->command.access != ACCESS_WRITE || !is_full(code)) {
        check_code(r, code, "MPI_File_sync");
    } else if (!t->full) { /* the data of any call may be missing on disk */
        t->full = true;
        t->complete = 0;
    }
    return 0;
}

/* ---- commands ---- */

static void describe(const struct io_runner *r)
{
    static const char *const doing[IO_ACCESSES] = {"writing", "rewriting", "reading"};
    const struct io_command *c = &r->command;
    const char *verb = doing[c->access], *name = io_type_names[c->type];
    int processes = r->partition->group.size;
    if (c->action == IO_PATTERN)
        comm_activity(r->comm, "%s pattern %d (%s, %" PRId64 " B), %d process%s", verb, c->pattern, name,
                      c->place.disk, processes, TEXT_ES(processes));
    else
        comm_activity(r->comm, "%s %s type %d (%s), %d process%s",
                      c->action == IO_OPEN ? "opening the file for" : "closing the file after", verb,
                      (int)c->type, name, processes, TEXT_ES(processes));
}

/* ---- page cache ---- */

static double resident(const struct io_runner *r)
{
    double share = pagecache_resident(r->path);
    return share < 0 ? IO_RESIDENT_UNKNOWN : share;
}

/* Drops the file's pages on every node that may hold them. The process that leads a node does this; for
 * type 2, it is the process that owns the file. */
static void drop_cache(const struct io_runner *r, struct io_measurement *m)
{
    if (r->settings->keep_caches || !(r->machine->leads_node || r->command.type == TYPE_SEPARATED))
        return;
    m->resident_before = resident(r);
    if (r->settings->drop_caches && r->machine->leads_node)
        pagecache_drop_node();
    pagecache_drop(r->path);
    m->resident_after = resident(r);
}

/* ---- opening and patterns ---- */

static void perform_open(struct io_runner *r, struct io_measurement *m)
{
    double start = MPI_Wtime();
    open_file(r);
    m->record.t_open = m->record.t_total = MPI_Wtime() - start;
    if (r->machine->leads_node)
        m->passed = (r->node_moved - r->partition->moved_at[r->command.type]) / r->node_memory;
}

static void perform_pattern(struct io_runner *r, struct io_measurement *m)
{
    struct transfer *t = &r->transfer;
    struct io_record *record = &m->record;
    struct measure_ops ops = {.now = counted_now,
                              .synchronise = barrier,
                              .work = work,
                              .context = r,
                              .vote = vote,
                              .lap = lap,
                              .finish = r->command.access == ACCESS_READ ? NULL : finish};
    struct measured measured;
    prepare(r);
    barrier(r);
    double start = MPI_Wtime();
    set_view(r);
    double viewed = MPI_Wtime();
    record->t_view = viewed - start;
    t->before = viewed - r->begin;
    enum measure_status status = measure(&ops, 0, (long)r->command.stop.max_calls, &measured);
    check_rest(r);
    if (status != MEASURE_OK && measured.error == 0 && measured.loops > 0)
        comm_fail(r->comm, "%s (rank %d)", measure_status_text(status), r->comm->rank);
    r->moved += (double)(t->complete * r->command.place.memory) * r->share;
    m->full = t->full;
    m->slowest = t->sum;
    m->durations = t->durations;
    record->calls = t->complete;
    record->errors = t->errors;
    record->t_total = measured.seconds;
    record->t_vote = fmin(t->agreeing + t->cheapest, measured.vote_seconds);
    record->t_sync = measured.finish_seconds;
    record->t_calls = measured.seconds - record->t_vote - measured.finish_seconds;
    record->slowest_rank = r->comm->rank;
    snprintf(record->slowest_node, sizeof record->slowest_node, "%.*s", (int)sizeof record->slowest_node - 1,
             r->machine->node.names.nodename);
}

/* ---- after closing ---- */

/* Checks that the file has at least `end` bytes. If stat() shows fewer, opens the file to check again,
 * because network file systems may report an old size until then. */
static void check_size(struct io_runner *r, int64_t end)
{
    struct stat status;
    if (*r->comm->failure || stat(r->path, &status) || status.st_size >= end)
        return;
    int file = open(r->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    off_t size = file < 0 ? -1 : lseek(file, 0, SEEK_END);
    if (file >= 0)
        close(file);
    if (size < end)
        comm_fail(r->comm, "%s is too short after writing: %lld bytes, expected %" PRId64, r->path,
                  (long long)size, end);
}

static void remove_file(const struct io_runner *r, int partition, enum io_type type)
{
    char path[sizeof r->path];
    name_file(r, partition, type, r->comm->rank, path, sizeof path);
    unlink(path);
}

void io_runner_remove_own(const struct io_runner *r)
{
    for (int i = 0; r->own && i < r->partition_count; i++)
        remove_file(r, i, TYPE_SEPARATED);
}

static void perform_close(struct io_runner *r, struct io_measurement *m)
{
    const struct io_command *c = &r->command;
    bool own_file = c->type == TYPE_SEPARATED || r->comm->rank == 0;
    double moved = 0; /* bytes that the node transferred since the last close; valid on its rank 0 */
    int direct = c->access == ACCESS_READ ? storage_is_direct(r->path) : -1;
    m->direct = direct == 1;
    m->buffered = direct == 0;
    m->elsewhere = r->partition->elsewhere && c->type != TYPE_SCATTER && c->type != TYPE_SEG_COLL;
    double start = MPI_Wtime();
    io_runner_close(r);
    m->record.t_close = m->record.t_total = MPI_Wtime() - start;
    if (c->access == ACCESS_WRITE && own_file)
        check_size(r, c->end);
    barrier(r);
    COMM_CHECK(r->comm, MPI_Reduce(&r->moved, &moved, 1, MPI_DOUBLE, MPI_SUM, 0, r->partition->on_node));
    r->moved = 0;
    r->node_moved += moved;
    if (c->drop) {
        r->partition->moved_at[c->type] = r->node_moved;
        drop_cache(r, m);
    }
    if (c->remove && own_file && !r->settings->keep)
        remove_file(r, c->partition, c->type);
}

/* ---- reduction over the processes ---- */

static void combine(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    const struct io_measurement *from = in;
    struct io_measurement *to = inout;
    for (int i = 0; i < *length; i++, from++, to++) {
        struct io_record *all = &to->record;
        const struct io_record *one = &from->record;
        all->t_open += one->t_open;
        all->t_view = fmax(all->t_view, one->t_view);
        all->t_calls += one->t_calls;
        all->t_vote = fmax(all->t_vote, one->t_vote);
        all->t_sync += one->t_sync;
        all->t_close += one->t_close;
        all->t_total = fmax(all->t_total, one->t_total);
        all->t_excluded = fmax(all->t_excluded, one->t_excluded);
        all->calls = one->calls < all->calls ? one->calls : all->calls;
        all->errors += one->errors;
        histogram_merge(&to->durations, &from->durations);
        to->passed = fmin(to->passed, from->passed);
        to->resident_before = fmax(to->resident_before, from->resident_before);
        to->resident_after = fmax(to->resident_after, from->resident_after);
        to->full = to->full || from->full;
        to->direct = to->direct || from->direct;
        to->buffered = to->buffered || from->buffered;
        to->stop = from->stop > to->stop ? from->stop : to->stop;
        if (from->slowest > to->slowest) {
            to->slowest = from->slowest;
            all->slowest_rank = one->slowest_rank;
            memcpy(all->slowest_node, one->slowest_node, sizeof all->slowest_node);
        }
        if (from->failed_rank >= 0 && (to->failed_rank < 0 || from->failed_rank < to->failed_rank)) {
            to->failed_rank = from->failed_rank;
            to->failure = from->failure;
        }
    }
}

/* Combines the measurements of all processes into one. Collective. */
static void reduce(struct io_runner *r, struct io_measurement *m)
{
    const struct io_measurement own = *m;
    struct io_record *all = &m->record;
    struct comm *group = &r->partition->group;
    COMM_CHECK(r->comm, comm_allreduce(group, &own, m, 1, r->type, r->combine));
    all->t_open /= group->size;
    all->t_calls /= group->size;
    all->t_sync /= group->size;
    all->t_close /= group->size;
    all->bytes = all->calls * r->command.place.memory * group->size;
    if (all->errors)
        print_errors(r);
}

struct io_measurement io_runner_perform(struct io_runner *r, const struct io_command *command)
{
    struct io_measurement m = {
        .passed = INFINITY, .resident_before = -1, .resident_after = -1, .failed_rank = -1};
    r->command = *command;
    r->partition = &r->partitions[command->partition];
    describe(r);
    r->begin = MPI_Wtime();
    barrier(r);
    if (command->action == IO_OPEN)
        perform_open(r, &m);
    else if (command->action == IO_PATTERN)
        perform_pattern(r, &m);
    else
        perform_close(r, &m);
    m.record.t_excluded = fmax(0, MPI_Wtime() - r->begin - m.record.t_view - m.record.t_total);
    m.stop = ending_signal();
    if (*r->comm->failure) {
        m.failed_rank = r->comm->rank + (r->failed_remotely ? r->comm->size : 0);
        message_set(&m.failure, "%s", r->comm->failure);
    }
    reduce(r, &m);
    ending_forgive(); /* all processes now know of any failure */
    return m;
}

/* ---- making ---- */

enum { PAGE = 4096 };

/* Returns true if no process runs under the same kernel as the process `shift` ranks above it. Collective. */
static bool reads_elsewhere(const struct io_runner *r, const struct comm *group, int shift)
{
    const struct sysinfo_node *node = &r->machine->node;
    const char *name = *node->boot_id ? node->boot_id : node->names.nodename;
    uint64_t own = checksum_add(CHECKSUM_START, name, strlen(name)), other;
    int rank = r->comm->rank, size = group->size, elsewhere, all;
    COMM_CHECK(r->comm, MPI_Sendrecv(&own, 1, MPI_UINT64_T, (rank - shift + size) % size, 0, &other, 1,
                                     MPI_UINT64_T, (rank + shift) % size, 0, group->all, MPI_STATUS_IGNORE));
    elsewhere = own != other;
    COMM_CHECK(r->comm, MPI_Allreduce(&elsewhere, &all, 1, MPI_INT, MPI_MIN, group->all));
    return all;
}

static void make_partition(struct io_runner *r, int64_t processes, int shift)
{
    struct comm *comm = r->comm;
    struct io_partition *p = &r->partitions[r->partition_count++];
    p->group = (struct comm){.program = comm->program,
                             .rank = comm->rank,
                             .size = (int)processes,
                             .yield = comm->yield && processes > 1};
    int colour = comm->rank < processes ? 0 : MPI_UNDEFINED;
    int place = (int)((comm->rank + shift) % processes);
    COMM_CHECK(comm, MPI_Comm_split(comm->all, colour, comm->rank, &p->group.all));
    if (colour == MPI_UNDEFINED)
        return;
    COMM_CHECK(comm, MPI_Comm_dup(p->group.all, &p->writing));
    COMM_CHECK(comm, MPI_Comm_split(p->group.all, 0, place, &p->reading));
    comm_split_nodes(comm, p->group.all, &p->on_node);
    p->elsewhere = shift && reads_elsewhere(r, &p->group, shift);
}

int io_runner_make(struct io_runner *r, struct comm *comm, const struct machine *machine, int shift)
{
    const struct io_task *task = r->task;
    r->comm = comm;
    r->machine = machine;
    r->call = &together; /* until a file is opened, all calls count as collective */
    COMM_CHECK(comm, MPI_Type_contiguous((int)sizeof(struct io_measurement), MPI_BYTE, &r->type));
    COMM_CHECK(comm, MPI_Type_commit(&r->type));
    COMM_CHECK(comm, MPI_Op_create(combine, 1, &r->combine));
    for (int i = 0; i < task->partition_count; i++)
        make_partition(r, task->partitions[i], shift < task->partitions[i] ? shift : 0);
    r->node_memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    size_t size = (size_t)content_area(task->mpart); /* a multiple of the page size */
    r->area = aligned_alloc(PAGE, size);
    if (r->area)
        memset(r->area, 0, size); /* touches all pages now, so that no measurement includes page faults */
    return r->area ? 0 : -1;
}

void io_runner_free(struct io_runner *r)
{
    if (!r->comm)
        return;
    for (struct io_partition *p = r->partitions; p < r->partitions + r->partition_count; p++)
        if (p->group.all != MPI_COMM_NULL) {
            COMM_CHECK(r->comm, MPI_Comm_free(&p->writing));
            COMM_CHECK(r->comm, MPI_Comm_free(&p->reading));
            COMM_CHECK(r->comm, MPI_Comm_free(&p->on_node));
            COMM_CHECK(r->comm, MPI_Comm_free(&p->group.all));
        }
    COMM_CHECK(r->comm, MPI_Type_free(&r->type));
    COMM_CHECK(r->comm, MPI_Op_free(&r->combine));
    free(r->area);
    free(r->error);
    comm_activity(r->comm, "%s", "");
}
