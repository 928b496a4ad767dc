/* LD_PRELOAD: one MPI call on one rank fails, takes long, or is the last thing that rank does. Uses MPI's
 * profiling interface.
 *
 *   FAULT_CALL    MPI_Sendrecv, MPI_Alltoallv, MPI_Waitall, MPI_Isend, MPI_Put, MPI_Barrier, MPI_Reduce or
 *                 MPI_Bcast
 *   FAULT_RANK    in MPI_COMM_WORLD; default 0
 *   FAULT_NUMBER  which of these calls, from 1; default 1
 *   FAULT_BYTES   only transfers of that many bytes count; default: all
 *   FAULT_ACTION  fail (default; returns MPI_ERR_OTHER), delay (FAULT_SECONDS before the call), kill */
#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long setting(const char *name, long otherwise)
{
    const char *value = getenv(name);
    return value ? atol(value) : otherwise;
}

static void delay(void)
{
    struct timespec left = {setting("FAULT_SECONDS", 1), 0};
    while (nanosleep(&left, &left) && errno == EINTR)
        ;
}

/* What the call shall return: an error, or MPI_SUCCESS if it shall be made. */
static int fault(const char *call, int bytes)
{
    static long calls;
    static int rank = -1;
    const char *wanted = getenv("FAULT_CALL"), *action = getenv("FAULT_ACTION");
    if (!wanted || strcmp(wanted, call) != 0 || bytes != setting("FAULT_BYTES", bytes))
        return MPI_SUCCESS;
    if (rank < 0)
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != setting("FAULT_RANK", 0) || ++calls != setting("FAULT_NUMBER", 1))
        return MPI_SUCCESS;
    if (!action || strcmp(action, "fail") == 0)
        return MPI_ERR_OTHER;
    if (strcmp(action, "delay") == 0)
        delay();
    else
        kill(getpid(), SIGKILL);
    return MPI_SUCCESS;
}

#define UNLESS_FAULT(call, bytes, original)                                                                  \
    {                                                                                                        \
        int code = fault(call, bytes);                                                                       \
        return code == MPI_SUCCESS ? original : code;                                                        \
    }

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in,
                 int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status)
    UNLESS_FAULT("MPI_Sendrecv", out_count,
                 PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag,
                               comm, status))

        int MPI_Alltoallv(const void *out, const int *out_counts, const int *out_places,
                          MPI_Datatype out_type, void *in, const int *in_counts, const int *in_places,
                          MPI_Datatype in_type, MPI_Comm comm)
{
    int size, bytes = 0;
    PMPI_Comm_size(comm, &size);
    for (int i = 0; i < size && !bytes; i++)
        bytes = out_counts[i];
    UNLESS_FAULT(
        "MPI_Alltoallv", bytes,
        PMPI_Alltoallv(out, out_counts, out_places, out_type, in, in_counts, in_places, in_type, comm))
}

static int last_bytes; /* of the transfers that MPI_Waitall waits for */

int MPI_Isend(const void *out, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    last_bytes = count;
    UNLESS_FAULT("MPI_Isend", count, PMPI_Isend(out, count, type, to, tag, comm, request))
}

int MPI_Put(const void *out, int count, MPI_Datatype type, int to, MPI_Aint place, int there,
            MPI_Datatype type_there, MPI_Win window)
{
    UNLESS_FAULT("MPI_Put", count, PMPI_Put(out, count, type, to, place, there, type_there, window))
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
    UNLESS_FAULT("MPI_Waitall", last_bytes, PMPI_Waitall(count, requests, statuses))

        int MPI_Barrier(MPI_Comm comm) UNLESS_FAULT("MPI_Barrier", 0, PMPI_Barrier(comm))

            int MPI_Reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
                           MPI_Comm comm)
                UNLESS_FAULT("MPI_Reduce", count, PMPI_Reduce(in, out, count, type, op, root, comm))

                    int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
                        UNLESS_FAULT("MPI_Bcast", count, PMPI_Bcast(data, count, type, root, comm))
