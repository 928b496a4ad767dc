/* Benchmarks, process counts, sizes: what is measured in which order, and what is told of it. Uses output,
 * measurement, layout, repetitions. */
#include "imb_compat/mpi/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "imb_compat/layout.h"
#include "imb_compat/mpi/measurement.h"
#include "imb_compat/mpi/output.h"
#include "imb_compat/repetitions.h"

#define GUARD_PATIENCE 1.5
#define PAUSE_LEAST    0.1 /* seconds; -msg_pause */
#define PAUSE_SHARE    0.1 /* of the time measured */

enum { SHARE_MEMBERS = sizeof(struct imb_share) / sizeof(double), MOST_REPORTED = 10 };

/* What rank 0 decides before each size. */
enum verdict { GO_ON, TABLE_TIME_UP, RUN_TIME_UP, STOPPED };

struct run {
    struct world *world;
    const struct imb_plan *plan;
    const struct imb_settings *settings;
    struct machine machine;
    struct imb_output output; /* rank 0 */
    struct imb_load load;
    int stop;        /* signal that ended the run */
    bool time_is_up; /* of the whole run */
    size_t tables, tables_done;
};

/* One table under way, on a process that takes part. */
struct table_run {
    struct run *run;
    struct imb_site site;
    struct imb_table table;
    struct imb_sizes sizes;
    double started;
    struct imb_share *shares; /* rank 0: of all active processes */
    bool *skipped;            /* per size */
    bool *unequal;            /* per size: the overlap says nothing */
    int reported;             /* data errors */
};

static bool speaks(const struct run *run)
{
    return run->world->rank == 0;
}

/* ---- notes ---- */

__attribute__((format(printf, 2, 3))) static void note(struct run *run, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    imb_put_note(stdout, "%s", text);
    imb_output_note(&run->output, text);
}

/* One note for each range of sizes that are marked: `what` happened to it, and `why`. */
static void note_ranges(struct table_run *t, const bool *marked, const char *what, const char *why)
{
    for (int i = 0; i < t->sizes.count; i++) {
        int first = i;
        char range[64] = "";
        while (i < t->sizes.count && marked[i])
            i++;
        if (i == first)
            continue;
        if (t->site.benchmark->class != IMB_SYNC)
            snprintf(range, sizeof range, " for sizes %" PRId64 " to %" PRId64, t->sizes.bytes[first],
                     t->sizes.bytes[i - 1]);
        note(t->run, "%s%s%s", what, range, why);
    }
}

/* ---- one size ---- */

static double largest(const struct table_run *t, double value)
{
    double all;
    WORLD_CHECK(t->run->world, MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_MAX, t->site.active));
    return all;
}

static double seconds_of(const struct imb_share *share)
{
    return share->seconds + share->pure;
}

static double time_left(const struct run *run)
{
    double total = run->settings->time_total;
    return total > 0 ? total - clock_since_start() : INFINITY;
}

static int64_t find_repetitions(struct table_run *t, struct imb_measurer *m, int64_t repetitions)
{
    const struct imb_settings *s = t->run->settings;
    if (imb_policy_of(s, t->site.benchmark) != IMB_DYNAMIC) {
        imb_measurer_run(m, repetitions, NULL);
        return repetitions;
    }
    if (s->compat == IMB_30)
        return repetitions;
    double started = MPI_Wtime();
    struct imb_share share = imb_measurer_run(m, 1, NULL);
    double first = largest(t, seconds_of(&share));
    share = imb_measurer_run(m, imb_repetitions_probe(repetitions, first), NULL);
    double second = largest(t, seconds_of(&share));
    double left = fmin(s->time - (MPI_Wtime() - started), time_left(t->run));
    return imb_repetitions_within(s, repetitions, first, second, -largest(t, -left));
}

static void report_mismatch(struct table_run *t, const struct imb_measurer *m, int64_t bytes)
{
    const struct imb_mismatch *found = &m->mismatch;
    if (!found->wrong || t->reported++ >= MOST_REPORTED)
        return;
    char source[32] = "a sum over all processes";
    if (found->source >= 0)
        snprintf(source, sizeof source, "a message from rank %d",
                 imb_groups_rank(&t->site.groups, t->site.group, found->source));
    world_say(t->run->world,
              "data error: %s, %" PRId64 " bytes, rank %d: byte %" PRId64
              " is 0x%02x instead of 0x%02x in %s; "
              "%" PRId64 " wrong bytes in all",
              t->site.benchmark->name, bytes, t->run->world->rank, found->position, found->found,
              found->expected, source, found->wrong);
}

