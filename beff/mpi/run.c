/* One run of beff on all processes. Uses everything else. */
#include "beff/mpi/run.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beff/conductor.h"
#include "beff/finish.h"
#include "beff/mpi/exchange.h"
#include "common/clock.h"
#include "common/measure.h"
#include "common/mpi/machine.h"
#include "common/progress.h"

/* Time kept for writing the results and ending MPI: measured on the way, at least this. */
#define END_SECONDS 0.12
/* A run whose main thread hangs is ended by the guard: this share of T after the time is up, or that long
 * after a signal. */
#define GUARD_SHARE    0.01
#define GUARD_PATIENCE 1.5

enum action { ACTION_MEASURE, ACTION_END };

/* What rank 0 tells the others to do. */
struct command {
    enum action action;
    struct order order;
    enum exit_status status; /* of ACTION_END */
};

/* What a measurement gave, on one process and, reduced, on all: only doubles, combined by combine(). */
struct tally {
    double t_min, t_sum, t_max, parts; /* of the processes that take part; parts: how many */
    double errors;
    double stop;  /* signal */
    double fault; /* enum measure_status */
    double fault_rank, fault_code;
    double bad_rank, bad_from, bad_iteration, bad_last, bad_expected,
        bad_found; /* first wrong byte, lowest rank */
};

enum { TALLY_MEMBERS = sizeof(struct tally) / sizeof(double) };

struct run {
    struct world *world;
    const struct beff_settings *settings;
    struct machine machine;
    struct pattern_list list;
    int64_t memory_mib, lmax, sizes[BEFF_SIZES];
    struct neighbours *neighbours; /* of this process, in each pattern */
    struct exchange exchange;
    MPI_Datatype tally_type;
    MPI_Op tally_op;
    char doing[128];
    double null_iteration;

    /* Rank 0 only. */
    struct rundir directory;
    struct protocol protocol;
    pthread_mutex_t lock; /* protocol and finish: main thread or guard */
    bool finished;
    enum exit_status status;
    struct progress progress;
    int reported; /* data errors that were printed one by one */
};

/* ---- one measurement, on every process ---- */

static void combine(void *in, void *inout, int *length, MPI_Datatype *type) {
    (void)type;
    const struct tally *from = in;
    struct tally *to = inout;
    for (int i = 0; i < *length; i++, from++, to++) {
        if (from->errors > 0 && (to->errors == 0 || from->bad_rank < to->bad_rank)) {
            to->bad_rank = from->bad_rank;
            to->bad_from = from->bad_from;
            to->bad_iteration = from->bad_iteration;
            to->bad_last = from->bad_last;
            to->bad_expected = from->bad_expected;
            to->bad_found = from->bad_found;
        }
        if (from->fault > to->fault) {
            to->fault = from->fault;
            to->fault_rank = from->fault_rank;
            to->fault_code = from->fault_code;
        }
        to->t_min = fmin(to->t_min, from->t_min);
        to->t_max = fmax(to->t_max, from->t_max);
        to->t_sum += from->t_sum;
        to->parts += from->parts;
        to->errors += from->errors;
        to->stop = fmax(to->stop, from->stop);
    }
}

static double now(void *context) {
    (void)context;
    return MPI_Wtime();
}

/* The measuring loop's view of a run. */
struct task {
    struct run *run;
    exchange_iteration *iterate;
};

static int synchronise(void *context) {
    struct task *task = context;
    return world_barrier(task->run->world);
}

static int iterate(void *context, long iteration) {
    struct task *task = context;
    return task->iterate(&task->run->exchange, iteration);
}

static void describe(struct run *run, const struct order *order) {
    snprintf(run->doing, sizeof run->doing, "measuring %s, %s, %" PRId64 " B",
             run->list.patterns[order->pattern].id, method_name(order->method), run->sizes[order->size]);
    run->world->doing = run->doing;
}

