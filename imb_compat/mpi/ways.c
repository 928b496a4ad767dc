/* The calls of MPI-IO. Uses MPI alone. */
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
    }
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
    }
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

#define WAY(call)                                                                                            \
    {                                                                                                        \
        "MPI_File_" #call, "MPI_File_i" #call, move_##call, start_##call, NULL                               \
    }
#define SPLIT_WAY(call)                                                                                      \
    {                                                                                                        \
        "MPI_File_" #call, "MPI_File_" #call "_begin", move_##call, start_##call, end_##call                 \
    }

const struct imb_way *imb_way_of(const struct imb_benchmark *benchmark)
{
    enum { POINTERS = IMB_FILE_SHARED - IMB_FILE_OWN + 1 };
    static const struct imb_way ways[2][2][POINTERS] = {
        {{WAY(read), WAY(read_at), WAY(read_shared)},
         {SPLIT_WAY(read_all), SPLIT_WAY(read_at_all), SPLIT_WAY(read_ordered)}},
        {{WAY(write), WAY(write_at), WAY(write_shared)},
         {SPLIT_WAY(write_all), SPLIT_WAY(write_at_all), SPLIT_WAY(write_ordered)}}};
    return &ways[(benchmark->flags & IMB_WRITES) != 0][benchmark->class == IMB_COLLECTIVE]
                [benchmark->kernel - IMB_FILE_OWN];
}
