#include "imb_compat/mpi/kernels.h"

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

enum { TAG = 1 };
#define IGNORE MPI_STATUS_IGNORE

/* Defines a kernel, or a step of an epoch, that is a single call. */
#define ONE_CALL(name, call)                                                                                 \
    static int name(struct imb_transfer *t)                                                                  \
    {                                                                                                        \
        return call;                                                                                         \
    }

/* ---- point to point ---- */

enum { LINE = 64 };

/* IMB-P2P: brings a message into the sender's cache. */
static void write_lines(const struct imb_transfer *t, char *message)
{
    for (int64_t i = 0; t->writes && i < t->message; i += LINE) {
        volatile char *byte = message + i;
        *byte = *byte; /* cppcheck-suppress selfAssignment; a volatile access writes the cache line */
    }
}

/* IMB-P2P: brings a message into the receiver's cache. */
static void read_lines(const struct imb_transfer *t, const char *message)
{
    for (int64_t i = 0; t->reads && i < t->message; i += LINE)
        (void)*(volatile const char *)(message + i);
}

static int send(struct imb_transfer *t, int to)
{
    write_lines(t, t->send);
    return MPI_Send(t->send, t->count, t->type, to, TAG, t->comm);
}

static int receive(struct imb_transfer *t, char *place, int from)
{
    IMB_DO(MPI_Recv(place, t->count, t->type, from, MPI_ANY_TAG, t->comm, IGNORE));
    read_lines(t, place);
    return MPI_SUCCESS;
}

static int pingpong(struct imb_transfer *t)
{
    if (t->e.rank < t->e.near.partner)
        IMB_DO(send(t, t->e.near.partner));
    IMB_DO(receive(t, t->receive, t->source));
    return t->e.rank < t->e.near.partner ? MPI_SUCCESS : send(t, t->e.near.partner);
}

static int pingping(struct imb_transfer *t)
{
    IMB_DO(MPI_Isend(t->send, t->count, t->type, t->e.near.partner, TAG, t->comm, t->requests));
    IMB_DO(receive(t, t->receive, t->source));
    return MPI_Wait(t->requests, IGNORE);
}

ONE_CALL(sendrecv, MPI_Sendrecv(t->send, t->count, t->type, t->e.near.right, TAG, t->receive, t->count,
                                t->type, t->e.near.left, MPI_ANY_TAG, t->comm, IGNORE))

static int exchange(struct imb_transfer *t)
{
    IMB_DO(MPI_Isend(t->send, t->count, t->type, t->e.near.right, TAG, t->comm, &t->requests[0]));
    IMB_DO(MPI_Isend(t->send + t->second_sent, t->count, t->type, t->e.near.left, TAG, t->comm,
                     &t->requests[1]));
    IMB_DO(receive(t, t->receive, t->e.near.left));
    IMB_DO(receive(t, t->receive + t->second, t->e.near.right));
    return MPI_Waitall(2, t->requests, MPI_STATUSES_IGNORE);
}

/* ---- windows of messages ---- */

/* In Uniband, the lower half of the processes sends to the upper half. In Biband, both halves send to each
 * other. */

static int receive_window(struct imb_transfer *t, MPI_Request *requests)
{
    for (int w = 0; w < t->window; w++)
        IMB_DO(MPI_Irecv(t->receive + w % t->e.places * t->message, t->count, t->type, t->source, MPI_ANY_TAG,
                         t->comm, &requests[w]));
    return MPI_SUCCESS;
}

static int send_window(struct imb_transfer *t, MPI_Request *requests)
{
    for (int w = 0; w < t->window; w++)
        IMB_DO(MPI_Isend(t->send, t->count, t->type, t->e.near.partner, TAG, t->comm, &requests[w]));
    return MPI_SUCCESS;
}

/* Confirms that all messages have arrived: the upper half sends, the lower half receives. */
static int answer(struct imb_transfer *t)
{
    if (t->e.rank < t->e.near.partner)
        return MPI_Recv(&t->answer, 1, MPI_BYTE, t->source, MPI_ANY_TAG, t->comm, IGNORE);
    const char byte = IMB_ANSWER;
    return MPI_Send(&byte, 1, MPI_BYTE, t->e.near.partner, TAG, t->comm);
}