static struct tally measure_here(struct run *run, const struct order *order) {
    struct exchange *x = &run->exchange;
    struct task task = {run, exchange_method(order->method)};
    struct measure_world world = {now, synchronise, iterate, &task};
    struct measured measured;
    exchange_prepare(x, &run->neighbours[order->pattern], run->sizes[order->size]);
    bool parts = exchange_takes_part(x), idle = !parts && order->method != METHOD_ALLTOALLV;
    enum measure_status status =
        measure(&world, idle ? 0 : (long)order->warmup, idle ? 0 : (long)order->loops, &measured);
    if (!parts && status == MEASURE_CLOCK_STILL)
        status = MEASURE_OK;
    struct tally tally = {.t_min = parts ? measured.seconds : INFINITY,
                          .t_sum = parts ? measured.seconds : 0,
                          .t_max = parts ? measured.seconds : 0,
                          .parts = parts,
                          .errors = (double)x->errors,
                          .stop = guard_signal(&run->world->guard),
                          .fault = status,
                          .fault_rank = run->world->rank,
                          .fault_code = measured.error,
                          .bad_rank = run->world->rank,
                          .bad_from = x->first.from,
                          .bad_iteration = (double)x->first.iteration,
                          .bad_last = x->first.last,
                          .bad_expected = x->first.expected,
                          .bad_found = x->first.found};
    /* The others may wait for a message that will not come: end it here. */
    if (status == MEASURE_FAILED)
        world_check(run->world, measured.error, method_name(order->method), __FILE__, __LINE__);
    return tally;
}

/* ---- rank 0: the conductor's world ---- */

static double elapsed(void *context) {
    (void)context;
    return clock_since_start();
}

static void report_mismatch(struct run *run, const struct tally *t) {
    const int most = 10;
    if (run->reported++ < most)
        world_say(run->world,
                  "data error: rank %d received 0x%02x instead of 0x%02x (%s byte of a message from rank %d, "
                  "iteration "
                  "%.0f) %s",
                  (int)t->bad_rank, (unsigned)t->bad_found, (unsigned)t->bad_expected,
                  t->bad_last ? "last" : "first", (int)t->bad_from, t->bad_iteration, run->doing);
    else if (run->reported == most + 1)
        world_say(run->world, "further data errors are counted in run.prot only");
}

static int perform(void *context, const struct order *order, struct outcome *outcome, struct message *error) {
    struct run *run = context;
    struct command command = {.action = ACTION_MEASURE, .order = *order};
    world_broadcast(run->world, &command, sizeof command);
    describe(run, order);
    struct tally own = measure_here(run, order), all;
    world_reduce(run->world, &own, &all, 1, run->tally_type, run->tally_op);
    if (all.errors > 0)
        report_mismatch(run, &all);
    if (all.fault > 0)
        return message_set(error, "%s on rank %d %s", measure_status_text((enum measure_status)all.fault),
                           (int)all.fault_rank, run->doing);
    *outcome =
        (struct outcome){all.t_min, all.t_sum / all.parts, all.t_max, (int64_t)all.errors, (int)all.stop};
    return 0;
}

static int keep_record(void *context, const struct beff_record *record, struct message *error) {
    struct run *run = context;
    pthread_mutex_lock(&run->lock);
    int failed = run->finished ? message_set(error, "the run was ended")
                               : protocol_record(&run->protocol, record, error);
    pthread_mutex_unlock(&run->lock);
    return failed;
}

static void show_progress(void *context, const struct beff_record *last, double expected) {
    struct run *run = context;
    progress_show(&run->progress, elapsed(NULL), expected,
                  "pass %" PRId64 "/%" PRId64 " %s %s %" PRId64 " B: %.1f MB/s", last->pass, last->rep,
                  last->pattern, last->method, last->bytes, last->bandwidth);
}

/* ---- the end, on rank 0 ---- */

