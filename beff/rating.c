#include "beff/rating.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beff/sweep.h"
#include "common/memory.h"
#include "common/stats.h"

/* ---- sorting the records ---- */

/* Maximum number of cells per record, and number of cells that are allowed in addition, because the memory
 * must not be much larger than the file. */
enum { CELLS_PER_RECORD = 200, CELLS_ANYWAY = 1 << 22 };

static struct sweep *find_sweep(struct sweeps *sweeps, int64_t pass, int64_t rep)
{
    int at = sweeps->count;
    struct sweep *s = sweeps->sweep;
    while (at > 0 && (s[at - 1].pass > pass || (s[at - 1].pass == pass && s[at - 1].rep > rep)))
        at--;
    if (at > 0 && s[at - 1].pass == pass && s[at - 1].rep == rep)
        return &s[at - 1];
    array_grow(&sweeps->sweep, (size_t)sweeps->count, sizeof *s);
    s = &sweeps->sweep[at];
    memmove(s + 1, s, (size_t)(sweeps->count++ - at) * sizeof *s);
    *s = (struct sweep){.pass = pass, .rep = rep};
    s->record = memory_new(sweeps->cells, sizeof *s->record, "the records");
    s->bandwidth = memory_new(sweeps->cells, sizeof *s->bandwidth, "the records");
    for (size_t i = 0; i < sweeps->cells; i++)
        s->bandwidth[i] = NAN;
    return s;
}

static int add_record(struct sweeps *sweeps, const struct beff_record *r, size_t number,
                      struct message *error)
{
    int pattern = pattern_find(sweeps->list, r->pattern), size = pattern_find_size(sweeps->list, r->bytes);
    enum method method = method_find(r->method);
    const struct pattern *known = pattern < 0 ? NULL : &sweeps->list->patterns[pattern];
    sweeps->errors = protocol_sum(sweeps->errors, r->errors);
    if (!known || (!known->rated && (method == METHODS || size < 0)))
        return 0; /* an analysis pattern of another version */
    const char *refused = method == METHODS                ? "no such method"
                          : size < 0                       ? "no such message size"
                          : r->messages != known->messages ? "the pattern has another number of messages"
                                                           : NULL;
    struct sweep *sweep = refused ? NULL : find_sweep(sweeps, r->pass, r->rep);
    if (sweep && sweep->record[rating_index(pattern, (int)method, size)])
        refused = "measured twice in one repetition";
    else if (sweep && (double)sweeps->count * (double)sweeps->cells > sweeps->limit)
        refused = "the records are far too few for so many repetitions and polygons";
    if (refused)
        return message_set(error, "record %zu (pass %" PRId64 " rep %" PRId64 " %s %s %" PRId64 " B): %s",
                           number + 1, r->pass, r->rep, r->pattern, r->method, r->bytes, refused);
    double *best = &sweep->bandwidth[rating_index(pattern, METHODS, size)];
    *best = fmax(*best, r->bandwidth); /* fmax ignores a NaN */
    sweep->record[rating_index(pattern, (int)method, size)] = r;
    sweep->bandwidth[rating_index(pattern, (int)method, size)] = r->bandwidth;
    return 0;
}

/* Returns the mean bandwidth over all sizes; NaN if a size is missing. */
static double mean_size(const double *bandwidth, int pattern, int method)
{
    return stats_mean(bandwidth + rating_index(pattern, method, 0), BEFF_SIZES);
}

bool sweeps_rate(const struct sweeps *sweeps, const struct pattern *pattern)
{
    return pattern->kind == PATTERN_RING ||
           (pattern->kind == PATTERN_RANDOM && pattern->number <= sweeps->polygons);
}

/* Counts the rated polygons. The first repetition of the first pass decides: all later repetitions have the
 * same polygons. */
static void find_polygons(struct sweeps *sweeps)
{
    const struct pattern_list *list = sweeps->list;
    int polygons = 0;
    bool first = sweeps->count && sweeps->sweep[0].pass == 1 && sweeps->sweep[0].rep == 1;
    while (first && polygons < list->polygons &&
           !isnan(mean_size(sweeps->sweep[0].bandwidth, BEFF_RING_PATTERNS + polygons, METHODS)))
        polygons++;
    sweeps->polygons = polygons < patterns_opening(list) ? patterns_opening(list) : polygons;
}

