/* The program beff_io: sets up the run, passes commands and records between the scheduler and the runner, and
 * removes the scratch directories. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "beff_io/content.h"
#include "beff_io/mpi/probe.h"
#include "beff_io/mpi/runner.h"
#include "beff_io/results.h"
#include "beff_io/storage.h"
#include "common/memory.h"
#include "common/mpi/file.h"
#include "common/mpi/run.h"
#include "common/random.h"

struct io_run {
    struct run run;
    struct io_job job;
    const char *path; /* directory that contains the scratch directory */
    struct io_runner runner;

    /* Rank 0 only. */
    struct sysinfo_space space; /* at the start */
    bool hides_cache;           /* mincore does not show which pages of the files are in memory */
    struct io_scheduler scheduler;
    struct comm *group; /* of the partition that takes the commands; NULL: none */
};

struct io_run_command {
    struct run_command header;
    struct io_command command;
};

static struct io_run *of(struct run *run)
{
    return (struct io_run *)run;
}

/* ---- partitions, hints, buffers ---- */

static enum exit_status read_request(struct io_run *io, struct message *error)
{
    const struct io_settings *s = io->job.settings;
    struct comm *comm = io->run.comm;
    char *hints = NULL;
    int failed = io_partitions(&io->job.task, comm->size, s->partitions, error) ||
                 io_partition_plan(&io->job, error) ||
                 comm_read_text(comm, "--hints", s->hints, &hints, error) ||
                 (hints && hints_read(&io->job.hints, hints, s->hints, error));
    free(hints);
    return failed ? EXIT_USAGE : EXIT_OK;
}

static enum exit_status make_buffers(struct io_run *io, struct message *error)
{
    const struct machine *machine = &io->run.machine;
    int64_t mib = (content_area(io->job.task.mpart) + CONTENT_AREA) / (1024 * 1024) + 1,
            available = machine->available_mib;
    message_set(error,
                "out of memory: each process needs %" PRId64 " MiB for chunks (M_PART %" PRId64
                " B), but only about %" PRId64 " MiB is available; reduce --memory",
                mib, io->job.task.mpart, available);
    if (available && mib > available)
        return EXIT_ENVIRONMENT;
    return io_runner_make(&io->runner, &io->job) ? EXIT_ENVIRONMENT : EXIT_OK;
}

/* ---- files ---- */

static void report_leftovers(const struct io_run *io)
{
    const struct texts *others = &io->job.settings->separated_paths;
    struct texts lines = {0};
    scratch_leftovers(io->path, &lines);
    for (size_t i = 0; i < others->count; i++)
        if (strcmp(others->text[i], io->path) != 0)
            scratch_leftovers(others->text[i], &lines);
    for (size_t i = 0; i < lines.count; i++)
        comm_say(io->run.comm, "%s", lines.text[i]);
    texts_free(&lines);
}

/* Creates this process's directory for type 2, or checks that this process can access the shared
 * directory. */
static enum exit_status make_own(struct io_run *io, const char *name, struct message *error)
{
    const struct texts *paths = &io->job.settings->separated_paths;
    int rank = io->run.comm->rank, failed = 0;
    if (rank > 0)
        io->job.shared.path = text_format("%s/%s", io->path, name);
    if (paths->count) {
        failed = scratch_make(&io->job.own, paths->text[(size_t)rank % paths->count], name, true, error);
    } else {
        io->job.own.path = memory_text(io->job.shared.path);
        if (access(io->job.shared.path, W_OK | X_OK))
            failed = message_set(
                error, "rank %d on %s cannot access %s: %s; use --path with a directory that all nodes share",
                rank, io->run.machine.node.names.nodename, io->job.shared.path, strerror(errno));
    }
    return failed ? EXIT_ENVIRONMENT : EXIT_OK;
}

/* Clears the shared directory (`i` is 0) or this process's own directory. */
static void clear_scratch(const void *context, size_t i)
{
    const struct io_run *io = context;
    const struct scratch *scratch = i == 0 ? &io->job.shared : &io->job.own;
    if (scratch->path)
        scratch_clear(scratch->path);
}

