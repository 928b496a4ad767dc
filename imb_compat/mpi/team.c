/* One size on one process: its threads, each with the timed loop. Outside IMB-MT a process has one thread; in
 * IMB-MT each thread measures like a process, with its own communicator, buffers and clock. */
#include "imb_compat/mpi/run.h"

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
    omp_set_dynamic(0); /* as many as were asked for, always */
    IMB_OF_TEAM(parallel)
    {
        IMB_OF_TEAM(single)
        size = omp_get_num_threads();
    }
    return size;
#else
    return message_set(error,
                       "-thread_level: multiple is unavailable: this program has been built without OpenMP");
#endif
}

enum { BUFFERS = 2 };

/* A measurement of all threads. */
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
    struct imb_mismatch *mismatch; /* of the caller */
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

/* The communicator of a thread: MPI's hint tells its number. */
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

struct imb_team *imb_team_make(const struct imb_context *context, int64_t bytes, int64_t repetitions,
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
    (void)parallel; /* without OpenMP */
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

/* Returns true unless the accesses to files have failed, or a signal came during them. */
static bool goes_on(const struct imb_measurement *m)
{
    return !m->context->run->end.failed && !m->context->run->end.signal;
}

/* Returns the seconds for one repetition. Checked repetitions are compared as often as they have filled all
 * their places. A passive target does no work in a loop, unless it computes: it is in MPI then, where it lets
 * the transfers go on. */
static double repeat(struct imb_measurement *m, int64_t repetitions, double *each)
{
    const struct imb_runner *r = m->runner;
    struct comm *comm = m->context->run->run.comm;
    const bool idle = m->untimed && !(m->benchmark->flags & IMB_OVERLAPPED);
    const int64_t max = m->checking ? m->at_once : repetitions;
    double seconds = 0;
    m->each = each;
    m->computed = 0;
    for (m->first = 0; m->first < repetitions; m->first += max) {
        struct measured measured;
        m->count = repetitions - m->first < max ? repetitions - m->first : max;
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

void imb_team_measure(struct imb_team *team, int64_t repetitions, bool probing, double *each,
                      struct imb_share *shares)
{
    IMB_OF_TEAM(parallel num_threads(team->size))
    {
        const int i = thread_number();
        shares[i] = measure_member(team->members[i].measurement, repetitions, probing,
                                   each ? each + i * repetitions : NULL);
    }
}

void imb_team_check(struct imb_team *team)
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

void imb_team_free(struct imb_team *team)
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
