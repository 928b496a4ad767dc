/* Measures one-sided transfers: messages with a window, and an epoch around the repetitions. */
#include "imb_compat/mpi/messages.h"

/* Creates the window, and sets the steps of the epochs that this process takes part in. */
static void make_window(struct messages *m)
{
    const struct imb_benchmark *b = m->base.benchmark;
    struct imb_transfer *t = &m->transfer;
    bool exposed_send = b->flags & IMB_EXPOSED_SEND, is_30 = m->settings->compat == IMB_30;
    const struct imb_buffer *exposed = exposed_send ? &m->base.memory.send : &m->base.memory.receive;
    t->acts =
        !(b->flags & IMB_BY_FIRST && t->e.rank) && !(b->flags & IMB_BY_LAST && t->e.rank != t->e.size - 1);
    t->block = b->receive == IMB_PX ? t->e.rank * m->base.memory.items : 0;
    m->passive = imb_epoch_steps[b->epoch].passive;
    m->base.untimed = m->passive && !t->acts;
    if (!m->base.untimed) /* release 3.0 had only one fence */
        m->epoch = imb_epoch_steps[b->epoch == IMB_FENCE_APART && is_30 ? IMB_FENCE : b->epoch];
    if (m->base.context->table->completed_together)
        m->base.completes = m->epoch.complete;
    else {
        t->begin = m->epoch.begin;
        t->complete = m->epoch.complete;
    }
    if (b->epoch == IMB_NO_EPOCH)
        return;
    COMM_CHECK(m->comm, MPI_Win_create(exposed_send ? m->send : m->receive, exposed->step * exposed->copies,
                                       (int)m->base.memory.stride, t->info, t->comm, &t->win));
    COMM_CHECK(m->comm, MPI_Win_set_errhandler(t->win, MPI_ERRORS_RETURN));
}

static struct imb_measurement *prepare(const struct imb_context *context, const struct imb_memory *memory,
                                       bool checking)
{
    struct imb_measurement *base = imb_messages_prepare(context, memory, checking);
    make_window((struct messages *)base);
    return base;
}

static int open_epoch(void *context)
{
    struct messages *m = context;
    return imb_step(m->epoch.open, &m->transfer);
}

static int complete(void *context)
{
    struct messages *m = context;
    return imb_step(m->epoch.complete, &m->transfer);
}

/* The epoch goes on after a flush, or after the fence that opened it. */
static int settle(void *context)
{
    const struct messages *m = context;
    return !m->base.completes ? MPI_SUCCESS : m->passive ? complete(context) : open_epoch(context);
}

static void end(struct imb_measurement *base)
{
    struct messages *m = (struct messages *)base;
    comm_check(m->comm, imb_step(m->epoch.close, &m->transfer), base->benchmark->name, __FILE__, __LINE__);
    if (m->passive)
        COMM_CHECK(m->comm, MPI_Barrier(m->transfer.comm));
    imb_messages_end(base);
}

static void check(struct imb_measurement *base)
{
    struct messages *m = (struct messages *)base;
    const struct imb_transfer *t = &m->transfer;
    if (m->passive)
        COMM_CHECK(m->comm, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t->e.rank, 0, t->win));
    imb_messages_check(base);
    if (m->passive)
        COMM_CHECK(m->comm, MPI_Win_unlock(t->e.rank, t->win));
}

static void release(struct imb_measurement *base)
{
    struct messages *m = (struct messages *)base;
    if (m->transfer.win != MPI_WIN_NULL)
        COMM_CHECK(m->comm, MPI_Win_free(&m->transfer.win));
    imb_messages_free(base);
}

const struct imb_kind imb_kind_windows = {.prepare = prepare,
                                          .begin = imb_messages_begin,
                                          .end = end,
                                          .check = check,
                                          .free = release,
                                          .synchronise = imb_messages_synchronise,
                                          .open = open_epoch,
                                          .repetition = imb_messages_repeat,
                                          .settle = settle,
                                          .complete = complete};
