/* One run of beff on all processes. Uses setup, measurement, conductor, finish. */
#include "beff/mpi/run.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "beff/engine.h"
#include "common/clock.h"
#include "common/finish.h"
#include "common/measure.h"

/* Time kept for the end: for writing the results, and more for each record; a measured share of the start for
 * ending MPI, which took no longer than starting it wherever we looked. */
#define END_SECONDS    0.1
#define END_PER_RECORD 15e-6
/* Giving gigabytes of buffers back takes a good part of the time it took to get them. */
#define END_BUFFER_SHARE 0.3
/* A run whose main thread hangs is ended by the guard: this share of T after the time is up, or so many
 * seconds after a signal. */
#define GUARD_SHARE    0.01
#define GUARD_PATIENCE 1.2
/* Then rank 0 writes its files, and all processes end together: what the launcher does to those left when one
 * ends would hide the exit status. Also the patience with a launcher or MPI that does not come to its end. */
#define TOGETHER_SECONDS 0.25
#define TOGETHER_SHARE   0.03
#define FINALIZE_SECONDS 3.0

enum { MOST_REPORTED = 10 };

/* What rank 0 tells the others to do. */
struct command {
    enum { ACTION_MEASURE, ACTION_END } action;
    struct order order;
    enum exit_status status; /* of ACTION_END */
};

/* ---- the conductor's world ---- */

/* The time that is used up: what the end takes grows with the records. */
static double elapsed(void *context)
{
    const struct run *run = context;
    return clock_since_start() + END_PER_RECORD * (double)run->protocol.record_count;
}

static void report_mismatch(struct run *run, const struct tally *t)
{
    if (run->reported++ < MOST_REPORTED)
        world_say(run->world,
                  "data error: rank %d received 0x%02x instead of 0x%02x (%s byte of a message from rank %d, "
                  "iteration %.0f) %s",
                  (int)t->bad_rank, (unsigned)t->bad_found, (unsigned)t->bad_expected,
                  t->bad_last ? "last" : "first", (int)t->bad_from, t->bad_iteration, run->world->doing);
    else if (run->reported == MOST_REPORTED + 1)
        world_say(run->world, "further data errors are counted in run.prot only");
}

static int perform(void *context, const struct order *order, struct outcome *outcome, struct message *error)
{
    struct run *run = context;
    struct command command = {.action = ACTION_MEASURE, .order = *order};
    world_broadcast(run->world, &command, sizeof command);
    struct tally t = measurer_measure(&run->measurer, order);
    if (t.errors > 0) {
        report_mismatch(run, &t);
        run->errors += (int64_t)t.errors;
    }
    if (t.fault > 0)
        return message_set(error, "%s on rank %d %s", measure_status_text((enum measure_status)t.fault),
                           (int)t.fault_rank, run->world->doing);
    *outcome = (struct outcome){.t_min = t.t_min,
                                .t_avg = t.t_sum / t.parts,
                                .t_max = t.t_max,
                                .errors = (int64_t)t.errors,
                                .held_up = (int64_t)t.held_up,
                                .switches = (int64_t)t.switches,
                                .clock_jumps = (int64_t)t.clock_jumps,
                                .stop = (int)t.stop};
    return 0;
}

static int keep_record(void *context, const struct beff_record *record, struct message *error)
{
    struct run *run = context;
    pthread_mutex_lock(&run->lock);
    int failed = run->finished ? message_set(error, "the run was ended")
                               : protocol_record(&run->protocol, record, error);
    run->recorded_errors += record->errors;
    pthread_mutex_unlock(&run->lock);
    return failed;
}

static void show_progress(void *context, const struct beff_record *last, double expected)
{
    struct run *run = context;
    progress_show(&run->progress, elapsed(run), expected,
                  "pass %" PRId64 "/%" PRId64 " %s %s %" PRId64 " B: %.1f MB/s", last->pass, last->rep,
                  last->pattern, last->method, last->bytes, last->bandwidth);
}

/* ---- the end, on rank 0 ---- */

static void note_end(struct run *run, const char *end, enum exit_status status)
{
    struct message error;
    char date[CLOCK_DATE_SIZE], seconds[32], errors[32];
    clock_date(date);
    snprintf(seconds, sizeof seconds, "%.3f", clock_since_start());
    snprintf(errors, sizeof errors, "%" PRId64, run->errors - run->recorded_errors);
    if (protocol_meta(&run->protocol, "probe_errors", errors, &error) ||
        protocol_meta(&run->protocol, "finished", date, &error) ||
        protocol_meta(&run->protocol, "elapsed_s", seconds, &error) ||
        (status != EXIT_RATED && protocol_meta(&run->protocol, "interrupted", end, &error)))
        world_say(run->world, "%s", error.text);
}

/* Writes everything, once; in the main thread or in the guard's. `status`: EXIT_RATED if nothing went wrong
 * yet. */
static void finish(struct run *run, const char *end, enum exit_status status)
{
    struct message error;
    bool rated;
    pthread_mutex_lock(&run->lock);
    if (run->opened && !run->finished) {
        run->finished = true;
        progress_end(&run->progress);
        note_end(run, end, status);
        const struct finish finish = {&beff_engine, &run->settings->run, &run->protocol, &run->directory,
                                      end};
        bool failed = finish_run(&finish, &rated, &error);
        if (failed)
            world_say(run->world, "%s", error.text);
        bool flawed = failed || run->errors || !rated;
        run->status = status == EXIT_RATED && flawed ? EXIT_ERRORS : status;
        guard_move(&run->world->guard, clock_since_start() + FINALIZE_SECONDS);
    } else if (!run->opened) {
        run->status = status;
    }
    pthread_mutex_unlock(&run->lock);
}

