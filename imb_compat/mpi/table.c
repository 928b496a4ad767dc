/* Measures one table: its groups of processes, and its sizes within the limits of time and memory. A size has
 * checked repetitions, probes, warm-up and timed repetitions. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "common/memory.h"
#include "imb_compat/format.h"
#include "imb_compat/mpi/run.h"

/* -msg_pause: minimum in seconds, and fraction of the measured time. */
#define PAUSE_MIN   0.1
#define PAUSE_SHARE 0.1

/* Maximum fraction of the run's remaining time for one size. The rest is a reserve, because a size may take
 * longer than estimated. */
#define RUN_SHARE 0.75

enum { REPORTED_MAX = 10, SHARE_MEMBERS = sizeof(struct imb_share) / sizeof(double) };

/* ---- the repetitions of one size ---- */

/* Runs untimed repetitions, from which the time between votes follows. The computation of file accesses is
 * added, because probes do not compute. */
static void run_untimed(struct imb_context *t, struct imb_team *team, int64_t repetitions, bool probing)
{
    if (t->run->pace == 0 && repetitions > 1) { /* without an estimate, there are no votes */
        run_untimed(t, team, 1, probing);
        repetitions--;
    }
    const double seconds = imb_team_run(team, repetitions, probing, NULL);
    t->run->pace = imb_largest(t, seconds / (double)repetitions + (probing ? t->own_shares->cpu : 0));
}

/* Returns the time of one repetition on the slowest process, in seconds. */
static double probe(struct imb_context *t, struct imb_team *team, int64_t repetitions)
{
    const struct imb_share *shares = t->own_shares;
    run_untimed(t, team, repetitions, true);
    return imb_largest(t, shares->seconds + shares->pure + (t->run->kind->fixed_compute ? shares->cpu : 0));
}

/* Returns the number of seconds that remain for a size that started at `start` (comm_now()). All
 * processes get the same value. */
static double seconds_left(const struct imb_context *t, double start)
{
    const struct imb_settings *s = t->run->settings;
    const double left = s->run.time - comm_elapsed(t->run->run.comm);
    return -imb_largest(t, -fmin(s->time - (comm_now(NULL) - start), RUN_SHARE * left));
}

static int64_t find_repetitions(struct imb_context *t, struct imb_team *team, int64_t repetitions)
{
    const struct imb_settings *s = t->run->settings;
    const double start = comm_now(NULL);
    if (t->table->policy != IMB_DYNAMIC) {
        probe(t, team, repetitions);
        return repetitions;
    }
    double first = probe(t, team, 1);
    double second = probe(t, team, imb_repetitions_probe(s, repetitions, first));
    return imb_repetitions_within(s, repetitions, first, second, seconds_left(t, start));
}

/* With -check, runs untimed repetitions and checks all received data. After the first repetition, continues
 * for at most a tenth of the time for this size. The time limit of the table does not include these
 * repetitions. */
static void check_size(struct imb_context *t, const struct imb_memory *memory, int64_t repetitions,
                       struct imb_mismatch *mismatch)
{
    int64_t max = imb_repetitions_checked(repetitions);
    const double start = comm_now(NULL);
    struct imb_team *team = imb_team_make(t, memory, true);
    double seconds = imb_largest(t, imb_team_run(team, 1, false, NULL)), left = seconds_left(t, start) / 10;
    t->run->pace = seconds;
    max = seconds * (double)(max - 1) > left ? (int64_t)fmax(0, left / seconds) : max - 1;
    if (max > 0)
        imb_team_run(team, max, false, NULL);
    imb_team_free(team, mismatch);
    t->started += comm_now(NULL) - start;
}

/* Runs the untimed repetitions. Returns the number of timed repetitions. In IMB-P2P, this number depends on
 * the time that the untimed repetitions took. */
static int64_t warm_up(struct imb_context *t, struct imb_team *team, int64_t repetitions)
{
    const struct imb_settings *s = t->run->settings;
    int64_t warmup = s->compat == IMB_30 ? 0 : imb_repetitions_warmup(s, repetitions);
    if (!warmup)
        return repetitions;
    run_untimed(t, team, warmup, false);
    if (s->component != IMB_P2P)
        return repetitions;
    double max = fmax(1, seconds_left(t, comm_now(NULL)) / imb_largest(t, t->own_shares->seconds));
    return max < (double)repetitions ? (int64_t)max : repetitions;
}

