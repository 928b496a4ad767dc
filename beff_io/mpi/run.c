/* The program beff_io: orders, records and notes, between conductor and measurement; the scratch
 * directories' end. Uses setup, measurement. */
#include "beff_io/mpi/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beff_io/results.h"

_Static_assert(sizeof(struct io_order) <= RUN_ORDER_SIZE, "an order has to fit");

static struct io_run *of(struct run *run)
{
    return (struct io_run *)run;
}

/* ---- the conductor's world ---- */

static int64_t free_bytes(void *context)
{
    const struct io_run *io = context;
    int64_t shared = scratch_free_bytes(io->shared.path, NULL), own = scratch_free_bytes(io->own.path, NULL);
    return shared < own ? shared : own;
}

/* Hints in force, once for each partition, access method and type. */
static int note_hints(struct io_run *io, const struct io_order *order, struct message *error)
{
    char hints[1600];
    int64_t *told = &io->hints_told[order->access][order->type];
    if (*told == order->processes || order->action != IO_ACTION_OPEN || order->probe)
        return 0;
    *told = order->processes;
    file_hints(io->measurer.transfer.file, hints, sizeof hints);
    return run_note(&io->run, error, "hints_in_force", "%s %s, %" PRId64 " processes: %s",
                    io_access_name(order->access), io_type_name(order->type), order->processes,
                    *hints ? hints : "none told");
}

static int carry_out(void *context, const struct io_order *order, struct io_outcome *outcome,
                     struct message *error)
{
    struct io_run *io = context;
    run_order(&io->run, order);
    struct io_tally tally = io_measurer_perform(&io->measurer, order);
    *outcome = tally.outcome;
    return tally.failed_rank >= 0 ? message_set(error, "%s", tally.failure) : note_hints(io, order, error);
}

static int keep_record(void *context, const struct io_record *record, double expected, struct message *error)
{
    struct run *run = context;
    int failed = run_record(run, record, error);
    progress_show(&run->progress, run_elapsed(run), expected,
                  "%" PRId64 " processes, %s, type %" PRId64 ", %s: %.1f MB/s", record->processes,
                  record->access, record->type, record->pattern, record->bandwidth);
    return failed;
}

/* ---- roles ---- */

/* Removes this process's files, and what is left of all if it is the one to do so: where the others can't any
 * more, one look at the whole directory is enough. */
static void remove_files(const struct io_run *io, bool sweep, struct message *error)
{
    *error = (struct message){""};
    io_measurer_remove_own(&io->measurer);
    scratch_remove(&io->own, error);
    if (sweep && io->shared.path)
        scratch_remove(&(struct scratch){.path = io->shared.path}, error);
}

/* The last resort where MPI itself ends this process: `will` points to the run, or to NULL if everything is
 * in order. */
static void execute(int status, void *will)
{
    const struct io_run *io = *(const struct io_run **)will;
    struct message ignored;
    (void)status;
    if (io) /* the launcher kills the others */
        remove_files(io, true, &ignored);
}

/* Kept by exit(), so it is never freed. */
static void write_will(struct io_run *io)
{
    io->will = calloc(1, sizeof *io->will);
    if (!io->will)
        return;
    *io->will = io;
    on_exit(execute, io->will);
}

/* Measures until everything is done. */
static enum exit_status conduct(struct run *run, struct message *end)
{
    struct io_run *io = of(run);
    struct io_conductor_world world = {run_elapsed, carry_out, keep_record, free_bytes, io};
    struct io_conductor *conductor = malloc(sizeof *conductor);
    struct message error;
    if (!conductor)
        return EXIT_WITH(EXIT_ERRORS, end, "out of memory for the schedule");
    /* A run that is long enough to be valid keeps the schedule of the definition as it is. */
    bool adapts = run->settings->time / io->task.partition_count < io_valid_seconds(io->task.partition_count);
    /* Bytes of files that all nodes together can hold in memory. */
    double cache =
        (double)run->machine.available_mib * 1048576 * run->machine.most_ranks * run->machine.nodes;
    io_conductor_make(conductor, &world, &io->task, run->settings->time - run_reserve(run), cache, adapts);
    if (io->kept)
        memcpy(conductor->layout, io->kept, sizeof conductor->layout);
    enum exit_status status = io_conductor_run(conductor);
    *end = conductor->error;
    if (conductor->probe_errors && run_note(run, &error, "probe_errors", "%" PRId64, conductor->probe_errors))
        world_say(run->world, "%s", error.text);
    if (io->settings->keep && !io->kept && kept_write(&io->task, conductor->layout, io->shared.path, &error))
        world_say(run->world, "%s", error.text);
    free(conductor);
    return status;
}

static enum exit_status set_up(struct run *run)
{
    enum exit_status status = io_set_up(run);
    if (status == EXIT_RATED && !of(run)->settings->keep)
        write_will(of(run));
    return status;
}

static bool perform(struct run *run, const void *order)
{
    bool takes_part = run->world->rank < ((const struct io_order *)order)->processes;
    if (takes_part)
        io_measurer_perform(&of(run)->measurer, order);
    return takes_part;
}

/* ---- the end ---- */

/* A failure in a call that all make together leaves the others in it; otherwise they have a long batch of
 * calls before they agree on how to go on. */
static void tell_failure(const struct run *run, struct message *text)
{
    const struct transfer *t = &((const struct io_run *)run)->measurer.transfer;
    bool waited_for = *run->world->failure && transfer_is_collective(t->order.type);
    message_set(text, "%s%s", run->world->failure, waited_for ? "; others wait in a collective call" : "");
}

/* After an error the file may still be open, on all alike. */
static void close_file(struct run *run)
{
    transfer_close(&of(run)->measurer.transfer);
}

static void clean(struct run *run, bool all)
{
    const struct io_run *io = of(run);
    struct message error;
    if (((const struct io_settings *)run->settings)->keep) { /* the engine's own may not be set up yet */
        scratch_keep(&io->own);
        scratch_keep(&io->shared);
    } else {
        /* Rank 1 where rank 0 hangs. */
        bool own = run->world->rank == 0 || (all && (run->world->rank == 1 || *run->world->failure));
        remove_files(io, own, &error);
        if (*error.text)
            world_say(run->world, "%s", error.text);
    }
    if (io->will)
        *io->will = NULL;
}

static void free_run(struct run *run)
{
    struct io_run *io = of(run);
    io_measurer_free(&io->measurer);
    hints_free(&io->hints);
    free(io->kept);
    scratch_free(&io->shared);
    scratch_free(&io->own);
}

static const struct run_engine run_engine = {
    .engine = &beff_io_engine,
    .order_size = sizeof(struct io_order),
    .idles = true,
    .late_share = 0.04,
    .set_up = set_up,
    .describe = io_describe,
    .conduct = conduct,
    .perform = perform,
    .failure = tell_failure,
    .close = close_file,
    .clean = clean,
    .free = free_run,
};

int main(int argc, char **argv)
{
    struct io_settings settings;
    struct io_run run = {0};
    return run_main(&run_engine, &run.run, &settings, argc, argv);
}
