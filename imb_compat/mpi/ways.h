/* The calls of MPI-IO by pointer, direction and company: one table. */
#ifndef IMB_COMPAT_MPI_WAYS_H
#define IMB_COMPAT_MPI_WAYS_H

#include <mpi.h>

#include "imb_compat/benchmarks.h"

/* One process's next portion. */
struct imb_chunk {
    MPI_File file;
    MPI_Offset at; /* where offsets are explicit */
    char *data;
    int bytes;
};

/* A blocking call; and the same in two halves: a nonblocking call with its request, or, by all processes
 * together, a split one (no request) with its end. They return MPI error codes. */
struct imb_way {
    const char *name, *start_name;
    int (*move)(const struct imb_chunk *chunk, MPI_Status *status);
    int (*start)(const struct imb_chunk *chunk, MPI_Request *request);
    int (*end)(const struct imb_chunk *chunk, MPI_Status *status); /* NULL: not split */
};

/* That of a benchmark of files; of Open_Close one without calls. */
const struct imb_way *imb_way_of(const struct imb_benchmark *benchmark);

#endif
