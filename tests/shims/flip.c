/* LD_PRELOAD: damages one received message. Uses MPI's profiling interface.
 *
 *   FLIP_CALL    MPI_Sendrecv, MPI_Alltoallv or MPI_Waitall (damages the last receive started before it)
 *   FLIP_RANK    rank in MPI_COMM_WORLD; default 0
 *   FLIP_NUMBER  number of the receiving call with the fault, from 1; default 1
 *   FLIP_BYTES   only calls that receive messages of this many bytes count; default: all
 *   FLIP_BYTE    first (default), last: this byte is flipped; half: the second half of the message is
 *                missing; own: the rank receives its own message instead (MPI_Sendrecv)
 *   FAULT_MARK   a file that is touched when the fault happens */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "shim.h"

static void received(const char *call, const void *sent, void *message, int bytes)
{
    static long calls;
    const char *wanted = getenv("FLIP_CALL"), *which = getenv("FLIP_BYTE");
    if (!wanted || strcmp(wanted, call) != 0 || bytes != setting("FLIP_BYTES", bytes))
        return;
    if (own_rank() != setting("FLIP_RANK", 0) || ++calls != setting("FLIP_NUMBER", 1))
        return;
    unsigned char *byte = message;
    mark();
    if (!which || strcmp(which, "first") == 0)
        byte[0] ^= 0x10;
    else if (strcmp(which, "last") == 0)
        byte[bytes - 1] ^= 0x10;
    else if (strcmp(which, "half") == 0)
        memset(byte + bytes / 2, 0, (size_t)(bytes - bytes / 2));
    else if (sent)
        memcpy(byte, sent, (size_t)bytes);
}

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in,
                 int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status)
{
    int code = PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm,
                             status);
    if (from != MPI_PROC_NULL)
        received("MPI_Sendrecv", out, in, in_count);
    return code;
}

int MPI_Alltoallv(const void *out, const int *out_counts, const int *out_places, MPI_Datatype out_type,
                  void *in, const int *in_counts, const int *in_places, MPI_Datatype in_type, MPI_Comm comm)
{
    int code = PMPI_Alltoallv(out, out_counts, out_places, out_type, in, in_counts, in_places, in_type, comm);
    int size, first = 0;
    PMPI_Comm_size(comm, &size);
    while (first < size && !in_counts[first])
        first++;
    if (first < size)
        received("MPI_Alltoallv", NULL, (char *)in + in_places[first], in_counts[first]);
    return code;
}

static struct {
    void *message;
    int bytes;
} started;

int MPI_Irecv(void *in, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    started.message = in;
    started.bytes = count;
    return PMPI_Irecv(in, count, type, from, tag, comm, request);
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    int code = PMPI_Waitall(count, requests, statuses);
    if (started.message)
        received("MPI_Waitall", NULL, started.message, started.bytes);
    started.message = NULL;
    return code;
}
