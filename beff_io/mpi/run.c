/* One run of beff_io on all processes. Uses setup, measurement, conductor, finish. */
#include "beff_io/mpi/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beff_io/engine.h"
#include "beff_io/verdict.h"
#include "common/clock.h"
#include "common/finish.h"

/* Time kept for writing the results and ending MPI; also where there are more processes than processors. */
#define END_SECONDS         0.15
#define END_SECONDS_CROWDED 0.4
/* A run whose main thread hangs is ended by the guard: this share of T after the time is up, or so many
 * seconds after a signal or a failure. */
#define GUARD_SHARE    0.04
#define GUARD_PATIENCE 1.4
/* What other processes leave rank 0 to write its files, before they end themselves. */
enum { OTHERS_SECONDS = 3 };
/* Removing the files, and the end of MPI, which hangs now and then, may take so long each. */
#define REMOVE_SECONDS   3.0
#define REMOVE_SHARE     0.05 /* of T, where that is more */
#define FINALIZE_SECONDS 2.0

/* ---- the conductor's world ---- */

static double elapsed(void *unused)
{
    (void)unused;
    return clock_since_start();
}

static int64_t free_bytes(void *context)
{
    const struct io_run *run = context;
    int64_t shared = scratch_free_bytes(run->shared.path, NULL),
            own = scratch_free_bytes(run->own.path, NULL);
    return shared < own ? shared : own;
}

/* Metadata while the run goes on. */
static int note(struct io_run *run, const char *key, const char *value, struct message *error)
{
    pthread_mutex_lock(&run->lock);
    int failed = run->finished ? 0 : protocol_meta(&run->protocol, key, value, error);
    pthread_mutex_unlock(&run->lock);
    return failed;
}

/* Hints in force, once for each partition, access method and type. */
static int note_hints(struct io_run *run, const struct io_order *order, struct message *error)
{
    char hints[1600], text[1700];
    int64_t *told = &run->hints_told[order->access][order->type];
    if (*told == order->processes || order->action != IO_ACTION_OPEN || order->probe)
        return 0;
    *told = order->processes;
    file_hints(run->measurer.transfer.file, hints, sizeof hints);
    snprintf(text, sizeof text, "%s %s, %" PRId64 " processes: %s", io_access_name(order->access),
             io_type_name(order->type), order->processes, *hints ? hints : "none told");
    return note(run, "hints_in_force", text, error);
}

static int perform(void *context, const struct io_order *order, struct io_outcome *outcome,
                   struct message *error)
{
    struct io_run *run = context;
    struct io_order copy = *order;
    world_broadcast_sleeping(run->world, &copy, sizeof copy, false);
    struct io_tally t = io_measurer_perform(&run->measurer, order);
    if (t.failed_rank >= 0)
        return message_set(error, "%s", t.failure);
    *outcome = (struct io_outcome){.t_open = t.t_open / t.parts,
                                   .t_view = t.t_view,
                                   .t_calls = t.t_calls / t.parts,
                                   .t_vote = t.t_vote,
                                   .t_sync = t.t_sync / t.parts,
                                   .t_close = t.t_close / t.parts,
                                   .t_total = t.t_total,
                                   .t_excluded = t.t_excluded,
                                   .calls = t.calls,
                                   .bytes = t.bytes,
                                   .errors = t.errors,
                                   .stop = (int)t.stop,
                                   .full = t.full,
                                   .call_median = t.call_median,
                                   .call_95 = t.call_95,
                                   .call_99 = t.call_99,
                                   .call_max = t.call_max,
                                   .slowest_rank = t.slowest_rank,
                                   .resident_before = t.resident_before,
                                   .resident_after = t.resident_after,
                                   .passed = t.passed};
    snprintf(outcome->slowest_node, sizeof outcome->slowest_node, "%s", t.slowest_node);
    return note_hints(run, order, error);
}

static int keep_record(void *context, const struct io_record *record, struct message *error)
{
    struct io_run *run = context;
    pthread_mutex_lock(&run->lock);
    int failed = run->finished ? message_set(error, "the run was ended")
                               : protocol_record(&run->protocol, record, error);
    pthread_mutex_unlock(&run->lock);
    return failed;
}

static void show_progress(void *context, const struct io_record *last, double expected)
{
    struct io_run *run = context;
    progress_show(&run->progress, elapsed(NULL), expected,
                  "%" PRId64 " processes, %s, type %" PRId64 ", %s: %.1f MB/s", last->processes, last->access,
                  last->type, last->pattern, last->bandwidth);
}

/* ---- the end ---- */

static double finish_seconds(const struct io_run *run)
{
    return fmax(REMOVE_SECONDS, REMOVE_SHARE * run->settings->run.time);
}

static void remove_scratch(struct io_run *run)
{
    struct message error;
    const struct scratch *all[] = {&run->own, &run->shared};
    for (int i = 0; i < 2; i++)
        if (run->settings->keep)
            scratch_keep(all[i]);
        else if (scratch_remove(all[i], &error))
            world_say(run->world, "%s", error.text);
}

