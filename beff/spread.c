/* Spread over repetitions, and drift. Uses rating, stats, random. */
#include "beff/spread.h"

#include <math.h>
#include <stdlib.h>

#include "common/random.h"
#include "common/stats.h"

/* b_eff of all triples of the n complete sweeps, or of drawn ones; returns how many. */
static size_t all_triples(const struct sweeps *sweeps, const int *complete, int n,
                          double values[SPREAD_MAX_TRIPLES])
{
    size_t count = 0;
    if ((int64_t)n * (n - 1) * (n - 2) / 6 <= SPREAD_MAX_TRIPLES) {
        for (int x = 0; x < n; x++)
            for (int y = x + 1; y < n; y++)
                for (int z = y + 1; z < n; z++)
                    values[count++] = b_eff_of(sweeps, (int[]){complete[x], complete[y], complete[z]}, 3);
        return count;
    }
    struct random_stream random;
    random_start(&random, sweeps->list->seed, 0); /* stream 0: the polygons have 1, 2, ... */
    while (count < SPREAD_MAX_TRIPLES) {
        int triple[3];
        for (int i = 0; i < 3; i++)
            triple[i] = complete[random_below(&random, (uint64_t)n)];
        if (triple[0] != triple[1] && triple[0] != triple[2] && triple[1] != triple[2])
            values[count++] = b_eff_of(sweeps, triple, 3);
    }
    return count;
}

/* The indices of the complete sweeps; NULL if they are too few, or out of memory. */
static int *find_complete(const struct sweeps *sweeps)
{
    int n = 0, *complete = sweeps->complete < SPREAD_SWEEPS ? NULL : calloc((size_t)sweeps->count, sizeof n);
    for (int i = 0; complete && i < sweeps->count; i++)
        if (sweeps->sweep[i].complete)
            complete[n++] = i;
    return complete;
}

struct spread spread_make(const struct sweeps *sweeps)
{
    double values[SPREAD_MAX_TRIPLES];
    int *complete = find_complete(sweeps);
    size_t count = complete ? all_triples(sweeps, complete, sweeps->complete, values) : 0;
    free(complete);
    return (struct spread){stats_quantile(values, count, 0.025), stats_quantile(values, count, 0.975)};
}

/* ---- drift ---- */

double drift_trend(const double *values, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            s += (values[j] > values[i]) - (values[j] < values[i]);
    double variance = (double)n * (n - 1) * (2 * n + 5) / 18;
    return (s - (s > 0) + (s < 0)) / sqrt(variance);
}

double drift_find(const struct sweeps *sweeps)
{
    int *complete = find_complete(sweeps), n = complete ? sweeps->complete : 0;
    double *values = calloc((size_t)n + 1, sizeof *values);
    for (int i = 0; values && i < n; i++)
        values[i] = b_eff_of(sweeps, &complete[i], 1);
    double z = values && n ? drift_trend(values, n) : NAN;
    free(values);
    free(complete);
    return z;
}
