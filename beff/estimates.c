/* The estimates. Uses patterns. */
#include "beff/estimates.h"

#include <math.h>
#include <stdlib.h>

/* The overheads are counted in bins of 2 % from 0.1 microseconds on, so that a run of days has its median. */
#define BIN_LEAST 1e-7
#define BIN_RATIO 1.02

/* Without --max-loops; counts of MPI are `int`. */
enum { MOST_LOOPS = 1000000000 };

int estimates_make(struct estimates *e, const struct pattern_list *list, int64_t max_loops)
{
    *e = (struct estimates){.list = list, .target = ESTIMATES_TARGET};
    e->max_loops = max_loops ? max_loops : MOST_LOOPS;
    e->of = calloc((size_t)list->classes, sizeof *e->of);
    return e->of ? 0 : -1;
}

void estimates_free(struct estimates *e)
{
    free(e->of);
}

double estimates_target(double time, int64_t measurements)
{
    return fmin(fmax(time / 4 / (double)measurements - 1.3e-3, ESTIMATES_LEAST), ESTIMATES_TARGET);
}

/* ---- what was measured ---- */

static void note(struct seconds *seconds, double one)
{
    seconds->shortest = seconds->shortest > 0 ? fmin(seconds->shortest, one) : one;
    seconds->last = one;
}

void estimates_learn(struct estimates *e, const struct command *command, double seconds, double wall)
{
    double one = seconds / (double)command->loops;
    double beside = wall - one * (double)(command->loops + command->untimed);
    double bin = log(fmax(beside, BIN_LEAST) / BIN_LEAST) / log(BIN_RATIO);
    note(&e->of[e->list->patterns[command->pattern].class][command->method][command->size], one);
    note(&e->any[command->method][command->size], one);
    e->bins[(int)fmin(bin, ESTIMATES_BINS - 1)]++;
    e->measurements++;
}

void estimates_settle(struct estimates *e)
{
    int bin = 0;
    for (int64_t below = e->bins[0]; 2 * below < e->measurements; below += e->bins[bin])
        bin++;
    if (e->measurements)
        e->overhead = BIN_LEAST * pow(BIN_RATIO, bin + 0.5);
}

double estimates_last(const struct estimates *e, int pattern, enum method method, int size)
{
    const struct seconds(*own)[BEFF_SIZES] = e->of[e->list->patterns[pattern].class];
    for (int s = size; s >= 0 && s >= size - 1; s--) {
        if (own[method][s].last > 0)
            return own[method][s].last;
        if (e->any[method][s].last > 0)
            return e->any[method][s].last;
    }
    return 0;
}

/* A transfer does not become faster by growing: what a larger size took is no less, however a disturbance
 * spoiled the only measurement at this one. */
static double shortest_from(const struct seconds sizes[BEFF_SIZES], int size)
{
    double shortest = sizes[size].shortest;
    for (int s = size + 1; s < BEFF_SIZES && shortest > 0; s++)
        if (sizes[s].shortest > 0)
            shortest = fmin(shortest, sizes[s].shortest);
    return shortest;
}

static double measured(const struct estimates *e, const struct pattern *pattern, enum method method, int size)
{
    int polygons = e->list->patterns[BEFF_RING_PATTERNS].class;
    double own = shortest_from(e->of[pattern->class][method], size);
    double other = shortest_from(e->of[polygons][method], size);
    if (own > 0)
        return own;
    return pattern->axes * (other > 0 ? other : e->any[method][size].shortest);
}

double estimates_shortest(const struct estimates *e, int pattern, enum method method, int size)
{
    double one = 0;
    for (int s = size; s >= 0 && !(one > 0); s--)
        one = measured(e, &e->list->patterns[pattern], method, s);
    return one;
}

/* ---- one measurement ---- */

int64_t estimates_loops(const struct estimates *e, double one)
{
    double loops = floor(e->target / one);
    if (loops * one < ESTIMATES_WINDOW / ESTIMATES_TARGET * e->target)
        loops++;
    return (int64_t)fmin(loops, (double)e->max_loops);
}

