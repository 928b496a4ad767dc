/* LD_PRELOAD: MPI_Put only queues a transfer. The calls that complete transfers then take BACKLOG_US
 * microseconds for each of them. */
#include <mpi.h>
#include <unistd.h>
#include "shim.h"

static long queued;

static void transfer(void)
{
    for (; queued; queued--)
        usleep((useconds_t)setting("BACKLOG_US", 100));
}

int MPI_Put(const void *a, int n, MPI_Datatype t, int to, MPI_Aint d, int m, MPI_Datatype u, MPI_Win w)
{
    queued++;
    return PMPI_Put(a, n, t, to, d, m, u, w);
}
int MPI_Win_flush(int rank, MPI_Win w)
{
    transfer();
    return PMPI_Win_flush(rank, w);
}
int MPI_Win_flush_all(MPI_Win w)
{
    transfer();
    return PMPI_Win_flush_all(w);
}
int MPI_Win_fence(int assert, MPI_Win w)
{
    transfer();
    return PMPI_Win_fence(assert, w);
}
