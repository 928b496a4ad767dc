/* From main() to the end of MPI, for any engine: set-up, commands, files, giving up when the main thread
 * hangs. */
#include "common/mpi/run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/memory.h"

/* Seconds that the main thread has to end the run after a signal or a failure. */
#define GUARD_PATIENCE 1.3
/* While rank 0 writes the files the others wait for this many times the reserve. */
#define FINISH_PATIENCE 10

/* So many seconds all may wait for the last process to start. */
#define START_MAX 900

/* Launching counts as a part of T up to this share of it: more would leave too little to measure. */
#define LAUNCH_SHARE 0.5
/* It is worth a note from so many seconds, or this share of T, on. */
#define LAUNCH_NOTED       1.0
#define LAUNCH_NOTED_SHARE 0.01

/* Longest single sleep of an idle process, in seconds. */
#define IDLE_NAP 0.11

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

/* ---- time ---- */

/* Both clocks since run->clock_start. */
static void take_clocks(const struct run *run, double pair[2])
{
    comm_read_clocks(pair, 100);
    for (int i = 0; i < 2; i++)
        pair[i] -= run->clock_start[i];
}

/* From now on the main thread may take so long again, and `more` seconds. */
static void extend(struct run *run, double more)
{
    double time = run->time, share = isfinite(time) ? END_SHARE * time : 0;
    guard_move(&run->comm->guard, clock_since_start() + fmax(END_SECONDS, share) + more);
}

/* The deadline is when rank 0 gives up; the others wait for that, and then give up, too. A signal's stays. */
static void set_deadline(struct run *run)
{
    const struct run_engine *table = run->table;
    double time = run->time, late = fmax(table->late, table->grace_fraction * time);
    if (!guard_signal(&run->comm->guard))
        guard_move(&run->comm->guard, run->comm->origin + time + late);
}

void run_set_time(struct run *run, double time)
{
    run->time = time;
    set_deadline(run);
}

double run_reserve(double time)
{
    return fmax(RESERVE_SECONDS, isfinite(time) ? RESERVE_SHARE * time : 0);
}

double run_elapsed(void *run)
{
    return comm_elapsed(((const struct run *)run)->comm);
}

/* ---- set-up ---- */

void run_set_memory(struct run *run, int64_t given_mib)
{
    run->memory_mib = given_mib ? given_mib : run->machine.memory_mib;
    if (run->memory_mib < 1)
        run->memory_mib = 1;
    run->memory_source = given_mib ? "given" : run->machine.memory_mib ? "detected" : "unknown";
}

void run_warn_oversubscribed(const struct run *run, const char *consequence)
{
    if (run->machine.oversubscribed && run->comm->rank == 0)
        comm_say(
            run->comm,
            "oversubscribed: a node has %d processes, more than the processors they may use (%d here): MPI's "
            "waiting costs milliseconds%s. Start at most one process per processor",
            run->machine.max_ranks, run->machine.processors, consequence);
}

/* T bounds the run from the start of its first process; where launching took too much of it, from the start
 * of the last one. Collective. */
static void start_clock(struct run *run)
{
    double time = run->time, own, ages[2], all[2];
    COMM_CHECK(run->comm, comm_barrier(run->comm));
    own = comm_clock(run->comm);
    ages[0] = own;
    ages[1] = -own;
    COMM_CHECK(run->comm, comm_allreduce(run->comm, ages, all, 2, MPI_DOUBLE, MPI_MAX));
    run->launch = all[0] + all[1];
    run->launch_counts = run->launch <= LAUNCH_SHARE * time;
    run->comm->origin = own - (run->launch_counts ? all[0] : -all[1]);
}

static void describe_launch(struct run *run)
{
    struct protocol *p = &run->protocol;
    protocol_put(p, "launch_s", "%.3f", run->launch);
    if (run->launch >= fmax(LAUNCH_NOTED, LAUNCH_NOTED_SHARE * run->time))
        protocol_put(p, "note", "launching took %.1f s from the first process to the last: %s", run->launch,
                     run->launch_counts ? "it counts as a part of the time"
                                        : "more than half of the time, which starts with the last process");
}

