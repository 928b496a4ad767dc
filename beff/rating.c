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

static struct repetition *find_repetition(struct repetitions *reps, int64_t pass, int64_t rep)
{
    int at = reps->count;
    struct repetition *s = reps->all;
    while (at > 0 && (s[at - 1].pass > pass || (s[at - 1].pass == pass && s[at - 1].rep > rep)))
        at--;
    if (at > 0 && s[at - 1].pass == pass && s[at - 1].rep == rep)
        return &s[at - 1];
    array_grow(&reps->all, (size_t)reps->count, sizeof *s);
    s = &reps->all[at];
    memmove(s + 1, s, (size_t)(reps->count++ - at) * sizeof *s);
    *s = (struct repetition){.pass = pass, .rep = rep};
    s->record = memory_new(reps->cells, sizeof *s->record, "the records");
    s->bandwidth = memory_new(reps->cells, sizeof *s->bandwidth, "the records");
    for (size_t i = 0; i < reps->cells; i++)
        s->bandwidth[i] = NAN;
    return s;
}

static int add_record(struct repetitions *reps, const struct beff_record *r, size_t number,
                      struct message *error)
{
    int pattern = pattern_find(reps->list, r->pattern), size = pattern_find_size(reps->list, r->bytes);
    enum method method = method_find(r->method);
    const struct pattern *known = pattern < 0 ? NULL : &reps->list->patterns[pattern];
    reps->errors = protocol_sum(reps->errors, r->errors);
    if (!known || (!known->rated && (method == METHODS || size < 0)))
        return 0; /* an analysis pattern of another version */
    const char *refused = method == METHODS                ? "no such method"
                          : size < 0                       ? "no such message size"
                          : r->messages != known->messages ? "the pattern has another number of messages"
                                                           : NULL;
    struct repetition *repetition = refused ? NULL : find_repetition(reps, r->pass, r->rep);
    if (repetition && repetition->record[rating_index(pattern, (int)method, size)])
        refused = "measured twice in one repetition";
    else if (repetition && (double)reps->count * (double)reps->cells > reps->limit)
        refused = "the records are far too few for so many repetitions and polygons";
    if (refused)
        return message_set(error, "record %zu (pass %" PRId64 " rep %" PRId64 " %s %s %" PRId64 " B): %s",
                           number + 1, r->pass, r->rep, r->pattern, r->method, r->bytes, refused);
    double *best = &repetition->bandwidth[rating_index(pattern, METHODS, size)];
    *best = fmax(*best, r->bandwidth); /* fmax ignores a NaN */
    repetition->record[rating_index(pattern, (int)method, size)] = r;
    repetition->bandwidth[rating_index(pattern, (int)method, size)] = r->bandwidth;
    return 0;
}

/* Returns the mean bandwidth over all sizes; NaN if a size is missing. */
static double mean_size(const double *bandwidth, int pattern, int method)
{
    return stats_mean(bandwidth + rating_index(pattern, method, 0), BEFF_SIZES);
}

bool repetitions_rate(const struct repetitions *reps, const struct pattern *pattern)
{
    return pattern->kind == PATTERN_RING ||
           (pattern->kind == PATTERN_RANDOM && pattern->number <= reps->polygons);
}

/* Counts the rated polygons. The first repetition of the first pass decides: all later repetitions have the
 * same polygons. */
static void find_polygons(struct repetitions *reps)
{
    const struct pattern_list *list = reps->list;
    int polygons = 0;
    bool first = reps->count && reps->all[0].pass == 1 && reps->all[0].rep == 1;
    while (first && polygons < list->polygons &&
           !isnan(mean_size(reps->all[0].bandwidth, BEFF_RING_PATTERNS + polygons, METHODS)))
        polygons++;
    reps->polygons = polygons < patterns_opening(list) ? patterns_opening(list) : polygons;
}

