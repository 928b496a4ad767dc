/* The calls of MPI-IO. Uses benchmarks. */
#include "imb_compat/mpi/ways.h"

#define DATA c->data, c->bytes, MPI_BYTE

/* By each process alone, and by all together; `offset` is empty, or the explicit one and a comma. */
#define ALONE(call, offset)                                                                                  \
    static int move_##call(const struct imb_chunk *c, MPI_Status *status)                                    \
    {                                                                                                        \
        return MPI_File_##call(c->file, offset DATA, status);                                                \
    }                                                                                                        \
    static int start_##call(const struct imb_chunk *c, MPI_Request *request)                                 \
    {                                                                                                        \
        return MPI_File_i##call(c->file, offset DATA, request);                                              \
    }                                                                                                        \
    static const struct imb_way way_##call = {"MPI_File_" #call, "MPI_File_i" #call, move_##call,            \
                                              start_##call, NULL};
#define TOGETHER(call, offset)                                                                               \
    static int move_##call(const struct imb_chunk *c, MPI_Status *status)                                    \
    {                                                                                                        \
        return MPI_File_##call(c->file, offset DATA, status);                                                \
    }                                                                                                        \
    static int start_##call(const struct imb_chunk *c, MPI_Request *request)                                 \
    {                                                                                                        \
        (void)request;                                                                                       \
        return MPI_File_##call##_begin(c->file, offset DATA);                                                \
    }                                                                                                        \
    static int end_##call(const struct imb_chunk *c, MPI_Status *status)                                     \
    {                                                                                                        \
        return MPI_File_##call##_end(c->file, c->data, status);                                              \
    }                                                                                                        \
    static const struct imb_way way_##call = {"MPI_File_" #call, "MPI_File_" #call "_begin", move_##call,    \
                                              start_##call, end_##call};
#define EXPLICIT c->at,

ALONE(write, )
ALONE(write_at, EXPLICIT)
ALONE(write_shared, )
ALONE(read, )
ALONE(read_at, EXPLICIT)
ALONE(read_shared, )
TOGETHER(write_all, )
TOGETHER(write_at_all, EXPLICIT)
TOGETHER(write_ordered, )
TOGETHER(read_all, )
TOGETHER(read_at_all, EXPLICIT)
TOGETHER(read_ordered, )

static const struct imb_way way_open_close = {NULL};

const struct imb_way *imb_way_of(const struct imb_benchmark *benchmark)
{
    static const struct imb_way *const ways[] = {
#define BENCHMARK(...)                                  NULL,
#define FILE_BENCHMARK(name, class, columns, call, ...) &way_##call,
#include "imb_compat/benchmarks.def"
    };
    return ways[benchmark - imb_benchmarks];
}
