/* The time plan. Uses patterns, record, tuning. */
#include "beff/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int schedule_make(struct schedule *schedule, const struct pattern_list *list)
{
    size_t classes = (size_t)list->classes;
    *schedule = (struct schedule){.list = list, .most_loops = INT64_MAX, .last_compared = -1};
    for (int p = 0; p < list->count; p++)
        schedule->all_polygons += list->patterns[p].kind == PATTERN_RANDOM;
    schedule->polygons = schedule->all_polygons;
    schedule->estimate = calloc(classes, sizeof *schedule->estimate);
    schedule->costs = calloc(classes, sizeof *schedule->costs);
    schedule->rest = calloc(classes, sizeof *schedule->rest);
    if (!schedule->estimate || !schedule->costs || !schedule->rest)
        return -1;
    for (int p = 0; p < list->count; p++)
        schedule->estimate[list->patterns[p].class].axes = list->patterns[p].axes;
    return 0;
}

void schedule_free(struct schedule *schedule)
{
    free(schedule->estimate);
    free(schedule->costs);
    free(schedule->rest);
    *schedule = (struct schedule){0};
}

/* ---- estimates ---- */

/* Bytes per second that a process sends. */
static double speed_of(const struct schedule *schedule, int pattern, int size, double seconds_of_one)
{
    const struct pattern_list *list = schedule->list;
    double bytes = (double)list->sizes[size] * (double)list->patterns[pattern].messages;
    return bytes / (double)list->processes / seconds_of_one;
}

void schedule_probe(struct schedule *schedule, enum method method, const int *sizes, const double *seconds,
                    int known)
{
    const int64_t *bytes = schedule->list->sizes;
    double *probe = schedule->probe[method];
    for (int s = 0, k = 0; s < BEFF_SIZES; s++) {
        while (k + 1 < known && sizes[k + 1] <= s)
            k++;
        double from = (double)bytes[sizes[k]], here = (double)bytes[s];
        if (sizes[k] == s || s < sizes[k])
            probe[s] = seconds[k];
        else if (k + 1 == known)
            probe[s] = seconds[k] * here / from;
        else
            probe[s] = seconds[k] * pow(seconds[k + 1] / seconds[k],
                                        log(here / from) / log((double)bytes[sizes[k + 1]] / from));
    }
    int largest = sizes[known - 1];
    double speed = speed_of(schedule, BEFF_RING_PATTERNS - 1, largest, probe[largest]);
    schedule->sustained = fmax(schedule->sustained, speed);
    for (int class = 0; class < schedule->list->classes; class ++)
        for (int s = 0; s < BEFF_SIZES; s++)
            schedule->estimate[class].iteration[method][s] = probe[s] * schedule->estimate[class].axes;
}

/* What a process sends, relative to what it sustains with large messages: above 1 a buffer lends the rest, or
 * the pattern's path is faster. */
static double relative_speed(const struct schedule *schedule, int pattern, int size, double seconds_of_one)
{
    return speed_of(schedule, pattern, size, seconds_of_one) / schedule->sustained;
}

/* Seconds of untimed iterations that use up what a buffer lends. */
static double long_warm(const struct schedule *schedule)
{
    double needed = TUNING_BUFFER / (TUNING_EXCESS * schedule->sustained);
    return fmin(fmax(needed, TUNING_WARM), TUNING_LONG_WARM);
}

/* Moves an estimate towards a new value by the `weight`th part of their ratio. */
static void learn(double *estimate, double value, int weight)
{
    if (weight == 1)
        *estimate = value;
    else
        *estimate *= pow(fmin(fmax(value / *estimate, 1 / TUNING_MOST_STEP), TUNING_MOST_STEP), 1.0 / weight);
}

/* What this size showed about the class, compared with the probe, holds for the larger ones, too, as long as
 * they are not measured; what is slower, less for each further one. */
static void carry_on(struct schedule *schedule, struct estimates *e, enum method method, int size)
{
    const double *probe = schedule->probe[method];
    double excess = log(e->iteration[method][size] / (probe[size] * e->axes));
    for (int s = size + 1; s < BEFF_SIZES && e->fastest[method][s] == 0 && probe[size] > 0; s++) {
        excess *= excess > 0 ? TUNING_CARRIED : 1;
        e->iteration[method][s] = probe[s] * e->axes * exp(excess);
    }
}