/* Fills the Lmax cells of a third repetition with the maximum of the two repetitions before it. */
static void fill_largest(struct sweeps *sweeps, int third)
{
    const struct sweep *sweep = &sweeps->sweep[third];
    for (int i = third - 1; i >= 0 && sweeps->sweep[i].pass == sweep->pass; i--)
        for (int p = 0; p < sweeps->list->count; p++)
            for (int m = 0; m <= METHODS && sweeps->list->patterns[p].rated; m++) {
                size_t at = rating_index(p, m, BEFF_SIZES - 1);
                sweep->bandwidth[at] = fmax(sweep->bandwidth[at], sweeps->sweep[i].bandwidth[at]);
            }
}

int sweeps_make(struct sweeps *sweeps, const struct pattern_list *list, const struct beff_record *records,
                size_t count, bool largest, struct message *error)
{
    *sweeps = (struct sweeps){.list = list,
                              .cells = rating_index(list->count, 0, 0),
                              .limit = CELLS_PER_RECORD * (double)count + CELLS_ANYWAY,
                              .largest = largest};
    sweeps->best = memory_new(sweeps->cells, sizeof *sweeps->best, "the records");
    for (size_t i = 0; i < count; i++)
        if (add_record(sweeps, &records[i], i, error))
            return -1;
    sweeps->completed = memory_new((size_t)sweeps->count, sizeof *sweeps->completed, "the records");
    find_polygons(sweeps);
    for (int i = 0; i < sweeps->count; i++) {
        if (largest && sweeps->sweep[i].rep == SWEEP_REPETITIONS)
            fill_largest(sweeps, i);
        sweeps->sweep[i].complete = !isnan(figures_of(sweeps, &i, 1).b_eff);
        if (sweeps->sweep[i].complete)
            sweeps->completed[sweeps->complete++] = i;
    }
    return 0;
}

void sweeps_free(struct sweeps *sweeps)
{
    for (int i = 0; i < sweeps->count; i++) {
        free(sweeps->sweep[i].record);
        free(sweeps->sweep[i].bandwidth);
    }
    free(sweeps->sweep);
    free(sweeps->completed);
    free(sweeps->best);
    *sweeps = (struct sweeps){0};
}

/* ---- the definition ---- */

/* Returns the maximum over the repetitions of one cell; NaN if no repetition has it (fmax ignores a NaN). */
static double best_of(const struct sweeps *sweeps, const int *indices, int count, size_t cell)
{
    double best = NAN;
    for (int i = 0; i < count; i++)
        best = fmax(best, sweeps->sweep[indices[i]].bandwidth[cell]);
    return best;
}

/* Returns the logarithmic average of of[pattern] over the rated patterns of one kind. */
static double kind_average(const struct sweeps *sweeps, enum pattern_kind kind, const double *of)
{
    double values[PATTERN_MAX];
    size_t n = 0;
    for (int p = 0; p < sweeps->list->count; p++)
        if (sweeps->list->patterns[p].kind == kind && sweeps_rate(sweeps, &sweeps->list->patterns[p]))
            values[n++] = of[p];
    return stats_logavg(values, n);
}

/* Returns the logarithmic average of of[pattern]: rings and random polygons count half each. */
static double average(const struct sweeps *sweeps, const double *of)
{
    double both[2] = {kind_average(sweeps, PATTERN_RING, of), kind_average(sweeps, PATTERN_RANDOM, of)};
    return stats_logavg(both, 2);
}

struct figures figures_of(const struct sweeps *sweeps, const int *indices, int count)
{
    double mean[METHODS + 1][PATTERN_MAX], methods[PATTERN_MAX], repetitions[PATTERN_MAX];
    double shortest[PATTERN_MAX], largest[PATTERN_MAX]; /* at 1 byte, at Lmax */
    double processes = (double)sweeps->list->processes, *best = sweeps->best;
    int pingpong = pattern_find(sweeps->list, "pingpong");
    for (size_t i = 0; i < sweeps->cells; i++)
        best[i] = best_of(sweeps, indices, count, i);
    for (int p = 0; p < sweeps->list->count; p++) {
        shortest[p] = best[rating_index(p, METHODS, 0)];
        largest[p] = best[rating_index(p, METHODS, BEFF_SIZES - 1)];
        methods[p] = repetitions[p] = NAN;
        for (int m = 0; m <= METHODS; m++)
            mean[m][p] = mean_size(best, p, m);
        for (int m = 0; m < METHODS; m++)
            methods[p] = fmax(methods[p], mean[m][p]);
        for (int i = 0; i < count; i++)
            repetitions[p] = fmax(repetitions[p], mean_size(sweeps->sweep[indices[i]].bandwidth, p, METHODS));
    }
    struct figures f = {
        .b_eff = average(sweeps, mean[METHODS]),
        .medians = NAN,
        .rings = kind_average(sweeps, PATTERN_RING, mean[METHODS]),
        .random = kind_average(sweeps, PATTERN_RANDOM, mean[METHODS]),
        .lmax = average(sweeps, largest),
        .lmax_rings = kind_average(sweeps, PATTERN_RING, largest),
        .latency = processes / average(sweeps, shortest),
        .latency_rings = processes / kind_average(sweeps, PATTERN_RING, shortest),
        .pingpong = largest[pingpong],
        /* two messages of one byte: bandwidth = 2 / time of one iteration */
        .pingpong_latency = 1 / shortest[pingpong],
        .method_last = average(sweeps, methods),
        .repetition_last = average(sweeps, repetitions),
    };
    for (int m = 0; m < METHODS; m++)
        f.method[m] = average(sweeps, mean[m]);
    return f;
}

