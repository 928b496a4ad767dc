/* LD_PRELOAD: MPI_Wtime is not the time.
 *
 *   CLOCK_SEND  it goes on by so many microseconds with each MPI_Send of its rank, and only then
 *   CLOCK_RANKS and that times rank + 1
 *   CLOCK_SLOW  number (from 1) of an MPI_Send that takes a thousand times as long
 *   CLOCK_FAST  rank on which the true clock goes 1.3 times as fast */
#include <mpi.h>
#include <stdlib.h>

static double microseconds;

static long setting(const char *name, long otherwise)
{
    const char *value = getenv(name);
    return value ? atol(value) : otherwise;
}

int MPI_Send(const void *message, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    static long sends;
    int rank = 0;
    if (setting("CLOCK_RANKS", 0))
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double slow = ++sends == setting("CLOCK_SLOW", 0) ? 1000 : 1;
    microseconds += (double)setting("CLOCK_SEND", 0) * slow * (rank + 1);
    return PMPI_Send(message, count, type, to, tag, comm);
}

double MPI_Wtime(void)
{
    int rank;
    if (setting("CLOCK_SEND", 0))
        return 1e-6 * microseconds;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return PMPI_Wtime() * (rank == setting("CLOCK_FAST", -1) ? 1.3 : 1);
}
