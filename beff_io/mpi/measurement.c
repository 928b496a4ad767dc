/* One order on the processes of a partition. Uses transfer, conductor (orders), measure, histogram,
 * storage, world. */
#include "beff_io/mpi/measurement.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/measure.h"
#include "common/storage.h"

/* ---- the measuring loop's view ---- */

enum { VOTE_FAILED = -1, VOTE_STOPPED = -2 };
enum state { STATE_WELL, STATE_STOPPED, STATE_FAILED };

struct task {
    struct io_measurer *measurer;
    struct transfer *transfer;
    const struct io_order *order;
    double cheapest; /* vote so far, seconds; 0: none yet */
    /* What agreeing cost: of each vote the least over the processes, as who comes last does not wait for the
     * others. It is known one vote later. */
    double last, agreeing;
    long votes;            /* whose cost is known */
    double slowest, spent; /* seconds: longest call, all calls of this process */
};

/* Seconds that count: without those in which data are checked. */
static double counted_now(void *context)
{
    return MPI_Wtime() - ((struct task *)context)->transfer->excluded;
}

/* As in work(): a failure is reported in the vote. */
static int synchronise(void *context)
{
    transfer_meet(((struct task *)context)->transfer);
    return 0;
}

static int work(void *context, long iteration)
{
    transfer_call(((struct task *)context)->transfer, iteration);
    return 0; /* a failure is reported in the vote, for which the others would wait forever otherwise */
}

static void lap(void *context, double seconds)
{
    struct task *task = context;
    const struct transfer *t = task->transfer;
    if (t->full || *t->world->failure)
        return;
    histogram_add(&task->measurer->durations, seconds);
    task->slowest = fmax(task->slowest, seconds);
    task->spent += seconds;
}

static enum state own_state(const struct task *task)
{
    return *task->measurer->world->failure               ? STATE_FAILED
           : guard_signal(&task->measurer->world->guard) ? STATE_STOPPED
                                                         : STATE_WELL;
}

/* All processes agree on the largest time, the largest cost, any failure, signal, or lack of room, which may
 * look like a failure on the others in a collective call. */
static long vote(void *context, long done, double seconds)
{
    struct task *task = context;
    struct transfer *t = task->transfer;
    double own[6] = {seconds, 0, task->cheapest, -task->last, t->full, *t->world->failure && !t->doubtful},
           all[6] = {0};
    double start = MPI_Wtime();
    own[1] = own_state(task);
    if (world_allreduce(task->transfer->group, own, all, 6, MPI_DOUBLE, MPI_MAX)) {
        world_fail(task->measurer->world, "MPI_Allreduce failed (rank %d)", task->measurer->world->rank);
        return VOTE_FAILED;
    }
    task->last = MPI_Wtime() - start;
    task->agreeing -= all[3];
    task->votes += all[3] < 0;
    if (task->cheapest == 0 || task->last < task->cheapest)
        task->cheapest = task->last;
    if (all[4] > 0 && all[5] == 0)
        transfer_forgive(t);
    else if (all[1] > STATE_WELL)
        return all[1] > STATE_STOPPED ? VOTE_FAILED : VOTE_STOPPED;
    if (t->full)
        return 0;
    double mean = task->votes ? task->agreeing / (double)task->votes : 0;
    return (long)io_order_calls(task->order, done, all[0], fmax(all[2], mean));
}

static int finish(void *context)
{
    transfer_sync(((struct task *)context)->transfer);
    return 0;
}

/* ---- orders ---- */

