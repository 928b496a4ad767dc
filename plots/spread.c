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

/* The values that triples of complete sweeps give: of each pattern the largest. */
static size_t all_triples(const struct beff_results *r, const struct spread_of *of, const double *logs,
                          double *values, double *largest)
{
    enum { MOST_SWEEPS = 64 };
    int complete[MOST_SWEEPS] = {0}, n = 0, patterns = r->list.count;
    for (int i = 0; i < r->sweeps.count && n < MOST_SWEEPS; i++)
        if (r->sweeps.sweep[i].complete)
            complete[n++] = i;
    struct random_stream random;
    random_start(&random, 0, 0);
    for (size_t count = 0; count < MOST_TRIPLES;) {
        const double *triple[3];
        for (int i = 0; i < 3; i++)
            triple[i] = logs + (size_t)complete[random_below(&random, (uint64_t)n)] * (size_t)patterns;
        if (triple[0] == triple[1] || triple[0] == triple[2] || triple[1] == triple[2])
            continue;
        for (int p = 0; p < patterns; p++)
            largest[p] = fmax(fmax(triple[0][p], triple[1][p]), triple[2][p]);
        values[count++] = average(r, of, largest);
    }
    return MOST_TRIPLES;
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
    size_t n = all_triples(r, of, logs, values, scratch);
    spread->low = stats_quantile(values, n, 0.025);
    spread->high = stats_quantile(values, n, 0.975);
    free(logs);
}

struct spread spread_at(const struct beff_results *r, const struct spread_of *of, int size)
{
    struct spread spread = {NAN, NAN, NAN};
    double *scratch = calloc((size_t)r->list.count + MOST_TRIPLES, sizeof *scratch);
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
