/* The table of the benchmarks, in the order of IMB's default list. Uses nothing. */
#include "imb_compat/benchmarks.h"

#include <strings.h>

const struct imb_component_row imb_components[IMB_COMPONENTS] = {
    [IMB_MPI1] = {"MPI1", "IMB-MPI1", "MPI-1 part", .blanks = true, .blank_after_red = true,
                  .in_first = true},
    [IMB_EXT] = {"EXT", "IMB-EXT", "MPI-2 part", .in_first = true},
    [IMB_NBC] = {"NBC", "IMB-NBC", "MPI-NBC part"},
    [IMB_RMA] = {"RMA", "IMB-RMA", "MPI-RMA part", .blanks = true, .aggregate_last = true},
    [IMB_IO] = {"IO", "IMB-IO", "MPI-IO part", .in_first = true},
};

enum imb_component imb_component_find(const char *name)
{
    int c = 0;
    while (c < IMB_COMPONENTS && strcasecmp(name, imb_components[c].name) != 0 &&
           strcasecmp(name, imb_components[c].link) != 0)
        c++;
    return (enum imb_component)c;
}

static const char *const swap_lines[] = {"Uses MPI_INT data type", NULL};
static const char *const passive_lines[] = {
    "The benchmark measures execution time of MPI_Put for 2 cases:",
    "1) The target is waiting in MPI_Barrier call (t_pure value)",
    "2) The target performs computation and then enters MPI_Barrier routine (t_ovrl value)", NULL};

const struct imb_benchmark imb_benchmarks[] = {
#define BENCHMARK(component, name, class, columns, kernel, send, receive, content, ...)                      \
    {IMB_##component, name,          IMB_CLASS_##class,   IMB_COLUMNS_##columns,                             \
     IMB_##send,      IMB_##receive, IMB_HOLDS_##content, __VA_ARGS__},
#define FILE_BENCHMARK(name, class, columns, call, send, receive, ...)                                       \
    BENCHMARK(IO, name, class, columns, call, send, receive, NOTHING, __VA_ARGS__)
#include "imb_compat/benchmarks.def"
};

const size_t imb_benchmark_count = sizeof imb_benchmarks / sizeof imb_benchmarks[0];

const struct imb_benchmark *imb_benchmark_find(enum imb_component component, const char *name)
{
    for (size_t i = 0; i < imb_benchmark_count; i++)
        if (imb_benchmarks[i].component == component && strcasecmp(imb_benchmarks[i].name, name) == 0)
            return &imb_benchmarks[i];
    return NULL;
}
