/* One size of a table: probes, warm-up, measurement, its rows. Uses measurement, output, layout,
 * repetitions. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "imb_compat/mpi/files.h"
#include "imb_compat/mpi/session.h"
#include "imb_compat/repetitions.h"

/* Of the time that the run has left, planned for one size: some take longer than promised. */
#define RUN_SHARE 0.75

#define PAUSE_LEAST 0.1 /* seconds; -msg_pause */
#define PAUSE_SHARE 0.1 /* of the time measured */

enum { SHARE_MEMBERS = sizeof(struct imb_share) / sizeof(double), MOST_REPORTED = 10 };

static double largest(const struct imb_table_run *t, double value)
{
    double all;
    WORLD_CHECK(t->run->world, MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_MAX, t->site.active));
    return all;
}

static double seconds_of(const struct imb_share *share)
{
    return share->seconds + share->pure;
}

static const struct imb_measurer *measurer_of(const struct imb_table_run *t)
{
    return t->site.files ? &imb_files_measurer : &imb_messages_measurer;
}

static int64_t find_repetitions(struct imb_table_run *t, void *measurement, int64_t repetitions)
{
    const struct imb_settings *s = t->run->settings;
    const struct imb_measurer *m = measurer_of(t);
    if (imb_policy_of(s, t->site.benchmark) != IMB_DYNAMIC) {
        m->measure(measurement, repetitions, true, NULL);
        return repetitions;
    }
    double started = MPI_Wtime();
    struct imb_share share = m->measure(measurement, 1, true, NULL);
    double first = largest(t, seconds_of(&share));
    share = m->measure(measurement, imb_repetitions_probe(s, repetitions, first), true, NULL);
    double second = largest(t, seconds_of(&share));
    double left = fmin(s->time - (MPI_Wtime() - started), RUN_SHARE * imb_time_left(s));
    return imb_repetitions_within(s, repetitions, first, second, -largest(t, -left));
}

static void report_mismatch(struct imb_table_run *t, const struct imb_mismatch *found, int64_t bytes)
{
    if (!found->wrong || t->reported++ >= MOST_REPORTED)
        return;
    if (found->source == IMB_SOURCE_MISSING) {
        world_say(t->run->world,
                  "data error: %s, %" PRId64 " bytes, group %d: byte %" PRId64 " of the file was not read, "
                  "others twice; %" PRId64 " such and wrong bytes in all",
                  t->site.benchmark->name, bytes, t->site.group, found->position, found->wrong);
        return;
    }
    char source[32] = "a sum over all processes";
    if (found->source == IMB_SOURCE_FILE)
        snprintf(source, sizeof source, "the file");
    else if (found->source >= 0)
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
static double put_rows(struct imb_table_run *t, int size, int64_t repetitions)
{
    struct imb_session *run = t->run;
    const struct imb_groups *g = &t->site.groups;
    bool apart = run->settings->multi > 0;
    int rows = apart ? g->count : 1, count = apart ? g->size : imb_groups_active(g);
    double longest = 0;
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
        t->errors += record.errors;
        longest = fmax(longest, 1e-6 * row.value[IMB_T_MAX] * (double)repetitions);
        if (t->site.benchmark->columns == IMB_COLUMNS_OVERLAP &&
            !imb_overlap_means_something(row.value[IMB_T_PURE], row.value[IMB_T_CPU]))
            t->unequal[size] = true;
    }
    return longest;
}

/* -raw: for each repetition a record of all processes. */
static void put_raw(struct imb_table_run *t, const double *each, int size, int64_t repetitions)
{
    struct imb_session *run = t->run;
    int processes = imb_groups_active(&t->site.groups), n = (int)repetitions;
    double *all = imb_speaks(run) ? calloc((size_t)processes * (size_t)n, sizeof *all) : NULL;
    int enough = !imb_speaks(run) || all;
    WORLD_CHECK(run->world, MPI_Bcast(&enough, 1, MPI_INT, 0, t->site.active));
    if (!enough) {
        if (imb_speaks(run))
            world_say(run->world, "out of memory for the raw times of one size: they are left out");
        return;
    }
    WORLD_CHECK(run->world, MPI_Gather(each, n, MPI_DOUBLE, all, n, MPI_DOUBLE, 0, t->site.active));
    for (int i = 0; imb_speaks(run) && i < n; i++) {
        for (int p = 0; p < processes; p++)
            t->shares[p] = (struct imb_share){.seconds = all[(size_t)p * (size_t)n + (size_t)i]};
        struct imb_row row = imb_row_make(run->settings, t->site.benchmark, t->shares, processes,
                                          t->site.groups.size, t->sizes.bytes[size], 1);
        struct imb_record record = imb_record_make(&t->table, &row, -1, i + 1);
        imb_output_record(&run->output, &record);
    }
    free(all);
}

