/* From records to figures. Uses stats, patterns, sizes, record. */
#include "beff/rating.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "beff/sweep.h"
#include "common/array.h"
#include "common/stats.h"

static size_t cell(int pattern, int method, int size)
{
    return ((size_t)pattern * METHODS + (size_t)method) * BEFF_SIZES + (size_t)size;
}

/* ---- sorting the records ---- */

static struct sweep *find_sweep(struct sweeps *sweeps, int64_t pass, int64_t rep)
{
    for (int i = sweeps->count; i > 0; i--)
        if (sweeps->sweep[i - 1].pass == pass && sweeps->sweep[i - 1].rep == rep)
            return &sweeps->sweep[i - 1];
    if (!array_room(&sweeps->sweep, (size_t)sweeps->count, sizeof *sweeps->sweep))
        return NULL;
    size_t cells = cell(sweeps->list->count, 0, 0);
    struct sweep *sweep = &sweeps->sweep[sweeps->count];
    *sweep = (struct sweep){.pass = pass, .rep = rep, .bandwidth = malloc(cells * sizeof(double))};
    if (!sweep->bandwidth)
        return NULL;
    for (size_t i = 0; i < cells; i++)
        sweep->bandwidth[i] = NAN;
    sweeps->count++;
    return sweep;
}

static int add_record(struct sweeps *sweeps, const struct beff_record *r, size_t number,
                      struct message *error)
{
    int pattern = pattern_find(sweeps->list, r->pattern), size = pattern_find_size(sweeps->list, r->bytes);
    enum method method = method_find(r->method);
    const char *refused = pattern < 0                                     ? "no such pattern"
                          : method == METHODS                             ? "no such method"
                          : size < 0                                      ? "no such message size"
                          : !(r->bandwidth > 0 && isfinite(r->bandwidth)) ? "its bandwidth is not positive"
                                                                          : NULL;
    struct sweep *sweep = refused ? NULL : find_sweep(sweeps, r->pass, r->rep);
    if (!refused && !sweep)
        return message_set(error, "out of memory for the records");
    if (sweep && !isnan(sweep->bandwidth[cell(pattern, (int)method, size)]))
        refused = "measured twice in one repetition";
    if (refused)
        return message_set(error, "record %zu (pass %" PRId64 " rep %" PRId64 " %s %s %" PRId64 " B): %s",
                           number + 1, r->pass, r->rep, r->pattern, r->method, r->bytes, refused);
    sweep->bandwidth[cell(pattern, (int)method, size)] = r->bandwidth;
    sweeps->pattern_of[number] = pattern;
    sweeps->errors += r->errors;
    return 0;
}

static bool has_all_sizes(const struct sweep *sweep, int pattern)
{
    for (int size = 0; size < BEFF_SIZES; size++) {
        double best = NAN; /* fmax passes over a NaN */
        for (int m = 0; m < METHODS; m++)
            best = fmax(best, sweep->bandwidth[cell(pattern, m, size)]);
        if (isnan(best))
            return false;
    }
    return true;
}

bool sweeps_rate(const struct sweeps *sweeps, const struct pattern *pattern)
{
    return pattern->kind == PATTERN_RING ||
           (pattern->kind == PATTERN_RANDOM && pattern->number <= sweeps->polygons);
}

/* By the first repetition of the first pass; all are measured with the same polygons. */
static void find_polygons(struct sweeps *sweeps)
{
    const struct pattern_list *list = sweeps->list;
    int polygons = 0;
    bool first = sweeps->count && sweeps->sweep[0].pass == 1 && sweeps->sweep[0].rep == 1;
    while (first && polygons < list->polygons &&
           has_all_sizes(&sweeps->sweep[0], BEFF_RING_PATTERNS + polygons))
        polygons++;
    sweeps->polygons = polygons < patterns_opening(list) ? patterns_opening(list) : polygons;
}

static bool is_complete(const struct sweeps *sweeps, const struct sweep *sweep)
{
    for (int p = 0; p < sweeps->list->count; p++)
        if (sweeps_rate(sweeps, &sweeps->list->patterns[p]) && !has_all_sizes(sweep, p))
            return false;
    return true;
}

