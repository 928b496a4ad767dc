/* The kernels. Uses one_sided. */
#include "imb_compat/mpi/kernels.h"

#include "imb_compat/mpi/one_sided.h"

enum { TAG = 1 };
#define IGNORE MPI_STATUS_IGNORE

/* ---- point to point ---- */

static int send(struct imb_transfer *t, int to)
{
    return MPI_Send(t->send, t->count, t->type, to, TAG, t->comm);
}

static int receive(struct imb_transfer *t, char *place, int from)
{
    return MPI_Recv(place, t->count, t->type, from, MPI_ANY_TAG, t->comm, IGNORE);
}

static int pingpong(struct imb_transfer *t)
{
    if (t->rank == 0)
        IMB_DO(send(t, t->peer));
    IMB_DO(receive(t, t->receive, t->source));
    return t->rank == 0 ? MPI_SUCCESS : send(t, t->peer);
}

static int pingping(struct imb_transfer *t)
{
    IMB_DO(MPI_Isend(t->send, t->count, t->type, t->peer, TAG, t->comm, t->requests));
    IMB_DO(receive(t, t->receive, t->source));
    return MPI_Wait(t->requests, IGNORE);
}

static int sendrecv(struct imb_transfer *t)
{
    return MPI_Sendrecv(t->send, t->count, t->type, t->right, TAG, t->receive, t->count, t->type, t->left,
                        MPI_ANY_TAG, t->comm, IGNORE);
}

static int exchange(struct imb_transfer *t)
{
    IMB_DO(MPI_Isend(t->send, t->count, t->type, t->right, TAG, t->comm, &t->requests[0]));
    IMB_DO(MPI_Isend(t->send + t->message, t->count, t->type, t->left, TAG, t->comm, &t->requests[1]));
    IMB_DO(receive(t, t->receive, t->left));
    IMB_DO(receive(t, t->receive + t->second, t->right));
    return MPI_Waitall(2, t->requests, MPI_STATUSES_IGNORE);
}

/* ---- windows of messages: the lower half sends to the upper half, or both to each other ---- */

static int receive_window(struct imb_transfer *t, MPI_Request *requests)
{
    for (int w = 0; w < t->window; w++)
        IMB_DO(MPI_Irecv(t->receive + w % t->places * t->message, t->count, t->type, t->source, MPI_ANY_TAG,
                         t->comm, &requests[w]));
    return MPI_SUCCESS;
}

static int send_window(struct imb_transfer *t, MPI_Request *requests)
{
    for (int w = 0; w < t->window; w++)
        IMB_DO(MPI_Isend(t->send, t->count, t->type, t->peer, TAG, t->comm, &requests[w]));
    return MPI_SUCCESS;
}

/* The upper half says that all have come. */
static int answer(struct imb_transfer *t)
{
    if (t->rank < t->peer)
        return MPI_Recv(&t->answer, 1, MPI_BYTE, t->source, MPI_ANY_TAG, t->comm, IGNORE);
    const char byte = IMB_ANSWER;
    return MPI_Send(&byte, 1, MPI_BYTE, t->peer, TAG, t->comm);
}

