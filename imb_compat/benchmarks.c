#include "imb_compat/benchmarks.h"

#include <strings.h>

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

bool imb_benchmark_in(const struct imb_benchmark *benchmark, enum imb_component component)
{
    if (component == IMB_MPI1_GPU)
        return benchmark->component == IMB_MPI1;
    if (component == IMB_RMA_GPU)
        return benchmark->component == IMB_RMA && benchmark->class != IMB_CLASS_ELEMENT;
    return benchmark->component == component;
}

const struct imb_benchmark *imb_benchmark_find(enum imb_component component, const char *name)
{
    for (size_t i = 0; i < imb_benchmark_count; i++)
        if (imb_benchmark_in(&imb_benchmarks[i], component) && strcasecmp(imb_benchmarks[i].name, name) == 0)
            return &imb_benchmarks[i];
    return NULL;
}
