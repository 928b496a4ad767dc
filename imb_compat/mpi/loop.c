/* Runs the repetitions of a benchmark on one thread. */
#include "imb_compat/mpi/run.h"

struct imb_measurement *imb_measurement_make(const struct imb_context *context,
                                             const struct imb_memory *memory, bool checking)
{
    return context->run->files ? imb_files_open(context, memory, checking)
                               : imb_messages_make(context, memory, checking);
}

void imb_measurement_check(struct imb_measurement *m)
{
    if (m->context->run->end.failed || m->context->run->end.signal)
        return;
    if (m->context->run->files)
        imb_files_check(m);
    else
        imb_messages_check(m);
}

void imb_measurement_free(struct imb_measurement *m, struct imb_mismatch *mismatch)
{
    const int64_t wrong = mismatch->wrong + m->mismatch.wrong;
    if (!mismatch->wrong)
        *mismatch = m->mismatch;
    mismatch->wrong = wrong;
    if (m->context->run->files)
        imb_files_close(m);
    else
        imb_messages_free(m);
}

/* Runs the current loop, and returns its time in seconds. A passive target that does not compute waits in MPI
 * instead of running the loop, so that MPI can make progress on the transfers. */
static double loop(struct imb_measurement *m)
{
    struct comm *comm = m->context->run->run.comm;
    const bool files = m->context->run->files, idle = m->untimed && !(m->benchmark->flags & IMB_OVERLAPPED);
    const struct measure_ops ops = files ? imb_files_begin(m) : imb_messages_begin(m);
    struct measured measured;
    if (!ops.work)
        return 0;
    enum measure_status status = measure(&ops, 0, idle ? 0 : (long)m->count, &measured);
    if (status == MEASURE_FAILED)
        comm_check(comm, measured.error, m->benchmark->name, __FILE__, __LINE__);
    if (status == MEASURE_CLOCK_BACKWARDS) {
        comm_say(comm, "%s (rank %d)", measure_status_text(status), comm->rank);
        ending_now(EXIT_ERRORS);
    }
    if (files)
        imb_files_end(m);
    else
        imb_messages_end(m);
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
    for (int64_t done = 0; done < m->repetitions; done += max) {
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
    const struct imb_end *end = &m->context->run->end;
    const bool overlapped = m->benchmark->flags & IMB_OVERLAPPED;
    struct imb_share share = {0};
    m->repetitions = repetitions;
    m->probing = probing;
    m->overlapping = false;
    if (!end->failed)
        share.seconds = m->pure = repeat(m, overlapped ? NULL : each);
    if (overlapped && !end->failed) {
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