static int uniband(struct imb_transfer *t)
{
    IMB_DO(t->e.rank < t->e.near.partner ? send_window(t, t->requests) : receive_window(t, t->requests));
    IMB_DO(MPI_Waitall(t->window, t->requests, MPI_STATUSES_IGNORE));
    return answer(t);
}

static int biband(struct imb_transfer *t)
{
    IMB_DO(receive_window(t, t->requests));
    IMB_DO(send_window(t, t->requests + t->window));
    IMB_DO(MPI_Waitall(2 * t->window, t->requests, MPI_STATUSES_IGNORE));
    return answer(t);
}

/* ---- IMB-P2P ---- */

/* Returns the place for the message of a step, and records the message's origin. */
static char *place_of(struct imb_transfer *t, int step, int from)
{
    int place = step % t->e.places;
    if (t->e.origins)
        t->e.origins[place] = (struct imb_origin){from, 0};
    return t->receive + place * t->message;
}

static int swap(struct imb_transfer *t, int to, int from, int step)
{
    char *place = place_of(t, step, from);
    IMB_DO(MPI_Irecv(place, t->count, t->type, from, TAG, t->comm, t->requests));
    IMB_DO(send(t, to));
    IMB_DO(MPI_Wait(t->requests, IGNORE));
    read_lines(t, place);
    return MPI_SUCCESS;
}

ONE_CALL(swap_partner, swap(t, t->e.near.partner, t->e.near.partner, 0))

static int unirandom(struct imb_transfer *t)
{
    for (int step = 0, pair[2]; step < t->e.size; step++) {
        imb_partners_draw_pair(&t->partners, pair);
        if (t->e.rank == pair[0])
            IMB_DO(send(t, pair[1]));
        else if (t->e.rank == pair[1])
            IMB_DO(receive(t, place_of(t, step, pair[0]), pair[0]));
    }
    return MPI_SUCCESS;
}

static int birandom(struct imb_transfer *t)
{
    for (int step = 0, pair[2]; step < t->e.size; step++) {
        imb_partners_draw_pair(&t->partners, pair);
        if (t->e.rank == pair[0] || t->e.rank == pair[1]) {
            int other = pair[t->e.rank == pair[0]];
            IMB_DO(swap(t, other, other, step));
        }
    }
    return MPI_SUCCESS;
}

static int corandom(struct imb_transfer *t)
{
    const int *ring = t->partners.ring, size = t->e.size;
    int own = 0;
    imb_partners_shuffle(&t->partners);
    while (ring[own] != t->e.rank)
        own++;
    return swap(t, ring[(own + 1) % size], ring[(own + size - 1) % size], 0);
}

