/* One command on the processes of a partition. Uses transfer, scheduler (commands), stop, measure,
 * histogram, storage, comm. */
#include "beff_io/mpi/runner.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/measure.h"
#include "beff_io/storage.h"

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

static int work(void *context, long iteration)
{
    transfer_call(&((struct context *)context)->runner->transfer, iteration);
    return 0; /* a failure is reported in the vote, for which the others would wait forever otherwise */
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
        transfer_forgive(t);
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
    transfer_sync(&((struct context *)context)->runner->transfer);
    return 0;
}

/* ---- commands ---- */

static void describe(const struct io_runner *r, const struct io_command *command)
{
    static const char *const doing[IO_ACCESSES] = {"writing", "rewriting", "reading"};
    const char *verb = doing[command->access], *name = io_type_names[command->type];
    const struct io_layout *layout = &r->layouts[command->partition];
    if (command->action == IO_PATTERN)
        comm_doing(r->comm, "%s pattern %d (%s, %" PRId64 " B), %" PRId64 " processes", verb,
                   command->pattern, name, io_layout_place(layout, command->pattern).disk, layout->processes);
    else
        comm_doing(r->comm, "%s %s type %d (%s), %" PRId64 " processes",
                   command->action == IO_OPEN ? "opening the file for" : "closing the file after", verb,
                   (int)command->type, name, layout->processes);
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
    transfer_open(&r->transfer, command, command->access == ACCESS_READ ? p->reading : p->writing);
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
    transfer_prepare(t, command, &r->layouts[command->partition]);
    barrier(r);
    double start = MPI_Wtime();
    transfer_view(t);
    double viewed = MPI_Wtime();
    record->t_view = viewed - start;
    context.before = viewed - r->begin;
    enum measure_status status = measure(&ops, 0, (long)command->stop.max_calls, &measured);
    transfer_check_rest(t);
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
    transfer_path(&r->transfer, partition, type, r->comm->rank, path, sizeof path);
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
    transfer_close(t);
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
        transfer_print_errors(&r->transfer);
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

/* ---- making ---- */

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
    return transfer_make(&r->transfer);
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
    transfer_free(&r->transfer);
    comm_doing(r->comm, "%s", "");
}
