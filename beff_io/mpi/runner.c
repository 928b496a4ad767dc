/* One command on the processes of a partition: each process's file and chunks, the measuring loop, what comes
 * of it on all. Uses scheduler (commands), stop (the stop rule), content, record, hints, file, scratch,
 * measure, storage, comm. */
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
#include "common/array.h"
#include "common/measure.h"
#include "common/mpi/file.h"

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

/* Strided collective writes beyond ROMIO's collective buffer: an error leaves the other processes inside. */
enum { COLLECTIVE_BUFFER = 16 << 20 };

static bool may_hang(const struct transfer *t)
{
    return call_of(t) == &together && t->place.memory > COLLECTIVE_BUFFER;
}

/* ---- the file ---- */

/* Hints for opening (chunk < 0) or for a pattern; to be freed. */
static MPI_Info find_hints(const struct transfer *t, int64_t chunk)
{
    MPI_Info info;
    COMM_CHECK(t->comm, MPI_Info_create(&info));
    for (int i = 0; i < t->hints->count; i++) {
        const struct hint *hint = &t->hints->hint[i];
        if (hint_applies(hint, t->task->partitions[t->command.partition], t->command.access, t->command.type,
                         chunk, t->task->mpart))
            MPI_Info_set(info, hint->key, hint->value);
    }
    return info;
}

/* Path of the file of a type that a rank of a partition wrote. */
static void name_file(const struct transfer *t, int partition, enum io_type type, int rank, char *path,
                      size_t size)
{
    int64_t processes = t->task->partitions[partition];
    if (type == TYPE_SEPARATED)
        snprintf(path, size, "%s/n%" PRId64 "/separated.%06d", t->own->path, processes, rank);
    else
        snprintf(path, size, "%s/n%" PRId64 "/%s", t->shared->path, processes, io_type_names[type]);
}

/* For all processes of `comm`, in the order in which they wrote it. */
static void open_file(struct transfer *t, const struct io_command *command, MPI_Comm comm)
{
    static const int modes[IO_ACCESSES] = {
        [ACCESS_WRITE] = FILE_NEW, [ACCESS_REWRITE] = MPI_MODE_WRONLY, [ACCESS_READ] = MPI_MODE_RDONLY};
    int unique = t->settings->nounique ? 0 : MPI_MODE_UNIQUE_OPEN;
    t->command = *command;
    check_code(t, MPI_Comm_rank(comm, &t->rank), "MPI_Comm_rank");
    name_file(t, command->partition, command->type, t->rank, t->path, sizeof t->path);
    MPI_Info info = find_hints(t, -1);
    int code = file_open(command->type == TYPE_SEPARATED ? MPI_COMM_SELF : comm, t->path,
                         modes[command->access] | unique, info, &t->file);
    t->is_open = code == MPI_SUCCESS;
    check_code(t, code, "MPI_File_open");
    MPI_Info_free(&info);
    t->share = 1;
    if (t->is_open && call_of(t) == &together)
        t->share = moved_share(t->file, command->access != ACCESS_READ, command->type != TYPE_SEG_COLL,
                               t->rank, t->group->size);
}

void io_runner_close(struct io_runner *r)
{
    struct transfer *t = &r->transfer;
    if (!t->is_open)
        return;
    t->is_open = false;
    check_code(t, MPI_File_close(&t->file), "MPI_File_close");
}

/* Prepares the data of a pattern, then its view: two steps, so that the view alone can be timed. */
static void prepare(struct transfer *t, const struct io_command *command, const struct io_layout *layout)
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

