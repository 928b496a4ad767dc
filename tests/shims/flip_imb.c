/* LD_PRELOAD: damages one byte that a call received or put into another process, or delivers nothing or old
 * data instead. Covers all calls of the benchmarks. Uses MPI's profiling interface.
 *
 *   FLIP_BYTES   only calls with messages of this many bytes count; 1 includes the one-byte answers that
 *                confirm messages. Fetch_and_op and Compare_and_swap always count
 *   FLIP_NUMBER  number of the call with the fault on each rank, from 1; default 1. The count starts again
 * with each new communicator, so with each table of IMB, and with each new persistent request FLIP_EVERY
 * repeat the fault after this many calls; default: once FLIP_BIT     bits to flip; default 0x10 FLIP_ACTION
 * drop: drop the message instead; repeat: deliver the first message again FAULT_MARK   a file that is touched
 * when the fault happens */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdlib.h>
#include <string.h>
#include "shim.h"

enum action { FLIP, DROP, REPEAT, KEEP };

static enum action action(void)
{
    const char *action = getenv("FLIP_ACTION");
    return !action ? FLIP : strcmp(action, "drop") == 0 ? DROP : REPEAT;
}

/* Number of calls; REPEAT: the first message, or NULL. */
static long calls;
static void *first;

static void count_again(void)
{
    calls = 0;
    free(first);
    first = NULL;
}

/* Counts a call, and returns true if its message must be damaged. */
static int next_due(void)
{
    long after = ++calls - setting("FLIP_NUMBER", 1), every = setting("FLIP_EVERY", 0);
    return after == 0 || (every && after > 0 && after % every == 0);
}

static int counts(int count, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    return (long)count * size == setting("FLIP_BYTES", -1);
}

static void flip(void *message)
{
    *(unsigned char *)message ^= (unsigned char)setting("FLIP_BIT", 0x10);
}

static size_t bytes_of(int count, MPI_Datatype type)
{
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(type, &lower, &extent);
    return (size_t)count * (size_t)extent;
}

static void *copy_of(const void *message, size_t bytes)
{
    void *copy = malloc(bytes);
    if (!copy)
        abort();
    return memcpy(copy, message, bytes);
}

/* Returns the message itself, or if a fault is due, a damaged copy, the first message, or NULL if the message
 * must be dropped. Used for messages that are put into another process, where this rank cannot damage them.
 * MPI may use the result after the call, so it is not freed. */
static const void *sent(const void *message, int count, MPI_Datatype type)
{
    if (!counts(count, type))
        return message;
    const size_t bytes = bytes_of(count, type);
    const int due = next_due();
    if (!due && !first)
        first = copy_of(message, bytes);
    if (!due)
        return message;
    mark();
    if (action() == DROP)
        return NULL;
    void *copy = copy_of(action() == REPEAT ? first : message, bytes);
    if (action() == FLIP)
        flip(copy);
    return copy;
}

/* A message that has to be treated when it has arrived, after the call or the next wait. */
static struct {
    void *message, *old;
    size_t bytes;
    enum action action;
} started;

static void start_any(void *message, size_t bytes)
{
    const int due = next_due();
    if (started.message || (!due && first))
        return;
    started.message = message;
    started.bytes = bytes;
    started.action = due ? action() : KEEP;
    started.old = started.action == DROP ? copy_of(message, bytes) : NULL;
}

static void start(void *message, int count, MPI_Datatype type)
{
    if (message && counts(count, type))
        start_any(message, bytes_of(count, type));
}

static void arrive(void)
{
    if (!started.message)
        return;
    if (started.action == KEEP)
        first = copy_of(started.message, started.bytes);
    else
        mark();
    if (started.action == FLIP)
        flip(started.message);
    if (started.action == DROP)
        memcpy(started.message, started.old, started.bytes);
    if (started.action == REPEAT && first)
        memcpy(started.message, first, started.bytes);
    free(started.old);
    memset(&started, 0, sizeof started);
}

#define RECEIVING(name, parameters, arguments, message, count, type)                                         \
    int MPI_##name parameters                                                                                \
    {                                                                                                        \
        start(message, count, type);                                                                         \
        int code = PMPI_##name arguments;                                                                    \
        arrive();                                                                                            \
        return code;                                                                                         \
    }
