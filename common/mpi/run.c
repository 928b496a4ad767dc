#include "common/mpi/run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/memory.h"

/* Time limits in seconds for all processes to start: the larger one of T and the first, up to the second. */
#define START_MIN 30
#define START_MAX 900

/* Time limit for writing the files, as a multiple of the reserve. */
#define FINISH_PATIENCE 10

/* Launching is a part of T if it takes at most this share of T; otherwise T starts with the last process. */
#define LAUNCH_SHARE 0.5
/* Launching is noted if it takes this many seconds and this share of T. */
#define LAUNCH_NOTED       1.0
#define LAUNCH_NOTED_SHARE 0.01

/* Longest single sleep of an idle process, in seconds. */
#define IDLE_NAP 0.11

/* Time limit for each step of the end (removing files, MPI_Finalize) as a share of T, but at least the
 * engine's grace. */
#define END_SHARE 0.05

/* ---- time ---- */

static void take_clocks(const struct run *run, double pair[2])
{
    comm_read_clocks(pair, 100);
    for (int i = 0; i < 2; i++)
        pair[i] -= run->clock_start[i];
}

/* Begins a step of the end, which may take `more` seconds than usual. */
static void extend(const struct run *run, const char *activity, double more)
{
    comm_activity(run->comm, "%s", activity);
    ending_extend(fmax(run->table->grace, isfinite(run->time) ? END_SHARE * run->time : 0) + more, more > 0);
}

static void set_deadline(const struct run *run)
{
    const struct run_engine *table = run->table;
    double grace = fmax(table->grace, table->grace_fraction * run->time);
    ending_deadline(run->time - comm_elapsed(run->comm), grace, "the time limit was reached; ");
}

void run_set_time(struct run *run, double time)
{
    run->time = time;
    set_deadline(run);
}

double run_elapsed(void *run)
{
    return comm_elapsed(((const struct run *)run)->comm);
}

/* ---- set-up ---- */

enum exit_status run_set_memory(struct run *run, int64_t given_mib)
{
    struct message error;
    run->memory_mib = given_mib ? given_mib : run->machine.memory_mib;
    run->memory_source = given_mib ? "given" : "detected";
    bool known = run->memory_mib > 0;
    return comm_agree(run->comm,
                      known ? EXIT_OK : EXIT_WITH(EXIT_ENVIRONMENT, &error, "%s", SYSINFO_NO_MEMORY), &error);
}

void run_warn_oversubscribed(const struct run *run, const char *consequence)
{
    if (run->machine.oversubscribed == MACHINE_YES && run->comm->rank == 0)
        comm_say(
            run->comm,
            "oversubscribed: a node has more processes than processors that they may use, or too many are "
            "bound to the same ones (up to %d processes on a node, %d processor%s on this node). MPI's busy "
            "waiting adds milliseconds%s. Start at most one process per processor",
            run->machine.max_ranks, run->machine.processors, TEXT_S(run->machine.processors), consequence);
}

/* Sets the start of T: the start of the first process, or of the last one if launching took too long.
 * Collective. */
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
                     run->launch_counts
                         ? "this is a part of the time limit"
                         : "more than half of the time limit, so the time starts with the last process");
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
    if (engine->type->definition) /* readers need it before the first table */
        protocol_meta(p, "definition", engine->type->definition);
    gpus_describe(&run->gpus, &run->space, p);
    run->table->describe(run);
    if (!engine->type->definition)
        return;
    if (run->settings->time > 0)
        protocol_put(p, "time_s", "%.17g", run->settings->time);
    protocol_meta(p, "memory_source", run->memory_source);
    engine_describe_settings(engine, run->settings, p);
}

enum exit_status run_open(struct run *run, struct message *error)
{
    const struct engine *engine = run->table->engine;
    const struct run_settings *s = run->settings;
    enum exit_status status = rundir_make(&run->directory, s->output, s->force, engine->program,
                                          run->machine.node.names.nodename, run->comm->size, error);
    if (status == EXIT_OK) {
        char *path = text_format("%s/run.prot", run->directory.path);
        run->opened = !protocol_create(&run->protocol, path, false, engine->type, error);
        free(path);
        if (run->opened)
            run_describe(run);
        run->opened = run->opened && !protocol_error(&run->protocol, error);
        status = run->opened ? EXIT_OK : EXIT_ENVIRONMENT;
    }
    return status;
}

