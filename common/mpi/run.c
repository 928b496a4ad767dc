/* From main() to the end of MPI, for any engine. Uses engine, world, machine, end. */
#include "common/mpi/run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/finish.h"

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

/* Seconds that idle processes sleep at once. */
#define IDLE_NAP 0.11

/* What rank 0 tells the others. */
struct command {
    enum { RUN_ORDER, RUN_FINISHING, RUN_END } kind;
    enum exit_status status; /* of the end */
    _Alignas(max_align_t) char order[RUN_ORDER_SIZE];
};

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
    if (run->machine.oversubscribed && run->world->rank == 0)
        world_say(
            run->world,
            "oversubscribed: a node has %d processes, more than the processors they may use (%d here): MPI's "
            "waiting costs milliseconds%s. Start at most one process per processor",
            run->machine.most_ranks, run->machine.processors, consequence);
}

/* T bounds the run from the start of its first process; where launching took too much of it, from the start
 * of the last one. Collective. */
static void start_clock(struct run *run)
{
    double time = run->time, own, ages[2], all[2];
    WORLD_CHECK(run->world, world_barrier(run->world));
    own = world_clock(run->world);
    ages[0] = own;
    ages[1] = -own;
    WORLD_CHECK(run->world, world_allreduce(run->world, ages, all, 2, MPI_DOUBLE, MPI_MAX));
    run->launch = all[0] + all[1];
    run->launch_counts = run->launch <= LAUNCH_SHARE * time;
    run->world->origin = own - (run->launch_counts ? all[0] : -all[1]);
}

int run_describe_launch(struct run *run, struct message *error)
{
    struct protocol *p = &run->protocol;
    if (protocol_put(p, error, "launch_s", "%.3f", run->launch))
        return -1;
    if (run->launch < fmax(LAUNCH_NOTED, LAUNCH_NOTED_SHARE * run->time))
        return 0;
    return protocol_put(
        p, error, "note", "launching took %.1f s from the first process to the last: %s", run->launch,
        run->launch_counts ? "it counts as a part of the time"
                           : "more than half of the time, which starts with the last process");
}

static int describe(struct run *run, struct message *error)
{
    const struct engine *engine = run->table->engine;
    struct protocol *p = &run->protocol;
    char date[CLOCK_DATE_SIZE];
    clock_date(date);
    return protocol_meta(p, "definition", engine->definition, error) ||
           protocol_meta(p, "command", run->command, error) || protocol_meta(p, "started", date, error) ||
           machine_describe(run->world, &run->machine, p, error) ||
           protocol_put(p, error, "clock_resolution_s", "%.17g", run->resolution) ||
           (run->settings->time > 0 && protocol_put(p, error, "time_s", "%.17g", run->settings->time)) ||
           protocol_put(p, error, "memory_per_process_mib", "%lld", (long long)run->memory_mib) ||
           protocol_meta(p, "memory_source", run->memory_source, error) || run_describe_launch(run, error) ||
           run->table->describe(run, error) ||
           finish_describe_settings(engine->options, run->settings, p, error);
}

static enum exit_status open_protocol(struct run *run, struct message *error)
{
    const struct engine *engine = run->table->engine;
    const struct run_settings *s = run->settings;
    enum exit_status made = rundir_make(&run->directory, s->output, s->force, engine->program,
                                        run->machine.node.names.nodename, run->world->size, error);
    if (made != EXIT_RATED)
        return made;
    char *path = rundir_file(run->directory.path, "run.prot", error);
    int failed = !path || protocol_create(&run->protocol, path, false, engine->type, error);
    free(path);
    run->resolution = run->world->simulated ? 0 : clock_resolution(world_now, NULL);
    run->opened = !failed && describe(run, error) == 0;
    return run->opened ? EXIT_RATED : EXIT_ENVIRONMENT;
}

enum exit_status run_open(struct run *run, struct message *error)
{
    pthread_mutex_lock(&run->lock);
    enum exit_status status = open_protocol(run, error);
    pthread_mutex_unlock(&run->lock);
    progress_start(&run->progress, (enum progress_when)run->settings->progress);
    return status;
}

/* ---- while it goes on ---- */