/* A third repetition takes Lmax from the two before it. */
static void fill_largest(struct sweeps *sweeps, int third)
{
    const struct sweep *sweep = &sweeps->sweep[third];
    for (int i = third - 1; i >= 0 && sweeps->sweep[i].pass == sweep->pass; i--)
        for (int p = 0; p < sweeps->list->count; p++)
            for (int m = 0; m < METHODS && sweeps->list->patterns[p].rated; m++) {
                size_t at = cell(p, m, BEFF_SIZES - 1);
                sweep->bandwidth[at] = fmax(sweep->bandwidth[at], sweeps->sweep[i].bandwidth[at]);
            }
}

static int by_time(const void *a, const void *b)
{
    const struct sweep *x = a, *y = b;
    return x->pass != y->pass ? (x->pass > y->pass) - (x->pass < y->pass)
                              : (x->rep > y->rep) - (x->rep < y->rep);
}

const struct sweep *sweeps_find(const struct sweeps *sweeps, int64_t pass, int64_t rep)
{
    const struct sweep wanted = {.pass = pass, .rep = rep};
    return bsearch(&wanted, sweeps->sweep, (size_t)sweeps->count, sizeof wanted, by_time);
}

int sweeps_make(struct sweeps *sweeps, const struct pattern_list *list, const struct beff_record *records,
                size_t count, bool largest, struct message *error)
{
    *sweeps = (struct sweeps){.list = list};
    sweeps->pattern_of = calloc(count + 1, sizeof *sweeps->pattern_of);
    if (!sweeps->pattern_of)
        return message_set(error, "out of memory for the records");
    for (size_t i = 0; i < count; i++)
        if (add_record(sweeps, &records[i], i, error))
            return -1;
    if (sweeps->count)
        qsort(sweeps->sweep, (size_t)sweeps->count, sizeof *sweeps->sweep, by_time);
    find_polygons(sweeps);
    for (int i = 0; i < sweeps->count; i++) {
        if (largest && sweeps->sweep[i].rep == SWEEP_REPETITIONS)
            fill_largest(sweeps, i);
        sweeps->sweep[i].complete = is_complete(sweeps, &sweeps->sweep[i]);
        sweeps->complete += sweeps->sweep[i].complete;
    }
    return 0;
}

void sweeps_free(struct sweeps *sweeps)
{
    for (int i = 0; i < sweeps->count; i++)
        free(sweeps->sweep[i].bandwidth);
    free(sweeps->sweep);
    free(sweeps->pattern_of);
    *sweeps = (struct sweeps){0};
}

/* ---- the definition ---- */

struct selection {
    const struct sweeps *sweeps;
    const int *indices;
    int count;
};

/* max over methods, or one of them, of max over repetitions; NaN if none has it: fmax passes over a NaN. */
static double best_of(const struct selection *from, int pattern, int method, int size)
{
    double best = NAN;
    int first = method == METHODS ? 0 : method, last = method == METHODS ? METHODS - 1 : method;
    for (int i = 0; i < from->count; i++)
        for (int m = first; m <= last; m++)
            best = fmax(best, from->sweeps->sweep[from->indices[i]].bandwidth[cell(pattern, m, size)]);
    return best;
}

/* avg over L */
static double mean_size(const struct selection *from, int pattern, int method)
{
    double values[BEFF_SIZES];
    for (int s = 0; s < BEFF_SIZES; s++)
        values[s] = best_of(from, pattern, method, s);
    return stats_mean(values, BEFF_SIZES);
}

/* What one pattern counts in a logavg over patterns. */
typedef double pattern_value(const struct selection *from, int pattern, int argument);

static double at_size(const struct selection *from, int pattern, int size)
{
    return best_of(from, pattern, METHODS, size);
}

static double method_after_sizes(const struct selection *from, int pattern, int unused)
{
    (void)unused;
    double best = NAN;
    for (int m = 0; m < METHODS; m++)
        best = fmax(best, mean_size(from, pattern, m));
    return best;
}

static double repetition_after_sizes(const struct selection *from, int pattern, int unused)
{
    (void)unused;
    double best = NAN;
    for (int i = 0; i < from->count; i++) {
        struct selection one = {from->sweeps, &from->indices[i], 1};
        best = fmax(best, mean_size(&one, pattern, METHODS));
    }
    return best;
}