/* Writes everything; in the main thread or in the guard's. */
static void finish(struct run *run, const char *end, enum exit_status status) {
    pthread_mutex_lock(&run->lock);
    if (run->finished) {
        pthread_mutex_unlock(&run->lock);
        return;
    }
    run->finished = true;
    struct message error;
    char date[CLOCK_DATE_SIZE], seconds[32];
    bool rated;
    int64_t errors;
    progress_end(&run->progress);
    clock_date(date);
    snprintf(seconds, sizeof seconds, "%.3f", clock_since_start());
    int failed = protocol_meta(&run->protocol, "finished", date, &error) ||
                 protocol_meta(&run->protocol, "elapsed_s", seconds, &error);
    if (status != EXIT_RATED && !failed)
        failed = protocol_meta(&run->protocol, "interrupted", end, &error);
    if (failed)
        world_say(run->world, "%s", error.text);
    if (beff_finish(&run->protocol, &run->directory, run->settings, end, &rated, &errors, &error)) {
        world_say(run->world, "%s", error.text);
        failed = 1;
    }
    run->status = status != EXIT_RATED ? status : failed || errors || !rated ? EXIT_ERRORS : EXIT_RATED;
    pthread_mutex_unlock(&run->lock);
}

static void give_up(void *context, enum guard_cause cause) {
    struct run *run = context;
    char end[192];
    enum exit_status status = cause == GUARD_SIGNAL ? EXIT_STOPPED : EXIT_ERRORS;
    if (run->world->rank == 0) {
        if (cause == GUARD_SIGNAL)
            snprintf(end, sizeof end, "partial (stopped by signal %d while %s)",
                     guard_signal(&run->world->guard), run->doing);
        else
            snprintf(end, sizeof end, "partial (the time was up while %s)", run->doing);
        world_say(run->world, "%s", end);
        finish(run, end, status);
        status = run->status;
    } else if (cause == GUARD_SIGNAL) {
        sleep(1); /* rank 0 writes the files first */
    }
    _exit((int)status);
}

/* ---- set-up ---- */

/* Ends the run on all processes alike, with one line from rank 0. */
static enum exit_status refuse(const struct run *run, enum exit_status status, const char *text) {
    if (run->world->rank == 0)
        world_say(run->world, "%s", text);
    return status;
}

/* Whether all processes agree that something worked. */
static bool all_well(struct run *run, bool well) {
    int own = well, all = 0;
    WORLD_CHECK(run->world, MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, run->world->comm));
    return all;
}

static bool find_neighbours(struct run *run) {
    run->neighbours = calloc((size_t)run->list.count + 1, sizeof *run->neighbours);
    int failed = !run->neighbours;
    for (int p = 0; p < run->list.count && !failed; p++)
        failed =
            pattern_neighbours(&run->list, &run->list.patterns[p], run->world->rank, &run->neighbours[p]);
    return !failed;
}

static enum exit_status set_up_buffers(struct run *run) {
    struct message text;
    int64_t mib = exchange_memory(run->lmax, run->world->size) / (1024 * 1024) + 1;
    message_set(&text,
                "out of memory: %" PRId64 " MiB for message buffers are needed in each process (Lmax %" PRId64
                " B), about %" PRId64 " MiB are free for it: --memory sets a smaller memory per process",
                mib, run->lmax, run->machine.available_mib);
    if (run->machine.available_mib && mib > run->machine.available_mib)
        return refuse(run, EXIT_ENVIRONMENT, text.text);
    bool well =
        patterns_make(&run->list, run->world->size, (int)run->settings->polygons, run->settings->seed) == 0;
    well = well && find_neighbours(run);
    well = well && exchange_make(&run->exchange, run->world->comm, run->lmax) == 0;
    return all_well(run, well) ? EXIT_RATED : refuse(run, EXIT_ENVIRONMENT, text.text);
}

static void make_tally_type(struct run *run) {
    WORLD_CHECK(run->world, MPI_Type_contiguous(TALLY_MEMBERS, MPI_DOUBLE, &run->tally_type));
    WORLD_CHECK(run->world, MPI_Type_commit(&run->tally_type));
    WORLD_CHECK(run->world, MPI_Op_create(combine, 1, &run->tally_op));
}

/* Seconds per iteration of the null pattern: a ring's work on buffers and marks without any transfer. */
static void measure_null(struct run *run) {
    const long loops = 20000;
    struct task task = {run, exchange_null};
    struct measure_world world = {now, synchronise, iterate, &task};
    struct measured measured;
    exchange_prepare(&run->exchange, &run->neighbours[BEFF_RING_PATTERNS - 1], 1024);
    measure(&world, loops / 10, loops, &measured);
    run->null_iteration = measured.seconds / (double)loops;
}

