/* One-sided kernels and epochs. Uses MPI alone. */
#include "imb_compat/mpi/one_sided.h"

/* ---- epochs ---- */

static int fence(struct imb_transfer *t)
{
    return MPI_Win_fence(0, t->win);
}

static int fence_first(struct imb_transfer *t)
{
    return MPI_Win_fence(MPI_MODE_NOPRECEDE, t->win);
}

static int fence_last(struct imb_transfer *t)
{
    return MPI_Win_fence(MPI_MODE_NOSUCCEED, t->win);
}

static int lock(struct imb_transfer *t)
{
    return MPI_Win_lock(MPI_LOCK_SHARED, t->target, 0, t->win);
}

static int flush(struct imb_transfer *t)
{
    return MPI_Win_flush(t->target, t->win);
}

static int flush_local(struct imb_transfer *t)
{
    return MPI_Win_flush_local(t->target, t->win);
}

static int unlock(struct imb_transfer *t)
{
    return MPI_Win_unlock(t->target, t->win);
}

/* Left and right may be the same process. */
static int lock_sides(struct imb_transfer *t)
{
    IMB_DO(MPI_Win_lock(MPI_LOCK_SHARED, t->left, 0, t->win));
    return t->right == t->left ? MPI_SUCCESS : MPI_Win_lock(MPI_LOCK_SHARED, t->right, 0, t->win);
}

static int flush_sides(struct imb_transfer *t)
{
    IMB_DO(MPI_Win_flush(t->left, t->win));
    return t->right == t->left ? MPI_SUCCESS : MPI_Win_flush(t->right, t->win);
}

static int unlock_sides(struct imb_transfer *t)
{
    IMB_DO(MPI_Win_unlock(t->left, t->win));
    return t->right == t->left ? MPI_SUCCESS : MPI_Win_unlock(t->right, t->win);
}

static int lock_all(struct imb_transfer *t)
{
    return MPI_Win_lock_all(0, t->win);
}

static int flush_all(struct imb_transfer *t)
{
    return MPI_Win_flush_all(t->win);
}

static int flush_local_all(struct imb_transfer *t)
{
    return MPI_Win_flush_local_all(t->win);
}

static int unlock_all(struct imb_transfer *t)
{
    return MPI_Win_unlock_all(t->win);
}

const struct imb_epoch_steps *imb_epoch_steps(enum imb_epoch epoch)
{
    static const struct imb_epoch_steps steps[IMB_EPOCHS] = {
        [IMB_NO_EPOCH] = {NULL},
        [IMB_FENCE] = {.open = fence, .complete = fence},
        [IMB_FENCE_APART] = {.open = fence, .begin = fence_first, .complete = fence_last},
        [IMB_LOCK] = {.open = lock, .complete = flush, .close = unlock},
        [IMB_LOCK_LOCAL] = {.open = lock, .complete = flush_local, .close = unlock},
        [IMB_LOCK_SIDES] = {.open = lock_sides, .complete = flush_sides, .close = unlock_sides},
        [IMB_LOCK_ALL] = {.open = lock_all, .complete = flush_all, .close = unlock_all},
        [IMB_LOCK_ALL_LOCAL] = {.open = lock_all, .complete = flush_local_all, .close = unlock_all},
    };
    return &steps[epoch];
}

/* ---- kernels ---- */

#define SENT          t->send, t->count, t->type
#define THERE(offset) t->place + (offset), t->count, t->type

static int begin(struct imb_transfer *t)
{
    return t->begin ? t->begin(t) : MPI_SUCCESS;
}

static int complete(struct imb_transfer *t)
{
    return t->complete ? t->complete(t) : MPI_SUCCESS;
}

int imb_put(struct imb_transfer *t)
{
    IMB_DO(begin(t));
    if (t->acts)
        IMB_DO(MPI_Put(SENT, t->target, THERE(0), t->win));
    return complete(t);
}

int imb_get(struct imb_transfer *t)
{
    IMB_DO(begin(t));
    if (t->acts)
        IMB_DO(MPI_Get(t->receive, t->count, t->type, t->target, THERE(0), t->win));
    return complete(t);
}

int imb_accumulate(struct imb_transfer *t)
{
    IMB_DO(begin(t));
    if (t->acts)
        IMB_DO(MPI_Accumulate(SENT, t->target, THERE(0), MPI_SUM, t->win));
    return complete(t);
}

int imb_get_accumulate(struct imb_transfer *t)
{
    IMB_DO(MPI_Get_accumulate(SENT, t->receive, t->count, t->type, t->target, THERE(0), MPI_SUM, t->win));
    return complete(t);
}

int imb_fetch_and_op(struct imb_transfer *t)
{
    IMB_DO(MPI_Fetch_and_op(t->send, t->receive, t->type, t->target, t->place, MPI_SUM, t->win));
    return complete(t);
}

int imb_compare_and_swap(struct imb_transfer *t)
{
    IMB_DO(MPI_Compare_and_swap(t->send, &t->compared, t->receive, t->type, t->target, t->place, t->win));
    return complete(t);
}

int imb_put_all(struct imb_transfer *t)
{
    for (int distance = 1; distance < t->size; distance++)
        IMB_DO(MPI_Put(SENT, (t->rank + distance) % t->size, THERE(t->block), t->win));
    return complete(t);
}

int imb_get_all(struct imb_transfer *t)
{
    for (int distance = 1; distance < t->size; distance++) {
        int from = (t->rank + distance) % t->size;
        IMB_DO(MPI_Get(t->receive + from * t->message, t->count, t->type, from, THERE(0), t->win));
    }
    return complete(t);
}

/* As in a two-sided exchange, the first message goes to the right and the second to the left. */
int imb_exchange_put(struct imb_transfer *t)
{
    IMB_DO(MPI_Put(SENT, t->right, THERE(0), t->win));
    IMB_DO(MPI_Put(t->send + t->message, t->count, t->type, t->left, THERE(t->count), t->win));
    return complete(t);
}

int imb_exchange_get(struct imb_transfer *t)
{
    IMB_DO(MPI_Get(t->receive, t->count, t->type, t->left, THERE(0), t->win));
    IMB_DO(MPI_Get(t->receive + t->second, t->count, t->type, t->right, THERE(t->count), t->win));
    return complete(t);
}

int imb_put_passive(struct imb_transfer *t)
{
    if (t->acts) {
        IMB_DO(MPI_Put(SENT, t->target, THERE(0), t->win));
        IMB_DO(complete(t));
    }
    return MPI_Barrier(t->comm);
}

/* A window of its own in every repetition. */
int imb_window(struct imb_transfer *t)
{
    MPI_Win win;
    IMB_DO(MPI_Win_create(t->receive, t->message, 1, MPI_INFO_NULL, t->comm, &win));
    IMB_DO(MPI_Win_fence(0, win));
    if (t->count)
        IMB_DO(MPI_Put(t->send, 1, t->type, t->rank, 0, 1, t->type, win));
    IMB_DO(MPI_Win_fence(0, win));
    return MPI_Win_free(&win);
}
