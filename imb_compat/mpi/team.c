/* Runs the repetitions of a benchmark on the threads of a process, and lets the processes agree to end early.
 * A process is a team of one except in IMB-MT, where each thread measures like a process, with its own
 * communicator, buffers and clock. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/measure.h"
#include "common/memory.h"
#include "imb_compat/mpi/kernels.h"
#include "imb_compat/mpi/run.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#define VOTE_SECONDS 0.3 /* from one vote to the next */
#define VOTE_MIN     1.0 /* seconds of a loop; a shorter one ends soon enough without votes */

enum { STOPPED = -1 }; /* differs from MPI's error codes */

bool imb_agree(const struct imb_context *context)
{
    struct comm *comm = context->run->run.comm;
    struct imb_end *end = &context->run->end;
    int own[] = {*comm->failure ? context->number : INT_MAX, -ending_signal(), -end->time_is_up}, all[3];
    COMM_CHECK(comm, MPI_Allreduce(own, all, 3, MPI_INT, MPI_MIN, context->active));
    ending_forgive(); /* now all processes know about the failure */
    if (all[1])
        end->signal = -all[1];
    end->time_is_up = -all[2];
    if (all[0] < INT_MAX && !end->failed) {
        end->failed = true;
        COMM_CHECK(comm, MPI_Bcast(comm->failure, sizeof comm->failure, MPI_CHAR, all[0], context->active));
    }
    return imb_ended(context->run);
}

double imb_largest(const struct imb_context *context, double value)
{
    double all;
    COMM_CHECK(context->run->run.comm, MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_MAX, context->active));
    return all;
}

/* ---- votes during a loop ---- */

/* Sets the number of repetitions until the next vote, from the time that they are expected to take. */
static void plan_vote(struct imb_measurement *m, int64_t done)
{
    const double pace = m->context->run->pace, left = (double)(m->count - done) * pace;
    m->stretch = left > VOTE_MIN && pace < left ? (int64_t)(VOTE_SECONDS / pace) + 1 : 0;
    m->next_vote = m->stretch ? done + m->stretch : m->count;
    m->voted = comm_now(NULL);
}

/* Waits for the other threads of this process. */
static void wait_for_team(const struct imb_context *context)
{
    (void)context; /* unused without OpenMP */
    if (context->table->settings->team > 1) {
        IMB_OF_TEAM(barrier)
    }
}

/* Returns true if the loop has to end. */
static bool vote(struct imb_measurement *m)
{
    const struct imb_context *t = m->context;
    const struct imb_kind *kind = t->run->kind;
    if (kind->settle)
        comm_check(t->run->run.comm, kind->settle(m), m->benchmark->name, __FILE__, __LINE__);
    const double arrived = comm_now(NULL), pace = (arrived - m->voted) / (double)m->stretch;
    wait_for_team(t);
    if (t->thread == 0 && !imb_agree(t))
        t->run->pace = imb_largest(t, pace);
    wait_for_team(t);
    plan_vote(m, m->next_vote);
    m->waited += m->voted - arrived;
    return imb_ended(t->run);
}

static long stretch(void *measurement, const struct measured *so_far)
{
    struct imb_measurement *m = measurement;
    bool ends = so_far->loops == m->count || (so_far->loops && vote(m));
    return ends ? 0 : (long)(m->next_vote - so_far->loops);
}

static int after(void *measurement, long iteration, double seconds)
{
    struct imb_measurement *m = measurement;
    const struct imb_kind *kind = m->context->run->kind;
    int code = MPI_SUCCESS;
    if (m->each)
        m->each[iteration] = seconds;
    if (kind->wait)
        code = kind->wait(m);
    bool votes = code == MPI_SUCCESS && iteration + 1 == m->next_vote && iteration + 1 < m->count;
    return votes && vote(m) ? STOPPED : code;
}

static int idle(void *measurement, long iteration)
{
    (void)measurement;
    (void)iteration;
    return MPI_SUCCESS;
}

/* ---- loops ---- */

/* Compares the results of the last loop, unless the run ends. */
static void check(struct imb_measurement *m)
{
    if (!imb_ended(m->context->run))
        m->context->run->kind->check(m);
}

/* Runs the current loop, and returns its time in seconds, without the votes, because a process waits for the
 * slowest of all groups there. A passive target that does not compute waits in MPI instead of running the
 * loop, so that MPI can make progress on the transfers. It takes part in votes. */