void run_describe(struct run *run)
{
    const struct engine *engine = run->table->engine;
    struct protocol *p = &run->protocol;
    char date[CLOCK_DATE_SIZE];
    clock_date(date);
    run->resolution = run->comm->simulated ? 0 : clock_resolution(comm_now, NULL);
    protocol_meta(p, "command", run->command);
    protocol_meta(p, "started", date);
    machine_describe(run->comm, &run->machine, p);
    protocol_put(p, "clock_resolution_s", "%.17g", run->resolution);
    protocol_put(p, "memory_per_process_mib", "%" PRId64, run->memory_mib);
    describe_launch(run);
    run->table->describe(run);
    if (!engine->definition)
        return;
    protocol_meta(p, "definition", engine->definition);
    if (run->settings->time > 0)
        protocol_put(p, "time_s", "%.17g", run->settings->time);
    protocol_meta(p, "memory_source", run->memory_source);
    engine_describe_settings(engine->options, run->settings, p);
}

enum exit_status run_open(struct run *run, struct message *error)
{
    const struct engine *engine = run->table->engine;
    const struct run_settings *s = run->settings;
    pthread_mutex_lock(&run->lock);
    enum exit_status status = rundir_make(&run->directory, s->output, s->force, engine->program,
                                          run->machine.node.names.nodename, run->comm->size, error);
    if (status == EXIT_OK) {
        char *path = rundir_file(run->directory.path, "run.prot", error);
        run->opened = path && !protocol_create(&run->protocol, path, false, engine->type, error);
        free(path);
        if (run->opened)
            run_describe(run);
        run->opened = run->opened && !protocol_error(&run->protocol, error);
        status = run->opened ? EXIT_OK : EXIT_ENVIRONMENT;
    }
    pthread_mutex_unlock(&run->lock);
    return status;
}

/* ---- while it goes on ---- */

void run_note(struct run *run, const char *key, const char *format, ...)
{
    char value[2048];
    TEXT_PRINT(value, sizeof value, format);
    pthread_mutex_lock(&run->lock);
    if (!run->finished)
        protocol_meta(&run->protocol, key, value);
    pthread_mutex_unlock(&run->lock);
}

int run_record(struct run *run, const void *record, struct message *error)
{
    pthread_mutex_lock(&run->lock);
    int failed = run->finished ? message_set(error, "the run was ended") : 0;
    if (!failed) {
        protocol_record(&run->protocol, record);
        failed = protocol_error(&run->protocol, error);
    }
    pthread_mutex_unlock(&run->lock);
    return failed;
}

static void share(struct run *run, struct run_command *command, double idle_since)
{
    size_t size = run->table->command_size;
    if (run->table->idles)
        comm_broadcast_sleeping(run->comm, command, size, idle_since, IDLE_NAP);
    else
        comm_broadcast(run->comm, command, size);
}

void run_tell(struct run *run, struct run_command *command)
{
    command->finishing = false;
    share(run, command, INFINITY);
}

/* ---- files ---- */

/* Simulated time has no other clock. Whether the two agree. */
static bool clocks_agree(struct run *run)
{
    double *clocks = run->clocks;
    if (run->comm->simulated)
        return true;
    if (clocks[1] == 0)
        take_clocks(run, clocks);
    return engine_clocks_agree(clocks[0], clocks[1]);
}

static void note_end(struct run *run, const char *end, enum exit_status status)
{
    struct protocol *p = &run->protocol;
    char date[CLOCK_DATE_SIZE];
    clock_date(date);
    protocol_meta(p, "finished", date);
    if (!run->comm->simulated)
        protocol_put(p, "clocks", "%.17g %.17g", run->clocks[0], run->clocks[1]);
    protocol_put(p, "elapsed_s", "%.3f", comm_elapsed(run->comm));
    if (status != EXIT_OK)
        protocol_meta(p, "interrupted", end);
}

static int write_file(const struct run *run, int i, struct message *error)
{
    const struct engine *engine = run->table->engine;
    char name[ENGINE_FILE_NAME];
    char *path = rundir_file(run->directory.path, engine_file_name(engine, run->results, i, name), error);
    FILE *file = path ? fopen(path, "wx") : NULL;
    if (path && !file)
        message_set(error, "%s can't be written: %s", path, strerror(errno));
    free(path);
    if (!file)
        return -1;
    /* A run that was ended has no time for long files: run.json then names run.prot for its records. */
    int failed = engine_write_file(engine, run->results, i, protocol_is_complete(&run->protocol), file),
        cause = errno;
    if (fclose(file)) {
        failed = -1;
        cause = errno;
    }
    return failed ? message_set(error, "%s can't be written: %s", name, strerror(cause)) : 0;
}