void schedule_learn(struct schedule *schedule, int pattern, enum method method, int size, int64_t loops,
                    int64_t warmup, double seconds, double wall)
{
    struct estimates *e = &schedule->estimate[schedule->list->patterns[pattern].class];
    double one = seconds / (double)loops, *fastest = &e->fastest[method][size];
    learn(&e->iteration[method][size], one, *fastest > 0 ? TUNING_CELL_WEIGHT : 1);
    *fastest = *fastest > 0 ? fmin(*fastest, one) : one;
    carry_on(schedule, e, method, size);
    schedule->speed = relative_speed(schedule, pattern, size, one);
    /* As exact as untimed iterations are known: where a buffer let them through faster, or a single one took
     * longer than the timed one, nothing is known of it. */
    double warm = one * (double)warmup, outside = wall - seconds - warm;
    if (warm < 2 * TUNING_WARM && outside > 0)
        learn(&schedule->overhead, outside, schedule->overhead > 0 ? TUNING_OVERHEAD_WEIGHT : 1);
}

void schedule_compare(struct schedule *schedule, int size, const double seconds[METHODS])
{
    int polygon = schedule->list->patterns[BEFF_RING_PATTERNS].class;
    double taken[METHODS], best = INFINITY;
    for (int m = 0; m < METHODS; m++) {
        taken[m] = seconds[m] > 0 ? seconds[m] : schedule->estimate[polygon].iteration[m][size];
        best = fmin(best, taken[m]);
    }
    int last = schedule->compared[size] ? size : schedule->last_compared;
    for (int m = 0; m < METHODS; m++) {
        double before = last < 0 ? 0 : schedule->lag[last][m];
        schedule->lag[size][m] = before + TUNING_COMPARE_WEIGHT * (log(taken[m] / best) - before);
    }
    schedule->compared[size] = true;
    schedule->last_compared = size;
}

static bool has_all_methods(const struct estimates *e, int size)
{
    bool all = true;
    for (int m = 0; m < METHODS; m++)
        all &= e->fastest[m][size] > 0;
    return all;
}

enum method schedule_best(const struct schedule *schedule, int pattern, int size)
{
    const struct pattern *p = &schedule->list->patterns[pattern];
    const struct estimates *e = &schedule->estimate[p->class];
    double least = INFINITY;
    enum method best = METHOD_SENDRECV;
    int compared = schedule->compared[size] ? size : schedule->last_compared;
    bool own = has_all_methods(e, size);
    for (int m = 0; m < METHODS && !p->sendrecv_only; m++) {
        double cost = own             ? e->fastest[m][size]
                      : compared >= 0 ? schedule->lag[compared][m]
                                      : e->iteration[m][size];
        if (cost < least) {
            least = cost;
            best = (enum method)m;
        }
    }
    return best;
}

/* Bytes per second that a process sends by the fastest method, as measured; 0: not measured. */
static double best_speed(const struct schedule *schedule, int pattern, int size)
{
    const double(*fastest)[BEFF_SIZES] = schedule->estimate[schedule->list->patterns[pattern].class].fastest;
    double best = 0;
    for (int m = 0; m < METHODS; m++)
        if (fastest[m][size] > 0)
            best = fmax(best, speed_of(schedule, pattern, size, fastest[m][size]));
    return best;
}

static bool compares(const struct schedule *schedule, int pattern, int size)
{
    const struct pattern *p = &schedule->list->patterns[pattern];
    if (p->kind == PATTERN_RANDOM)
        return !schedule->compared[size];
    if (size == 0 || has_all_methods(&schedule->estimate[p->class], size))
        return false;
    double polygons = best_speed(schedule, BEFF_RING_PATTERNS, size - 1);
    return polygons > 0 && best_speed(schedule, pattern, size - 1) > TUNING_OTHER_PATH * polygons;
}

bool schedule_takes_all(const struct schedule *schedule, const struct reduction *reduction, int pattern,
                        int size)
{
    return size < reduction->methods_from || (reduction->compare && compares(schedule, pattern, size));
}

/* ---- dominated methods ---- */

