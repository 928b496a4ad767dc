/* beff's half of a run: orders and records, between conductor and measurement. Uses setup, measurement. */
#include "beff/mpi/run.h"

#include <inttypes.h>
#include <limits.h>

#include "beff/engine.h"
#include "common/clock.h"
#include "common/measure.h"

/* Time kept for the end beside what writing the results takes, which is measured: a share of the start for
 * ending MPI, which took no longer than starting it wherever we looked. */
#define END_SECONDS 0.1
/* Giving gigabytes of buffers back takes a good part of the time it took to get them. */
#define END_BUFFER_SHARE 0.3

enum { MOST_REPORTED = 10 };

_Static_assert(sizeof(struct order) <= RUN_ORDER_SIZE, "an order has to fit");

static struct beff_run *of(struct run *run)
{
    return (struct beff_run *)run;
}

/* ---- the conductor's world ---- */

/* The time that is used up: what the end takes grows with the records. */
static double elapsed(void *context)
{
    const struct beff_run *b = context;
    return run_elapsed(&b->run) + run_end_seconds(&b->run);
}

static void report_mismatch(struct beff_run *b, const struct tally *t)
{
    const struct world *world = b->run.world;
    if (b->reported++ < MOST_REPORTED)
        world_say(world,
                  "data error: rank %d received 0x%02x instead of 0x%02x (%s byte of a message from rank %d, "
                  "iteration %.0f) %s",
                  (int)t->bad_rank, (unsigned)t->bad_found, (unsigned)t->bad_expected,
                  t->bad_last ? "last" : "first", (int)t->bad_from, t->bad_iteration, world->doing);
    else if (b->reported == MOST_REPORTED + 1)
        world_say(world, "further data errors are counted in run.prot only");
}

static int measure_order(void *context, const struct order *order, struct outcome *outcome,
                         struct message *error)
{
    struct beff_run *b = context;
    run_order(&b->run, order);
    struct tally t = measurer_measure(&b->measurer, order);
    if (t.errors > 0) {
        report_mismatch(b, &t);
        b->errors += (int64_t)t.errors;
    }
    if (t.fault > 0)
        return message_set(error, "%s on rank %d %s", measure_status_text((enum measure_status)t.fault),
                           (int)t.fault_rank, b->run.world->doing);
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
    struct beff_run *b = context;
    b->recorded_errors += record->errors;
    return run_record(&b->run, record, error);
}

static void show_progress(void *context, const struct beff_record *last, double expected)
{
    struct beff_run *b = context;
    progress_show(&b->run.progress, elapsed(b), expected,
                  "pass %" PRId64 "/%" PRId64 " %s %s %" PRId64 " B: %.1f MB/s", last->pass, last->rep,
                  last->pattern, last->method, last->bytes, last->bandwidth);
}

/* ---- roles ---- */

static int note_conduct(struct beff_run *b, const struct conductor *conductor, struct message *error)
{
    char lines[REDUCED_LINES][REDUCED_SIZE];
    int failed = run_note(&b->run, error, "probe_errors", "%" PRId64, b->errors - b->recorded_errors);
    conductor_reduced(conductor, lines);
    for (int i = 0; i < REDUCED_LINES && lines[i][0] && !failed; i++)
        failed = run_note(&b->run, error, "reduced", "%s", lines[i]);
    return failed;
}

/* Measures until the time is up. */
static enum exit_status conduct(struct run *run, struct message *end)
{
    struct beff_run *b = of(run);
    const struct beff_settings *s = (const struct beff_settings *)run->settings;
    struct conductor_world world = {elapsed, measure_order, keep_record, show_progress, b};
    struct conductor conductor;
    struct message error;
    double stop_at = s->run.time - END_SECONDS - run->start / 2 - END_BUFFER_SHARE * b->buffer_seconds;
    if (conductor_make(&conductor, &world, &b->list, stop_at, s->max_loops ? s->max_loops : LONG_MAX,
                       run->resolution)) {
        message_set(end, "out of memory for the time plan");
        return EXIT_ERRORS;
    }
    enum exit_status status = EXIT_RATED;
    switch (conductor_run(&conductor)) {
    case CONDUCTOR_TIME_UP:
        break;
    case CONDUCTOR_STOPPED:
        message_set(end, "stopped by signal %d", conductor.stop);
        status = EXIT_STOPPED;
        break;
    case CONDUCTOR_FAILED:
        *end = conductor.error;
        status = EXIT_ERRORS;
        break;
    }
    if (note_conduct(b, &conductor, &error))
        world_say(run->world, "%s", error.text);
    conductor_free(&conductor);
    return status;
}

static bool perform(struct run *run, const void *order)
{
    measurer_measure(&of(run)->measurer, order);
    return true;
}

static void free_run(struct run *run)
{
    measurer_free(&of(run)->measurer);
    patterns_free(&of(run)->list);
}

const struct run_engine beff_run_engine = {
    .engine = &beff_engine,
    .order_size = sizeof(struct order),
    .late_share = 0.01,
    .late = 0.2,
    .set_up = beff_set_up,
    .describe = beff_describe,
    .conduct = conduct,
    .perform = perform,
    .free = free_run,
};