#define STARTING(name, parameters, arguments, message, count, type)                                          \
    int MPI_##name parameters                                                                                \
    {                                                                                                        \
        start(message, count, type);                                                                         \
        return PMPI_##name arguments;                                                                        \
    }
#define T MPI_Datatype
#define C MPI_Comm
#define R MPI_Request *
#define O MPI_Op

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    int code = PMPI_Wait(request, status);
    arrive();
    return code;
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[])
{
    int code = PMPI_Waitall(n, requests, statuses);
    arrive();
    return code;
}

STARTING(Irecv, (void *b, int n, T t, int from, int g, C c, R r), (b, n, t, from, g, c, r), b, n, t)
RECEIVING(Recv, (void *b, int n, T t, int from, int g, C c, MPI_Status *s), (b, n, t, from, g, c, s), b, n, t)
RECEIVING(Sendrecv,
          (const void *b, int n, T t, int to, int g, void *d, int m, T u, int from, int h, C c,
           MPI_Status *s),
          (b, n, t, to, g, d, m, u, from, h, c, s), d, m, u)
RECEIVING(Sendrecv_replace, (void *b, int n, T t, int to, int g, int from, int h, C c, MPI_Status *s),
          (b, n, t, to, g, from, h, c, s), b, n, t)
RECEIVING(Allreduce, (const void *b, void *d, int n, T t, O o, C c), (b, d, n, t, o, c), d, n, t)
STARTING(Iallreduce, (const void *b, void *d, int n, T t, O o, C c, R r), (b, d, n, t, o, c, r), d, n, t)
RECEIVING(Reduce, (const void *b, void *d, int n, T t, O o, int root, C c), (b, d, n, t, o, root, c), d, n, t)
STARTING(Ireduce, (const void *b, void *d, int n, T t, O o, int root, C c, R r), (b, d, n, t, o, root, c, r),
         d, n, t)
RECEIVING(Reduce_local, (const void *b, void *d, int n, T t, O o), (b, d, n, t, o), d, n, t)
RECEIVING(Reduce_scatter, (const void *b, void *d, const int n[], T t, O o, C c), (b, d, n, t, o, c), d, n[0],
          t)
STARTING(Ireduce_scatter, (const void *b, void *d, const int n[], T t, O o, C c, R r), (b, d, n, t, o, c, r),
         d, n[0], t)
RECEIVING(Reduce_scatter_block, (const void *b, void *d, int n, T t, O o, C c), (b, d, n, t, o, c), d, n, t)
RECEIVING(Allgather, (const void *b, int n, T t, void *d, int m, T u, C c), (b, n, t, d, m, u, c), d, m, u)
STARTING(Iallgather, (const void *b, int n, T t, void *d, int m, T u, C c, R r), (b, n, t, d, m, u, c, r), d,
         m, u)
RECEIVING(Allgatherv, (const void *b, int n, T t, void *d, const int m[], const int p[], T u, C c),
          (b, n, t, d, m, p, u, c), d, m[0], u)
STARTING(Iallgatherv, (const void *b, int n, T t, void *d, const int m[], const int p[], T u, C c, R r),
         (b, n, t, d, m, p, u, c, r), d, m[0], u)
RECEIVING(Gather, (const void *b, int n, T t, void *d, int m, T u, int root, C c),
          (b, n, t, d, m, u, root, c), d, m, u)
STARTING(Igather, (const void *b, int n, T t, void *d, int m, T u, int root, C c, R r),
         (b, n, t, d, m, u, root, c, r), d, m, u)
RECEIVING(Gatherv, (const void *b, int n, T t, void *d, const int m[], const int p[], T u, int root, C c),
          (b, n, t, d, m, p, u, root, c), d, m[0], u)
STARTING(Igatherv,
         (const void *b, int n, T t, void *d, const int m[], const int p[], T u, int root, C c, R r),
         (b, n, t, d, m, p, u, root, c, r), d, m[0], u)
RECEIVING(Scatter, (const void *b, int n, T t, void *d, int m, T u, int root, C c),
          (b, n, t, d, m, u, root, c), d, m, u)
STARTING(Iscatter, (const void *b, int n, T t, void *d, int m, T u, int root, C c, R r),
         (b, n, t, d, m, u, root, c, r), d, m, u)
