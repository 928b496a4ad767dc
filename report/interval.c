/* Ratio and interval by ranks. Uses stats. */
#include "report/interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats.h"

/* In how many orders of n and m values U is u, for all u: f(n, m, u) = f(n - 1, m, u - m) + f(n, m - 1, u),
 * by whether the largest value is one of the n or one of the m. `row[j]` holds f(i, j, .); the sums are exact
 * up to 2^53 and then as good as doubles are. NULL when out of memory. */
static double *count_orders(size_t n, size_t m)
{
    size_t most = n * m + 1;
    double *row = calloc((m + 1) * most, sizeof *row);
    if (!row)
        return NULL;
    for (size_t j = 0; j <= m; j++)
        row[j * most] = 1; /* f(0, j, 0) */
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) /* f(i, 0, .) stays f(0, 0, .) */
            for (size_t u = most; u-- > 0;) {
                double from_n = u >= j ? row[j * most + u - j] : 0;
                row[j * most + u] = from_n + row[(j - 1) * most + u];
            }
    return memcpy(row, row + m * most, most * sizeof *row);
}

/* The p of the two-sided rank test for every value of U from 0 to n * m: how often sides that do not differ
 * give a U as far from the middle, or further. To be freed; NULL when out of memory. */
static double *rank_test_make(size_t n, size_t m)
{
    double *p = n && m && n <= INTERVAL_MOST && m <= INTERVAL_MOST ? count_orders(n, m) : NULL;
    double all = 0, below = 0;
    for (size_t u = 0; p && u <= n * m; u++)
        all += p[u];
    for (size_t u = 0; p && u <= n * m - u; u++) { /* U and n * m - U are as far from the middle */
        below += p[u];
        p[u] = p[n * m - u] = fmin(2 * below / all, 1);
    }
    return p;
}

size_t interval_rank(size_t n, size_t m, double *level)
{
    double *p = rank_test_make(n, m);
    size_t rank = 0;
    *level = NAN;
    while (p && p[rank] <= (1 - INTERVAL_LEVEL) * (1 + 1e-12))
        rank++;
    if (rank)
        *level = 1 - p[rank - 1];
    free(p);
    return rank;
}

size_t median_rank(size_t n, double *level)
{
    double chance = ldexp(1, -(int)n), below = 0; /* P(B = rank), P(B < rank) */
    size_t rank = 0;
    *level = NAN;
    while (n <= MEDIAN_MOST && 2 * (below + chance) <= 1 - INTERVAL_LEVEL) {
        below += chance;
        chance *= (double)(n - rank) / (double)(rank + 1);
        *level = 1 - 2 * below;
        rank++;
    }
    return rank;
}

size_t median_runs(double level)
{
    return (size_t)ceil(log2(2 / (1 - level)) * (1 - 1e-12));
}

struct ratio ratio_make(const double *before, size_t n, const double *after, size_t m, size_t rank)
{
    struct ratio ratio = {NAN, NAN, NAN};
    double *ratios = n && m ? calloc(n * m, sizeof *ratios) : NULL;
    if (!ratios)
        return ratio;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            ratios[i * m + j] = after[j] / before[i];
    stats_sort(ratios, n * m);
    size_t middle =
        n * m / 2; /* of an even number the geometric mean of both, so that sides can be swapped */
    ratio.value = n * m % 2 ? ratios[middle] : sqrt(ratios[middle - 1] * ratios[middle]);
    if (rank) {
        ratio.low = ratios[rank - 1];
        ratio.high = ratios[n * m - rank];
    }
    free(ratios);
    return ratio;
}
