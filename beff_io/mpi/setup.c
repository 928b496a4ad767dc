/* Set-up of a run: machine, partitions, hints, scratch directories, space, buffers, output directory, the
 * protocol's metadata. Uses machine, measurement, scratch. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "beff_io/mpi/run.h"
#include "beff_io/tuning.h"
#include "common/clock.h"
#include "common/finish.h"

/* Ends the run on all processes alike, with one line from rank 0, whose status it is. */
static enum exit_status decide(struct io_run *run, enum exit_status status, const struct message *error)
{
    if (run->world->rank == 0 && status != EXIT_RATED)
        world_say(run->world, "%s", error->text);
    world_broadcast(run->world, &status, sizeof status);
    return status;
}

/* ---- machine, partitions, hints ---- */

/* A seed that can be typed in again as a plain number anywhere. */
static uint64_t draw_seed(void)
{
    uint64_t seed = 1;
    return getrandom(&seed, sizeof seed, 0) == sizeof seed && seed >> 1 ? seed >> 1 : 1;
}

static void look_at_machine(struct io_run *run)
{
    const struct io_settings *s = run->settings;
    machine_detect(run->world, &run->machine);
    run->world->yield = run->machine.oversubscribed;
    run->memory_mib = s->memory         ? s->memory
                      : s->total_memory ? s->total_memory / run->world->size
                                        : run->machine.memory_mib;
    if (run->memory_mib < 1)
        run->memory_mib = 1;
    run->mpart = io_mpart(run->memory_mib);
    io_patterns(run->mpart, run->patterns);
}

static enum exit_status read_request(struct io_run *run, struct message *error)
{
    const struct io_settings *s = run->settings;
    run->partition_count = io_partitions(run->world->size, s->partitions, run->partitions, error);
    if (!run->partition_count)
        return EXIT_USAGE;
    if (s->hints && hints_read(&run->hints, s->hints, error))
        return EXIT_USAGE;
    return EXIT_RATED;
}

/* The hints file is read by rank 0 alone. */
static void share_hints(struct io_run *run)
{
    world_broadcast(run->world, &run->hints.count, sizeof run->hints.count);
    size_t size = (size_t)run->hints.count * sizeof *run->hints.hint;
    if (run->world->rank > 0 && size)
        run->hints.hint = malloc(size);
    if (size && !run->hints.hint) {
        world_say(run->world, "out of memory for the hints (rank %d)", run->world->rank);
        MPI_Abort(MPI_COMM_WORLD, EXIT_ENVIRONMENT);
        abort();
    }
    if (size)
        world_broadcast(run->world, run->hints.hint, size);
}

/* ---- files ---- */

static void tell(void *context, const char *line)
{
    world_say(context, "%s", line);
}

/* Entry `i` of the list of directories for the files of type 2, in memory of its own. */
static char *separated_path(const struct io_run *run, int i)
{
    const char *list = run->settings->separated_paths;
    for (; i > 0; i--)
        list = strchr(list, ',') + 1;
    return strndup(list, strcspn(list, ","));
}

static int separated_count(const struct io_run *run)
{
    int count = 1;
    for (const char *c = run->settings->separated_paths; *c; c++)
        count += *c == ',';
    return count;
}

/* On rank 0: what is on other nodes' disks is not seen. */
static void look_for_leftovers(const struct io_run *run)
{
    scratch_leftovers(run->path, io_options.program, run->settings->remove_leftovers, tell, run->world);
    for (int i = 0; run->settings->separated_paths && i < separated_count(run); i++) {
        char *path = separated_path(run, i);
        if (path && strcmp(path, run->path) != 0)
            scratch_leftovers(path, io_options.program, run->settings->remove_leftovers, tell, run->world);
        free(path);
    }
}

/* One for each partition; by rank 0, and by all who have one of their own. */
static int make_directories(const struct io_run *run, struct message *error)
{
    const struct scratch *all[] = {run->world->rank == 0 ? &run->shared : NULL,
                                   run->settings->separated_paths ? &run->own : NULL};
    for (int i = 0; i < 2; i++)
        for (int p = 0; all[i] && p < run->partition_count; p++) {
            char name[32];
            snprintf(name, sizeof name, "n%" PRId64, run->partitions[p]);
            if (scratch_directory(all[i], name, error))
                return -1;
        }
    return 0;
}

static enum exit_status make_scratch(struct io_run *run)
{
    char name[256] = "";
    struct message error = {""};
    bool well = true;
    if (run->world->rank == 0) {
        char *own = scratch_name(io_options.program);
        snprintf(name, sizeof name, "%s", own ? own : io_options.program);
        free(own);
        look_for_leftovers(run);
        well = scratch_make(&run->shared, run->path, name, false, &error) == 0;
    }
    enum exit_status status = world_agree(run->world, well, &error);
    if (status != EXIT_RATED)
        return status;
    world_broadcast(run->world, name, sizeof name);
    if (run->world->rank > 0)
        run->shared = (struct scratch){text_format("%s/%s", run->path, name), true};
    if (run->settings->separated_paths) {
        char *parent = separated_path(run, run->world->rank % separated_count(run));
        well = scratch_make(&run->own, parent ? parent : ".", name, true, &error) == 0;
        free(parent);
    } else {
        well = access(run->shared.path, W_OK | X_OK) == 0 ||
               message_set(&error, "rank %d on %s can't reach %s", run->world->rank,
                           run->machine.node.names.nodename, run->shared.path) == 0;
        run->own = (struct scratch){strdup(run->shared.path), true};
    }
    return world_agree(run->world, well && make_directories(run, &error) == 0, &error);
}

