/* Spread over repetitions, and drift. Uses rating, stats, random. */
#include "beff/spread.h"

#include <math.h>
#include <stdlib.h>

#include "common/random.h"
#include "common/stats.h"

/* b_eff of all triples of the complete sweeps, or of drawn ones; returns how many. */
static size_t all_triples(const struct sweeps *sweeps, double values[SPREAD_MAX_TRIPLES])
{
    const int *complete = sweeps->completed, n = sweeps->complete;
    size_t count = 0;
    if (n < SPREAD_SWEEPS)
        return 0;
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

void spread_make(const struct sweeps *sweeps, double range[2])
{
    double values[SPREAD_MAX_TRIPLES];
    size_t count = all_triples(sweeps, values);
    range[0] = stats_quantile(values, count, 0.025);
    range[1] = stats_quantile(values, count, 0.975);
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
    double *values = calloc((size_t)sweeps->complete + 1, sizeof *values);
    for (int i = 0; values && i < sweeps->complete; i++)
        values[i] = b_eff_of(sweeps, &sweeps->completed[i], 1);
    double z = values && sweeps->complete >= SPREAD_SWEEPS ? drift_trend(values, sweeps->complete) : NAN;
    free(values);
    return z;
}