static double loop(struct imb_measurement *m)
{
    const struct imb_run *run = m->context->run;
    const struct imb_kind *kind = run->kind;
    struct comm *comm = run->run.comm;
    const bool waits = m->untimed && !(m->benchmark->flags & IMB_OVERLAPPED);
    struct measured measured;
    kind->begin(m);
    if (imb_ended(run))
        return 0;
    plan_vote(m, 0);
    m->waited = 0;
    const bool votes = m->stretch;
    const struct measure_ops ops = {.now = comm_now,
                                    .synchronise = kind->synchronise,
                                    .work = waits ? idle : kind->repetition,
                                    .begin = kind->open,
                                    .vote = votes ? stretch : NULL,
                                    .after = m->apart || m->each ? after : NULL,
                                    .finish = m->completes ? kind->complete : NULL,
                                    .context = m};
    enum measure_status status = measure(&ops, 0, waits && !votes ? 0 : (long)m->count, &measured);
    if (status == MEASURE_FAILED && measured.error != STOPPED)
        comm_check(comm, measured.error, m->benchmark->name, __FILE__, __LINE__);
    if (status == MEASURE_CLOCK_BACKWARDS) {
        comm_say(comm, "%s (rank %d)", measure_status_text(status), comm->rank);
        ending_now(EXIT_ERRORS);
    }
    kind->end(m);
    return measured.seconds - (ops.after ? 0 : m->waited);
}

/* Runs repetitions, and returns the mean time of one repetition in seconds. If the repetitions are checked,
 * checks their data whenever all places of the receive buffer are full. */
static double repeat(struct imb_measurement *m, double *each)
{
    const int64_t max = m->checking ? m->at_once : m->repetitions;
    double seconds = 0;
    m->each = each;
    m->computed = 0;
    for (int64_t done = 0; done < m->repetitions && !imb_ended(m->context->run); done += max) {
        m->first = done;
        m->count = m->repetitions - done < max ? m->repetitions - done : max;
        seconds += loop(m);
        if (m->checking)
            check(m);
    }
    return seconds / (double)m->repetitions;
}

/* Runs repetitions. If the benchmark computes during its transfers, runs them twice: without and with the
 * computation. Returns the times of one repetition. */
static struct imb_share run_all(struct imb_measurement *m, int64_t repetitions, bool probing, double *each)
{
    const bool overlapped = m->benchmark->flags & IMB_OVERLAPPED;
    struct imb_share share = {0};
    m->repetitions = repetitions;
    m->probing = probing;
    m->overlapping = false;
    share.seconds = m->pure = repeat(m, overlapped ? NULL : each);
    if (overlapped && !imb_ended(m->context->run)) {
        if (m->context->table->settings->check && m->benchmark->flags & IMB_WRITES && !probing &&
            !m->checking)
            check(m); /* the second loop overwrites the file */
        m->overlapping = true;
        share.pure = m->pure;
        share.seconds = repeat(m, each);
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

/* ---- threads ---- */

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

enum { BUFFERS = 2 };

int imb_team_synchronise(void *measurement)
{
    const struct imb_context *context = ((const struct imb_measurement *)measurement)->context;
    const struct imb_settings *s = context->table->settings;
    int code = MPI_SUCCESS;
    wait_for_team(context);
    if (context->thread == 0 && s->barrier == IMB_BARRIER_ON)
        code = MPI_Barrier(context->active);
    else if (context->thread == 0 && s->barrier == IMB_BARRIER_SPECIAL)
        code = imb_message_barrier(context->active, context->rank, context->table->groups.size);
    wait_for_team(context);
    return code;
}

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
        team->context->own_shares[i] =
            run_all(team->members[i].measurement, repetitions, probing, each ? each + i * repetitions : NULL);
    }
    return comm_now(NULL) - started;
}

void imb_team_check(struct imb_team *team)
{
    for (int i = 0; i < team->size; i++)
        check(team->members[i].measurement);
}

void imb_team_free(struct imb_team *team, struct imb_mismatch *mismatch)
{
    for (struct member *m = team->members; m < team->members + team->size; m++) {
        imb_mismatch_add(mismatch, &m->measurement->mismatch);
        team->context->run->kind->free(m->measurement);
        if (m->context.members != team->context->members)
            COMM_CHECK(team->context->run->run.comm, MPI_Comm_free(&m->context.members));
        for (int b = 0; b < BUFFERS; b++)
            space_free(&team->context->run->run.space, m->memory[b]);
    }
    free(team->members);
    free(team);
}