/* Makes the results, ends the protocol and writes the other files: see run_engine.finish. What can't be
 * written is reported in `error`, the first of it; the rest still is. */
static int write_files(struct run *run, const char *end, bool *rated, struct message *error)
{
    struct protocol *p = &run->protocol;
    struct message later;
    free(p->end);
    p->end = text_one_line(end); /* the verdict depends on it */
    const struct sheet *sheet = run->results = engine_results(run->table->engine, p, error);
    int failed = sheet ? 0 : -1;
    for (int i = 0; sheet && i < sheet->value_count; i++)
        if (isfinite(sheet->values[i].value))
            protocol_result(p, sheet->values[i].name, sheet->values[i].value, sheet->values[i].unit);
    protocol_end(p, end);
    if (protocol_error(p, failed ? &later : error))
        failed = -1;
    for (int i = 0; sheet && i < engine_file_count(sheet); i++)
        if (write_file(run, i, failed ? &later : error))
            failed = -1;
    *rated = sheet && sheet->rated && !sheet->errors;
    return failed;
}

/* Writes the files, once; rank 0, in the main thread or in the guard's. `status`: EXIT_OK if nothing went
 * wrong so far. */
static void finish(struct run *run, const char *end, enum exit_status status)
{
    int (*write)(struct run *, const char *, bool *, struct message *) = run->table->finish;
    struct message error;
    pthread_mutex_lock(&run->lock);
    if (!run->finished) {
        bool good = true;
        run->finished = true;
        progress_end(&run->progress);
        if (run->opened) {
            bool agree = clocks_agree(run);
            note_end(run, end, status);
            double start = clock_since_start();
            int failed = (write ? write : write_files)(run, end, &good, &error);
            double taken = clock_since_start() - start, kept = run_reserve(run->time);
            if (failed)
                comm_say(run->comm, "%s", error.text);
            if (taken > kept && clock_since_start() > run->time)
                comm_say(run->comm, "writing the results took %.1f s; %.1f s were kept for it", taken, kept);
            if (!agree)
                comm_say(run->comm,
                         "the clock is wrong: MPI_Wtime went on by %.6g s while the system's did by %.6g s",
                         run->clocks[0], run->clocks[1]);
            good = good && !failed && agree;
        }
        run->status = status == EXIT_OK && !good ? EXIT_ERRORS : status;
        extend(run, 0);
    }
    pthread_mutex_unlock(&run->lock);
}

/* Whether all that was printed since errno was 0 got out. A reader that went away is no error: everything is
 * in the files. */
static bool is_printed(const char *program)
{
    if ((!fflush(stdout) && !ferror(stdout)) || errno == EPIPE)
        return true;
    fprintf(stderr, "%s: standard output can't be written%s%s\n", program, errno ? ": " : "",
            errno ? strerror(errno) : "");
    return false;
}

/* What the settings ask for. */
static void print_results(const struct run *run)
{
    const struct run_settings *s = run->settings;
    const struct sheet *sheet = run->results;
    if (s->json) {
        sheet_json(sheet, protocol_is_complete(&run->protocol), stdout);
    } else if (s->quiet) {
        printf("%s\n", sheet->headline);
    } else if (s->tables) {
        printf("files: %s\n\n", run->directory.path);
        sheet_text(sheet, stdout);
    } else {
        sheet_brief(sheet, run->directory.path, stdout);
    }
}

/* Prints the results, once; rank 0. A reader may take its time: nothing waits for this any more. */
static void print(struct run *run)
{
    if (!run->opened || atomic_exchange(&run->printed, true))
        return;
    errno = 0;
    if (run->table->print)
        run->table->print(run);
    else if (run->results)
        print_results(run);
    if (!is_printed(run->comm->program) && run->status == EXIT_OK)
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
    char activity[COMM_ACTIVITY_SIZE];
    struct message failure = failure_of(run);
    pthread_mutex_lock(&run->comm->describing);
    snprintf(activity, sizeof activity, "%s", *run->comm->activity ? run->comm->activity : "starting");
    pthread_mutex_unlock(&run->comm->describing);
    if (cause == GUARD_SIGNAL)
        message_set(end, "partial (stopped by signal %d while %s)", guard_signal(&run->comm->guard),
                    activity);
    else if (cause == GUARD_DEADLINE)
        message_set(end, "partial (the time was up while %s)", activity);
    else if (*failure.text)
        message_set(end, "partial (%s)", failure.text);
    else
        message_set(end, "partial (a call failed on another process while %s)", activity);
    if (cause != GUARD_FAILURE || *failure.text)
        comm_say(run->comm, "%s", end->text);
}