static enum exit_status make_scratch(struct io_run *io, struct message *error)
{
    struct comm *comm = io->run.comm;
    char name[SCRATCH_NAME_SIZE] = "";
    enum exit_status status = EXIT_OK;
    if (!io->job.settings->keep) /* from the start, because a directory may exist when a step fails */
        ending_set_files(2, clear_scratch, io);
    if (comm->rank == 0) {
        report_leftovers(io);
        scratch_name(io->run.machine.node.names.nodename, name);
        status = scratch_make(&io->job.shared, io->path, name, false, error) ? EXIT_ENVIRONMENT : EXIT_OK;
    }
    if ((status = comm_agree(comm, status, error)) != EXIT_OK)
        return status;
    comm_broadcast(comm, name, sizeof name);
    return comm_agree(comm, make_own(io, name, error), error);
}

/* ---- what the file system can do ---- */

/* Time limit in seconds for the file system to answer. */
#define PROBE_SECONDS 20

static enum exit_status try_file_system(struct io_run *io)
{
    comm_activity(io->run.comm, "testing the files%s in %s",
                  io_needs_locks(io->job.settings) ? " and locks" : "", scratch_shown(io->job.shared.path));
    ending_set_status(EXIT_ENVIRONMENT);
    ending_deadline(PROBE_SECONDS, 0,
                    "the file system does not answer; if file locks hang, mount with -o flock, or use "
                    "--noshared (NOT VALID); ");
    enum exit_status status = io_probe(&io->job, &io->hides_cache);
    ending_set_status(-1);
    run_set_time(&io->run, io->run.time);
    comm_activity(io->run.comm, "setting up");
    return status;
}

/* ---- space ---- */

/* Returns the maximum size in bytes of the files of all nodes that evict caches. */
static int64_t evict_bytes(const struct io_run *io)
{
    double bytes = io->job.settings->evict ? io->runner.cache.limit * io->run.machine.nodes : 0;
    return (int64_t)bytes;
}

/* Refuses --evict if it needs more than its share of T. Collective. */
static enum exit_status check_evict(struct io_run *io, struct message *error)
{
    double most = IO_EVICT_SHARE * io->run.time, each = io->runner.cache.limit / 1e9, seconds;
    if (!io->job.settings->evict)
        return EXIT_OK;
    seconds = io_cache_evict_seconds(&io->runner.cache, &io->job, io->runner.area);
    if (seconds <= most)
        return EXIT_OK;
    return EXIT_WITH(EXIT_ENVIRONMENT, error,
                     "--evict needs about %.0f s to write and read %.3f GB on each of %d node%s, more than "
                     "%.0f %% of --time (%.0f s); use a larger --time, or --cache if the cache is smaller",
                     seconds, each, io->run.machine.nodes, TEXT_S(io->run.machine.nodes),
                     100 * IO_EVICT_SHARE, most);
}

static enum exit_status check_space(struct io_run *io, struct message *error)
{
    int64_t once = io_min_bytes(&io->job.task);
    if (machine_space(&io->run.machine, io->path, &io->space))
        return EXIT_WITH(EXIT_ENVIRONMENT, error, IO_NO_DIRECTORY, scratch_shown(io->path), strerror(errno));
    bool unknown = io->space.free < 0; /* --max-bytes is the user's word */
    if (unknown && !io->job.settings->max_bytes)
        return EXIT_WITH(EXIT_ENVIRONMENT, error, IO_NO_SPACE, scratch_shown(io->path));
    int64_t most = io_max_bytes(io->job.settings, io->space.free);
    io->job.task.max_bytes = most - evict_bytes(io);
    double free_mb = (double)io->space.free / 1e6, max_mb = fmax(0, (double)io->job.task.max_bytes) / 1e6;
    if (!unknown && most > io->space.free)
        return EXIT_WITH(
            EXIT_ENVIRONMENT, error,
            "not enough space: %s has %.1f MB free, but the run may write %.1f MB; reduce --max-bytes",
            io->path, free_mb, (double)most / 1e6);
    char evict[64] = "";
    if (evict_bytes(io) > 0)
        snprintf(evict, sizeof evict, ", and --evict needs %.1f MB", (double)evict_bytes(io) / 1e6);
    if (io->job.task.max_bytes < once)
        return EXIT_WITH(
            EXIT_ENVIRONMENT, error,
            "not enough space: one call of each pattern writes %.1f MB, but the run may write only %.1f MB "
            "(%s has %.1f MB free%s); %suse fewer processes (--partitions) or more space",
            (double)once / 1e6, max_mb, io->path, free_mb, evict,
            io->job.task.mpart > io_mpart(0) ? "reduce --memory, or " : "");
    return EXIT_OK;
}