double sweeps_b_eff(const struct sweeps *sweeps, const int *indices, int count, int sizes)
{
    double mean[PATTERN_MAX], best[BEFF_SIZES];
    for (int p = 0; p < sweeps->list->count; p++) {
        for (int s = 0; s < sizes; s++)
            best[s] = best_of(sweeps, indices, count, rating_index(p, METHODS, s));
        mean[p] = stats_mean(best, (size_t)sizes);
    }
    return average(sweeps, mean);
}

/* Returns the largest of the methods' medians over all rated repetitions. Rule a skips methods in some
 * repetitions, so only the methods with the most measurements count. */
static double median_of(const struct sweeps *sweeps, int pattern, int size, double *values)
{
    double best = NAN;
    size_t most = 0;
    for (int m = 0; m < METHODS; m++) {
        size_t n = 0, cell = rating_index(pattern, m, size);
        for (int i = 0; i < sweeps->count; i++)
            if (sweeps->sweep[i].rated && sweeps->sweep[i].record[cell])
                values[n++] = sweeps->sweep[i].record[cell]->bandwidth;
        if (n && n >= most)
            best = n > most ? stats_median(values, n) : fmax(best, stats_median(values, n));
        most = n > most ? n : most;
    }
    return best;
}

static double b_eff_of_medians(const struct sweeps *sweeps)
{
    double mean[PATTERN_MAX], medians[BEFF_SIZES];
    double *values = memory_new((size_t)sweeps->count, sizeof *values, "the medians");
    int rated = 0;
    for (int i = 0; i < sweeps->count; i++)
        rated += sweeps->sweep[i].rated;
    for (int p = 0; p < sweeps->list->count; p++) {
        for (int s = 0; s < BEFF_SIZES; s++)
            medians[s] = median_of(sweeps, p, s, values);
        mean[p] = stats_mean(medians, BEFF_SIZES);
    }
    free(values);
    return rated >= SWEEP_REPETITIONS ? average(sweeps, mean) : NAN;
}

/* ---- passes ---- */

/* A rated pass: the indices of its rated sweeps, and their number. */
struct pass {
    int sweep[SWEEP_REPETITIONS], count;
};

/* Returns the pass that begins with sweep `first`: its first SWEEP_REPETITIONS sweeps, or its first complete
 * ones if `complete_only` is set. */
static struct pass pass_from(const struct sweeps *sweeps, int first, bool complete_only)
{
    struct pass pass = {.count = 0};
    for (int i = first; i < sweeps->count && sweeps->sweep[i].pass == sweeps->sweep[first].pass; i++)
        if (pass.count < SWEEP_REPETITIONS && (sweeps->sweep[i].complete || !complete_only))
            pass.sweep[pass.count++] = i;
    return pass;
}

/* Returns the rated passes, to be freed, and marks their sweeps. All complete passes are rated. If there are
 * none, the complete repetitions of the first pass are rated. If there are none of these either, all its
 * repetitions are rated, so that the tables have values. */
static struct pass *find_passes(struct rating *rating, struct sweeps *sweeps)
{
    struct pass *passes = memory_new((size_t)sweeps->count, sizeof *passes, "the passes");
    int asked = sweeps->list->polygons;
    bool enough = sweeps->polygons >= (asked < PATTERN_VALID_POLYGONS ? asked : PATTERN_VALID_POLYGONS);
    for (int i = 0; i < sweeps->count; i++) {
        if (i > 0 && sweeps->sweep[i].pass == sweeps->sweep[i - 1].pass)
            continue;
        struct pass pass = pass_from(sweeps, i, true);
        if (i == 0)
            rating->repetitions = pass.count;
        if (enough && pass.count == SWEEP_REPETITIONS)
            passes[rating->whole++] = pass;
    }
    rating->passes = rating->whole;
    if (rating->whole == 0 && sweeps->count)
        passes[rating->passes++] = pass_from(sweeps, 0, rating->repetitions > 0);
    for (int n = 0; n < rating->passes; n++)
        for (int i = 0; i < passes[n].count; i++)
            sweeps->sweep[passes[n].sweep[i]].rated = true;
    return passes;
}

