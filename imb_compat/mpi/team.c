/* IMB-MT: the threads of a process. Each measures like a process of its own, with the runner of messages, a
 * communicator, buffers and a clock. */
#include "imb_compat/mpi/run.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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
        void *measurement;
        char *memory[BUFFERS];
    } * members;
    struct imb_mismatch *mismatch; /* of all */
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

static void *init(const struct imb_context *context, int64_t bytes, int64_t repetitions,
                  struct imb_mismatch *mismatch)
{
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
        m->measurement = imb_messages_runner.init(&m->context, bytes / size, repetitions, &m->mismatch);
    }
    return team;
}

static void add_mismatch(struct imb_mismatch *all, const struct imb_mismatch *own)
{
    int64_t wrong = all->wrong + own->wrong;
    if (!all->wrong)
        *all = *own;
    all->wrong = wrong;
}

static void measure_team(void *measurement, int64_t repetitions, bool probing, double *each,
                         struct imb_share *shares)
{
    struct imb_team *team = measurement;
    IMB_OF_TEAM(parallel num_threads(team->size))
    {
        const int i = thread_number();
        imb_messages_runner.measure(team->members[i].measurement, repetitions, probing,
                                    each ? each + i * repetitions : NULL, &shares[i]);
    }
    *team->mismatch = (struct imb_mismatch){0};
    for (int i = 0; i < team->size; i++)
        add_mismatch(team->mismatch, &team->members[i].mismatch);
}

static void finalize(void *measurement)
{
    struct imb_team *team = measurement;
    for (int i = 0; i < team->size; i++) {
        struct member *m = &team->members[i];
        imb_messages_runner.finalize(m->measurement);
        if (team->settings->threads == IMB_THREADS_MULTIPLE)
            COMM_CHECK(team->context->run->run.comm, MPI_Comm_free(&m->context.members));
        for (int b = 0; b < BUFFERS; b++)
            free(m->memory[b]);
    }
    free(team->members);
    free(team);
}

const struct imb_runner imb_team_runner = {init, measure_team, finalize};