static int stencil(struct imb_transfer *t)
{
    const int n = t->e.neighbour_count;
    for (int i = 0; i < n; i++)
        write_lines(t, t->send + i * t->message);
    for (int i = 0; i < n; i++)
        IMB_DO(MPI_Irecv(t->receive + i * t->message, t->count, t->type, t->e.neighbours[i], TAG, t->comm,
                         &t->requests[i]));
    for (int i = 0; i < n; i++)
        IMB_DO(MPI_Isend(t->send + i * t->message, t->count, t->type, t->e.neighbours[i], TAG, t->comm,
                         &t->requests[n + i]));
    IMB_DO(MPI_Waitall(2 * n, t->requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < n; i++)
        read_lines(t, t->receive + i * t->message);
    return MPI_SUCCESS;
}

static int replace(struct imb_transfer *t)
{
    write_lines(t, t->receive);
    IMB_DO(MPI_Sendrecv_replace(t->receive, t->count, t->type, t->e.near.right, TAG, t->e.near.left, TAG,
                                t->comm, IGNORE));
    read_lines(t, t->receive);
    return MPI_SUCCESS;
}

/* ---- blocking, nonblocking and persistent collectives ---- */

#ifdef MPI_PERSISTENT /* prefix of the persistent calls: MPI_, or MPIX_ before Open MPI 5 */
#define JOINED(a, b)        a##b
#define NAMED(prefix, name) JOINED(prefix, name)
#define SET_UP(name, ...)   NAMED(MPI_PERSISTENT, name##_init)(__VA_ARGS__, MPI_INFO_NULL, t->started)
const bool imb_has_persistent = true;
#else
#define SET_UP(name, ...) MPI_ERR_OTHER
const bool imb_has_persistent = false;
#endif
#define COLLECTIVE(name, nonblocking, ...)                                                                   \
    (t->persistent ? SET_UP(name, __VA_ARGS__)                                                               \
     : t->started  ? MPI_##nonblocking(__VA_ARGS__, t->started)                                              \
                   : MPI_##name(__VA_ARGS__))
#define OUT      t->send, t->count, t->type
#define IN       t->receive, t->count, t->type
#define OUT_MANY t->send, t->counts, t->displacements, t->type
#define IN_MANY  t->receive, t->counts, t->displacements, t->type
#define SUM      t->type, MPI_SUM

ONE_CALL(allreduce, COLLECTIVE(Allreduce, Iallreduce, t->send, t->receive, t->count, SUM, t->comm))
ONE_CALL(reduce, COLLECTIVE(Reduce, Ireduce, t->send, t->receive, t->count, SUM, t->root, t->comm))
ONE_CALL(reduce_local, MPI_Reduce_local(t->send, t->receive, t->count, SUM))
ONE_CALL(reduce_scatter,
         COLLECTIVE(Reduce_scatter, Ireduce_scatter, t->send, t->receive, t->counts, SUM, t->comm))
ONE_CALL(reduce_scatter_block,
         COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, t->send, t->receive, t->count, SUM, t->comm))
ONE_CALL(allgather, COLLECTIVE(Allgather, Iallgather, OUT, IN, t->comm))
ONE_CALL(allgatherv, COLLECTIVE(Allgatherv, Iallgatherv, OUT, IN_MANY, t->comm))
ONE_CALL(gather, COLLECTIVE(Gather, Igather, OUT, IN, t->root, t->comm))
ONE_CALL(gatherv, COLLECTIVE(Gatherv, Igatherv, OUT, IN_MANY, t->root, t->comm))
ONE_CALL(scatter, COLLECTIVE(Scatter, Iscatter, OUT, IN, t->root, t->comm))
ONE_CALL(scatterv, COLLECTIVE(Scatterv, Iscatterv, OUT_MANY, IN, t->root, t->comm))
ONE_CALL(alltoall, COLLECTIVE(Alltoall, Ialltoall, OUT, IN, t->comm))
ONE_CALL(alltoallv, COLLECTIVE(Alltoallv, Ialltoallv, OUT_MANY, IN_MANY, t->comm))
ONE_CALL(bcast, COLLECTIVE(Bcast, Ibcast, t->e.rank == t->root ? t->send : t->receive, t->count, t->type,
                           t->root, t->comm))
ONE_CALL(barrier, COLLECTIVE(Barrier, Ibarrier, t->comm))

static int barrier_of_threads(struct imb_transfer *t)
{
    if (t->threads) {
        IMB_OF_TEAM(barrier)
    }
    return MPI_Barrier(t->comm);
}

/* ---- epochs of one-sided transfers ---- */

ONE_CALL(fence, MPI_Win_fence(0, t->win))
ONE_CALL(fence_first, MPI_Win_fence(MPI_MODE_NOPRECEDE, t->win))
ONE_CALL(fence_last, MPI_Win_fence(MPI_MODE_NOSUCCEED, t->win))
ONE_CALL(lock, MPI_Win_lock(MPI_LOCK_SHARED, t->target, 0, t->win))
ONE_CALL(flush, MPI_Win_flush(t->target, t->win))
ONE_CALL(flush_local, MPI_Win_flush_local(t->target, t->win))
ONE_CALL(unlock, MPI_Win_unlock(t->target, t->win))

/* Defines a step that makes a call for each neighbour `to`, but only once if both are the same process. */
#define EACH_SIDE(name, call)                                                                                \
    static int name(struct imb_transfer *t)                                                                  \
    {                                                                                                        \
        int to = t->e.near.left;                                                                             \
        IMB_DO(call);                                                                                        \
        to = t->e.near.right;                                                                                \
        return to == t->e.near.left ? MPI_SUCCESS : call;                                                    \
    }

EACH_SIDE(lock_sides, MPI_Win_lock(MPI_LOCK_SHARED, to, 0, t->win))
EACH_SIDE(flush_sides, MPI_Win_flush(to, t->win))
EACH_SIDE(unlock_sides, MPI_Win_unlock(to, t->win))
ONE_CALL(lock_all, MPI_Win_lock_all(0, t->win))
ONE_CALL(flush_all, MPI_Win_flush_all(t->win))
ONE_CALL(flush_local_all, MPI_Win_flush_local_all(t->win))
ONE_CALL(unlock_all, MPI_Win_unlock_all(t->win))

const struct imb_epoch_steps imb_epoch_steps[IMB_EPOCHS] = {
    [IMB_NO_EPOCH] = {NULL},
    [IMB_FENCE] = {.open = fence, .complete = fence},
    [IMB_FENCE_APART] = {.open = fence, .begin = fence_first, .complete = fence_last},
    [IMB_LOCK] = {.open = lock, .complete = flush, .close = unlock, .passive = true},
    [IMB_LOCK_LOCAL] = {.open = lock, .complete = flush_local, .close = unlock, .passive = true},
    [IMB_LOCK_SIDES] = {.open = lock_sides, .complete = flush_sides, .close = unlock_sides, .passive = true},
    [IMB_LOCK_ALL] = {.open = lock_all, .complete = flush_all, .close = unlock_all, .passive = true},
    [IMB_LOCK_ALL_LOCAL] = {.open = lock_all,
                            .complete = flush_local_all,
                            .close = unlock_all,
                            .passive = true},
};

/* ---- one-sided transfers ---- */

#define SENT          t->send, t->count, t->type
#define THERE(offset) t->place + (offset), t->count, t->type

/* Defines a kernel that makes one call on the processes that move data. */
#define ONE_SIDED(name, call)                                                                                \
    static int name(struct imb_transfer *t)                                                                  \
    {                                                                                                        \
        IMB_DO(imb_step(t->begin, t));                                                                       \
        if (t->acts)                                                                                         \
            IMB_DO(call);                                                                                    \
        return imb_step(t->complete, t);                                                                     \
    }

ONE_SIDED(put, MPI_Put(SENT, t->target, THERE(0), t->win))
ONE_SIDED(get, MPI_Get(t->receive, t->count, t->type, t->target, THERE(0), t->win))
ONE_SIDED(accumulate, MPI_Accumulate(SENT, t->target, THERE(0), MPI_SUM, t->win))
ONE_SIDED(get_accumulate,
          MPI_Get_accumulate(SENT, t->receive, t->count, t->type, t->target, THERE(0), MPI_SUM, t->win))
ONE_SIDED(fetch_and_op, MPI_Fetch_and_op(t->send, t->receive, t->type, t->target, t->place, MPI_SUM, t->win))
ONE_SIDED(compare_and_swap,
          MPI_Compare_and_swap(t->send, &t->compared, t->receive, t->type, t->target, t->place, t->win))

static int put_all(struct imb_transfer *t)
{
    for (int distance = 1; distance < t->e.size; distance++)
        IMB_DO(MPI_Put(SENT, (t->e.rank + distance) % t->e.size, THERE(t->block), t->win));
    return imb_step(t->complete, t);
}

static int get_all(struct imb_transfer *t)
{
    for (int distance = 1; distance < t->e.size; distance++) {
        int from = (t->e.rank + distance) % t->e.size;
        IMB_DO(MPI_Get(t->receive + from * t->message, t->count, t->type, from, THERE(0), t->win));
    }
    return imb_step(t->complete, t);
}

/* As in Exchange, the first message goes to the right and the second message to the left. */
static int exchange_put(struct imb_transfer *t)
{
    IMB_DO(MPI_Put(SENT, t->e.near.right, THERE(0), t->win));
    IMB_DO(MPI_Put(t->send + t->message, t->count, t->type, t->e.near.left, THERE(t->count), t->win));
    return imb_step(t->complete, t);
}

static int exchange_get(struct imb_transfer *t)
{
    IMB_DO(MPI_Get(t->receive, t->count, t->type, t->e.near.left, THERE(0), t->win));
    IMB_DO(MPI_Get(t->receive + t->second, t->count, t->type, t->e.near.right, THERE(t->count), t->win));
    return imb_step(t->complete, t);
}

static int put_passive(struct imb_transfer *t)
{
    if (t->acts) {
        IMB_DO(MPI_Put(SENT, t->target, THERE(0), t->win));
        IMB_DO(imb_step(t->complete, t));
    }
    return MPI_Barrier(t->comm);
}

/* Creates and frees a window in every repetition. */
static int window(struct imb_transfer *t)
{
    MPI_Win win;
    IMB_DO(MPI_Win_create(t->receive, t->message, 1, t->info, t->comm, &win));
    IMB_DO(MPI_Win_fence(0, win));
    if (t->count)
        IMB_DO(MPI_Put(t->send, 1, t->type, t->e.rank, 0, 1, t->type, win));
    IMB_DO(MPI_Win_fence(0, win));
    return MPI_Win_free(&win);
}

/* ---- files ---- */

#define DATA c->data, c->bytes, MPI_BYTE

/* ALONE defines an independent access, TOGETHER a collective access. The argument `offset` is EXPLICIT if the
 * call has an offset, and empty otherwise. */
#define MOVE(call, start_name, end, ...)                                                                     \
    static int move_##call(const struct imb_chunk *c, MPI_Status *status)                                    \
    {                                                                                                        \
        return MPI_File_##call(c->file, __VA_ARGS__ DATA, status);                                           \
    }                                                                                                        \
    static const struct imb_io_call call_##call = {"MPI_File_" #call, start_name, move_##call, start_##call, \
                                                   end};
