#include "beff/estimates.h"

#include <math.h>

#include "common/stats.h"

/* The overheads are counted in bins of 2 %, starting at 0.1 microseconds, so that memory does not grow. */
#define BIN_MIN   1e-7
#define BIN_RATIO 1.02

/* MAX_LOOPS limits the loops without --max-loops, because MPI counts are `int`. The time per byte is the
 * minimum over the last STEPS steps in size. */
enum { MAX_LOOPS = 1000000000, STEPS = 8 };

void estimates_make(struct estimates *e, const struct pattern_list *list, const struct rules *rules,
                    int64_t max_loops, bool once)
{
    *e = (struct estimates){.list = list, .rules = rules, .target = ESTIMATES_TARGET, .once = once};
    e->max_loops = max_loops ? max_loops : MAX_LOOPS;
}

double estimates_target(double time, const struct pattern_list *list)
{
    int methods = METHODS - __builtin_popcount(list->skipped);
    int measurements = BEFF_SIZES * (methods * (BEFF_RING_PATTERNS + patterns_opening(list)) + 1);
    return fmin(fmax(time / 4 / measurements - 1.3e-3, ESTIMATES_MIN), ESTIMATES_TARGET);
}

/* ---- what was measured ---- */

static void note(struct seconds sizes[BEFF_SIZES], int size, double one)
{
    sizes[size].last = one;
    for (int s = 0; s <= size; s++)
        sizes[s].shortest = sizes[s].shortest > 0 ? fmin(sizes[s].shortest, one) : one;
}

void estimates_learn(struct estimates *e, const struct command *command, double seconds, double wall)
{
    double one = seconds / (double)command->loops;
    double overhead = wall - one * (double)(command->loops + command->untimed);
    double bin = log(fmax(overhead, BIN_MIN) / BIN_MIN) / log(BIN_RATIO);
    const struct pattern *pattern = &e->list->patterns[command->pattern];
    note(e->of[pattern->class][command->method], command->size, one);
    if (pattern->rated) /* other patterns load the machine less: a ping-pong uses only one pair */
        note(e->rated[command->method], command->size, one);
    e->bins[(int)fmin(bin, ESTIMATES_BINS - 1)]++;
    e->measurements++;
}

void estimates_settle(struct estimates *e)
{
    int bin = 0;
    for (int64_t below = e->bins[0]; 2 * below < e->measurements; below += e->bins[bin])
        bin++;
    if (e->measurements)
        e->overhead = BIN_MIN * pow(BIN_RATIO, bin + 0.5);
}

double estimates_last(const struct estimates *e, int pattern, enum method method, int size)
{
    const struct seconds *own = e->of[e->list->patterns[pattern].class][method], *rated = e->rated[method];
    const struct seconds *polygons = e->of[e->list->patterns[BEFF_RING_PATTERNS].class][method];
    double before = size ? own[size - 1].last : e->target;
    double other = polygons[size].last > 0 ? polygons[size].last : rated[size].last;
    if (own[size].last > 0)
        return own[size].last;
    if (other > 0)
        return fmax(other, before / ESTIMATES_FASTER);
    return size == 0 ? 0 : before > 0 ? before : rated[size - 1].last;
}

static double measured(const struct estimates *e, const struct pattern *pattern, enum method method, int size)
{
    int polygons = e->list->patterns[BEFF_RING_PATTERNS].class;
    const struct seconds *own = &e->of[pattern->class][method][size];
    const struct seconds *other = &e->of[polygons][method][size], *rated = &e->rated[method][size];
    if (own->last > 0)
        return own->shortest;
    return pattern->axes * (other->last > 0 ? other->shortest : rated->last > 0 ? rated->shortest : 0);
}

/* Returns the seconds of one iteration from which costs follow: the shortest iteration of this class and
 * method, at this size or a larger size. If that was not measured, the result is the polygons' time
 * multiplied by the pattern's number of directions. If that is also unknown, the result is the time at the
 * next smaller size for which a time is known; if it exceeds the target, the time of the additional bytes is
 * added. The time per byte is the minimum over the last steps in size, because noise increases only some of
 * them, but a slow link increases all. Returns 0 if nothing is known. */
static double shortest_of(const struct estimates *e, int pattern, enum method method, int size)
{
    const struct pattern *p = &e->list->patterns[pattern];
    const int64_t *bytes = e->list->sizes;
    int s = size;
    while (s > 0 && !(measured(e, p, method, s) > 0))
        s--;
    double one = measured(e, p, method, s), per_byte = s < STEPS ? 0 : INFINITY;
    for (int i = s; i > s - STEPS && s >= STEPS; i--)
        per_byte = fmin(per_byte, (measured(e, p, method, i) - measured(e, p, method, i - 1)) /
                                      (double)(bytes[i] - bytes[i - 1]));
    if (s < size && one > e->target)
        one += per_byte * (double)(bytes[size] - bytes[s]);
    return one;
}

