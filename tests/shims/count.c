/* LD_PRELOAD: counts the MPI calls of every rank, using MPI's profiling interface. Whenever a communicator of
 * all processes is split (imb_compat does this twice before each table), and at the end, it appends a line of
 * `name number` pairs to the file COUNT_FILE.<rank>: the calls since the previous line. info_of_window counts
 * the calls of Win_create that have an info object. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* clang-format formats this list differently each time it runs. */
/* clang-format off */
#define CALLS(X)                                                                                        \
    X(Start) X(Sendrecv_replace) X(Send) X(Recv) X(Isend) X(Irecv) X(Wait) X(Waitall) X(Sendrecv) X(Barrier) X(Allreduce) X(Reduce)  \
    X(Reduce_local) X(Reduce_scatter) X(Reduce_scatter_block) X(Allgather) X(Allgatherv) X(Gather)      \
    X(Gatherv) X(Scatter) X(Scatterv) X(Alltoall) X(Alltoallv) X(Bcast) X(Ibarrier) X(Iallreduce)       \
    X(Ireduce) X(Ireduce_scatter) X(Iallgather) X(Iallgatherv) X(Igather) X(Igatherv) X(Iscatter)       \
    X(Iscatterv) X(Ialltoall) X(Ialltoallv) X(Ibcast) X(Put) X(Get) X(Accumulate) X(Get_accumulate)     \
    X(Fetch_and_op) X(Compare_and_swap) X(Win_create) X(Win_free) X(Win_fence) X(Win_lock) X(Win_unlock) \
    X(Win_lock_all) X(Win_unlock_all) X(Win_flush) X(Win_flush_local) X(Win_flush_all)                   \
    X(Win_flush_local_all) \
    X(File_write) X(File_write_at) X(File_write_shared) X(File_write_all) X(File_write_at_all)          \
    X(File_write_ordered) X(File_read) X(File_read_at) X(File_read_shared) X(File_read_all)             \
    X(File_read_at_all) X(File_read_ordered) X(File_iwrite) X(File_iwrite_at) X(File_iwrite_shared)     \
    X(File_iread) X(File_iread_at) X(File_iread_shared) X(File_write_all_begin)                         \
    X(File_write_all_end) X(File_write_at_all_begin) X(File_write_at_all_end)                           \
    X(File_write_ordered_begin) X(File_write_ordered_end) X(File_read_all_begin)                        \
    X(File_read_all_end) X(File_read_at_all_begin) X(File_read_at_all_end)                              \
    X(File_read_ordered_begin) X(File_read_ordered_end) X(File_sync) X(File_open) X(File_close)         \
    X(info_of_window)
/* clang-format on */

#define NUMBER(name) CALL_##name,
enum { CALLS(NUMBER) CALL_COUNT };
#define TEXT(name) #name,
static const char *const names[] = {CALLS(TEXT)};
static long counts[CALL_COUNT];

static void write_line(void)
{
    static FILE *out;
    const char *base = getenv("COUNT_FILE");
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!out && base) {
        char path[4096];
        snprintf(path, sizeof path, "%s.%d", base, rank);
        out = fopen(path, "w");
    }
    if (!out)
        return;
    for (int i = 0; i < CALL_COUNT; i++) {
        if (counts[i])
            fprintf(out, "%s %ld ", names[i], counts[i]);
        counts[i] = 0;
    }
    fputc('\n', out);
    fflush(out);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    int same;
    PMPI_Comm_compare(comm, MPI_COMM_WORLD, &same);
    if (same == MPI_CONGRUENT)
        write_line();
    return PMPI_Comm_split(comm, color, key, made);
}

int MPI_Finalize(void)
{
    write_line();
    return PMPI_Finalize();
}

