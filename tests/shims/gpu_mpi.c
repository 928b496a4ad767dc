/* LD_PRELOAD: makes MPI take the device memory of gpu.c, as a GPU-aware MPI does.
 *
 *   GPU_UNAWARE   name of an MPI call that does not take device memory
 *   GPU_CORRUPT   last or middle: this byte of each sent message of more than GPU_ABOVE and fewer than
 *                 GPU_BELOW bytes is wrong
 *   GPU_RANK      only messages of this rank are wrong; default: of all
 *   GPU_QUERY     answer of MPIX_GPU_query_support: 0 or 1; otherwise it returns an error
 *   GPU_KINDS     value of the info key mpi_memory_alloc_kinds; otherwise there is none
 *   GPU_LIBRARY   name of the library */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include "shim.h"

static void *reach(const char *call, const void *address)
{
    static void *(*reachable)(const void *);
    const char *unaware = getenv("GPU_UNAWARE");
    if (!reachable)
        reachable = (void *(*)(const void *))dlsym(RTLD_DEFAULT, "gpu_reachable");
    return reachable && (!unaware || strcmp(unaware, call) != 0) ? reachable(address) : (void *)address;
}

static void *sent(const char *call, const void *address, int bytes)
{
    const char *which = getenv("GPU_CORRUPT");
    unsigned char *message = reach(call, address);
    if (which && own_rank() == setting("GPU_RANK", own_rank()) && bytes > setting("GPU_ABOVE", 1 << 20) &&
        bytes < setting("GPU_BELOW", 1 << 30))
        message[strcmp(which, "last") == 0 ? bytes - 1 : bytes / 2] ^= 0x10;
    return message;
}

/* The next definition of the call: of MPI, or of another shim. */
#define NEXT(call) ((__typeof__(&(call)))dlsym(RTLD_NEXT, #call))

#define IN(p)  reach(__func__, p)
#define OUT(p) reach(__func__, p)

int MPI_Send(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c)
{
    return NEXT(MPI_Send)(sent(__func__, b, n), n, t, to, tag, c);
}
int MPI_Recv(void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status *s)
{
    return NEXT(MPI_Recv)(OUT(b), n, t, from, tag, c, s);
}
int MPI_Isend(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *r)
{
    return NEXT(MPI_Isend)(sent(__func__, b, n), n, t, to, tag, c, r);
}
int MPI_Irecv(void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request *r)
{
    return NEXT(MPI_Irecv)(OUT(b), n, t, from, tag, c, r);
}
int MPI_Sendrecv(const void *a, int n, MPI_Datatype t, int to, int tag, void *b, int m, MPI_Datatype u,
                 int from, int tag2, MPI_Comm c, MPI_Status *s)
{
    return NEXT(MPI_Sendrecv)(sent(__func__, a, n), n, t, to, tag, OUT(b), m, u, from, tag2, c, s);
}
int MPI_Alltoallv(const void *a, const int *n, const int *d, MPI_Datatype t, void *b, const int *m,
                  const int *e, MPI_Datatype u, MPI_Comm c)
{
    int size;
    PMPI_Comm_size(c, &size);
    for (int i = 0; i < size && t == MPI_BYTE; i++)
        if (n[i])
            sent(__func__, (const char *)a + d[i], n[i]);
    return NEXT(MPI_Alltoallv)(IN(a), n, d, t, OUT(b), m, e, u, c);
}

