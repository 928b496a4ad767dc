/* LD_PRELOAD: one MPI-IO call on one rank fails without being made, so that others may wait for it forever,
 * says that it transferred less, or damages what it read. Uses MPI's profiling interface.
 *
 *   FILE_CALL    MPI_File_write, MPI_File_write_all, MPI_File_write_ordered, MPI_File_read,
 * MPI_File_read_all, MPI_File_read_ordered, MPI_File_sync or MPI_File_open FILE_RANK    in MPI_COMM_WORLD;
 * default 0 FILE_NUMBER  which of these calls, from 1; default 1 FILE_BYTES   only transfers of that many
 * bytes count; default: all FILE_ACTION  fail (default; returns MPI_ERR_IO), short (half of the bytes), flip
 * (the first byte) */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static long setting(const char *name, long otherwise)
{
    const char *value = getenv(name);
    return value ? atol(value) : otherwise;
}

/* The action for this call; NULL: none. */
static const char *fault(const char *call, int bytes)
{
    static long calls;
    static int rank = -1;
    const char *wanted = getenv("FILE_CALL"), *action = getenv("FILE_ACTION");
    if (!wanted || strcmp(wanted, call) != 0 || bytes != setting("FILE_BYTES", bytes))
        return NULL;
    if (rank < 0)
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != setting("FILE_RANK", 0) || ++calls != setting("FILE_NUMBER", 1))
        return NULL;
    return action ? action : "fail";
}

static void spoil(const char *action, void *chunk, int bytes, MPI_Status *status)
{
    if (action && strcmp(action, "short") == 0)
        PMPI_Status_set_elements(status, MPI_BYTE, bytes / 2);
    if (action && strcmp(action, "flip") == 0)
        *(unsigned char *)chunk ^= 0x10;
}

#define TRANSFER(name, constness)                                                                            \
    int MPI_File_##name(MPI_File file, constness void *chunk, int count, MPI_Datatype type,                  \
                        MPI_Status *status)                                                                  \
    {                                                                                                        \
        const char *action = fault("MPI_File_" #name, count);                                                \
        if (action && strcmp(action, "fail") == 0)                                                           \
            return MPI_ERR_IO;                                                                               \
        int code = PMPI_File_##name(file, chunk, count, type, status);                                       \
        spoil(action, (void *)(size_t)chunk, count, status);                                                 \
        return code;                                                                                         \
    }

TRANSFER(write, const)
TRANSFER(write_all, const)
TRANSFER(write_ordered, const)
TRANSFER(read, )
TRANSFER(read_all, )
TRANSFER(read_ordered, )

int MPI_File_sync(MPI_File file)
{
    return fault("MPI_File_sync", 0) ? MPI_ERR_IO : PMPI_File_sync(file);
}

int MPI_File_open(MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file)
{
    return fault("MPI_File_open", 0) ? MPI_ERR_IO : PMPI_File_open(comm, name, mode, info, file);
}
