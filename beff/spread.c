/* Spread over repetitions, and drift. Uses rating, stats, random. */
#include "beff/spread.h"

#include <math.h>
#include <stdlib.h>

#include "common/random.h"
#include "common/stats.h"

/* The best bandwidths of the complete sweeps: [sweep][pattern][size]. */
struct bandwidths {
    const struct sweeps *sweeps;
    double *values;
};

static double *values_of(const struct bandwidths *b, int sweep, int pattern)
{
    return b->values + (sweep * b->sweeps->list->count + pattern) * BEFF_SIZES;
}

static void fill(const struct bandwidths *b)
{
    for (int i = 0, n = 0; i < b->sweeps->count; i++) {
        for (int p = 0; p < b->sweeps->list->count && b->sweeps->sweep[i].complete; p++)
            for (int s = 0; s < BEFF_SIZES; s++)
                values_of(b, n, p)[s] = sweep_best(b->sweeps, i, p, METHODS, s);
        n += b->sweeps->sweep[i].complete;
    }
}

/* b_eff of a triple, each size by the best of its three. */
static double value_of(const struct bandwidths *b, const int triple[3])
{
    double logs[PATTERN_KINDS] = {0}, counts[PATTERN_KINDS] = {0};
    for (int p = 0; p < b->sweeps->list->count; p++) {
        const struct pattern *pattern = &b->sweeps->list->patterns[p];
        if (!sweeps_rate(b->sweeps, pattern))
            continue;
        const double *x = values_of(b, triple[0], p), *y = values_of(b, triple[1], p),
                     *z = values_of(b, triple[2], p);
        double sum = 0;
        for (int s = 0; s < BEFF_SIZES; s++)
            sum += fmax(fmax(x[s], y[s]), z[s]);
        logs[pattern->kind] += log(sum / BEFF_SIZES);
        counts[pattern->kind]++;
    }
    return exp((logs[PATTERN_RING] / counts[PATTERN_RING] + logs[PATTERN_RANDOM] / counts[PATTERN_RANDOM]) /
               2);
}

/* The values of all triples of n sweeps, or of drawn ones; returns how many. */
static size_t all_triples(const struct bandwidths *b, int n, double values[SPREAD_MAX_TRIPLES])
{
    size_t count = 0;
    if ((int64_t)n * (n - 1) * (n - 2) / 6 <= SPREAD_MAX_TRIPLES) {
        for (int x = 0; x < n; x++)
            for (int y = x + 1; y < n; y++)
                for (int z = y + 1; z < n; z++)
                    values[count++] = value_of(b, (int[]){x, y, z});
        return count;
    }
    struct random_stream random;
    random_start(&random, b->sweeps->list->seed, 0); /* stream 0: the polygons have 1, 2, ... */
    while (count < SPREAD_MAX_TRIPLES) {
        int triple[3];
        for (int i = 0; i < 3; i++)
            triple[i] = (int)random_below(&random, (uint64_t)n);
        if (triple[0] != triple[1] && triple[0] != triple[2] && triple[1] != triple[2])
            values[count++] = value_of(b, triple);
    }
    return count;
}

struct spread spread_make(const struct sweeps *sweeps)
{
    struct spread spread = {NAN, NAN};
    struct bandwidths b = {sweeps, NULL};
    double values[SPREAD_MAX_TRIPLES];
    if (sweeps->complete >= SPREAD_SWEEPS)
        b.values =
            calloc((size_t)sweeps->complete, (size_t)sweeps->list->count * BEFF_SIZES * sizeof *b.values);
    if (!b.values)
        return spread;
    fill(&b);
    size_t count = all_triples(&b, sweeps->complete, values);
    free(b.values);
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
    double z = NAN, *values = malloc((size_t)sweeps->complete * sizeof *values + 1);
    int n = 0;
    for (int i = 0; values && i < sweeps->count; i++)
        if (sweeps->sweep[i].complete)
            values[n++] = figures_of(sweeps, &i, 1).b_eff;
    if (n >= SPREAD_SWEEPS)
        z = drift_trend(values, n);
    free(values);
    return z;
}
