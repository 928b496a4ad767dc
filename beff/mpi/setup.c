/* Set-up of a run: machine, buffers, output directory, the protocol's metadata. Uses machine, measurement. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "beff/mpi/run.h"
#include "common/clock.h"
#include "common/finish.h"

/* The memory copy for the limits: seconds for one size, and its share of the whole time. */
#define COPY_SECONDS 2.5e-3
#define COPY_SHARE   0.01
enum { COPY_REPETITIONS = 3 };

/* Ends the run on all processes alike, with one line from rank 0. */
static enum exit_status refuse(const struct run *run, enum exit_status status, const char *text)
{
    if (run->world->rank == 0)
        world_say(run->world, "%s", text);
    return status;
}

/* Whether something worked on all processes. */
static bool all_well(struct run *run, bool well)
{
    int own = well, all = 0;
    WORLD_CHECK(run->world, MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, run->world->comm));
    return all;
}

/* ---- machine and memory ---- */

static void look_at_machine(struct run *run)
{
    machine_detect(run->world, &run->machine);
    run->world->yield = run->machine.oversubscribed;
    run->memory_mib = run->settings->memory ? run->settings->memory : run->machine.memory_mib;
    if (run->memory_mib < 1)
        run->memory_mib = 1;
    run->lmax = beff_lmax(run->memory_mib);
    if (run->machine.oversubscribed && run->world->rank == 0)
        world_say(
            run->world,
            "oversubscribed: a node has %d processes, more than the processors they may use (%d here): MPI's "
            "waiting costs milliseconds, the result will be NOT VALID. Start at most one process per "
            "processor",
            run->machine.most_ranks, run->machine.processors);
}

static enum exit_status set_up_buffers(struct run *run)
{
    struct message text;
    int64_t mib = exchange_memory(run->lmax, run->world->size) / (1024 * 1024) + 1;
    message_set(&text,
                "out of memory: each process needs %" PRId64 " MiB for message buffers (Lmax %" PRId64
                " B), about %" PRId64 " MiB are free for it; --memory sets a smaller memory per process",
                mib, run->lmax, run->machine.available_mib);
    if (run->machine.available_mib && mib > run->machine.available_mib)
        return refuse(run, EXIT_ENVIRONMENT, text.text);
    bool well = patterns_make(&run->list, run->world->size, (int)run->settings->polygons, run->settings->seed,
                              run->lmax) == 0;
    well = well && measurer_make(&run->measurer, run->world, &run->list) == 0;
    return all_well(run, well) ? EXIT_RATED : refuse(run, EXIT_ENVIRONMENT, text.text);
}

/* ---- protocol ---- */

/* Metadata; the guard may end the protocol at any time. */
static int put_meta(struct run *run, const char *key, const char *value, struct message *error)
{
    pthread_mutex_lock(&run->lock);
    int failed = run->finished ? 0 : protocol_meta(&run->protocol, key, value, error);
    pthread_mutex_unlock(&run->lock);
    return failed;
}

static int put_number(struct run *run, const char *key, double value, struct message *error)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    return protocol_meta(&run->protocol, key, text, error);
}

static int describe_run(struct run *run, struct message *error)
{
    char date[CLOCK_DATE_SIZE], seed[32];
    const char *source = run->settings->memory ? "given" : run->machine.memory_mib ? "detected" : "unknown";
    clock_date(date);
    snprintf(seed, sizeof seed, "%" PRIu64, run->settings->seed);
    return protocol_meta(&run->protocol, "definition", BEFF_DEFINITION, error) ||
           protocol_meta(&run->protocol, "command", run->command, error) ||
           protocol_meta(&run->protocol, "started", date, error) ||
           machine_describe(run->world, &run->machine, &run->protocol, error) ||
           put_number(run, "clock_resolution_s", run->resolution, error) ||
           protocol_meta(&run->protocol, "seed", seed, error) ||
           put_number(run, "time_s", run->settings->run.time, error) ||
           put_number(run, "memory_per_process_mib", (double)run->memory_mib, error) ||
           protocol_meta(&run->protocol, "memory_source", source, error) ||
           put_number(run, "lmax", (double)run->lmax, error) ||
           finish_describe_settings(&beff_options, run->settings, &run->protocol, error);
}

