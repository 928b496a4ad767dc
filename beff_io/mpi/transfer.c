#include "beff_io/mpi/transfer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/memory.h"
#include "common/measure.h"

/* ---- failures ---- */

/* Handles the result of a write. If an initial write finds no space, its pattern ends. After any other error,
 * the run ends. If a collective call fails on one process, the other processes may wait in it forever. The
 * failure therefore starts an alarm, which ends the run unless the next vote forgives the failure. */
static void check_write(struct io_transfer *t, int code)
{
    bool full = code != MPI_SUCCESS && t->command->access == ACCESS_WRITE && io_file_is_full(code);
    t->full = t->full || full;
    if (code == MPI_SUCCESS || (full && !t->file->call->collective))
        return;
    if (!*t->job->comm->failure)
        t->doubtful = t->file->call->collective;
    io_file_check(t->file, code, t->file->call->write_name);
}

/* Cancels a doubtful failure of this process: another process found no space, which explains the failure. */
static void forgive(struct io_transfer *t)
{
    ending_forgive();
    *t->job->comm->failure = 0;
    t->doubtful = false;
    t->full = true;
}

/* ---- checking ---- */

/* Counts a wrong word, and stores it unless -e words are already stored. */
static void note_error(void *context, const struct content_mismatch *word)
{
    struct io_transfer *t = context;
    t->errors++;
    if (t->noted < t->job->settings->errors) {
        array_grow(&t->error, (size_t)t->noted, sizeof *t->error);
        t->error[t->noted++] = *word;
    }
}

void io_transfer_print_errors(const struct io_transfer *t)
{
    const struct comm *group = &t->partition->group;
    int64_t before = 0;
    COMM_CHECK(t->job->comm, MPI_Exscan(&t->noted, &before, 1, MPI_INT64_T, MPI_SUM, group->all));
    if (group->rank == 0) /* MPI_Exscan leaves `before` undefined on rank 0 */
        before = 0;
    for (int64_t i = 0; i < t->noted && before + i < t->job->settings->errors; i++) {
        const struct content_mismatch *word = &t->error[i];
        comm_say(t->job->comm,
                 "data error: %s, offset %" PRId64 ": 0x%016" PRIx64 " expected, 0x%016" PRIx64
                 " found (pattern %d, %d process%s, rank %d, call %" PRId64 ")",
                 t->file->path, word->offset, word->expected, word->found, t->command->pattern, group->size,
                 TEXT_ES(group->size), t->job->comm->rank, word->call);
    }
}

/* Checks the data read since the last vote. No process of the partition reads meanwhile, because all of them
 * have come to the vote, and wait for the slowest check. Excludes the time of this check on every process: a
 * process that excluded its own check while others read would leave its share of the storage to them. */
static int check_held(struct io_transfer *t)
{
    double start = MPI_Wtime(), slowest = 0;
    for (int64_t i = 0; i < t->held && !*t->job->comm->failure; i++, t->checked++)
        content_check(&t->content[t->checked < t->command->rewritten], t->checked,
                      t->kept + i * t->kept_bytes, t->kept == t->area, note_error, t);
    t->held = 0;
    double own = MPI_Wtime() - start;
    int error = comm_allreduce(&t->partition->group, &own, &slowest, 1, MPI_DOUBLE, MPI_MAX);
    t->excluded += slowest;
    return error;
}

/* ---- functions for the measuring loop; the context is the transfer ---- */

enum { VOTE_FAILED = -1, VOTE_STOPPED = -2 };
enum state { STATE_WELL, STATE_STOPPED, STATE_FAILED };

/* Returns the time in seconds, excluding the time in which data were checked. */
static double counted_now(void *context)
{
    return MPI_Wtime() - ((struct io_transfer *)context)->excluded;
}

/* Returns 0 even after a failure: as in work(), the next vote reports it. */
static int barrier(void *context)
{
    const struct io_transfer *t = context;
    io_partition_barrier(t->partition, t->job->comm);
    return 0;
}

/* Makes one call. Makes collective calls even after a failure, because the other processes wait in them. For
 * the same reason, does not report a failure before the next vote. */
static int work(void *context, long iteration)
{
    struct io_transfer *t = context;
    const struct io_call *io_call = t->file->call;
    bool reads = t->command->access == ACCESS_READ;
    const char *name = reads ? io_call->read_name : io_call->write_name;
    int bytes = (int)t->command->place.memory;
    MPI_Status status;
    if ((*t->job->comm->failure || t->full) && !io_call->collective)
        return 0;
    if (reads) {
        char *data = t->area + t->held % t->content->slots * bytes;
        io_file_check(t->file, io_call->read(t->file->handle, data, bytes, MPI_BYTE, &status), name);
        if (t->kept != t->area)
            content_keep(t->content, data, t->kept + t->held * t->kept_bytes);
        t->held++;
    } else {
        const char *data =
            content_stamp(&t->content[t->command->access == ACCESS_REWRITE], t->area, iteration);
        check_write(t, io_call->write(t->file->handle, data, bytes, MPI_BYTE, &status));
    }
    if (!*t->job->comm->failure && !t->full)
        t->complete += file_check_whole(t->job->comm, &status, bytes, name, scratch_shown(t->file->path));
    return 0;
}

