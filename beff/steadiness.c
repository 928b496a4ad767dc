/* Drift and states. Uses rating, stats. */
#include "beff/steadiness.h"

#include <math.h>
#include <stdlib.h>

#include "common/stats.h"

/* ---- drift ---- */

double steadiness_trend(const double *values, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            s += (values[j] > values[i]) - (values[j] < values[i]);
    double variance = (double)n * (n - 1) * (2 * n + 5) / 18;
    return (s - (s > 0) + (s < 0)) / sqrt(variance);
}

static void find_drift(struct steadiness *steadiness, const struct sweeps *sweeps, double *values)
{
    int n = 0;
    for (int i = 0; i < sweeps->count; i++)
        if (sweeps->sweep[i].complete)
            values[n++] = figures_of(sweeps, &i, 1).b_eff;
    size_t third = (size_t)n / 3;
    steadiness->drift_z = steadiness_trend(values, n);
    steadiness->change = stats_median(values + (size_t)n - third, third) / stats_median(values, third);
}

/* ---- two states ---- */

/* How far apart two groups of at least two are, in logarithms; 0 if there are not two. Sorts the values. */
static double groups_apart(double *logs, int n)
{
    stats_sort(logs, (size_t)n);
    for (int k = 2; k <= n - 2; k++) { /* the second group's first */
        double gap = logs[k] - logs[k - 1];
        double range = fmax(logs[k - 1] - logs[0], logs[n - 1] - logs[k]);
        if (gap >= log(STEADINESS_RATIO) && gap >= STEADINESS_GAP * range)
            return gap;
    }
    return 0;
}

static int values_of(const struct sweeps *sweeps, int pattern, int method, int size, double *logs)
{
    int n = 0;
    for (int i = 0; i < sweeps->count; i++)
        if (sweeps->sweep[i].complete) {
            double bandwidth = sweep_best(sweeps, i, pattern, (enum method)method, size);
            if (!isnan(bandwidth))
                logs[n++] = log(bandwidth);
        }
    return n;
}

static void find_states(struct steadiness *steadiness, const struct sweeps *sweeps, double *logs)
{
    size_t cells = 0, split = 0, most = (size_t)sweeps->list->count * METHODS * BEFF_SIZES;
    double *gaps = malloc(most * sizeof *gaps);
    for (int p = 0; gaps && p < sweeps->list->count; p++)
        for (int m = 0; m < METHODS && sweeps->list->patterns[p].rated; m++)
            for (int s = 0; s < BEFF_SIZES; s++) {
                int n = values_of(sweeps, p, m, s, logs);
                double gap = n >= STEADINESS_SWEEPS ? groups_apart(logs, n) : 0;
                cells += n >= STEADINESS_SWEEPS;
                if (gap > 0)
                    gaps[split++] = gap;
            }
    if (cells) {
        steadiness->split = (double)split / (double)cells;
        steadiness->apart = exp(stats_median(gaps, split));
    }
    free(gaps);
}

struct steadiness steadiness_find(const struct sweeps *sweeps)
{
    struct steadiness steadiness = {NAN, NAN, NAN, NAN};
    double *values = malloc((size_t)sweeps->complete * sizeof *values + 1);
    if (values && sweeps->complete >= STEADINESS_SWEEPS) {
        find_drift(&steadiness, sweeps, values);
        find_states(&steadiness, sweeps, values);
    }
    free(values);
    return steadiness;
}