/* Converts times of repetitions to times in the table, for example to half of a round trip. */
static void divide(const struct imb_context *t, double *each, int64_t repetitions)
{
    const struct imb_settings *s = t->run->settings;
    double parts = imb_parts(s, t->table->benchmark);
    for (int i = 0; i < s->team; i++)
        t->own_shares[i].seconds /= parts;
    for (int64_t i = 0; each && i < s->team * repetitions; i++)
        each[i] /= parts;
}

static bool works(const struct imb_context *t, const struct imb_memory *memory)
{
    struct imb_measurement *m = t->run->kind->prepare(t, memory, false);
    const bool good = imb_persistent_works(m);
    t->run->kind->free(m);
    return good;
}

/* Makes the checked repetitions (-check) with the buffers memory[1], then probes, warm-up, and up to
 * `repetitions` timed repetitions with the buffers memory[0]. Returns the number of timed repetitions, or 0
 * if MPI cannot carry out the persistent collective. Fills t->own_shares, and adds wrong bytes to `mismatch`.
 * With -raw, unless the repetitions are completed together, sets `each` to an array with the seconds of all
 * repetitions, thread by thread, which the caller frees. Collective over the active processes. */
static int64_t repeat(struct imb_context *t, const struct imb_memory memory[2], int64_t repetitions,
                      double **each, struct imb_mismatch *mismatch)
{
    const struct imb_settings *s = t->run->settings;
    t->run->pace = 0;
    if (t->table->benchmark->flags & IMB_PERSISTENT && !works(t, &memory[0]))
        return 0;
    if (s->check)
        check_size(t, &memory[1], repetitions, mismatch);
    struct imb_team *team = imb_team_make(t, &memory[0], false);
    if (imb_components[s->component].adaptive && (s->compat != IMB_30 || t->table->policy != IMB_DYNAMIC))
        repetitions = find_repetitions(t, team, repetitions);
    repetitions = warm_up(t, team, repetitions);
    if (s->raw && !t->table->completed_together)
        *each = memory_new((size_t)repetitions * (size_t)s->team, sizeof **each, IMB_BUFFERS);
    imb_team_run(team, repetitions, false, *each);
    divide(t, *each, repetitions);
    if (s->check)
        imb_team_check(team);
    imb_team_free(team, mismatch);
    return repetitions;
}

/* With -compat 3.0, warms up once for each table, with two repetitions of the largest size. */
static void warm_up_table(struct imb_context *t)
{
    struct imb_mismatch unused = {0};
    int64_t largest = 0;
    if (t->run->settings->compat != IMB_30 || !t->run->settings->warm_up ||
        t->run->settings->component == IMB_IO || !t->sizes.count)
        return;
    for (int i = 0; i < t->sizes.count; i++)
        largest = t->sizes.bytes[i] > largest ? t->sizes.bytes[i] : largest;
    struct imb_memory memory = imb_memory_make(t->table, largest, 2, false);
    if (imb_memory_gib(&memory) > t->run->settings->mem || imb_memory_overflows(&memory))
        return;
    struct imb_team *team = imb_team_make(t, &memory, false);
    t->run->pace = 0; /* processes that took no part in the last table have no estimate */
    imb_team_run(team, 2, false, NULL);
    imb_team_free(team, &unused);
}

/* ---- one size ---- */

static void sleep_for(double seconds)
{
    if (seconds > 0)
        nanosleep(&(struct timespec){(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))}, NULL);
}

/* Reports the first wrong byte of a size, on any process. */
static void report_mismatch(struct imb_context *t, const struct imb_mismatch *found, int64_t bytes)
{
    struct message text;
    if (!found->wrong || t->reported++ >= REPORTED_MAX)
        return;
    imb_mismatch_text(found, t->table, bytes, t->group, t->run->run.comm->rank, &text);
    comm_say(t->run->run.comm, "%s", text.text);
}

/* Combines the times of each repetition of all processes on rank 0, which writes them. Collective over the
 * active processes. */