static void describe(struct io_measurer *m, const struct io_order *o)
{
    static const char *const doing[IO_ACCESSES] = {"writing", "rewriting", "reading"};
    const char *verb = o->action == IO_ACTION_OPEN    ? "opening the file for"
                       : o->action == IO_ACTION_CLOSE ? "closing the file after"
                                                      : "";
    if (*verb)
        world_doing(m->world, "%s %s type %d (%s), %" PRId64 " processes", verb, doing[o->access],
                    (int)o->type, io_type_name(o->type), o->processes);
    else
        world_doing(m->world, "%s pattern %d (%s, %" PRId64 " B), %" PRId64 " processes", doing[o->access],
                    o->pattern.number, io_type_name(o->type), o->place.disk, o->processes);
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
static void drop_cache(const struct io_measurer *m, const struct io_order *o, struct io_outcome *outcome)
{
    const struct transfer *t = &m->transfer;
    if (!o->drop_cache || t->settings->keep_caches || !(m->leads_node || o->type == TYPE_SEPARATED))
        return;
    outcome->resident_before = resident(t);
    if (t->settings->drop_caches && m->leads_node)
        pagecache_drop_node();
    pagecache_drop(t->path);
    outcome->resident_after = resident(t);
}

/* ---- opening and patterns ---- */

static void perform_open(struct io_measurer *m, const struct io_order *o, struct io_outcome *outcome)
{
    const struct io_partition *p = m->partition;
    double start = MPI_Wtime();
    transfer_open(&m->transfer, o, o->access == ACCESS_READ ? p->reading : p->writing);
    outcome->record.t_open = outcome->record.t_total = MPI_Wtime() - start;
    if (m->leads_node)
        outcome->passed = (m->node_moved - p->moved_at[o->type]) / m->node_memory;
    drop_cache(m, o, outcome);
}

static void measure_pattern(struct io_measurer *m, const struct io_order *o, struct io_outcome *outcome)
{
    struct transfer *t = &m->transfer;
    bool writes = o->access != ACCESS_READ;
    struct task task = {.measurer = m, .transfer = t, .order = o};
    struct measure_world world = {.now = counted_now,
                                  .synchronise = synchronise,
                                  .work = work,
                                  .context = &task,
                                  .vote = vote,
                                  .lap = lap,
                                  .finish = writes ? finish : NULL};
    struct measured measured;
    enum measure_status status = measure(&world, 0, (long)o->most, &measured);
    transfer_check_rest(t);
    if (status != MEASURE_OK && measured.error == 0 && measured.loops > 0)
        world_fail(t->world, "%s (rank %d)", measure_status_text(status), m->world->rank);
    m->moved += transfer_moved(t);
    outcome->record.calls = t->complete;
    outcome->full = t->full;
    outcome->record.t_total = measured.seconds;
    outcome->record.t_vote = fmin(task.agreeing + task.cheapest, measured.vote_seconds);
    outcome->record.t_sync = measured.finish_seconds;
    outcome->record.t_calls = measured.seconds - outcome->record.t_vote - measured.finish_seconds;
    outcome->record.errors = t->errors;
    outcome->record.call_max = task.slowest;
    outcome->slowest = task.spent;
    outcome->record.slowest_rank = m->world->rank;
    memcpy(outcome->record.slowest_node, m->node, sizeof m->node);
}

static void perform_pattern(struct io_measurer *m, const struct io_order *o, struct io_outcome *outcome)
{
    struct transfer *t = &m->transfer;
    double begin = MPI_Wtime();
    t->excluded = 0;
    m->durations = (struct histogram){0};
    transfer_prepare(t, o);
    transfer_meet(t);
    double start = MPI_Wtime();
    transfer_view(t);
    outcome->record.t_view = MPI_Wtime() - start;
    measure_pattern(m, o, outcome);
    outcome->record.t_excluded =
        fmax(0, MPI_Wtime() - begin - outcome->record.t_view - outcome->record.t_total);
}

/* ---- after closing ---- */

static bool is_too_short(const char *path, int64_t end)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_size < end;
}

/* Compares the file's size with what was written. Network file systems may keep an old size until the file is
 * opened again. */
