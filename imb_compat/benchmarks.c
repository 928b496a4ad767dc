/* The table of the benchmarks, in the order of IMB's default list. Uses file. */
#include "imb_compat/benchmarks.h"

#include <strings.h>

#include "imb_compat/file.h"

static const char *const first_mpi1[] = {
    "PingPong",  "PingPing",   "Sendrecv", "Exchange",  "Allreduce", "Reduce",  "Reduce_scatter",
    "Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Bcast",     "Barrier", NULL};
static const char *const first_ext[] = {"Window",    "Unidir_Get", "Unidir_Put", "Bidir_Get",
                                        "Bidir_Put", "Accumulate", NULL};

const struct imb_component_row imb_components[IMB_COMPONENTS] = {
    [IMB_MPI1] = {"MPI1", "IMB-MPI1", "MPI-1 part", .blanks = true, .blank_after_red = true,
                  .first = first_mpi1},
    [IMB_EXT] = {"EXT", "IMB-EXT", "MPI-2 part", .first = first_ext},
    [IMB_NBC] = {"NBC", "IMB-NBC", "MPI-NBC part"},
    [IMB_RMA] = {"RMA", "IMB-RMA", "MPI-RMA part", .blanks = true, .aggregate_last = true},
    [IMB_IO] = {"IO", "IMB-IO", "MPI-IO part", .first_had_all = true},
};

enum imb_component imb_component_find(const char *name)
{
    int c = 0;
    while (c < IMB_COMPONENTS && strcasecmp(name, imb_components[c].name) != 0 &&
           strcasecmp(name, imb_components[c].link) != 0)
        c++;
    return (enum imb_component)c;
}

/* A nonblocking collective with computation at the same time, and alone. */
#define NONBLOCKING(name, class, ...)                                                                        \
    {IMB_NBC, name, class, IMB_OVERLAP, __VA_ARGS__ | IMB_NONBLOCKING | IMB_OVERLAPPED},                     \
    {                                                                                                        \
        IMB_NBC, name "_pure", class, IMB_TIMES, __VA_ARGS__ | IMB_NONBLOCKING | IMB_REQUEST                 \
    }
/* Portions of a block are written to a file, or read: blocking calls alone, and nonblocking ones (of all
 * processes together: split ones) with computation at the same time. */
/* clang-format off */
#define FILES(prefix, verb, pointer, class, columns, kernel, send, receive, ...)                             \
    {IMB_IO, prefix "_" verb "_" pointer, class, columns, kernel, send, receive, IMB_HOLDS_NOTHING,          \
     __VA_ARGS__, .rate = 1},                                                                                \
    {IMB_IO, prefix "_I" verb "_" pointer, class, IMB_OVERLAP, kernel, send, receive, IMB_HOLDS_NOTHING,     \
     ((__VA_ARGS__) & ~IMB_NON_AGGREGATE) | IMB_NONBLOCKING | IMB_OVERLAPPED}
/* clang-format on */
#define ALL_FILES(verb, ...)                                                                                 \
    FILES("S", verb, "Indv", IMB_ALONE, IMB_TIME, IMB_FILE_OWN, __VA_ARGS__ | IMB_PRIVATE),                  \
        FILES("S", verb, "Expl", IMB_ALONE, IMB_TIME, IMB_FILE_EXPLICIT, __VA_ARGS__ | IMB_PRIVATE),         \
        FILES("P", verb, "Indv", IMB_PARALLEL, IMB_TIMES_RATE, IMB_FILE_OWN, __VA_ARGS__),                   \
        FILES("P", verb, "Shared", IMB_PARALLEL, IMB_TIMES_RATE, IMB_FILE_SHARED, __VA_ARGS__),              \
        FILES("P", verb, "Priv", IMB_PARALLEL, IMB_TIMES_RATE, IMB_FILE_OWN, __VA_ARGS__ | IMB_PRIVATE),     \
        FILES("P", verb, "Expl", IMB_PARALLEL, IMB_TIMES_RATE, IMB_FILE_EXPLICIT, __VA_ARGS__),              \
        FILES("C", verb, "Indv", IMB_COLLECTIVE, IMB_TIMES_RATE, IMB_FILE_OWN, __VA_ARGS__),                 \
        FILES("C", verb, "Shared", IMB_COLLECTIVE, IMB_TIMES_RATE, IMB_FILE_SHARED, __VA_ARGS__),            \
        FILES("C", verb, "Expl", IMB_COLLECTIVE, IMB_TIMES_RATE, IMB_FILE_EXPLICIT, __VA_ARGS__)