static void lap(void *context, double seconds)
{
    struct io_transfer *t = context;
    if (t->full || *t->job->comm->failure)
        return;
    histogram_add(&t->durations, seconds);
    t->sum += seconds;
}

/* Agrees with all processes on the maximum time and cost, and on any failure, signal or full file system.
 * Reads vote before the data to be checked fill their area, because they are checked at a vote. If a
 * collective call finds the file system full on one process, it may fail with a different error on the other
 * processes. */
static long vote(void *context, const struct measured *so_far)
{
    enum { LOOPING, ELAPSED, STATE, COST, LAST, FULL, CERTAIN, VALUES };
    struct io_transfer *t = context;
    struct comm *comm = t->job->comm;
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
    bool reads = t->command->access == ACCESS_READ;
    if (comm_allreduce(&t->partition->group, own, all, VALUES, MPI_DOUBLE, MPI_MAX) ||
        (reads && check_held(t))) {
        comm_fail(comm, "MPI_Allreduce failed (rank %d)", comm->rank);
        return VOTE_FAILED;
    }
    t->agreeing -= all[LAST];
    t->votes += all[LAST] < 0;
    if (all[FULL] > 0 && all[CERTAIN] == 0)
        forgive(t);
    else if (all[STATE] > STATE_WELL)
        return all[STATE] > STATE_STOPPED ? VOTE_FAILED : VOTE_STOPPED;
    if (t->full)
        return 0;
    double mean = t->votes ? t->agreeing / (double)t->votes : 0;
    struct io_progress progress = {so_far->loops, all[ELAPSED], all[LOOPING], fmax(all[COST], mean)};
    int64_t more = io_stop_calls(&t->command->stop, &progress);
    int64_t most = !reads ? more : t->kept_bytes < CONTENT_AREA ? CONTENT_AREA / t->kept_bytes : 1;
    return (long)(more < most ? more : most);
}

static int finish(void *context)
{
    struct io_transfer *t = context;
    int code = MPI_File_sync(t->file->handle);
    if (code == MPI_SUCCESS || t->command->access != ACCESS_WRITE || !io_file_is_full(code)) {
        io_file_check(t->file, code, "MPI_File_sync");
    } else if (!t->full) { /* the data of any call may be missing on disk */
        t->full = true;
        t->complete = 0;
    }
    return 0;
}

/* ---- the pattern ---- */

void io_transfer_measure(struct io_transfer *t, double begin, struct io_measurement *m)
{
    const struct io_command *c = t->command;
    const struct comm *comm = t->job->comm;
    struct io_record *record = &m->record;
    struct measure_ops ops = {.now = counted_now,
                              .synchronise = barrier,
                              .work = work,
                              .context = t,
                              .vote = vote,
                              .lap = lap,
                              .finish = c->access == ACCESS_READ ? NULL : finish};
    struct measured measured;
    for (int i = 0; i < 2; i++)
        t->content[i] = content_of(t->job->task.seed, i > 0, c->pattern, t->partition->group.size,
                                   t->file->rank, &c->place);
    bool all = t->job->settings->verify == VERIFY_FULL;
    t->kept = t->area + (all ? 0 : content_area(t->job->task.mpart));
    t->kept_bytes = content_kept(t->content, all);
    if (c->access != ACCESS_READ)
        content_fill(&t->content[c->access == ACCESS_REWRITE], t->area);
    else /* data of an earlier access would pass as data that were read */
        memset(t->area, 0, (size_t)content_area(t->job->task.mpart));
    barrier(t);
    double start = MPI_Wtime();
    io_file_view(t->file, c);
    double viewed = MPI_Wtime();
    record->t_view = viewed - start;
    t->before = viewed - begin;
    enum measure_status status = measure(&ops, 0, (long)c->stop.max_calls, &measured);
    if (status != MEASURE_OK && measured.error == 0 && measured.loops > 0)
        comm_fail(t->job->comm, "%s (rank %d)", measure_status_text(status), comm->rank);
    m->full = t->full;
    m->slowest = t->sum;
    m->durations = t->durations;
    record->calls = t->complete;
    record->errors = t->errors;
    record->t_total = measured.seconds;
    record->t_vote = fmin(t->agreeing + t->cheapest, measured.vote_seconds);
    record->t_sync = measured.finish_seconds;
    record->t_calls = measured.seconds - record->t_vote - measured.finish_seconds;
    record->slowest_rank = comm->rank;
    snprintf(record->slowest_node, sizeof record->slowest_node, "%.*s", (int)sizeof record->slowest_node - 1,
             t->job->machine->node.names.nodename);
}