/* Checks the free space in --separated-paths, and reduces the default of --max-bytes if the space requires
 * it. Assumes that one file system holds all files of type 2. */
static enum exit_status check_separated_space(struct io_run *io, struct message *error)
{
    struct sysinfo_space space;
    int64_t once = io_min_bytes(&io->job.task);
    if (!io->job.settings->separated_paths.count)
        return EXIT_OK;
    sysinfo_space(io->job.own.path, &space);
    double own = space.free < 0 ? INFINITY : (double)space.free, smallest = 0;
    COMM_CHECK(io->run.comm, MPI_Allreduce(&own, &smallest, 1, MPI_DOUBLE, MPI_MIN, io->run.comm->all));
    double max = IO_SPACE_SHARE * smallest * IO_UNITS / IO_UNITS_SEPARATED;
    if (!io->job.settings->max_bytes && max < (double)io->job.task.max_bytes)
        io->job.task.max_bytes = (int64_t)max;
    double needed = (double)io->job.task.max_bytes * IO_UNITS_SEPARATED / IO_UNITS;
    if ((needed <= smallest && io->job.task.max_bytes >= once) || own > smallest)
        return EXIT_OK;
    return EXIT_WITH(
        EXIT_ENVIRONMENT, error,
        "not enough space: %s has %.1f MB free, but the run may write %.1f MB there, and one call of each "
        "pattern writes %.1f MB to all directories together; reduce --max-bytes or --memory",
        io->job.own.path, own / 1e6, needed / 1e6, (double)once / 1e6);
}

/* ---- protocol ---- */

static void describe_storage(const struct io_run *io, struct protocol *p)
{
    struct storage storage;
    storage_read(io->path, &storage);
    protocol_meta(p, "storage_path", storage.path);
    protocol_meta(p, "storage_type", storage.type);
    protocol_meta(p, "storage_source", storage.source);
    protocol_meta(p, "storage_mount", storage.mount);
    protocol_meta(p, "storage_options", storage.options);
    if (io->space.bytes >= 0)
        protocol_put(p, "storage_bytes", "%" PRId64, io->space.bytes);
}

/* Prints lines (unless the run is quiet), writes them to the protocol, and frees them. */
static void report_lines(struct run *run, const char *lead, const char *key, struct texts *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        if (!run->settings->quiet)
            comm_say(run->comm, "%s: %s", lead, lines->text[i]);
        protocol_meta(&run->protocol, key, lines->text[i]);
    }
    texts_free(lines);
}

/* Reports the criteria that this run cannot meet, and warnings, before the measurements start. */
static void describe_prospect(const struct io_run *io, struct run *run)
{
    const struct machine *machine = &run->machine;
    struct texts lines = {0};
    struct io_prospect prospect = {.settings = io->job.settings,
                                   .task = &io->job.task,
                                   .memory = io->runner.cache.limit * machine->nodes,
                                   .in_memory = io->space.in_memory,
                                   .hides_cache = io->hides_cache};
    io_prospect_unreachable(&prospect, &lines);
    report_lines(run, "cannot be VALID", "unreachable", &lines);
    io_prospect_warnings(&prospect, &lines);
    report_lines(run, "warning", "note", &lines);
}