static enum exit_status check_space(struct io_run *run, struct message *error)
{
    bool in_memory;
    int64_t least =
        io_least_bytes(run->patterns, run->partitions, run->partition_count, &run->settings->selection);
    run->free_bytes = scratch_free_bytes(run->path, &in_memory);
    if (run->free_bytes < 0) {
        message_set(error, "the free space of %s is not known: %s", run->path, strerror(errno));
        return EXIT_ENVIRONMENT;
    }
    int64_t memory = run->machine.node.available_mib * 1024 * 1024;
    if (in_memory && memory > 0 && memory < run->free_bytes)
        run->free_bytes = memory;
    run->max_bytes = run->settings->max_bytes;
    if (!run->max_bytes)
        run->max_bytes = (int64_t)(SPACE_SHARE * (double)run->free_bytes);
    double free_mb = (double)run->free_bytes / 1e6, least_mb = (double)least / 1e6;
    const char *way_out = "--memory or --partitions make it smaller";
    if (run->max_bytes > run->free_bytes) {
        message_set(
            error, "too little space: %s has %.1f MB free, the run may write %.1f MB (--max-bytes bounds it)",
            run->path, free_mb, (double)run->max_bytes / 1e6);
        return EXIT_ENVIRONMENT;
    }
    if (run->max_bytes < least) {
        message_set(error,
                    "too little space: every pattern once takes %.1f MB, the run may write %.1f MB (%s has "
                    "%.1f MB free); %s",
                    least_mb, (double)run->max_bytes / 1e6, run->path, free_mb, way_out);
        return EXIT_ENVIRONMENT;
    }
    return EXIT_RATED;
}

/* Paths of the files of type 2: at most all bytes of that type go to one of them. */
static enum exit_status check_separated_space(struct io_run *run)
{
    struct message error = {""};
    double own = (double)scratch_free_bytes(run->own.path, NULL), least = 0;
    int64_t once =
        io_least_bytes(run->patterns, run->partitions, run->partition_count, &run->settings->selection);
    if (!run->settings->separated_paths)
        return EXIT_RATED;
    WORLD_CHECK(run->world, MPI_Allreduce(&own, &least, 1, MPI_DOUBLE, MPI_MIN, run->world->comm));
    double most = SPACE_SHARE * least * IO_UNITS / IO_UNITS_SEPARATED;
    if (!run->settings->max_bytes && most < (double)run->max_bytes)
        run->max_bytes = (int64_t)most;
    double needed = (double)run->max_bytes * IO_UNITS_SEPARATED / IO_UNITS;
    bool well = needed <= least && run->max_bytes >= once;
    if (!well && own <= least)
        message_set(&error,
                    "too little space: %s has %.1f MB free, the run may write %.1f MB there and has to write "
                    "%.1f MB in all",
                    run->own.path, own / 1e6, needed / 1e6, (double)once / 1e6);
    return world_agree(run->world, well || own > least, &error);
}

static enum exit_status set_up_buffers(struct io_run *run)
{
    struct message text;
    int64_t mib = transfer_memory(run->mpart) / (1024 * 1024) + 1;
    message_set(&text,
                "out of memory: each process needs %" PRId64 " MiB for chunks (M_PART %" PRId64
                " B), about %" PRId64 " MiB are free for it; --memory sets a smaller memory per process",
                mib, run->mpart, run->machine.available_mib);
    bool well = !run->machine.available_mib || mib <= run->machine.available_mib;
    enum exit_status status = world_agree(run->world, well, &text);
    if (status != EXIT_RATED)
        return status;
    int shift = run->settings->shift_reads && run->machine.nodes > 1 ? (int)run->machine.most_ranks : 0;
    well = io_measurer_make(&run->measurer, run->world, run->partitions, run->partition_count, run->mpart,
                            shift) == 0;
    struct transfer *t = &run->measurer.transfer;
    t->settings = run->settings;
    t->seed = run->seed;
    t->hints = &run->hints;
    t->shared = &run->shared;
    t->own = &run->own;
    return world_agree(run->world, well, &text);
}

/* ---- protocol ---- */

static int put_number(struct io_run *run, const char *key, double value, struct message *error)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    return protocol_meta(&run->protocol, key, text, error);
}