/* Rank 0: the rows of one size. */
static double put_rows(struct table_run *t, int size, int64_t repetitions)
{
    struct run *run = t->run;
    const struct imb_groups *g = &t->site.groups;
    bool apart = run->settings->multi > 0;
    int rows = apart ? g->count : 1, count = apart ? g->size : imb_groups_active(g);
    double longest = 0;
    progress_end(&run->output.progress);
    imb_put_gap(&t->table, stdout);
    for (int r = 0; r < rows; r++) {
        struct imb_row row = imb_row_make(run->settings, t->site.benchmark, t->shares + r * count, count,
                                          g->size, t->sizes.bytes[size], repetitions);
        row.value[IMB_GROUP] = r;
        imb_put_row(&t->table, &row, stdout);
        struct imb_record record = imb_record_make(&t->table, &row, apart ? r : -1, 0);
        imb_output_record(&run->output, &record);
        run->output.rows++;
        run->output.errors += record.errors;
        longest = fmax(longest, 1e-6 * row.value[IMB_T_MAX] * (double)repetitions);
        if (t->site.benchmark->flags & IMB_OVERLAPPED &&
            !imb_overlap_means_something(row.value[IMB_T_PURE], row.value[IMB_T_CPU]))
            t->unequal[size] = true;
    }
    progress_start(&run->output.progress, false, false);
    return longest;
}

/* -raw: for each repetition a record of all processes. */
static void put_raw(struct table_run *t, const double *each, int size, int64_t repetitions)
{
    struct run *run = t->run;
    int processes = imb_groups_active(&t->site.groups), n = (int)repetitions;
    double *all = speaks(run) ? calloc((size_t)processes * (size_t)n, sizeof *all) : NULL;
    int enough = !speaks(run) || all;
    WORLD_CHECK(run->world, MPI_Bcast(&enough, 1, MPI_INT, 0, t->site.active));
    if (!enough) {
        if (speaks(run))
            world_say(run->world, "out of memory for the raw times of one size: they are left out");
        return;
    }
    WORLD_CHECK(run->world, MPI_Gather(each, n, MPI_DOUBLE, all, n, MPI_DOUBLE, 0, t->site.active));
    for (int i = 0; speaks(run) && i < n; i++) {
        for (int p = 0; p < processes; p++)
            t->shares[p] = (struct imb_share){.seconds = all[(size_t)p * (size_t)n + (size_t)i]};
        struct imb_row row = imb_row_make(run->settings, t->site.benchmark, t->shares, processes,
                                          t->site.groups.size, t->sizes.bytes[size], 1);
        struct imb_record record = imb_record_make(&t->table, &row, -1, i + 1);
        imb_output_record(&run->output, &record);
    }
    free(all);
}

static void pause_after(struct table_run *t, double measured)
{
    double rest = fmax(PAUSE_LEAST, PAUSE_SHARE * measured);
    WORLD_CHECK(t->run->world, MPI_Bcast(&rest, 1, MPI_DOUBLE, 0, t->site.active));
    nanosleep(&(struct timespec){(time_t)rest, (long)(1e9 * (rest - floor(rest)))}, NULL);
}

static void out_of_memory(struct run *run)
{
    world_say(run->world, "out of memory for message buffers (rank %d); -mem sets a limit", run->world->rank);
    MPI_Abort(MPI_COMM_WORLD, EXIT_ENVIRONMENT);
    abort();
}

static double now(void *unused)
{
    (void)unused;
    return MPI_Wtime();
}