RECEIVING(Scatterv, (const void *b, const int n[], const int p[], T t, void *d, int m, T u, int root, C c),
          (b, n, p, t, d, m, u, root, c), d, m, u)
STARTING(Iscatterv,
         (const void *b, const int n[], const int p[], T t, void *d, int m, T u, int root, C c, R r),
         (b, n, p, t, d, m, u, root, c, r), d, m, u)
RECEIVING(Alltoall, (const void *b, int n, T t, void *d, int m, T u, C c), (b, n, t, d, m, u, c), d, m, u)
STARTING(Ialltoall, (const void *b, int n, T t, void *d, int m, T u, C c, R r), (b, n, t, d, m, u, c, r), d,
         m, u)
RECEIVING(Alltoallv,
          (const void *b, const int n[], const int p[], T t, void *d, const int m[], const int q[], T u, C c),
          (b, n, p, t, d, m, q, u, c), d, m[0], u)
STARTING(Ialltoallv,
         (const void *b, const int n[], const int p[], T t, void *d, const int m[], const int q[], T u, C c,
          R r),
         (b, n, p, t, d, m, q, u, c, r), d, m[0], u)
/* ---- persistent: MPI_Start counts as the nonblocking call ---- */

#ifdef MPI_PERSISTENT /* prefix of the calls: MPI_, or MPIX_ before Open MPI 5 */
enum { REQUESTS = 4096 };
static struct {
    MPI_Request request;
    void *message;
    int count, used;
    MPI_Datatype type;
} persistent[REQUESTS];
static int persistent_count;

static void keep(MPI_Request request, void *message, int count, MPI_Datatype type)
{
    count_again();
    persistent[persistent_count].used = 1;
    persistent[persistent_count].request = request;
    persistent[persistent_count].message = message;
    persistent[persistent_count].count = count;
    persistent[persistent_count].type = type;
    persistent_count = (persistent_count + 1) % REQUESTS;
}

int MPI_Start(MPI_Request *request)
{
    for (int i = 1; i <= REQUESTS; i++) { /* MPI reuses handles, so the latest entry counts */
        int k = (persistent_count - i + REQUESTS) % REQUESTS;
        if (persistent[k].used && persistent[k].request == *request) {
            start(persistent[k].message, persistent[k].count, persistent[k].type);
            break;
        }
    }
    return PMPI_Start(request);
}

