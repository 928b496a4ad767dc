/* Spread over repetitions. Uses beff's rating, stats, random. */
#include "plots/spread.h"

#include <math.h>
#include <stdlib.h>

#include "common/random.h"
#include "common/stats.h"

/* More triples than these change nothing that can be seen. */
enum { MOST_TRIPLES = 300 };

static bool takes_part(const struct spread_of *of, const struct beff_results *r, int pattern)
{
    enum pattern_kind kind = r->list.patterns[pattern].kind;
    return of->pattern >= 0 ? pattern == of->pattern
                            : (of->rings && kind == PATTERN_RING) || (of->random && kind == PATTERN_RANDOM);
}

/* Logarithm of the bandwidth in one sweep; NaN if it was not measured. */
static double in_sweep(const struct beff_results *r, int sweep, int pattern, enum method method, int size)
{
    const double *b = r->sweeps.sweep[sweep].bandwidth + (size_t)pattern * METHODS * BEFF_SIZES;
    double best = NAN;
    for (int m = 0; m < METHODS; m++)
        if (method == METHODS || m == (int)method)
            best = fmax(best, b[m * BEFF_SIZES + size]); /* passes over NaN */
    return log(best);
}

/* Mean of the kinds' means of logarithms: values[pattern], of those that take part. */
static double average(const struct beff_results *r, const struct spread_of *of, const double *values)
{
    double sum[PATTERN_KINDS] = {0}, count[PATTERN_KINDS] = {0}, total = 0, kinds = 0;
    for (int p = 0; p < r->list.count; p++)
        if (takes_part(of, r, p)) {
            sum[r->list.patterns[p].kind] += values[p];
            count[r->list.patterns[p].kind]++;
        }
    for (int k = 0; k < PATTERN_KINDS; k++)
        if (count[k] > 0) {
            total += sum[k] / count[k];
            kinds++;
        }
    return exp(total / kinds);
}

/* The value that some sweeps give: the largest of each pattern. `scratch` has room for all patterns. */
static double of_sweeps(const struct beff_results *r, const struct spread_of *of, int size, const int *sweeps,
                        int count, double *scratch)
{
    for (int p = 0; p < r->list.count; p++) {
        scratch[p] = NAN;
        for (int i = 0; i < count && takes_part(of, r, p); i++)
            scratch[p] = fmax(scratch[p], in_sweep(r, sweeps[i], p, of->method, size));
    }
    return average(r, of, scratch);
}

static size_t all_triples(const struct beff_results *r, const struct spread_of *of, int size, double *values,
                          double *scratch)
{
    int complete[64], n = 0;
    for (int i = 0; i < r->sweeps.count && n < 64; i++)
        if (r->sweeps.sweep[i].complete)
            complete[n++] = i;
    struct random_stream random;
    random_start(&random, 0, 0);
    size_t count = 0;
    while (count < MOST_TRIPLES) {
        int triple[3];
        for (int i = 0; i < 3; i++)
            triple[i] = complete[random_below(&random, (uint64_t)n)];
        if (triple[0] != triple[1] && triple[0] != triple[2] && triple[1] != triple[2])
            values[count++] = of_sweeps(r, of, size, triple, 3, scratch);
    }
    return count;
}

bool spread_is_known(const struct beff_results *r)
{
    return r->rating.complete_sweeps >= RATING_INTERVAL_SWEEPS;
}

struct spread spread_at(const struct beff_results *r, const struct spread_of *of, int size)
{
    struct spread spread = {NAN, NAN, NAN};
    double *scratch = calloc((size_t)r->list.count + MOST_TRIPLES, sizeof *scratch);
    if (!scratch)
        return spread;
    for (int p = 0; p < r->list.count; p++)
        scratch[p] = log(rating_cell(&r->sweeps, &r->rating, p, of->method, size));
    spread.value = average(r, of, scratch);
    if (spread_is_known(r)) {
        double *values = scratch + r->list.count;
        size_t n = all_triples(r, of, size, values, scratch);
        spread.low = stats_quantile(values, n, 0.025);
        spread.high = stats_quantile(values, n, 0.975);
    }
    free(scratch);
    return spread;
}