static void measure_size(struct table_run *t, int size, int64_t repetitions)
{
    struct run *run = t->run;
    const struct imb_settings *s = run->settings;
    int64_t bytes = t->sizes.bytes[size];
    struct imb_measurer m;
    double *each = NULL, measured = 0;
    bool overlapped = t->site.benchmark->flags & IMB_OVERLAPPED;
    if (overlapped && run->load.per_second == 0 && imb_load_make(&run->load, now, NULL))
        world_check(run->world, MPI_ERR_OTHER, "calibrating the computation: the clock stands still",
                    __FILE__, __LINE__);
    if (imb_measurer_make(&m, &t->site, &run->load, bytes, repetitions))
        out_of_memory(run);
    repetitions = find_repetitions(t, &m, repetitions);
    if (s->raw && !(each = calloc((size_t)repetitions, sizeof *each)))
        out_of_memory(run);
    int64_t warmup = s->compat == IMB_30 ? 0 : imb_repetitions_warmup(s, repetitions);
    if (warmup)
        imb_measurer_run(&m, warmup, NULL);
    struct imb_share share = imb_measurer_run(&m, repetitions, each);
    if (t->site.benchmark->flags & IMB_ROUND_TRIP)
        share.seconds /= 2;
    share.stop = guard_signal(&run->world->guard);
    report_mismatch(t, &m, bytes);
    WORLD_CHECK(run->world, MPI_Gather(&share, SHARE_MEMBERS, MPI_DOUBLE, t->shares, SHARE_MEMBERS,
                                       MPI_DOUBLE, 0, t->site.active));
    if (speaks(run)) {
        measured = put_rows(t, size, repetitions);
        for (int i = 0; i < imb_groups_active(&t->site.groups) && !run->stop; i++)
            run->stop = (int)t->shares[i].stop;
    }
    if (each)
        put_raw(t, each, size, repetitions);
    free(each);
    imb_measurer_free(&m);
    if (s->msg_pause)
        pause_after(t, measured);
}

/* ---- one table ---- */

static int decide(struct table_run *t)
{
    struct run *run = t->run;
    int verdict = GO_ON;
    double used = MPI_Wtime() - t->started;
    if (run->stop || guard_signal(&run->world->guard))
        verdict = STOPPED;
    else if (time_left(run) <= 0)
        verdict = RUN_TIME_UP;
    else if (run->settings->compat != IMB_30 && used > imb_table_seconds(run->settings, t->sizes.count))
        verdict = TABLE_TIME_UP;
    WORLD_CHECK(run->world, MPI_Bcast(&verdict, 1, MPI_INT, 0, t->site.active));
    return verdict;
}

/* Rank 0: a size that is left out has a row the first time only; notes after the table name all. */
static void put_failure(struct table_run *t, int size, enum imb_failure failure, double gib, bool *told)
{
    t->skipped[size] = true;
    t->run->output.left_out++;
    if (*told)
        return;
    *told = true;
    bool sync = t->site.benchmark->class == IMB_SYNC;
    int64_t bytes = sync ? INT64_C(1) << t->run->settings->max_log : t->sizes.bytes[size];
    imb_put_gap(&t->table, stdout);
    for (int g = 0; g < (t->run->settings->multi > 0 ? t->site.groups.count : 1); g++)
        imb_put_failure(&t->table, g, bytes, failure, gib, stdout);
}

static void show_progress(struct table_run *t, int size)
{
    struct run *run = t->run;
    double done = (double)run->tables_done + (double)size / t->sizes.count, elapsed = clock_since_start();
    double expected = done > 0 ? elapsed * (double)run->tables / done : 1e9;
    if (run->settings->time_total > 0)
        expected = fmin(expected, run->settings->time_total);
    progress_show(&run->output.progress, elapsed, expected, "%s on %d, %" PRId64 " B",
                  t->site.benchmark->name, t->site.groups.size, t->sizes.bytes[size]);
}

/* All sizes of a table, on the processes that take part. */
static void measure_sizes(struct table_run *t)
{
    struct run *run = t->run;
    const struct imb_settings *s = run->settings;
    bool told[IMB_TIME_OUT + 1] = {false};
    for (int i = 0; i < t->sizes.count; i++) {
        int64_t n = imb_repetitions(s, t->site.benchmark, t->sizes.bytes[i], t->site.groups.size);
        struct imb_memory memory =
            imb_memory_make(s, t->site.benchmark, t->site.groups.size, t->sizes.bytes[i], n);
        int verdict = decide(t);
        if (verdict == STOPPED || verdict == RUN_TIME_UP) {
            run->time_is_up = verdict == RUN_TIME_UP;
            for (; i < t->sizes.count; i++) {
                t->skipped[i] = true;
                run->output.left_out++;
            }
            return;
        }
        enum imb_failure failure = verdict == TABLE_TIME_UP        ? IMB_TIME_OUT
                                   : imb_memory_overflows(&memory) ? IMB_INT_OVERFLOW
                                                                   : IMB_OUT_OF_MEMORY;
        bool fails =
            verdict == TABLE_TIME_UP || imb_memory_overflows(&memory) || imb_memory_gib(&memory) > s->mem;
        if (!fails) {
            show_progress(t, i);
            measure_size(t, i, n);
        } else if (speaks(run))
            put_failure(t, i, failure, imb_memory_gib(&memory), &told[failure]);
    }
}