bool schedule_dominates(double best, double seconds)
{
    return seconds > SCHEDULE_DOMINATED * best && seconds > 2 * SCHEDULE_WINDOW;
}

bool schedule_is_dominated(struct schedule *schedule, int pattern, enum method method, int size, double best,
                           bool *decided)
{
    struct estimates *e = &schedule->estimate[schedule->list->patterns[pattern].class];
    enum domination *domination = &e->domination[method][size];
    *decided = *domination == DOMINATION_OPEN;
    if (*decided) {
        *domination = DOMINATION_NONE;
        for (int s = 0; s < size; s++)
            if (schedule_dominates(best, e->fastest[method][s]))
                *domination = DOMINATION_LEFT_OUT;
    }
    return *domination == DOMINATION_LEFT_OUT;
}

/* ---- costs ---- */

int64_t schedule_warmup(double seconds_of_one, double seconds)
{
    if (!(seconds_of_one > 0))
        return 1; /* nothing is known */
    return seconds_of_one > SCHEDULE_COLD ? 0 : (int64_t)ceil(fmin(seconds / seconds_of_one, 1e15));
}

int64_t schedule_loops(const struct schedule *schedule, double seconds_of_one, double target)
{
    double least = fmax(target, TUNING_TICKS * schedule->resolution);
    if (!(seconds_of_one > 0))
        return 1; /* nothing is known */
    double loops = fmax(floor(least / seconds_of_one), 1);
    /* Rounded down it may be too short by nearly a half, where an iteration takes a millisecond or two. */
    bool twice = seconds_of_one > SCHEDULE_TWICE && seconds_of_one <= SCHEDULE_TOGETHER;
    if (twice || loops * seconds_of_one < fmax(SCHEDULE_WINDOW / TUNING_TARGET * least, SCHEDULE_LEAST))
        loops++;
    if (loops >= (double)schedule->most_loops)
        return schedule->most_loops;
    return (int64_t)loops;
}

void schedule_start_size(struct schedule *schedule)
{
    schedule->speed = schedule->suspect = 0;
}

double schedule_warm(struct schedule *schedule, int pattern, int size, double seconds_of_one)
{
    double speed = relative_speed(schedule, pattern, size, seconds_of_one);
    if (speed < TUNING_NEAR)
        return TUNING_WARM;
    if (schedule->speed < TUNING_SLOWER)
        schedule->suspect = METHODS;
    bool longer = schedule->suspect > 0 && schedule->suspect--;
    /* By bytes, not by the estimate: that may owe its speed to the buffer. */
    return longer ? fmax(long_warm(schedule) / fmax(speed, 1), TUNING_WARM) : TUNING_WARM;
}

double schedule_expect(const struct schedule *schedule, int pattern, int size, double seconds_of_one,
                       int64_t loops, int64_t warmup)
{
    bool longer = warmup > schedule_warmup(seconds_of_one, TUNING_WARM);
    double slower = longer ? fmax(relative_speed(schedule, pattern, size, seconds_of_one), 1) : 1;
    return schedule->overhead + seconds_of_one * ((double)loops + slower * (double)warmup);
}

double schedule_cost(const struct schedule *schedule, double seconds_of_one, double target)
{
    int64_t loops =
        schedule_loops(schedule, seconds_of_one, target) + schedule_warmup(seconds_of_one, TUNING_WARM);
    return schedule->overhead + seconds_of_one * (double)loops;
}

/* Seconds of untimed iterations that use up a buffer, where one iteration takes so many; 0: too slow for what
 * it lends to show. */
static double extra(const struct schedule *schedule, int pattern, int size, double seconds_of_one)
{
    double speed = relative_speed(schedule, pattern, size, seconds_of_one);
    bool shows = speed >= TUNING_NEAR && seconds_of_one <= SCHEDULE_COLD;
    return shows ? long_warm(schedule) / fmax(speed, 1) : 0;
}

/* The costs of one class. What will be dominated is foreseen by the same rule, from the estimates. What is
 * slower than what is sustained lets a buffer recover, each time that it is measured. */
