/* Measures one size on one process: checked repetitions, probes, warm-up and timed repetitions. In IMB-MT
 * each thread measures like a process, with its own communicator, buffers and clock. Otherwise a process has
 * one thread. */
#include "imb_compat/mpi/run.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/measure.h"
#include "common/memory.h"
#include "imb_compat/mpi/kernels.h"

#ifdef _OPENMP
#include <omp.h>
#endif

static int thread_number(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

int imb_team_size(const struct imb_settings *settings, struct message *error)
{
    int size = 1;
    if (settings->component != IMB_MT || settings->threads != IMB_THREADS_MULTIPLE)
        return size;
#ifdef _OPENMP
    (void)error;
    omp_set_dynamic(0); /* never fewer threads than requested */
    IMB_OF_TEAM(parallel)
    {
        IMB_OF_TEAM(single)
        size = omp_get_num_threads();
    }
    return size;
#else
    return message_set(error,
                       "-thread_level: \"multiple\" requires OpenMP, but this program was built without it");
#endif
}

enum { BUFFERS = 2 };

/* A measurement on all threads of a process. */
struct imb_team {
    const struct imb_context *context;
    const struct imb_settings *settings;
    int size;
    struct member {
        struct imb_context context;
        struct imb_mismatch mismatch;
        struct imb_measurement *measurement;
        char *memory[BUFFERS];
    } * members;
    struct imb_mismatch *mismatch; /* total over all threads */
};

int imb_team_barrier(const struct imb_context *context)
{
    int code = MPI_SUCCESS;
    IMB_OF_TEAM(barrier)
    if (context->thread == 0 && context->table->settings->barrier == IMB_BARRIER_ON)
        code = MPI_Barrier(context->active);
    else if (context->thread == 0 && context->table->settings->barrier == IMB_BARRIER_SPECIAL)
        code = imb_message_barrier(context->active, context->rank, context->table->groups.size);
    IMB_OF_TEAM(barrier)
    return code;
}

char *imb_team_memory(const struct imb_context *context, int which, int64_t bytes)
{
    struct imb_team *team = context->team;
    const uintptr_t align = (uintptr_t)team->settings->malloc_align;
    const bool shared = team->settings->malloc_algo == IMB_MALLOC_CONTINUOUS;
    const size_t step = ((size_t)bytes + align - 1) / align * align;
    struct member *owner = &team->members[shared ? 0 : context->thread];
    if (!owner->memory[which])
        owner->memory[which] = memory_new(step * (size_t)(shared ? team->size : 1) + align, 1, IMB_BUFFERS);
    char *start = owner->memory[which];
    start += (align - (uintptr_t)start % align) % align;
    return start + (shared ? step * (size_t)context->thread : 0);
}

/* Creates the communicator of a thread, with the thread's number in the hint thread_id. */
static void make_member(struct imb_team *team, int thread)
{
    const struct imb_context *context = team->context;
    struct comm *comm = context->run->run.comm;
    struct member *m = &team->members[thread];
    char number[16];
    MPI_Info info;
    m->context = *context;
    if (team->settings->component != IMB_MT)
        return;
    m->context.team = team;
    m->context.thread = thread;
    if (team->settings->threads != IMB_THREADS_MULTIPLE)
        return;
    snprintf(number, sizeof number, "%d", thread);
    COMM_CHECK(comm, MPI_Comm_dup(context->members, &m->context.members));
    COMM_CHECK(comm, MPI_Info_create(&info));
    COMM_CHECK(comm, MPI_Info_set(info, "thread_id", number));
    COMM_CHECK(comm, MPI_Comm_set_info(m->context.members, info));
    COMM_CHECK(comm, MPI_Info_free(&info));
}

static struct imb_team *make_team(const struct imb_context *context, int64_t bytes, int64_t repetitions,
                                  bool checking, struct imb_mismatch *mismatch)
{
    const struct imb_runner *runner = context->run->files ? &imb_files_runner : &imb_messages_runner;
    const int size = context->table->settings->team;
    struct imb_team *team = memory_new(1, sizeof *team, IMB_BUFFERS);
    *team = (struct imb_team){.context = context,
                              .settings = context->table->settings,
                              .size = size,
                              .members = memory_new((size_t)size, sizeof *team->members, IMB_BUFFERS),
                              .mismatch = mismatch};
    for (int i = 0; i < size; i++)
        make_member(team, i);
    bool parallel = team->settings->malloc_algo == IMB_MALLOC_PARALLEL;
    (void)parallel; /* unused without OpenMP */
    IMB_OF_TEAM(parallel for num_threads(size) if(parallel) schedule(static, 1))
    for (int i = 0; i < size; i++) {
        struct member *m = &team->members[i];
        m->measurement = runner->init(&m->context, bytes / size, repetitions, checking);
        m->measurement->mismatch = &m->mismatch;
    }
    return team;
}

/* ---- the timed loop ---- */

static int after(void *context, long iteration, double seconds)
{
    struct imb_measurement *m = context;
    if (m->each)
        m->each[iteration] = seconds;
    return m->runner->between ? m->runner->between(m) : MPI_SUCCESS;
}

/* Returns true unless a file access failed or a signal was received during the accesses. */
static bool goes_on(const struct imb_measurement *m)
{
    return !m->context->run->end.failed && !m->context->run->end.signal;
}

/* Runs repetitions, and returns the mean time of one repetition in seconds. If the repetitions are checked,
 * checks their data whenever all places of the receive buffer are full. A passive target that does not
 * compute waits in MPI instead of running the loop, so that MPI can make progress on the transfers. */
static double repeat(struct imb_measurement *m, int64_t repetitions, double *each)
{
    const struct imb_runner *r = m->runner;
    struct comm *comm = m->context->run->run.comm;
    const bool idle = m->untimed && !(m->benchmark->flags & IMB_OVERLAPPED);
    const int64_t max = m->checking ? m->at_once : repetitions;
    double seconds = 0;
    m->each = each;
    m->computed = 0;
    for (int64_t done = 0; done < repetitions; done += max) {
        struct measured measured;
        m->first = done;
        m->count = repetitions - done < max ? repetitions - done : max;
        r->begin(m);
        const struct measure_ops ops = {.now = comm_now,
                                        .synchronise = r->synchronise,
                                        .work = r->work,
                                        .begin = r->open,
                                        .after = m->apart || each ? after : NULL,
                                        .finish = m->finishes ? r->finish : NULL,
                                        .context = m};
        enum measure_status status = measure(&ops, 0, idle ? 0 : (long)m->count, &measured);
        if (status == MEASURE_FAILED)
            comm_check(comm, measured.error, m->benchmark->name, __FILE__, __LINE__);
        if (status == MEASURE_CLOCK_BACKWARDS) {
            comm_say(comm, "%s (rank %d)", measure_status_text(status), comm->rank);
            comm_abort(EXIT_ERRORS);
        }
        r->end(m);
        if (m->checking && goes_on(m))
            r->check(m);
        seconds += measured.seconds;
    }
    return seconds / (double)repetitions;
}

static struct imb_share measure_member(struct imb_measurement *m, int64_t repetitions, bool probing,
                                       double *each)
{
    struct imb_share share = {0};
    bool overlapped = m->benchmark->flags & IMB_OVERLAPPED;
    m->probing = probing;
    m->overlapping = false;
    if (!m->context->run->end.failed)
        share.seconds = m->pure = repeat(m, repetitions, overlapped ? NULL : each);
    if (overlapped && !m->context->run->end.failed) {
        m->overlapping = true;
        m->runner->start_overlap(m);
        share.pure = m->pure;
        if (!m->context->run->end.failed)
            share.seconds = repeat(m, repetitions, each);
        share.cpu = m->computed / (double)repetitions;
    }
    if (m->untimed) {
        share = (struct imb_share){.seconds = -1};
        for (int64_t i = 0; each && i < repetitions; i++)
            each[i] = -1;
    }
    share.setup = m->setup;
    return share;
}

static void measure_team(struct imb_team *team, int64_t repetitions, bool probing, double *each,
                         struct imb_share *shares)
{
    IMB_OF_TEAM(parallel num_threads(team->size))
    {
        const int i = thread_number();
        shares[i] = measure_member(team->members[i].measurement, repetitions, probing,
                                   each ? each + i * repetitions : NULL);
    }
}

static void check_team(struct imb_team *team)
{
    for (int i = 0; i < team->size; i++)
        if (goes_on(team->members[i].measurement))
            team->members[i].measurement->runner->check(team->members[i].measurement);
}

static void add_mismatch(struct imb_mismatch *all, const struct imb_mismatch *own)
{
    int64_t wrong = all->wrong + own->wrong;
    if (!all->wrong)
        *all = *own;
    all->wrong = wrong;
}

static void free_team(struct imb_team *team)
{
    for (int i = 0; i < team->size; i++) {
        struct member *m = &team->members[i];
        m->measurement->runner->finalize(m->measurement);
        if (m->context.members != team->context->members)
            COMM_CHECK(team->context->run->run.comm, MPI_Comm_free(&m->context.members));
        for (int b = 0; b < BUFFERS; b++)
            free(m->memory[b]);
        add_mismatch(team->mismatch, &m->mismatch);
    }
    free(team->members);
    free(team);
}

/* ---- one size ---- */

/* Maximum fraction of the run's remaining time for one size. The rest is a reserve, because a size may take
 * longer than estimated. */
#define RUN_SHARE 0.75

static double largest(const struct imb_context *t, double value)
{
    double all;
    COMM_CHECK(t->run->run.comm, MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_MAX, t->active));
    return all;
}