/* ---- one measurement ---- */

int64_t estimates_loops(const struct estimates *e, double one)
{
    double loops = one > 0 ? floor(e->target / one) : 1;
    if (one > 0 && loops * one < ESTIMATES_WINDOW / ESTIMATES_TARGET * e->target)
        loops++;
    return (int64_t)fmin(loops, (double)e->max_loops);
}

int64_t estimates_untimed(const struct estimates *e, double one)
{
    if (e->once || !(one > 0) || one > ESTIMATES_LONG)
        return 0;
    return (int64_t)fmin(fmax(ceil(ESTIMATES_UNTIMED / one), 1), MAX_LOOPS);
}

double estimates_again(double one, double seconds, int64_t loops, double tick)
{
    return seconds < 0 ? one : fmax(fmax(seconds, tick) / (double)loops, one / ESTIMATES_FASTER);
}

double estimates_cost(const struct estimates *e, double one)
{
    if (!(one > 0))
        return e->overhead + e->target + ESTIMATES_UNTIMED;
    return e->overhead + one * (double)(estimates_loops(e, one) + estimates_untimed(e, one));
}

/* ---- cells, patterns, repetitions ---- */

double estimates_cell(const struct estimates *e, int sweep, int pattern, int size, bool shortened)
{
    const struct pattern *p = &e->list->patterns[pattern];
    bool one_method =
        shortened && p->kind != PATTERN_ANALYSIS && sweep != SWEEP_OPENING && size >= SWEEP_LARGEST;
    double best = INFINITY, cost = 0;
    if (p->sendrecv_only)
        return estimates_cost(e, shortest_of(e, pattern, METHOD_SENDRECV, size));
    if (one_method && size == BEFF_SIZES - 1 && sweep_rep(sweep) == SWEEP_REPETITIONS)
        return 0;
    for (int m = 0; m < METHODS; m++) { /* Alltoallv comes last */
        double one = shortest_of(e, pattern, (enum method)m, size);
        bool known = best > 0 && isfinite(best);
        bool slow =
            m == METHOD_ALLTOALLV && !one_method && e->rules && known && rules_slow(e->rules, size, best);
        if (slow || e->list->skipped >> m & 1)
            continue;
        best = fmin(best, one);
        cost += estimates_cost(e, one);
    }
    return one_method ? estimates_cost(e, best) : cost;
}

double estimates_pattern(const struct estimates *e, int sweep, int pattern, bool shortened)
{
    double cost = 0;
    for (int s = 0; s < BEFF_SIZES; s++)
        cost += estimates_cell(e, sweep, pattern, s, shortened);
    return cost;
}

/* The first polygon stands for all polygons, because they are one class. Ping-pong belongs to the repetitions
 * of pass 1. */
double estimates_sweep(const struct estimates *e, int sweep, int polygons, bool shortened)
{
    int opening = patterns_opening(e->list);
    int count = sweep == SWEEP_OPENING ? opening : sweep == SWEEP_POLYGONS ? polygons - opening : polygons;
    double cost = count * estimates_pattern(e, sweep, BEFF_RING_PATTERNS, shortened);
    for (int p = 0; p < BEFF_RING_PATTERNS && sweep != SWEEP_POLYGONS; p++)
        cost += estimates_pattern(e, sweep, p, shortened);
    if (sweep_pass(sweep) == 1 && sweep != SWEEP_POLYGONS)
        cost += estimates_pattern(e, sweep, pattern_find(e->list, "pingpong"), shortened);
    return cost;
}

int estimates_last_sweep(const struct estimates *e)
{
    return e->once ? SWEEP_POLYGONS : SWEEP_THIRD;
}

double estimates_pass(const struct estimates *e, int sweep, int polygons, bool shortened)
{
    double cost = 0;
    for (; sweep <= estimates_last_sweep(e); sweep++)
        cost += estimates_sweep(e, sweep, polygons, shortened);
    return cost;
}

double estimates_analysis(const struct estimates *e)
{
    double cost = 0;
    for (int p = 0; p < e->list->count; p++)
        if (!e->list->patterns[p].rated && !e->list->patterns[p].sendrecv_only)
            cost += estimates_pattern(e, SWEEP_ANALYSIS, p, false);
    return cost;
}

double estimates_run(const struct estimates *e)
{
    struct estimates full = *e;
    full.target = ESTIMATES_TARGET;
    return estimates_pass(&full, SWEEP_OPENING, e->list->polygons, true) + estimates_analysis(&full);
}