/* ---- commands ---- */

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

/* Returns true if MPI's clock and the system's agree, or if the run has simulated time only. */
static bool clocks_agree(const struct run *run)
{
    return run->comm->simulated || engine_clocks_agree(run->clocks[0], run->clocks[1]);
}

static void note_end(struct run *run, const char *end, enum exit_status status)
{
    struct protocol *p = &run->protocol;
    char date[CLOCK_DATE_SIZE];
    clock_date(date);
    protocol_meta(p, "finished", date);
    for (int i = 0; i < 2 && !run->comm->simulated; i++)
        protocol_put(p, i ? "clock_system_s" : "clock_mpi_s", "%.17g", run->clocks[i]);
    protocol_put(p, "elapsed_s", "%.3f", comm_elapsed(run->comm));
    if (status != EXIT_OK)
        protocol_meta(p, "interrupted", end);
}

static int write_file(const struct run *run, bool json, struct message *error)
{
    char *path = text_format("%s/%s", run->directory.path, json ? "run.json" : "summary.txt");
    struct stream stream;
    FILE *file = stream_start(&stream);
    /* A run that was stopped has no time for long files, so its run.json has no records. */
    if (json)
        sheet_json(run->results, protocol_is_complete(&run->protocol), file);
    else
        sheet_text(run->results, file);
    int failed = text_save(path, false, &stream);
    if (failed)
        message_set(error, "%s cannot be written: %s", path, strerror(errno));
    free(path);
    ++*ending_steps();
    return failed;
}

/* Computes the results, ends the protocol and writes the other files: see run_engine.finish. After an error,
 * the remaining files are still written, and the first error is reported. */
static int write_files(struct run *run, const char *end, bool *complete, struct message *error)
{
    struct protocol *p = &run->protocol;
    struct message later;
    struct table table;
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
    for (int i = 0; sheet && i < 2; i++)
        if (write_file(run, i, failed ? &later : error))
            failed = -1;
    char *folder = text_format("%s/patterns", run->directory.path);
    for (int i = 0; sheet && engine_table(run->table->engine, sheet, i, &table); i++, ++*ending_steps())
        if (table_write(&table, folder, failed ? &later : error))
            failed = -1;
    free(folder);
    *complete = sheet && sheet->rated && !sheet->errors;
    return failed;
}

/* Writes the files on rank 0, and sets the status of the run. `status` is the status of the measurements. */
static void finish(struct run *run, const char *end, enum exit_status status)
{
    int (*write)(struct run *, const char *, bool *, struct message *) = run->table->finish;
    struct message error = {""};
    bool good = true;
    progress_end(&run->progress);
    if (run->opened) {
        bool agree = clocks_agree(run);
        note_end(run, end, status);
        double start = clock_since_start();
        int failed = (write ? write : write_files)(run, end, &good, &error);
        double taken = clock_since_start() - start, kept = engine_reserve(run->time);
        if (failed)
            comm_say(run->comm, "%s", error.text);
        if (taken > kept && clock_since_start() > run->time)
            comm_say(run->comm, "writing the results took %.1f s, more than the %.1f s reserved", taken,
                     kept);
        if (!agree)
            comm_say(run->comm, "clock mismatch: MPI_Wtime advanced %.6g s, the system clock %.6g s",
                     run->clocks[0], run->clocks[1]);
        good = good && !failed && agree;
    }
    run->status = status == EXIT_OK && !good ? EXIT_ERRORS : status;
}

/* ---- standard output ---- */

static void put_results(const struct run *run, FILE *out)
{
    const struct run_settings *s = run->settings;
    const struct sheet *sheet = run->results;
    if (s->json) {
        sheet_json(sheet, protocol_is_complete(&run->protocol), out);
    } else if (s->quiet) {
        fprintf(out, "%s\n", sheet->headline);
    } else if (s->tables) {
        fprintf(out, "files: %s\n\n", run->directory.path);
        sheet_text(sheet, out);
    } else {
        sheet_brief(sheet, run->directory.path, out);
    }
}

