/* The program beff: connects the scheduler on rank 0 with the measurements of all ranks and with the
 * protocol. */
#include "beff/mpi/run.h"

#include <inttypes.h>

/* Share of T that is spent on comparing the nodes. */
#define DIAGNOSIS_SHARE 0.02

enum { MAX_REPORTED = 10 };

static struct beff_run *of(struct run *run)
{
    return (struct beff_run *)run;
}

/* ---- the scheduler's operations ---- */

static void report_mismatch(struct beff_run *b, const struct reduction *r)
{
    const struct comm *comm = b->run.comm;
    if (b->reported++ < MAX_REPORTED)
        comm_say(comm,
                 "data error: rank %d received 0x%02x instead of 0x%02x (%s byte of a message from rank %d, "
                 "iteration %ld) %s",
                 r->rank, (unsigned)r->bad.found, (unsigned)r->bad.expected, r->bad.last ? "last" : "first",
                 r->bad.from, r->bad.iteration, comm->activity);
    else if (b->reported == MAX_REPORTED + 1)
        comm_say(comm, "further data errors are only counted in run.prot");
}

static struct measurement measure(void *context, const struct command *command)
{
    struct beff_run *b = context;
    run_tell(&b->run, &(struct beff_command){.kind = COMMAND_MEASURE, .measure = *command}.header);
    struct reduction r = runner_measure(&b->runner, command);
    if (r.measurement.errors > 0)
        report_mismatch(b, &r);
    b->errors += r.measurement.errors;
    return r.measurement;
}

static int add_record(void *context, const struct beff_record *record, struct message *error)
{
    struct beff_run *b = context;
    b->recorded_errors += record->errors;
    protocol_record(&b->run.protocol, record);
    progress_show(&b->run.progress, run_elapsed(b), b->time_shown,
                  "pass %" PRId64 ", repetition %" PRId64 ", %s %s %" PRId64 " B: %.1f MB/s", record->pass,
                  record->rep, record->pattern, record->method, record->bytes, record->bandwidth);
    return protocol_error(&b->run.protocol, error);
}

static void add_note(void *context, const char *key, const char *value)
{
    struct beff_run *b = context;
    protocol_put(&b->run.protocol, key, "%s", value);
}

static void set_time(void *context, double time)
{
    struct beff_run *b = context;
    run_tell(&b->run, &(struct beff_command){.kind = COMMAND_TIME, .time = time}.header);
    run_set_time(&b->run, time);
    b->time_shown = time;
    protocol_put(&b->run.protocol, "time_s", "%.17g", time);
}

static void say(void *context, const char *text)
{
    const struct beff_run *b = context;
    comm_say(b->run.comm, "%s", text);
}

/* ---- diagnostics ---- */

static void tell_nodes(void *context, const struct node_command *command)
{
    run_tell(context, &(struct beff_command){.kind = COMMAND_NODES, .nodes = *command}.header);
}

static bool is_diagnosed(const struct beff_run *b)
{
    return b->nodes.count >= DIAGNOSIS_MIN_NODES;
}

/* Writes the metadata `diagnosis` and `node`, with the times of the `sizes` measured sizes. */
static void note_nodes(struct beff_run *b, int sizes)
{
    int64_t bytes[DIAGNOSIS_SIZES];
    diagnosis_sizes(b->lmax, bytes);
    if (sizes == DIAGNOSIS_SIZES)
        protocol_put(&b->run.protocol, "diagnosis", "%" PRId64 " %" PRId64, bytes[0], bytes[1]);
    else if (sizes == 1)
        protocol_put(&b->run.protocol, "diagnosis", "%" PRId64, bytes[0]);
    else if (is_diagnosed(b))
        protocol_put(&b->run.protocol, "diagnosis", "not measured");
    else if (b->nodes.count > 1)
        protocol_put(&b->run.protocol, "diagnosis", "not attributable with fewer than %d nodes",
                     DIAGNOSIS_MIN_NODES);
    for (int i = 0; i < b->nodes.count && b->nodes.count > 1; i++) {
        char line[256];
        nodes_line(&b->nodes, i, sizes, line, sizeof line);
        protocol_put(&b->run.protocol, "node", "%s", line);
    }
}

/* Compares the nodes after the patterns, unless the run was stopped. */
static void measure_diagnostics(struct beff_run *b, bool stopped)
{
    int sizes = 0;
    if (!stopped && is_diagnosed(b))
        sizes = nodes_diagnose(&b->nodes, DIAGNOSIS_SHARE * b->run.time, tell_nodes, b);
    note_nodes(b, sizes);
}

/* ---- roles ---- */

/* Returns the seconds of T reserved for comparing the nodes and for ending the run. */
static double reserved(void *context, double time)
{
    const struct beff_run *b = context;
    return (is_diagnosed(b) ? DIAGNOSIS_SHARE * time : 0) + run_reserve(time);
}

/* Measures until the time is up. */
static enum exit_status schedule(struct run *run, struct message *end)
{
    struct beff_run *b = of(run);
    const struct beff_settings *s = (const struct beff_settings *)run->settings;
    const struct scheduler_ops ops = {run_elapsed, reserved, measure, add_record, add_note, set_time, say, b};
    struct scheduler scheduler = {
        ops, &b->list, s->run.time, run->resolution, s->max_loops, run->comm->simulated};
    b->time_shown = s->run.time > 0 ? s->run.time : SCHEDULER_TIME;
    enum exit_status status = scheduler_run(&scheduler);
    *end = scheduler.error;
    protocol_put(&run->protocol, "discarded_errors", "%" PRId64, b->errors - b->recorded_errors);
    measure_diagnostics(b, status != EXIT_OK);
    return status;
}

static bool perform(struct run *run, const struct run_command *sent)
{
    struct beff_run *b = of(run);
    const struct beff_command *command = (const struct beff_command *)sent;
    switch (command->kind) {
    case COMMAND_MEASURE:
        runner_measure(&b->runner, &command->measure);
        break;
    case COMMAND_TIME:
        run_set_time(run, command->time);
        break;
    case COMMAND_NODES:
        nodes_exchange(&b->nodes, &command->nodes);
        break;
    }
    return true;
}

static void free_run(struct run *run)
{
    nodes_free(&of(run)->nodes);
    runner_free(&of(run)->runner);
    patterns_free(&of(run)->list);
}

static const struct run_engine run_engine = {
    .engine = &beff_engine,
    .command_size = sizeof(struct beff_command),
    .time = SCHEDULER_TIME_MAX,
    .grace_fraction = 0.01,
    .grace = 2,
    .set_up = beff_set_up,
    .describe = beff_describe,
    .schedule = schedule,
    .perform = perform,
    .free = free_run,
};

int main(int argc, char **argv)
{
    struct beff_settings settings;
    struct beff_run run = {0};
    return run_main(&run_engine, &run.run, &settings, argc, argv);
}