static int describe_hints(struct io_run *run, struct message *error)
{
    int failed = 0;
    for (int i = 0; i < run->hints.count && !failed; i++) {
        const struct hint *h = &run->hints.hint[i];
        char text[2 * HINT_SIZE + 128];
        const char *access = h->access == IO_ACCESSES ? "all" : io_access_name((enum io_access)h->access);
        const char *type = h->type == IO_TYPES ? "all" : io_type_name((enum io_type)h->type);
        char processes[24] = "all", chunk[24];
        if (h->processes)
            snprintf(processes, sizeof processes, "%" PRId64, h->processes);
        snprintf(chunk, sizeof chunk, "%" PRId64, h->chunk);
        snprintf(text, sizeof text, "%s %s %s %s %s %s", processes, access, type,
                 h->where == HINT_ON_OPEN      ? "on_open"
                 : h->where == HINT_EVERYWHERE ? "all"
                 : h->chunk                    ? chunk
                                               : "Lmax",
                 h->key, h->value);
        failed = protocol_meta(&run->protocol, "hint_asked", text, error);
    }
    return failed;
}

static int describe_run(struct io_run *run, struct message *error)
{
    char date[CLOCK_DATE_SIZE], list[512] = "", seed[24];
    const struct io_settings *s = run->settings;
    const char *source = s->memory || s->total_memory ? "given"
                         : run->machine.memory_mib    ? "detected"
                                                      : "unknown";
    for (int i = 0; i < run->partition_count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%" PRId64, i ? "," : "", run->partitions[i]);
    }
    clock_date(date);
    snprintf(seed, sizeof seed, "%" PRIu64, run->seed);
    return protocol_meta(&run->protocol, "definition", IO_DEFINITION, error) ||
           protocol_meta(&run->protocol, "command", run->command, error) ||
           protocol_meta(&run->protocol, "started", date, error) ||
           machine_describe(run->world, &run->machine, &run->protocol, error) ||
           put_number(run, "time_s", s->run.time, error) ||
           protocol_meta(&run->protocol, "seed", seed, error) ||
           put_number(run, "memory_per_process_mib", (double)run->memory_mib, error) ||
           protocol_meta(&run->protocol, "memory_source", source, error) ||
           put_number(run, "node_memory_mib", (double)sysinfo_usable_mib(&run->machine.node), error) ||
           put_number(run, "lmax", (double)run->mpart, error) ||
           put_number(run, "clock_resolution_s", clock_resolution(world_now, NULL), error) ||
           protocol_meta(&run->protocol, "partitions", list, error) ||
           protocol_meta(&run->protocol, "scratch", run->shared.path, error) ||
           put_number(run, "free_bytes", (double)run->free_bytes, error) ||
           put_number(run, "max_bytes", (double)run->max_bytes, error) ||
           finish_describe_settings(&io_options, s, &run->protocol, error) || describe_hints(run, error);
}

/* Directory and protocol, on rank 0. */
static enum exit_status open_protocol(struct io_run *run, struct message *error)
{
    const struct io_settings *s = run->settings;
    const char *host = run->machine.node.names.nodename;
    enum rundir_status made = rundir_make(&run->directory, s->run.output, s->run.force, io_options.program,
                                          host, run->world->size, error);
    if (made != RUNDIR_OK)
        return made == RUNDIR_EXISTS ? EXIT_USAGE : EXIT_ENVIRONMENT;
    char *path = rundir_file(&run->directory, "run.prot", error);
    int failed = !path || protocol_create(&run->protocol, path, s->run.force, &io_record_type, error);
    free(path);
    return failed ? EXIT_ENVIRONMENT : EXIT_RATED;
}

enum exit_status io_run_set_up(struct io_run *run)
{
    struct message error = {""};
    enum exit_status status = EXIT_RATED;
    bool first = run->world->rank == 0;
    run->seed = run->settings->seed ? run->settings->seed : draw_seed();
    world_broadcast(run->world, &run->seed, sizeof run->seed);
    run->path = run->settings->path ? run->settings->path : ".";
    look_at_machine(run);
    run->first_process = world_first_process(run->world);
    if (first)
        status = read_request(run, &error);
    if ((status = decide(run, status, &error)) != EXIT_RATED)
        return status;
    world_broadcast(run->world, &run->partition_count, sizeof run->partition_count);
    world_broadcast(run->world, run->partitions, sizeof run->partitions);
    share_hints(run);
    if ((status = set_up_buffers(run)) != EXIT_RATED)
        return status;
    if (first)
        status = check_space(run, &error);
    if ((status = decide(run, status, &error)) != EXIT_RATED)
        return status;
    world_broadcast(run->world, &run->max_bytes, sizeof run->max_bytes);
    if ((status = make_scratch(run)) != EXIT_RATED || (status = check_separated_space(run)) != EXIT_RATED)
        return status;
    if (first) {
        status = open_protocol(run, &error);
        if (status == EXIT_RATED && describe_run(run, &error))
            status = EXIT_ENVIRONMENT;
        progress_start(&run->progress, run->settings->run.progress == PROGRESS_NEVER,
                       run->settings->run.progress == PROGRESS_LOG);
    }
    return decide(run, status, &error);
}