/* Returns the time of one repetition on the slowest process, in seconds. Probes of file accesses do not
 * compute, so the time of the computation is added. */
static double probe(const struct imb_context *t, struct imb_team *team, int64_t repetitions)
{
    struct imb_share *shares = t->own_shares;
    measure_team(team, repetitions, true, NULL, shares);
    return largest(t, shares->seconds + shares->pure + (t->run->files ? shares->cpu : 0));
}

/* Returns the number of seconds that remain for a size after `spent` seconds. All processes get the same
 * value. */
static double seconds_left(const struct imb_context *t, double spent)
{
    const struct imb_settings *s = t->run->settings;
    return -largest(t, -fmin(s->time - spent, RUN_SHARE * (s->run.time - comm_elapsed(t->run->run.comm))));
}

static int64_t find_repetitions(struct imb_context *t, struct imb_team *team, int64_t repetitions)
{
    const struct imb_settings *s = t->run->settings;
    double started = MPI_Wtime();
    if (t->table->policy != IMB_DYNAMIC) {
        probe(t, team, repetitions);
        return repetitions;
    }
    double first = probe(t, team, 1);
    double second = probe(t, team, imb_repetitions_probe(s, repetitions, first));
    return imb_repetitions_within(s, repetitions, first, second, seconds_left(t, MPI_Wtime() - started));
}