/* logavg over the rated patterns of one kind */
static double kind_average(const struct selection *from, enum pattern_kind kind, pattern_value *value,
                           int argument)
{
    double values[BEFF_RING_PATTERNS + PATTERN_MAX_POLYGONS];
    size_t n = 0;
    for (int p = 0; p < from->sweeps->list->count; p++)
        if (from->sweeps->list->patterns[p].kind == kind &&
            sweeps_rate(from->sweeps, &from->sweeps->list->patterns[p]))
            values[n++] = value(from, p, argument);
    return stats_logavg(values, n);
}

/* logavg of rings and random */
static double average(const struct selection *from, pattern_value *value, int argument)
{
    double both[2] = {kind_average(from, PATTERN_RING, value, argument),
                      kind_average(from, PATTERN_RANDOM, value, argument)};
    return stats_logavg(both, 2);
}

double b_eff_of(const struct sweeps *sweeps, const int *indices, int count)
{
    return average(&(struct selection){sweeps, indices, count}, mean_size, METHODS);
}

struct figures figures_of(const struct sweeps *sweeps, const int *indices, int count)
{
    struct selection from = {sweeps, indices, count};
    double processes = (double)sweeps->list->processes;
    int last = BEFF_SIZES - 1, pingpong = pattern_find(sweeps->list, "pingpong");
    struct figures f = {
        .b_eff = b_eff_of(sweeps, indices, count),
        .rings = kind_average(&from, PATTERN_RING, mean_size, METHODS),
        .random = kind_average(&from, PATTERN_RANDOM, mean_size, METHODS),
        .lmax = average(&from, at_size, last),
        .lmax_rings = kind_average(&from, PATTERN_RING, at_size, last),
        .latency = processes / average(&from, at_size, 0),
        .latency_rings = processes / kind_average(&from, PATTERN_RING, at_size, 0),
        .pingpong = best_of(&from, pingpong, METHODS, last),
        /* two messages of one byte: bandwidth = 2 / time of one iteration */
        .pingpong_latency = 1 / best_of(&from, pingpong, METHODS, 0),
        .method_last = average(&from, method_after_sizes, 0),
        .repetition_last = average(&from, repetition_after_sizes, 0),
    };
    for (int m = 0; m < METHODS; m++)
        f.method[m] = average(&from, mean_size, m);
    return f;
}

/* ---- passes ---- */

enum { COLUMNS = METHODS + 1 };

/* The sweeps of a rated pass. */
struct pass {
    int sweep[SWEEP_REPETITIONS], count;
};

/* The sweep `first` and those behind it that are of the same pass; the complete ones only, or all. */
static struct pass pass_from(const struct sweeps *sweeps, int first, bool complete_only)
{
    struct pass pass = {.count = 0};
    for (int i = first; i < sweeps->count && sweeps->sweep[i].pass == sweeps->sweep[first].pass; i++)
        if (pass.count < SWEEP_REPETITIONS && (sweeps->sweep[i].complete || !complete_only))
            pass.sweep[pass.count++] = i;
    return pass;
}

/* The rated passes: the whole ones; else the complete repetitions of the first one; else, for the tables,
 * what there is of it. NULL: out of memory. */
static struct pass *find_passes(struct rating *rating, struct sweeps *sweeps)
{
    struct pass *passes = calloc((size_t)sweeps->count + 1, sizeof *passes);
    int asked = sweeps->list->polygons;
    bool enough = sweeps->polygons >= (asked < PATTERN_VALID_POLYGONS ? asked : PATTERN_VALID_POLYGONS);
    for (int i = 0; passes && i < sweeps->count; i++) {
        if (i > 0 && sweeps->sweep[i].pass == sweeps->sweep[i - 1].pass)
            continue;
        struct pass pass = pass_from(sweeps, i, true);
        if (i == 0)
            rating->repetitions = pass.count;
        if (enough && pass.count == SWEEP_REPETITIONS)
            passes[rating->whole++] = pass;
    }
    rating->passes = rating->whole;
    if (passes && rating->whole == 0 && sweeps->count)
        passes[rating->passes++] = pass_from(sweeps, 0, rating->repetitions > 0);
    for (int n = 0; passes && n < rating->passes; n++)
        for (int i = 0; i < passes[n].count; i++)
            sweeps->sweep[passes[n].sweep[i]].rated = true;
    return passes;
}