#define COUNTED(name, parameters, arguments)                                                                 \
    int MPI_##name parameters                                                                                \
    {                                                                                                        \
        __atomic_add_fetch(&counts[CALL_##name], 1, __ATOMIC_RELAXED);                                       \
        return PMPI_##name arguments;                                                                        \
    }
#define T MPI_Datatype
#define C MPI_Comm
#define R MPI_Request *
#define O MPI_Op

COUNTED(Send, (const void *b, int n, T t, int to, int g, C c), (b, n, t, to, g, c))
COUNTED(Recv, (void *b, int n, T t, int from, int g, C c, MPI_Status *s), (b, n, t, from, g, c, s))
COUNTED(Isend, (const void *b, int n, T t, int to, int g, C c, R r), (b, n, t, to, g, c, r))
COUNTED(Irecv, (void *b, int n, T t, int from, int g, C c, R r), (b, n, t, from, g, c, r))
COUNTED(Start, (R r), (r))
COUNTED(Wait, (R r, MPI_Status *s), (r, s))
COUNTED(Waitall, (int n, MPI_Request r[], MPI_Status s[]), (n, r, s))
COUNTED(Sendrecv_replace, (void *b, int n, T t, int to, int g, int from, int h, C c, MPI_Status *s),
        (b, n, t, to, g, from, h, c, s))
COUNTED(Sendrecv,
        (const void *b, int n, T t, int to, int g, void *b2, int n2, T t2, int from, int g2, C c,
         MPI_Status *s),
        (b, n, t, to, g, b2, n2, t2, from, g2, c, s))
COUNTED(Barrier, (C c), (c))
COUNTED(Ibarrier, (C c, R r), (c, r))
COUNTED(Allreduce, (const void *b, void *d, int n, T t, O o, C c), (b, d, n, t, o, c))
COUNTED(Iallreduce, (const void *b, void *d, int n, T t, O o, C c, R r), (b, d, n, t, o, c, r))
COUNTED(Reduce, (const void *b, void *d, int n, T t, O o, int root, C c), (b, d, n, t, o, root, c))
COUNTED(Ireduce, (const void *b, void *d, int n, T t, O o, int root, C c, R r), (b, d, n, t, o, root, c, r))
COUNTED(Reduce_local, (const void *b, void *d, int n, T t, O o), (b, d, n, t, o))
COUNTED(Reduce_scatter, (const void *b, void *d, const int n[], T t, O o, C c), (b, d, n, t, o, c))
COUNTED(Ireduce_scatter, (const void *b, void *d, const int n[], T t, O o, C c, R r), (b, d, n, t, o, c, r))
COUNTED(Reduce_scatter_block, (const void *b, void *d, int n, T t, O o, C c), (b, d, n, t, o, c))
COUNTED(Allgather, (const void *b, int n, T t, void *d, int m, T u, C c), (b, n, t, d, m, u, c))
COUNTED(Iallgather, (const void *b, int n, T t, void *d, int m, T u, C c, R r), (b, n, t, d, m, u, c, r))
COUNTED(Allgatherv, (const void *b, int n, T t, void *d, const int m[], const int p[], T u, C c),
        (b, n, t, d, m, p, u, c))
COUNTED(Iallgatherv, (const void *b, int n, T t, void *d, const int m[], const int p[], T u, C c, R r),
        (b, n, t, d, m, p, u, c, r))
COUNTED(Gather, (const void *b, int n, T t, void *d, int m, T u, int root, C c), (b, n, t, d, m, u, root, c))
COUNTED(Igather, (const void *b, int n, T t, void *d, int m, T u, int root, C c, R r),
        (b, n, t, d, m, u, root, c, r))
COUNTED(Gatherv, (const void *b, int n, T t, void *d, const int m[], const int p[], T u, int root, C c),
        (b, n, t, d, m, p, u, root, c))
COUNTED(Igatherv, (const void *b, int n, T t, void *d, const int m[], const int p[], T u, int root, C c, R r),
        (b, n, t, d, m, p, u, root, c, r))
COUNTED(Scatter, (const void *b, int n, T t, void *d, int m, T u, int root, C c), (b, n, t, d, m, u, root, c))
COUNTED(Iscatter, (const void *b, int n, T t, void *d, int m, T u, int root, C c, R r),
        (b, n, t, d, m, u, root, c, r))
COUNTED(Scatterv, (const void *b, const int n[], const int p[], T t, void *d, int m, T u, int root, C c),
        (b, n, p, t, d, m, u, root, c))
COUNTED(Iscatterv,
        (const void *b, const int n[], const int p[], T t, void *d, int m, T u, int root, C c, R r),
        (b, n, p, t, d, m, u, root, c, r))
COUNTED(Alltoall, (const void *b, int n, T t, void *d, int m, T u, C c), (b, n, t, d, m, u, c))
COUNTED(Ialltoall, (const void *b, int n, T t, void *d, int m, T u, C c, R r), (b, n, t, d, m, u, c, r))
COUNTED(Alltoallv,
        (const void *b, const int n[], const int p[], T t, void *d, const int m[], const int q[], T u, C c),
        (b, n, p, t, d, m, q, u, c))
COUNTED(Ialltoallv,
        (const void *b, const int n[], const int p[], T t, void *d, const int m[], const int q[], T u, C c,
         R r),
        (b, n, p, t, d, m, q, u, c, r))
COUNTED(Bcast, (void *b, int n, T t, int root, C c), (b, n, t, root, c))
COUNTED(Ibcast, (void *b, int n, T t, int root, C c, R r), (b, n, t, root, c, r))

#define A MPI_Aint
#define W MPI_Win

COUNTED(Put, (const void *b, int n, T t, int to, A at, int m, T u, W w), (b, n, t, to, at, m, u, w))
COUNTED(Get, (void *b, int n, T t, int from, A at, int m, T u, W w), (b, n, t, from, at, m, u, w))
COUNTED(Accumulate, (const void *b, int n, T t, int to, A at, int m, T u, O o, W w),
        (b, n, t, to, at, m, u, o, w))
COUNTED(Get_accumulate, (const void *b, int n, T t, void *d, int k, T v, int to, A at, int m, T u, O o, W w),
        (b, n, t, d, k, v, to, at, m, u, o, w))
COUNTED(Fetch_and_op, (const void *b, void *d, T t, int to, A at, O o, W w), (b, d, t, to, at, o, w))
COUNTED(Compare_and_swap, (const void *b, const void *e, void *d, T t, int to, A at, W w),
        (b, e, d, t, to, at, w))
int MPI_Win_create(void *b, A n, int u, MPI_Info i, C c, W *w)
{
    counts[CALL_Win_create]++;
    counts[CALL_info_of_window] += i != MPI_INFO_NULL;
    return PMPI_Win_create(b, n, u, i, c, w);
}
COUNTED(Win_free, (W * w), (w))
COUNTED(Win_fence, (int a, W w), (a, w))
COUNTED(Win_lock, (int l, int r, int a, W w), (l, r, a, w))
COUNTED(Win_unlock, (int r, W w), (r, w))
COUNTED(Win_lock_all, (int a, W w), (a, w))
COUNTED(Win_unlock_all, (W w), (w))
COUNTED(Win_flush, (int r, W w), (r, w))
COUNTED(Win_flush_local, (int r, W w), (r, w))
COUNTED(Win_flush_all, (W w), (w))
COUNTED(Win_flush_local_all, (W w), (w))

/* Define the calls on files. `at` is empty, or an offset followed by a comma. */
#define F      MPI_File
#define OFFSET MPI_Offset offset,
#define AT     offset,
#define ALONE(name, constness, parameter, at)                                                                \
    COUNTED(File_##name, (F f, parameter constness void *b, int n, T t, MPI_Status *s), (f, at b, n, t, s))  \
    COUNTED(File_i##name, (F f, parameter constness void *b, int n, T t, R r), (f, at b, n, t, r))
#define TOGETHER(name, constness, parameter, at)                                                             \
    COUNTED(File_##name, (F f, parameter constness void *b, int n, T t, MPI_Status *s), (f, at b, n, t, s))  \
    COUNTED(File_##name##_begin, (F f, parameter constness void *b, int n, T t), (f, at b, n, t))            \
    COUNTED(File_##name##_end, (F f, constness void *b, MPI_Status *s), (f, b, s))

ALONE(write, const, , )
ALONE(write_shared, const, , )
ALONE(write_at, const, OFFSET, AT)
ALONE(read, , , )
ALONE(read_shared, , , )
ALONE(read_at, , OFFSET, AT)
TOGETHER(write_all, const, , )
TOGETHER(write_ordered, const, , )
TOGETHER(write_at_all, const, OFFSET, AT)
TOGETHER(read_all, , , )
TOGETHER(read_ordered, , , )
TOGETHER(read_at_all, , OFFSET, AT)
COUNTED(File_sync, (F f), (f))
COUNTED(File_open, (C c, const char *name, int mode, MPI_Info i, F *f), (c, name, mode, i, f))
COUNTED(File_close, (F * f), (f))