static void set_view(struct transfer *t)
{
    bool shared_pointer = call_of(t) == &ordered;
    int64_t start = shared_pointer ? t->place.base : io_chunk_offset(&t->place, t->rank, 0);
    int64_t stride = shared_pointer ? 0 : t->place.chunk_step;
    MPI_Info info = find_hints(t, t->place.disk);
    check_code(t, file_view(t->file, (MPI_Offset)start, (int)t->place.disk, (MPI_Offset)stride, info),
               "MPI_File_set_view");
    MPI_Info_free(&info);
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

/* Another process found no room left, which explains this one's doubtful failure. */
static void forgive(struct transfer *t)
{
    if (*t->comm->failure)
        guard_forgive(&t->comm->guard);
    *t->comm->failure = 0;
    t->doubtful = false;
    t->full = true;
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

/* One line for each of the first wrong words, at most -e for all processes together. Collective. */
static void print_errors(const struct transfer *t)
{
    int64_t before = 0;
    COMM_CHECK(t->comm, MPI_Exscan(&t->noted, &before, 1, MPI_INT64_T, MPI_SUM, t->group->all));
    if (t->group->rank == 0) /* MPI leaves it undefined there */
        before = 0;
    for (int64_t i = 0; i < t->noted && before + i < t->settings->errors; i++) {
        const struct content_mismatch *word = &t->error[i].word;
        comm_say(t->comm,
                 "data error: %s, offset %" PRId64 ": 0x%016" PRIx64 " expected, 0x%016" PRIx64
                 " found (pattern %d, %" PRId64 " process%s, rank %d, call %" PRId64 ")",
                 t->path, word->offset, word->expected, word->found, t->command.pattern,
                 t->task->partitions[t->command.partition],
                 TEXT_ES(t->task->partitions[t->command.partition]), t->comm->rank, t->error[i].call);
    }
}

/* Checks what is read and unchecked. */
static void check_rest(struct transfer *t)
{
    double start = MPI_Wtime();
    for (int64_t i = 0; i < t->held && !*t->comm->failure; i++, t->checked++)
        content_check(&t->content[t->checked < t->rewritten], t->checked, t->area + i * t->place.memory,
                      t->settings->verify == VERIFY_FULL, note_error, t);
    t->held = 0;
    t->excluded += MPI_Wtime() - start;
}

/* ---- the measuring loop's view ---- */

enum { VOTE_FAILED = -1, VOTE_STOPPED = -2 };
enum state { STATE_WELL, STATE_STOPPED, STATE_FAILED };

struct context {
    struct io_runner *runner;
    const struct io_stop *stop;
    struct io_measurement *measurement;
    double before;   /* seconds of the command before its loop */
    double voted;    /* of all votes so far */
    double cheapest; /* seconds of the shortest vote; 0: none yet */
    /* Cost of the votes: of each the minimum over the processes, as the last one to arrive does not wait. It
     * is known one vote later. */
    double agreeing;
    long votes; /* whose cost is known */
};

/* Seconds that count: without those in which data are checked. */
static double counted_now(void *context)
{
    return MPI_Wtime() - ((struct context *)context)->runner->transfer.excluded;
}

/* Of the partition. */
static void barrier(struct io_runner *r)
{
    if (comm_barrier(r->transfer.group))
        comm_fail(r->comm, "MPI_Barrier failed (rank %d)", r->comm->rank);
}

/* As in work(): a failure is reported in the vote. */
static int synchronise(void *context)
{
    barrier(((struct context *)context)->runner);
    return 0;
}

/* One call; when the area is full, also checks what was read, outside the clock, without waiting for others.
 * Collective calls are made even after a failure, as the others wait for them. A failure is reported in the
 * vote, for which the others would wait forever otherwise. */
static int work(void *context, long iteration)
{
    struct transfer *t = &((struct context *)context)->runner->transfer;
    const struct io_call *io_call = call_of(t);
    bool reads = t->command.access == ACCESS_READ;
    const char *name = reads ? io_call->read_name : io_call->write_name;
    int bytes = (int)t->place.memory;
    MPI_Status status;
    if ((*t->comm->failure || t->full) && !io_call->collective)
        return 0;
    if (reads) {
        char *data = t->area + t->held * bytes;
        check_code(t, io_call->read(t->file, data, bytes, MPI_BYTE, &status), name);
    } else {
        const char *data =
            content_stamp(&t->content[t->command.access == ACCESS_REWRITE], t->area, iteration);
        check_write(t, io_call->write(t->file, data, bytes, MPI_BYTE, &status), name);
    }
    if (!*t->comm->failure && !t->full)
        t->complete += file_check_whole(t->comm, &status, bytes, name, file_name(t));
    if (reads && ++t->held == t->content->slots)
        check_rest(t);
    return 0;
}

static void lap(void *context, double seconds)
{
    struct context *c = context;
    if (c->runner->transfer.full || *c->runner->comm->failure)
        return;
    histogram_add(&c->runner->durations, seconds);
    c->measurement->record.call_max = fmax(c->measurement->record.call_max, seconds);
    c->measurement->slowest += seconds;
}

/* All processes agree on the maximum time and cost, and on any failure, signal or full file system. In a
 * collective call a full file system may look like a failure to the others. */
static long vote(void *context, const struct measured *so_far)
{
    enum { LOOPING, ELAPSED, STATE, COST, LAST, FULL, CERTAIN, VALUES };
    struct context *c = context;
    struct transfer *t = &c->runner->transfer;
    struct comm *comm = c->runner->comm;
    double looping = so_far->seconds + t->excluded, last = so_far->vote_seconds - c->voted, all[VALUES] = {0};
    c->voted = so_far->vote_seconds;
    if (c->cheapest == 0 || last < c->cheapest)
        c->cheapest = last;
    enum state state = *comm->failure               ? STATE_FAILED
                       : guard_signal(&comm->guard) ? STATE_STOPPED
                                                    : STATE_WELL;
    double own[VALUES] = {[LOOPING] = looping,
                          [ELAPSED] = c->before + looping,
                          [STATE] = state,
                          [COST] = c->cheapest,
                          [LAST] = -last,
                          [FULL] = t->full,
                          [CERTAIN] = *comm->failure && !t->doubtful};
    if (comm_allreduce(t->group, own, all, VALUES, MPI_DOUBLE, MPI_MAX)) {
        comm_fail(comm, "MPI_Allreduce failed (rank %d)", comm->rank);
        return VOTE_FAILED;
    }
    c->agreeing -= all[LAST];
    c->votes += all[LAST] < 0;
    if (all[FULL] > 0 && all[CERTAIN] == 0)
        forgive(t);
    else if (all[STATE] > STATE_WELL)
        return all[STATE] > STATE_STOPPED ? VOTE_FAILED : VOTE_STOPPED;
    if (t->full)
        return 0;
    double mean = c->votes ? c->agreeing / (double)c->votes : 0;
    struct io_progress progress = {so_far->loops, all[ELAPSED], all[LOOPING], fmax(all[COST], mean)};
    return (long)io_stop_calls(c->stop, &progress);
}

static int finish(void *context)
{
    struct transfer *t = &((struct context *)context)->runner->transfer;
    bool full = t->full;
    check_write(t, MPI_File_sync(t->file), "MPI_File_sync");
    if (t->full && !full) /* which of the calls are on disk is unknown */
        t->complete = 0;
    return 0;
}

/* ---- commands ---- */

static void describe(const struct io_runner *r, const struct io_command *command)
{
    static const char *const doing[IO_ACCESSES] = {"writing", "rewriting", "reading"};
    const char *verb = doing[command->access], *name = io_type_names[command->type];
    const struct io_layout *layout = &r->layouts[command->partition];
    const char *plural = TEXT_ES(layout->processes);
    if (command->action == IO_PATTERN)
        comm_doing(r->comm, "%s pattern %d (%s, %" PRId64 " B), %" PRId64 " process%s", verb,
                   command->pattern, name, io_layout_place(layout, command->pattern).disk, layout->processes,
                   plural);
    else
        comm_doing(r->comm, "%s %s type %d (%s), %" PRId64 " process%s",
                   command->action == IO_OPEN ? "opening the file for" : "closing the file after", verb,
                   (int)command->type, name, layout->processes, plural);
}

/* ---- page cache ---- */

static double resident(const struct transfer *t)
{
    double share = pagecache_resident(t->path);
    return share < 0 ? IO_RESIDENT_UNKNOWN : share;
}

/* On every node that touched the file: by one process, or by the one whose file it is. */
static void drop_cache(const struct io_runner *r, enum io_type type, struct io_measurement *m)
{
    const struct transfer *t = &r->transfer;
    if (t->settings->keep_caches || !(r->machine->leads_node || type == TYPE_SEPARATED))
        return;
    m->resident_before = resident(t);
    if (t->settings->drop_caches && r->machine->leads_node)
        pagecache_drop_node();
    pagecache_drop(t->path);
    m->resident_after = resident(t);
}

/* ---- opening and patterns ---- */

static void perform_open(struct io_runner *r, const struct io_command *command, struct io_measurement *m)
{
    const struct io_partition *p = &r->partitions[command->partition];
    double start = MPI_Wtime();
    if (command->access == ACCESS_WRITE && command->type >= TYPE_SEGMENTED)
        io_layout_plan(&r->layouts[command->partition], command->bytes);
    open_file(&r->transfer, command, command->access == ACCESS_READ ? p->reading : p->writing);
    m->record.t_open = m->record.t_total = MPI_Wtime() - start;
    if (r->machine->leads_node)
        m->passed = (r->node_moved - p->moved_at[command->type]) / r->node_memory;
}

static void perform_pattern(struct io_runner *r, const struct io_command *command, struct io_measurement *m)
{
    struct transfer *t = &r->transfer;
    struct io_record *record = &m->record;
    struct context context = {.runner = r, .stop = &command->stop, .measurement = m};
    struct measure_ops ops = {.now = counted_now,
                              .synchronise = synchronise,
                              .work = work,
                              .context = &context,
                              .vote = vote,
                              .lap = lap,
                              .finish = command->access == ACCESS_READ ? NULL : finish};
    struct measured measured;
    r->durations = (struct histogram){0};
    prepare(t, command, &r->layouts[command->partition]);
    barrier(r);
    double start = MPI_Wtime();
    set_view(t);
    double viewed = MPI_Wtime();
    record->t_view = viewed - start;
    context.before = viewed - r->begin;
    enum measure_status status = measure(&ops, 0, (long)command->stop.max_calls, &measured);
    check_rest(t);
    if (status != MEASURE_OK && measured.error == 0 && measured.loops > 0)
        comm_fail(t->comm, "%s (rank %d)", measure_status_text(status), r->comm->rank);
    r->moved += (double)(t->complete * t->place.memory) * t->share;
    m->full = t->full;
    record->calls = t->complete;
    record->errors = t->errors;
    record->t_total = measured.seconds;
    record->t_vote = fmin(context.agreeing + context.cheapest, measured.vote_seconds);
    record->t_sync = measured.finish_seconds;
    record->t_calls = measured.seconds - record->t_vote - measured.finish_seconds;
    record->slowest_rank = r->comm->rank;
    snprintf(record->slowest_node, sizeof record->slowest_node, "%.*s", (int)sizeof record->slowest_node - 1,
             r->machine->node.names.nodename);
}

/* ---- after closing ---- */

/* Compares the file's size with what was written. Network file systems may keep an old size until the file is
 * opened again. */
static void check_size(struct transfer *t, int64_t end)
{
    struct stat status;
    if (*t->comm->failure || stat(t->path, &status) || status.st_size >= end)
        return;
    int file = open(t->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    off_t size = file < 0 ? -1 : lseek(file, 0, SEEK_END);
    if (file >= 0)
        close(file);
    if (size < end)
        comm_fail(t->comm, "%s is too short after it was written: %lld of %" PRId64 " bytes", t->path,
                  (long long)size, end);
}

static void remove_file(const struct io_runner *r, int partition, enum io_type type)
{
    char path[sizeof r->transfer.path];
    name_file(&r->transfer, partition, type, r->comm->rank, path, sizeof path);
    unlink(path);
}

void io_runner_remove_own(const struct io_runner *r)
{
    for (int i = 0; r->transfer.own && i < r->partition_count; i++)
        remove_file(r, i, TYPE_SEPARATED);
}

static void perform_close(struct io_runner *r, const struct io_command *command, struct io_measurement *m)
{
    struct transfer *t = &r->transfer;
    struct io_partition *p = &r->partitions[command->partition];
    enum io_type type = command->type;
    bool own_file = type == TYPE_SEPARATED || r->comm->rank == 0;
    bool last_use = io_is_last_use(t->task, type, command->access);
    double moved = 0; /* by all processes of the node since the last time; on the one that leads it */
    double start = MPI_Wtime();
    io_runner_close(r);
    m->record.t_close = m->record.t_total = MPI_Wtime() - start;
    if (command->access == ACCESS_WRITE && own_file)
        check_size(t, io_file_end(&r->layouts[command->partition], type));
    barrier(r);
    COMM_CHECK(r->comm, MPI_Reduce(&r->moved, &moved, 1, MPI_DOUBLE, MPI_SUM, 0, p->on_node));
    r->moved = 0;
    r->node_moved += moved;
    if (!last_use && io_is_last_write(t->task, type, command->access)) {
        p->moved_at[type] = r->node_moved;
        drop_cache(r, type, m);
    }
    if (last_use && own_file && !t->settings->keep)
        remove_file(r, command->partition, type);
}

/* ---- all processes ---- */

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
        all->call_max = fmax(all->call_max, one->call_max);
        to->passed = fmin(to->passed, from->passed);
        to->resident_before = fmax(to->resident_before, from->resident_before);
        to->resident_after = fmax(to->resident_after, from->resident_after);
        to->full = to->full || from->full;
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

/* Of all calls on all processes; complete on rank 0. */
static void find_percentiles(struct io_runner *r, struct io_record *all)
{
    struct histogram sum = r->durations;
    comm_reduce(r->transfer.group, r->durations.bin, sum.bin, HISTOGRAM_BINS, MPI_INT64_T, MPI_SUM);
    all->call_median = fmin(histogram_quantile(&sum, 0.5), all->call_max);
    all->call_95 = fmin(histogram_quantile(&sum, 0.95), all->call_max);
    all->call_99 = fmin(histogram_quantile(&sum, 0.99), all->call_max);
}

/* Of one process, to that of all. */
static void reduce(struct io_runner *r, const struct io_command *command, struct io_measurement *m)
{
    const struct io_measurement own = *m;
    struct io_record *all = &m->record;
    double processes = r->transfer.group->size;
    COMM_CHECK(r->comm, comm_allreduce(r->transfer.group, &own, m, 1, r->type, r->combine));
    all->t_open /= processes;
    all->t_calls /= processes;
    all->t_sync /= processes;
    all->t_close /= processes;
    if (command->action == IO_PATTERN) {
        all->bytes = all->calls * r->transfer.place.memory * r->transfer.group->size;
        io_layout_note(&r->layouts[command->partition], command->access, command->pattern, all->calls);
        if (m->failed_rank < 0)
            find_percentiles(r, all);
    }
    if (all->errors)
        print_errors(&r->transfer);
}

struct io_measurement io_runner_perform(struct io_runner *r, const struct io_command *command)
{
    struct io_measurement m = {
        .passed = INFINITY, .resident_before = -1, .resident_after = -1, .failed_rank = -1};
    describe(r, command);
    r->transfer.group = &r->partitions[command->partition].group;
    r->begin = MPI_Wtime();
    barrier(r);
    if (command->action == IO_OPEN)
        perform_open(r, command, &m);
    else if (command->action == IO_PATTERN)
        perform_pattern(r, command, &m);
    else
        perform_close(r, command, &m);
    m.record.t_excluded = fmax(0, MPI_Wtime() - r->begin - m.record.t_view - m.record.t_total);
    m.stop = guard_signal(&r->comm->guard);
    if (*r->comm->failure) {
        m.failed_rank = r->comm->rank + (r->transfer.second_hand ? r->comm->size : 0);
        message_set(&m.failure, "%s", r->comm->failure);
    }
    reduce(r, command, &m);
    return m;
}

bool io_runner_is_waited_for(const struct io_runner *r)
{
    return calls[r->transfer.command.type]->collective;
}

/* ---- making ---- */

enum { PAGE = 4096 };

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
}

int io_runner_make(struct io_runner *r, struct comm *comm, const struct machine *machine, int shift)
{
    const struct io_task *task = r->transfer.task;
    r->comm = r->transfer.comm = comm;
    r->machine = machine;
    COMM_CHECK(comm, MPI_Type_contiguous((int)sizeof(struct io_measurement), MPI_BYTE, &r->type));
    COMM_CHECK(comm, MPI_Type_commit(&r->type));
    COMM_CHECK(comm, MPI_Op_create(combine, 1, &r->combine));
    for (int i = 0; i < task->partition_count; i++) {
        io_layout_start(&r->layouts[i], task, i);
        make_partition(r, task->partitions[i], shift < task->partitions[i] ? shift : 0);
    }
    r->node_memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    size_t size = (size_t)content_area(task->mpart); /* M_PART at least; both are multiples of a page */
    r->transfer.area = aligned_alloc(PAGE, size);
    if (r->transfer.area)
        memset(r->transfer.area, 0, size); /* touched now, so that no measurement pays for it */
    return r->transfer.area ? 0 : -1;
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
    free(r->transfer.area);
    free(r->transfer.error);
    comm_doing(r->comm, "%s", "");
}