double rating_cell(const struct rating *rating, int pattern, enum method method, int size)
{
    return rating->cells[((size_t)pattern * COLUMNS + method) * BEFF_SIZES + (size_t)size];
}

/* Every cell's median over the rated passes; `values` has room for one value of each. Analysis patterns are
 * in the first one alone. */
static void fill_cells(struct rating *rating, const struct sweeps *sweeps, const struct pass *passes,
                       double *values)
{
    double *cell = rating->cells;
    for (int p = 0; p < sweeps->list->count; p++)
        for (int m = 0; m < COLUMNS; m++)
            for (int s = 0; s < BEFF_SIZES; s++) {
                int count = sweeps->list->patterns[p].rated ? rating->passes : rating->passes > 0;
                for (int n = 0; n < count; n++)
                    values[n] =
                        best_of(&(struct selection){sweeps, passes[n].sweep, passes[n].count}, p, m, s);
                *cell++ = stats_median(values, (size_t)count);
            }
}

double rating_kind(const struct rating *rating, const struct sweeps *sweeps, enum pattern_kind kind,
                   enum method method, int size)
{
    double values[BEFF_RING_PATTERNS + PATTERN_MAX_POLYGONS];
    size_t n = 0;
    for (int p = 0; p < sweeps->list->count; p++)
        if (sweeps->list->patterns[p].kind == kind && sweeps_rate(sweeps, &sweeps->list->patterns[p]))
            values[n++] = rating_cell(rating, p, method, size);
    return stats_logavg(values, n);
}

/* The first and the last size that a rated pattern lacks. */
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

/* Medians, member by member, over the figures of the rated passes. */
static void fill_figures(struct rating *rating, const struct sweeps *sweeps, const struct pass *passes,
                         struct figures *all, double *values)
{
    enum { MEMBERS = sizeof(struct figures) / sizeof(double) };
    for (int n = 0; n < rating->passes; n++) {
        all[n] = figures_of(sweeps, passes[n].sweep, passes[n].count);
        rating->pass_b_eff[n] = all[n].b_eff;
    }
    for (int n = 1; n < rating->passes; n++) { /* measured once */
        all[n].pingpong = all[0].pingpong;
        all[n].pingpong_latency = all[0].pingpong_latency;
    }
    for (size_t member = 0; member < MEMBERS; member++) {
        for (int n = 0; n < rating->passes; n++)
            values[n] = ((const double *)&all[n])[member];
        ((double *)&rating->figures)[member] = stats_median(values, (size_t)rating->passes);
    }
}

int rating_make(struct rating *rating, struct sweeps *sweeps)
{
    *rating = (struct rating){.passes = 0};
    struct pass *passes = find_passes(rating, sweeps);
    size_t count = (size_t)rating->passes + 1;
    struct figures *all = calloc(count, sizeof *all);
    double *values = calloc(count, sizeof *values);
    rating->pass_b_eff = calloc(count, sizeof *rating->pass_b_eff);
    rating->cells = calloc((size_t)sweeps->list->count * COLUMNS * BEFF_SIZES, sizeof *rating->cells);
    bool well = passes && all && values && rating->pass_b_eff && rating->cells;
    if (well) {
        fill_cells(rating, sweeps, passes, values);
        fill_figures(rating, sweeps, passes, all, values);
        if (isnan(rating->figures.b_eff))
            name_missing(rating, sweeps);
    }
    free(passes);
    free(all);
    free(values);
    return well ? 0 : -1;
}

double rating_pattern(const struct rating *rating, int pattern, enum method method)
{
    double sum = 0;
    for (int s = 0; s < BEFF_SIZES; s++)
        sum += rating_cell(rating, pattern, method, s);
    return sum / BEFF_SIZES;
}

void rating_free(struct rating *rating)
{
    free(rating->pass_b_eff);
    free(rating->cells);
    *rating = (struct rating){0};
}