/* Computes the median of every cell over the rated passes. `values` is work space for one value per pass.
 * Only the first pass has analysis patterns. */
static void fill_cells(struct rating *rating, const struct sweeps *sweeps, const struct pass *passes,
                       double *values)
{
    for (size_t i = 0; i < sweeps->cells; i++) {
        bool rated = sweeps->list->patterns[i / RATING_CELLS].rated;
        int count = rated ? rating->passes : rating->passes > 0;
        for (int n = 0; n < count; n++)
            values[n] = best_of(sweeps, passes[n].sweep, passes[n].count, i);
        rating->cells[i] = stats_median(values, (size_t)count);
    }
}

double rating_cell(const struct rating *rating, int pattern, enum method method, int size)
{
    return rating->cells[rating_index(pattern, (int)method, size)];
}

double rating_pattern(const struct rating *rating, int pattern, enum method method)
{
    return mean_size(rating->cells, pattern, (int)method);
}

double rating_kind(const struct rating *rating, const struct sweeps *sweeps, enum pattern_kind kind,
                   enum method method, int size)
{
    double values[PATTERN_MAX];
    for (int p = 0; p < sweeps->list->count; p++)
        values[p] = rating_cell(rating, p, method, size);
    return kind_average(sweeps, kind, values);
}

/* Names the first and the last size at which a rated pattern was not measured. */
static void name_missing(struct rating *rating, const struct sweeps *sweeps)
{
    int first = BEFF_SIZES, last = 0;
    for (int s = 0; s < BEFF_SIZES; s++)
        if (isnan(rating_kind(rating, sweeps, PATTERN_RING, METHODS, s)) ||
            isnan(rating_kind(rating, sweeps, PATTERN_RANDOM, METHODS, s))) {
            first = s < first ? s : first;
            last = s;
        }
    if (first < BEFF_SIZES)
        snprintf(rating->missing, sizeof rating->missing,
                 "not measured with all rated patterns: %" PRId64 " B to %" PRId64 " B",
                 sweeps->list->sizes[first], sweeps->list->sizes[last]);
}

/* Computes the figures of each rated pass, and the median of each figure over these passes. `all` and
 * `values` are work space with one element per pass. */
static void fill_figures(struct rating *rating, const struct sweeps *sweeps, const struct pass *passes,
                         struct figures *all, double *values)
{
    enum { MEMBERS = sizeof(struct figures) / sizeof(double) };
    for (int n = 0; n < rating->passes; n++) {
        all[n] = figures_of(sweeps, passes[n].sweep, passes[n].count);
        rating->pass_b_eff[n] = all[n].b_eff;
    }
    for (int n = 1; n < rating->passes; n++) { /* ping-pong is measured only in pass 1 */
        all[n].pingpong = all[0].pingpong;
        all[n].pingpong_latency = all[0].pingpong_latency;
    }
    for (size_t member = 0; member < MEMBERS; member++) {
        for (int n = 0; n < rating->passes; n++)
            values[n] = ((const double *)&all[n])[member];
        ((double *)&rating->figures)[member] = stats_median(values, (size_t)rating->passes);
    }
}

void rating_make(struct rating *rating, struct sweeps *sweeps)
{
    *rating = (struct rating){.passes = 0};
    struct pass *passes = find_passes(rating, sweeps);
    size_t count = (size_t)rating->passes;
    struct figures *all = memory_new(count, sizeof *all, "the rating");
    double *values = memory_new(count, sizeof *values, "the rating");
    rating->pass_b_eff = memory_new(count, sizeof *rating->pass_b_eff, "the rating");
    rating->cells = memory_new(sweeps->cells, sizeof *rating->cells, "the rating");
    fill_cells(rating, sweeps, passes, values);
    fill_figures(rating, sweeps, passes, all, values);
    rating->figures.medians = b_eff_of_medians(sweeps);
    if (isnan(rating->figures.b_eff))
        name_missing(rating, sweeps);
    free(passes);
    free(all);
    free(values);
}

void rating_free(struct rating *rating)
{
    free(rating->pass_b_eff);
    free(rating->cells);
    *rating = (struct rating){0};
}