static void put_raw(struct imb_context *t, const double *each, int size, int64_t repetitions)
{
    struct comm *comm = t->run->run.comm;
    const MPI_Op operations[IMB_RAW_VALUES] = {MPI_MAX, MPI_MIN, MPI_SUM, MPI_SUM};
    struct message error;
    double *raw = memory_new(IMB_RAW_VALUES * (size_t)repetitions, sizeof *raw, "the raw times of one size");
    imb_raw_make(raw, each, t->run->settings->team, repetitions);
    for (int i = 0; i < IMB_RAW_VALUES; i++) {
        double *values = raw + i * repetitions;
        COMM_CHECK(comm, MPI_Reduce(comm->rank == 0 ? MPI_IN_PLACE : values, values, (int)repetitions,
                                    MPI_DOUBLE, operations[i], 0, t->active));
    }
    if (comm->rank == 0 && imb_output_raw(&t->run->out, raw, size, repetitions, &error))
        comm_say(comm, "%s", error.text);
    free(raw);
}

static int measure_size(struct imb_context *t, int size, const struct imb_memory memory[2],
                        int64_t repetitions)
{
    struct imb_run *run = t->run;
    const struct imb_settings *s = run->settings;
    const int members = SHARE_MEMBERS * s->team;
    struct imb_share *shares = t->own_shares;
    struct imb_mismatch mismatch = {0};
    struct message error;
    double *each = NULL, pause = s->component == IMB_P2P ? 1e-6 * (double)s->pause : 0;
    sleep_for(pause);
    if (!space_is_system(&run->run.space)) {
        char line[GPU_LINE];
        imb_crash_text(&run->tables, run->tables_done, t->sizes.bytes[size], line, sizeof line);
        gpu_guard(run->run.comm, line);
    }
    repetitions = repeat(t, memory, repetitions, &each, &mismatch);
    gpu_guard(run->run.comm, NULL);
    if (!repetitions) {
        imb_output_skip(&run->out, size, IMB_REFUSED, "a call of this collective fails");
        return 0;
    }
    double seconds = shares->seconds * imb_parts(s, t->table->benchmark) * (double)repetitions;
    report_mismatch(t, &mismatch, t->sizes.bytes[size]);
    shares->stop = ending_signal();
    shares->defects = (double)mismatch.wrong; /* of all threads */
    if (imb_ended(run)) {                     /* the size is not complete */
        free(each);
        return -1;
    }
    COMM_CHECK(run->run.comm,
               MPI_Gather(shares, members, MPI_DOUBLE, t->shares, members, MPI_DOUBLE, 0, t->active));
    if (imb_prints(run)) {
        if (imb_output_rows(&run->out, t->shares, size, repetitions, &error))
            comm_say(run->run.comm, "%s", error.text); /* the run goes on, and ends with status 1 */
        for (int i = 0; i < t->table->groups.active * s->team && !run->end.signal; i++)
            run->end.signal = (int)t->shares[i].stop;
    }
    if (each)
        put_raw(t, each, size, repetitions);
    free(each);
    sleep_for(s->msg_pause ? fmax(PAUSE_MIN, PAUSE_SHARE * seconds) : pause);
    return 0;
}

/* ---- all sizes ---- */

static void skip_rest(struct imb_context *t, int i)
{
    for (; i < t->sizes.count; i++)
        imb_output_skip(&t->run->out, i, IMB_SKIPPED, "%s", imb_end_reason(&t->run->end) + 2);
}

/* Distributes rank 0's decisions before each size: sets run->end if the run has to end, and returns true if
 * the table has used up its time. */
static bool decide(struct imb_context *t)
{
    struct imb_run *run = t->run;
    const struct imb_settings *s = run->settings;
    int verdict[] = {run->end.signal ? run->end.signal : ending_signal(),
                     run->end.time_is_up || comm_elapsed(run->run.comm) >= s->run.time,
                     s->compat != IMB_30 && imb_components[s->component].adaptive &&
                         comm_now(NULL) - t->started > s->time * t->sizes.count};
    COMM_CHECK(t->run->run.comm, MPI_Bcast(verdict, 3, MPI_INT, 0, t->active));
    run->end.signal = verdict[0];
    run->end.time_is_up = verdict[1];
    return verdict[2];
}

static void show_progress(struct imb_context *t, int size)
{
    struct imb_run *run = t->run;
    double done = (double)run->tables_done + (double)size / t->sizes.count,
           elapsed = comm_elapsed(run->run.comm);
    double expected = elapsed * (double)run->tables.count / done;
    if (isfinite(run->settings->run.time))
        expected = fmin(expected, run->settings->run.time);
    if (isfinite(expected)) /* not before the first size */
        progress_show(&run->run.progress, elapsed, expected, "%s on %d, %" PRId64 " B",
                      t->table->benchmark->name, t->table->groups.size, t->sizes.bytes[size]);
}

