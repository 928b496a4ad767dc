/* The program beff_io: commands, records and notes, between scheduler and runner; the scratch directories'
 * end. Uses setup, runner. */
#include "beff_io/mpi/run.h"

#include <inttypes.h>
#include <stdlib.h>

#include "beff_io/results.h"

struct sent_command {
    struct run_command header;
    struct io_command command;
};

static struct io_run *of(struct run *run)
{
    return (struct io_run *)run;
}

/* ---- what the scheduler needs ---- */

static int64_t free_bytes(void *context)
{
    const struct io_run *io = context;
    int64_t shared = sysinfo_free_bytes(io->shared.path, NULL), own = sysinfo_free_bytes(io->own.path, NULL);
    return shared < own ? shared : own;
}

/* Hints in force, of each partition, access method and type. */
static int note_hints(struct io_run *io, const struct io_command *command, struct message *error)
{
    char hints[1600];
    file_hints(io->runner.transfer.file, hints, sizeof hints);
    return run_note(&io->run, error, "hints_in_force", "%s %s, %" PRId64 " processes: %s",
                    io_access_names[command->access], io_type_names[command->type],
                    io->task.partitions[command->partition], *hints ? hints : "none reported");
}

static int carry_out(void *context, const struct io_command *command, struct io_measurement *measurement,
                     struct message *error)
{
    struct io_run *io = context;
    struct sent_command sent = {.command = *command};
    run_tell(&io->run, &sent.header);
    *measurement = io_runner_perform(&io->runner, command);
    if (measurement->failed_rank >= 0)
        return message_set(error, "%s", measurement->failure.text);
    return command->action == IO_OPEN ? note_hints(io, command, error) : 0;
}

static int keep_record(void *context, const struct io_record *record, struct message *error)
{
    struct run *run = context;
    int failed = run_record(run, record, error);
    progress_show(&run->progress, run_elapsed(run), run->settings->time,
                  "%" PRId64 " processes, %s, type %" PRId64 ", %s: %.1f MB/s", record->processes,
                  record->access, record->type, record->pattern, record->bandwidth);
    return failed;
}

/* ---- roles ---- */

/* Removes this process's files; with `sweep` the whole directory, for processes that no longer can. */
static void remove_files(const struct io_run *io, bool sweep, struct message *error)
{
    *error = (struct message){""};
    io_runner_remove_own(&io->runner);
    scratch_remove(&io->own, error);
    if (sweep && io->shared.path)
        scratch_remove(&(struct scratch){.path = io->shared.path}, error);
}

/* Measures until everything is done. */
static enum exit_status schedule(struct run *run, struct message *end)
{
    struct io_run *io = of(run);
    struct io_scheduler_ops ops = {run_elapsed, carry_out, keep_record, free_bytes, io};
    struct io_scheduler scheduler;
    io_scheduler_make(&scheduler, &ops, &io->task, io->runner.layouts, run->settings->time);
    enum exit_status status = io_scheduler_run(&scheduler);
    *end = scheduler.error;
    return status;
}

static bool perform(struct run *run, const struct run_command *sent)
{
    struct io_run *io = of(run);
    const struct io_command *command = &((const struct sent_command *)sent)->command;
    bool takes_part = run->comm->rank < io->task.partitions[command->partition];
    if (takes_part)
        io_runner_perform(&io->runner, command);
    return takes_part;
}

/* ---- the end ---- */

/* A failure in a collective call leaves the other processes in it; otherwise they have a batch of calls to
 * make before the next vote. */
static void describe_failure(const struct run *run, struct message *text)
{
    const struct transfer *t = &((const struct io_run *)run)->runner.transfer;
    bool waited_for = *run->comm->failure && transfer_is_collective(t->command.type);
    message_set(text, "%s%s", run->comm->failure, waited_for ? "; others wait in a collective call" : "");
}

/* After an error the file may still be open, on all alike. */
static void close_file(struct run *run)
{
    transfer_close(&of(run)->runner.transfer);
}

static void clean(struct run *run, bool all)
{
    const struct io_run *io = of(run);
    struct message error;
    if (((const struct io_settings *)run->settings)->keep) { /* the engine's own may not be set up yet */
        scratch_keep(&io->own);
        scratch_keep(&io->shared);
    } else {
        remove_files(io, all || run->comm->rank == 0, &error);
        if (*error.text)
            comm_say(run->comm, "%s", error.text);
    }
}

static void free_run(struct run *run)
{
    struct io_run *io = of(run);
    io_runner_free(&io->runner);
    hints_free(&io->hints);
    scratch_free(&io->shared);
    scratch_free(&io->own);
}

static const struct run_engine run_engine = {
    .engine = &beff_io_engine,
    .command_size = sizeof(struct sent_command),
    .idles = true,
    .late_share = 0.04,
    .set_up = io_set_up,
    .describe = io_describe,
    .schedule = schedule,
    .perform = perform,
    .failure = describe_failure,
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
