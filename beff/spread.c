/* Spread over repetitions, and drift. Uses rating, stats, random. */
#include "beff/spread.h"

#include <math.h>
#include <stdlib.h>

#include "common/random.h"
#include "common/stats.h"

/* The best bandwidths of the complete sweeps: [sweep][pattern][size], of so many sizes from `first` on. */
struct bandwidths {
    const struct pattern_list *list;
    const struct sweeps *sweeps;
    const struct spread_of *of;
    int first, sizes;
    double *values;
    size_t stride; /* of a sweep */
};

static bool takes_part(const struct bandwidths *b, const struct pattern *pattern, int number)
{
    const struct spread_of *of = b->of;
    bool wanted = pattern->kind == PATTERN_RING ? of->rings : pattern->kind == PATTERN_RANDOM && of->random;
    return of->pattern >= 0 ? number == of->pattern : wanted && sweeps_rate(b->sweeps, pattern);
}

static double *values_of(const struct bandwidths *b, int sweep, int pattern)
{
    return b->values + (size_t)sweep * b->stride + (size_t)pattern * (size_t)b->sizes;
}

static void fill(const struct bandwidths *b, const struct sweeps *sweeps)
{
    for (int i = 0, n = 0; i < sweeps->count; i++) {
        if (!sweeps->sweep[i].complete)
            continue;
        for (int p = 0; p < b->list->count; p++)
            for (int s = 0; s < b->sizes; s++)
                values_of(b, n, p)[s] = sweep_best(sweeps, i, p, b->of->method, b->first + s);
        n++;
    }
}

/* The mean over the sizes of the best of a triple's bandwidths; its logavg over patterns, and over kinds. */
static double value_of(const struct bandwidths *b, const int triple[3])
{
    double logs[PATTERN_KINDS] = {0}, total = 0;
    int counts[PATTERN_KINDS] = {0}, kinds = 0;
    for (int p = 0; p < b->list->count; p++) {
        const struct pattern *pattern = &b->list->patterns[p];
        if (!takes_part(b, pattern, p))
            continue;
        const double *x = values_of(b, triple[0], p), *y = values_of(b, triple[1], p),
                     *z = values_of(b, triple[2], p);
        double sum = 0;
        for (int s = 0; s < b->sizes; s++)
            sum += fmax(fmax(x[s], y[s]), z[s]);
        logs[pattern->kind] += log(sum / b->sizes);
        counts[pattern->kind]++;
    }
    for (int k = 0; k < PATTERN_KINDS; k++)
        if (counts[k]) {
            total += logs[k] / counts[k];
            kinds++;
        }
    return exp(total / kinds);
}

/* The values of all triples of n sweeps, or of drawn ones; returns how many. */
static size_t all_triples(const struct bandwidths *b, int n, double values[SPREAD_MOST_TRIPLES])
{
    size_t count = 0;
    if ((int64_t)n * (n - 1) * (n - 2) / 6 <= SPREAD_MOST_TRIPLES) {
        for (int x = 0; x < n; x++)
            for (int y = x + 1; y < n; y++)
                for (int z = y + 1; z < n; z++)
                    values[count++] = value_of(b, (int[]){x, y, z});
        return count;
    }
    struct random_stream random;
    random_start(&random, b->list->seed, 0); /* stream 0: the polygons have 1, 2, ... */
    while (count < SPREAD_MOST_TRIPLES) {
        int triple[3];
        for (int i = 0; i < 3; i++)
            triple[i] = (int)random_below(&random, (uint64_t)n);
        if (triple[0] != triple[1] && triple[0] != triple[2] && triple[1] != triple[2])
            values[count++] = value_of(b, triple);
    }
    return count;
}

static void find_quantiles(struct spread *spread, const struct sweeps *sweeps, const struct spread_of *of,
                           int first, int sizes)
{
    struct bandwidths b = {sweeps->list, sweeps, of, first, sizes};
    spread->low = spread->high = NAN;
    if (sweeps->complete < SPREAD_SWEEPS)
        return;
    b.stride = (size_t)b.list->count * (size_t)sizes;
    b.values = calloc((size_t)sweeps->complete * b.stride, sizeof *b.values);
    if (!b.values)
        return;
    fill(&b, sweeps);
    double values[SPREAD_MOST_TRIPLES];
    size_t count = all_triples(&b, sweeps->complete, values);
    spread->low = stats_quantile(values, count, 0.025);
    spread->high = stats_quantile(values, count, 0.975);
    free(b.values);
}

struct spread spread_at(const struct sweeps *sweeps, const struct rating *rating, const struct spread_of *of,
                        int size)
{
    struct spread spread;
    double kinds[2];
    size_t count = 0;
    if (of->rings)
        kinds[count++] = rating_kind(rating, sweeps, PATTERN_RING, of->method, size);
    if (of->random)
        kinds[count++] = rating_kind(rating, sweeps, PATTERN_RANDOM, of->method, size);
    spread.value =
        of->pattern < 0 ? stats_logavg(kinds, count) : rating_cell(rating, of->pattern, of->method, size);
    find_quantiles(&spread, sweeps, of, size, 1);
    return spread;
}

struct spread spread_of_b_eff(const struct sweeps *sweeps, const struct rating *rating)
{
    static const struct spread_of all = {-1, true, true, METHODS};
    struct spread spread = {.value = rating->figures.b_eff};
    find_quantiles(&spread, sweeps, &all, 0, BEFF_SIZES);
    return spread;
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

struct drift drift_find(const struct sweeps *sweeps)
{
    struct drift drift = {NAN, NAN};
    double *values = malloc((size_t)sweeps->complete * sizeof *values + 1);
    if (values && sweeps->complete >= SPREAD_SWEEPS) {
        int n = 0;
        for (int i = 0; i < sweeps->count; i++)
            if (sweeps->sweep[i].complete)
                values[n++] = figures_of(sweeps, &i, 1).b_eff;
        size_t third = (size_t)n / 3;
        drift.z = drift_trend(values, n);
        drift.ratio = stats_median(values + (size_t)n - third, third) / stats_median(values, third);
    }
    free(values);
    return drift;
}
