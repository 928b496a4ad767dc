/* Runs the repetitions of a benchmark on one thread, and lets the processes agree to end early. */
#include <limits.h>

#include "common/measure.h"
#include "imb_compat/mpi/kernels.h"
#include "imb_compat/mpi/run.h"

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

void imb_team_wait(const struct imb_context *context)
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
    double pace = (comm_now(NULL) - m->voted) / (double)m->stretch;
    imb_team_wait(t);
    if (t->thread == 0 && !imb_agree(t))
        t->run->pace = imb_largest(t, pace);
    imb_team_wait(t);
    plan_vote(m, m->next_vote);
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

void imb_measurement_check(struct imb_measurement *m)
{
    if (!imb_ended(m->context->run))
        m->context->run->kind->check(m);
}

void imb_measurement_free(struct imb_measurement *m, struct imb_mismatch *mismatch)
{
    imb_mismatch_add(mismatch, &m->mismatch);
    m->context->run->kind->free(m);
}

/* Runs the current loop, and returns its time in seconds. A passive target that does not compute waits in MPI
 * instead of running the loop, so that MPI can make progress on the transfers. It takes part in votes. */
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
    return measured.seconds;
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
            imb_measurement_check(m);
    }
    return seconds / (double)m->repetitions;
}

struct imb_share imb_measurement_run(struct imb_measurement *m, int64_t repetitions, bool probing,
                                     double *each)
{
    const bool overlapped = m->benchmark->flags & IMB_OVERLAPPED;
    struct imb_share share = {0};
    m->repetitions = repetitions;
    m->probing = probing;
    m->overlapping = false;
    share.seconds = m->pure = repeat(m, overlapped ? NULL : each);
    if (overlapped && !imb_ended(m->context->run)) {
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