#define SUMS  IMB_EACH | IMB_REDUCTION
#define MODES IMB_AGGREGATE | IMB_NON_AGGREGATE

static const char *const swap_lines[] = {"Uses MPI_INT data type", NULL};
static const char *const passive_lines[] = {
    "The benchmark measures execution time of MPI_Put for 2 cases:",
    "1) The target is waiting in MPI_Barrier call (t_pure value)",
    "2) The target performs computation and then enters MPI_Barrier routine (t_ovrl value)", NULL};

/* clang-format off */
const struct imb_benchmark imb_benchmarks[] = {
    {IMB_MPI1, "PingPong", IMB_SINGLE, IMB_TIME, IMB_PINGPONG, IMB_X, IMB_X, IMB_HOLDS_PARTNER, IMB_ROUND_TRIP, .rate = 1},
    {IMB_MPI1, "PingPing", IMB_SINGLE, IMB_TIME, IMB_PINGPING, IMB_X, IMB_X, IMB_HOLDS_PARTNER, 0, .rate = 1},
    {IMB_MPI1, "Sendrecv", IMB_PARALLEL, IMB_TIMES_RATE, IMB_SENDRECV, IMB_X, IMB_X, IMB_HOLDS_LEFT, 0, .rate = 2},
    {IMB_MPI1, "Exchange", IMB_PARALLEL, IMB_TIMES_RATE, IMB_EXCHANGE, IMB_2X, IMB_X, IMB_HOLDS_NEIGHBOURS, 0, .rate = 4},
    {IMB_MPI1, "Allreduce", IMB_COLLECTIVE, IMB_TIMES, IMB_ALLREDUCE, IMB_X, IMB_X, IMB_HOLDS_SUM, SUMS},
    {IMB_MPI1, "Reduce", IMB_COLLECTIVE, IMB_TIMES, IMB_REDUCE, IMB_X, IMB_X, IMB_HOLDS_SUM, SUMS | IMB_ROOTED | IMB_AT_ROOT},
    {IMB_MPI1, "Reduce_local", IMB_COLLECTIVE, IMB_TIMES, IMB_REDUCE_LOCAL, IMB_X, IMB_X, IMB_HOLDS_OWN_SUM, SUMS},
    {IMB_MPI1, "Reduce_scatter", IMB_COLLECTIVE, IMB_TIMES, IMB_REDUCE_SCATTER, IMB_PX, IMB_X, IMB_HOLDS_SUM_PART, SUMS},
    {IMB_MPI1, "Reduce_scatter_block", IMB_COLLECTIVE, IMB_TIMES, IMB_REDUCE_SCATTER_BLOCK, IMB_PX, IMB_X, IMB_HOLDS_SUM_PART, SUMS},
    {IMB_MPI1, "Allgather", IMB_COLLECTIVE, IMB_TIMES, IMB_ALLGATHER, IMB_X, IMB_PX, IMB_HOLDS_ALL, IMB_EACH},
    {IMB_MPI1, "Allgatherv", IMB_COLLECTIVE, IMB_TIMES, IMB_ALLGATHERV, IMB_X, IMB_PX, IMB_HOLDS_ALL, IMB_EACH},
    {IMB_MPI1, "Gather", IMB_COLLECTIVE, IMB_TIMES, IMB_GATHER, IMB_X, IMB_PX, IMB_HOLDS_ALL, IMB_EACH | IMB_ROOTED | IMB_AT_ROOT},
    {IMB_MPI1, "Gatherv", IMB_COLLECTIVE, IMB_TIMES, IMB_GATHERV, IMB_X, IMB_PX, IMB_HOLDS_ALL, IMB_EACH | IMB_ROOTED | IMB_AT_ROOT},
    {IMB_MPI1, "Scatter", IMB_COLLECTIVE, IMB_TIMES, IMB_SCATTER, IMB_PX, IMB_X, IMB_HOLDS_ROOT_PART, IMB_EACH | IMB_ROOTED},
    {IMB_MPI1, "Scatterv", IMB_COLLECTIVE, IMB_TIMES, IMB_SCATTERV, IMB_PX, IMB_X, IMB_HOLDS_ROOT_PART, IMB_EACH | IMB_ROOTED},
    {IMB_MPI1, "Alltoall", IMB_COLLECTIVE, IMB_TIMES, IMB_ALLTOALL, IMB_PX, IMB_PX, IMB_HOLDS_PARTS, IMB_EACH},
    {IMB_MPI1, "Alltoallv", IMB_COLLECTIVE, IMB_TIMES, IMB_ALLTOALLV, IMB_PX, IMB_PX, IMB_HOLDS_PARTS, IMB_EACH},
    {IMB_MPI1, "Bcast", IMB_COLLECTIVE, IMB_TIMES, IMB_BCAST, IMB_X, IMB_X, IMB_HOLDS_ROOT, IMB_EACH | IMB_ROOTED},
    {IMB_MPI1, "Barrier", IMB_SYNC, IMB_TIMES, IMB_BARRIER, IMB_NOTHING, IMB_NOTHING, IMB_HOLDS_NOTHING, 0},
    {IMB_MPI1, "PingPongSpecificSource", IMB_SINGLE, IMB_TIME, IMB_PINGPONG, IMB_X, IMB_X, IMB_HOLDS_PARTNER, IMB_REQUEST | IMB_ROUND_TRIP, .rate = 1},
    {IMB_MPI1, "PingPongAnySource", IMB_SINGLE, IMB_TIME, IMB_PINGPONG, IMB_X, IMB_X, IMB_HOLDS_PARTNER, IMB_REQUEST | IMB_ROUND_TRIP | IMB_ANY_SOURCE, .rate = 1},
    {IMB_MPI1, "PingPingSpecificSource", IMB_SINGLE, IMB_TIME, IMB_PINGPING, IMB_X, IMB_X, IMB_HOLDS_PARTNER, IMB_REQUEST, .rate = 1},
    {IMB_MPI1, "PingPingAnySource", IMB_SINGLE, IMB_TIME, IMB_PINGPING, IMB_X, IMB_X, IMB_HOLDS_PARTNER, IMB_REQUEST | IMB_ANY_SOURCE, .rate = 1},
    {IMB_MPI1, "Uniband", IMB_RATE, IMB_MESSAGES, IMB_UNIBAND, IMB_X, IMB_X, IMB_HOLDS_WINDOW, IMB_REQUEST, .rate = 1},
    {IMB_MPI1, "Biband", IMB_RATE, IMB_MESSAGES, IMB_BIBAND, IMB_X, IMB_X, IMB_HOLDS_WINDOW, IMB_REQUEST | IMB_BOTH_WAYS, .rate = 2},

    NONBLOCKING("Ibcast", IMB_COLLECTIVE, IMB_BCAST, IMB_X, IMB_X, IMB_HOLDS_ROOT, IMB_EACH | IMB_ROOTED),
    NONBLOCKING("Iallgather", IMB_COLLECTIVE, IMB_ALLGATHER, IMB_X, IMB_PX, IMB_HOLDS_ALL, IMB_EACH),
    NONBLOCKING("Iallgatherv", IMB_COLLECTIVE, IMB_ALLGATHERV, IMB_X, IMB_PX, IMB_HOLDS_ALL, IMB_EACH),
    NONBLOCKING("Igather", IMB_COLLECTIVE, IMB_GATHER, IMB_X, IMB_PX, IMB_HOLDS_ALL, IMB_EACH | IMB_ROOTED | IMB_AT_ROOT),
    NONBLOCKING("Igatherv", IMB_COLLECTIVE, IMB_GATHERV, IMB_X, IMB_PX, IMB_HOLDS_ALL, IMB_EACH | IMB_ROOTED | IMB_AT_ROOT),
    NONBLOCKING("Iscatter", IMB_COLLECTIVE, IMB_SCATTER, IMB_PX, IMB_X, IMB_HOLDS_ROOT_PART, IMB_EACH | IMB_ROOTED),
    NONBLOCKING("Iscatterv", IMB_COLLECTIVE, IMB_SCATTERV, IMB_PX, IMB_X, IMB_HOLDS_ROOT_PART, IMB_EACH | IMB_ROOTED),
    NONBLOCKING("Ialltoall", IMB_COLLECTIVE, IMB_ALLTOALL, IMB_PX, IMB_PX, IMB_HOLDS_PARTS, IMB_EACH),
    NONBLOCKING("Ialltoallv", IMB_COLLECTIVE, IMB_ALLTOALLV, IMB_PX, IMB_PX, IMB_HOLDS_PARTS, IMB_EACH),
    NONBLOCKING("Ireduce", IMB_COLLECTIVE, IMB_REDUCE, IMB_X, IMB_X, IMB_HOLDS_SUM, SUMS | IMB_ROOTED | IMB_AT_ROOT),
    NONBLOCKING("Ireduce_scatter", IMB_COLLECTIVE, IMB_REDUCE_SCATTER, IMB_PX, IMB_X, IMB_HOLDS_SUM_PART, SUMS),
    NONBLOCKING("Iallreduce", IMB_COLLECTIVE, IMB_ALLREDUCE, IMB_X, IMB_X, IMB_HOLDS_SUM, SUMS),
    NONBLOCKING("Ibarrier", IMB_SYNC, IMB_BARRIER, IMB_NOTHING, IMB_NOTHING, IMB_HOLDS_NOTHING, 0),

    {IMB_EXT, "Window", IMB_COLLECTIVE, IMB_TIMES, IMB_WINDOW, IMB_X, IMB_X, IMB_HOLDS_OWN_ITEM, IMB_FEW | IMB_NO_DEFECTS},
    {IMB_EXT, "Unidir_Get", IMB_SINGLE, IMB_TIME, IMB_GET, IMB_X, IMB_X, IMB_HOLDS_PARTNER, MODES | IMB_BY_LAST | IMB_AT_LAST | IMB_EXPOSED_SEND, IMB_FENCE, 1},
    {IMB_EXT, "Unidir_Put", IMB_SINGLE, IMB_TIME, IMB_PUT, IMB_X, IMB_X, IMB_HOLDS_PARTNER, MODES | IMB_BY_FIRST | IMB_AT_LAST, IMB_FENCE, 1},
    {IMB_EXT, "Bidir_Get", IMB_SINGLE, IMB_TIME, IMB_GET, IMB_X, IMB_X, IMB_HOLDS_PARTNER, MODES | IMB_EXPOSED_SEND, IMB_FENCE, 1},
    {IMB_EXT, "Bidir_Put", IMB_SINGLE, IMB_TIME, IMB_PUT, IMB_X, IMB_X, IMB_HOLDS_PARTNER, MODES, IMB_FENCE, 1},
    {IMB_EXT, "Accumulate", IMB_COLLECTIVE, IMB_TIMES, IMB_ACCUMULATE, IMB_X, IMB_X, IMB_HOLDS_SUM, MODES | IMB_REDUCTION | IMB_AT_ROOT, IMB_FENCE_APART},

    {IMB_RMA, "Unidir_put", IMB_SINGLE, IMB_TIME, IMB_PUT, IMB_X, IMB_X, IMB_HOLDS_PARTNER, MODES | IMB_BY_FIRST | IMB_AT_LAST, IMB_LOCK, 1},
    {IMB_RMA, "Bidir_put", IMB_SINGLE, IMB_TIME, IMB_PUT, IMB_X, IMB_X, IMB_HOLDS_PARTNER, MODES, IMB_LOCK, 1},
    {IMB_RMA, "Unidir_get", IMB_SINGLE, IMB_TIME, IMB_GET, IMB_X, IMB_X, IMB_HOLDS_PARTNER, MODES | IMB_BY_FIRST | IMB_AT_ROOT | IMB_EXPOSED_SEND, IMB_LOCK, 1},
    {IMB_RMA, "Bidir_get", IMB_SINGLE, IMB_TIME, IMB_GET, IMB_X, IMB_X, IMB_HOLDS_PARTNER, MODES | IMB_EXPOSED_SEND, IMB_LOCK, 1},
    {IMB_RMA, "Put_local", IMB_SINGLE, IMB_TIME, IMB_PUT, IMB_X, IMB_X, IMB_HOLDS_PARTNER, MODES | IMB_BY_FIRST | IMB_AT_LAST, IMB_LOCK_LOCAL, 1},
    {IMB_RMA, "Put_all_local", IMB_ONE_TO_ALL, IMB_TIME, IMB_PUT_ALL, IMB_X, IMB_X, IMB_HOLDS_ROOT, IMB_AT_END | IMB_BY_FIRST, IMB_LOCK_ALL_LOCAL, 1},
    {IMB_RMA, "One_put_all", IMB_ONE_TO_ALL, IMB_TIME, IMB_PUT_ALL, IMB_X, IMB_X, IMB_HOLDS_ROOT, IMB_AT_END | IMB_BY_FIRST, IMB_LOCK_ALL, 1},
    {IMB_RMA, "All_put_all", IMB_COLLECTIVE, IMB_TIMES, IMB_PUT_ALL, IMB_X, IMB_PX, IMB_HOLDS_OTHERS, IMB_AT_END, IMB_LOCK_ALL},
    {IMB_RMA, "One_get_all", IMB_ONE_TO_ALL, IMB_TIME, IMB_GET_ALL, IMB_X, IMB_PX, IMB_HOLDS_OTHERS, IMB_AT_END | IMB_BY_FIRST | IMB_AT_ROOT | IMB_EXPOSED_SEND, IMB_LOCK_ALL, 1},
    {IMB_RMA, "All_get_all", IMB_COLLECTIVE, IMB_TIMES, IMB_GET_ALL, IMB_X, IMB_PX, IMB_HOLDS_OTHERS, IMB_AT_END | IMB_EXPOSED_SEND, IMB_LOCK_ALL},
    {IMB_RMA, "Exchange_put", IMB_COLLECTIVE, IMB_TIMES, IMB_EXCHANGE_PUT, IMB_2X, IMB_2X, IMB_HOLDS_NEIGHBOURS, 0, IMB_LOCK_SIDES},
    {IMB_RMA, "Exchange_get", IMB_COLLECTIVE, IMB_TIMES, IMB_EXCHANGE_GET, IMB_2X, IMB_2X, IMB_HOLDS_NEIGHBOURS, IMB_EXPOSED_SEND, IMB_LOCK_SIDES},
    {IMB_RMA, "Accumulate", IMB_SINGLE, IMB_TIME, IMB_ACCUMULATE, IMB_X, IMB_X, IMB_HOLDS_PARTNER, MODES | IMB_REDUCTION | IMB_BY_FIRST | IMB_AT_LAST, IMB_LOCK, 1},
    {IMB_RMA, "Get_accumulate", IMB_SINGLE, IMB_TIME, IMB_GET_ACCUMULATE, IMB_X, IMB_X, IMB_HOLDS_FETCHED, MODES | IMB_REDUCTION | IMB_BY_FIRST, IMB_LOCK, 1},
    {IMB_RMA, "Fetch_and_op", IMB_ELEMENT, IMB_TIME, IMB_FETCH_AND_OP, IMB_X, IMB_X, IMB_HOLDS_FETCHED, MODES | IMB_REDUCTION | IMB_BY_FIRST, IMB_LOCK, 1},
    {IMB_RMA, "Compare_and_swap", IMB_ELEMENT, IMB_TIME, IMB_COMPARE_AND_SWAP, IMB_X, IMB_X, IMB_HOLDS_SWAPPED, MODES | IMB_INTEGER | IMB_BY_FIRST, IMB_LOCK, 1, swap_lines},
    {IMB_RMA, "Truly_passive_put", IMB_SINGLE, IMB_PASSIVE, IMB_PUT_PASSIVE, IMB_X, IMB_X, IMB_HOLDS_PARTNER, IMB_OVERLAPPED | IMB_BY_FIRST | IMB_AT_LAST, IMB_LOCK, .lines = passive_lines},
    {IMB_RMA, "Get_local", IMB_SINGLE, IMB_TIME, IMB_GET, IMB_X, IMB_X, IMB_HOLDS_PARTNER, IMB_REQUEST | MODES | IMB_BY_FIRST | IMB_AT_ROOT | IMB_EXPOSED_SEND, IMB_LOCK_LOCAL, 1},
    {IMB_RMA, "Get_all_local", IMB_ONE_TO_ALL, IMB_TIME, IMB_GET_ALL, IMB_X, IMB_PX, IMB_HOLDS_OTHERS, IMB_REQUEST | IMB_AT_END | IMB_BY_FIRST | IMB_AT_ROOT | IMB_EXPOSED_SEND, IMB_LOCK_ALL_LOCAL, 1},

    ALL_FILES("Write", IMB_PORTION, IMB_NOTHING, IMB_AGGREGATE | IMB_NON_AGGREGATE | IMB_WRITES),
    ALL_FILES("Read", IMB_NOTHING, IMB_PORTION, IMB_AGGREGATE),
    {IMB_IO, "Open_Close", IMB_SYNC, IMB_TIMES, IMB_OPEN_CLOSE, IMB_NOTHING, IMB_NOTHING, IMB_HOLDS_NOTHING, IMB_FEW | IMB_WRITES | IMB_NO_DEFECTS},

    /* Transfer nothing: what the loop itself costs, timed as one span and call by call. In no list. */
    {IMB_MPI1, "null", IMB_PARALLEL, IMB_TIMES, IMB_NULL, IMB_X, IMB_X, IMB_HOLDS_NOTHING, IMB_REQUEST | IMB_HIDDEN},
    {IMB_MPI1, "null_each", IMB_COLLECTIVE, IMB_TIMES, IMB_NULL, IMB_X, IMB_X, IMB_HOLDS_NOTHING, IMB_EACH | IMB_REQUEST | IMB_HIDDEN},
};
/* clang-format on */

const size_t imb_benchmark_count = sizeof imb_benchmarks / sizeof imb_benchmarks[0];

const struct imb_benchmark *imb_benchmark_find(enum imb_component component, const char *name)
{
    for (size_t i = 0; i < imb_benchmark_count; i++)
        if (imb_benchmarks[i].component == component && strcasecmp(imb_benchmarks[i].name, name) == 0)
            return &imb_benchmarks[i];
    return NULL;
}

bool imb_starts_together(const struct imb_benchmark *benchmark)
{
    return benchmark->component == IMB_IO && benchmark->flags & IMB_OVERLAPPED &&
           benchmark->class != IMB_COLLECTIVE;
}

bool imb_target_passive(const struct imb_benchmark *benchmark)
{
    return benchmark->epoch >= IMB_LOCK;
}

int64_t imb_space_bytes(enum imb_space space, int64_t x, int processes)
{
    switch (space) {
    case IMB_NOTHING:
        return 0;
    case IMB_X:
        return x;
    case IMB_2X:
        return 2 * x;
    case IMB_PX:
        return processes * x;
    case IMB_PORTION:
        return imb_portion_of(x, 0, processes).bytes;
    }
    return 0;
}
