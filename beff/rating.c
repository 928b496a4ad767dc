/* From records to figures. Uses stats, random, patterns, sizes, record. */
#include "beff/rating.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
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
    struct sweep *grown = realloc(sweeps->sweep, (size_t)(sweeps->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    sweeps->sweep = grown;
    size_t cells = cell(sweeps->list->count, 0, 0);
    struct sweep *sweep = &grown[sweeps->count];
    *sweep = (struct sweep){.pass = pass, .rep = rep, .bandwidth = malloc(cells * sizeof(double))};
    if (!sweep->bandwidth)
        return NULL;
    for (size_t i = 0; i < cells; i++)
        sweep->bandwidth[i] = NAN;
    sweeps->count++;
    return sweep;
}

static int find_size(const struct sweeps *sweeps, int64_t bytes)
{
    int size = 0;
    while (size < BEFF_SIZES && sweeps->sizes[size] != bytes)
        size++;
    return size;
}

static int add_record(struct sweeps *sweeps, const struct beff_record *r, size_t number,
                      struct message *error)
{
    int pattern = pattern_find(sweeps->list, r->pattern), size = find_size(sweeps, r->bytes);
    enum method method = method_find(r->method);
    const char *refused = pattern < 0                                     ? "no such pattern"
                          : method == METHODS                             ? "no such method"
                          : size == BEFF_SIZES                            ? "no such message size"
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

static bool has_method(const struct pattern *pattern, int method)
{
    return !pattern->sendrecv_only || method == METHOD_SENDRECV;
}

static bool is_complete(const struct sweeps *sweeps, const struct sweep *sweep)
{
    for (int p = 0; p < sweeps->list->count; p++)
        for (int m = 0; m < METHODS; m++)
            for (int s = 0; s < BEFF_SIZES; s++)
                if (has_method(&sweeps->list->patterns[p], m) && isnan(sweep->bandwidth[cell(p, m, s)]))
                    return false;
    return true;
}

int sweeps_make(struct sweeps *sweeps, const struct pattern_list *list, int64_t lmax,
                const struct beff_record *records, size_t count, struct message *error)
{
    *sweeps = (struct sweeps){.list = list};
    beff_sizes(lmax, sweeps->sizes);
    sweeps->pattern_of = calloc(count + 1, sizeof *sweeps->pattern_of);
    if (!sweeps->pattern_of)
        return message_set(error, "out of memory for the records");
    for (size_t i = 0; i < count; i++)
        if (add_record(sweeps, &records[i], i, error))
            return -1;
    for (int i = 0; i < sweeps->count; i++)
        sweeps->sweep[i].complete = is_complete(sweeps, &sweeps->sweep[i]);
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

/* max over repetitions; NaN if none has it. fmax ignores NaN as long as one operand is a number. */
static double max_rep(const struct selection *from, int pattern, int method, int size)
{
    double best = NAN;
    for (int i = 0; i < from->count; i++)
        best = fmax(best, from->sweeps->sweep[from->indices[i]].bandwidth[cell(pattern, method, size)]);
    return best;
}

/* max over methods of max over repetitions, or of one method alone */
static double best_of(const struct selection *from, int pattern, int method, int size)
{
    if (method < METHODS)
        return max_rep(from, pattern, method, size);
    double best = NAN;
    for (int m = 0; m < METHODS; m++)
        best = fmax(best, max_rep(from, pattern, m, size));
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

/* logavg over all patterns of one kind */
static double kind_average(const struct selection *from, enum pattern_kind kind, pattern_value *value,
                           int argument)
{
    double values[BEFF_RING_PATTERNS + PATTERN_MOST_POLYGONS];
    size_t n = 0;
    for (int p = 0; p < from->sweeps->list->count; p++)
        if (from->sweeps->list->patterns[p].kind == kind)
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

struct figures figures_of(const struct sweeps *sweeps, const int *indices, int count)
{
    struct selection from = {sweeps, indices, count};
    double processes = (double)sweeps->list->processes;
    int last = BEFF_SIZES - 1, pingpong = pattern_find(sweeps->list, "pingpong");
    struct figures f = {
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
    f.b_eff = stats_logavg((double[]){f.rings, f.random}, 2);
    for (int m = 0; m < METHODS; m++)
        f.method[m] = average(&from, mean_size, m);
    return f;
}

/* ---- passes ---- */

/* The sweeps of a pass; returns how many (at most `most`). */
static int sweeps_of_pass(const struct sweeps *sweeps, int64_t pass, bool complete_only, int *indices,
                          int most)
{
    int count = 0;
    for (int i = 0; i < sweeps->count && count < most; i++)
        if (sweeps->sweep[i].pass == pass && (sweeps->sweep[i].complete || !complete_only))
            indices[count++] = i;
    return count;
}

enum { REPETITIONS = 3 };

/* The sweeps of rated pass number `n` (from 0): the whole passes; the first one if there is no whole one. */
static int rated_pass(const struct sweeps *sweeps, const struct rating *rating, int n,
                      int indices[REPETITIONS])
{
    if (rating->whole == 0)
        return sweeps_of_pass(sweeps, 1, false, indices, REPETITIONS);
    for (int64_t pass = 1;; pass++)
        if (sweeps_of_pass(sweeps, pass, true, indices, REPETITIONS) == REPETITIONS && n-- == 0)
            return REPETITIONS;
}

static int count_whole(const struct sweeps *sweeps)
{
    int indices[REPETITIONS], whole = 0;
    for (int64_t pass = 1; sweeps_of_pass(sweeps, pass, false, indices, 1); pass++)
        whole += sweeps_of_pass(sweeps, pass, true, indices, REPETITIONS) == REPETITIONS;
    return whole;
}

double rating_cell(const struct sweeps *sweeps, const struct rating *rating, int pattern, enum method method,
                   int size)
{
    double *values = calloc((size_t)rating->passes + 1, sizeof *values), median;
    if (!values)
        return NAN;
    for (int n = 0; n < rating->passes; n++) {
        int indices[REPETITIONS];
        struct selection from = {sweeps, indices, rated_pass(sweeps, rating, n, indices)};
        values[n] = best_of(&from, pattern, (int)method, size);
    }
    median = stats_median(values, (size_t)rating->passes);
    free(values);
    return median;
}

static void name_missing(struct rating *rating, const struct sweeps *sweeps)
{
    for (int p = 0; p < sweeps->list->count; p++)
        for (int s = 0; s < BEFF_SIZES; s++)
            if (sweeps->list->patterns[p].rated && isnan(rating_cell(sweeps, rating, p, METHODS, s))) {
                snprintf(rating->missing, sizeof rating->missing, "%s with %" PRId64 " B was not measured",
                         sweeps->list->patterns[p].id, sweeps->sizes[s]);
                return;
            }
}

/* Medians, member by member, over the figures of the rated passes. */
static int summarise(struct rating *rating, const struct sweeps *sweeps)
{
    enum { MEMBERS = sizeof(struct figures) / sizeof(double) };
    size_t passes = (size_t)rating->passes;
    struct figures *all = calloc(passes + 1, sizeof *all);
    double *column = calloc(passes + 1, sizeof *column);
    rating->pass_b_eff = calloc(passes + 1, sizeof *rating->pass_b_eff);
    bool failed = !all || !column || !rating->pass_b_eff;
    for (size_t n = 0; !failed && n < passes; n++) {
        int indices[REPETITIONS], count = rated_pass(sweeps, rating, (int)n, indices);
        all[n] = figures_of(sweeps, indices, count);
        rating->pass_b_eff[n] = all[n].b_eff;
    }
    for (size_t member = 0; !failed && member < MEMBERS; member++) {
        for (size_t n = 0; n < passes; n++)
            column[n] = ((const double *)&all[n])[member];
        ((double *)&rating->figures)[member] = stats_median(column, passes);
    }
    free(all);
    free(column);
    return failed ? -1 : 0;
}

/* ---- interval ---- */

/* b_eff alone of a triple of sweeps, from each sweep's best method: the inner maximum is the same for all
 * triples. */
static double triple_b_eff(const struct sweeps *sweeps, const double *best, const int triple[3])
{
    double logs[2] = {0, 0}, counts[2] = {0, 0};
    size_t stride = (size_t)sweeps->list->count * BEFF_SIZES;
    for (int p = 0; p < sweeps->list->count; p++) {
        if (!sweeps->list->patterns[p].rated)
            continue;
        double sum = 0;
        for (int s = 0; s < BEFF_SIZES; s++) {
            size_t at = (size_t)p * BEFF_SIZES + (size_t)s;
            sum += fmax(fmax(best[(size_t)triple[0] * stride + at], best[(size_t)triple[1] * stride + at]),
                        best[(size_t)triple[2] * stride + at]);
        }
        int kind = sweeps->list->patterns[p].kind == PATTERN_RANDOM;
        logs[kind] += log(sum / BEFF_SIZES);
        counts[kind]++;
    }
    return exp((logs[0] / counts[0] + logs[1] / counts[1]) / 2);
}

/* Fills values with b_eff of all triples, or of 2000 drawn ones; returns how many. */
static size_t all_triples(const struct sweeps *sweeps, const double *best, int n, uint64_t seed,
                          double *values)
{
    size_t count = 0;
    if ((int64_t)n * (n - 1) * (n - 2) / 6 <= RATING_MOST_TRIPLES) {
        for (int a = 0; a < n; a++)
            for (int b = a + 1; b < n; b++)
                for (int c = b + 1; c < n; c++)
                    values[count++] = triple_b_eff(sweeps, best, (int[]){a, b, c});
        return count;
    }
    struct random_stream random;
    random_start(&random, seed, 0); /* stream 0: the polygons have 1, 2, ... */
    while (count < RATING_MOST_TRIPLES) {
        int triple[3];
        for (int i = 0; i < 3; i++)
            triple[i] = (int)random_below(&random, (uint64_t)n);
        if (triple[0] != triple[1] && triple[0] != triple[2] && triple[1] != triple[2])
            values[count++] = triple_b_eff(sweeps, best, triple);
    }
    return count;
}

static int make_interval(struct rating *rating, const struct sweeps *sweeps, uint64_t seed)
{
    rating->interval[0] = rating->interval[1] = NAN;
    for (int i = 0; i < sweeps->count; i++)
        rating->complete_sweeps += sweeps->sweep[i].complete;
    if (rating->complete_sweeps < RATING_INTERVAL_SWEEPS)
        return 0;
    size_t stride = (size_t)sweeps->list->count * BEFF_SIZES;
    double *best = malloc((size_t)rating->complete_sweeps * stride * sizeof *best);
    double *values = malloc(RATING_MOST_TRIPLES * sizeof *values);
    if (best && values) {
        int n = 0;
        for (int i = 0; i < sweeps->count; i++) {
            if (!sweeps->sweep[i].complete)
                continue;
            struct selection one = {sweeps, &i, 1};
            for (int p = 0; p < sweeps->list->count; p++)
                for (int s = 0; s < BEFF_SIZES; s++)
                    best[(size_t)n * stride + (size_t)p * BEFF_SIZES + (size_t)s] =
                        best_of(&one, p, METHODS, s);
            n++;
        }
        size_t count = all_triples(sweeps, best, n, seed, values);
        rating->interval[0] = stats_quantile(values, count, 0.025);
        rating->interval[1] = stats_quantile(values, count, 0.975);
    }
    int failed = !best || !values;
    free(best);
    free(values);
    return failed ? -1 : 0;
}

int rating_make(struct rating *rating, const struct sweeps *sweeps, uint64_t seed)
{
    *rating = (struct rating){.whole = count_whole(sweeps)};
    rating->passes = rating->whole ? rating->whole : sweeps->count > 0;
    if (summarise(rating, sweeps) || make_interval(rating, sweeps, seed))
        return -1;
    if (isnan(rating->figures.b_eff))
        name_missing(rating, sweeps);
    return 0;
}

void rating_free(struct rating *rating)
{
    free(rating->pass_b_eff);
    *rating = (struct rating){0};
}
