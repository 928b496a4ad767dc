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
#include "imb_compat/mpi/files.h"
#include "imb_compat/mpi/session.h"

#define GUARD_PATIENCE 1.5
#define LATE_MOST      1.0   /* seconds that a measurement may take beyond -time-total */
enum { OTHERS_SECONDS = 3 }; /* of patience for rank 0 */

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
    int modes_count = imb_modes_of(run->settings, benchmark, modes);
    for (int i = 0; i < count * modes_count && !imb_is_over(run); i++)
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
                     imb_modes_of(run->settings, s->benchmarks[i], modes));
    while (done < s->count && !imb_is_over(run))
        run_benchmark(run, s->benchmarks[done++]);
    if (!imb_speaks(run) || run->tables_done == run->tables)
        return;
    run->output.left_out += (int64_t)(run->tables - run->tables_done);
    imb_note(run, "%zu of %zu tables left out: %s", run->tables - run->tables_done, run->tables,
             run->failed ? "a file could not be written or read"
             : run->stop ? "the run was stopped by a signal"
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

/* ---- files ---- */

/* The computation beside file accesses: measured on rank 0 while the others sleep, the same for all. */
static void make_load(struct imb_session *run)
{
    const struct imb_selection *s = run->plan->selection;
    const double seconds = run->settings->compat == IMB_30 ? 0.1 : run->settings->check ? 0.001 : 0.01;
    bool needed = false;
    for (size_t i = 0; i < s->count; i++)
        needed = needed || s->benchmarks[i]->flags & IMB_OVERLAPPED;
    if (!needed)
        return;
    if (imb_speaks(run)) {
        if (imb_load_make(&run->load, world_now, NULL) || imb_load_fix(&run->load, seconds, world_now, NULL))
            world_check(run->world, MPI_ERR_OTHER, "calibrating the computation: the clock stands still",
                        __FILE__, __LINE__);
        imb_put_load(run->load.mflops, stdout);
    }
    world_await(run->world, &run->load, sizeof run->load);
}

static enum exit_status set_up_files(struct imb_session *run)
{
    run->first_process = world_first_process(run->world);
    enum exit_status status = imb_files_check(run->world, &run->machine, run->plan);
    if (status == EXIT_RATED && !(run->files = imb_files_new(run->world)))
        imb_out_of_memory(run);
    return status;
}

/* ---- start and end ---- */

static enum exit_status set_up(struct imb_session *run)
{
    struct message error;
    enum exit_status status = EXIT_RATED;
    machine_detect(run->world, &run->machine);
    run->world->yield = run->machine.oversubscribed;
    if (run->settings->component == IMB_IO && (status = set_up_files(run)) != EXIT_RATED)
        return status;
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

/* The main thread hangs, after a signal. */
static void give_up_stopped(struct imb_session *run)
{
    if (imb_speaks(run)) {
        world_say(run->world, "stopped by signal %d", guard_signal(&run->world->guard));
        imb_output_end(&run->output, "partial (stopped by a signal)");
    }
}

/* It hangs after a failure here, or on rank 0 one elsewhere: others wait in a collective call. */
static void give_up_failed(struct imb_session *run)
{
    const struct imb_files *files = run->files;
    if (*files->failure && !files->failed)
        world_say(run->world, "%s; others wait in a collective call", files->failure);
    if (imb_speaks(run))
        imb_output_end(&run->output, "partial (a file could not be written or read)");
    else if (run->first_process)
        guard_fail_process(run->first_process);
}

/* A measurement takes much longer than its probes promised. */
static void give_up_late(struct imb_session *run)
{
    const char *doing = run->world->doing ? run->world->doing : "starting";
    if (imb_speaks(run)) {
        imb_note(run, "stopped within %s: the time of the whole run (-time-total) is over", doing);
        imb_output_end(&run->output, "partial (the time of the whole run was over within a measurement)");
    }
}

static void give_up(void *context, enum guard_cause cause)
{
    struct imb_session *run = context;
    bool failed = cause == GUARD_FAILURE;
    if (failed)
        give_up_failed(run);
    else if (cause == GUARD_DEADLINE)
        give_up_late(run);
    else
        give_up_stopped(run);
    if (run->files)
        imb_files_remove_all(run->files);
    if (!imb_speaks(run))
        sleep(failed ? OTHERS_SECONDS : 1); /* rank 0 writes the files first; its end is the end of all */
    world_abort(cause == GUARD_SIGNAL ? EXIT_STOPPED : EXIT_ERRORS);
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
    if (run->failed)
        return EXIT_ERRORS;
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
    if (run.files)
        make_load(&run);
    run_all(&run);
    guard_move(&world->guard, INFINITY);
    after = switches() - before;
    world_reduce(world, &after, &run.output.switches, 1, MPI_DOUBLE, MPI_SUM);
    if (imb_speaks(&run)) {
        char end[64] = "complete";
        imb_put_end(stdout);
        if (run.failed)
            snprintf(end, sizeof end, "partial (a file could not be written or read)");
        else if (run.stop) {
            snprintf(end, sizeof end, "partial (stopped by signal %d)", run.stop);
            world_say(world, "stopped by signal %d", run.stop);
        } else if (run.output.left_out)
            snprintf(end, sizeof end, "partial (%" PRId64 " left out)", run.output.left_out);
        imb_output_end(&run.output, end);
        status = outcome(&run);
        imb_output_free(&run.output);
    }
    world_broadcast(world, &status, sizeof status);
    guard_stop(&world->guard);
    return status;
}