double estimates_time(double seconds)
{
    return ceil(1.05 * seconds);
}

/* ---- links of a given speed ---- */

/* Besides its transfers, a measurement needs messages for the command, the barriers and the result. This is
 * the number of successive messages for each doubling of the number of nodes. */
#define AGREEMENT_STEPS 4
/* Overhead of a measurement on one node in seconds, as observed on several machines. */
#define AGREEMENT_SECONDS 50e-6
/* Minimum duration of an iteration within a node. */
#define MIN_ITERATION 1e-6

/* Looks only at the nodes at the ends and in the middle, because the patterns are regular. For polygons, the
 * result is the mean. */
double forecast_leaving(const struct pattern *pattern, int64_t per_node)
{
    double processes = (double)pattern->processes, share = (double)per_node;
    if (per_node >= pattern->processes)
        return 0;
    if (pattern->kind == PATTERN_RANDOM)
        return (double)pattern->messages / processes * share * (processes - share) / (processes - 1);
    int64_t last = (pattern->processes - 1) / per_node, nodes[] = {0, 1, last / 2, last};
    double max = 0;
    for (int i = 0; i < 4; i++) {
        double leaving = 0;
        int64_t first = nodes[i] * per_node;
        for (int64_t rank = first; rank < first + per_node && rank < pattern->processes; rank++) {
            struct neighbours n;
            pattern_neighbours(pattern, rank, &n);
            leaving += neighbours_leaving(&n, rank, NULL, per_node);
        }
        max = fmax(max, leaving);
    }
    return max;
}

/* Sendrecv makes one exchange after another; in a pair, one process answers the other. */
double forecast_iteration(const struct pattern_list *list, const struct links *links, int pattern,
                          double leaving, enum method method, int size)
{
    const struct pattern *p = &list->patterns[pattern];
    bool pairs = p->rings.rings == 0 && p->grid.dimensions == 0;
    double exchanges = pairs ? 2 : ceil((double)p->messages / (double)list->processes);
    double transfer = leaving * (double)list->sizes[size] / links->link;
    double latency = (method == METHOD_SENDRECV ? exchanges : 1) * links->latency;
    transfer *= pairs && method == METHOD_SENDRECV ? 2 : 1;
    return fmax(leaving > 0 ? latency + transfer : 0, MIN_ITERATION);
}

/* Returns b_eff if every message has a link of its own: the definition, with the time of each message. */
static double forecast_b_eff(const struct pattern_list *list, const struct links *links)
{
    double mean[BEFF_RING_PATTERNS + 1] = {0}; /* the last one is the first polygon, which stands for all */
    if (!links || links->processes_per_node > 1)
        return NAN;
    for (int i = 0; i < (BEFF_RING_PATTERNS + 1) * BEFF_SIZES; i++) {
        int p = i / BEFF_SIZES, s = i % BEFF_SIZES;
        const struct pattern *pattern = &list->patterns[p];
        double leaving = forecast_leaving(pattern, 1), one = INFINITY;
        for (int m = 0; m < METHODS; m++)
            if (!(list->skipped >> m & 1))
                one = fmin(one, forecast_iteration(list, links, p, leaving, (enum method)m, s));
        mean[p] += (double)(pattern->messages * list->sizes[s]) / one / BEFF_SIZES / 1e6;
    }
    return sqrt(stats_logavg(mean, BEFF_RING_PATTERNS) * mean[BEFF_RING_PATTERNS]);
}

struct forecast forecast_make(const struct pattern_list *list, const struct links *links, int64_t max_loops)
{
    struct estimates e;
    estimates_make(&e, list, NULL, max_loops, false);
    for (int p = 0; links && p < list->count; p++) {
        double nodes = ceil((double)list->processes / (double)links->processes_per_node);
        double overhead = AGREEMENT_SECONDS + AGREEMENT_STEPS * ceil(log2(nodes)) * links->latency;
        if (list->patterns[p].kind == PATTERN_RANDOM && list->patterns[p].number > 1)
            continue; /* the first polygon stands for all */
        double leaving = forecast_leaving(&list->patterns[p], links->processes_per_node);
        for (int i = 0; i < METHODS * BEFF_SIZES; i++) {
            struct command command = {p, (enum method)(i % METHODS), i / METHODS, 1, 0};
            double one = forecast_iteration(list, links, p, leaving, command.method, command.size);
            estimates_learn(&e, &command, one, one + overhead);
        }
    }
    estimates_settle(&e);
    return (struct forecast){forecast_b_eff(list, links),
                             estimates_pass(&e, SWEEP_OPENING, list->polygons, false), estimates_run(&e)};
}
