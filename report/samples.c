/* Compares the measurements of two runs (docs/definition.md 3.2, "One run or two"). */
#include "report/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/checksum.h"
#include "common/memory.h"
#include "common/stats.h"

/* A measurement of a run. Two measurements of the same pattern, method and size, or of the same row of a
 * benchmark, have the same cell. Two cells of the same method and size, or of the same benchmark, have the
 * same group. */
struct sample {
    uint64_t cell;   /* checksum of the columns that identify the cell */
    uint64_t group;  /* checksum of the columns that identify the cell's group */
    uint64_t number; /* number of earlier measurements of the cell */
    size_t place;    /* number of earlier measurements of the run */
    double seconds;  /* time in seconds, as returned by sample() of struct report_engine */
    double residual; /* set by find_residuals(), then rank_residuals(), then localize_ranks(); NaN: none */
};

/* Orders samples by number. Samples without a residual come last. */
static int by_number(const struct sample *left, const struct sample *right)
{
    if (isnan(left->residual) || isnan(right->residual))
        return isnan(left->residual) - isnan(right->residual);
    return (left->number > right->number) - (left->number < right->number);
}

static int by_number_and_residual(const void *a, const void *b)
{
    const struct sample *left = a, *right = b;
    int order = by_number(left, right);
    return order ? order : (left->residual > right->residual) - (left->residual < right->residual);
}

static int by_number_group_and_place(const void *a, const void *b)
{
    const struct sample *left = a, *right = b;
    int order = by_number(left, right);
    order = order ? order : (left->group > right->group) - (left->group < right->group);
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

static int by_cell_and_number(const void *a, const void *b)
{
    const struct sample *left = a, *right = b;
    if (left->cell != right->cell)
        return left->cell < right->cell ? -1 : 1;
    return (left->number > right->number) - (left->number < right->number);
}

/* Numbers the measurements of each cell, and sets `residual` to the time divided by the median of the cell,
 * or to NaN if the cell has fewer than three measurements. The samples must be sorted by cell, and then in
 * the order of measurement. */
static void find_residuals(struct samples *samples)
{
    double *times = memory_new(samples->count, sizeof *times, "the times");
    for (size_t first = 0, end; first < samples->count; first = end) {
        for (end = first; end < samples->count && samples->of[end].cell == samples->of[first].cell; end++)
            times[end - first] = samples->of[end].seconds;
        double median = stats_median(times, end - first);
        for (size_t i = first; i < end; i++) {
            samples->of[i].number = i - first;
            samples->of[i].residual = end - first < 3 ? NAN : samples->of[i].seconds / median;
        }
    }
    free(times);
}

/* Replaces each of n residuals, in ascending order, with its rank divided by n. Equal residuals get the mean
 * of their ranks. */
static void rank_residuals(struct sample *of, size_t n)
{
    for (size_t i = 0, next; i < n; i = next) {
        double residual = of[i].residual;
        for (next = i; next < n && of[next].residual == residual;)
            next++;
        double rank = (double)(i + 1 + next) / 2 / (double)n;
        for (size_t k = i; k < next; k++)
            of[k].residual = rank;
    }
}

enum { NEIGHBOURS = 5 }; /* number of neighbours on each side whose mean is subtracted from a rank */

/* Subtracts the mean of its neighbours from each of the n ranks of a group. The ranks must be in the order of
 * measurement. Without this step, two runs would look like copies if the machine was slow at the same places
 * of their schedules, or if some methods or sizes warm up more than others. */
static void localize_ranks(struct sample *of, size_t n)
{
    double *ranks = memory_new(n, sizeof *ranks, "the ranks");
    for (size_t i = 0; i < n; i++)
        ranks[i] = of[i].residual;
    for (size_t i = 0; i < n; i++) {
        size_t start = i < NEIGHBOURS ? 0 : i - NEIGHBOURS, end = i + NEIGHBOURS < n ? i + NEIGHBOURS + 1 : n;
        double sum = 0;
        for (size_t k = start; k < end; k++)
            sum += k == i ? 0 : ranks[k];
        of[i].residual = n == 1 ? 0 : ranks[i] - sum / (double)(end - start - 1);
    }
    free(ranks);
}

/* Ranks the residuals of the n measurements with the same number, and subtracts from each rank the mean of
 * its neighbours. The residuals must be in ascending order. */
static void compare_with_neighbours(struct sample *of, size_t n)
{
    rank_residuals(of, n);
    qsort(of, n, sizeof *of, by_number_group_and_place);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first; end < n && of[end].group == of[first].group;)
            end++;
        localize_ranks(of + first, end - first);
    }
}

void samples_make(struct samples *samples, const struct report *run)
{
    const struct protocol *p = &run->protocol;
    *samples = (struct samples){memory_new(p->record_count, sizeof *samples->of, "the times"), 0};
    for (size_t i = 0; i < p->record_count && !protocol_is(p, "option_clock", "simulated"); i++) {
        struct sample *sample = &samples->of[samples->count];
        sample->cell = sample->group = CHECKSUM_START;
        sample->number = sample->place = i;
        sample->seconds = run->row->sample(protocol_at(p, i), &sample->cell, &sample->group);
        samples->count += sample->seconds > 0;
    }
    qsort(samples->of, samples->count, sizeof *samples->of, by_cell_and_number);
    find_residuals(samples);
    qsort(samples->of, samples->count, sizeof *samples->of, by_number_and_residual);
    for (size_t first = 0, end; first < samples->count; first = end) {
        struct sample *of = &samples->of[first];
        for (end = first; end < samples->count && by_number(&samples->of[end], of) == 0;)
            end++;
        if (isnan(of->residual))
            break;
        compare_with_neighbours(of, end - first);
    }
    qsort(samples->of, samples->count, sizeof *samples->of, by_cell_and_number);
}

enum { RESIDUALS_MIN = 100 }; /* minimum number of residuals for a correlation */

bool samples_are_of_one_run(const struct samples *a, const struct samples *b, struct message *why)
{
    double xx = 0, xy = 0, yy = 0;
    size_t alone = 0, equal = 0, count = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        const struct sample *left = &a->of[i], *right = &b->of[j];
        int order = by_cell_and_number(left, right);
        i += order <= 0;
        j += order >= 0;
        if (order)
            continue;
        if (isnan(left->residual) || isnan(right->residual)) {
            alone++;
            equal += left->seconds == right->seconds;
            continue;
        }
        count++;
        xx += left->residual * left->residual;
        xy += left->residual * right->residual;
        yy += right->residual * right->residual;
    }
    if (count < RESIDUALS_MIN || !(xx * yy > 0)) { /* no residual has neighbours if there is only one row */
        message_set(why, "%zu of %zu times are equal", equal, alone);
        return 2 * equal > alone;
    }
    double correlation = xy / sqrt(xx * yy);
    message_set(why, "the correlation of %zu residuals is %.2f, and the limit is 0.5", count, correlation);
    return correlation > 0.5;
}

void samples_free(struct samples *samples)
{
    free(samples->of);
    *samples = (struct samples){0};
}
