#include "common/inference.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/random.h"
#include "common/stats.h"

/* ---- the ratio of two sides ---- */

/* Returns an array, which the caller must free, with the number f(n, m, u) of orders of n and m values in
 * which U = u, for all u. If the largest value is one of the n, it adds m to U, so that
 * f(n, m, u) = f(n - 1, m, u - m) + f(n, m - 1, u). row[j * size + u] is f(i, j, u). The sums are exact up to
 * 2^53, and have the precision of a double beyond. */
static double *count_orders(size_t n, size_t m)
{
    size_t size = n * m + 1;
    double *row = memory_new((m + 1) * size, sizeof *row, "an interval");
    for (size_t j = 0; j <= m; j++)
        row[j * size] = 1; /* f(0, j, 0) */
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) /* f(i, 0, .) stays f(0, 0, .) */
            for (size_t u = size; u-- > 0;) {
                double from_n = u >= j ? row[j * size + u - j] : 0;
                row[j * size + u] = from_n + row[(j - 1) * size + u];
            }
    return memcpy(row, row + m * size, size * sizeof *row);
}

double *interval_chances(size_t n, size_t m)
{
    if (!n || !m || n > INTERVAL_MAX || m > INTERVAL_MAX)
        return NULL;
    double *orders = count_orders(n, m), all = 0, below = 0;
    for (size_t u = 0; u <= n * m; u++)
        all += orders[u];
    for (size_t u = 0; u <= n * m; u++)
        orders[u] = (below += orders[u]) / all;
    return orders;
}

size_t interval_rank(size_t n, size_t m, double *level)
{
    double *chances = interval_chances(n, m);
    size_t rank = 0;
    *level = NAN;
    while (chances && 2 * chances[rank] <= (1 - INTERVAL_LEVEL) * (1 + 1e-12))
        *level = 1 - 2 * chances[rank++];
    free(chances);
    return rank;
}

size_t interval_runs(double chance)
{
    size_t n = 1;
    double least = 1; /* 2 / C(2 n, n), the smallest chance that n and n values can have */
    while (n < INTERVAL_MAX && least > chance) {
        n++;
        least *= (double)n / (double)(4 * n - 2);
    }
    return n;
}

double ratio_chance(const double *before, size_t n, const double *after, size_t m, double factor,
                    const double *chances)
{
    size_t not_less = 0, not_more = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            not_less += after[j] >= factor * before[i];
            not_more += after[j] <= factor * before[i];
        }
    return fmin(1, 2 * chances[not_less < not_more ? not_less : not_more]);
}

static int compare_chances(const void *a, const void *b)
{
    double left = **(const double *const *)a, right = **(const double *const *)b;
    return (left > right) - (left < right);
}

void chances_correct(const double *chances, size_t count, bool *significant)
{
    const double **sorted = memory_new(count, sizeof *sorted, "the corrections");
    size_t accepted = 0;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &chances[i];
    qsort(sorted, count, sizeof *sorted, compare_chances);
    for (size_t k = 1; k <= count; k++)
        if (*sorted[k - 1] <= (1 - INTERVAL_LEVEL) * (double)k / (double)count * (1 + 1e-12))
            accepted = k;
    for (size_t k = 0; k < count; k++)
        significant[sorted[k] - chances] = k < accepted;
    free(sorted);
}

size_t median_rank(size_t n, double *level)
{
    double chance = ldexp(1, -(int)n), below = 0; /* P(B = rank), P(B < rank) */
    size_t rank = 0;
    *level = NAN;
    while (n <= MEDIAN_MAX && 2 * (below + chance) <= 1 - INTERVAL_LEVEL) {
        below += chance;
        chance *= (double)(n - rank) / (double)(rank + 1);
        *level = 1 - 2 * below;
        rank++;
    }
    return rank;
}

struct ratio ratio_make(const double *before, size_t n, const double *after, size_t m, size_t rank)
{
    struct ratio ratio = {NAN, NAN, NAN};
    if (!n || !m)
        return ratio;
    double *ratios = memory_new(n * m, sizeof *ratios, "the ratios");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            ratios[i * m + j] = after[j] / before[i];
    stats_sort(ratios, n * m);
    size_t middle = n * m / 2; /* geometric mean, so that swapping the sides inverts the ratio */
    ratio.value = n * m % 2 ? ratios[middle] : sqrt(ratios[middle - 1] * ratios[middle]);
    if (rank) {
        ratio.low = ratios[rank - 1];
        ratio.high = ratios[n * m - rank];
    }
    free(ratios);
    return ratio;
}

double ratio_smallest_loss(const struct ratio *ratio, bool less_is_better)
{
    return less_is_better ? ratio->value / ratio->low - 1 : 1 - ratio->value / ratio->high;
}
