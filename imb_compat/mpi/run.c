/* The program imb_compat, and its names IMB-MPI1 and so on: set-up, tables, protocol and JSON, end of a run.
 * Uses table, files, output, format. */
#include "imb_compat/mpi/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/version.h"
#include "imb_compat/format.h"

#define LATE_MAX 1.0 /* seconds that a measurement may take beyond -time-total */

/* By imb_settings.threads. */
static const struct {
    int level;
    const char *name;
} thread_levels[] = {{MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE"},
                     {MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED"},
                     {MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"},
                     {MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"}};

static int threads(const void *settings)
{
    return thread_levels[((const struct imb_settings *)settings)->threads].level;
}

/* The highest level that MPI gives. */
static int given_threads(const struct comm *comm)
{
    int given = IMB_THREADS_MULTIPLE;
    while (given > IMB_THREADS_SINGLE && thread_levels[given].level > comm->threads)
        given--;
    return given;
}

static struct imb_run *of(struct run *run)
{
    return (struct imb_run *)run;
}

/* What is printed is out, whatever happens next. */
#define put_line(...) (printf(__VA_ARGS__), fflush(stdout))

/* ---- the protocol ---- */

static int describe(struct run *run, struct message *error)
{
    const struct imb_settings *s = of(run)->settings;
    return protocol_meta(&run->protocol, "component", imb_components[s->component].name, error) ||
           engine_describe_settings(&imb_options[s->component], s, &run->protocol, error);
}

/* Opens the files, and describes the run in them. 0, or -1 with one line. */
static int open_output(struct imb_run *run, struct message *error)
{
    const struct imb_settings *s = run->settings;
    FILE *file = s->json ? fopen(s->json, "w") : NULL;
    if (s->json && !file)
        return message_set(error, "-json: %.200s cannot be created: %s", s->json, strerror(errno));
    if (file)
        fclose(file);
    run->recorded = s->prot || s->json;
    run->run.memory_mib = run->run.machine.memory_mib;
    run->run.opened =
        !run->recorded || (!protocol_create(&run->run.protocol, s->prot, true, &imb_record_type, error) &&
                           !run_describe(&run->run, error));
    return run->run.opened ? 0 : -1;
}

/* ---- set-up: what is measured ---- */

/* Which benchmarks and sizes: -1 with a line on rank 0. */
static int choose(struct imb_run *run, struct message *error)
{
    const struct imb_settings *s = run->settings;
    struct comm *comm = run->run.comm;
    char *input = NULL, *lengths = NULL;
    int failed = imb_map_fits(s, comm->size, error) ||
                 comm_read_text(comm, "-input", s->input, &input, error) ||
                 comm_read_text(comm, "-msglen", s->msglen, &lengths, error) ||
                 imb_selection_make(&run->selection, s, input, error) ||
                 imb_sizes_listed(&run->listed, s, lengths, error);
    free(input);
    free(lengths);
    if (!failed && imb_tables_make(&run->tables, s, &run->selection, comm->size))
        comm_out_of_memory(comm, "the tables");
    return failed;
}

static enum exit_status set_up(struct run *common)
{
    struct imb_run *run = of(common);
    struct comm *comm = common->comm;
    struct message error;
    enum exit_status status = EXIT_RATED;
    run->settings = (const struct imb_settings *)common->settings;
    comm->program = imb_components[run->settings->component].link;
    if (choose(run, &error))
        status = EXIT_USAGE;
    else if (comm->threads < threads(run->settings))
        status = EXIT_WITH(EXIT_ENVIRONMENT, &error, "-thread_level: %s is unavailable: this MPI provides %s",
                           imb_thread_words[run->settings->threads], imb_thread_words[given_threads(comm)]);
    status = comm_agree(comm, status, &error);
    if (status == EXIT_RATED && run->settings->component == IMB_IO)
        status = imb_files_set_up(run);
    if (status != EXIT_RATED)
        return status;
    status = imb_prints(run) && open_output(run, &error) ? EXIT_ENVIRONMENT : EXIT_RATED;
    status = comm_agree(comm, status, &error);
    if (status == EXIT_RATED)
        run_warn_oversubscribed(common, "");
    return status;
}

/* The computation during transfers; for file accesses it is measured on rank 0 while the others
 * sleep, the same for all. */
static void make_compute(struct imb_run *run)
{
    const struct imb_selection *s = &run->selection;
    const double seconds = run->settings->compat == IMB_30 ? 0.1 : run->settings->check ? 0.001 : 0.01;
    bool needed = false;
    for (size_t i = 0; i < s->count; i++)
        needed = needed || s->benchmarks[i]->flags & IMB_OVERLAPPED;
    if (needed && (!run->files || imb_prints(run)) &&
        (imb_compute_make(&run->compute, comm_now) ||
         (run->files && imb_compute_fix(&run->compute, seconds, comm_now))))
        comm_check(run->run.comm, MPI_ERR_OTHER, "calibrating the computation: the clock stands still",
                   __FILE__, __LINE__);
    if (!needed || !run->files)
        return;
    if (imb_prints(run))
        put_line(IMB_COMPUTE, run->compute.mflops);
    comm_broadcast_sleeping(run->run.comm, &run->compute, sizeof run->compute, MPI_Wtime(), IMB_NAP);
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
                                .thread_level = thread_levels[given_threads(run->run.comm)].name,
                                .listed = run->listed.listed};
    MPI_Get_version(&header.mpi_version, &header.mpi_subversion);
    imb_put_header(&header, stdout);
}

/* There are too few processes for a benchmark: IMB's line, and, if it was asked for by its name, ours. */
static void put_invalid(struct imb_run *run, const struct imb_benchmark *benchmark)
{
    put_line(IMB_INVALID, benchmark->name, run->run.comm->size);
    if (!run->selection.by_name && !run->settings->include.count)
        return;
    text_append(run->lacking.text, sizeof run->lacking.text, "%s%s", *run->lacking.text ? ", " : "",
                benchmark->name);
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
            imb_table_measure(run, table);
        else if (imb_prints(run))
            put_invalid(run, table->benchmark);
    }
    left = tables->count - run->tables_done;
    if (!imb_prints(run) || !left)
        return;
    run->left_out += (int64_t)left;
    imb_output_note(run, "%zu of %zu tables left out%s", left, tables->count, imb_end_reason(end));
}

/* The status, with the reason in `end` where the run is not complete. */
static enum exit_status status_of(const struct imb_run *run, struct message *end)
{
    bool measurable = false; /* any table is */
    if (run->end.failed)
        message_set(end, "%s", run->run.comm->failure);
    else if (run->end.signal)
        message_set(end, "stopped by signal %d", run->end.signal);
    else if (*run->lacking.text)
        message_set(end, "%" PRId64 " left out; at least 2 processes required, %d started: %.400s",
                    run->left_out, run->run.comm->size, run->lacking.text);
    else if (run->left_out)
        message_set(end, "%" PRId64 " left out: the notes behind the tables say why", run->left_out);
    else
        return EXIT_RATED;
    for (size_t i = 0; i < run->tables.count; i++)
        measurable = measurable || run->tables.table[i].groups.size;
    return !run->end.failed && run->end.signal ? EXIT_STOPPED : measurable ? EXIT_ERRORS : EXIT_ENVIRONMENT;
}

static enum exit_status schedule(struct run *common, struct message *end)
{
    struct imb_run *run = of(common);
    if (imb_prints(run))
        put_header(run);
    make_compute(run);
    measure_all(run);
    run->all_done = true;
    if (imb_prints(run))
        put_line(IMB_FINISH);
    return status_of(run, end);
}

/* ---- the end ---- */

static int write_json(const struct imb_run *run, struct message *error)
{
    const char *path = run->settings->json;
    struct sheet *results = engine_results(&imb_engine, &run->run.protocol, error);
    if (!results)
        return -1;
    FILE *file = fopen(path, "w");
    int failed = !file || sheet_json(results, true, file);
    failed = (file && fclose(file)) || failed;
    engine_free_results(&imb_engine, results);
    return failed ? message_set(error, "-json: %.200s cannot be written", path) : 0;
}

/* Ends protocol and JSON: see run_engine.finish. */
static int finish(struct run *run, const char *end, bool *rated, struct message *error)
{
    struct imb_run *imb = of(run);
    struct protocol *p = &run->protocol;
    int failed = 0;
    if (!imb->all_done && /* a measurement takes much longer than promised */
        comm_elapsed(run->comm) >= imb->settings->run.time) {
        message_set(&imb->stopped, "stopped within %s: the time of the whole run (-time-total) is over",
                    *run->comm->doing ? run->comm->doing : "starting");
        failed = protocol_meta(p, "note", imb->stopped.text, error);
    }
    if (imb->recorded && !failed)
        failed = protocol_result(p, "rows", (double)imb->rows, "rows", error) ||
                 protocol_result(p, "errors", (double)imb->errors, "B", error) ||
                 protocol_result(p, "left_out", (double)imb->left_out, "tables", error) ||
                 protocol_end(p, end, error) || (imb->settings->json && write_json(imb, error));
    *rated = !imb->errors && !imb->left_out && !imb->write_failed;
    return failed ? -1 : 0;
}

/* What is left of the text: see run_engine.print. */
static void print(struct run *run)
{
    if (*of(run)->stopped.text)
        put_line(IMB_NOTE, of(run)->stopped.text);
}

static void failure(const struct run *run, struct message *text)
{
    const struct imb_run *imb = (const struct imb_run *)run;
    *text->text = 0;
    if (*run->comm->failure && !imb->end.failed)
        message_set(text, "%s; others wait in a collective call", run->comm->failure);
}

static void clean(struct run *run, bool all)
{
    (void)all;
    if (of(run)->files)
        imb_files_remove_all(of(run)->files);
}

static void free_run(struct run *run)
{
    free(of(run)->selection.benchmarks);
    free(of(run)->listed.bytes);
    free(of(run)->tables.table);
}

static const struct run_engine run_engine = {
    .engine = &imb_engine,
    .late = LATE_MAX,
    .threads = threads,
    .set_up = set_up,
    .describe = describe,
    .command_size = sizeof(struct run_command),
    .schedule = schedule,
    .finish = finish,
    .print = print,
    .failure = failure,
    .clean = clean,
    .free = free_run,
};

int main(int argc, char **argv)
{
    struct imb_settings settings;
    static struct imb_run run = {0};
    return run_main(&run_engine, &run.run, &settings, argc, argv);
}
