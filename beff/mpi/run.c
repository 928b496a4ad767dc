/* The program beff: connects the scheduler on rank 0 with the measurements of all ranks and with the
 * protocol. */
#include "beff/mpi/run.h"

#include <inttypes.h>
#include <math.h>

#include "common/random.h"

enum { MAX_REPORTED = 10 };

static struct beff_run *of(struct run *run)
{
    return (struct beff_run *)run;
}

/* ---- the scheduler's operations ---- */

static void report_mismatch(struct beff_run *b, const struct measurement *m)
{
    static const char *const places[] = {"first", "last", "middle"};
    const struct comm *comm = b->run.comm;
    if (b->reported++ < MAX_REPORTED)
        comm_say(comm,
                 "data error: rank %d received 0x%02x instead of 0x%02x (%s byte of a message from rank %d, "
                 "iteration %ld) %s",
                 m->rank, (unsigned)m->bad.found, (unsigned)m->bad.expected, places[m->bad.place],
                 m->bad.from, m->bad.iteration, comm->activity);
    else if (b->reported == MAX_REPORTED + 1)
        comm_say(comm, "further data errors are only counted in run.prot");
}

/* Shows the last record. */
static void show_progress(struct beff_run *b)
{
    const struct protocol *p = &b->run.protocol;
    if (!p->records.count)
        return;
    const struct beff_record *r = protocol_at(p, p->records.count - 1);
    double time = protocol_number(p, "time_s"); /* NaN until T has been chosen */
    progress_show(&b->run.progress, run_elapsed(b), isnan(time) ? SCHEDULER_TIME : time,
                  "pass %" PRId64 ", repetition %" PRId64 ", %s %s %" PRId64 " B: %.1f MB/s", r->pass, r->rep,
                  r->pattern, r->method, r->bytes, r->bandwidth);
}

static struct measurement measure(void *context, const struct command *command)
{
    struct beff_run *b = context;
    show_progress(b);
    run_tell(&b->run, &(struct beff_command){.kind = COMMAND_MEASURE, .measure = *command}.header);
    struct measurement m = runner_measure(&b->runner, command);
    if (m.errors > 0)
        report_mismatch(b, &m);
    return m;
}

static void set_time(void *context, double time)
{
    struct beff_run *b = context;
    run_tell(&b->run, &(struct beff_command){.kind = COMMAND_TIME, .time = time}.header);
    run_set_time(&b->run, time);
}

static void say(void *context, const char *text)
{
    const struct beff_run *b = context;
    comm_say(b->run.comm, "%s", text);
}

/* ---- nodes ---- */

static double nodes_left(void *context)
{
    const struct beff_run *b = context;
    return b->nodes_end - comm_elapsed(b->run.comm);
}

static int exchange(void *context, const struct fabric_step *step, const int32_t *partners,
                    struct fabric_answer *answers)
{
    struct beff_run *b = context;
    run_tell(&b->run, &(struct beff_command){.kind = COMMAND_NODES, .step = *step}.header);
    return nodes_exchange(&b->nodes, step, partners, answers);
}

/* Compares the nodes. Returns a signal that was received; 0: none. */
static int compare_nodes(void *context, bool again, double seconds)
{
    struct beff_run *b = context;
    const struct beff_settings *s = (const struct beff_settings *)b->run.settings;
    const struct fabric_ops ops = {nodes_left, exchange, b};
    struct fabric *f = &b->nodes.fabric;
    bool once = b->run.comm->simulated;
    b->nodes_end = comm_elapsed(b->run.comm) + seconds;
    if (again)
        return fabric_measure_again(f, &ops, &b->run.protocol, b->fabric_seed, once);
    b->fabric_seed = s->nodes_seed;
    if (!b->fabric_seed && (once || !random_seed(&b->fabric_seed)))
        b->fabric_seed = s->seed;
    protocol_put(&b->run.protocol, "fabric_seed", "%" PRIu64, b->fabric_seed);
    return fabric_measure(f, &ops, &b->run.protocol, b->fabric_seed, b->lmax, once, s->matrix);
}