int64_t estimates_untimed(const struct estimates *e, double one)
{
    if (e->once || one > ESTIMATES_LONG)
        return 0;
    return (int64_t)fmin(fmax(ceil(ESTIMATES_UNTIMED / one), 1), MOST_LOOPS);
}

double estimates_cost(const struct estimates *e, double one)
{
    if (!(one > 0))
        return e->overhead + e->target + ESTIMATES_UNTIMED;
    return e->overhead + one * (double)(estimates_loops(e, one) + estimates_untimed(e, one));
}

/* ---- cells, patterns, repetitions ---- */

/* Shortest of Alltoallv up to a size, all patterns. */
static double alltoallv_up_to(const struct estimates *e, int size)
{
    double shortest = INFINITY;
    for (int s = 0; s <= size; s++)
        if (e->any[METHOD_ALLTOALLV][s].shortest > 0)
            shortest = fmin(shortest, e->any[METHOD_ALLTOALLV][s].shortest);
    return shortest;
}

double estimates_cell(const struct estimates *e, int pattern, int size, struct shortened shortened)
{
    const struct pattern *p = &e->list->patterns[pattern];
    double one[METHODS], best = INFINITY, cost = 0;
    for (int m = 0; m < METHODS; m++)
        one[m] = estimates_shortest(e, pattern, (enum method)m, size);
    if (p->sendrecv_only)
        return estimates_cost(e, one[METHOD_SENDRECV]);
    if (shortened.largest && p->rated && size >= SWEEP_LARGEST) {
        bool left_out = shortened.rep == SWEEP_REPETITIONS && size == BEFF_SIZES - 1;
        return left_out ? 0 : estimates_cost(e, fmin(fmin(one[0], one[1]), one[2]));
    }
    for (int m = 0; m < METHODS; m++) {
        best = m == METHOD_ALLTOALLV ? best : fmin(best, one[m]);
        cost += m == METHOD_ALLTOALLV ? 0 : estimates_cost(e, one[m]);
    }
    bool slow =
        best > 0 && isfinite(alltoallv_up_to(e, size)) && alltoallv_up_to(e, size) > SWEEP_SLOW * best;
    return slow ? cost : cost + estimates_cost(e, one[METHOD_ALLTOALLV]);
}

double estimates_pattern(const struct estimates *e, int pattern, struct shortened shortened)
{
    double cost = 0;
    for (int s = 0; s < BEFF_SIZES; s++)
        cost += estimates_cell(e, pattern, s, shortened);
    return cost;
}

/* The first polygon stands for all: they are of one class. */
double estimates_sweep(const struct estimates *e, bool rings, int polygons, struct shortened shortened)
{
    double cost = polygons * estimates_pattern(e, BEFF_RING_PATTERNS, shortened);
    for (int p = 0; rings && p < BEFF_RING_PATTERNS; p++)
        cost += estimates_pattern(e, p, shortened);
    return cost;
}

int estimates_repetitions(const struct estimates *e)
{
    return e->once ? 1 : SWEEP_REPETITIONS;
}

double estimates_pass(const struct estimates *e, int rep, int polygons, bool largest)
{
    int others = polygons - patterns_opening(e->list);
    struct shortened shortened = {largest, 1};
    double cost = rep == 1 ? estimates_sweep(e, false, others, shortened) : 0;
    for (shortened.rep = rep == 1 ? 2 : rep; shortened.rep <= estimates_repetitions(e); shortened.rep++)
        cost += estimates_sweep(e, true, polygons, shortened);
    return cost;
}

double estimates_analysis(const struct estimates *e)
{
    double cost = 0;
    for (int p = 0; p < e->list->count; p++)
        if (!e->list->patterns[p].rated)
            cost += estimates_pattern(e, p, (struct shortened){false, 1});
    return cost;
}

double estimates_run(const struct estimates *e)
{
    struct estimates full = *e;
    full.target = ESTIMATES_TARGET;
    return estimates_sweep(&full, true, patterns_opening(e->list), (struct shortened){false, 1}) +
           estimates_pass(&full, 1, e->list->polygons, true) + estimates_analysis(&full);
}

double estimates_time(double seconds)
{
    return ceil(1.05 * seconds);
}
