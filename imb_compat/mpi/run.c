/* The main program of imb_compat, IMB-MPI1, IMB-EXT and so on: prepares the run, and measures the tables. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/version.h"
#include "imb_compat/format.h"
#include "imb_compat/mpi/kernels.h"
#include "imb_compat/mpi/run.h"

static const struct imb_kind *const kinds[IMB_WORKS] = {
    [IMB_MESSAGES] = &imb_kind_messages, [IMB_FILES] = &imb_kind_files, [IMB_THREADS] = &imb_kind_messages};

/* Indexed by imb_settings.threads. */
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

/* Creates the files of -prot and -json, and starts the protocol. Rank 0 only. */
static int open_output(struct imb_run *run, struct message *error)
{
    const struct imb_settings *s = run->settings;
    struct run *common = &run->run;
    if (imb_output_create(s, error))
        return -1;
    run->out.recorded = s->prot || s->json;
    common->memory_mib = common->machine.memory_mib;
    if (run->out.recorded && protocol_create(&common->protocol, s->prot, true, &imb_record_type, error))
        return -1;
    if (run->out.recorded)
        run_describe(common);
    common->opened = !run->out.recorded || !protocol_error(&common->protocol, error);
    return common->opened ? 0 : -1;
}

static enum exit_status set_up(struct run *common)
{
    struct imb_run *run = of(common);
    struct comm *comm = common->comm;
    struct message error;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    enum exit_status status = EXIT_OK;
    struct imb_settings *settings = (void *)(uintptr_t)common->settings;
    run->settings = settings;
    run->kind = kinds[imb_components[settings->component].work];
    run->out.settings = settings;
    run->out.protocol = &common->protocol;
    comm_library(library);
    snprintf(run->out.library, sizeof run->out.library, "%.79s", library);
    settings->team = imb_team_size(settings, &error);
    if (settings->team < 0)
        status = EXIT_ENVIRONMENT;
    else if (choose(run, &error))
        status = EXIT_USAGE;
    status = comm_agree(comm, status, &error);
    if (status == EXIT_OK)
        status = comm_agree(comm, check_environment(run, &error), &error);
    if (status == EXIT_OK && run->kind->set_up)
        status = run->kind->set_up(run);
    if (status != EXIT_OK)
        return status;
    status = imb_prints(run) && open_output(run, &error) ? EXIT_ENVIRONMENT : EXIT_OK;
    status = comm_agree(comm, status, &error);
    if (status == EXIT_OK)
        run_warn_oversubscribed(common, "");
    return status;
}

/* Prepares the computation that runs during transfers. If its duration is fixed, rank 0 measures its speed
 * while the other processes sleep, and all processes use the result. */
static void make_compute(struct imb_run *run)
{
    const struct imb_selection *s = &run->selection;
    const double seconds = run->settings->compat == IMB_30 ? 0.1 : 0.01;
    const bool fixed = run->kind->fixed_compute;
    bool needed = false;
    for (size_t i = 0; i < s->count; i++)
        needed = needed || s->benchmarks[i]->flags & IMB_OVERLAPPED;
    if (needed && (!fixed || imb_prints(run)) &&
        (imb_compute_make(&run->compute, comm_now) ||
         (fixed && imb_compute_fix(&run->compute, seconds, comm_now))))
        comm_check(run->run.comm, MPI_ERR_OTHER, "calibrating the computation: the clock does not advance",
                   __FILE__, __LINE__);
    if (!needed || !fixed)
        return;
    if (imb_prints(run))
        imb_put_line(IMB_COMPUTE, run->compute.mflops);
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
                                .thread_level = thread_levels[provided_threads(run->run.comm)].name,
                                .listed = &run->listed};
    MPI_Get_version(&header.mpi_version, &header.mpi_subversion);
    imb_put_header(&header, stdout);
}

static void measure_all(struct imb_run *run)
{
    const struct imb_tables *tables = &run->tables;
    const struct imb_end *end = &run->end;
    for (; run->tables_done < tables->count && !end->signal && !end->time_is_up && !end->failed;
         run->tables_done++) {
        const struct imb_table *table = &tables->table[run->tables_done];
        if (table->groups.size)
            imb_measure_table(run, table);
        else if (imb_prints(run))
            imb_output_invalid(&run->out, table, run->run.comm->size);
    }
    if (imb_prints(run))
        imb_output_left(&run->out, tables, run->tables_done, end);
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
    if (imb_prints(run))
        put_header(run);
    make_compute(run);
    measure_all(run);
    if (run->info != MPI_INFO_NULL)
        COMM_CHECK(common->comm, MPI_Info_free(&run->info));
    if (imb_prints(run))
        imb_put_line("%s", run->settings->component == IMB_MT ? "\n" : IMB_FINISH);
    if (run->end.failed) {
        message_set(end, "%s", common->comm->failure);
        return EXIT_ERRORS;
    }
    return imb_output_status(&run->out, &run->tables, common->comm->size, run->end.signal, end);
}

static int finish(struct run *run, const char *end, bool *complete, struct message *error)
{
    return imb_output_finish(&of(run)->out, end, complete, error);
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
    .grace = ENDING_PATIENCE,
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
