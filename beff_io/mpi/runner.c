/* One command on the processes of a partition. Uses transfer, scheduler (commands), stop, measure, histogram,
 * storage, comm. */
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
    struct transfer *transfer;
    const struct io_stop *stop;
    double cheapest; /* seconds of the shortest vote; 0: none yet */
    /* Cost of the votes: of each the minimum over the processes, as the last one to arrive does not wait. It
     * is known one vote later. */
    double last, agreeing;
    long votes;            /* whose cost is known */
    double slowest, spent; /* seconds: longest call, all calls of this process */
};

/* Seconds that count: without those in which data are checked. */
static double counted_now(void *context)
{
    return MPI_Wtime() - ((struct context *)context)->transfer->excluded;
}

/* As in work(): a failure is reported in the vote. */
static int synchronise(void *context)
{
    transfer_barrier(((struct context *)context)->transfer);
    return 0;
}

static int work(void *context, long iteration)
{
    transfer_call(((struct context *)context)->transfer, iteration);
    return 0; /* a failure is reported in the vote, for which the others would wait forever otherwise */
}

static void lap(void *context, double seconds)
{
    struct context *c = context;
    const struct transfer *t = c->transfer;
    if (t->full || *t->comm->failure)
        return;
    histogram_add(&c->runner->durations, seconds);
    c->slowest = fmax(c->slowest, seconds);
    c->spent += seconds;
}

static enum state own_state(struct comm *comm)
{
    return *comm->failure ? STATE_FAILED : guard_signal(&comm->guard) ? STATE_STOPPED : STATE_WELL;
}

/* All processes agree on the maximum time and cost, and on any failure, signal or full file system. In a
 * collective call a full file system may look like a failure to the others. */
static long vote(void *context, long done, double seconds)
{
    enum { LOOPING, ELAPSED, STATE, COST, LAST, FULL, CERTAIN, VALUES };
    struct context *c = context;
    struct transfer *t = c->transfer;
    struct comm *comm = c->runner->comm;
    double start = MPI_Wtime(), all[VALUES] = {0};
    double own[VALUES] = {[LOOPING] = seconds + t->excluded,
                          [ELAPSED] = start - c->runner->begin,
                          [STATE] = own_state(comm),
                          [COST] = c->cheapest,
                          [LAST] = -c->last,
                          [FULL] = t->full,
                          [CERTAIN] = *comm->failure && !t->doubtful};
    if (comm_allreduce(t->group, own, all, VALUES, MPI_DOUBLE, MPI_MAX)) {
        comm_fail(comm, "MPI_Allreduce failed (rank %d)", comm->rank);
        return VOTE_FAILED;
    }
    c->last = MPI_Wtime() - start;
    c->agreeing -= all[LAST];
    c->votes += all[LAST] < 0;
    if (c->cheapest == 0 || c->last < c->cheapest)
        c->cheapest = c->last;
    if (all[FULL] > 0 && all[CERTAIN] == 0)
        transfer_forgive(t);
    else if (all[STATE] > STATE_WELL)
        return all[STATE] > STATE_STOPPED ? VOTE_FAILED : VOTE_STOPPED;
    if (t->full)
        return 0;
    double mean = c->votes ? c->agreeing / (double)c->votes : 0;
    struct io_progress progress = {done, all[ELAPSED], all[LOOPING], fmax(all[COST], mean)};
    return (long)io_stop_calls(c->stop, &progress);
}

static int finish(void *context)
{
    transfer_sync(((struct context *)context)->transfer);
    return 0;
}

/* ---- commands ---- */

static const struct io_layout *layout_of(const struct io_runner *r, const struct io_command *command)
{
    return &r->layouts[command->partition];
}

static void describe(const struct io_runner *r, const struct io_command *command)
{
    static const char *const doing[IO_ACCESSES] = {"writing", "rewriting", "reading"};
    const char *verb = doing[command->access], *name = io_type_name(command->type);
    int64_t processes = layout_of(r, command)->processes;
    if (command->action == IO_PATTERN)
        comm_doing(r->comm, "%s pattern %d (%s, %" PRId64 " B), %" PRId64 " processes", verb,
                   command->pattern, name, io_layout_place(layout_of(r, command), command->pattern).disk,
                   processes);
    else
        comm_doing(r->comm, "%s %s type %d (%s), %" PRId64 " processes",
                   command->action == IO_OPEN ? "opening the file for" : "closing the file after", verb,
                   (int)command->type, name, processes);
}

/* ---- page cache ---- */

/* Share of a file in memory where it is unknown: above any that is known, so that the maximum over the
 * processes keeps it. Processes that did not look have -1. */
#define RESIDENT_UNKNOWN 2.0

static double resident(const struct transfer *t)
{
    double share = pagecache_resident(t->path);
    return share < 0 ? RESIDENT_UNKNOWN : share;
}