static void describe(struct run *run)
{
    const struct io_run *io = of(run);
    struct protocol *p = &run->protocol;
    char list[1024] = "", nodes[1024] = "";
    for (int i = 0; i < io->job.task.partition_count; i++) {
        text_append(list, sizeof list, "%s%" PRId64, i ? "," : "", io->job.task.partitions[i]);
        text_append(nodes, sizeof nodes, "%s%" PRId64, i ? "," : "", io->job.task.nodes[i]);
    }
    protocol_put(p, "node_memory_mib", "%" PRId64, sysinfo_usable_mib(&run->machine.node));
    protocol_put(p, "seed", "%" PRIu64, io->job.task.seed);
    protocol_put(p, "lmax", "%" PRId64, io->job.task.mpart);
    protocol_meta(p, "partitions", list);
    protocol_meta(p, "partition_nodes", nodes);
    protocol_meta(p, "scratch", io->job.shared.path);
    if (io->space.free >= 0)
        protocol_put(p, "free_bytes", "%" PRId64, io->space.free);
    protocol_put(p, "max_bytes", "%" PRId64, io->job.task.max_bytes);
    describe_storage(io, p);
    describe_prospect(io, run);
    for (int i = 0; i < io->job.hints.count; i++)
        protocol_meta(p, "hint_asked", io->job.hints.hint[i].line);
}

/* ---- set-up ---- */

static enum exit_status set_up(struct run *run)
{
    struct io_run *io = of(run);
    struct comm *comm = run->comm;
    struct message error;
    bool first = comm->rank == 0;
    enum exit_status status;
    io->job.settings = (const struct io_settings *)run->settings;
    io->job.comm = comm;
    io->job.machine = &run->machine;
    io->path = io->job.settings->path ? io->job.settings->path : ".";
    io->job.task.seed = io->job.settings->seed;
    if (!io->job.task.seed && !random_seed(&io->job.task.seed))
        io->job.task.seed = 1;
    io->job.task.selection = io->job.settings->selection;
    io->job.task.evict = io->job.settings->evict;
    if ((status = run_set_memory(run, io_memory_mib(io->job.settings, comm->size))) != EXIT_OK)
        return status;
    io->job.task.mpart = io_mpart(run->memory_mib);
    io_patterns(io->job.task.mpart, io->job.task.patterns);
    comm_broadcast(comm, &io->job.task.seed, sizeof io->job.task.seed);
    if ((status = comm_agree(comm, read_request(io, &error), &error)) != EXIT_OK ||
        (status = comm_agree(comm, make_buffers(io, &error), &error)) != EXIT_OK ||
        (status = comm_agree(comm, first ? check_space(io, &error) : EXIT_OK, &error)) != EXIT_OK)
        return status;
    comm_broadcast(comm, &io->job.task.max_bytes, sizeof io->job.task.max_bytes);
    if ((status = make_scratch(io, &error)) != EXIT_OK)
        return status;
    if ((status = try_file_system(io)) != EXIT_OK ||
        (status = comm_agree(comm, check_separated_space(io, &error), &error)) != EXIT_OK ||
        (status = comm_agree(comm, check_evict(io, &error), &error)) != EXIT_OK)
        return status;
    return comm_agree(comm, first ? run_open(run, &error) : EXIT_OK, &error);
}

/* ---- functions for the scheduler ---- */

static int64_t free_bytes(void *context)
{
    const struct io_run *io = context;
    struct sysinfo_space shared, own;
    sysinfo_space(io->job.shared.path, &shared);
    sysinfo_space(io->job.own.path, &own);
    return shared.free < 0 || (own.free >= 0 && own.free < shared.free) ? own.free : shared.free;
}

/* Notes each hint of the command that MPI does not use, once. */
static void note_ignored_hints(struct io_run *io, const struct io_command *command)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    for (struct hint *h = io->job.hints.hint; h < io->job.hints.hint + io->job.hints.count; h++) {
        if (h->ignored || !io_file_uses_hint(&io->job, command, h))
            continue;
        bool known = file_hint(io->runner.file.handle, h->key, value);
        h->ignored = !known || strcasecmp(value, h->value) != 0;
        if (h->ignored)
            protocol_put(&io->run.protocol, "note", "hint not in force: %s %s (MPI %s%.80s)", h->key,
                         h->value, known ? "uses " : "does not know it", known ? value : "");
    }
}

static void note_hints(struct io_run *io, const struct io_command *command)
{
    char hints[1600];
    file_hints(io->runner.file.handle, hints, sizeof hints);
    protocol_put(&io->run.protocol, "hints_in_force", "%s %s, %" PRId64 " processes: %s",
                 io_access_names[command->access], io_type_names[command->type],
                 io->job.task.partitions[command->partition], *hints ? hints : "none reported");
}