/* The main thread hangs. Where the files are written it hangs in the end of MPI, and nothing is lost. */
static void give_up(void *context, enum guard_cause cause)
{
    struct run *run = context;
    char end[256];
    double begin = clock_since_start();
    pthread_mutex_lock(&run->lock); /* the main thread may just be writing */
    bool finished = run->finished, moved = clock_since_start() < run->world->guard.deadline;
    pthread_mutex_unlock(&run->lock);
    if (moved)
        return;
    if (run->waiting && cause == GUARD_DEADLINE) { /* rank 0 is writing, or it will end all */
        run->waiting = false;
        guard_move(&run->world->guard, begin + FINALIZE_SECONDS);
        return;
    }
    if (!finished && run->world->rank == 0) {
        const char *doing = run->world->doing ? run->world->doing : "starting";
        if (cause == GUARD_SIGNAL)
            snprintf(end, sizeof end, "partial (stopped by signal %d while %s)",
                     guard_signal(&run->world->guard), doing);
        else
            snprintf(end, sizeof end, "partial (the time was up while %s)", doing);
        world_say(run->world, "%s", end);
        finish(run, end, cause == GUARD_SIGNAL ? EXIT_STOPPED : EXIT_ERRORS);
    } else if (!finished) {
        run->status = cause == GUARD_SIGNAL ? EXIT_STOPPED : EXIT_ERRORS;
    }
    double left =
        begin + fmin(TOGETHER_SECONDS, TOGETHER_SHARE * run->settings->run.time) - clock_since_start();
    if (left > 0)
        usleep((useconds_t)(left * 1e6));
    _exit((int)run->status);
}

/* ---- roles ---- */

static void follow(struct run *run)
{
    for (;;) {
        struct command command;
        run->waiting = true;
        world_broadcast(run->world, &command, sizeof command);
        run->waiting = false;
        if (command.action == ACTION_END) {
            run->status = command.status;
            return;
        }
        measurer_measure(&run->measurer, &command.order);
    }
}

static void note_reduction(struct run *run, const struct conductor *conductor)
{
    char lines[REDUCED_LINES][REDUCED_SIZE];
    struct message error;
    conductor_reduced(conductor, lines);
    pthread_mutex_lock(&run->lock);
    for (int i = 0; i < REDUCED_LINES && lines[i][0] && !run->finished; i++)
        if (protocol_meta(&run->protocol, "reduced", lines[i], &error))
            world_say(run->world, "%s", error.text);
    pthread_mutex_unlock(&run->lock);
}

/* Measures until the time is up; how it ended goes to `end`. */
static enum exit_status measure_all(struct run *run, double stop_at, char *end, size_t size)
{
    struct conductor_world world = {elapsed, perform, keep_record, show_progress, run};
    struct conductor conductor;
    enum exit_status status = EXIT_ERRORS;
    int64_t loops = run->settings->max_loops ? run->settings->max_loops : LONG_MAX;
    if (conductor_make(&conductor, &world, &run->list, stop_at, loops, run->resolution)) {
        snprintf(end, size, "partial (out of memory for the time plan)");
        return status;
    }
    switch (conductor_run(&conductor)) {
    case CONDUCTOR_TIME_UP:
        snprintf(end, size, "complete");
        status = EXIT_RATED;
        break;
    case CONDUCTOR_STOPPED:
        snprintf(end, size, "partial (stopped by signal %d)", conductor.stop);
        status = EXIT_STOPPED;
        break;
    case CONDUCTOR_FAILED:
        snprintf(end, size, "partial (%s)", conductor.error.text);
        break;
    }
    note_reduction(run, &conductor);
    conductor_free(&conductor);
    return status;
}

static void conduct(struct run *run, double stop_at)
{
    char end[640];
    enum exit_status status = measure_all(run, stop_at, end, sizeof end);
    if (status != EXIT_RATED)
        world_say(run->world, "%s", end);
    finish(run, end, status);
    struct command command = {.action = ACTION_END, .status = run->status};
    world_broadcast(run->world, &command, sizeof command);
}

static void free_run(struct run *run)
{
    measurer_free(&run->measurer);
    patterns_free(&run->list);
    protocol_free(&run->protocol);
    rundir_free(&run->directory);
}

/* What follows once everything is written; the followers know it from rank 0. */
static void end_roles(struct run *run)
{
    pthread_mutex_lock(&run->lock);
    run->finished = true;
    guard_move(&run->world->guard, clock_since_start() + FINALIZE_SECONDS);
    pthread_mutex_unlock(&run->lock);
}

enum exit_status run_beff(struct world *world, const struct beff_settings *settings, const char *command)
{
    struct run run = {
        .world = world, .settings = settings, .command = command, .lock = PTHREAD_MUTEX_INITIALIZER};
    double started = clock_since_start(), time = settings->run.time;
    world->guard = (struct guard){.patience = GUARD_PATIENCE, .give_up = give_up, .context = &run};
    world->doing = "setting up";
    if (guard_start(&world->guard, time * (1 + GUARD_SHARE)))
        world_say(world, "no thread could be started: signals will not be heard");
    run.status = run_set_up(&run);
    if (run.status == EXIT_RATED) {
        if (world->rank == 0)
            conduct(&run, time - END_SECONDS - started / 2 - END_BUFFER_SHARE * run.buffer_seconds);
        else
            follow(&run);
    }
    end_roles(&run);
    enum exit_status status = run.status;
    free_run(&run);
    return (enum exit_status)world_end(world, status);
}