/* Directory and protocol, on rank 0. */
static enum exit_status open_protocol(struct run *run, struct message *error)
{
    const struct beff_settings *s = run->settings;
    const char *host = run->machine.node.names.nodename;
    switch (
        rundir_make(&run->directory, s->run.output, s->run.force, "beff", host, run->world->size, error)) {
    case RUNDIR_EXISTS:
        return EXIT_USAGE;
    case RUNDIR_UNUSABLE:
        return EXIT_ENVIRONMENT;
    case RUNDIR_OK:
        break;
    }
    char *path = rundir_file(&run->directory, "run.prot", error);
    int failed = !path || protocol_create(&run->protocol, path, s->run.force, &beff_record_type, error);
    free(path);
    failed = failed || describe_run(run, error);
    run->opened = !failed;
    return failed ? EXIT_ENVIRONMENT : EXIT_RATED;
}

/* Memory copies as a limit: rank 0 goes on as long as they stay within their share of the time. */
static int measure_copies(struct run *run, struct message *error)
{
    bool leads = run->world->rank == 0;
    double seconds =
        fmin(COPY_SECONDS, COPY_SHARE * run->settings->run.time / (BEFF_SIZES * COPY_REPETITIONS));
    double end = clock_since_start() + 2 * COPY_SHARE * run->settings->run.time;
    int64_t loops[BEFF_SIZES] = {0};
    int failed = 0;
    for (int i = 0; i < COPY_REPETITIONS * BEFF_SIZES; i++) {
        int goes_on = clock_since_start() < end, size = i % BEFF_SIZES;
        world_broadcast(run->world, &goes_on, sizeof goes_on);
        if (!goes_on)
            break;
        char text[64];
        double bandwidth = measurer_copy(&run->measurer, size, seconds, &loops[size]);
        snprintf(text, sizeof text, "%" PRId64 " %.6g", run->list.sizes[size], bandwidth);
        if (leads && !failed)
            failed = put_meta(run, "copy", text, error);
    }
    return failed;
}

/* What is measured beside the patterns: the tool's own cost, and memory copies. */
static int measure_beside(struct run *run, struct message *error)
{
    double null_iteration = measurer_null(&run->measurer);
    char text[32];
    snprintf(text, sizeof text, "%.4g", null_iteration);
    if (run->world->rank == 0 && put_meta(run, "null_iteration_s", text, error))
        return -1;
    return measure_copies(run, error);
}

/* With the protocol open: should the time be up before that is done, the protocol says so. */
static void touch_buffers(struct run *run)
{
    double start = clock_since_start();
    exchange_touch(&run->measurer.exchange);
    run->buffer_seconds = clock_since_start() - start;
}

static enum exit_status set_up_output(struct run *run)
{
    struct message error;
    enum exit_status status = EXIT_RATED;
    if (run->world->rank == 0) {
        run->resolution = clock_resolution(world_now, NULL);
        pthread_mutex_lock(&run->lock);
        status = open_protocol(run, &error);
        pthread_mutex_unlock(&run->lock);
        if (status != EXIT_RATED)
            world_say(run->world, "%s", error.text);
        progress_start(&run->progress, run->settings->run.progress == PROGRESS_NEVER,
                       run->settings->run.progress == PROGRESS_LOG);
    }
    world_broadcast(run->world, &status, sizeof status);
    if (status == EXIT_RATED)
        touch_buffers(run);
    if (status == EXIT_RATED && measure_beside(run, &error)) {
        world_say(run->world, "%s", error.text); /* of rank 0 */
        status = EXIT_ENVIRONMENT;
    }
    world_broadcast(run->world, &status, sizeof status);
    return status;
}

enum exit_status run_set_up(struct run *run)
{
    if (run->world->size < 2)
        return refuse(run, EXIT_ENVIRONMENT,
                      "too few processes: b_eff takes at least 2, 1 was started (mpiexec -n 2 beff ...)");
    look_at_machine(run);
    enum exit_status status = set_up_buffers(run);
    return status == EXIT_RATED ? set_up_output(run) : status;
}
