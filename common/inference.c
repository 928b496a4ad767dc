#include "common/inference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
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

size_t chances_rank(const double *chances, double level, double *reached)
{
    size_t rank = 0;
    *reached = NAN;
    while (chances && 2 * chances[rank] <= (1 - level) * (1 + 1e-12))
        *reached = 1 - 2 * chances[rank++];
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

static int compare_chances(const void *a, const void *b)
{
    double left = **(const double *const *)a, right = **(const double *const *)b;
    return (left > right) - (left < right);
}

/* Sorts the chances and marks the first k as significant. Without Holm, k is the last one that is small
 * enough. With Holm, marking stops at the first one that is not. */
static size_t mark(const double *chances, size_t count, bool holm, bool *significant)
{
    const double **sorted = memory_new(count, sizeof *sorted, "the corrections");
    size_t accepted = 0;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &chances[i];
    if (count)
        qsort(sorted, count, sizeof *sorted, compare_chances);
    for (size_t k = 1; k <= count; k++) {
        double share = holm ? 1 / (double)(count - k + 1) : (double)k / (double)count;
        if (*sorted[k - 1] <= (1 - INTERVAL_LEVEL) * share * (1 + 1e-12))
            accepted = k;
        else if (holm)
            break;
    }
    for (size_t k = 0; k < count; k++)
        significant[sorted[k] - chances] = k < accepted;
    free(sorted);
    return accepted;
}

size_t chances_correct(const double *chances, size_t count, bool *significant)
{
    return mark(chances, count, false, significant);
}

size_t chances_holm(const double *chances, size_t count, bool *significant)
{
    return mark(chances, count, true, significant);
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

double *ratios_of_sides(const double *before, size_t n, const double *after, size_t m, size_t *count)
{
    double *ratios = memory_new(n * m, sizeof *ratios, "the ratios");
    *count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            ratios[(*count)++] = after[j] / before[i];
    stats_sort(ratios, *count);
    return ratios;
}

struct ratio ratio_make(const double *ratios, size_t count, size_t rank)
{
    size_t middle = count / 2; /* geometric mean, so that swapping the sides inverts the ratio */
    double value = !count ? NAN : count % 2 ? ratios[middle] : sqrt(ratios[middle - 1] * ratios[middle]);
    return (struct ratio){value, rank ? ratios[rank - 1] : NAN, rank ? ratios[count - rank] : NAN};
}

double ratio_chance(const double *ratios, size_t count, double factor, const double *chances)
{
    size_t not_less = 0, not_more = 0;
    for (size_t i = 0; i < count; i++) {
        not_less += ratios[i] >= factor;
        not_more += ratios[i] <= factor;
    }
    return fmin(1, 2 * chances[not_less < not_more ? not_less : not_more]);
}

double ratio_smallest_loss(const struct ratio *ratio, bool less_is_better)
{
    return less_is_better ? pow(ratio->value / ratio->low, 1.45) - 1
                          : 1 - pow(ratio->value / ratio->high, 1.45);
}

double ratio_allowance(double between, double normal, size_t k, size_t l)
{
    return normal * between * sqrt(1 / (double)k + 1 / (double)l);
}

double t_95(size_t freedom)
{
    double z = NORMAL_95, z2 = z * z, v = (double)freedom; /* Fisher and Cornish 1960 */
    return z + z * (z2 + 1) / (4 * v) + z * ((5 * z2 + 16) * z2 + 3) / (96 * v * v) +
           z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * v * v * v);
}

struct ratio ratio_widen(struct ratio ratio, double allowance)
{
    if (allowance > 0) {
        ratio.low = ratio.value * exp(-hypot(log(ratio.value / ratio.low), allowance));
        ratio.high = ratio.value * exp(hypot(log(ratio.high / ratio.value), allowance));
    }
    return ratio;
}

/* ---- pairs ---- */

double *pairs_chances(size_t n)
{
    if (!n || n > PAIRS_MAX)
        return NULL;
    size_t sums = n * (n + 1) / 2;
    double *chances = memory_new(sums + 1, sizeof *chances, "the pairs");
    chances[0] = 1;
    for (size_t i = 1; i <= n; i++) /* rank i counts or not, each with a chance of 1/2 */
        for (size_t w = i * (i + 1) / 2 + 1; w-- > 0;)
            chances[w] = (chances[w] + (w >= i ? chances[w - i] : 0)) / 2;
    for (size_t w = 1; w <= sums; w++)
        chances[w] += chances[w - 1];
    return chances;
}

double *ratios_of_pairs(const double *before, const double *after, size_t n, size_t *count)
{
    double *means = memory_new(n * (n + 1) / 2, sizeof *means, "the pairs");
    *count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            means[(*count)++] = sqrt(after[i] / before[i] * (after[j] / before[j]));
    stats_sort(means, *count);
    return means;
}

size_t pairs_of_look(int look)
{
    return (size_t)lround(7 * pow(2, (look - 1) / 2.0));
}

double pairs_level(int look)
{
    return look == 1 ? 1 - 2.0 / 128 : 0.993;
}

int look_of_pairs(size_t n)
{
    int look = 1;
    while (look < PAIRS_LOOKS && pairs_of_look(look) < n)
        look++;
    return look;
}