#define JOINED(a, b, c)             a##b##c
#define NAMED(before, prefix, name) JOINED(before, prefix, name)
#define SETTING_UP(name, parameters, arguments, message, count, type)                                        \
    int NAMED(, MPI_PERSISTENT, name##_init) parameters                                                      \
    {                                                                                                        \
        int code = NAMED(P, MPI_PERSISTENT, name##_init) arguments;                                          \
        keep(*r, message, count, type);                                                                      \
        return code;                                                                                         \
    }
#define F MPI_Info

int NAMED(, MPI_PERSISTENT, Bcast_init)(void *b, int n, T t, int root, C c, F i, R r)
{
    int code = NAMED(P, MPI_PERSISTENT, Bcast_init)(b, n, t, root, c, i, r), rank;
    PMPI_Comm_rank(c, &rank);
    keep(*r, rank == root ? NULL : b, n, t);
    return code;
}

SETTING_UP(Allreduce, (const void *b, void *d, int n, T t, O o, C c, F i, R r), (b, d, n, t, o, c, i, r), d,
           n, t)
SETTING_UP(Reduce, (const void *b, void *d, int n, T t, O o, int root, C c, F i, R r),
           (b, d, n, t, o, root, c, i, r), d, n, t)
SETTING_UP(Reduce_scatter, (const void *b, void *d, const int n[], T t, O o, C c, F i, R r),
           (b, d, n, t, o, c, i, r), d, n[0], t)
SETTING_UP(Allgather, (const void *b, int n, T t, void *d, int m, T u, C c, F i, R r),
           (b, n, t, d, m, u, c, i, r), d, m, u)
SETTING_UP(Allgatherv, (const void *b, int n, T t, void *d, const int m[], const int p[], T u, C c, F i, R r),
           (b, n, t, d, m, p, u, c, i, r), d, m[0], u)
SETTING_UP(Gather, (const void *b, int n, T t, void *d, int m, T u, int root, C c, F i, R r),
           (b, n, t, d, m, u, root, c, i, r), d, m, u)
SETTING_UP(Gatherv,
           (const void *b, int n, T t, void *d, const int m[], const int p[], T u, int root, C c, F i, R r),
           (b, n, t, d, m, p, u, root, c, i, r), d, m[0], u)
SETTING_UP(Scatter, (const void *b, int n, T t, void *d, int m, T u, int root, C c, F i, R r),
           (b, n, t, d, m, u, root, c, i, r), d, m, u)
SETTING_UP(Scatterv,
           (const void *b, const int n[], const int p[], T t, void *d, int m, T u, int root, C c, F i, R r),
           (b, n, p, t, d, m, u, root, c, i, r), d, m, u)
SETTING_UP(Alltoall, (const void *b, int n, T t, void *d, int m, T u, C c, F i, R r),
           (b, n, t, d, m, u, c, i, r), d, m, u)
SETTING_UP(Alltoallv,
           (const void *b, const int n[], const int p[], T t, void *d, const int m[], const int q[], T u, C c,
            F i, R r),
           (b, n, p, t, d, m, q, u, c, i, r), d, m[0], u)
#endif

/* ---- one-sided ---- */

#define A MPI_Aint
#define W MPI_Win

int MPI_Put(const void *b, int n, T t, int to, A at, int m, T u, W w)
{
    const void *message = sent(b, n, t);
    return message ? PMPI_Put(message, n, t, to, at, m, u, w) : MPI_SUCCESS;
}

int MPI_Accumulate(const void *b, int n, T t, int to, A at, int m, T u, O o, W w)
{
    const void *message = sent(b, n, t);
    return message ? PMPI_Accumulate(message, n, t, to, at, m, u, o, w) : MPI_SUCCESS;
}

STARTING(Get, (void *b, int n, T t, int from, A at, int m, T u, W w), (b, n, t, from, at, m, u, w), b, n, t)
STARTING(Get_accumulate, (const void *b, int n, T t, void *d, int k, T v, int to, A at, int m, T u, O o, W w),
         (b, n, t, d, k, v, to, at, m, u, o, w), d, k, v)

int MPI_Fetch_and_op(const void *b, void *d, T t, int to, A at, O o, W w)
{
    start_any(d, bytes_of(1, t));
    return PMPI_Fetch_and_op(b, d, t, to, at, o, w);
}

int MPI_Compare_and_swap(const void *b, const void *e, void *d, T t, int to, A at, W w)
{
    start_any(d, bytes_of(1, t));
    return PMPI_Compare_and_swap(b, e, d, t, to, at, w);
}

/* After these calls, the transfers are complete. */
#define COMPLETING(name, parameters, arguments)                                                              \
    int MPI_##name parameters                                                                                \
    {                                                                                                        \
        int code = PMPI_##name arguments;                                                                    \
        arrive();                                                                                            \
        return code;                                                                                         \
    }
COMPLETING(Win_fence, (int a, W w), (a, w))
COMPLETING(Win_flush, (int r, W w), (r, w))
COMPLETING(Win_flush_local, (int r, W w), (r, w))
COMPLETING(Win_flush_all, (W w), (w))
COMPLETING(Win_flush_local_all, (W w), (w))

/* ---- broadcasts ---- */

/* The root of a Bcast sends, so its buffer is not damaged. */
int MPI_Bcast(void *b, int n, T t, int root, C c)
{
    int rank, code;
    PMPI_Comm_rank(c, &rank);
    if (rank != root)
        start(b, n, t);
    code = PMPI_Bcast(b, n, t, root, c);
    arrive();
    return code;
}

int MPI_Ibcast(void *b, int n, T t, int root, C c, R r)
{
    int rank;
    PMPI_Comm_rank(c, &rank);
    if (rank != root)
        start(b, n, t);
    return PMPI_Ibcast(b, n, t, root, c, r);
}

/* ---- the count ---- */

int MPI_Comm_split(C c, int color, int key, C *split)
{
    count_again();
    return PMPI_Comm_split(c, color, key, split);
}