/* On every node that touched the file: by one process, or by the one whose file it is. */
static void drop_cache(const struct io_runner *r, enum io_type type, struct io_measurement *m)
{
    const struct transfer *t = &r->transfer;
    if (t->settings->keep_caches || !(r->leads_node || type == TYPE_SEPARATED))
        return;
    m->resident_before = resident(t);
    if (t->settings->drop_caches && r->leads_node)
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
    m->t_open = m->t_total = MPI_Wtime() - start;
    if (r->leads_node)
        m->passed = (r->node_moved - p->moved_at[command->type]) / r->node_memory;
}

static void measure_pattern(struct io_runner *r, const struct io_command *command, struct io_measurement *m)
{
    struct transfer *t = &r->transfer;
    struct context context = {.runner = r, .transfer = t, .stop = &command->stop};
    struct measure_ops ops = {.now = counted_now,
                              .synchronise = synchronise,
                              .work = work,
                              .context = &context,
                              .vote = vote,
                              .lap = lap,
                              .finish = command->access == ACCESS_READ ? NULL : finish};
    struct measured measured;
    enum measure_status status = measure(&ops, 0, (long)command->stop.max_calls, &measured);
    transfer_check_rest(t);
    if (status != MEASURE_OK && measured.error == 0 && measured.loops > 0)
        comm_fail(t->comm, "%s (rank %d)", measure_status_text(status), r->comm->rank);
    r->moved += transfer_moved(t);
    m->calls = t->complete;
    m->full = t->full;
    m->t_total = measured.seconds;
    m->t_vote = fmin(context.agreeing + context.cheapest, measured.vote_seconds);
    m->t_sync = measured.finish_seconds;
    m->t_calls = measured.seconds - m->t_vote - measured.finish_seconds;
    m->errors = t->errors;
    m->call_max = context.slowest;
    m->slowest = context.spent;
    m->slowest_rank = r->comm->rank;
    memcpy(m->slowest_node, r->node, sizeof r->node);
}

static void perform_pattern(struct io_runner *r, const struct io_command *command, struct io_measurement *m)
{
    struct transfer *t = &r->transfer;
    t->excluded = 0;
    r->durations = (struct histogram){0};
    transfer_prepare(t, command, layout_of(r, command));
    transfer_barrier(t);
    double start = MPI_Wtime();
    transfer_view(t);
    m->t_view = MPI_Wtime() - start;
    measure_pattern(r, command, m);
    m->t_excluded = fmax(0, MPI_Wtime() - r->begin - m->t_view - m->t_total);
}

/* ---- after closing ---- */

static bool is_too_short(const char *path, int64_t end)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_size < end;
}

/* Compares the file's size with what was written. Network file systems may keep an old size until the file is
 * opened again. */
