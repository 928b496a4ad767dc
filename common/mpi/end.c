/* The end of a run: its files, and giving up when the main thread hangs. Uses engine, finish, guard, comm.
 */
#include <math.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/finish.h"
#include "common/mpi/run.h"

/* Writing the files, removing others, and the end of MPI, which hangs now and then, may take so long each:
 * seconds, or a share of T where that is more. */
#define END_SECONDS 3.0
#define END_SHARE   0.05
/* What the others leave rank 0 to write its files, whose end is the end of all: seconds, and times the
 * reserve. */
#define OTHERS_SECONDS  3.0
#define OTHERS_PATIENCE 3
#define LOOK_SECONDS    0.05

/* Kept for the end: seconds, or a share of T where that is more. */
#define RESERVE_SECONDS 0.3
#define RESERVE_SHARE   0.01

void run_extend(struct run *run, double more)
{
    double time = run->time, share = isfinite(time) ? END_SHARE * time : 0;
    guard_move(&run->comm->guard, clock_since_start() + fmax(END_SECONDS, share) + more);
}

double run_deadline(const struct run *run)
{
    const struct run_engine *table = run->table;
    double time = run->time, late = fmax(table->late, table->late_share * time);
    return run->comm->origin + time + late;
}

void run_set_time(struct run *run, double time)
{
    run->time = time;
    if (!guard_signal(&run->comm->guard))
        guard_move(&run->comm->guard, run_deadline(run));
}

double run_reserve(double time)
{
    return fmax(RESERVE_SECONDS, isfinite(time) ? RESERVE_SHARE * time : 0);
}

double run_elapsed(void *run)
{
    return comm_elapsed(((const struct run *)run)->comm);
}

/* ---- files ---- */

/* Simulated time has no other clock. Whether the two agree. */
static bool clocks_agree(struct run *run)
{
    double *clocks = run->clocks;
    if (run->comm->simulated)
        return true;
    if (clocks[1] == 0)
        run_clocks(run, clocks);
    return engine_clocks_agree(clocks[0], clocks[1]);
}

static int note_end(struct run *run, const char *end, enum exit_status status, struct message *error)
{
    struct protocol *p = &run->protocol;
    char date[CLOCK_DATE_SIZE];
    clock_date(date);
    return protocol_meta(p, "finished", date, error) ||
           (!run->comm->simulated &&
            protocol_put(p, error, "clocks", "%.17g %.17g", run->clocks[0], run->clocks[1])) ||
           protocol_put(p, error, "elapsed_s", "%.3f", comm_elapsed(run->comm)) ||
           (status != EXIT_RATED && protocol_meta(p, "interrupted", end, error));
}

static struct finish files_of(struct run *run)
{
    return (struct finish){run->table->engine, run->settings, &run->protocol, run->directory.path};
}

static int write_files(struct run *run, const char *end, bool *rated, struct message *error)
{
    const struct finish files = files_of(run);
    if (run->table->finish)
        return run->table->finish(run, end, rated, error);
    int failed = finish_run(&files, end, &run->results, error);
    *rated = run->results && run->results->rated && !run->results->errors;
    return failed;
}

void run_finish(struct run *run, const char *end, enum exit_status status)
{
    struct message error;
    pthread_mutex_lock(&run->lock);
    if (!run->finished) {
        bool rated = true;
        run->finished = true;
        progress_end(&run->progress);
        bool agree = !run->opened || clocks_agree(run);
        if (run->opened && note_end(run, end, status, &error))
            comm_say(run->comm, "%s", error.text);
        double start = clock_since_start();
        int failed = run->opened ? write_files(run, end, &rated, &error) : 0;
        double taken = clock_since_start() - start;
        if (failed)
            comm_say(run->comm, "%s", error.text);
        if (taken > run_reserve(run->time))
            comm_say(run->comm, "writing the results took %.1f s; %.1f s were kept for it", taken,
                     run_reserve(run->time));
        if (!agree)
            comm_say(run->comm,
                     "the clock is wrong: MPI_Wtime went on by %.6g s while the system's did by %.6g s",
                     run->clocks[0], run->clocks[1]);
        run->status = status == EXIT_RATED && (failed || !rated || !agree) ? EXIT_ERRORS : status;
        run_extend(run, 0);
    }
    pthread_mutex_unlock(&run->lock);
}

