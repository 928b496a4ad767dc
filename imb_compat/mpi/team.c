/* IMB-MT: the threads of a process. Each thread measures like a process, with its own communicator, buffers
 * and clock. */
#include "imb_compat/mpi/run.h"

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
    if (team->settings->threads != IMB_THREADS_MULTIPLE)
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
        team->members[i].measurement = imb_measurement_make(&team->members[i].context, memory, checking);
    return team;
}

void imb_team_run(struct imb_team *team, int64_t repetitions, double *each)
{
    IMB_OF_TEAM(parallel num_threads(team->size))
    {
        const int i = thread_number();
        team->context->own_shares[i] = imb_measurement_run(team->members[i].measurement, repetitions, false,
                                                           each ? each + i * repetitions : NULL);
    }
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
            free(m->memory[b]);
    }
    free(team->members);
    free(team);
}
