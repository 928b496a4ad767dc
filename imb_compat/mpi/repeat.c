/* The repeated part of a measurement: the timed loop, the epochs around it, what came. Uses kernels, io,
 * check, load, measure. */
#include <string.h>

#include "common/measure.h"
#include "imb_compat/mpi/io.h"
#include "imb_compat/mpi/measurement.h"

/* ---- the measuring loop's view ---- */

static int barrier(const struct imb_measurer *m)
{
    const struct imb_transfer *t = &m->transfer;
    return m->site->settings->imb_barrier ? imb_message_barrier(t->comm, t->rank, t->size)
                                          : MPI_Barrier(t->comm);
}

/* A step of an epoch, if there is one. */
static int take(imb_kernel_function *step, struct imb_transfer *transfer)
{
    return step ? step(transfer) : MPI_SUCCESS;
}

/* All groups start together. */
static int synchronise(void *context)
{
    struct imb_measurer *m = context;
    IMB_DO(MPI_Barrier(m->site->active));
    IMB_DO(MPI_Barrier(m->transfer.comm));
    return take(m->epoch.open, &m->transfer);
}

static int finish(void *context)
{
    struct imb_measurer *m = context;
    return take(m->finish, &m->transfer);
}

static void move(struct imb_measurer *m, long iteration)
{
    struct imb_transfer *t = &m->transfer;
    const struct imb_buffer *send = &m->memory.send, *receive = &m->memory.receive;
    t->send = m->send + iteration % send->copies * send->step;
    t->receive = m->receive + iteration % receive->copies * receive->step;
    t->place = m->site->benchmark->flags & IMB_EXPOSED_SEND ? (t->send - m->send) / m->memory.stride
                                                            : (t->receive - m->receive) / m->memory.stride;
    if (m->site->settings->root_shift && m->site->benchmark->flags & IMB_ROOTED)
        t->root = (int)(iteration % t->size);
}

static int at_once(void *context)
{
    (void)context;
    return 0;
}

static int compute_once(void *context, long iteration)
{
    (void)iteration;
    const struct imb_measurer *m = context;
    imb_load_run(m->load, m->products);
    return 0;
}