/* With -check, runs untimed repetitions and checks all received data. After the first repetition, continues
 * for at most a tenth of the time for this size. The time limit of the table does not include these
 * repetitions. */
static void check_size(struct imb_context *t, int64_t bytes, int64_t repetitions,
                       struct imb_mismatch *mismatch)
{
    int64_t max = imb_repetitions_checked(repetitions);
    double started = MPI_Wtime();
    struct imb_team *team = make_team(t, bytes, max, true, mismatch);
    measure_team(team, 1, false, NULL, t->own_shares);
    double left = seconds_left(t, 0) / 10, seconds = largest(t, MPI_Wtime() - started);
    max = seconds * (double)(max - 1) > left ? (int64_t)fmax(0, left / seconds) : max - 1;
    if (max > 0)
        measure_team(team, max, false, NULL, t->own_shares);
    free_team(team);
    t->started += MPI_Wtime() - started;
}

/* Runs the untimed repetitions. Returns the number of timed repetitions. In IMB-P2P, this number depends on
 * the time that the untimed repetitions took. */
static int64_t warm_up(struct imb_context *t, struct imb_team *team, int64_t repetitions)
{
    const struct imb_settings *s = t->run->settings;
    int64_t warmup = s->compat == IMB_30 ? 0 : imb_repetitions_warmup(s, repetitions);
    if (!warmup)
        return repetitions;
    measure_team(team, warmup, false, NULL, t->own_shares);
    if (s->component != IMB_P2P)
        return repetitions;
    double seconds = largest(t, t->own_shares->seconds);
    double max = fmax(1, seconds_left(t, 0) / seconds);
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

int64_t imb_measure_size(struct imb_context *t, int64_t bytes, int64_t repetitions, double **each,
                         struct imb_mismatch *mismatch)
{
    const struct imb_settings *s = t->run->settings;
    if (s->check)
        check_size(t, bytes, repetitions, mismatch);
    struct imb_team *team = make_team(t, bytes, repetitions, false, mismatch);
    if (s->component < IMB_MT && (s->compat != IMB_30 || t->table->policy != IMB_DYNAMIC))
        repetitions = find_repetitions(t, team, repetitions);
    repetitions = warm_up(t, team, repetitions);
    if (s->raw && !t->table->completed_together)
        *each = memory_new((size_t)repetitions * (size_t)s->team, sizeof **each, IMB_BUFFERS);
    measure_team(team, repetitions, false, *each, t->own_shares);
    divide(t, *each, repetitions);
    if (s->check)
        check_team(team);
    free_team(team);
    return repetitions;
}

void imb_warm_up_table(struct imb_context *t)
{
    struct imb_mismatch mismatch = {0};
    if (t->run->settings->compat != IMB_30 || !t->run->settings->warm_up || t->run->files || !t->sizes.count)
        return;
    int64_t bytes = t->sizes.bytes[t->sizes.count - 1];
    struct imb_memory memory = imb_memory_make(t->table, bytes, 2, false);
    if (imb_memory_gib(&memory) > t->run->settings->mem || imb_memory_overflows(&memory))
        return;
    struct imb_team *team = make_team(t, bytes, 2, false, &mismatch);
    measure_team(team, 2, false, NULL, t->own_shares);
    free_team(team);
}
