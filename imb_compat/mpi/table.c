/* One table: its sizes in turn, what is left out. Uses measurement, output, layout, repetitions. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/clock.h"
#include "imb_compat/mpi/files.h"
#include "imb_compat/mpi/session.h"
#include "imb_compat/repetitions.h"

/* The sizes from number `i` on will not be measured. */
static void skip_rest(struct imb_table_run *t, int i)
{
    for (; i < t->sizes.count; i++) {
        t->skipped[i] = true;
        t->run->output.left_out++;
    }
}

/* What rank 0 decides before each size. */
enum verdict { GO_ON, TABLE_TIME_UP, RUN_TIME_UP, STOPPED };

static int decide(struct imb_table_run *t)
{
    struct imb_session *run = t->run;
    int verdict = GO_ON;
    double used = MPI_Wtime() - t->started;
    if (run->stop || guard_signal(&run->world->guard))
        verdict = STOPPED;
    else if (imb_time_left(run->settings) <= 0 || run->time_is_up)
        verdict = RUN_TIME_UP;
    else if (run->settings->compat != IMB_30 && used > imb_table_seconds(run->settings, t->sizes.count))
        verdict = TABLE_TIME_UP;
    WORLD_CHECK(run->world, MPI_Bcast(&verdict, 1, MPI_INT, 0, t->site.active));
    return verdict;
}

/* Rank 0: a size that is left out has a row the first time only; notes after the table name all. */
static void put_failure(struct imb_table_run *t, int size, enum imb_failure failure, double gib, bool *told)
{
    t->skipped[size] = true;
    t->run->output.left_out++;
    if (*told)
        return;
    *told = true;
    bool sync = t->site.benchmark->class == IMB_CLASS_SYNC;
    int64_t bytes = sync ? INT64_C(1) << t->run->settings->max_log : t->sizes.bytes[size];
    imb_put_gap(&t->table, stdout);
    for (int g = 0; g < (t->run->settings->multi > 0 ? t->site.groups.count : 1); g++)
        imb_put_failure(&t->table, g, bytes, failure, gib, stdout);
}

static void show_progress(struct imb_table_run *t, int size)
{
    struct imb_session *run = t->run;
    double done = (double)run->tables_done + (double)size / t->sizes.count, elapsed = clock_since_start();
    double expected = elapsed * (double)run->tables / done;
    if (run->settings->time_total > 0)
        expected = fmin(expected, run->settings->time_total);
    if (isfinite(expected)) /* nothing is known before the first size */
        progress_show(&run->output.progress, elapsed, expected, "%s on %d, %" PRId64 " B",
                      t->site.benchmark->name, t->site.groups.size, t->sizes.bytes[size]);
}

/* All sizes of a table, on the processes that take part. */
static void measure_sizes(struct imb_table_run *t)
{
    struct imb_session *run = t->run;
    const struct imb_settings *s = run->settings;
    bool told[IMB_TIME_OUT + 1] = {false};
    for (int i = 0; i < t->sizes.count; i++) {
        int64_t n = imb_repetitions(s, t->site.benchmark, t->site.mode, t->sizes.listed, t->sizes.bytes[i],
                                    t->site.groups.size);
        struct imb_memory memory =
            imb_memory_make(s, t->site.benchmark, t->site.groups.size, t->sizes.bytes[i], n);
        int verdict = decide(t);
        if (verdict == STOPPED || verdict == RUN_TIME_UP) {
            run->time_is_up = verdict == RUN_TIME_UP;
            skip_rest(t, i);
            return;
        }
        enum imb_failure failure = verdict == TABLE_TIME_UP        ? IMB_TIME_OUT
                                   : imb_memory_overflows(&memory) ? IMB_INT_OVERFLOW
                                                                   : IMB_OUT_OF_MEMORY;
        bool fails =
            verdict == TABLE_TIME_UP || imb_memory_overflows(&memory) || imb_memory_gib(&memory) > s->mem;
        if (!fails) {
            show_progress(t, i);
            if (imb_size_run(t, i, n)) {
                skip_rest(t, i);
                return;
            }
        } else if (imb_speaks(run))
            put_failure(t, i, failure, imb_memory_gib(&memory), &told[failure]);
    }
}

/* Once in a run. */
static void put_hints(struct imb_session *run)
{
    if (!run->files || !*run->files->hints || run->files->hints_told)
        return;
    run->files->hints_told = true;
    imb_output_meta(&run->output, "hints_in_force", run->files->hints);
}

static void take_part(struct imb_table_run *t)
{
    struct imb_session *run = t->run;
    size_t sizes = (size_t)t->sizes.count + 1;
    t->skipped = calloc(sizes, sizeof *t->skipped);
    t->unequal = calloc(sizes, sizeof *t->unequal);
    t->shares = calloc((size_t)imb_groups_active(&t->site.groups), sizeof *t->shares);
    if (!t->skipped || !t->unequal || !t->shares)
        imb_out_of_memory(run);
    run->failed = run->files && imb_files_make(run->files, &t->site, &t->sizes);
    t->started = MPI_Wtime();
    if (run->files) {
        run->stop = run->files->cut.signal;
        run->time_is_up = run->files->cut.time_is_up;
    }
    if (run->failed) {
        skip_rest(t, 0);
    } else {
        imb_size_warm_up_first_release(t);
        measure_sizes(t);
    }
    if (run->files && imb_files_remove(run->files, &t->site))
        run->failed = true;
    if (imb_speaks(run)) {
        imb_put_notes(t);
        put_hints(run);
    }
    free(t->skipped);
    free(t->unequal);
    free(t->shares);
}

static void make_site(struct imb_session *run, const struct imb_benchmark *benchmark, enum imb_mode mode,
                      int size, struct imb_site *site)
{
    struct world *w = run->world;
    *site = (struct imb_site){.world = w,
                              .settings = run->settings,
                              .benchmark = benchmark,
                              .mode = mode,
                              .files = run->files,
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

void imb_table_run(struct imb_session *run, const struct imb_benchmark *benchmark, enum imb_mode mode,
                   int size)
{
    struct imb_table_run t = {.run = run};
    char doing[64];
    snprintf(doing, sizeof doing, "%s on %d processes", benchmark->name, size);
    run->world->doing = doing;
    make_site(run, benchmark, mode, size, &t.site);
    t.table = (struct imb_table){run->settings, benchmark, t.site.groups, mode};
    if (imb_sizes_make(&t.sizes, run->settings, run->plan->listed, benchmark,
                       imb_unit_of(run->settings, benchmark)))
        imb_out_of_memory(run);
    if (imb_speaks(run))
        imb_put_heading(&t.table, stdout);
    if (t.site.active != MPI_COMM_NULL) {
        take_part(&t);
        WORLD_CHECK(run->world, MPI_Comm_free(&t.site.comm));
        WORLD_CHECK(run->world, MPI_Comm_free(&t.site.active));
    }
    int end[] = {run->stop, run->time_is_up, run->failed};
    world_await(run->world, end, sizeof end);
    run->stop = end[0];
    run->time_is_up = end[1];
    run->failed = end[2];
    run->tables_done++;
    imb_sizes_free(&t.sizes);
    run->world->doing = NULL;
}