/* Metadata of one number. */
static int put_number(struct run *run, const char *key, const char *format, double value,
                      struct message *error) {
    char text[64];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the formats of the calls below */
    snprintf(text, sizeof text, format, value);
#pragma GCC diagnostic pop
    return protocol_meta(&run->protocol, key, text, error);
}

static int describe_settings(struct run *run, struct message *error) {
    int failed = 0;
    for (size_t i = 0; i < beff_options.count && !failed; i++) {
        char *key = text_format("option_%s", beff_options.rows[i].name);
        char *value = option_value(&beff_options.rows[i], run->settings);
        failed = key && value ? protocol_meta(&run->protocol, key, value, error)
                              : message_set(error, "out of memory for the protocol");
        free(key);
        free(value);
    }
    return failed;
}

static int describe_run(struct run *run, const char *command, double resolution, struct message *error) {
    char date[CLOCK_DATE_SIZE], seed[32];
    clock_date(date);
    snprintf(seed, sizeof seed, "%" PRIu64, run->settings->seed);
    return protocol_meta(&run->protocol, "definition", BEFF_DEFINITION, error) ||
           protocol_meta(&run->protocol, "command", command, error) ||
           protocol_meta(&run->protocol, "started", date, error) ||
           machine_describe(run->world, &run->machine, &run->protocol, error) ||
           put_number(run, "clock_resolution_s", "%.3g", resolution, error) ||
           protocol_meta(&run->protocol, "seed", seed, error) ||
           put_number(run, "time_s", "%.17g", run->settings->time, error) ||
           put_number(run, "memory_per_process_mib", "%.0f", (double)run->memory_mib, error) ||
           protocol_meta(&run->protocol, "memory_source",
                         run->settings->memory     ? "given"
                         : run->machine.memory_mib ? "detected"
                                                   : "unknown",
                         error) ||
           put_number(run, "lmax", "%.0f", (double)run->lmax, error) ||
           put_number(run, "null_iteration_s", "%.4g", run->null_iteration, error) ||
           describe_settings(run, error);
}

/* Directory and protocol, on rank 0. */
static enum exit_status open_protocol(struct run *run, const char *command, double resolution,
                                      struct message *error) {
    const struct beff_settings *s = run->settings;
    switch (rundir_make(&run->directory, s->output, s->force, "beff", run->machine.node.names.nodename,
                        run->world->size, error)) {
    case RUNDIR_EXISTS:
        return EXIT_USAGE;
    case RUNDIR_UNUSABLE:
        return EXIT_ENVIRONMENT;
    case RUNDIR_OK:
        break;
    }
    char *path = rundir_file(&run->directory, "run.prot", error);
    int failed = !path || protocol_create(&run->protocol, path, s->force, &beff_record_type, error);
    free(path);
    return failed || describe_run(run, command, resolution, error) ? EXIT_ENVIRONMENT : EXIT_RATED;
}

static enum exit_status set_up_output(struct run *run, const char *command) {
    struct message error;
    enum exit_status status = EXIT_RATED;
    double resolution = run->world->rank == 0 ? clock_resolution(now, NULL) : 0;
    measure_null(run);
    if (run->world->rank == 0) {
        status = open_protocol(run, command, resolution, &error);
        if (status != EXIT_RATED)
            world_say(run->world, "%s", error.text);
        progress_start(&run->progress, run->settings->progress == PROGRESS_NEVER,
                       run->settings->progress == PROGRESS_LOG);
    }
    world_broadcast(run->world, &status, sizeof status);
    return status;
}

static enum exit_status set_up(struct run *run, const char *command) {
    char text[160];
    if (run->world->size < 2)
        return refuse(run, EXIT_ENVIRONMENT,
                      "too few processes: b_eff takes at least 2, 1 was started (mpiexec -n 2 beff ...)");
    machine_detect(run->world, &run->machine);
    run->world->yield = run->machine.oversubscribed;
    run->memory_mib = run->settings->memory ? run->settings->memory : run->machine.memory_mib;
    if (run->memory_mib < 1)
        run->memory_mib = 1;
    run->lmax = beff_lmax(run->memory_mib);
    beff_sizes(run->lmax, run->sizes);
    if (run->machine.oversubscribed && run->world->rank == 0) {
        snprintf(text, sizeof text,
                 "oversubscribed: a node has %d processes on fewer hardware threads; the result will be NOT "
                 "VALID (use "
                 "mpiexec -n %d here)",
                 run->machine.most_ranks, run->machine.online);
        world_say(run->world, "%s", text);
    }
    make_tally_type(run);
    enum exit_status status = set_up_buffers(run);
    return status == EXIT_RATED ? set_up_output(run, command) : status;
}