static void check_size(struct transfer *t, int64_t end)
{
    if (*t->comm->failure || !is_too_short(t->path, end))
        return;
    int file = open(t->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    off_t size = file < 0 ? -1 : lseek(file, 0, SEEK_END);
    if (file >= 0)
        close(file);
    if (size < end)
        comm_fail(t->comm, "%s is too short after it was written: %lld of %" PRId64 " bytes", t->path,
                  (long long)size, end);
}

/* Adds what the node's processes moved since the last time, on the one that leads it. */
static void add_up_node(struct io_runner *r, const struct io_partition *p)
{
    double sum = 0;
    COMM_CHECK(r->comm, MPI_Reduce(&r->moved, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, p->on_node));
    r->moved = 0;
    r->node_moved += sum;
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
    bool last_use = io_is_last_use(r->task, type, command->access);
    double start = MPI_Wtime();
    transfer_close(t);
    m->t_close = m->t_total = MPI_Wtime() - start;
    if (command->access == ACCESS_WRITE && own_file)
        check_size(t, io_file_end(layout_of(r, command), type));
    transfer_barrier(t);
    add_up_node(r, p);
    if (!last_use && io_is_last_write(r->task, type, command->access)) {
        p->moved_at[type] = r->node_moved;
        drop_cache(r, type, m);
    }
    if (last_use && own_file && !t->settings->keep)
        remove_file(r, command->partition, type);
    m->t_excluded = MPI_Wtime() - start - m->t_total;
}

/* ---- all processes ---- */

static void combine_one(struct io_measurement *to, const struct io_measurement *from)
{
    to->t_open += from->t_open;
    to->t_view = fmax(to->t_view, from->t_view);
    to->t_calls += from->t_calls;
    to->t_vote = fmax(to->t_vote, from->t_vote);
    to->t_sync += from->t_sync;
    to->t_close += from->t_close;
    to->t_total = fmax(to->t_total, from->t_total);
    to->t_excluded = fmax(to->t_excluded, from->t_excluded);
    to->calls = from->calls < to->calls ? from->calls : to->calls;
    to->errors += from->errors;
    to->call_max = fmax(to->call_max, from->call_max);
    to->passed = fmin(to->passed, from->passed);
    to->resident_before = fmax(to->resident_before, from->resident_before);
    to->resident_after = fmax(to->resident_after, from->resident_after);
    to->full = to->full || from->full;
    to->stop = from->stop > to->stop ? from->stop : to->stop;
    if (from->slowest > to->slowest) {
        to->slowest = from->slowest;
        to->slowest_rank = from->slowest_rank;
        memcpy(to->slowest_node, from->slowest_node, sizeof to->slowest_node);
    }
}

static void combine(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    const struct io_reduction *from = in;
    struct io_reduction *to = inout;
    for (int i = 0; i < *length; i++, from++, to++) {
        combine_one(&to->measurement, &from->measurement);
        if (from->failed_rank >= 0 && (to->failed_rank < 0 || from->failed_rank < to->failed_rank)) {
            to->failed_rank = from->failed_rank;
            memcpy(to->failure, from->failure, sizeof to->failure);
        }
    }
}

/* At most --errors lines for all processes together. */
static void print_errors(struct io_runner *r)
{
    struct transfer *t = &r->transfer;
    int64_t before = 0;
    COMM_CHECK(r->comm, MPI_Exscan(&t->noted, &before, 1, MPI_INT64_T, MPI_SUM, t->group->all));
    transfer_print_errors(t, t->settings->errors - (t->group->rank ? before : 0));
}

/* Of all calls on all processes; complete on rank 0. */
static void find_percentiles(struct io_runner *r, struct io_measurement *all)
{
    struct histogram sum = r->durations;
    comm_reduce(r->transfer.group, r->durations.bin, sum.bin, HISTOGRAM_BINS, MPI_INT64_T, MPI_SUM);
    all->call_median = fmin(histogram_quantile(&sum, 0.5), all->call_max);
    all->call_95 = fmin(histogram_quantile(&sum, 0.95), all->call_max);
    all->call_99 = fmin(histogram_quantile(&sum, 0.99), all->call_max);
}

static double known_share(double resident)
{
    return resident > 1 ? -1 : resident;
}

static struct io_reduction reduce(struct io_runner *r, const struct io_command *command,
                                  const struct io_reduction *own)
{
    struct io_reduction reduction = *own;
    struct io_measurement *all = &reduction.measurement;
    double processes = r->transfer.group->size;
    COMM_CHECK(r->comm, comm_allreduce(r->transfer.group, own, &reduction, 1, r->type, r->combine));
    all->t_open /= processes;
    all->t_calls /= processes;
    all->t_sync /= processes;
    all->t_close /= processes;
    all->resident_before = known_share(all->resident_before);
    all->resident_after = known_share(all->resident_after);
    if (command->action == IO_PATTERN) {
        all->bytes = all->calls * r->transfer.place.memory * r->transfer.group->size;
        io_layout_note(&r->layouts[command->partition], command->access, command->pattern, all->calls);
        if (reduction.failed_rank < 0)
            find_percentiles(r, all);
    }
    if (all->errors)
        print_errors(r);
    return reduction;
}

struct io_reduction io_runner_perform(struct io_runner *r, const struct io_command *command)
{
    struct io_reduction own = {
        .measurement = {.passed = INFINITY, .resident_before = -1, .resident_after = -1, .slowest = -1},
        .failed_rank = -1};
    describe(r, command);
    r->transfer.group = &r->partitions[command->partition].group;
    r->begin = MPI_Wtime();
    transfer_barrier(&r->transfer);
    if (command->action == IO_OPEN)
        perform_open(r, command, &own.measurement);
    else if (command->action == IO_PATTERN)
        perform_pattern(r, command, &own.measurement);
    else
        perform_close(r, command, &own.measurement);
    own.measurement.stop = guard_signal(&r->comm->guard);
    if (*r->comm->failure) {
        own.failed_rank = r->comm->rank + (r->transfer.second_hand ? r->comm->size : 0);
        memcpy(own.failure, r->comm->failure, sizeof own.failure);
    }
    return reduce(r, command, &own);
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
    COMM_CHECK(comm, MPI_Comm_set_errhandler(p->group.all, MPI_ERRORS_RETURN));
    COMM_CHECK(comm, MPI_Comm_dup(p->group.all, &p->writing));
    COMM_CHECK(comm, MPI_Comm_split(p->group.all, 0, place, &p->reading));
    COMM_CHECK(comm, MPI_Comm_set_errhandler(p->writing, MPI_ERRORS_RETURN));
    COMM_CHECK(comm, MPI_Comm_set_errhandler(p->reading, MPI_ERRORS_RETURN));
    comm_split_nodes(comm, p->group.all, &p->on_node);
}

int io_runner_make(struct io_runner *r, struct comm *comm, const struct machine *machine, int shift)
{
    const struct io_task *task = r->transfer.task;
    r->comm = r->transfer.comm = comm;
    r->task = task;
    COMM_CHECK(comm, MPI_Type_contiguous((int)sizeof(struct io_reduction), MPI_BYTE, &r->type));
    COMM_CHECK(comm, MPI_Type_commit(&r->type));
    COMM_CHECK(comm, MPI_Op_create(combine, 1, &r->combine));
    for (int i = 0; i < task->partition_count; i++) {
        io_layout_start(&r->layouts[i], task, i);
        make_partition(r, task->partitions[i], shift < task->partitions[i] ? shift : 0);
    }
    r->leads_node = machine->leads_node;
    snprintf(r->node, sizeof r->node, "%.*s", (int)sizeof r->node - 1, machine->node.names.nodename);
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