/* Fills the Lmax cells of a third repetition with the maximum of the two repetitions before it. */
static void fill_largest(struct repetitions *reps, int third)
{
    const struct repetition *repetition = &reps->all[third];
    for (int i = third - 1; i >= 0 && reps->all[i].pass == repetition->pass; i--)
        for (int p = 0; p < reps->list->count; p++)
            for (int m = 0; m <= METHODS && reps->list->patterns[p].rated; m++) {
                size_t at = rating_index(p, m, BEFF_SIZES - 1);
                repetition->bandwidth[at] = fmax(repetition->bandwidth[at], reps->all[i].bandwidth[at]);
            }
}

int repetitions_make(struct repetitions *reps, const struct pattern_list *list,
                     const struct beff_record *records, size_t count, bool largest, struct message *error)
{
    *reps = (struct repetitions){.list = list,
                                 .cells = rating_index(list->count + list->alone, 0, 0),
                                 .limit = CELLS_PER_RECORD * (double)count + CELLS_ANYWAY,
                                 .largest = largest};
    reps->best = memory_new(reps->cells, sizeof *reps->best, "the records");
    for (size_t i = 0; i < count; i++)
        if (add_record(reps, &records[i], i, error))
            return -1;
    find_polygons(reps);
    for (int i = 0; i < reps->count; i++) {
        if (largest && reps->all[i].rep == SWEEP_REPETITIONS)
            fill_largest(reps, i);
        reps->all[i].complete = !isnan(figures_of(reps, &i, 1).b_eff);
        reps->complete += reps->all[i].complete;
    }
    return 0;
}

void repetitions_free(struct repetitions *reps)
{
    for (int i = 0; i < reps->count; i++) {
        free(reps->all[i].record);
        free(reps->all[i].bandwidth);
    }
    free(reps->all);
    free(reps->best);
    *reps = (struct repetitions){0};
}

/* ---- the definition ---- */

/* Returns the maximum over the repetitions of one cell; NaN if no repetition has it (fmax ignores a NaN). */
static double best_of(const struct repetitions *reps, const int *indices, int count, size_t cell)
{
    double best = NAN;
    for (int i = 0; i < count; i++)
        best = fmax(best, reps->all[indices[i]].bandwidth[cell]);
    return best;
}

/* Returns the logarithmic average of of[pattern] over the rated patterns of one kind. */
static double kind_average(const struct repetitions *reps, enum pattern_kind kind, const double *of)
{
    double values[PATTERN_MAX];
    size_t n = 0;
    for (int p = 0; p < reps->list->count; p++)
        if (reps->list->patterns[p].kind == kind && repetitions_rate(reps, &reps->list->patterns[p]))
            values[n++] = of[p];
    return stats_logavg(values, n);
}

double repetitions_average(const struct repetitions *reps, const double *of)
{
    double both[2] = {kind_average(reps, PATTERN_RING, of), kind_average(reps, PATTERN_RANDOM, of)};
    return stats_logavg(both, 2);
}

/* Returns the microseconds of a message of 1 byte: the least of the methods' times, where Sendrecv sends two
 * messages one after the other, except in rings of two. */
static double message_time(const struct pattern *p, const double *best, int pattern)
{
    double least = NAN;
    for (int m = 0; m < METHODS; m++) {
        double iteration = (double)p->messages / best[rating_index(pattern, m, 0)];
        bool twice = m == METHOD_SENDRECV && pattern_sends(p) > 1;
        least = fmin(least, twice ? iteration / 2 : iteration);
    }
    return least;
}

/* Returns the largest of the methods' medians or, if `mean` is set, of their means (all bytes / all of the
 * time), over a pass. Rule a skips methods in some repetitions, so only the methods with the most
 * measurements count. */
static double typical_of(const struct repetitions *reps, const int *indices, int pattern, int size, bool mean)
{
    double best = NAN, values[SWEEP_REPETITIONS];
    size_t most = 0;
    for (int m = 0; m < METHODS; m++) {
        size_t n = 0, cell = rating_index(pattern, m, size);
        double bytes = 0, time = 0;
        for (int i = 0; i < SWEEP_REPETITIONS; i++) {
            const struct beff_record *record = reps->all[indices[i]].record[cell];
            if (!record)
                continue;
            values[n++] = record->bandwidth;
            bytes += record->bandwidth * record->t_max;
            time += record->t_max;
        }
        double value = mean ? bytes / time : stats_median(values, n);
        if (n && n >= most)
            best = n > most ? value : fmax(best, value);
        most = n > most ? n : most;
    }
    return best;
}

