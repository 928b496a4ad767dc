#include "report/inference.h"

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

size_t interval_rank(size_t n, size_t m, double *level)
{
    double *orders = n && m && n <= INTERVAL_MAX && m <= INTERVAL_MAX ? count_orders(n, m) : NULL;
    double all = 0, below = 0; /* number of all orders, and of orders with U < rank */
    size_t rank = 0;
    *level = NAN;
    for (size_t u = 0; orders && u <= n * m; u++)
        all += orders[u];
    while (orders && 2 * (below + orders[rank]) <= (1 - INTERVAL_LEVEL) * (1 + 1e-12) * all) {
        below += orders[rank++];
        *level = 1 - 2 * below / all;
    }
    free(orders);
    return rank;
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

/* ---- a series ---- */

enum { ORDERS = 100000 }; /* number of orders for p, including the measured one */

/* Sets `ranks` to twice the ranks of the values, which are whole numbers even if values are equal. */
static void make_ranks(const double *values, int64_t *ranks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ranks[i] = 1;
        for (size_t j = 0; j < n; j++)
            ranks[i] += values[j] < values[i] ? 2 : values[j] == values[i];
    }
}

/* Returns K, and sets `at` to the first t for which |U_t| = K. U_t is twice the sum of the first t ranks
 * minus t (n + 1). */
static int64_t find_k(const int64_t *ranks, size_t n, size_t *at)
{
    int64_t u = 0, k = 0;
    *at = 0;
    for (size_t t = 1; t < n; t++) {
        u += ranks[t - 1] - (int64_t)(n + 1);
        if (llabs(u) > k) {
            k = llabs(u);
            *at = t;
        }
    }
    return k;
}

static int compare_k(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* Sets p and k_needed from the K of random orders of the ranks. Shuffles the ranks. */
static void test_change(struct change *change, int64_t *ranks, size_t n)
{
    struct random_stream random;
    size_t as_large = 1, at;
    int64_t *ks = memory_new(ORDERS - 1, sizeof *ks, "the history");
    random_start(&random, 0, 0);
    for (size_t k = 0; k < ORDERS - 1; k++) {
        for (size_t i = n - 1; i > 0; i--) {
            size_t other = random_below(&random, i + 1);
            int64_t rank = ranks[i];
            ranks[i] = ranks[other];
            ranks[other] = rank;
        }
        ks[k] = find_k(ranks, n, &at);
        as_large += (double)ks[k] >= change->k;
    }
    qsort(ks, ORDERS - 1, sizeof *ks, compare_k);
    change->p = (double)as_large / ORDERS;
    /* p < CHANGE_P allows CHANGE_P * ORDERS - 2 random orders with a K as large. */
    change->k_needed = (double)ks[ORDERS - (int)(CHANGE_P * ORDERS)] + 1;
    free(ks);
}

void change_find(struct change *change, const double *values, size_t n)
{
    *change = (struct change){.p = NAN, .k_needed = NAN, .before = NAN, .after = NAN};
    int64_t *ranks = memory_new(n, sizeof *ranks, "the history");
    make_ranks(values, ranks, n);
    change->k = (double)find_k(ranks, n, &change->at);
    change->before = stats_median(values, change->at);
    change->after = stats_median(values + change->at, n - change->at);
    if (n >= CHANGE_MIN)
        test_change(change, ranks, n);
    free(ranks);
}

double change_smallest_loss(const struct change *change, const double *values, size_t n, bool less_is_better)
{
    enum { STEPS = 30 };
    double *changed = memory_new(n, sizeof *changed, "the history"), low = 0, high = 1;
    int64_t *ranks = memory_new(n, sizeof *ranks, "the history");
    for (int step = 0; step < STEPS; step++) { /* a loss of `high` is reported, a loss of `low` is not */
        double loss = step ? (low + high) / 2 : 0.999999;
        size_t at;
        for (size_t i = 0; i < n; i++)
            changed[i] = values[i] * (i < n / 2 ? 1 : less_is_better ? 1 + loss : 1 - loss);
        make_ranks(changed, ranks, n);
        bool found = (double)find_k(ranks, n, &at) >= change->k_needed;
        if (step == 0 && !found)
            break;
        *(found ? &high : &low) = loss;
    }
    free(ranks);
    free(changed);
    return high < 1 ? high : NAN;
}
