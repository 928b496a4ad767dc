/* Benchmarks, process counts, modes: what is measured in which order; start and end of a run. Uses session,
 * output, layout, modes. */
#include "imb_compat/mpi/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "imb_compat/modes.h"
#include "imb_compat/mpi/session.h"

#define GUARD_PATIENCE 1.5
#define LATE_MOST      1.0 /* seconds that a measurement may take beyond -time-total */

static void run_benchmark(struct imb_session *run, const struct imb_benchmark *benchmark)
{
    int counts[IMB_MOST_COUNTS];
    enum imb_mode modes[IMB_MOST_MODES];
    int count = imb_process_counts(benchmark, run->world->size, run->settings->npmin, counts);
    if (!count && imb_speaks(run)) {
        imb_put_invalid(benchmark, run->world->size, stdout);
        if (run->plan->selection->by_name || run->plan->settings->include.count)
            run->output.left_out++;
    }
    int modes_count = imb_modes(run->settings, benchmark, modes);
    for (int i = 0; i < count * modes_count && !run->stop && !run->time_is_up; i++)
        imb_table_run(run, benchmark, modes[i % modes_count], counts[i / modes_count]);
}

static void run_all(struct imb_session *run)
{
    const struct imb_selection *s = run->plan->selection;
    int counts[IMB_MOST_COUNTS];
    enum imb_mode modes[IMB_MOST_MODES];
    size_t done = 0;
    for (size_t i = 0; i < s->count; i++)
        run->tables +=
            (size_t)(imb_process_counts(s->benchmarks[i], run->world->size, run->settings->npmin, counts) *
                     imb_modes(run->settings, s->benchmarks[i], modes));
    while (done < s->count && !run->stop && !run->time_is_up)
        run_benchmark(run, s->benchmarks[done++]);
    if (!imb_speaks(run) || run->tables_done == run->tables)
        return;
    run->output.left_out += (int64_t)(run->tables - run->tables_done);
    imb_note(run, "%zu of %zu tables left out: %s", run->tables - run->tables_done, run->tables,
             run->stop ? "the run was stopped by a signal"
                       : "the time of the whole run (-time-total) is over");
}

static const char *thread_level(int level)
{
    return level == MPI_THREAD_SINGLE       ? "MPI_THREAD_SINGLE"
           : level == MPI_THREAD_FUNNELED   ? "MPI_THREAD_FUNNELED"
           : level == MPI_THREAD_SERIALIZED ? "MPI_THREAD_SERIALIZED"
                                            : "MPI_THREAD_MULTIPLE";
}

static void put_header(struct imb_session *run)
{
    char date[32];
    time_t seconds = time(NULL);
    struct tm local;
    strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y", localtime_r(&seconds, &local));
    struct imb_header header = {.settings = run->settings,
                                .selection = run->plan->selection,
                                .date = date,
                                .command = run->plan->command,
                                .system = &run->machine.node.names,
                                .thread_level = thread_level(run->world->threads),
                                .listed = run->plan->listed->listed};
    MPI_Get_version(&header.mpi_version, &header.mpi_subversion);
    imb_put_header(&header, stdout);
}

static enum exit_status set_up(struct imb_session *run)
{
    struct message error;
    enum exit_status status = EXIT_RATED;
    machine_detect(run->world, &run->machine);
    run->world->yield = run->machine.oversubscribed;
    if (imb_speaks(run)) {
        if (imb_output_open(&run->output, &error)) {
            world_say(run->world, "%s", error.text);
            status = EXIT_ENVIRONMENT;
        } else if (run->machine.oversubscribed)
            world_say(
                run->world,
                "oversubscribed: a node has %d processes, more than the processors they may use (%d here): "
                "MPI's waiting costs milliseconds. Start at most one process per processor",
                run->machine.most_ranks, run->machine.processors);
    }
    world_broadcast(run->world, &status, sizeof status);
    return status;
}

/* The main thread hangs, after a signal, or a measurement takes much longer than its probes promised. */
static void give_up(void *context, enum guard_cause cause)
{
    struct imb_session *run = context;
    bool late = cause == GUARD_DEADLINE;
    if (!imb_speaks(run))
        sleep(1); /* rank 0 writes the files first */
    else if (late) {
        const char *doing = run->world->doing ? run->world->doing : "starting";
        imb_note(run, "stopped within %s: the time of the whole run (-time-total) is over", doing);
        imb_output_end(&run->output, "partial (the time of the whole run was over within a measurement)");
    } else {
        world_say(run->world, "stopped by signal %d", guard_signal(&run->world->guard));
        imb_output_end(&run->output, "partial (stopped by a signal)");
    }
    _exit(late ? EXIT_ERRORS : EXIT_STOPPED);
}

/* Involuntary context switches of this process so far. */
static double switches(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_nivcsw;
}

static enum exit_status outcome(struct imb_session *run)
{
    struct imb_output *o = &run->output;
    if (run->stop)
        return EXIT_STOPPED;
    if (o->rows == 0 && run->tables == 0)
        return EXIT_ENVIRONMENT; /* too few processes for anything */
    return o->errors || o->left_out || o->write_failed || ferror(stdout) ? EXIT_ERRORS : EXIT_RATED;
}

enum exit_status imb_run(struct world *world, const struct imb_plan *plan)
{
    struct imb_session run = {
        .world = world,
        .plan = plan,
        .settings = plan->settings,
        .output = {.world = world, .plan = plan, .machine = &run.machine, .switches = NAN}};
    enum exit_status status = set_up(&run);
    if (status != EXIT_RATED)
        return status;
    world->guard = (struct guard){.patience = GUARD_PATIENCE, .give_up = give_up, .context = &run};
    double total = plan->settings->time_total, before = switches(), after;
    if (guard_start(&world->guard, total > 0 ? total + LATE_MOST : INFINITY))
        world_say(world, "no thread could be started: signals will not be heard");
    if (imb_speaks(&run)) {
        progress_start(&run.output.progress, progress_output_on_terminal(), false);
        put_header(&run);
    }
    run_all(&run);
    guard_move(&world->guard, INFINITY);
    after = switches() - before;
    world_reduce(world, &after, &run.output.switches, 1, MPI_DOUBLE, MPI_SUM);
    if (imb_speaks(&run)) {
        char end[64] = "complete";
        imb_put_end(stdout);
        if (run.stop)
            snprintf(end, sizeof end, "partial (stopped by signal %d)", run.stop);
        else if (run.output.left_out)
            snprintf(end, sizeof end, "partial (%" PRId64 " left out)", run.output.left_out);
        imb_output_end(&run.output, end);
        status = outcome(&run);
        imb_output_free(&run.output);
    }
    world_broadcast(world, &status, sizeof status);
    guard_stop(&world->guard);
    return status;
}
