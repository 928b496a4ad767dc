/* From main() to the end of MPI, for any engine. Uses engine, comm, machine, end. */
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
            run->machine.most_ranks, run->machine.processors, consequence);
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
           machine_describe(run->comm, &run->machine, p, error) ||
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
                                        run->machine.node.names.nodename, run->comm->size, error);
    if (made != EXIT_RATED)
        return made;
    char *path = rundir_file(run->directory.path, "run.prot", error);
    int failed = !path || protocol_create(&run->protocol, path, false, engine->type, error);
    free(path);
    run->resolution = run->comm->simulated ? 0 : clock_resolution(comm_now, NULL);
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
    command->kind = RUN_PERFORM;
    share(run, command, INFINITY);
}

/* ---- roles ---- */

void run_clocks(const struct run *run, double taken[2])
{
    clock_read_both(comm_now, NULL, taken);
    for (int i = 0; i < 2; i++)
        taken[i] -= run->clock_start[i];
}

/* The clocks of the process on which they differ most. Collective. */
static void compare_clocks(struct run *run)
{
    struct comm *comm = run->comm;
    double taken[2];
    struct {
        double difference;
        int rank;
    } own = {.rank = comm->rank}, largest;
    run_clocks(run, taken);
    own.difference = fabs(taken[0] / taken[1] - 1);
    COMM_CHECK(comm, comm_allreduce(comm, &own, &largest, 1, MPI_DOUBLE_INT, MPI_MAXLOC));
    COMM_CHECK(comm, MPI_Bcast(taken, 2, MPI_DOUBLE, largest.rank, comm->all));
    pthread_mutex_lock(&run->lock);
    memcpy(run->clocks, taken, sizeof taken);
    pthread_mutex_unlock(&run->lock);
}

static void lead(struct run *run)
{
    const struct run_engine *table = run->table;
    struct message reason = {""};
    char end[640] = "complete";
    struct run_command *command = run->told;
    *command = (struct run_command){RUN_FINISHING, table->schedule(run, &reason)};
    share(run, command, INFINITY);
    compare_clocks(run);
    if (run->comm->rank == 0) {
        if (command->status != EXIT_RATED)
            snprintf(end, sizeof end, "partial (%s)", reason.text);
        if (command->status != EXIT_RATED && !run->finished)
            comm_say(run->comm, "%s", end);
        run_finish(run, end, command->status);
        command->status = run->status;
    } else {
        run_extend(run, FINISH_PATIENCE * run_reserve(run->time));
    }
    command->kind = RUN_END;
    share(run, command, INFINITY);
    run->status = command->status;
}

static void follow(struct run *run)
{
    const struct run_command *command = run->told;
    double idle_since = MPI_Wtime();
    do {
        share(run, run->told, idle_since);
        if (command->kind == RUN_FINISHING) {
            compare_clocks(run);
            run_extend(run, FINISH_PATIENCE * run_reserve(run->time));
        } else if (command->kind == RUN_PERFORM) {
            if (!guard_signal(&run->comm->guard))
                guard_move(&run->comm->guard, run_deadline(run));
            if (run->table->perform(run, command))
                idle_since = INFINITY;
            else if (isinf(idle_since))
                idle_since = MPI_Wtime();
        }
    } while (command->kind != RUN_END);
    run->status = command->status;
}

static enum exit_status live(struct run *run)
{
    const struct run_engine *table = run->table;
    comm_doing(run->comm, "setting up");
    run->time = run->settings->time > 0 ? run->settings->time : table->time;
    run->first_process = comm_first_process(run->comm);
    clock_read_both(comm_now, NULL, run->clock_start);
    start_clock(run);
    if (!guard_signal(&run->comm->guard))
        guard_move(&run->comm->guard, run_deadline(run));
    machine_detect(run->comm, &run->machine);
    if (!(run->told = calloc(1, run->table->command_size)))
        comm_out_of_memory(run->comm, "a command");
    run->detected = true;
    run->comm->yield = run->machine.oversubscribed;
    run->status = table->set_up(run);
    if (run->status == EXIT_RATED) {
        if (run->comm->rank == 0 || !table->perform)
            lead(run);
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
    comm_doing(run->comm, "%s", "");
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

static void start_guard(struct comm *comm)
{
    guard_block_signals();
    if (guard_start(&comm->guard, START_MAX))
        comm_say(comm, "cannot start a thread: signals will be ignored");
}

/* What is simulated and what is measured must not be taken for each other. */
static bool has_right_clock(const struct comm *comm, const struct run_settings *settings)
{
    bool simulator = comm_is_simulator(), simulated = settings->clock == RUN_CLOCK_SIMULATED;
    if (simulator == simulated)
        return true;
    if (comm->rank == 0)
        comm_say(comm, simulator
                           ? "MPI is simulated (SMPI) here: only beff runs on it, with --clock simulated"
                           : "--clock simulated is for programs built for SimGrid's SMPI: this one's MPI "
                             "is real");
    return false;
}

int run_main(const struct run_engine *table, struct run *run, void *settings, int argc, char **argv)
{
    comm_keep_streams();
    const struct engine *engine = table->engine;
    struct message error;
    struct comm comm;
    char *command = NULL;
    int failed = engine_parse(engine, settings, argc, argv, &error), status = -1;
    bool simulated = ((const struct run_settings *)settings)->clock == RUN_CLOCK_SIMULATED;
    if (!comm_has_launcher()) {
        status = engine_answer(engine, settings, failed, 0, &error);
        if (status >= 0) {
            options_free(engine->options, settings);
            return printed(engine, status);
        }
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
                         .doing = "starting",
                         .describing = PTHREAD_MUTEX_INITIALIZER,
                         .guard = {.patience = GUARD_PATIENCE, .give_up = run_give_up, .context = run}};
    if (!simulated) /* whose processes are one, and hang in no message that another one could end */
        start_guard(&comm);
    comm_start(&comm, table->threads ? table->threads(settings) : MPI_THREAD_FUNNELED, &argc, &argv);
    options_free(engine->options, settings);
    comm_share_arguments(&comm, &argc, &argv);
    failed = engine_parse(engine, settings, argc, argv, &error);
    if (comm.rank == 0)
        status = engine_answer(engine, settings, failed, comm.size, &error);
    comm_broadcast(&comm, &status, sizeof status);
    if (status < 0 && (comm_is_split(&comm) || !has_right_clock(&comm, settings)))
        status = EXIT_ENVIRONMENT;
    if (status < 0) {
        if ((command = text_command(argc, argv)))
            run->command = command;
        status = (int)live(run);
    }
    comm_end(&comm);
    if (run->over) {
        guard_move(&comm.guard, INFINITY);
        run_print(run);
        status = (int)run->status;
    }
    guard_stop(&comm.guard);
    if (run->results)
        engine_free_results(engine, run->results);
    protocol_free(&run->protocol);
    free(run->told);
    rundir_free(&run->directory);
    options_free(engine->options, settings);
    comm_free(&comm);
    free(command);
    return status;
}