static void put_notes(struct table_run *t)
{
    struct run *run = t->run;
    note_ranges(t, t->unequal, "overlap not meaningful", " because one operand is under 1 % of the other");
    if (t->sizes.most_wanted)
        note(run,
             "sizes of the list above %" PRId64 " (the largest was %" PRId64
             ") were cut to it: -msglog allows larger ones",
             INT64_C(1) << run->settings->max_log, t->sizes.most_wanted);
    if (t->sizes.count == 0)
        note(run, "no size: -msglog allows none of whole items");
    note_ranges(t, t->skipped, "left out",
                run->stop         ? ": the run was stopped by a signal"
                : run->time_is_up ? ": the time of the whole run (-time-total) is over"
                                  : ": see the row above");
}

/* Release 3.0 warmed up once for each table, with two of the largest messages. */
static void warm_up_first_release(struct table_run *t)
{
    struct imb_measurer m;
    if (t->run->settings->compat != IMB_30 || !t->run->settings->warm_up || !t->sizes.count)
        return;
    int64_t bytes = t->sizes.bytes[t->sizes.count - 1];
    struct imb_memory memory =
        imb_memory_make(t->run->settings, t->site.benchmark, t->site.groups.size, bytes, 2);
    if (imb_memory_gib(&memory) > t->run->settings->mem || imb_memory_overflows(&memory))
        return;
    if (imb_measurer_make(&m, &t->site, &t->run->load, bytes, 2))
        out_of_memory(t->run);
    imb_measurer_run(&m, 2, NULL);
    imb_measurer_free(&m);
}

static void take_part(struct table_run *t)
{
    struct run *run = t->run;
    size_t sizes = (size_t)t->sizes.count + 1;
    t->skipped = calloc(sizes, sizeof *t->skipped);
    t->unequal = calloc(sizes, sizeof *t->unequal);
    t->shares = calloc((size_t)imb_groups_active(&t->site.groups), sizeof *t->shares);
    if (!t->skipped || !t->unequal || !t->shares)
        out_of_memory(run);
    t->started = MPI_Wtime();
    warm_up_first_release(t);
    measure_sizes(t);
    if (speaks(run))
        put_notes(t);
    free(t->skipped);
    free(t->unequal);
    free(t->shares);
}

static void make_site(struct run *run, const struct imb_benchmark *benchmark, int size, struct imb_site *site)
{
    struct world *w = run->world;
    *site = (struct imb_site){.world = w,
                              .settings = run->settings,
                              .benchmark = benchmark,
                              .groups = imb_groups_make(run->settings, w->size, size),
                              .comm = MPI_COMM_NULL};
    site->number = imb_map_number(w->rank, site->groups.map_p, site->groups.map_q);
    site->group = site->number / size;
    site->rank = site->number % size;
    int active = site->number < imb_groups_active(&site->groups);
    WORLD_CHECK(w, MPI_Comm_split(w->comm, active ? 0 : MPI_UNDEFINED, site->number, &site->active));
    if (!active)
        return;
    WORLD_CHECK(w, MPI_Comm_set_errhandler(site->active, MPI_ERRORS_RETURN));
    WORLD_CHECK(w, MPI_Comm_split(site->active, site->group, site->rank, &site->comm));
    WORLD_CHECK(w, MPI_Comm_set_errhandler(site->comm, MPI_ERRORS_RETURN));
}