static void fill_class(struct schedule *schedule, int pattern, double target)
{
    int class = schedule->list->patterns[pattern].class;
    const struct estimates *e = &schedule->estimate[class];
    struct costs *costs = &schedule->costs[class];
    double floor_of[METHODS] = {0}; /* the longest time at a smaller size */
    int methods = schedule->list->patterns[pattern].sendrecv_only ? 1 : METHODS;
    for (int s = 0; s < BEFF_SIZES; s++) {
        double best = INFINITY, worst = 0, all = 0, extras = 0;
        for (int m = 0; m < methods; m++) {
            best = fmin(best, e->iteration[m][s]);
            worst = fmax(worst, e->iteration[m][s]);
            extras += extra(schedule, pattern, s, e->iteration[m][s]);
        }
        for (int m = 0; m < methods; m++) {
            bool foreseen = schedule_dominates(best, floor_of[m]);
            if (e->domination[m][s] == DOMINATION_OPEN ? !foreseen : e->domination[m][s] == DOMINATION_NONE)
                all += schedule_cost(schedule, e->iteration[m][s], target);
            floor_of[m] = fmax(floor_of[m], e->fastest[m][s] > 0 ? e->fastest[m][s] : e->iteration[m][s]);
        }
        bool best_slower = relative_speed(schedule, pattern, s, best) < TUNING_SLOWER;
        bool one_slower = relative_speed(schedule, pattern, s, worst) < TUNING_SLOWER;
        double of_best = extra(schedule, pattern, s, best);
        costs->best[s] = schedule_cost(schedule, best, target) + (best_slower ? of_best : 0);
        costs->all[s] = all + (one_slower ? extras : 0);
        costs->start[s] = best_slower ? 0 : METHODS * of_best;
    }
}

static void fill_costs(struct schedule *schedule, double target)
{
    const struct pattern_list *list = schedule->list;
    for (int p = 0; p < list->count; p++)
        if (p == 0 || list->patterns[p].class != list->patterns[p - 1].class)
            fill_class(schedule, p, target);
}

/* Counts, for each class, the patterns that are left at the size that is being measured. */
static void count_rest(struct schedule *schedule, const struct position *position)
{
    const struct pattern_list *list = schedule->list;
    memset(schedule->rest, 0, (size_t)list->classes * sizeof *schedule->rest);
    for (int place = position->place; place < list->count; place++)
        schedule->rest[list->patterns[position->order[place]].class]++;
}

/* With costs and counts filled. */
static double add_up(const struct schedule *schedule, const struct reduction *reduction,
                     const struct position *position)
{
    const struct pattern_list *list = schedule->list;
    int later = reduction->repetitions - position->repetition;
    if (later < 0)
        return 0;
    double total = 0;
    for (int p = 0; p < list->count; p++) {
        const struct pattern *pattern = &list->patterns[p];
        bool another = p > 0 && pattern->class == list->patterns[p - 1].class;
        if (another || (!pattern->rated && !reduction->analysis))
            continue;
        const struct costs *costs = &schedule->costs[pattern->class];
        bool random = pattern->kind == PATTERN_RANDOM;
        int count = random ? reduction->polygons : 1;
        /* Of the polygons left at this size those beyond the number are passed over: their share, on average.
         */
        double here = schedule->rest[pattern->class];
        if (random)
            here *= (double)reduction->polygons / schedule->all_polygons;
        for (int s = 0; s < BEFF_SIZES; s++) {
            bool begins = s > position->size || (s == position->size && position->place == 0);
            double visits = count * later + (s > position->size ? count : s == position->size ? here : 0);
            total += visits * (s < reduction->methods_from ? costs->all[s] : costs->best[s]);
            total += random ? (later + begins) * costs->start[s] : 0;
            if (visits > 0 && s >= reduction->methods_from && reduction->compare && compares(schedule, p, s))
                total += costs->all[s] - costs->best[s];
        }
    }
    return total;
}

double schedule_rest(struct schedule *schedule, const struct reduction *reduction,
                     const struct position *position)
{
    fill_costs(schedule, reduction->target);
    count_rest(schedule, position);
    return add_up(schedule, reduction, position);
}

/* ---- the ladder ---- */

struct reduction schedule_full(const struct schedule *schedule)
{
    return (struct reduction){true, schedule->polygons, BEFF_SIZES, SCHEDULE_REPETITIONS, TUNING_TARGET, true,
                              false};
}