static void measure_sizes(struct imb_context *t)
{
    struct imb_run *run = t->run;
    const struct imb_settings *s = run->settings;
    for (int i = 0; i < t->sizes.count; i++) {
        const int64_t bytes = t->sizes.bytes[i] / s->team; /* of one thread */
        const int64_t n = imb_repetitions(t->table, t->sizes.listed, t->sizes.bytes[i]);
        const struct imb_memory memory[] = {
            imb_memory_make(t->table, bytes, n, false),
            imb_memory_make(t->table, bytes, imb_repetitions_checked(n), s->check)};
        const double gib = s->team * fmax(imb_memory_gib(&memory[0]), imb_memory_gib(&memory[1]));
        const bool overflows = imb_memory_overflows(&memory[0]) || imb_memory_overflows(&memory[1]);
        enum imb_failure failure = decide(t)      ? IMB_TIME_OUT
                                   : overflows    ? IMB_INT_OVERFLOW
                                   : gib > s->mem ? IMB_OUT_OF_MEMORY
                                                  : IMB_FAILURES;
        if (run->end.signal || run->end.time_is_up) {
            skip_rest(t, i);
            return;
        }
        if (failure < IMB_FAILURES) {
            if (imb_prints(run))
                imb_output_failure(&run->out, i, failure, gib);
            continue;
        }
        show_progress(t, i);
        if (measure_size(t, i, memory, n)) {
            skip_rest(t, i);
            return;
        }
    }
}

static void take_part(struct imb_context *t)
{
    struct imb_run *run = t->run;
    struct comm *comm = run->run.comm;
    COMM_CHECK(comm, MPI_Comm_set_errhandler(t->active, MPI_ERRORS_RETURN));
    COMM_CHECK(comm, MPI_Comm_split(t->active, t->group, t->rank, &t->members));
    COMM_CHECK(comm, MPI_Comm_set_errhandler(t->members, MPI_ERRORS_RETURN));
    imb_output_table(&run->out, t->table, &t->sizes);
    t->own_shares = memory_new((size_t)run->settings->team, sizeof *t->own_shares, IMB_BUFFERS);
    t->shares = memory_new((size_t)t->table->groups.active * (size_t)run->settings->team, sizeof *t->shares,
                           IMB_BUFFERS);
    if (run->kind->open_table)
        run->kind->open_table(t);
    t->started = comm_now(NULL);
    if (run->end.failed) {
        skip_rest(t, 0);
    } else {
        warm_up_table(t);
        measure_sizes(t);
    }
    if (run->kind->close_table)
        run->kind->close_table(t);
    if (imb_prints(run))
        imb_output_end_table(&run->out, &run->end);
    free(run->out.marks);
    free(t->shares);
    free(t->own_shares);
    COMM_CHECK(comm, MPI_Comm_free(&t->members));
    COMM_CHECK(comm, MPI_Comm_free(&t->active));
}

void imb_measure_table(struct imb_run *run, const struct imb_table *table)
{
    struct comm *comm = run->run.comm;
    const struct imb_groups *groups = &table->groups;
    const int number = imb_map_number(comm->rank, groups->map_p, groups->map_q);
    struct imb_context t = {.run = run,
                            .table = table,
                            .number = number,
                            .group = number / groups->size,
                            .rank = number % groups->size};
    comm_activity(comm, "measuring %s on %d process%s", table->benchmark->name, groups->size,
                  TEXT_ES(groups->size));
    int color = number < groups->active ? 0 : MPI_UNDEFINED;
    COMM_CHECK(comm, MPI_Comm_split(comm->all, color, number, &t.active));
    imb_sizes_make(&t.sizes, table, &run->listed);
    if (imb_prints(run))
        imb_put_heading(table, stdout);
    run->out.in_rows = true;
    if (t.active != MPI_COMM_NULL)
        take_part(&t);
    comm_broadcast_sleeping(comm, &run->end, sizeof run->end, MPI_Wtime(), IMB_NAP);
    free(t.sizes.bytes);
    comm_activity(comm, "%s", "");
}