int run_note(struct run *run, struct message *error, const char *key, const char *format, ...)
{
    char value[2048];
    TEXT_PRINT(value, sizeof value, format);
    pthread_mutex_lock(&run->lock);
    int failed = run->finished ? 0 : protocol_meta(&run->protocol, key, value, error);
    pthread_mutex_unlock(&run->lock);
    return failed;
}

int run_record(struct run *run, const void *record, struct message *error)
{
    pthread_mutex_lock(&run->lock);
    int failed = run->finished ? message_set(error, "the run was ended")
                               : protocol_record(&run->protocol, record, error);
    pthread_mutex_unlock(&run->lock);
    return failed;
}

static void share(struct run *run, struct command *command, double idle_since)
{
    size_t size = offsetof(struct command, order) + run->table->order_size;
    if (run->table->idles)
        world_broadcast_sleeping(run->world, command, size, idle_since, IDLE_NAP);
    else
        world_broadcast(run->world, command, size);
}

void run_order(struct run *run, const void *order)
{
    struct command command = {.kind = RUN_ORDER};
    memcpy(command.order, order, run->table->order_size);
    share(run, &command, INFINITY);
}

/* ---- roles ---- */

void run_clocks(const struct run *run, double taken[2])
{
    clock_read_both(world_now, NULL, taken);
    for (int i = 0; i < 2; i++)
        taken[i] -= run->clock_start[i];
}

/* The clocks of the process on which they differ most. Collective. */
static void compare_clocks(struct run *run)
{
    struct world *world = run->world;
    double taken[2];
    struct {
        double difference;
        int rank;
    } own = {.rank = world->rank}, largest;
    run_clocks(run, taken);
    own.difference = fabs(taken[0] / taken[1] - 1);
    WORLD_CHECK(world, world_allreduce(world, &own, &largest, 1, MPI_DOUBLE_INT, MPI_MAXLOC));
    WORLD_CHECK(world, MPI_Bcast(taken, 2, MPI_DOUBLE, largest.rank, world->comm));
    pthread_mutex_lock(&run->lock);
    memcpy(run->clocks, taken, sizeof taken);
    pthread_mutex_unlock(&run->lock);
}

static void conduct(struct run *run)
{
    const struct run_engine *table = run->table;
    struct message reason = {""};
    char end[640] = "complete";
    struct command command = {.kind = RUN_FINISHING, .status = table->conduct(run, &reason)};
    share(run, &command, INFINITY);
    compare_clocks(run);
    if (run->world->rank == 0) {
        if (command.status != EXIT_RATED)
            snprintf(end, sizeof end, "partial (%s)", reason.text);
        if (command.status != EXIT_RATED && !run->finished)
            world_say(run->world, "%s", end);
        run_finish(run, end, command.status);
        command.status = run->status;
    } else {
        run_extend(run, FINISH_PATIENCE * run_reserve(run->time));
    }
    command.kind = RUN_END;
    share(run, &command, INFINITY);
    run->status = command.status;
}

static void follow(struct run *run)
{
    struct command command = {.kind = RUN_ORDER};
    double idle_since = MPI_Wtime();
    while (command.kind != RUN_END) {
        share(run, &command, idle_since);
        if (command.kind == RUN_FINISHING) {
            compare_clocks(run);
            run_extend(run, FINISH_PATIENCE * run_reserve(run->time));
        } else if (command.kind == RUN_ORDER) {
            if (!guard_signal(&run->world->guard))
                guard_move(&run->world->guard, run_deadline(run));
            if (run->table->perform(run, command.order))
                idle_since = INFINITY;
            else if (isinf(idle_since))
                idle_since = MPI_Wtime();
        }
    }
    run->status = command.status;
}