/* Returns b_eff of a pass from medians or means instead of maxima; NaN for fewer repetitions. */
static double typical(const struct repetitions *reps, const int *indices, int count, bool mean)
{
    double of[PATTERN_MAX], values[BEFF_SIZES];
    if (count != SWEEP_REPETITIONS)
        return NAN;
    for (int p = 0; p < reps->list->count; p++) {
        for (int s = 0; s < BEFF_SIZES; s++)
            values[s] = typical_of(reps, indices, p, s, mean);
        of[p] = stats_mean(values, BEFF_SIZES);
    }
    return repetitions_average(reps, of);
}

struct figures figures_of(const struct repetitions *reps, const int *indices, int count)
{
    double mean[METHODS + 1][PATTERN_MAX];
    double largest[PATTERN_MAX], latency[PATTERN_MAX];
    double *best = reps->best;
    int pingpong = pattern_find(reps->list, "pingpong");
    for (size_t i = 0; i < reps->cells; i++)
        best[i] = best_of(reps, indices, count, i);
    for (int p = 0; p < reps->list->count; p++) {
        latency[p] = message_time(&reps->list->patterns[p], best, p);
        largest[p] = best[rating_index(p, METHODS, BEFF_SIZES - 1)];
        for (int m = 0; m <= METHODS; m++)
            mean[m][p] = mean_size(best, p, m);
    }
    struct figures f = {
        .b_eff = repetitions_average(reps, mean[METHODS]),
        .medians = typical(reps, indices, count, false),
        .means = typical(reps, indices, count, true),
        .rings = kind_average(reps, PATTERN_RING, mean[METHODS]),
        .random = kind_average(reps, PATTERN_RANDOM, mean[METHODS]),
        .lmax = repetitions_average(reps, largest),
        .lmax_rings = kind_average(reps, PATTERN_RING, largest),
        .latency = repetitions_average(reps, latency),
        .pingpong = largest[pingpong],
        /* two messages of one byte: bandwidth = 2 / time of one iteration */
        .pingpong_latency = 1 / best[rating_index(pingpong, METHODS, 0)],
    };
    for (int m = 0; m < METHODS; m++)
        f.method[m] = repetitions_average(reps, mean[m]);
    return f;
}

/* ---- passes ---- */

/* A rated pass: the indices of its rated repetitions, and their number. */
struct pass {
    int repetition[SWEEP_REPETITIONS], count;
};

/* Returns the pass that begins with repetition `first`: its first SWEEP_REPETITIONS repetitions, or its first
 * complete ones if `complete_only` is set. */
static struct pass pass_from(const struct repetitions *reps, int first, bool complete_only)
{
    struct pass pass = {.count = 0};
    for (int i = first; i < reps->count && reps->all[i].pass == reps->all[first].pass; i++)
        if (pass.count < SWEEP_REPETITIONS && (reps->all[i].complete || !complete_only))
            pass.repetition[pass.count++] = i;
    return pass;
}

/* Returns the rated passes, to be freed, and marks their repetitions. All complete passes are rated. If there
 * are none, the complete repetitions of the first pass are rated. If there are none of these either, all its
 * repetitions are rated, so that the tables have values. */
