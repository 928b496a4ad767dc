/* Pettitt's test. Uses random, stats. */
#include "report/change.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/random.h"
#include "common/stats.h"

enum { ORDERS = 100000 }; /* that are looked at, the one that was measured among them */

/* Twice the ranks of the values, so that they are whole where values are equal; whether any are. */
static bool make_ranks(const double *values, int64_t *ranks, size_t n)
{
    size_t equal = 0;
    for (size_t i = 0; i < n; i++) {
        ranks[i] = 1;
        for (size_t j = 0; j < n; j++) {
            ranks[i] += values[j] < values[i] ? 2 : values[j] == values[i];
            equal += values[j] == values[i];
        }
    }
    return equal > n;
}

/* K, and where it is reached first. U_t is twice the sum of the first t ranks, less t (n + 1). */
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

/* p and, unless values are `equal`, `least` from K of the ranks in random order; `all` has room for ORDERS.
 */
static void test_change(struct change *change, int64_t *ranks, size_t n, bool equal, double *all)
{
    struct random_stream random;
    size_t as_large = 1, few = (size_t)(CHANGE_P * ORDERS) - 2, at;
    random_start(&random, 0, 0);
    for (size_t k = 0; k < ORDERS - 1; k++) {
        for (size_t i = n - 1; i > 0; i--) {
            size_t other = random_below(&random, i + 1);
            int64_t rank = ranks[i];
            ranks[i] = ranks[other];
            ranks[other] = rank;
        }
        all[k] = (double)find_k(ranks, n, &at);
        as_large += all[k] >= change->k;
    }
    change->p = (double)as_large / ORDERS;
    stats_sort(all, ORDERS - 1);
    for (size_t t = equal ? 0 : n / 2; t > 0 && (double)(t * (n - t)) > all[ORDERS - 2 - few]; t--)
        change->least = t; /* two sides that are apart have K = t (n - t) */
}

int change_find(struct change *change, const double *values, size_t n)
{
    *change = (struct change){.p = NAN, .before = NAN, .after = NAN};
    int64_t *ranks = calloc(n + 1, sizeof *ranks);
    double *all = calloc(ORDERS, sizeof *all);
    bool equal = ranks && make_ranks(values, ranks, n);
    if (ranks && all) {
        change->k = (double)find_k(ranks, n, &change->at);
        change->before = stats_median(values, change->at);
        change->after = stats_median(values + change->at, n - change->at);
    }
    if (ranks && all && n >= CHANGE_LEAST)
        test_change(change, ranks, n, equal, all);
    int failed = ranks && all ? 0 : -1;
    free(ranks);
    free(all);
    return failed;
}

bool change_is_told(const struct change *change)
{
    return change->p < CHANGE_P;
}