static void clean(struct run *run, bool all)
{
    if (run->detected && run->table->clean) /* otherwise it is still in the set-up */
        run->table->clean(run, all);
}

/* The last resort where MPI itself ends this process: the launcher kills the others. */
static void clean_at_exit(int status, void *context)
{
    struct run *run = context;
    (void)status;
    if (!run->over)
        clean(run, true);
}

static _Noreturn void end_all(struct run *run, enum guard_cause cause, enum exit_status status)
{
    struct message end;
    if (!run->finished) {
        explain(run, cause, &end);
        finish(run, end.text, status);
    }
    clean(run, true);
    print(run);
    comm_abort(run->status);
}

/* Another process than rank 0: says what failed on it, and tells rank 0 to write its files. */
static void wait_for_the_end(struct run *run, enum guard_cause cause, enum exit_status status)
{
    struct message failure = failure_of(run);
    double until = clock_since_start() + OTHERS_SECONDS + OTHERS_PATIENCE * run_reserve(run->time);
    if (cause == GUARD_FAILURE && *failure.text) {
        comm_say(run->comm, "partial (%s)", failure.text);
        if (run->first_process)
            guard_fail_process(run->first_process);
    }
    if (cause != GUARD_DEADLINE) /* then rank 0 may just be writing its files */
        clean(run, false);
    while (clock_since_start() < until) {
        usleep((useconds_t)(1e6 * LOOK_SECONDS));
        if (goes_on(run))
            return;
    }
    if (cause != GUARD_FAILURE && run->comm->rank == 1)
        comm_say(run->comm, "rank 0 does not end the run, whose protocol stays as it is");
    clean(run, run->comm->rank == 1 || *run->comm->failure);
    comm_abort(status);
}

