/* The threads of a process, which is a team of one except in IMB-MT. Each thread of IMB-MT measures like a
 * process, with its own communicator, buffers and clock. */
#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "imb_compat/mpi/messages.h"

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

static bool has_threads(const struct imb_settings *settings)
{
    return imb_components[settings->component].work == IMB_THREADS &&
           settings->threads == IMB_THREADS_MULTIPLE;
}

int imb_team_size(const struct imb_settings *settings, struct message *error)
{
    int size = 1;
    if (!has_threads(settings))
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

enum { BUFFERS = 2, BARRIERS = 5 }; /* BARRIERS: after each call of a collective */

/* Waits for all threads of all processes, with the barrier that the user chose. */
static int synchronise(void *measurement)
{
    const struct imb_context *context = ((const struct imb_measurement *)measurement)->context;
    const struct imb_settings *s = context->table->settings;
    int code = MPI_SUCCESS;
    imb_team_wait(context);
    if (context->thread == 0 && s->barrier == IMB_BARRIER_ON)
        code = MPI_Barrier(context->active);
    else if (context->thread == 0 && s->barrier == IMB_BARRIER_SPECIAL)
        code = imb_message_barrier(context->active, context->rank, context->table->groups.size);
    imb_team_wait(context);
    return code;
}

static int wait_for_others(void *measurement)
{
    const struct messages *m = measurement;
    for (int i = 0; m->waiting && i < BARRIERS; i++)
        IMB_DO(synchronise(measurement));
    return MPI_SUCCESS;
}

const struct imb_kind imb_kind_threads = {.prepare = imb_messages_prepare,
                                          .begin = imb_messages_begin,
                                          .end = imb_messages_end,
                                          .check = imb_messages_check,
                                          .free = imb_messages_free,
                                          .synchronise = synchronise,
                                          .repetition = imb_messages_repeat,
                                          .wait = wait_for_others,
                                          .threads = true};

struct imb_team {
    const struct imb_context *context;
    const struct imb_settings *settings;
    int size;
    struct member {
        struct imb_context context;
        struct imb_measurement *measurement;
        char *memory[BUFFERS];
    } * members;
};

/* Creates the communicator of a thread, with the thread's number in the hint thread_id. */
static void make_member(struct imb_team *team, int thread)
{
    const struct imb_context *context = team->context;
    struct comm *comm = context->run->run.comm;
    struct member *m = &team->members[thread];
    char number[16];
    MPI_Info info;
    m->context = *context;
    m->context.buffers =
        team->members[team->settings->malloc_algo == IMB_MALLOC_CONTINUOUS ? 0 : thread].memory;
    m->context.thread = thread;
    if (!has_threads(team->settings))
        return;
    snprintf(number, sizeof number, "%d", thread);
    COMM_CHECK(comm, MPI_Comm_dup(context->members, &m->context.members));
    COMM_CHECK(comm, MPI_Info_create(&info));
    COMM_CHECK(comm, MPI_Info_set(info, "thread_id", number));
    COMM_CHECK(comm, MPI_Comm_set_info(m->context.members, info));
    COMM_CHECK(comm, MPI_Info_free(&info));
}

struct imb_team *imb_team_make(const struct imb_context *context, const struct imb_memory *memory,
                               bool checking)
{
    const struct imb_settings *settings = context->table->settings;
    const int size = settings->team;
    struct imb_team *team = memory_new(1, sizeof *team, IMB_BUFFERS);
    *team = (struct imb_team){.context = context,
                              .settings = settings,
                              .size = size,
                              .members = memory_new((size_t)size, sizeof *team->members, IMB_BUFFERS)};
    for (int i = 0; i < size; i++)
        make_member(team, i);
    bool parallel = settings->malloc_algo == IMB_MALLOC_PARALLEL;
    (void)parallel; /* unused without OpenMP */
    IMB_OF_TEAM(parallel for num_threads(size) if(parallel) schedule(static, 1))
    for (int i = 0; i < size; i++)
        team->members[i].measurement =
            context->run->kind->prepare(&team->members[i].context, memory, checking);
    return team;
}

double imb_team_run(struct imb_team *team, int64_t repetitions, bool probing, double *each)
{
    const double started = comm_now(NULL);
    IMB_OF_TEAM(parallel num_threads(team->size) if (team->size > 1))
    {
        const int i = thread_number();
        team->context->own_shares[i] = imb_measurement_run(team->members[i].measurement, repetitions, probing,
                                                           each ? each + i * repetitions : NULL);
    }
    return comm_now(NULL) - started;
}

void imb_team_check(struct imb_team *team)
{
    for (int i = 0; i < team->size; i++)
        imb_measurement_check(team->members[i].measurement);
}

void imb_team_free(struct imb_team *team, struct imb_mismatch *mismatch)
{
    for (int i = 0; i < team->size; i++) {
        struct member *m = &team->members[i];
        imb_measurement_free(m->measurement, mismatch);
        if (m->context.members != team->context->members)
            COMM_CHECK(team->context->run->run.comm, MPI_Comm_free(&m->context.members));
        for (int b = 0; b < BUFFERS; b++)
            space_free(&team->context->run->run.space, m->memory[b]);
    }
    free(team->members);
    free(team);
}