struct reduction schedule_partial(const struct schedule *schedule, int repetition)
{
    return (struct reduction){false, schedule->polygons, 0, repetition, TUNING_TARGET, true, true};
}

void schedule_choose(struct schedule *schedule, const struct position *from, double seconds,
                     bool wanted[BEFF_SIZES])
{
    struct reduction partial = schedule_partial(schedule, from->repetition);
    struct position position = {from->repetition, 0, from->order, 0};
    int first = from->size + (from->place > 0);
    double later = 0, cost[BEFF_SIZES], worth[BEFF_SIZES] = {0};
    for (int s = BEFF_SIZES - 1; s >= first; s--) {
        position.size = s;
        double rest = schedule_rest(schedule, &partial, &position);
        cost[s] = rest - later;
        worth[s] = best_speed(schedule, BEFF_RING_PATTERNS, s) / cost[s];
        later = rest;
    }
    for (;;) {
        int best = 0;
        for (int s = 1; s < BEFF_SIZES; s++)
            best = worth[s] > worth[best] ? s : best;
        if (!(worth[best] > 0))
            return;
        worth[best] = 0;
        wanted[best] = cost[best] <= seconds;
        seconds -= wanted[best] ? cost[best] : 0;
    }
}

static int fewest_polygons(const struct schedule *schedule)
{
    bool few = schedule->fixed || schedule->polygons < PATTERN_LEAST_POLYGONS;
    return few ? schedule->polygons : PATTERN_LEAST_POLYGONS;
}

/* All of it. */
static struct reduction all_reduced(const struct schedule *schedule)
{
    return (struct reduction){false, fewest_polygons(schedule), 0, 1, SCHEDULE_LEAST, false, false};
}

/* Step 0 reduces nothing; 1: no analysis patterns; then one polygon less each, as far as may be; then one
 * size more each with the best method alone; then one repetition less each. */
static struct reduction reduction_step(const struct schedule *schedule, int step)
{
    struct reduction r = schedule_full(schedule);
    int rest = step - 1, polygons = schedule->polygons - fewest_polygons(schedule);
    if (step == 0)
        return r;
    r.analysis = false;
    r.polygons -= rest < polygons ? rest : polygons;
    rest -= schedule->polygons - r.polygons;
    r.methods_from -= rest < BEFF_SIZES ? rest : BEFF_SIZES;
    r.repetitions -= rest < BEFF_SIZES ? 0 : rest - BEFF_SIZES;
    return r;
}

/* As long as fits, with everything else reduced; methods are compared as long as there is time for the rest.
 */
static struct reduction shortest(struct schedule *schedule, const struct position *position, double seconds)
{
    double low = SCHEDULE_LEAST, high = TUNING_TARGET;
    struct reduction r = all_reduced(schedule);
    r.compare = true;
    r.compare = schedule_rest(schedule, &r, position) <= seconds;
    r.hopeless = schedule_rest(schedule, &r, position) > seconds;
    for (int i = 0; i < 12 && !r.hopeless; i++) {
        r.target = (low + high) / 2;
        if (schedule_rest(schedule, &r, position) <= seconds)
            low = r.target;
        else
            high = r.target;
    }
    r.target = low;
    return r;
}

double schedule_doubt(const struct position *position)
{
    double part = (double)position->size / (BEFF_SIZES - 1);
    return position->repetition == 1   ? TUNING_DOUBT * (1 - part * part)
           : position->repetition == 2 ? TUNING_DOUBT_SECOND * (1 - part)
                                       : 0;
}

struct reduction schedule_plan(struct schedule *schedule, const struct position *position, double seconds)
{
    int last = schedule->polygons - fewest_polygons(schedule) + BEFF_SIZES + SCHEDULE_REPETITIONS;
    int low = 0, high = last + 1; /* the first step that fits */
    fill_costs(schedule, TUNING_TARGET);
    count_rest(schedule, position);
    while (low < high) {
        int step = (low + high) / 2;
        struct reduction r = reduction_step(schedule, step);
        if (add_up(schedule, &r, position) <= seconds)
            high = step;
        else
            low = step + 1;
    }
    return low <= last ? reduction_step(schedule, low) : shortest(schedule, position, seconds);
}
