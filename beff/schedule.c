/* The time plan. Uses patterns, sizes, record. */
#include "beff/schedule.h"

#include <math.h>
#include <stdlib.h>

int schedule_make(struct schedule *schedule, const struct pattern_list *list)
{
    *schedule = (struct schedule){.list = list, .most_loops = INT64_MAX};
    schedule->class_of = calloc((size_t)list->count, sizeof *schedule->class_of);
    schedule->estimate = calloc((size_t)list->count, sizeof *schedule->estimate);
    if (!schedule->class_of || !schedule->estimate)
        return -1;
    int random_class = -1;
    for (int p = 0; p < list->count; p++) {
        bool random = list->patterns[p].kind == PATTERN_RANDOM;
        if (random && random_class >= 0) {
            schedule->class_of[p] = random_class;
            continue;
        }
        schedule->class_of[p] = schedule->classes++;
        if (random)
            random_class = schedule->class_of[p];
    }
    return 0;
}

void schedule_free(struct schedule *schedule)
{
    free(schedule->class_of);
    free(schedule->estimate);
    *schedule = (struct schedule){0};
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
}

double schedule_estimate(const struct schedule *schedule, int pattern, enum method method, int size)
{
    const struct estimates *e = &schedule->estimate[schedule->class_of[pattern]];
    if (e->measured[method][size])
        return e->iteration[method][size];
    int axes = schedule->list->patterns[pattern].axes;
    double scale = axes;
    /* What the next smaller size showed about this class, compared with the probe, holds here too. */
    if (size > 0 && e->measured[method][size - 1] && schedule->probe[method][size - 1] > 0)
        scale = e->iteration[method][size - 1] / schedule->probe[method][size - 1];
    return schedule->probe[method][size] * scale;
}

/* Moves an estimate towards a new value by the `weight`th part of their ratio. */
static void learn(double *estimate, double value, int weight)
{
    if (weight == 1)
        *estimate = value;
    else
        *estimate *= pow(fmin(fmax(value / *estimate, 1 / TUNING_MOST_STEP), TUNING_MOST_STEP), 1.0 / weight);
}

void schedule_learn(struct schedule *schedule, int pattern, enum method method, int size, int64_t loops,
                    int64_t warmup, double seconds, double wall)
{
    struct estimates *e = &schedule->estimate[schedule->class_of[pattern]];
    double one = seconds / (double)loops;
    learn(&e->iteration[method][size], one, e->measured[method][size] ? TUNING_CELL_WEIGHT : 1);
    e->measured[method][size] = true;
    learn(&schedule->overhead, fmax(wall - seconds - one * (double)warmup, 1e-7),
          schedule->overhead > 0 ? TUNING_OVERHEAD_WEIGHT : 1);
}

int64_t schedule_warmup(int size)
{
    return size < SCHEDULE_WARM_SIZES ? 1 : 0;
}

int64_t schedule_loops(const struct schedule *schedule, double seconds_of_one, double target)
{
    double least = fmax(target, TUNING_TICKS * schedule->resolution);
    if (!(seconds_of_one > 0))
        return 1; /* nothing is known */
    double loops = fmax(floor(least / seconds_of_one), 1);
    /* Rounded down it may be too short by nearly a half, where an iteration takes a millisecond or two. */
    if (loops * seconds_of_one < SCHEDULE_WINDOW / TUNING_TARGET * least)
        loops++;
    if (loops >= (double)schedule->most_loops)
        return schedule->most_loops;
    return (int64_t)loops;
}

double schedule_cost(const struct schedule *schedule, const struct reduction *reduction, int pattern,
                     enum method method, int size)
{
    double one = schedule_estimate(schedule, pattern, method, size);
    int64_t loops = schedule_loops(schedule, one, reduction->target) + schedule_warmup(size);
    return schedule->overhead + one * (double)loops;
}

static enum method best_method(const struct schedule *schedule, int pattern, int size)
{
    enum method best = METHOD_SENDRECV;
    for (int m = 0; m < METHODS; m++)
        if (schedule_estimate(schedule, pattern, (enum method)m, size) <
            schedule_estimate(schedule, pattern, best, size))
            best = (enum method)m;
    return best;
}

