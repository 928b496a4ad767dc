/* LD_PRELOAD: writes the arguments of some MPI calls to the file TRACE_FILE.<rank>, one line for each call:
 * `Send count type-size type-extent address`, `Bcast bytes root`, `Ireduce bytes root`. TRACE_THREADS sets
 * the level of thread support that MPI reports. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((format(printf, 1, 2))) static void trace(const char *format, ...)
{
    static FILE *out;
    const char *base = getenv("TRACE_FILE");
    if (!out && base) {
        char path[4096];
        int rank;
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        snprintf(path, sizeof path, "%s.%d", base, rank);
        out = fopen(path, "w");
    }
    if (!out)
        return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
}

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *given)
{
    int code = PMPI_Init_thread(argc, argv, wanted, given);
    const char *level = getenv("TRACE_THREADS");
    if (level)
        *given = atoi(level);
    return code;
}

int MPI_Send(const void *message, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    int size;
    MPI_Aint least, extent;
    PMPI_Type_size(type, &size);
    PMPI_Type_get_extent(type, &least, &extent);
    trace("Send %d %d %ld %lu\n", count, size, (long)extent, (unsigned long)message);
    return PMPI_Send(message, count, type, to, tag, comm);
}

static void trace_root(const char *call, int count, MPI_Datatype type, int root)
{
    int size;
    PMPI_Type_size(type, &size);
    trace("%s %d %d\n", call, count * size, root);
}

int MPI_Bcast(void *message, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    trace_root("Bcast", count, type, root);
    return PMPI_Bcast(message, count, type, root, comm);
}

int MPI_Ireduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                MPI_Request *request)
{
    trace_root("Ireduce", count, type, root);
    return PMPI_Ireduce(from, to, count, type, op, root, comm, request);
}
