/* Spread over repetitions. Uses beff's rating, stats, random. */
#include "beff/spread.h"

#include <math.h>
#include <stdlib.h>

#include "common/random.h"
#include "common/stats.h"

/* Triples that are drawn for one interval: more change nothing that can be seen. */
enum { TRIPLES = 300 };

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

/* Logarithms of one size: [sweep][pattern]; NaN where it was not measured or does not take part. */
static double *logs_at(const struct beff_results *r, const struct spread_of *of, int size)
{
    size_t patterns = (size_t)r->list.count;
    double *logs = malloc((size_t)r->sweeps.count * patterns * sizeof *logs + 1);
    for (int i = 0; logs && i < r->sweeps.count; i++)
        for (int p = 0; p < r->list.count; p++)
            logs[(size_t)i * patterns + (size_t)p] =
                takes_part(of, r, p) ? in_sweep(r, i, p, of->method, size) : NAN;
    return logs;
}

/* A complete sweep; there are some. */
static size_t draw_sweep(const struct beff_results *r, struct random_stream *random)
{
    size_t sweep;
    do
        sweep = random_below(random, (uint64_t)r->sweeps.count);
    while (!r->sweeps.sweep[sweep].complete);
    return sweep;
}

/* The values that triples of complete sweeps give: of each pattern the largest. */
static void draw_triples(const struct beff_results *r, const struct spread_of *of, const double *logs,
                         double *values, double *largest)
{
    size_t patterns = (size_t)r->list.count;
    struct random_stream random;
    random_start(&random, 0, 0);
    for (int count = 0; count < TRIPLES;) {
        const double *triple[3];
        for (int i = 0; i < 3; i++)
            triple[i] = logs + draw_sweep(r, &random) * patterns;
        if (triple[0] == triple[1] || triple[0] == triple[2] || triple[1] == triple[2])
            continue;
        for (size_t p = 0; p < patterns; p++)
            largest[p] = fmax(fmax(triple[0][p], triple[1][p]), triple[2][p]);
        values[count++] = average(r, of, largest);
    }
}

bool spread_is_known(const struct beff_results *r)
{
    return r->rating.complete_sweeps >= RATING_INTERVAL_SWEEPS;
}

static void find_interval(const struct beff_results *r, const struct spread_of *of, int size, double *scratch,
                          struct spread *spread)
{
    double *logs = logs_at(r, of, size), *values = scratch + r->list.count;
    if (!logs)
        return;
    draw_triples(r, of, logs, values, scratch);
    spread->low = stats_quantile(values, TRIPLES, 0.025);
    spread->high = stats_quantile(values, TRIPLES, 0.975);
    free(logs);
}

struct spread spread_at(const struct beff_results *r, const struct spread_of *of, int size)
{
    struct spread spread = {NAN, NAN, NAN};
    double *scratch = calloc((size_t)r->list.count + TRIPLES, sizeof *scratch);
    if (!scratch)
        return spread;
    for (int p = 0; p < r->list.count; p++)
        if (takes_part(of, r, p))
            scratch[p] = log(rating_cell(&r->sweeps, &r->rating, p, of->method, size));
    spread.value = average(r, of, scratch);
    if (spread_is_known(r))
        find_interval(r, of, size, scratch, &spread);
    free(scratch);
    return spread;
}
