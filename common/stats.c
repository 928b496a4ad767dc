#include "common/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

double stats_mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return n ? sum / (double)n : NAN;
}

double stats_logavg(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(values[i] > 0))
            return NAN;
        sum += log(values[i]);
    }
    return n ? exp(sum / (double)n) : NAN;
}

double stats_min(const double *values, size_t n)
{
    double min = n ? values[0] : NAN;
    for (size_t i = 1; i < n; i++)
        min = fmin(min, values[i]);
    return min;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void stats_sort(double *values, size_t n)
{
    qsort(values, n, sizeof *values, ascending);
}

double stats_log_deviation(const double *values, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) /* relative to the first value, for precision */
        sum += log(values[i] / values[0]);
    for (size_t i = 0; i < n; i++)
        squares += pow(log(values[i] / values[0]) - sum / (double)n, 2);
    return n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
}

double stats_median(const double *values, size_t n)
{
    return stats_quantile(values, n, 0.5);
}

double stats_quantile(const double *values, size_t n, double q)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(values[i]))
            return NAN; /* NaN cannot be sorted */
    if (!n)
        return NAN;
    double *sorted = memory_new(n, sizeof *sorted, "a median");
    memcpy(sorted, values, n * sizeof *sorted);
    stats_sort(sorted, n);
    double place = q * (double)(n - 1);
    size_t low = (size_t)place;
    size_t high = low + 1 < n ? low + 1 : low;
    double value = sorted[low] + (place - (double)low) * (sorted[high] - sorted[low]);
    free(sorted);
    return value;
}