static int uniband(struct imb_transfer *t)
{
    IMB_DO(t->rank < t->peer ? send_window(t, t->requests) : receive_window(t, t->requests));
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

/* ---- collectives, blocking and nonblocking ---- */

#define COLLECTIVE(blocking, nonblocking, ...)                                                               \
    (t->started ? nonblocking(__VA_ARGS__, t->comm, t->started) : blocking(__VA_ARGS__, t->comm))
#define OUT      t->send, t->count, t->type
#define IN       t->receive, t->count, t->type
#define OUT_MANY t->send, t->counts, t->displacements, t->type
#define IN_MANY  t->receive, t->counts, t->displacements, t->type
#define SUM      t->type, MPI_SUM

static int allreduce(struct imb_transfer *t)
{
    return COLLECTIVE(MPI_Allreduce, MPI_Iallreduce, t->send, t->receive, t->count, SUM);
}

static int reduce(struct imb_transfer *t)
{
    return COLLECTIVE(MPI_Reduce, MPI_Ireduce, t->send, t->receive, t->count, SUM, t->root);
}

static int reduce_local(struct imb_transfer *t)
{
    return MPI_Reduce_local(t->send, t->receive, t->count, SUM);
}

static int reduce_scatter(struct imb_transfer *t)
{
    return COLLECTIVE(MPI_Reduce_scatter, MPI_Ireduce_scatter, t->send, t->receive, t->counts, SUM);
}

static int reduce_scatter_block(struct imb_transfer *t)
{
    return COLLECTIVE(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, t->send, t->receive, t->count,
                      SUM);
}

static int allgather(struct imb_transfer *t)
{
    return COLLECTIVE(MPI_Allgather, MPI_Iallgather, OUT, IN);
}

static int allgatherv(struct imb_transfer *t)
{
    return COLLECTIVE(MPI_Allgatherv, MPI_Iallgatherv, OUT, IN_MANY);
}

static int gather(struct imb_transfer *t)
{
    return COLLECTIVE(MPI_Gather, MPI_Igather, OUT, IN, t->root);
}

static int gatherv(struct imb_transfer *t)
{
    return COLLECTIVE(MPI_Gatherv, MPI_Igatherv, OUT, IN_MANY, t->root);
}

static int scatter(struct imb_transfer *t)
{
    return COLLECTIVE(MPI_Scatter, MPI_Iscatter, OUT, IN, t->root);
}

static int scatterv(struct imb_transfer *t)
{
    return COLLECTIVE(MPI_Scatterv, MPI_Iscatterv, OUT_MANY, IN, t->root);
}

static int alltoall(struct imb_transfer *t)
{
    return COLLECTIVE(MPI_Alltoall, MPI_Ialltoall, OUT, IN);
}

static int alltoallv(struct imb_transfer *t)
{
    return COLLECTIVE(MPI_Alltoallv, MPI_Ialltoallv, OUT_MANY, IN_MANY);
}

static int bcast(struct imb_transfer *t)
{
    return COLLECTIVE(MPI_Bcast, MPI_Ibcast, t->rank == t->root ? t->send : t->receive, t->count, t->type,
                      t->root);
}

static int barrier(struct imb_transfer *t)
{
    return t->started ? MPI_Ibarrier(t->comm, t->started) : MPI_Barrier(t->comm);
}

static int nothing(struct imb_transfer *t)
{
    (void)t;
    return MPI_SUCCESS;
}

imb_kernel_function *imb_kernel(enum imb_kernel kernel)
{
    static imb_kernel_function *const functions[IMB_KERNELS] = {
        [IMB_PINGPONG] = pingpong,
        [IMB_PINGPING] = pingping,
        [IMB_SENDRECV] = sendrecv,
        [IMB_EXCHANGE] = exchange,
        [IMB_UNIBAND] = uniband,
        [IMB_BIBAND] = biband,
        [IMB_ALLREDUCE] = allreduce,
        [IMB_REDUCE] = reduce,
        [IMB_REDUCE_LOCAL] = reduce_local,
        [IMB_REDUCE_SCATTER] = reduce_scatter,
        [IMB_REDUCE_SCATTER_BLOCK] = reduce_scatter_block,
        [IMB_ALLGATHER] = allgather,
        [IMB_ALLGATHERV] = allgatherv,
        [IMB_GATHER] = gather,
        [IMB_GATHERV] = gatherv,
        [IMB_SCATTER] = scatter,
        [IMB_SCATTERV] = scatterv,
        [IMB_ALLTOALL] = alltoall,
        [IMB_ALLTOALLV] = alltoallv,
        [IMB_BCAST] = bcast,
        [IMB_BARRIER] = barrier,
        [IMB_WINDOW] = imb_window,
        [IMB_PUT] = imb_put,
        [IMB_GET] = imb_get,
        [IMB_ACCUMULATE] = imb_accumulate,
        [IMB_GET_ACCUMULATE] = imb_get_accumulate,
        [IMB_FETCH_AND_OP] = imb_fetch_and_op,
        [IMB_COMPARE_AND_SWAP] = imb_compare_and_swap,
        [IMB_PUT_ALL] = imb_put_all,
        [IMB_GET_ALL] = imb_get_all,
        [IMB_EXCHANGE_PUT] = imb_exchange_put,
        [IMB_EXCHANGE_GET] = imb_exchange_get,
        [IMB_PUT_PASSIVE] = imb_put_passive,
        [IMB_NULL] = nothing,
        /* Those of files: ways.c. */
    };
    return functions[kernel];
}

int imb_message_barrier(MPI_Comm comm, int rank, int size)
{
    for (int distance = 1; distance < size; distance *= 2)
        IMB_DO(MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + distance) % size, TAG, NULL, 0, MPI_BYTE,
                            (rank - distance + size) % size, TAG, comm, IGNORE));
    return MPI_SUCCESS;
}