static void note_end(struct io_run *run, const char *end, enum exit_status status)
{
    struct message error;
    char date[CLOCK_DATE_SIZE], seconds[32];
    clock_date(date);
    snprintf(seconds, sizeof seconds, "%.3f", clock_since_start());
    if (protocol_meta(&run->protocol, "finished", date, &error) ||
        protocol_meta(&run->protocol, "elapsed_s", seconds, &error) ||
        (status != EXIT_RATED && protocol_meta(&run->protocol, "interrupted", end, &error)))
        world_say(run->world, "%s", error.text);
}

/* Writes everything, once; in the main thread or in the guard's. `status`: EXIT_RATED if nothing went wrong
 * yet. */
static void finish(struct io_run *run, const char *end, enum exit_status status)
{
    struct message error;
    bool rated;
    pthread_mutex_lock(&run->lock);
    if (!run->finished) {
        run->finished = true;
        progress_end(&run->progress);
        note_end(run, end, status);
        const struct finish finish = {&beff_io_engine, &run->settings->run, &run->protocol, &run->directory,
                                      end};
        bool failed = finish_run(&finish, &rated, &error);
        if (failed)
            world_say(run->world, "%s", error.text);
        bool flawed = failed || !rated;
        run->status = status == EXIT_RATED && flawed ? EXIT_ERRORS : status;
        guard_move(&run->world->guard, clock_since_start() + finish_seconds(run));
    }
    pthread_mutex_unlock(&run->lock);
}

/* A failure in a call that all make together leaves the others in it; otherwise they have a long batch of
 * calls before they agree on how to go on. */
static const char *others_wait(const struct io_run *run)
{
    return transfer_is_collective(run->measurer.transfer.order.type) ? "; others wait in a collective call"
                                                                     : "";
}

/* The main thread hangs before everything was written. */
static void give_up_first(struct io_run *run, enum guard_cause cause)
{
    char end[TRANSFER_FAILURE_SIZE + 128];
    const struct io_measurer *m = &run->measurer;
    if (cause == GUARD_SIGNAL)
        snprintf(end, sizeof end, "partial (stopped by signal %d, %s)", guard_signal(&run->world->guard),
                 m->doing);
    else if (cause == GUARD_DEADLINE)
        snprintf(end, sizeof end, "partial (the time was up, still %s)", m->doing);
    else if (*m->transfer.failure)
        snprintf(end, sizeof end, "partial (%s%s)", m->transfer.failure, others_wait(run));
    else
        snprintf(end, sizeof end, "partial (a file operation failed on another process, while %s)", m->doing);
    if (cause != GUARD_FAILURE || *m->transfer.failure)
        world_say(run->world, "%s", end);
    finish(run, end, cause == GUARD_SIGNAL ? EXIT_STOPPED : EXIT_ERRORS);
}

/* Another process than rank 0. It tells what failed on it, and rank 0 to write its files, whose end is the
 * end of all. */
static void give_up_other(struct io_run *run, enum guard_cause cause)
{
    const char *failure = run->measurer.transfer.failure;
    if (cause == GUARD_FAILURE && *failure) {
        world_say(run->world, "partial (%s%s)", failure, others_wait(run));
        if (run->first_process)
            guard_fail_process(run->first_process);
    }
    if (run->settings->separated_paths)
        remove_scratch(run);
    sleep(OTHERS_SECONDS);
    if (!run->settings->keep) { /* rank 0 on another host does not know */
        struct message ignored;
        struct scratch everything = {.path = run->shared.path};
        scratch_remove(&everything, &ignored);
    }
}

static void give_up(void *context, enum guard_cause cause)
{
    struct io_run *run = context;
    pthread_mutex_lock(&run->lock); /* the main thread may just be writing */
    bool finished = run->finished, moved = clock_since_start() < run->world->guard.deadline;
    pthread_mutex_unlock(&run->lock);
    if (moved)
        return;
    if (run->removed) /* the end of MPI hangs */
        _exit((int)run->status);
    if (run->world->rank == 0) {
        if (!finished)
            give_up_first(run, cause);
        remove_scratch(run);
        world_abort(run->status);
    }
    give_up_other(run, cause);
    _exit(cause == GUARD_SIGNAL ? EXIT_STOPPED : EXIT_ERRORS);
}

/* ---- roles ---- */

static void follow(struct io_run *run)
{
    bool idle = true;
    for (;;) {
        struct io_order order;
        world_broadcast_sleeping(run->world, &order, sizeof order, idle);
        if (order.action == IO_ACTION_END) {
            run->status = (enum exit_status)order.status;
            transfer_close(&run->measurer.transfer);
            return;
        }
        idle = !io_measurer_takes_part(&run->measurer, &order);
        if (!idle)
            io_measurer_perform(&run->measurer, &order);
    }
}

/* Bytes of files that all nodes together can hold in memory. */
static double cache_bytes(const struct io_run *run)
{
    return (double)run->machine.available_mib * 1048576 * run->machine.most_ranks * run->machine.nodes;
}