/* ---- roles ---- */

static void follow(struct run *run) {
    for (;;) {
        struct command command;
        world_broadcast(run->world, &command, sizeof command);
        if (command.action == ACTION_END) {
            run->status = command.status;
            return;
        }
        describe(run, &command.order);
        struct tally own = measure_here(run, &command.order);
        world_reduce(run->world, &own, NULL, 1, run->tally_type, run->tally_op);
    }
}

static void note_thinning(struct run *run, const struct conductor *conductor) {
    char lines[THINNED_LINES][THINNED_SIZE];
    struct message error;
    conductor_thinned(conductor, lines);
    pthread_mutex_lock(&run->lock);
    for (int i = 0; i < THINNED_LINES && lines[i][0] && !run->finished; i++)
        if (protocol_meta(&run->protocol, "thinned", lines[i], &error))
            world_say(run->world, "%s", error.text);
    pthread_mutex_unlock(&run->lock);
}

static void conduct(struct run *run, double stop_at) {
    struct conductor_world world = {elapsed, perform, keep_record, show_progress, run};
    struct conductor conductor;
    char end[640] = "complete";
    enum exit_status status = EXIT_RATED;
    int64_t loops = run->settings->max_loops ? run->settings->max_loops : LONG_MAX;
    if (conductor_make(&conductor, &world, &run->list, run->sizes, stop_at, loops,
                       clock_resolution(now, NULL))) {
        snprintf(end, sizeof end, "partial (out of memory for the time plan)");
        status = EXIT_ERRORS;
    } else {
        switch (conductor_run(&conductor)) {
        case CONDUCTOR_TIME_UP:
            break;
        case CONDUCTOR_STOPPED:
            snprintf(end, sizeof end, "partial (stopped by signal %d)", conductor.stop);
            status = EXIT_STOPPED;
            break;
        case CONDUCTOR_FAILED:
            snprintf(end, sizeof end, "partial (%s)", conductor.error.text);
            status = EXIT_ERRORS;
            break;
        }
        note_thinning(run, &conductor);
    }
    if (status != EXIT_RATED)
        world_say(run->world, "%s", end);
    finish(run, end, status);
    struct command command = {.action = ACTION_END, .status = run->status};
    world_broadcast(run->world, &command, sizeof command);
    conductor_free(&conductor);
}

enum exit_status run(struct world *world, const struct beff_settings *settings, const char *command) {
    struct run run = {.world = world, .settings = settings, .lock = PTHREAD_MUTEX_INITIALIZER};
    double started = clock_since_start(), time = settings->time;
    enum exit_status status = set_up(&run, command);
    if (status == EXIT_RATED) {
        /* Ending MPI took no longer than starting it wherever we looked. */
        double stop_at = time - fmax(END_SECONDS, started / 2);
        world->guard = (struct guard){.deadline = world->rank == 0 ? time * (1 + GUARD_SHARE) : INFINITY,
                                      .patience = GUARD_PATIENCE,
                                      .give_up = give_up,
                                      .context = &run};
        if (guard_start(&world->guard))
            world_say(world, "no thread could be started: signals will not be heard");
        if (world->rank == 0)
            conduct(&run, stop_at);
        else
            follow(&run);
        guard_stop(&world->guard);
        status = run.status;
    }
    world->doing = NULL;
    if (run.tally_type) {
        WORLD_CHECK(world, MPI_Type_free(&run.tally_type));
        WORLD_CHECK(world, MPI_Op_free(&run.tally_op));
    }
    exchange_free(&run.exchange);
    free(run.neighbours);
    patterns_free(&run.list);
    protocol_free(&run.protocol);
    rundir_free(&run.directory);
    return status;
}