void run_print(struct run *run)
{
    struct message error;
    const struct finish files = files_of(run);
    if (!run->opened || atomic_exchange(&run->printed, true))
        return;
    int failed = run->table->print ? run->table->print(run, &error)
                 : run->results    ? finish_print(&files, run->results, &error)
                                   : 0;
    if (!failed)
        return;
    comm_say(run->comm, "%s", error.text);
    if (run->status == EXIT_RATED)
        run->status = EXIT_ERRORS;
}

/* ---- giving up ---- */

static struct message failure_of(const struct run *run)
{
    struct message failure = {""};
    if (run->table->failure)
        run->table->failure(run, &failure);
    return failure;
}

/* Whether the main thread went on and set a later deadline; it may just be writing. */
static bool goes_on(struct run *run)
{
    pthread_mutex_lock(&run->lock);
    bool moved = clock_since_start() < run->comm->guard.deadline;
    pthread_mutex_unlock(&run->lock);
    return moved;
}

static void explain(struct run *run, enum guard_cause cause, struct message *end)
{
    char doing[COMM_DOING_SIZE];
    struct message failure = failure_of(run);
    pthread_mutex_lock(&run->comm->describing);
    snprintf(doing, sizeof doing, "%s", *run->comm->doing ? run->comm->doing : "starting");
    pthread_mutex_unlock(&run->comm->describing);
    if (cause == GUARD_SIGNAL)
        message_set(end, "partial (stopped by signal %d while %s)", guard_signal(&run->comm->guard), doing);
    else if (cause == GUARD_DEADLINE)
        message_set(end, "partial (the time was up while %s)", doing);
    else if (*failure.text)
        message_set(end, "partial (%s)", failure.text);
    else
        message_set(end, "partial (a call failed on another process while %s)", doing);
    if (cause != GUARD_FAILURE || *failure.text)
        comm_say(run->comm, "%s", end->text);
}

static void clean(struct run *run, bool all)
{
    if (run->detected && run->table->clean) /* otherwise it is still in the set-up */
        run->table->clean(run, all);
}

static _Noreturn void end_all(struct run *run, enum guard_cause cause, enum exit_status status)
{
    struct message end;
    if (!run->finished) {
        explain(run, cause, &end);
        run_finish(run, end.text, status);
    }
    clean(run, true);
    run_print(run);
    comm_abort(run->status);
}

/* Waits for rank 0. Whether the run goes on. */
static bool goes_on_within(struct run *run, double seconds)
{
    for (double end = clock_since_start() + seconds; clock_since_start() < end;) {
        usleep((useconds_t)(1e6 * LOOK_SECONDS));
        if (goes_on(run))
            return true;
    }
    return false;
}

/* Another process than rank 0: says what failed on it, and tells rank 0 to write its files. */
static void wait_for_the_end(struct run *run, enum guard_cause cause, enum exit_status status)
{
    struct message failure = failure_of(run);
    double patience = OTHERS_SECONDS + OTHERS_PATIENCE * run_reserve(run->time);
    if (cause == GUARD_FAILURE && *failure.text) {
        comm_say(run->comm, "partial (%s)", failure.text);
        if (run->first_process)
            guard_fail_process(run->first_process);
    }
    if (cause != GUARD_DEADLINE) /* then rank 0 may just be writing its files */
        clean(run, false);
    if (goes_on_within(run, patience))
        return;
    if (cause != GUARD_FAILURE && run->comm->rank == 1)
        comm_say(run->comm, "rank 0 does not end the run, whose protocol stays as it is");
    clean(run, true);
    comm_abort(status);
}

void run_give_up(void *context, enum guard_cause cause)
{
    struct run *run = context;
    enum exit_status status = cause == GUARD_SIGNAL ? EXIT_STOPPED : EXIT_ERRORS;
    if (goes_on(run))
        return;
    if (run->over) {
        run_print(run);
        _exit((int)run->status);
    }
    if (!run->comm->size) { /* in the start of MPI: nothing to be kept, nobody to be told */
        if (cause == GUARD_DEADLINE)
            comm_say(run->comm, "MPI did not start: a process is missing");
        _exit((int)status);
    }
    if (pthread_mutex_trylock(&run->leaving)) /* the main thread hangs while it removes its files */
        comm_abort(run->status);
    if (run->comm->rank == 0)
        end_all(run, cause, status);
    wait_for_the_end(run, cause, status);
    pthread_mutex_unlock(&run->leaving);
}
