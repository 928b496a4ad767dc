/* The main program of imb_compat, IMB-MPI1, IMB-EXT and so on. It prepares the run, measures the tables size
 * by size, and writes rows, notes, protocol and JSON. */
#include "imb_compat/mpi/run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/memory.h"
#include "common/version.h"
#include "imb_compat/format.h"
#include "imb_compat/mpi/kernels.h"

#define LATE_MAX 2.0 /* longest step after -time-total, in seconds */

/* -msg_pause: minimum in seconds, and fraction of the measured time. */
#define PAUSE_MIN   0.1
#define PAUSE_SHARE 0.1

enum { SHARE_MEMBERS = sizeof(struct imb_share) / sizeof(double), REPORTED_MAX = 10 };

/* Indexed by imb_settings.threads. */
static const struct {
    int level;
    const char *name;
} thread_levels[] = {{MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE"},
                     {MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED"},
                     {MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"},
                     {MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"}};

static int threads(int argc, char *const *argv)
{
    enum { LEVELS = sizeof thread_levels / sizeof thread_levels[0] };
    int requested = text_find(imb_thread_words, LEVELS, options_scan(argc, argv, "thread_level"));
    return thread_levels[requested < LEVELS ? requested : IMB_THREADS_SINGLE].level;
}

/* Returns the thread level that MPI provides, as an index of thread_levels. */
static int provided_threads(const struct comm *comm)
{
    int provided = IMB_THREADS_MULTIPLE;
    while (provided > IMB_THREADS_SINGLE && thread_levels[provided].level > comm->threads)
        provided--;
    return provided;
}

static struct imb_run *of(struct run *run)
{
    return (struct imb_run *)run;
}

static bool prints(const struct imb_run *run)
{
    return run->run.comm->rank == 0;
}

/* Prints a line and flushes it, so that it is not lost if the run fails. */
#define put_line(...) (printf(__VA_ARGS__), fflush(stdout))

/* ---- the protocol ---- */

static void describe(struct run *run)
{
    const struct imb_settings *s = of(run)->settings;
    protocol_meta(&run->protocol, "component", imb_component_name(s->component));
    if (s->component == IMB_MT)
        protocol_put(&run->protocol, "threads", "%d", s->team);
    for (size_t i = 0; i < of(run)->hints.count; i++)
        protocol_meta(&run->protocol, "info", of(run)->hints.text[i]);
    engine_describe_settings(&imb_engine, s, &run->protocol);
}

/* Creates an empty output file, or does nothing if `path` is NULL. Without -force, refuses to replace an
 * existing regular file, but accepts a device or a pipe. */
static int create_file(const struct imb_settings *s, const char *option, const char *path,
                       struct message *error)
{
    struct stat found;
    if (path && !s->run.force && stat(path, &found) == 0 && S_ISREG(found.st_mode))
        return message_set(error,
                           "%s: %.200s already exists: name another file, or give -force to replace it",
                           option, path);
    FILE *file = path ? fopen(path, "w") : NULL;
    if (path && !file)
        return message_set(error, "%s: %.200s cannot be created: %s", option, path, strerror(errno));
    return file ? fclose(file) : 0;
}

static int open_output(struct imb_run *run, struct message *error)
{
    const struct imb_settings *s = run->settings;
    if (create_file(s, "-prot", s->prot, error) || create_file(s, "-json", s->json, error))
        return -1;
    run->recorded = s->prot || s->json;
    run->run.memory_mib = run->run.machine.memory_mib;
    int failed =
        run->recorded ? protocol_create(&run->run.protocol, s->prot, true, &imb_record_type, error) : 0;
    if (run->recorded && !failed) {
        run_describe(&run->run);
        failed = protocol_error(&run->run.protocol, error);
    }
    run->run.opened = !failed;
    return failed;
}

static void put_record(struct imb_run *run, const struct imb_record *record)
{
    struct message error;
    if (!run->recorded)
        return;
    protocol_record(&run->run.protocol, record);
    if (!protocol_error(&run->run.protocol, &error))
        return;
    comm_say(run->run.comm, "%s", error.text); /* the run goes on, and ends with status 1 */
    run->write_failed = true;
}

/* Writes a note to standard output and to the protocol. An empty line separates the rows of a table from its
 * notes, because readers of IMB's output take all lines up to the first empty line for rows. */
__attribute__((format(printf, 2, 3))) static void put_note(struct imb_run *run, const char *format, ...)
{
    char text[512];
    TEXT_PRINT(text, sizeof text, format);
    put_line("%s" IMB_NOTE, run->in_rows ? "\n" : "", text);
    run->in_rows = false;
    protocol_put(&run->run.protocol, "note", "%s", text);
}

/* ---- set-up ---- */

static int choose(struct imb_run *run, struct message *error)
{
    const struct imb_settings *s = run->settings;
    struct comm *comm = run->run.comm;
    char *input = NULL, *lengths = NULL, *info = NULL;
    int failed =
        imb_processes_fit(s, comm->size, error) || comm_read_text(comm, "-input", s->input, &input, error) ||
        comm_read_text(comm, "-msglen", s->msglen, &lengths, error) ||
        comm_read_text(comm, "-info", s->info, &info, error) ||
        (info && imb_info_read(&run->hints, s->info, info, MPI_MAX_INFO_KEY, MPI_MAX_INFO_VAL, error)) ||
        imb_selection_make(&run->selection, s, input, error) ||
        imb_sizes_listed(&run->listed, s, lengths, error);
    free(input);
    free(lengths);
    free(info);
    if (!failed)
        imb_tables_make(&run->tables, s, &run->selection, comm->size);
    return failed;
}

static enum exit_status refuse_persistent(struct message *error)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int version, subversion;
    comm_library(library);
    MPI_Get_version(&version, &subversion);
    return EXIT_WITH(EXIT_ENVIRONMENT, error,
                     "%.79s (MPI %d.%d) has no persistent collectives, which IMB-MPI4 requires", library,
                     version, subversion);
}

static enum exit_status check_environment(struct imb_run *run, struct message *error)
{
    struct comm *comm = run->run.comm;
    const struct imb_settings *s = run->settings;
    int team = s->team, most;
    COMM_CHECK(comm, MPI_Allreduce(&team, &most, 1, MPI_INT, MPI_MAX, comm->all));
    if (comm->threads < thread_levels[s->threads].level)
        return EXIT_WITH(EXIT_ENVIRONMENT, error, "-thread_level: this MPI provides at most %s, not %s",
                         imb_thread_words[provided_threads(comm)], imb_thread_words[s->threads]);
    if (s->component == IMB_MPI4 && !imb_has_persistent)
        return refuse_persistent(error);
    if (team != most)
        return EXIT_WITH(EXIT_ENVIRONMENT, error,
                         "rank %d has %d thread%s, but another process has %d: set OMP_NUM_THREADS to the "
                         "same number on all processes",
                         comm->rank, team, TEXT_S(team), most);
    return EXIT_OK;
}

static enum exit_status set_up(struct run *common)
{
    struct imb_run *run = of(common);
    struct comm *comm = common->comm;
    struct message error;
    enum exit_status status = EXIT_OK;
    struct imb_settings *settings = (void *)(uintptr_t)common->settings;
    run->settings = settings;
    comm->program = options_program(&imb_options, run->settings);
    ending_set_program(comm->program);
    settings->team = imb_team_size(settings, &error);
    if (settings->team < 0)
        status = EXIT_ENVIRONMENT;
    else if (choose(run, &error))
        status = EXIT_USAGE;
    status = comm_agree(comm, status, &error);
    if (status == EXIT_OK)
        status = comm_agree(comm, check_environment(run, &error), &error);
    if (status == EXIT_OK && run->settings->component == IMB_IO)
        status = imb_files_set_up(run);
    if (status != EXIT_OK)
        return status;
    status = prints(run) && open_output(run, &error) ? EXIT_ENVIRONMENT : EXIT_OK;
    status = comm_agree(comm, status, &error);
    if (status == EXIT_OK)
        run_warn_oversubscribed(common, "");
    return status;
}

/* Prepares the computation that runs during transfers. For file accesses, rank 0 measures its speed while the
 * other processes sleep, and all processes use the result. */
static void make_compute(struct imb_run *run)
{
    const struct imb_selection *s = &run->selection;
    const double seconds = run->settings->compat == IMB_30 ? 0.1 : 0.01;
    bool needed = false;
    for (size_t i = 0; i < s->count; i++)
        needed = needed || s->benchmarks[i]->flags & IMB_OVERLAPPED;
    if (needed && (!run->files || prints(run)) &&
        (imb_compute_make(&run->compute, comm_now) ||
         (run->files && imb_compute_fix(&run->compute, seconds, comm_now))))
        comm_check(run->run.comm, MPI_ERR_OTHER, "calibrating the computation: the clock does not advance",
                   __FILE__, __LINE__);
    if (!needed || !run->files)
        return;
    if (prints(run))
        put_line(IMB_COMPUTE, run->compute.mflops);
    comm_broadcast_sleeping(run->run.comm, &run->compute, sizeof run->compute, MPI_Wtime(), IMB_NAP);
}

/* ---- a table: one size ---- */

static void report_mismatch(struct imb_context *t, const struct imb_mismatch *found, int64_t bytes)
{
    if (!found->wrong || t->reported++ >= REPORTED_MAX)
        return;
    if (found->source == IMB_SOURCE_MISSING) {
        comm_say(t->run->run.comm,
                 "data error: %s, %" PRId64 " bytes, group %d: a part of the file is missing or duplicated",
                 t->table->benchmark->name, bytes, t->group);
        return;
    }
    char source[32] = "a sum over all processes";
    if (found->source == IMB_SOURCE_FILE)
        snprintf(source, sizeof source, "the file");
    else if (found->source >= 0)
        snprintf(source, sizeof source, "a message from rank %d",
                 imb_groups_rank(&t->table->groups, t->group, found->source));
    comm_say(t->run->run.comm,
             "data error: %s, %" PRId64 " bytes, rank %d: byte %" PRId64
             " is 0x%02x instead of 0x%02x in %s; "
             "%" PRId64 " wrong byte%s in total",
             t->table->benchmark->name, bytes, t->run->run.comm->rank, found->position, found->found,
             found->expected, source, found->wrong, TEXT_S(found->wrong));
}

static void note_setup(struct imb_context *t, double setup)
{
    if (setup > 0 && (t->setup[0] == 0 || setup < t->setup[0]))
        t->setup[0] = setup;
    t->setup[1] = fmax(t->setup[1], setup);
}

static void put_rows(struct imb_context *t, int size, int64_t repetitions)
{
    struct imb_run *run = t->run;
    const struct imb_groups *g = &t->table->groups;
    bool apart = run->settings->multi > 0;
    int rows = apart ? g->count : 1, count = (apart ? g->size : g->active) * run->settings->team;
    for (int r = 0; r < rows; r++) {
        struct imb_record record =
            imb_record_make(t->table, t->shares + r * count, count, t->sizes.bytes[size], repetitions);
        record.group = apart ? r : -1;
        for (int i = 0; i < count; i++)
            note_setup(t, t->shares[r * count + i].setup);
        imb_put_row(t->table, &record, stdout);
        put_record(run, &record);
        run->rows++;
        run->errors += record.errors;
        t->errors += record.errors;
        if (t->table->benchmark->columns == IMB_COLUMNS_OVERLAP &&
            !imb_overlap_is_meaningful(record.t_pure, record.t_cpu))
            t->marks[size] |= IMB_UNEQUAL;
    }
}

/* With -raw, writes one record, which covers all processes, for each repetition. */
static void put_raw(struct imb_context *t, const double *each, int size, int64_t repetitions)
{
    struct imb_run *run = t->run;
    int threads = run->settings->team, processes = t->table->groups.active * threads, n = (int)repetitions;
    double *all = NULL;
    if (prints(run))
        all = memory_new((size_t)processes * (size_t)n, sizeof *all, "the raw times of one size");
    COMM_CHECK(run->run.comm,
               MPI_Gather(each, n * threads, MPI_DOUBLE, all, n * threads, MPI_DOUBLE, 0, t->active));
    for (int i = 0; all && i < n; i++) {
        for (int p = 0; p < processes; p++)
            t->shares[p] = (struct imb_share){.seconds = all[(size_t)p * (size_t)n + (size_t)i]};
        struct imb_record record = imb_record_make(t->table, t->shares, processes, t->sizes.bytes[size], 1);
        record.repetition = i + 1;
        put_record(run, &record);
    }
    free(all);
}

static void sleep_for(double seconds)
{
    if (seconds > 0)
        nanosleep(&(struct timespec){(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))}, NULL);
}

static int measure_size(struct imb_context *t, int size, const struct imb_memory memory[2],
                        int64_t repetitions)
{
    struct imb_run *run = t->run;
    const struct imb_settings *s = run->settings;
    const int members = SHARE_MEMBERS * s->team;
    struct imb_share *shares = t->own_shares;
    struct imb_mismatch mismatch = {0};
    double *each = NULL, pause = s->component == IMB_P2P ? 1e-6 * (double)s->pause : 0;
    sleep_for(pause);
    repetitions = imb_measure_size(t, memory, repetitions, &each, &mismatch);
    if (!repetitions) {
        t->marks[size] |= IMB_REFUSED;
        run->left_out++;
        return 0;
    }
    double seconds = shares->seconds * imb_parts(s, t->table->benchmark) * (double)repetitions;
    report_mismatch(t, &mismatch, t->sizes.bytes[size]);
    shares->stop = ending_signal();
    shares->defects = (double)mismatch.wrong; /* of all threads */
    if (run->files && imb_files_agree(t)) {
        free(each);
        return -1;
    }
    COMM_CHECK(run->run.comm,
               MPI_Gather(shares, members, MPI_DOUBLE, t->shares, members, MPI_DOUBLE, 0, t->active));
    if (prints(t->run)) {
        put_rows(t, size, repetitions);
        for (int i = 0; i < t->table->groups.active * s->team && !run->end.signal; i++)
            run->end.signal = (int)t->shares[i].stop;
    }
    if (each)
        put_raw(t, each, size, repetitions);
    free(each);
    sleep_for(s->msg_pause ? fmax(PAUSE_MIN, PAUSE_SHARE * seconds) : pause);
    return 0;
}

/* ---- a table: notes after it ---- */

/* Returns the reason why sizes or tables were skipped, as the end of a note. */
static const char *end_reason(const struct imb_end *end)
{
    return end->failed       ? ": a file could not be written or read"
           : end->signal     ? ": the run was stopped by a signal"
           : end->time_is_up ? ": the time limit of the whole run (-time-total) has been reached"
                             : ": see the row above";
}

/* Writes a note for each range of consecutive marked sizes. The note states `what` happened, the range and
 * `why`. */
static void note_ranges(struct imb_context *t, enum imb_mark mark, const char *what, const char *why)
{
    for (int i = 0; i < t->sizes.count; i++) {
        int first = i;
        char range[64] = "";
        while (i < t->sizes.count && t->marks[i] & mark)
            i++;
        if (i == first)
            continue;
        if (t->table->benchmark->class != IMB_CLASS_UNSIZED && i - first == 1)
            snprintf(range, sizeof range, " for size %" PRId64, t->sizes.bytes[first]);
        else if (t->table->benchmark->class != IMB_CLASS_UNSIZED)
            snprintf(range, sizeof range, " for sizes %" PRId64 " to %" PRId64, t->sizes.bytes[first],
                     t->sizes.bytes[i - 1]);
        put_note(t->run, "%s%s%s", what, range, why);
    }
}

static void put_notes(struct imb_context *t)
{
    struct imb_run *run = t->run;
    const struct imb_groups *groups = &t->table->groups;
    if (run->settings->component == IMB_MT && groups->active < groups->processes)
        put_note(run, "idle processes: %d", groups->processes - groups->active);
    if (run->settings->component == IMB_MT && groups->processes > 2 &&
        t->table->benchmark->class != IMB_CLASS_UNSIZED && t->table->benchmark->class != IMB_CLASS_COLLECTIVE)
        put_note(run, "stride %d", imb_stride(run->settings, groups->processes));
    note_ranges(t, IMB_UNEQUAL, "overlap not meaningful", ": t_pure or t_CPU is below 1 % of the other");
    if (t->table->benchmark->class == IMB_CLASS_ONE_TO_ALL && t->table->groups.size > 2)
        put_note(run, "Mbytes/sec counts only one of the %d messages of a repetition",
                 t->table->groups.size - 1);
    if (t->setup[1] > 0)
        put_note(run, "setting up the request took %.2f to %.2f microsec; no column includes this time",
                 1e6 * t->setup[0], 1e6 * t->setup[1]);
    if (run->settings->check && t->table->benchmark->flags & IMB_NO_DEFECTS)
        put_note(run, "wrong bytes found by -check: %" PRId64 "; this table has no column for them",
                 t->errors);
    if (run->settings->raw && t->table->completed_together)
        put_note(run, "-raw: these repetitions are completed together and cannot be timed separately");
    if (t->sizes.max_wanted)
        put_note(run,
                 "listed sizes above %" PRId64 " (the largest was %" PRId64
                 ") were reduced to this limit: raise the limit with -msglog",
                 INT64_C(1) << run->settings->max_log, t->sizes.max_wanted);
    if (t->sizes.count == 0)
        put_note(run, "no sizes: 2^%" PRId64 " bytes, the largest size of -msglog, is less than one item",
                 run->settings->max_log);
    note_ranges(t, IMB_SKIPPED, "not measured", end_reason(&run->end));
    char library[MPI_MAX_LIBRARY_VERSION_STRING], why[160];
    comm_library(library);
    snprintf(why, sizeof why, ": a call of this collective fails with %.79s", library);
    note_ranges(t, IMB_REFUSED, "not measured", why);
}

/* ---- a table: all sizes ---- */

static void skip_rest(struct imb_context *t, int i)
{
    for (; i < t->sizes.count; i++) {
        t->marks[i] |= IMB_SKIPPED;
        t->run->left_out++;
    }
}

/* Distributes rank 0's decisions before each size: sets run->end if the run has to end, and returns true if
 * the table has used up its time. */
static bool decide(struct imb_context *t)
{
    struct imb_run *run = t->run;
    const struct imb_settings *s = run->settings;
    int verdict[] = {run->end.signal ? run->end.signal : ending_signal(),
                     run->end.time_is_up || comm_elapsed(t->run->run.comm) >= s->run.time,
                     s->compat != IMB_30 && s->component < IMB_MT &&
                         MPI_Wtime() - t->started > s->time * t->sizes.count};
    COMM_CHECK(t->run->run.comm, MPI_Bcast(verdict, 3, MPI_INT, 0, t->active));
    run->end.signal = verdict[0];
    run->end.time_is_up = verdict[1];
    return verdict[2];
}

/* Records that a size is skipped. Only the first size with this kind of failure gets a row in the table. The
 * notes after the table list all skipped sizes. Rank 0 only. */
static void put_failure(struct imb_context *t, int size, enum imb_failure failure, double gib, bool *printed)
{
    t->marks[size] |= IMB_SKIPPED;
    t->run->left_out++;
    if (*printed)
        return;
    *printed = true;
    bool sync = t->table->benchmark->class == IMB_CLASS_UNSIZED;
    int64_t bytes = sync ? INT64_C(1) << t->run->settings->max_log : t->sizes.bytes[size];
    for (int g = 0; g < (t->run->settings->multi > 0 ? t->table->groups.count : 1); g++)
        imb_put_failure(t->table, g, bytes, failure, gib, stdout);
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
    bool printed[IMB_FAILURES] = {false};
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
            if (prints(t->run))
                put_failure(t, i, failure, gib, &printed[failure]);
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
    t->marks = memory_new((size_t)t->sizes.count + 1, 1, IMB_BUFFERS);
    t->own_shares = memory_new((size_t)run->settings->team, sizeof *t->own_shares, IMB_BUFFERS);
    t->shares = memory_new((size_t)t->table->groups.active * (size_t)run->settings->team, sizeof *t->shares,
                           IMB_BUFFERS);
    if (run->files)
        imb_files_make(t);
    t->started = MPI_Wtime();
    if (run->end.failed) {
        skip_rest(t, 0);
    } else {
        imb_warm_up_table(t);
        measure_sizes(t);
    }
    if (run->files)
        imb_files_remove(t);
    if (prints(run))
        put_notes(t);
    free(t->marks);
    free(t->shares);
    free(t->own_shares);
    COMM_CHECK(comm, MPI_Comm_free(&t->members));
    COMM_CHECK(comm, MPI_Comm_free(&t->active));
}

static void measure_table(struct imb_run *run, const struct imb_table *table)
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
    if (prints(run))
        imb_put_heading(table, stdout);
    run->in_rows = true;
    if (t.active != MPI_COMM_NULL)
        take_part(&t);
    comm_broadcast_sleeping(comm, &run->end, sizeof run->end, MPI_Wtime(), IMB_NAP);
    free(t.sizes.bytes);
    comm_activity(comm, "%s", "");
}

/* ---- all tables ---- */

static void put_header(struct imb_run *run)
{
    char date[32];
    time_t seconds = time(NULL);
    struct tm local;
    strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y", localtime_r(&seconds, &local));
    struct imb_header header = {.settings = run->settings,
                                .selection = &run->selection,
                                .version = version_number,
                                .date = date,
                                .command = run->run.command,
                                .system = &run->run.machine.node.names,
                                .thread_level = thread_levels[provided_threads(run->run.comm)].name,
                                .listed = &run->listed};
    MPI_Get_version(&header.mpi_version, &header.mpi_subversion);
    imb_put_header(&header, stdout);
}

/* Prints a line stating that a benchmark cannot run on this number of processes. If the user requested the
 * benchmark, counts it as skipped. */
static void put_invalid(struct imb_run *run, const struct imb_table *table)
{
    imb_put_invalid(table, run->run.comm->size, stdout);
    if (!run->selection.by_name && !run->settings->include.count)
        return;
    text_append(run->lacking.text, sizeof run->lacking.text, "%s%s", *run->lacking.text ? ", " : "",
                table->benchmark->name);
    run->left_out++;
}

static void measure_all(struct imb_run *run)
{
    const struct imb_tables *tables = &run->tables;
    const struct imb_end *end = &run->end;
    size_t left;
    for (; run->tables_done < tables->count && !end->signal && !end->time_is_up && !end->failed;
         run->tables_done++) {
        const struct imb_table *table = &tables->table[run->tables_done];
        if (table->groups.size)
            measure_table(run, table);
        else if (prints(run))
            put_invalid(run, table);
    }
    left = tables->count - run->tables_done;
    if (!prints(run) || !left)
        return;
    run->left_out += (int64_t)left;
    put_note(run, "%zu of %zu table%s not measured%s", left, tables->count, TEXT_S(tables->count),
             end_reason(end));
}

/* Returns the exit status. If the run is not complete, sets `end` to the reason. */
static enum exit_status status_of(const struct imb_run *run, struct message *end)
{
    bool measurable = false; /* at least one table can be measured */
    if (run->end.failed)
        message_set(end, "%s", run->run.comm->failure);
    else if (run->end.signal)
        message_set(end, "stopped by signal %d", run->end.signal);
    else if (*run->lacking.text)
        message_set(end, "sizes and tables skipped: %" PRId64 "; %s (%d started): %.400s", run->left_out,
                    run->settings->component == IMB_P2P ? "invalid for the number of processes"
                                                        : "at least 2 processes required",
                    run->run.comm->size, run->lacking.text);
    else if (run->left_out)
        message_set(end, "sizes and tables skipped: %" PRId64 "; see the notes after the tables",
                    run->left_out);
    else
        return EXIT_OK;
    for (size_t i = 0; i < run->tables.count; i++)
        measurable = measurable || run->tables.table[i].groups.size;
    return !run->end.failed && run->end.signal ? EXIT_STOPPED : measurable ? EXIT_ERRORS : EXIT_ENVIRONMENT;
}

static void make_info(struct imb_run *run)
{
    run->info = MPI_INFO_NULL;
    if (run->hints.count)
        COMM_CHECK(run->run.comm, MPI_Info_create(&run->info));
    for (size_t i = 0; i < run->hints.count; i++) {
        char key[MPI_MAX_INFO_KEY], *line = run->hints.text[i];
        int length = (int)strcspn(line, " ");
        snprintf(key, sizeof key, "%.*s", length, line);
        COMM_CHECK(run->run.comm, MPI_Info_set(run->info, key, line + length + 1));
    }
}

static enum exit_status schedule(struct run *common, struct message *end)
{
    struct imb_run *run = of(common);
    make_info(run);
    if (prints(run))
        put_header(run);
    make_compute(run);
    measure_all(run);
    if (run->info != MPI_INFO_NULL)
        COMM_CHECK(common->comm, MPI_Info_free(&run->info));
    if (prints(run))
        put_line("%s", run->settings->component == IMB_MT ? "\n" : IMB_FINISH);
    return status_of(run, end);
}

/* ---- the end ---- */

static int write_json(const struct imb_run *run, struct message *error)
{
    const char *path = run->settings->json;
    struct sheet *results = engine_results(&imb_engine, &run->run.protocol, error);
    if (!results)
        return -1;
    char *text;
    size_t length;
    FILE *file = memory_stream(&text, &length);
    sheet_json(results, true, file);
    memory_stream_end(file);
    int failed = text_save(path, true, text, length);
    free(text);
    engine_free_results(&imb_engine, results);
    return failed ? message_set(error, "-json: %.200s cannot be written: %s", path, strerror(errno)) : 0;
}

/* Writes the end of the protocol, and then the JSON file (see run_engine.finish). */
static int finish(struct run *run, const char *end, bool *rated, struct message *error)
{
    struct imb_run *imb = of(run);
    struct protocol *p = &run->protocol;
    int failed = 0;
    if (imb->recorded) {
        protocol_result(p, "rows", (double)imb->rows, "rows");
        protocol_result(p, "errors", (double)imb->errors, "B");
        protocol_result(p, "left_out", (double)imb->left_out, "tables");
        protocol_end(p, end);
        failed = protocol_error(p, error) || (imb->settings->json && write_json(imb, error));
    }
    *rated = !imb->errors && !imb->left_out && !imb->write_failed;
    return failed ? -1 : 0;
}

static void free_run(struct run *run)
{
    free(of(run)->selection.benchmarks);
    free(of(run)->listed.bytes);
    free(of(run)->tables.table);
    texts_free(&of(run)->hints);
}

static const struct run_engine run_engine = {
    .engine = &imb_engine,
    .grace = LATE_MAX,
    .threads = threads,
    .set_up = set_up,
    .describe = describe,
    .command_size = sizeof(struct run_command),
    .schedule = schedule,
    .finish = finish,
    .free = free_run,
};

int main(int argc, char **argv)
{
    struct imb_settings settings;
    static struct imb_run run = {0};
    return run_main(&run_engine, &run.run, &settings, argc, argv);
}