/* One benchmark on one number of processes; idle processes wait for its end. */
static void run_table(struct run *run, const struct imb_benchmark *benchmark, int size)
{
    struct table_run t = {.run = run};
    char doing[64];
    snprintf(doing, sizeof doing, "%s on %d processes", benchmark->name, size);
    run->world->doing = doing;
    make_site(run, benchmark, size, &t.site);
    t.table = (struct imb_table){run->settings, benchmark, t.site.groups};
    int unit = imb_types[imb_type_of(run->settings, benchmark)].size;
    if (imb_sizes_make(&t.sizes, run->settings, run->plan->listed, benchmark, unit))
        out_of_memory(run);
    if (speaks(run))
        imb_put_heading(&t.table, stdout);
    if (t.site.active != MPI_COMM_NULL) {
        take_part(&t);
        WORLD_CHECK(run->world, MPI_Comm_free(&t.site.comm));
        WORLD_CHECK(run->world, MPI_Comm_free(&t.site.active));
    }
    int end[2] = {run->stop, run->time_is_up};
    world_await(run->world, end, sizeof end);
    run->stop = end[0];
    run->time_is_up = end[1];
    run->tables_done++;
    imb_sizes_free(&t.sizes);
    run->world->doing = NULL;
}

/* ---- the run ---- */

static void run_benchmark(struct run *run, const struct imb_benchmark *benchmark)
{
    int counts[IMB_MOST_COUNTS];
    int count = imb_process_counts(benchmark, run->world->size, run->settings->npmin, counts);
    if (!count && speaks(run)) {
        imb_put_invalid(benchmark, run->world->size, stdout);
        if (run->plan->selection->by_name || run->plan->settings->include.count)
            run->output.left_out++;
    }
    for (int i = 0; i < count && !run->stop && !run->time_is_up; i++)
        run_table(run, benchmark, counts[i]);
}

static void run_all(struct run *run)
{
    const struct imb_selection *s = run->plan->selection;
    int counts[IMB_MOST_COUNTS];
    size_t done = 0;
    for (size_t i = 0; i < s->count; i++)
        run->tables +=
            (size_t)imb_process_counts(s->benchmarks[i], run->world->size, run->settings->npmin, counts);
    while (done < s->count && !run->stop && !run->time_is_up)
        run_benchmark(run, s->benchmarks[done++]);
    if (!speaks(run) || run->tables_done == run->tables)
        return;
    run->output.left_out += (int64_t)(run->tables - run->tables_done);
    note(run, "%zu of %zu tables left out: %s", run->tables - run->tables_done, run->tables,
         run->stop ? "the run was stopped by a signal" : "the time of the whole run (-time-total) is over");
}

static const char *thread_level(int level)
{
    return level == MPI_THREAD_SINGLE       ? "MPI_THREAD_SINGLE"
           : level == MPI_THREAD_FUNNELED   ? "MPI_THREAD_FUNNELED"
           : level == MPI_THREAD_SERIALIZED ? "MPI_THREAD_SERIALIZED"
                                            : "MPI_THREAD_MULTIPLE";
}

static void put_header(struct run *run)
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

static enum exit_status set_up(struct run *run)
{
    struct message error;
    enum exit_status status = EXIT_RATED;
    machine_detect(run->world, &run->machine);
    run->world->yield = run->machine.oversubscribed;
    if (speaks(run)) {
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
static void give_up(void *context, enum guard_cause cause)
{
    struct run *run = context;
    (void)cause;
    if (speaks(run)) {
        world_say(run->world, "stopped by signal %d", guard_signal(&run->world->guard));
        imb_output_end(&run->output, "partial (stopped by a signal)");
    } else
        sleep(1); /* rank 0 writes the files first */
    _exit(EXIT_STOPPED);
}

static enum exit_status outcome(struct run *run)
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
    struct run run = {.world = world,
                      .plan = plan,
                      .settings = plan->settings,
                      .output = {.world = world, .plan = plan, .machine = &run.machine}};
    enum exit_status status = set_up(&run);
    if (status != EXIT_RATED)
        return status;
    world->guard = (struct guard){.patience = GUARD_PATIENCE, .give_up = give_up, .context = &run};
    if (guard_start(&world->guard, INFINITY))
        world_say(world, "no thread could be started: signals will not be heard");
    if (speaks(&run)) {
        progress_start(&run.output.progress, false, false);
        put_header(&run);
    }
    run_all(&run);
    if (speaks(&run)) {
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