/* Chooses the median pair of nodes. Its processes are measured alone. */
static bool choose_pair(void *context)
{
    struct beff_run *b = context;
    struct beff_command command = {.kind = COMMAND_PAIR};
    int nodes = b->nodes.count;
    if (nodes > 1 && !nodes_median_pair(&b->nodes, command.pair))
        return false;
    const struct beff_alone rows[] = {{"alone", command.pair[0], command.pair[1]},
                                      {"inside", b->inside[0], b->inside[1]}};
    const int first = nodes < 2, end = nodes < b->run.comm->size ? 2 : 1;
    protocol_add(&b->run.protocol, BEFF_ALONE, &rows[first], (size_t)(end - first));
    if (nodes > 1) {
        run_tell(&b->run, &command.header);
        runner_set_pair(&b->runner, false, command.pair);
    }
    return true;
}

/* ---- processors ---- */

static void begin(void *context, int sweep)
{
    struct beff_run *b = context;
    if (!b->processors.nodes)
        return;
    run_tell(&b->run, &(struct beff_command){.kind = COMMAND_STATES, .sweep = sweep}.header);
    processors_begin(&b->processors, sweep, &b->run.protocol);
}

static void mark(void *context, int pass)
{
    struct beff_run *b = context;
    if (!b->processors.comm)
        return;
    run_tell(&b->run, &(struct beff_command){.kind = COMMAND_MARK, .pass = pass}.header);
    processors_mark(&b->processors, pass, &b->run.protocol);
}

/* ---- messages under load ---- */

static void tell_load(void *context, const struct load_command *command)
{
    run_tell(context, &(struct beff_command){.kind = COMMAND_LOAD, .load = *command}.header);
}

static double left_for_load(void *context)
{
    const struct run *run = context;
    return run->time - engine_reserve(run->time) - run_elapsed(context);
}

/* Measures under load. Returns the status of the run. */
static enum exit_status measure_load(struct beff_run *b, double block, struct message *end)
{
    int stop = load_blocks(&b->load, block, &b->run.protocol, left_for_load, tell_load, b);
    return stop ? EXIT_WITH(EXIT_STOPPED, end, "stopped by signal %d", stop) : EXIT_OK;
}

/* ---- roles ---- */

/* Measures until the time is up. */
static enum exit_status schedule(struct run *run, struct message *end)
{
    struct beff_run *b = of(run);
    const struct beff_settings *s = (const struct beff_settings *)run->settings;
    struct scheduler scheduler = {
        .ops = {run_elapsed, measure, set_time, say, compare_nodes, choose_pair, begin, mark, b},
        .protocol = &run->protocol,
        .list = &b->list,
        .time = &run->time,
        .given = s->run.time > 0,
        .nodes = b->nodes.count > 1 ? SCHEDULER_NODES : 0,
        .load = s->load ? load_seconds(s->load_block) : 0,
        .resolution = run->resolution,
        .max_loops = s->max_loops,
        .once = run->comm->simulated};
    enum exit_status status = scheduler_run(&scheduler);
    *end = scheduler.error;
    if (s->load && status == EXIT_OK)
        status = measure_load(b, s->load_block, end);
    if (b->nodes.adapter) {
        run_tell(run, &(struct beff_command){.kind = COMMAND_ADAPTERS}.header);
        nodes_compare_adapters(&b->nodes, &run->protocol);
    }
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
        nodes_exchange(&b->nodes, &command->step, NULL, NULL);
        break;
    case COMMAND_PAIR:
        runner_set_pair(&b->runner, false, command->pair);
        break;
    case COMMAND_LOAD:
        load_measure(&b->load, &command->load, &(struct load_result){.stop = 0});
        break;
    case COMMAND_ADAPTERS:
        nodes_compare_adapters(&b->nodes, NULL);
        break;
    case COMMAND_STATES:
        processors_begin(&b->processors, command->sweep, NULL);
        break;
    case COMMAND_MARK:
        processors_mark(&b->processors, command->pass, NULL);
        break;
    }
    return true;
}

static void free_run(struct run *run)
{
    load_end(&of(run)->load);
    processors_free(&of(run)->processors);
    nodes_free(&of(run)->nodes);
    runner_free(&of(run)->runner);
    patterns_free(&of(run)->list);
}

static const struct run_engine run_engine = {
    .engine = &beff_engine,
    .command_size = sizeof(struct beff_command),
    .time = SCHEDULER_TIME_MAX,
    .grace_fraction = 0.01,
    .grace = ENDING_PATIENCE,
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