static char *render(const struct run *run)
{
    struct stream stream;
    FILE *out = stream_start(&stream);
    if (run->results)
        put_results(run, out);
    return stream_end(&stream);
}

/* Prints a text after the earlier output. Returns true if all has been written; errno must have been 0
 * before. It is not an error if the reader has closed the pipe, because the files contain all results. */
static bool is_printed(const char *program, const char *text)
{
    bool flushed = !fflush(stdout) && !ferror(stdout);
    setvbuf(stdout, NULL, _IONBF, 0); /* see text_open() */
    if ((flushed && !text_write(stdout, text, strlen(text))) || errno == EPIPE)
        return true;
    fprintf(stderr, "%s: standard output cannot be written%s%s\n", program, errno ? ": " : "",
            errno ? strerror(errno) : "");
    return false;
}

/* Prints the results on rank 0, and then ends MPI. All ranks wait until the results are printed, because a
 * launcher may kill rank 0 as soon as another rank has exited with a status that is not 0. */
static enum exit_status end_run(struct run *run)
{
    char *text = render(run);
    int status = (int)run->status;
    comm_activity(run->comm, "printing the results");
    ending_extend(INFINITY, false);
    errno = 0;
    if (run->opened && !is_printed(run->comm->program, text) && run->status == EXIT_OK)
        status = EXIT_ERRORS;
    fflush(stdout);
    free(text);
    comm_broadcast_sleeping(run->comm, &status, sizeof status, MPI_Wtime(), IDLE_NAP);
    ending_set_status(status);
    extend(run, "ending MPI", 0);
    ending_set_printed(run->results != NULL);
    comm_end(run->comm);
    ending_extend(INFINITY, false);
    return (enum exit_status)status;
}

/* ---- roles ---- */

/* Sets run->clocks to the clocks of the process on which they differ most. Collective. */
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
    memcpy(run->clocks, taken, sizeof taken);
}

static void follow(struct run *run)
{
    double idle_since = MPI_Wtime();
    for (;;) {
        share(run, run->sent, idle_since);
        if (run->sent->finishing)
            return;
        if (run->table->perform(run, run->sent))
            idle_since = INFINITY;
        else if (isinf(idle_since))
            idle_since = MPI_Wtime();
    }
}

/* Measures, writes the files on rank 0, and gives rank 0's status to all processes. */
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
    extend(run, "writing the results", FINISH_PATIENCE * engine_reserve(run->time));
    if (run->comm->rank == 0) {
        if (command->status != EXIT_OK) {
            snprintf(end, sizeof end, "partial (%s)", reason.text);
            comm_say(run->comm, "%s", end);
        }
        finish(run, end, command->status);
        command->status = run->status;
    }
    share(run, command, MPI_Wtime());
    run->status = command->status;
    ending_set_status((int)run->status);
}

/* Sends the location of the records to all processes, because any of them may have to end the run. */
static void share_place(struct run *run)
{
    const char *file = run->opened ? run->protocol.path : NULL,
               *shown = run->directory.path ? run->directory.path : file;
    char *text =
        file ? text_format("; the records are in %s; to rate them: beff_report show %s", file, shown) : NULL;
    run->records = comm_share_text(run->comm, text);
    ending_set_records(run->records ? run->records : "");
}

/* Sets up the GPUs of all processes. `status` and `error` are from space_open(). Collective. */
static enum exit_status set_up_gpus(struct run *run, enum exit_status status, struct message *error)
{
    status = comm_agree(run->comm, status, error);
    return status == EXIT_OK ? gpus_find(&run->gpus, run->comm, &run->machine, &run->space) : status;
}