/* Computes while a call is under way; its time is measured in between. */
static int compute(struct imb_measurer *m)
{
    struct measure_world world = {
        .now = world_now, .synchronise = at_once, .work = compute_once, .context = m};
    struct measured measured;
    int failed = measure(&world, 0, 1, &measured) == MEASURE_FAILED;
    m->computed += measured.seconds;
    return failed ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int work(void *context, long iteration)
{
    struct imb_measurer *m = context;
    if (m->moving)
        move(m, iteration);
    if (m->products && !m->transfer.started)
        IMB_DO(compute(m)); /* a passive target comes later */
    int code = m->kernel(&m->transfer);
    if (!m->transfer.started || code != MPI_SUCCESS)
        return code;
    if (m->products)
        code = compute(m);
    return code == MPI_SUCCESS ? MPI_Wait(&m->request, MPI_STATUS_IGNORE) : code;
}

static void check(struct imb_measurer *m)
{
    struct imb_transfer *t = &m->transfer;
    imb_check(&m->exchange, t->receive, t->root, &m->mismatch);
    memset(t->receive, 0, (size_t)m->memory.receive.bytes);
    bool answered = m->site->benchmark->columns == IMB_MESSAGES && t->rank < t->peer;
    if (answered && t->answer != IMB_ANSWER && m->mismatch.wrong++ == 0) {
        m->mismatch.source = t->peer;
        m->mismatch.expected = IMB_ANSWER;
        m->mismatch.found = (unsigned char)t->answer;
    }
    t->answer = 0;
}

static int after(void *context, long iteration, double seconds)
{
    struct imb_measurer *m = context;
    if (m->each)
        m->each[iteration] = seconds;
    if (m->checking)
        check(m);
    return m->waiting ? barrier(m) : MPI_SUCCESS;
}

/* Seconds for all repetitions. A passive target has nothing to do in them, unless it takes part by computing;
 * it is in MPI then, where it lets the transfers go on. */
static double run_loop(struct imb_measurer *m, int64_t repetitions)
{
    const struct imb_benchmark *b = m->site->benchmark;
    bool each = (b->flags & IMB_EACH && m->site->settings->compat == IMB_2021) || m->checking || m->each;
    bool idle = m->untimed && !(b->flags & IMB_OVERLAPPED);
    struct measure_world world = {.now = world_now,
                                  .synchronise = synchronise,
                                  .work = work,
                                  .after = each ? after : NULL,
                                  .finish = m->finish ? finish : NULL,
                                  .context = m};
    struct measured measured;
    enum measure_status status = measure(&world, 0, idle ? 0 : (long)repetitions, &measured);
    if (status == MEASURE_FAILED)
        world_check(m->site->world, measured.error, b->name, __FILE__, __LINE__);
    if (status == MEASURE_CLOCK_BACKWARDS) {
        world_say(m->site->world, "%s (rank %d)", measure_status_text(status), m->site->world->rank);
        MPI_Abort(MPI_COMM_WORLD, EXIT_ERRORS);
    }
    world_check(m->site->world, take(m->epoch.close, &m->transfer), b->name, __FILE__, __LINE__);
    if (imb_target_passive(b))
        WORLD_CHECK(m->site->world, MPI_Barrier(m->transfer.comm));
    return measured.seconds;
}

/* -check of windows: each repetition had a place of its own. */
static void check_places(struct imb_measurer *m, int64_t repetitions)
{
    const struct imb_buffer *receive = &m->memory.receive;
    bool locked = imb_target_passive(m->site->benchmark);
    if (locked)
        WORLD_CHECK(m->site->world, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, m->transfer.rank, 0, m->transfer.win));
    for (int64_t i = 0; i < repetitions && i < receive->copies; i++) {
        imb_check(&m->exchange, m->receive + i * receive->step, m->transfer.root, &m->mismatch);
        imb_measurer_prepare(m, i);
    }
    if (locked)
        WORLD_CHECK(m->site->world, MPI_Win_unlock(m->transfer.rank, m->transfer.win));
}

/* Seconds for one repetition. Where windows are checked, as many repetitions at once as they have places. */
static double run_loops(struct imb_measurer *m, int64_t repetitions)
{
    bool places = m->site->settings->check && m->site->benchmark->epoch != IMB_NO_EPOCH;
    int64_t most = places && m->memory.receive.bytes ? m->memory.receive.copies : repetitions;
    double *each = m->each, seconds = 0;
    for (int64_t done = 0; done < repetitions; done += most) {
        int64_t count = repetitions - done < most ? repetitions - done : most;
        m->each = each ? each + done : NULL;
        seconds += run_loop(m, count);
        if (places)
            check_places(m, count);
    }
    return seconds / (double)repetitions;
}

/* The computation lasts as long as the call alone; at a passive target, as long as the origin's. */
static long find_products(struct imb_measurer *m, double pure)
{
    if (imb_target_passive(m->site->benchmark)) {
        WORLD_CHECK(m->site->world, MPI_Bcast(&pure, 1, MPI_DOUBLE, 0, m->transfer.comm));
        if (m->transfer.acts)
            return 0;
    }
    return imb_load_products(m->load, pure);
}

struct imb_share imb_measurer_run(struct imb_measurer *m, int64_t repetitions, double *each)
{
    struct imb_share share = {0};
    bool overlapped = m->site->benchmark->flags & IMB_OVERLAPPED;
    if (m->io)
        return imb_io_run(m->io, repetitions, m->probing, each);
    m->products = 0;
    m->each = overlapped ? NULL : each;
    share.seconds = run_loops(m, repetitions);
    if (overlapped) {
        share.pure = share.seconds;
        m->products = find_products(m, share.pure);
        m->computed = 0;
        m->each = each;
        share.seconds = run_loops(m, repetitions);
        share.cpu = m->computed / (double)repetitions;
    }
    if (m->untimed) {
        share = (struct imb_share){.seconds = -1};
        for (int64_t i = 0; each && i < repetitions; i++)
            each[i] = -1;
    }
    share.defects = (double)m->mismatch.wrong;
    return share;
}