static void check_size(struct transfer *t, const struct io_order *o)
{
    bool own = o->type == TYPE_SEPARATED || t->world->rank == 0;
    if (o->access != ACCESS_WRITE || !own || *t->world->failure || !is_too_short(t->path, o->end))
        return;
    int file = open(t->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    off_t size = file < 0 ? -1 : lseek(file, 0, SEEK_END);
    if (file >= 0)
        close(file);
    if (size < o->end)
        world_fail(t->world, "%s is too short after it was written: %lld of %" PRId64 " bytes", t->path,
                   (long long)size, o->end);
}

/* Adds what the node's processes moved since the last time, on the one that leads it. */
static void add_up_node(struct io_measurer *m, const struct io_order *o)
{
    double sum = 0;
    WORLD_CHECK(m->world, MPI_Reduce(&m->moved, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, m->partition->on_node));
    m->moved = 0;
    m->node_moved += sum;
    if (o->drop_cache)
        m->partition->moved_at[o->type] = m->node_moved;
}

static void remove_file(const struct transfer *t, const struct io_order *o)
{
    char path[sizeof t->path];
    if (!o->last_use || (t->settings->keep && !o->probe) || (o->type != TYPE_SEPARATED && t->world->rank > 0))
        return;
    transfer_path(t, o, t->world->rank, path, sizeof path);
    unlink(path);
}

void io_measurer_remove_own(const struct io_measurer *m)
{
    for (int i = 0; m->transfer.own && i < m->partition_count; i++) {
        struct io_order order = {.type = TYPE_SEPARATED, .processes = m->partitions[i].group.size};
        char path[sizeof m->transfer.path];
        transfer_path(&m->transfer, &order, m->world->rank, path, sizeof path);
        unlink(path);
    }
}

static void perform_close(struct io_measurer *m, const struct io_order *o, struct io_outcome *outcome)
{
    struct transfer *t = &m->transfer;
    double start = MPI_Wtime();
    transfer_close(t);
    outcome->record.t_close = outcome->record.t_total = MPI_Wtime() - start;
    check_size(t, o);
    transfer_meet(t);
    add_up_node(m, o);
    drop_cache(m, o, outcome);
    remove_file(t, o);
    outcome->record.t_excluded = MPI_Wtime() - start - outcome->record.t_total;
}

/* ---- all processes ---- */

static void combine_one(struct io_outcome *to, const struct io_outcome *from)
{
    struct io_record *r = &to->record;
    const struct io_record *f = &from->record;
    r->t_open += f->t_open;
    r->t_view = fmax(r->t_view, f->t_view);
    r->t_calls += f->t_calls;
    r->t_vote = fmax(r->t_vote, f->t_vote);
    r->t_sync += f->t_sync;
    r->t_close += f->t_close;
    r->t_total = fmax(r->t_total, f->t_total);
    r->t_excluded = fmax(r->t_excluded, f->t_excluded);
    r->calls = f->calls < r->calls ? f->calls : r->calls;
    r->errors += f->errors;
    r->call_max = fmax(r->call_max, f->call_max);
    to->passed = fmin(to->passed, from->passed);
    to->resident_before = fmax(to->resident_before, from->resident_before);
    to->resident_after = fmax(to->resident_after, from->resident_after);
    to->full = to->full || from->full;
    to->stop = from->stop > to->stop ? from->stop : to->stop;
    if (from->slowest > to->slowest) {
        to->slowest = from->slowest;
        r->slowest_rank = f->slowest_rank;
        memcpy(r->slowest_node, f->slowest_node, sizeof r->slowest_node);
    }
}

static void combine(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    const struct io_tally *from = in;
    struct io_tally *to = inout;
    for (int i = 0; i < *length; i++, from++, to++) {
        combine_one(&to->outcome, &from->outcome);
        if (from->failed_rank >= 0 && (to->failed_rank < 0 || from->failed_rank < to->failed_rank)) {
            to->failed_rank = from->failed_rank;
            memcpy(to->failure, from->failure, sizeof to->failure);
        }
    }
}

static struct io_partition *find_partition(struct io_measurer *m, int64_t processes)
{
    struct io_partition *p = m->partitions;
    while (p->group.size != processes)
        p++;
    return p;
}

/* At most --errors lines for all processes together. */
static void tell_errors(struct io_measurer *m)
{
    struct transfer *t = &m->transfer;
    int64_t before = 0;
    WORLD_CHECK(m->world, MPI_Exscan(&t->kept, &before, 1, MPI_INT64_T, MPI_SUM, t->group->comm));
    transfer_tell_errors(t, t->settings->errors - (t->group->rank ? before : 0));
}

/* Of all calls on all processes; complete on rank 0. */
static void summarise_calls(struct io_measurer *m, struct io_record *all)
{
    struct histogram sum = m->durations;
    world_reduce(m->transfer.group, m->durations.bin, sum.bin, HISTOGRAM_BINS, MPI_INT64_T, MPI_SUM);
    all->call_median = fmin(histogram_quantile(&sum, 0.5), all->call_max);
    all->call_95 = fmin(histogram_quantile(&sum, 0.95), all->call_max);
    all->call_99 = fmin(histogram_quantile(&sum, 0.99), all->call_max);
}

static double known_share(double resident)
{
    return resident > 1 ? -1 : resident;
}

static struct io_tally combine_all(struct io_measurer *m, const struct io_order *o,
                                   const struct io_tally *own)
{
    struct io_tally tally = *own;
    struct io_record *all = &tally.outcome.record;
    WORLD_CHECK(m->world, world_allreduce(m->transfer.group, own, &tally, 1, m->type, m->combine));
    all->t_open /= (double)o->processes;
    all->t_calls /= (double)o->processes;
    all->t_sync /= (double)o->processes;
    all->t_close /= (double)o->processes;
    all->bytes = all->calls * o->place.memory * o->processes;
    tally.outcome.resident_before = known_share(tally.outcome.resident_before);
    tally.outcome.resident_after = known_share(tally.outcome.resident_after);
    if (o->action == IO_ACTION_PATTERN && tally.failed_rank < 0)
        summarise_calls(m, all);
    if (all->errors)
        tell_errors(m);
    return tally;
}

struct io_tally io_measurer_perform(struct io_measurer *m, const struct io_order *order)
{
    struct io_tally own = {
        .outcome = {.passed = INFINITY, .resident_before = -1, .resident_after = -1, .slowest = -1},
        .failed_rank = -1};
    describe(m, order);
    m->partition = find_partition(m, order->processes);
    m->transfer.group = &m->partition->group;
    transfer_meet(&m->transfer);
    if (order->action == IO_ACTION_OPEN)
        perform_open(m, order, &own.outcome);
    else if (order->action == IO_ACTION_PATTERN)
        perform_pattern(m, order, &own.outcome);
    else
        perform_close(m, order, &own.outcome);
    own.outcome.stop = guard_signal(&m->world->guard);
    if (*m->world->failure) {
        own.failed_rank = m->world->rank + (m->transfer.second_hand ? m->world->size : 0);
        memcpy(own.failure, m->world->failure, sizeof own.failure);
    }
    return combine_all(m, order, &own);
}

/* ---- making ---- */

static void make_partition(struct io_measurer *m, int64_t processes, int shift)
{
    struct world *world = m->world;
    struct io_partition *p = &m->partitions[m->partition_count++];
    p->group = (struct world){.program = world->program,
                              .rank = world->rank,
                              .size = (int)processes,
                              .yield = world->yield && processes > 1};
    int colour = world->rank < processes ? 0 : MPI_UNDEFINED;
    int place = (int)((world->rank + shift) % processes);
    WORLD_CHECK(world, MPI_Comm_split(world->comm, colour, world->rank, &p->group.comm));
    if (colour == MPI_UNDEFINED)
        return;
    WORLD_CHECK(world, MPI_Comm_set_errhandler(p->group.comm, MPI_ERRORS_RETURN));
    WORLD_CHECK(world, MPI_Comm_dup(p->group.comm, &p->writing));
    WORLD_CHECK(world, MPI_Comm_split(p->group.comm, 0, place, &p->reading));
    WORLD_CHECK(world, MPI_Comm_set_errhandler(p->writing, MPI_ERRORS_RETURN));
    WORLD_CHECK(world, MPI_Comm_set_errhandler(p->reading, MPI_ERRORS_RETURN));
    WORLD_CHECK(world, MPI_Comm_split_type(p->group.comm, MPI_COMM_TYPE_SHARED, world->rank, MPI_INFO_NULL,
                                           &p->on_node));
}

int io_measurer_make(struct io_measurer *m, struct world *world, const struct machine *machine,
                     const struct io_task *task, int shift)
{
    m->world = world;
    m->transfer.world = world;
    WORLD_CHECK(world, MPI_Type_contiguous((int)sizeof(struct io_tally), MPI_BYTE, &m->type));
    WORLD_CHECK(world, MPI_Type_commit(&m->type));
    WORLD_CHECK(world, MPI_Op_create(combine, 1, &m->combine));
    for (int i = 0; i < task->partition_count; i++)
        make_partition(m, task->partitions[i], shift < task->partitions[i] ? shift : 0);
    m->leads_node = machine->leads_node;
    snprintf(m->node, sizeof m->node, "%.*s", (int)sizeof m->node - 1, machine->node.names.nodename);
    m->node_memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return transfer_make(&m->transfer, task->mpart);
}

void io_measurer_free(struct io_measurer *m)
{
    if (!m->world)
        return;
    for (struct io_partition *p = m->partitions; p < m->partitions + m->partition_count; p++)
        if (p->group.comm != MPI_COMM_NULL) {
            WORLD_CHECK(m->world, MPI_Comm_free(&p->writing));
            WORLD_CHECK(m->world, MPI_Comm_free(&p->reading));
            WORLD_CHECK(m->world, MPI_Comm_free(&p->on_node));
            WORLD_CHECK(m->world, MPI_Comm_free(&p->group.comm));
        }
    WORLD_CHECK(m->world, MPI_Type_free(&m->type));
    WORLD_CHECK(m->world, MPI_Op_free(&m->combine));
    transfer_free(&m->transfer);
    world_doing(m->world, "%s", "");
}