/* Lets the other processes of the partition leave it: they wait for a command to all processes again. */
static void leave_partition(struct io_run *io)
{
    struct io_run_command last = {.header.finishing = true};
    if (io->group)
        comm_broadcast(io->group, &last, sizeof last);
    io->group = NULL;
}

/* Sends a command. Only the first one for a partition goes to all processes: the idle ones sleep, and they
 * would delay the commands that they pass on. */
static void send_command(struct io_run *io, struct io_run_command *sent)
{
    struct comm *group = &io->runner.partitions[sent->command.partition].group;
    if (group == io->group) {
        comm_broadcast(group, sent, sizeof *sent);
    } else {
        leave_partition(io);
        run_tell(&io->run, &sent->header);
        io->group = group;
    }
}

static int carry_out(void *context, const struct io_command *command, struct io_measurement *measurement,
                     struct message *error)
{
    struct io_run *io = context;
    struct run *run = &io->run;
    struct io_run_command sent = {.command = *command};
    send_command(io, &sent);
    *measurement = io_runner_perform(&io->runner, command);
    if (measurement->failed_rank >= 0)
        return message_set(error, "%s", measurement->failure.text);
    if (command->action == IO_OPEN)
        note_hints(io, command);
    if (command->action == IO_OPEN || command->action == IO_PATTERN)
        note_ignored_hints(io, command);
    if (command->action == IO_PATTERN && measurement->record.t_total > 0)
        progress_show(&run->progress, run_elapsed(run), run->time, "%s: %.1f MB/s", run->comm->activity,
                      (double)measurement->record.bytes / measurement->record.t_total / 1e6);
    return 0;
}

/* ---- roles ---- */

static enum exit_status schedule(struct run *run, struct message *end)
{
    struct io_run *io = of(run);
    struct io_scheduler_ops ops = {run_elapsed, carry_out, free_bytes, io};
    io_scheduler_make(&io->scheduler, &ops, &run->protocol, &io->job.task, run->time);
    enum exit_status status = io_scheduler_run(&io->scheduler);
    leave_partition(io);
    *end = io->scheduler.error;
    return status;
}

static bool perform(struct run *run, const struct run_command *sent)
{
    struct io_run *io = of(run);
    struct io_run_command next = *(const struct io_run_command *)sent;
    int partition = next.command.partition;
    bool takes_part = io->job.member[partition];
    while (takes_part && !next.header.finishing) {
        io_runner_perform(&io->runner, &next.command);
        comm_broadcast(&io->runner.partitions[partition].group, &next, sizeof next);
    }
    return takes_part;
}

/* ---- the end ---- */

static void close_file(struct run *run)
{
    io_file_close(&of(run)->runner.file);
}

/* Removes this process's files and directory; rank 0 also removes the shared directory. */
static void clean(struct run *run)
{
    const struct io_run *io = of(run);
    struct message error;
    if (!io->job.settings || io->job.settings->keep)
        return;
    for (int i = 0; io->job.own.path && i < io->job.task.partition_count; i++)
        if (io->job.member[i])
            io_file_remove(&io->job, i, TYPE_SEPARATED, io->runner.partitions[i].group.rank);
    if (scratch_remove(&io->job.own, &error))
        comm_say(run->comm, "%s", error.text);
    if (scratch_remove(&io->job.shared, &error))
        comm_say(run->comm, "%s", error.text);
}

static void free_run(struct run *run)
{
    struct io_run *io = of(run);
    io_runner_free(&io->runner);
    free(io->job.hints.hint);
    scratch_free(&io->job.shared);
    scratch_free(&io->job.own);
}

static const struct run_engine run_engine = {
    .engine = &beff_io_engine,
    .command_size = sizeof(struct io_run_command),
    .idles = true,
    .grace_fraction = 0.04,
    .grace = 10,
    .set_up = set_up,
    .describe = describe,
    .schedule = schedule,
    .perform = perform,
    .close = close_file,
    .clean = clean,
    .free = free_run,
};

int main(int argc, char **argv)
{
    struct io_settings settings;
    static struct io_run run = {0};
    return run_main(&run_engine, &run.run, &settings, argc, argv);
}