static void pause_after(struct imb_table_run *t, double measured)
{
    double rest = fmax(PAUSE_LEAST, PAUSE_SHARE * measured);
    WORLD_CHECK(t->run->world, MPI_Bcast(&rest, 1, MPI_DOUBLE, 0, t->site.active));
    nanosleep(&(struct timespec){(time_t)rest, (long)(1e9 * (rest - floor(rest)))}, NULL);
}

/* One repetition of a round trip is there and back: a message takes half of its time. */
static void halve(struct imb_share *share, double *each, int64_t repetitions)
{
    share->seconds /= 2;
    for (int64_t i = 0; each && i < repetitions; i++)
        each[i] /= 2;
}

int imb_size_run(struct imb_table_run *t, int size, int64_t repetitions)
{
    struct imb_session *run = t->run;
    const struct imb_settings *s = run->settings;
    int64_t bytes = t->sizes.bytes[size];
    const struct imb_measurer *m = measurer_of(t);
    struct imb_mismatch mismatch = {0};
    double *each = NULL, measured = 0;
    bool overlapped = t->site.benchmark->flags & IMB_OVERLAPPED;
    if (overlapped && run->load.per_second == 0 && imb_load_make(&run->load, world_now, NULL))
        world_check(run->world, MPI_ERR_OTHER, "calibrating the computation: the clock stands still",
                    __FILE__, __LINE__);
    void *measurement = m->init(&t->site, &run->load, bytes, repetitions, &mismatch);
    if (!measurement)
        imb_out_of_memory(run);
    if (s->compat != IMB_30 || imb_policy_of(s, t->site.benchmark) != IMB_DYNAMIC)
        repetitions = find_repetitions(t, measurement, repetitions);
    if (s->raw && !imb_completed_together(t->site.benchmark, t->site.mode) &&
        !(each = calloc((size_t)repetitions, sizeof *each)))
        imb_out_of_memory(run);
    int64_t warmup = s->compat == IMB_30 ? 0 : imb_repetitions_warmup(s, repetitions);
    if (warmup)
        m->measure(measurement, warmup, false, NULL);
    struct imb_share share = m->measure(measurement, repetitions, false, each);
    if (t->site.benchmark->flags & IMB_ROUND_TRIP)
        halve(&share, each, repetitions);
    share.stop = guard_signal(&run->world->guard);
    report_mismatch(t, &mismatch, bytes);
    m->finalize(measurement);
    run->failed = run->files && imb_files_agree(run->files, &t->site);
    if (run->failed) {
        free(each);
        return -1;
    }
    WORLD_CHECK(run->world, MPI_Gather(&share, SHARE_MEMBERS, MPI_DOUBLE, t->shares, SHARE_MEMBERS,
                                       MPI_DOUBLE, 0, t->site.active));
    if (imb_speaks(run)) {
        measured = put_rows(t, size, repetitions);
        for (int i = 0; i < imb_groups_active(&t->site.groups) && !run->stop; i++)
            run->stop = (int)t->shares[i].stop;
    }
    if (each)
        put_raw(t, each, size, repetitions);
    free(each);
    if (s->msg_pause)
        pause_after(t, measured);
    return 0;
}

/* Release 3.0 warmed up once for each table, with two of the largest messages. */
void imb_size_warm_up_first_release(struct imb_table_run *t)
{
    const struct imb_measurer *m = measurer_of(t);
    struct imb_mismatch mismatch = {0};
    if (t->run->settings->compat != IMB_30 || !t->run->settings->warm_up || t->run->files || !t->sizes.count)
        return;
    int64_t bytes = t->sizes.bytes[t->sizes.count - 1];
    struct imb_memory memory =
        imb_memory_make(t->run->settings, t->site.benchmark, t->site.groups.size, bytes, 2);
    if (imb_memory_gib(&memory) > t->run->settings->mem || imb_memory_overflows(&memory))
        return;
    void *measurement = m->init(&t->site, &t->run->load, bytes, 2, &mismatch);
    if (!measurement)
        imb_out_of_memory(t->run);
    m->measure(measurement, 2, false, NULL);
    m->finalize(measurement);
}