static enum exit_status live(struct run *run)
{
    const struct run_engine *table = run->table;
    world_doing(run->world, "setting up");
    run->time = run->settings->time > 0 ? run->settings->time : table->time;
    run->first_process = world_first_process(run->world);
    clock_read_both(world_now, NULL, run->clock_start);
    start_clock(run);
    if (!guard_signal(&run->world->guard))
        guard_move(&run->world->guard, run_deadline(run));
    machine_detect(run->world, &run->machine);
    run->detected = true;
    run->world->yield = run->machine.oversubscribed;
    run->status = table->set_up(run);
    if (run->status == EXIT_RATED) {
        if (run->world->rank == 0 || !table->perform)
            conduct(run);
        else
            follow(run);
        run_extend(run, 0);
        if (table->close)
            table->close(run);
    }
    pthread_mutex_lock(&run->leaving); /* for good */
    if (table->clean)
        table->clean(run, false);
    run_extend(run, 0);
    run->over = true;
    world_doing(run->world, "%s", "");
    table->free(run);
    return run->status;
}

/* What engine_answer() printed must have got out; a reader that went away is no error. */
static int printed(const struct engine *engine, int status)
{
    errno = 0;
    if ((!fflush(stdout) && !ferror(stdout)) || errno == EPIPE || status != EXIT_RATED)
        return status;
    fprintf(stderr, "%s: standard output can't be written\n", engine->program);
    return EXIT_ENVIRONMENT;
}

static void start_guard(struct world *world)
{
    guard_block_signals();
    if (guard_start(&world->guard, START_MAX))
        world_say(world, "cannot start a thread: signals will be ignored");
}

/* What is simulated and what is measured must not be taken for each other. */
static bool has_right_clock(const struct world *world, const struct run_settings *settings)
{
    bool simulator = world_is_simulator(), simulated = settings->clock == RUN_CLOCK_SIMULATED;
    if (simulator == simulated)
        return true;
    if (world->rank == 0)
        world_say(world, simulator
                             ? "MPI is simulated (SMPI) here: only beff runs on it, with --clock simulated"
                             : "--clock simulated is for programs built for SimGrid's SMPI: this one's MPI "
                               "is real");
    return false;
}

int run_main(const struct run_engine *table, struct run *run, void *settings, int argc, char **argv)
{
    world_keep_streams();
    const struct engine *engine = table->engine;
    struct message error;
    struct world world;
    char *command = NULL;
    int failed = engine_parse(engine, settings, argc, argv, &error), status = -1;
    bool simulated = ((const struct run_settings *)settings)->clock == RUN_CLOCK_SIMULATED;
    if (!world_has_launcher()) {
        status = engine_answer(engine, settings, failed, 0, &error);
        if (status >= 0) {
            options_free(engine->options, settings);
            return printed(engine, status);
        }
    }
    run->table = table;
    run->world = &world; /* cppcheck-suppress autoVariables; the run ends before this function does */
    run->settings = settings;
    run->command = engine->program;
    run->directory.lock = -1;
    pthread_mutex_init(&run->lock, NULL);
    pthread_mutex_init(&run->leaving, NULL);
    world = (struct world){.program = engine->program,
                           .simulated = simulated,
                           .doing = "starting",
                           .describing = PTHREAD_MUTEX_INITIALIZER,
                           .guard = {.patience = GUARD_PATIENCE, .give_up = run_give_up, .context = run}};
    if (!simulated) /* whose processes are one, and hang in no message that another one could end */
        start_guard(&world);
    world_start(&world, table->threads ? table->threads(settings) : MPI_THREAD_FUNNELED, &argc, &argv);
    options_free(engine->options, settings);
    world_share_arguments(&world, &argc, &argv);
    failed = engine_parse(engine, settings, argc, argv, &error);
    if (world.rank == 0)
        status = engine_answer(engine, settings, failed, world.size, &error);
    world_broadcast(&world, &status, sizeof status);
    if (status < 0 && (world_is_split(&world) || !has_right_clock(&world, settings)))
        status = EXIT_ENVIRONMENT;
    if (status < 0) {
        if ((command = text_command(argc, argv)))
            run->command = command;
        status = (int)live(run);
    }
    world_end(&world);
    if (run->over) {
        guard_move(&world.guard, INFINITY);
        run_print(run);
        status = (int)run->status;
    }
    guard_stop(&world.guard);
    if (run->results)
        engine_free_results(engine, run->results);
    protocol_free(&run->protocol);
    rundir_free(&run->directory);
    options_free(engine->options, settings);
    world_free(&world);
    free(command);
    return status;
}