/* The guard's last resort: the main thread hangs. */
static void give_up(void *context, enum guard_cause cause)
{
    struct run *run = context;
    enum exit_status status = cause == GUARD_SIGNAL ? EXIT_STOPPED : EXIT_ERRORS;
    if (goes_on(run))
        return;
    if (run->over) {
        print(run);
        _exit((int)run->status);
    }
    if (!run->comm->size) { /* in the start of MPI: there is nothing to keep, and nobody to tell */
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

/* ---- roles ---- */

/* The clocks of the process on which they differ most. Collective. */
static void compare_clocks(struct run *run)
{
    struct comm *comm = run->comm;
    double taken[2];
    struct {
        double difference;
        int rank;
    } own = {.rank = comm->rank}, largest;
    take_clocks(run, taken);
    own.difference = fabs(taken[0] / taken[1] - 1);
    COMM_CHECK(comm, comm_allreduce(comm, &own, &largest, 1, MPI_DOUBLE_INT, MPI_MAXLOC));
    COMM_CHECK(comm, MPI_Bcast(taken, 2, MPI_DOUBLE, largest.rank, comm->all));
    pthread_mutex_lock(&run->lock);
    memcpy(run->clocks, taken, sizeof taken);
    pthread_mutex_unlock(&run->lock);
}

/* Carries out the commands of rank 0. */
static void follow(struct run *run)
{
    double idle_since = MPI_Wtime();
    for (;;) {
        share(run, run->sent, idle_since);
        if (run->sent->finishing)
            return;
        set_deadline(run);
        if (run->table->perform(run, run->sent))
            idle_since = INFINITY;
        else if (isinf(idle_since))
            idle_since = MPI_Wtime();
    }
}

/* Measures, and has rank 0 write its files; what comes of that is the status of all. */
static void measure_all(struct run *run)
{
    const struct run_engine *table = run->table;
    struct message reason = {""};
    char end[640] = "complete";
    struct run_command *command = run->sent;
    if (run->comm->rank == 0)
        progress_start(&run->progress, (enum progress_when)run->settings->progress);
    if (run->comm->rank == 0 || !table->perform) {
        *command = (struct run_command){true, table->schedule(run, &reason)};
        share(run, command, INFINITY);
    } else {
        follow(run);
    }
    compare_clocks(run);
    if (run->comm->rank == 0) {
        if (command->status != EXIT_OK)
            snprintf(end, sizeof end, "partial (%s)", reason.text);
        if (command->status != EXIT_OK && !run->finished)
            comm_say(run->comm, "%s", end);
        finish(run, end, command->status);
        command->status = run->status;
    } else {
        extend(run, FINISH_PATIENCE * run_reserve(run->time));
    }
    share(run, command, MPI_Wtime());
    run->status = command->status;
}

static enum exit_status run_rank(struct run *run)
{
    const struct run_engine *table = run->table;
    comm_activity(run->comm, "setting up");
    run->time = run->settings->time > 0 ? run->settings->time : table->time;
    run->first_process = comm_first_process(run->comm);
    comm_read_clocks(run->clock_start, 100);
    start_clock(run);
    set_deadline(run);
    machine_detect(run->comm, &run->machine);
    run->sent = memory_new(1, table->command_size, "a command");
    run->detected = true;
    if (table->clean)
        on_exit(clean_at_exit, run);
    run->comm->yield = run->machine.oversubscribed;
    run->status = table->set_up(run);
    if (run->status == EXIT_OK) {
        measure_all(run);
        extend(run, 0);
        if (table->close)
            table->close(run);
    }
    pthread_mutex_lock(&run->leaving); /* for good */
    clean(run, false);
    extend(run, 0);
    run->over = true;
    comm_activity(run->comm, "%s", "");
    table->free(run);
    return run->status;
}

int run_main(const struct run_engine *table, struct run *run, void *settings, int argc, char **argv)
{
    comm_keep_streams();
    const struct engine *engine = table->engine;
    struct message error;
    struct comm comm;
    char *command = NULL;
    int failed = engine_parse(engine, settings, argc, argv, &error), status = -1, size, rank;
    bool simulated = ((const struct run_settings *)settings)->clock == RUN_CLOCK_SIMULATED;
    errno = 0;
    if (!comm_launched(&size, &rank) && (status = engine_answer(engine, settings, failed, 0, &error)) >= 0) {
        options_free(engine->options, settings);
        return status == EXIT_OK && !is_printed(engine->program) ? EXIT_ENVIRONMENT : status;
    }
    run->table = table;
    run->comm = &comm; /* cppcheck-suppress autoVariables; the run ends before this function does */
    run->settings = settings;
    run->command = engine->program;
    run->directory.lock = -1;
    pthread_mutex_init(&run->lock, NULL);
    pthread_mutex_init(&run->leaving, NULL);
    comm = (struct comm){.program = engine->program,
                         .simulated = simulated,
                         .activity = "starting",
                         .describing = PTHREAD_MUTEX_INITIALIZER,
                         .guard = {.patience = GUARD_PATIENCE, .give_up = give_up, .context = run}};
    /* The processes of a simulation are one, and hang in no message that another one could end. */
    if (!simulated && guard_start(&comm.guard, START_MAX))
        comm_say(&comm, "cannot start a thread: signals will be ignored");
    comm_start(&comm, table->threads ? table->threads(settings) : MPI_THREAD_FUNNELED, &argc, &argv);
    options_free(engine->options, settings);
    comm_share_arguments(&comm, &argc, &argv);
    failed = engine_parse(engine, settings, argc, argv, &error);
    if (comm.rank == 0)
        status = engine_answer(engine, settings, failed, comm.size, &error);
    comm_broadcast(&comm, &status, sizeof status);
    comm.simulated = ((const struct run_settings *)settings)->clock == RUN_CLOCK_SIMULATED;
    if (status < 0 && !comm_is_usable(&comm))
        status = EXIT_ENVIRONMENT;
    if (status < 0) {
        run->command = command = text_command(argc, argv);
        status = (int)run_rank(run);
    }
    comm_end(&comm);
    if (run->over) {
        guard_move(&comm.guard, INFINITY);
        print(run);
        status = (int)run->status;
    }
    guard_stop(&comm.guard);
    if (run->results)
        engine_free_results(engine, run->results);
    protocol_free(&run->protocol);
    machine_free(&run->machine);
    free(run->sent);
    rundir_free(&run->directory);
    options_free(engine->options, settings);
    free(comm.arguments);
    free(command);
    return status;
}