#define ALONE(call, offset)                                                                                  \
    static int start_##call(const struct imb_chunk *c, MPI_Request *request)                                 \
    {                                                                                                        \
        return MPI_File_i##call(c->file, offset DATA, request);                                              \
    }                                                                                                        \
    MOVE(call, "MPI_File_i" #call, NULL, offset)
#define TOGETHER(call, offset)                                                                               \
    static int start_##call(const struct imb_chunk *c, MPI_Request *request)                                 \
    {                                                                                                        \
        (void)request;                                                                                       \
        return MPI_File_##call##_begin(c->file, offset DATA);                                                \
    }                                                                                                        \
    static int end_##call(const struct imb_chunk *c, MPI_Status *status)                                     \
    {                                                                                                        \
        return MPI_File_##call##_end(c->file, c->data, status);                                              \
    }                                                                                                        \
    MOVE(call, "MPI_File_" #call "_begin", end_##call, offset)
#define EXPLICIT c->at,

ALONE(write, )
ALONE(write_at, EXPLICIT)
ALONE(write_shared, )
ALONE(read, )
ALONE(read_at, EXPLICIT)
ALONE(read_shared, )
TOGETHER(write_all, )
TOGETHER(write_at_all, EXPLICIT)
TOGETHER(write_ordered, )
TOGETHER(read_all, )
TOGETHER(read_at_all, EXPLICIT)
TOGETHER(read_ordered, )

static const struct imb_io_call call_open_close = {NULL};

/* ---- the empty loop ---- */

static int nothing(struct imb_transfer *t)
{
    (void)t;
    return MPI_SUCCESS;
}

/* ---- table of kernels ---- */

const struct imb_kernel imb_kernels[] = {
#define BENCHMARK(component, name, class, columns, kernel, ...) {kernel, NULL},
#define FILE_BENCHMARK(name, class, columns, call, ...)         {NULL, &call_##call},
#include "imb_compat/benchmarks.def"
};

int imb_message_barrier(MPI_Comm comm, int rank, int size)
{
    for (int distance = 1; distance < size; distance *= 2)
        IMB_DO(MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + distance) % size, TAG, NULL, 0, MPI_BYTE,
                            (rank - distance % size + size) % size, TAG, comm, IGNORE));
    return MPI_SUCCESS;
}
