/* Set-up of beff: memory and message sizes, buffers, protocol, and what is measured beside the patterns. Uses
 * measurement. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "beff/mpi/run.h"
#include "common/clock.h"

/* The memory copy for the limits: seconds for one size, and its share of the whole time. */
#define COPY_SECONDS 2.5e-3
#define COPY_SHARE   0.01
enum { COPY_REPETITIONS = 3 };

static enum exit_status make_buffers(struct beff_run *b, const struct beff_settings *s, struct message *error)
{
    const struct world *world = b->run.world;
    int64_t available = b->run.machine.available_mib;
    int64_t mib = exchange_memory(b->lmax, world->size) / (1024 * 1024) + 1;
    message_set(error,
                "out of memory: each process needs %" PRId64 " MiB for message buffers (Lmax %" PRId64
                " B), about %" PRId64 " MiB are free for it; --memory sets a smaller memory per process",
                mib, b->lmax, available);
    bool made = (!available || mib <= available) &&
                patterns_make(&b->list, world->size, (int)s->polygons, s->seed, b->lmax) == 0 &&
                measurer_make(&b->measurer, b->run.world, &b->list) == 0;
    return made ? EXIT_RATED : EXIT_ENVIRONMENT;
}

/* Memory copies as a limit: rank 0 goes on as long as they stay within their share of the time. */
static int measure_copies(struct beff_run *b, struct message *error)
{
    double time = b->run.settings->time;
    double seconds = fmin(COPY_SECONDS, COPY_SHARE * time / (BEFF_SIZES * COPY_REPETITIONS));
    double end = run_elapsed(&b->run) + 2 * COPY_SHARE * time;
    int64_t loops[BEFF_SIZES] = {0};
    int failed = 0;
    for (int i = 0; i < COPY_REPETITIONS * BEFF_SIZES; i++) {
        int goes_on = run_elapsed(&b->run) < end, size = i % BEFF_SIZES;
        world_broadcast(b->run.world, &goes_on, sizeof goes_on);
        if (!goes_on)
            break;
        double bandwidth = measurer_copy(&b->measurer, size, seconds, &loops[size]);
        if (b->run.world->rank == 0 && !failed)
            failed = run_note(&b->run, error, "copy", "%" PRId64 " %.6g", b->list.sizes[size], bandwidth);
    }
    return failed;
}

/* What is measured beside the patterns: the tool's own cost, and memory copies. */
static enum exit_status measure_beside(struct beff_run *b, struct message *error)
{
    double start = clock_since_start();
    exchange_touch(&b->measurer.exchange);
    b->buffer_seconds = clock_since_start() - start;
    struct message later; /* the first failure is the one to tell */
    double null_iteration = measurer_null(&b->measurer);
    int failed = 0;
    if (b->run.world->rank == 0)
        failed = run_note(&b->run, error, "null_iteration_s", "%.4g", null_iteration);
    if (measure_copies(b, failed ? &later : error))
        failed = -1;
    return failed ? EXIT_ENVIRONMENT : EXIT_RATED;
}

int beff_describe(struct run *run, struct message *error)
{
    const struct beff_run *b = (const struct beff_run *)run;
    const struct beff_settings *s = (const struct beff_settings *)run->settings;
    return protocol_put(&run->protocol, error, "seed", "%" PRIu64, s->seed) ||
           protocol_put(&run->protocol, error, "lmax", "%" PRId64, b->lmax);
}

enum exit_status beff_set_up(struct run *run)
{
    struct beff_run *b = (struct beff_run *)run;
    struct beff_settings settings = *(const struct beff_settings *)run->settings;
    struct message error;
    enum exit_status status = EXIT_RATED;
    world_broadcast(run->world, &settings.seed, sizeof settings.seed); /* "random" was drawn by each */
    if (run->world->size < 2) {
        message_set(&error,
                    "too few processes: b_eff takes at least 2, 1 was started (mpiexec -n 2 beff ...)");
        status = EXIT_ENVIRONMENT;
    }
    if ((status = world_agree(run->world, status, &error)) != EXIT_RATED)
        return status;
    run_set_memory(run, settings.memory);
    run_warn_oversubscribed(run, ", the result will be NOT VALID");
    b->lmax = beff_lmax(run->memory_mib);
    status = world_agree(run->world, make_buffers(b, &settings, &error), &error);
    if (status == EXIT_RATED)
        status = world_agree(run->world, run->world->rank == 0 ? run_open(run, &error) : EXIT_RATED, &error);
    /* With the protocol open: should the time be up before that is done, the protocol says so. */
    return status == EXIT_RATED ? world_agree(run->world, measure_beside(b, &error), &error) : status;
}