/* A run that is long enough to be valid keeps the schedule of the definition as it is. */
static bool may_adapt(const struct io_run *run)
{
    return run->settings->run.time / run->partition_count < io_valid_seconds(run->partition_count);
}

static void note_probe_errors(struct io_run *run, int64_t errors)
{
    char text[24];
    struct message error;
    snprintf(text, sizeof text, "%" PRId64, errors);
    if (errors && note(run, "probe_errors", text, &error))
        world_say(run->world, "%s", error.text);
}

/* Measures until everything is done; how it ended goes to `end`. */
static enum exit_status measure_all(struct io_run *run, double stop_at, char *end, size_t size)
{
    struct io_conductor_world world = {elapsed, perform, keep_record, free_bytes, show_progress, run};
    struct io_conductor *conductor = malloc(sizeof *conductor);
    enum exit_status status = EXIT_ERRORS;
    if (!conductor) {
        snprintf(end, size, "partial (out of memory for the schedule)");
        return status;
    }
    io_conductor_make(conductor, &world, run->patterns, run->partitions, run->partition_count,
                      &run->settings->selection, run->max_bytes, stop_at, cache_bytes(run), may_adapt(run));
    enum io_end ended = io_conductor_run(conductor);
    note_probe_errors(run, conductor->probe_errors);
    switch (ended) {
    case IO_END_COMPLETE:
        snprintf(end, size, "complete");
        status = EXIT_RATED;
        break;
    case IO_END_STOPPED:
        snprintf(end, size, "partial (stopped by signal %d)", conductor->stop);
        status = EXIT_STOPPED;
        break;
    case IO_END_FAILED:
        snprintf(end, size, "partial (%s)", conductor->error.text);
        break;
    }
    free(conductor);
    return status;
}

static void conduct(struct io_run *run, double stop_at)
{
    char end[TRANSFER_FAILURE_SIZE + 128];
    enum exit_status status = measure_all(run, stop_at, end, sizeof end);
    if (status != EXIT_RATED)
        world_say(run->world, "%s", end);
    finish(run, end, status);
    struct io_order order = {.action = IO_ACTION_END, .status = (int)run->status};
    world_broadcast_sleeping(run->world, &order, sizeof order, false);
    remove_scratch(run);
    transfer_close(&run->measurer.transfer); /* after an error it may still be open, on all alike */
}

static void free_run(struct io_run *run)
{
    io_measurer_free(&run->measurer);
    hints_free(&run->hints);
    protocol_free(&run->protocol);
    rundir_free(&run->directory);
    scratch_free(&run->shared);
    scratch_free(&run->own);
}

/* The last resort where MPI itself ends this process: the directory of the shared files. Kept by exit(), so
 * it is never freed. */
struct last_will {
    char *path; /* NULL: everything is in order */
};

static void execute(int status, void *context)
{
    struct last_will *will = context;
    struct message ignored;
    (void)status;
    if (will->path)
        scratch_remove(&(struct scratch){.path = will->path}, &ignored);
}

static struct last_will *write_will(const struct io_run *run)
{
    struct last_will *will = calloc(1, sizeof *will);
    if (will && !run->settings->keep) {
        will->path = strdup(run->shared.path);
        on_exit(execute, will);
    }
    return will;
}

static void tear_up(struct last_will *will)
{
    if (!will)
        return;
    free(will->path);
    will->path = NULL;
}

/* All files are written and removed; what remains is the end of MPI. */
static void end_roles(struct io_run *run)
{
    pthread_mutex_lock(&run->lock);
    run->removed = true;
    guard_move(&run->world->guard, clock_since_start() + finish_seconds(run) + FINALIZE_SECONDS);
    pthread_mutex_unlock(&run->lock);
}

enum exit_status run_beff_io(struct world *world, const struct io_settings *settings, const char *command)
{
    struct io_run run = {
        .world = world, .settings = settings, .command = command, .lock = PTHREAD_MUTEX_INITIALIZER};
    double started = clock_since_start(), time = settings->run.time;
    enum exit_status status = io_run_set_up(&run);
    if (status == EXIT_RATED) {
        world->guard = (struct guard){.patience = GUARD_PATIENCE, .give_up = give_up, .context = &run};
        struct last_will *will = write_will(&run);
        if (guard_start(&world->guard, world->rank == 0 ? time * (1 + GUARD_SHARE) : INFINITY))
            world_say(world, "no thread could be started: signals will not be heard");
        if (world->rank == 0) /* ending MPI takes less than starting it took */
            conduct(&run,
                    time - fmax(run.machine.oversubscribed ? END_SECONDS_CROWDED : END_SECONDS, started / 2));
        else
            follow(&run);
        if (run.settings->separated_paths)
            remove_scratch(&run);
        end_roles(&run);
        tear_up(will);
        status = run.status;
    } else { /* there is nothing to keep */
        struct message ignored;
        scratch_remove(&run.own, &ignored);
        scratch_remove(&run.shared, &ignored);
    }
    free_run(&run);
    return (enum exit_status)world_end(world, status);
}