static struct pass *find_passes(struct rating *rating, struct repetitions *reps)
{
    struct pass *passes = memory_new((size_t)reps->count, sizeof *passes, "the passes");
    int asked = reps->list->polygons;
    bool enough = reps->polygons >= (asked < PATTERN_VALID_POLYGONS ? asked : PATTERN_VALID_POLYGONS);
    for (int i = 0; i < reps->count; i++) {
        if (i > 0 && reps->all[i].pass == reps->all[i - 1].pass)
            continue;
        struct pass pass = pass_from(reps, i, true);
        if (i == 0)
            rating->repetitions = pass.count;
        if (enough && pass.count == SWEEP_REPETITIONS)
            passes[rating->whole++] = pass;
    }
    rating->passes = rating->whole;
    if (rating->whole == 0 && reps->count)
        passes[rating->passes++] = pass_from(reps, 0, rating->repetitions > 0);
    for (int n = 0; n < rating->passes; n++) {
        passes[n].count = reps->most && reps->most < passes[n].count ? reps->most : passes[n].count;
        for (int i = 0; i < passes[n].count; i++)
            reps->all[passes[n].repetition[i]].rated = true;
    }
    return passes;
}

/* Computes the median of every cell over the rated passes. `values` is work space for one value per pass.
 * Only the first pass has analysis patterns. */
static void fill_cells(struct rating *rating, const struct repetitions *reps, const struct pass *passes,
                       double *values)
{
    for (size_t i = 0; i < reps->cells; i++) {
        bool rated = reps->list->patterns[i / RATING_CELLS].rated;
        int count = rated ? rating->passes : rating->passes > 0;
        for (int n = 0; n < count; n++)
            values[n] = best_of(reps, passes[n].repetition, passes[n].count, i);
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

double rating_kind(const struct rating *rating, const struct repetitions *reps, enum pattern_kind kind,
                   enum method method, int size)
{
    double values[PATTERN_MAX];
    for (int p = 0; p < reps->list->count; p++)
        values[p] = rating_cell(rating, p, method, size);
    return kind_average(reps, kind, values);
}

double rating_at_size(const struct rating *rating, const struct repetitions *reps, enum method method,
                      int size)
{
    return sqrt(rating_kind(rating, reps, PATTERN_RING, method, size) *
                rating_kind(rating, reps, PATTERN_RANDOM, method, size));
}

/* Names the first and the last size at which a rated pattern was not measured. */
static void name_missing(struct rating *rating, const struct repetitions *reps)
{
    int first = BEFF_SIZES, last = 0;
    for (int s = 0; s < BEFF_SIZES; s++)
        if (isnan(rating_kind(rating, reps, PATTERN_RING, METHODS, s)) ||
            isnan(rating_kind(rating, reps, PATTERN_RANDOM, METHODS, s))) {
            first = s < first ? s : first;
            last = s;
        }
    if (first < BEFF_SIZES)
        snprintf(rating->missing, sizeof rating->missing,
                 first < last ? "not measured with all rated patterns: %" PRId64 " B to %" PRId64 " B"
                              : "not measured with all rated patterns: %" PRId64 " B",
                 reps->list->sizes[first], reps->list->sizes[last]);
}

/* Computes the figures of each rated pass, and the median of each figure over these passes. `all` and
 * `values` are work space with one element per pass. */
static void fill_figures(struct rating *rating, const struct repetitions *reps, const struct pass *passes,
                         struct figures *all, double *values)
{
    enum { MEMBERS = sizeof(struct figures) / sizeof(double) };
    for (int n = 0; n < rating->passes; n++) {
        all[n] = figures_of(reps, passes[n].repetition, passes[n].count);
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

void rating_make(struct rating *rating, struct repetitions *reps)
{
    *rating = (struct rating){.passes = 0};
    struct pass *passes = find_passes(rating, reps);
    size_t count = (size_t)rating->passes;
    struct figures *all = memory_new(count, sizeof *all, "the rating");
    double *values = memory_new(count, sizeof *values, "the rating");
    rating->pass_b_eff = memory_new(count, sizeof *rating->pass_b_eff, "the rating");
    rating->cells = memory_new(reps->cells, sizeof *rating->cells, "the rating");
    fill_cells(rating, reps, passes, values);
    fill_figures(rating, reps, passes, all, values);
    if (isnan(rating->figures.b_eff))
        name_missing(rating, reps);
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