bool schedule_selected(const struct schedule *schedule, const struct reduction *reduction, int pattern,
                       enum method method, int size)
{
    if (schedule->list->patterns[pattern].sendrecv_only)
        return method == METHOD_SENDRECV;
    return size < reduction->methods_from || method == best_method(schedule, pattern, size);
}

static double cost_of_pattern(const struct schedule *schedule, const struct reduction *reduction, int pattern,
                              int first_size)
{
    double cost = 0;
    if (!schedule->list->patterns[pattern].rated && !reduction->analysis)
        return 0;
    for (int s = first_size; s < BEFF_SIZES; s++)
        for (int m = 0; m < METHODS; m++)
            if (schedule_selected(schedule, reduction, pattern, (enum method)m, s))
                cost += schedule_cost(schedule, reduction, pattern, (enum method)m, s);
    return cost;
}

double schedule_rest(const struct schedule *schedule, const struct reduction *reduction,
                     const struct position *position)
{
    const struct pattern_list *list = schedule->list;
    double cost = 0, random_cost = -1;
    int repetitions_after = reduction->repetitions - position->repetition;
    for (int place = 0; place < list->count; place++) {
        int p = (int)position->order[place];
        bool random = list->patterns[p].kind == PATTERN_RANDOM;
        double whole = random && random_cost >= 0 ? random_cost : cost_of_pattern(schedule, reduction, p, 0);
        if (random)
            random_cost = whole;
        if (repetitions_after > 0)
            cost += whole * repetitions_after;
        if (repetitions_after >= 0 && place > position->place)
            cost += whole;
        if (repetitions_after >= 0 && place == position->place)
            cost += cost_of_pattern(schedule, reduction, p, position->size);
    }
    return cost;
}

struct reduction schedule_full(void)
{
    return (struct reduction){TUNING_TARGET, BEFF_SIZES, true, SCHEDULE_REPETITIONS, false};
}

/* The steps after shorter loops: best method only from size 20, 19 ... 0 on; no analysis; 2 and 1
 * repetitions. */
enum { STEP_METHODS = BEFF_SIZES, STEP_ANALYSIS, STEP_TWO, STEP_LAST };

static struct reduction reduction_step(int step, double target)
{
    struct reduction t = schedule_full();
    t.target = target;
    t.methods_from = BEFF_SIZES - (step < STEP_METHODS ? step : STEP_METHODS);
    t.analysis = step < STEP_ANALYSIS;
    t.repetitions = step >= STEP_LAST ? 1 : step >= STEP_TWO ? 2 : SCHEDULE_REPETITIONS;
    return t;
}

double schedule_least(const struct schedule *schedule, const struct position *position)
{
    struct reduction least = reduction_step(STEP_LAST, 0);
    return schedule_rest(schedule, &least, position);
}

struct reduction schedule_plan(const struct schedule *schedule, const struct position *position,
                               double seconds)
{
    struct reduction full = schedule_full();
    if (schedule_rest(schedule, &full, position) <= seconds)
        return full;

    int low = 0, high = STEP_LAST; /* the first step that fits with loops of 1 lies in between */
    while (low < high) {
        int step = (low + high) / 2;
        struct reduction t = reduction_step(step, 0);
        if (schedule_rest(schedule, &t, position) <= seconds)
            high = step;
        else
            low = step + 1;
    }
    if (low == STEP_LAST && schedule_least(schedule, position) > seconds) {
        struct reduction t = reduction_step(STEP_LAST, 0);
        t.hopeless = true;
        return t;
    }
    double shortest = 1e-7, longest = TUNING_TARGET;
    for (int i = 0; i < 16; i++) {
        double target = sqrt(shortest * longest);
        struct reduction t = reduction_step(low, target);
        if (schedule_rest(schedule, &t, position) <= seconds)
            shortest = target;
        else
            longest = target;
    }
    return reduction_step(low, shortest);
}