/* Defines the blocking, the nonblocking and the persistent form of a collective. */
#define LIST(...) __VA_ARGS__
#ifdef MPI_PERSISTENT /* prefix of the calls: MPI_, or MPIX_ before Open MPI 5 */
#define JOINED(a, b, c)             a##b##c
#define NAMED(before, prefix, name) JOINED(before, prefix, name)
#define PERSISTENT(name, parameters, arguments)                                                              \
    int NAMED(, MPI_PERSISTENT, name##_init)(LIST parameters, MPI_Info i, MPI_Request * r)                   \
    {                                                                                                        \
        return NAMED(P, MPI_PERSISTENT, name##_init)(LIST arguments, i, r);                                  \
    }
#else
#define PERSISTENT(name, parameters, arguments)
#endif
#define COLLECTIVE(name, nonblocking, parameters, arguments)                                                 \
    int MPI_##name(LIST parameters)                                                                          \
    {                                                                                                        \
        return PMPI_##name(LIST arguments);                                                                  \
    }                                                                                                        \
    STARTED(name, nonblocking, parameters, arguments)
#define STARTED(name, nonblocking, parameters, arguments)                                                    \
    int MPI_##nonblocking(LIST parameters, MPI_Request *r)                                                   \
    {                                                                                                        \
        return PMPI_##nonblocking(LIST arguments, r);                                                        \
    }                                                                                                        \
    PERSISTENT(name, parameters, arguments)
#define TYPE   MPI_Datatype
#define COUNTS const int *m, const int *e

STARTED(Alltoallv, Ialltoallv,
        (const void *a, const int *n, const int *d, TYPE t, void *b, COUNTS, TYPE u, MPI_Comm c),
        (IN(a), n, d, t, OUT(b), m, e, u, c))
COLLECTIVE(Alltoall, Ialltoall, (const void *a, int n, TYPE t, void *b, int m, TYPE u, MPI_Comm c),
           (IN(a), n, t, OUT(b), m, u, c))
COLLECTIVE(Allgather, Iallgather, (const void *a, int n, TYPE t, void *b, int m, TYPE u, MPI_Comm c),
           (IN(a), n, t, OUT(b), m, u, c))
COLLECTIVE(Allgatherv, Iallgatherv, (const void *a, int n, TYPE t, void *b, COUNTS, TYPE u, MPI_Comm c),
           (IN(a), n, t, OUT(b), m, e, u, c))
COLLECTIVE(Gather, Igather, (const void *a, int n, TYPE t, void *b, int m, TYPE u, int root, MPI_Comm c),
           (IN(a), n, t, OUT(b), m, u, root, c))
COLLECTIVE(Gatherv, Igatherv, (const void *a, int n, TYPE t, void *b, COUNTS, TYPE u, int root, MPI_Comm c),
           (IN(a), n, t, OUT(b), m, e, u, root, c))
COLLECTIVE(Scatter, Iscatter, (const void *a, int n, TYPE t, void *b, int m, TYPE u, int root, MPI_Comm c),
           (IN(a), n, t, OUT(b), m, u, root, c))
COLLECTIVE(Scatterv, Iscatterv, (const void *a, COUNTS, TYPE t, void *b, int n, TYPE u, int root, MPI_Comm c),
           (IN(a), m, e, t, OUT(b), n, u, root, c))
COLLECTIVE(Bcast, Ibcast, (void *b, int n, TYPE t, int root, MPI_Comm c), (OUT(b), n, t, root, c))
COLLECTIVE(Reduce, Ireduce, (const void *a, void *b, int n, TYPE t, MPI_Op op, int root, MPI_Comm c),
           (IN(a), OUT(b), n, t, op, root, c))
COLLECTIVE(Allreduce, Iallreduce, (const void *a, void *b, int n, TYPE t, MPI_Op op, MPI_Comm c),
           (IN(a), OUT(b), n, t, op, c))
COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           (const void *a, void *b, const int *n, TYPE t, MPI_Op op, MPI_Comm c),
           (IN(a), OUT(b), n, t, op, c))
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
           (const void *a, void *b, int n, TYPE t, MPI_Op op, MPI_Comm c), (IN(a), OUT(b), n, t, op, c))

int MPI_Reduce_local(const void *a, void *b, int n, MPI_Datatype t, MPI_Op op)
{
    return PMPI_Reduce_local(IN(a), OUT(b), n, t, op);
}
int MPI_Sendrecv_replace(void *b, int n, MPI_Datatype t, int to, int tag, int from, int tag2, MPI_Comm c,
                         MPI_Status *s)
{
    return PMPI_Sendrecv_replace(OUT(b), n, t, to, tag, from, tag2, c, s);
}
int MPI_Win_create(void *b, MPI_Aint n, int unit, MPI_Info info, MPI_Comm c, MPI_Win *w)
{
    return PMPI_Win_create(OUT(b), n, unit, info, c, w);
}
int MPI_Put(const void *a, int n, MPI_Datatype t, int to, MPI_Aint d, int m, MPI_Datatype u, MPI_Win w)
{
    return PMPI_Put(IN(a), n, t, to, d, m, u, w);
}
int MPI_Get(void *a, int n, MPI_Datatype t, int to, MPI_Aint d, int m, MPI_Datatype u, MPI_Win w)
{
    return PMPI_Get(OUT(a), n, t, to, d, m, u, w);
}
int MPI_Accumulate(const void *a, int n, MPI_Datatype t, int to, MPI_Aint d, int m, MPI_Datatype u, MPI_Op op,
                   MPI_Win w)
{
    return PMPI_Accumulate(IN(a), n, t, to, d, m, u, op, w);
}
int MPI_Get_accumulate(const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, int to,
                       MPI_Aint d, int k, MPI_Datatype v, MPI_Op op, MPI_Win w)
{
    return PMPI_Get_accumulate(IN(a), n, t, OUT(b), m, u, to, d, k, v, op, w);
}

int MPIX_GPU_query_support(int type, int *is)
{
    (void)type;
    *is = (int)setting("GPU_QUERY", 0);
    return getenv("GPU_QUERY") ? MPI_SUCCESS : MPI_ERR_OTHER;
}
int MPI_Info_get(MPI_Info info, const char *key, int length, char *value, int *found)
{
    const char *kinds = getenv("GPU_KINDS");
    if (strcmp(key, "mpi_memory_alloc_kinds") != 0)
        return PMPI_Info_get(info, key, length, value, found);
    *found = kinds != NULL;
    if (kinds)
        snprintf(value, (size_t)length + 1, "%s", kinds);
    return MPI_SUCCESS;
}
int MPI_Get_library_version(char *name, int *length)
{
    const char *other = getenv("GPU_LIBRARY");
    if (!other)
        return PMPI_Get_library_version(name, length);
    *length = snprintf(name, MPI_MAX_LIBRARY_VERSION_STRING, "%s", other);
    return MPI_SUCCESS;
}
