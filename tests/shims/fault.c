/* LD_PRELOAD: makes an MPI call on one rank fail, delays the call, or stops or ends the rank. Uses MPI's
 * profiling interface.
 *
 *   FAULT_CALL    one of the calls below, or "any" for all of them
 *   FAULT_RANK    rank in MPI_COMM_WORLD; default 0
 *   FAULT_NUMBER  number of the call with the fault, from 1; default 1
 *   FAULT_EVERY   repeat the fault after this many calls; default: once
 *   FAULT_BYTES   only transfers of this many bytes count; default: all
 *   FAULT_ACTION  fail (default; returns MPI_ERR_OTHER), delay (FAULT_SECONDS or FAULT_MICROSECONDS
 *                 before the call), kill, stop (SIGSTOP), exit (with FAULT_STATUS)
 *   FAULT_MARK    a file that is touched when the fault happens */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "shim.h"

static void delay(void)
{
    struct timespec left = {setting("FAULT_SECONDS", 0), 1000 * setting("FAULT_MICROSECONDS", 0)};
    while (nanosleep(&left, &left) && errno == EINTR)
        ;
}

static int is_due(const char *call, int bytes)
{
    static long calls;
    const char *wanted = getenv("FAULT_CALL");
    if (!wanted || (strcmp(wanted, "any") != 0 && strcmp(wanted, call) != 0) ||
        bytes != setting("FAULT_BYTES", bytes) || own_rank() != setting("FAULT_RANK", 0))
        return 0;
    long after = ++calls - setting("FAULT_NUMBER", 1), every = setting("FAULT_EVERY", 0);
    return after == 0 || (every && after > 0 && after % every == 0);
}

/* Returns the error that the call must return, or MPI_SUCCESS if the call must be passed on to MPI. */
static int fault(const char *call, int bytes)
{
    const char *action = getenv("FAULT_ACTION");
    if (!is_due(call, bytes))
        return MPI_SUCCESS;
    mark();
    if (!action || strcmp(action, "fail") == 0)
        return MPI_ERR_OTHER;
    if (strcmp(action, "delay") == 0)
        delay();
    else if (strcmp(action, "exit") == 0)
        _exit((int)setting("FAULT_STATUS", 0));
    else
        kill(getpid(), strcmp(action, "stop") == 0 ? SIGSTOP : SIGKILL);
    return MPI_SUCCESS;
}

#define FAULTY(name, bytes, parameters, arguments)                                                           \
    int MPI_##name parameters                                                                                \
    {                                                                                                        \
        int code = fault("MPI_" #name, bytes);                                                               \
        return code == MPI_SUCCESS ? PMPI_##name arguments : code;                                           \
    }
#define T MPI_Datatype
#define C MPI_Comm
#define R MPI_Request *

FAULTY(Iallreduce, 0,
       (const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
        MPI_Request *request),
       (send, receive, count, type, op, comm, request))
FAULTY(Init_thread, 0, (int *argc, char ***argv, int wanted, int *given), (argc, argv, wanted, given))
FAULTY(Finalize, 0, (void), ())
FAULTY(Send, n, (const void *b, int n, T t, int to, int g, C c), (b, n, t, to, g, c))
FAULTY(Recv, n, (void *b, int n, T t, int from, int g, C c, MPI_Status *s), (b, n, t, from, g, c, s))
FAULTY(Sendrecv, n,
       (const void *b, int n, T t, int to, int g, void *d, int m, T u, int from, int h, C c, MPI_Status *s),
       (b, n, t, to, g, d, m, u, from, h, c, s))
FAULTY(Put, n, (const void *b, int n, T t, int to, MPI_Aint at, int m, T u, MPI_Win w),
       (b, n, t, to, at, m, u, w))
FAULTY(Barrier, 0, (C c), (c))
FAULTY(Start, 0, (R r), (r))
FAULTY(Comm_split, 0, (C c, int colour, int key, C *n), (c, colour, key, n))
FAULTY(Reduce, n, (const void *b, void *d, int n, T t, MPI_Op o, int root, C c), (b, d, n, t, o, root, c))
FAULTY(Allreduce, n, (const void *b, void *d, int n, T t, MPI_Op o, C c), (b, d, n, t, o, c))
FAULTY(Bcast, n, (void *b, int n, T t, int root, C c), (b, n, t, root, c))
FAULTY(Ibcast, n, (void *b, int n, T t, int root, C c, R r), (b, n, t, root, c, r))

static int last_bytes; /* bytes of the transfers that MPI_Waitall waits for */

FAULTY(Isend, last_bytes = n, (const void *b, int n, T t, int to, int g, C c, R r), (b, n, t, to, g, c, r))
FAULTY(Waitall, last_bytes, (int n, MPI_Request r[], MPI_Status s[]), (n, r, s))

static int largest(const int counts[], C comm)
{
    int size, most = 0;
    PMPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++)
        most = counts[i] > most ? counts[i] : most;
    return most;
}

FAULTY(Alltoallv, largest(n, c),
       (const void *b, const int n[], const int p[], T t, void *d, const int m[], const int q[], T u, C c),
       (b, n, p, t, d, m, q, u, c))
