#include "beff/sweep.h"

#include <limits.h>
#include <math.h>

/* Number of the random stream (common/random.h) of the first order. Streams 1, 2, ... draw the polygons. */
enum { ORDER_STREAM = 1000000 };

/* Minimum number of records before Alltoallv counts as slow: one disturbed measurement has no effect. */
enum { SLOW_PATTERNS = 12 };

int sweep_of(const struct pattern_list *list, int64_t pass, int64_t rep, int pattern)
{
    const struct pattern *p = &list->patterns[pattern];
    if (!p->rated && !p->sendrecv_only)
        return SWEEP_ANALYSIS;
    if (pass == 1 && rep == 1)
        return p->kind == PATTERN_RANDOM && p->number > patterns_opening(list) ? SWEEP_POLYGONS
                                                                               : SWEEP_OPENING;
    return (int)(pass == 1 ? rep : SWEEP_NEXT + SWEEP_REPETITIONS * (pass - 2) + rep - 1);
}

int sweep_pass(int sweep)
{
    return sweep < SWEEP_NEXT ? 1 : 2 + (sweep - SWEEP_NEXT) / SWEEP_REPETITIONS;
}

int sweep_rep(int sweep)
{
    if (sweep >= SWEEP_NEXT)
        return 1 + (sweep - SWEEP_NEXT) % SWEEP_REPETITIONS;
    return sweep == SWEEP_SECOND || sweep == SWEEP_THIRD ? sweep : 1;
}

void sweep_draw(const struct pattern_list *list, int sweep, int size, uint32_t *order)
{
    struct random_stream random;
    for (int p = 0; p < list->count; p++)
        order[p] = (uint32_t)p;
    random_start(&random, list->seed, ORDER_STREAM + (uint64_t)sweep * BEFF_SIZES + (uint64_t)size);
    random_shuffle(&random, order, (size_t)list->count);
}

bool sweep_has(const struct pattern_list *list, int sweep, int polygons, const bool *wanted, int pattern)
{
    const struct pattern *p = &list->patterns[pattern];
    bool measured = p->sendrecv_only              ? sweep_pass(sweep) == 1
                    : p->kind == PATTERN_ANALYSIS ? wanted[pattern]
                                                  : p->kind == PATTERN_RING || p->number <= polygons;
    return measured && sweep_of(list, sweep_pass(sweep), sweep_rep(sweep), pattern) == sweep;
}

void rules_make(struct rules *rules, const struct pattern_list *list)
{
    *rules = (struct rules){.list = list, .largest_from = INT_MAX};
}

/* Compares the shortest Alltoallv iteration up to this size, because a larger transfer is not faster. */
bool rules_slow(const struct rules *rules, int size, double best)
{
    double shortest = INFINITY;
    for (int s = 0; s <= size; s++)
        if (rules->alltoallv[s] > 0)
            shortest = fmin(shortest, rules->alltoallv[s]);
    return rules->patterns >= SLOW_PATTERNS && isfinite(shortest) && shortest > SWEEP_SLOW * best;
}

bool rules_take(struct rules *rules, int sweep, int pattern, enum method method, int size)
{
    const struct pattern *p = &rules->list->patterns[pattern];
    int large = size - SWEEP_LARGEST;
    if (method == METHOD_SENDRECV)
        rules->best = INFINITY;
    if (p->sendrecv_only)
        return method == METHOD_SENDRECV;
    if (rules->list->skipped >> method & 1)
        return false;
    if (p->kind != PATTERN_ANALYSIS && large >= 0 && sweep >= rules->largest_from) {
        const struct pattern *like = p->rated ? p : &rules->list->patterns[BEFF_RING_PATTERNS];
        const double(*opening)[2] = rules->opening[like->class];
        int best = METHODS;
        for (int m = 0; m < METHODS; m++)
            if (opening[m][large] > 0 && (best == METHODS || opening[m][large] < opening[best][large]))
                best = m;
        return (int)method == best && !(size == BEFF_SIZES - 1 && sweep_rep(sweep) == SWEEP_REPETITIONS);
    }
    bool slow = method == METHOD_ALLTOALLV && rules_slow(rules, size, rules->best);
    rules->skipped += slow;
    return !slow;
}

static void learn(double *shortest, double one)
{
    *shortest = *shortest > 0 ? fmin(*shortest, one) : one;
}

void rules_learn(struct rules *rules, int sweep, int pattern, enum method method, int size, double one)
{
    const struct pattern *p = &rules->list->patterns[pattern];
    rules->best = fmin(rules->best, one);
    if (sweep == SWEEP_OPENING && size >= SWEEP_LARGEST)
        learn(&rules->opening[p->class][method][size - SWEEP_LARGEST], one);
    if (method == METHOD_ALLTOALLV) {
        learn(&rules->alltoallv[size], one);
        rules->patterns += p->rated;
    }
}