static enum exit_status run_rank(struct run *run, enum exit_status opened, struct message *error)
{
    const struct run_engine *table = run->table;
    comm_activity(run->comm, "setting up");
    run->time = run->settings->time > 0 ? run->settings->time : table->time;
    comm_read_clocks(run->clock_start, 100);
    start_clock(run);
    set_deadline(run);
    machine_detect(run->comm, &run->machine);
    run->sent = memory_new(1, table->command_size, "a command");
    run->comm->yield = run->machine.oversubscribed == MACHINE_YES;
    run->status = set_up_gpus(run, opened, error);
    if (run->status == EXIT_OK)
        run->status = table->set_up(run);
    if (run->status == EXIT_OK) {
        share_place(run);
        measure_all(run);
        extend(run, "closing files", 0);
        if (table->close)
            table->close(run);
    }
    extend(run, "removing files", 0);
    if (table->clean)
        table->clean(run);
    comm_barrier(run->comm); /* a launcher may kill all processes when one is lost: first remove all files */
    ending_set_files(0, NULL, NULL);
    table->free(run);
    return run->status;
}

/* Checks that all processes have the same program and options, and answers the command line, which may have
 * `failed`, if it requires no measurement. Returns the exit status, or -1 if there is something to measure.
 * Collective. */
static int answer_command(struct run *run, const void *settings, const char *options, int failed,
                          struct message *error)
{
    int status = -1;
    char *text = text_format("%s%s%s", options_program(run->table->engine->options, settings),
                             *options ? " " : "", options);
    enum exit_status same = comm_same_text(run->comm, text, &(struct message){""});
    free(text);
    if (same != EXIT_OK)
        return (int)same;
    if (run->comm->rank == 0)
        status = engine_answer(run->table->engine, settings, failed, run->comm->size, error);
    comm_broadcast(run->comm, &status, sizeof status);
    return status;
}

int run_main(const struct run_engine *table, struct run *run, void *settings, int argc, char **argv)
{
    const struct engine *engine = table->engine;
    struct comm comm = {.program = engine->program};
    struct message error = {""};
    int status = -1, size, rank;
    bool launched = comm_launched(&size, &rank);
    comm_keep_streams();
    errno = 0;
    int failed = engine_parse(engine, settings, argc, argv, &error);
    run->settings = settings;
    comm.simulated = run->settings->clock == RUN_CLOCK_SIMULATED;
    if (!launched || size == 1)
        status = engine_answer(engine, settings, failed, 0, &error);
    if (status >= 0) {
        options_free(engine->options, settings);
        return status == EXIT_OK && !is_printed(engine->program, "") ? EXIT_ENVIRONMENT : status;
    }
    comm.program = options_program(engine->options, settings);
    run->table = table;
    run->comm = &comm; /* cppcheck-suppress autoVariables; the run ends before this function does */
    run->directory.lock = -1;
    /* All processes of a simulation are one process, so the last resort cannot end a run that hangs. */
    if (!comm.simulated)
        ending_install(comm.program);
    ending_set_rank(rank);
    comm_activity(&comm, "starting MPI");
    double time = run->settings->time > 0 ? run->settings->time : table->time;
    double limit = fmin(fmax(time, START_MIN), START_MAX);
    struct message refused = {""}, late;
    message_set(
        &late,
        "not all processes started within %g s: a process is missing or runs another program, or the launch "
        "is slow%s; ",
        limit, limit < START_MAX ? " (use a longer time limit)" : "");
    ending_deadline(limit, 0, late.text);
    enum exit_status opened = EXIT_OK;
    if (!failed)
        opened = space_open(&run->space, run->settings->buffers, run->settings->device, &refused);
    comm_start(&comm, table->threads ? table->threads(settings) : MPI_THREAD_SINGLE, &argc, &argv);
    run->command = text_command(argc, argv);
    char *given = text_command(argc > 0 ? argc - 1 : 0, argv + 1);
    if (launched)
        status = answer_command(run, settings, given, failed, &error);
    free(given);
    if (status < 0)
        status = (int)(comm_is_usable(&comm) ? run_rank(run, opened, &refused) : EXIT_ENVIRONMENT);
    run->status = (enum exit_status)status;
    status = (int)end_run(run);
    if (run->results)
        engine_free_results(engine, run->results);
    protocol_free(&run->protocol);
    texts_free(&run->machine.environment);
    free(run->gpus.place);
    free(run->sent);
    free(run->records);
    rundir_free(&run->directory);
    options_free(engine->options, settings);
    free(run->command);
    return status;
}
