/* The conductor. Uses schedule, patterns, record. */
#include "beff/conductor.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sizes that are probed before anything is known. */
static const int probe_sizes[] = {0, 12, 14, 16, 18, 19, 20};
enum { PROBES = sizeof probe_sizes / sizeof probe_sizes[0] };

enum step { STEP_ON, STEP_OVER, STEP_END }; /* go on; no time for this one; end of the run, see `end` */

int conductor_make(struct conductor *conductor, const struct conductor_world *world,
                   const struct pattern_list *list, double stop_at, int64_t most_loops, double resolution)
{
    *conductor = (struct conductor){.world = *world, .stop_at = stop_at};
    conductor->order = calloc((size_t)list->count, sizeof *conductor->order);
    if (schedule_make(&conductor->schedule, list) || !conductor->order)
        return -1;
    conductor->schedule.most_loops = most_loops;
    conductor->schedule.resolution = resolution;
    conductor->reduced = reduced_start(conductor->schedule.all_polygons);
    return 0;
}

void conductor_free(struct conductor *conductor)
{
    schedule_free(&conductor->schedule);
    free(conductor->order);
}

static double time_left(const struct conductor *c)
{
    return c->stop_at - c->world.elapsed(c->world.context);
}

/* Whether what takes so many seconds, if nothing disturbs it, will end in time; a disturbance as lately may
 * come, but one that would eat up half of the rest does not stop everything. */
static bool fits(const struct conductor *c, double seconds)
{
    double left = time_left(c);
    return seconds + fmin(c->overrun, left * TUNING_OVERRUN_SHARE) <= left;
}

/* Performs an order; a failure or a signal ends the run. */
static enum step perform(struct conductor *c, const struct order *order, struct outcome *outcome)
{
    *outcome = (struct outcome){0};
    if (c->world.perform(c->world.context, order, outcome, &c->error))
        return STEP_END;
    c->stop = outcome->stop;
    return c->stop ? STEP_END : STEP_ON;
}

/* ---- probing ---- */

/* Seconds of one iteration in one ring of all: as many iterations as the clock needs, at least one. */
static enum step probe_one(struct conductor *c, enum method method, int size, double *seconds)
{
    double enough = fmax(TUNING_PROBE_SECONDS, 100 * c->schedule.resolution);
    struct order order = {BEFF_RING_PATTERNS - 1, method, size, 1, 0, false};
    struct outcome outcome;
    bool again = false;
    *seconds = 0;
    for (;;) {
        enum step step = perform(c, &order, &outcome);
        if (step != STEP_ON)
            return step;
        double one = outcome.t_max / (double)order.loops;
        *seconds = *seconds > 0 ? fmin(*seconds, one) : one;
        if ((again && outcome.t_max >= enough) || outcome.t_max >= TUNING_PROBE_LONG ||
            order.loops >= c->schedule.most_loops || order.loops > 1000000)
            return STEP_ON;
        if (outcome.t_max >= enough)
            again = true; /* the shorter of two: a disturbance would spoil the whole plan */
        else if (order.loops < c->schedule.most_loops / 4)
            order.loops *= 4;
        else
            order.loops = c->schedule.most_loops;
    }
}

/* Each method at a few sizes, as long as it is not dominated and stays within the share of the time. The rest
 * is extrapolated for the first method; others take as much longer than it as at the size before. */
static enum step probe(struct conductor *c)
{
    double seconds[METHODS][PROBES];
    double left = time_left(c), end = c->stop_at - left * (1 - TUNING_PROBE_SHARE);
    int known = 0; /* sizes that the first method was probed at */
    for (int m = 0; m < METHODS; m++) {
        for (int i = 0; i < (m == 0 ? PROBES : known); i++) {
            double expected = i == 0 ? 0 : seconds[m][i - 1];
            if (i > 1)
                expected *= (double)c->schedule.list->sizes[probe_sizes[i]] /
                            (double)c->schedule.list->sizes[probe_sizes[i - 1]];
            bool in_time = (m == 0 && i == 0) || c->stop_at - time_left(c) + expected <= end;
            bool dominated = m > 0 && i > 0 && schedule_dominates(seconds[0][i], seconds[m][i - 1]);
            if (!in_time && m == 0)
                break;
            if (!in_time || dominated)
                seconds[m][i] = seconds[0][i] + (i > 0 ? seconds[m][i - 1] - seconds[0][i - 1] : 0);
            else if (probe_one(c, (enum method)m, probe_sizes[i], &seconds[m][i]) != STEP_ON)
                return STEP_END;
            known = m == 0 ? i + 1 : known;
        }
        schedule_probe(&c->schedule, (enum method)m, probe_sizes, seconds[m], known);
    }
    return STEP_ON;
}

/* ---- one measurement ---- */

__attribute__((format(printf, 3, 4))) static enum step note(struct conductor *c, const char *key,
                                                            const char *format, ...)
{
    char text[192];
    TEXT_PRINT(text, sizeof text, format);
    return c->world.note(c->world.context, key, text, &c->error) ? STEP_END : STEP_ON;
}

static bool is_clock_good(const struct outcome *outcome)
{
    return outcome->clock_jumps == 0 && outcome->t_max > 0;
}

/* Why a measurement has to be made again; NULL if it is as it should be. */
static const char *flaw_of(const struct conductor *c, const struct order *order,
                           const struct outcome *outcome, double target)
{
    double least = SCHEDULE_SHORT * fmin(1, target / TUNING_TARGET);
    if (!is_clock_good(outcome))
        return "clock";
    return outcome->t_max < least && order->loops < c->schedule.most_loops ? "short" : NULL;
}

static enum step discard(struct conductor *c, const struct order *order, const struct outcome *outcome,
                         const char *flaw)
{
    const struct pattern_list *list = c->schedule.list;
    return note(c, "discarded", "%" PRId64 " %" PRId64 " %s %s %" PRId64 " %" PRId64 " %.17g %s", c->pass,
                c->rep, list->patterns[order->pattern].id, method_name(order->method),
                list->sizes[order->size], order->loops, outcome->t_max, flaw);
}

static double cost_of(const struct conductor *c, const struct order *order, double one)
{
    return schedule_expect(&c->schedule, order->pattern, order->size, one, order->loops, order->warmup);
}

static void note_wall(struct conductor *c, double wall, double expected)
{
    double fading = exp(-wall / c->window);
    c->overrun = fmax(wall - expected, TUNING_OVERRUN_FADING * c->overrun);
    c->walls = wall + fading * c->walls;
    c->expected = expected + fading * c->expected;
}

/* How much longer than expected measurements take, all in all: estimates know nothing of stalls. */
static double slowness(const struct conductor *c)
{
    return fmax(c->walls / c->expected, 1);
}

/* Seconds that can be planned for. */
static double time_to_plan(const struct conductor *c)
{
    return time_left(c) * TUNING_PLAN_SHARE / slowness(c);
}

/* Measures until it is as it should be, as often as is allowed and there is time for. `one`: expected seconds
 * of an iteration. */
static enum step attempt(struct conductor *c, struct order *order, double one, double target,
                         struct outcome *outcome)
{
    for (int attempts = 1;; attempts++) {
        double start = c->world.elapsed(c->world.context), expected = cost_of(c, order, one);
        enum step step = perform(c, order, outcome);
        if (step != STEP_ON)
            return step;
        double wall = c->world.elapsed(c->world.context) - start;
        note_wall(c, wall, expected);
        if (is_clock_good(outcome)) {
            one = outcome->t_max / (double)order->loops;
            schedule_learn(&c->schedule, order->pattern, order->method, order->size, order->loops,
                           order->warmup, outcome->t_max, wall);
        }
        const char *flaw = flaw_of(c, order, outcome, target);
        struct order again = *order;
        again.loops = schedule_loops(&c->schedule, one, target);
        again.warmup = schedule_warmup(one, TUNING_WARM);
        if (!flaw || attempts == CONDUCTOR_ATTEMPTS || !fits(c, cost_of(c, &again, one)))
            return STEP_ON;
        if (discard(c, order, outcome, flaw) != STEP_ON)
            return STEP_END;
        *order = again;
    }
}

static enum step keep(struct conductor *c, const struct order *order, const struct outcome *outcome)
{
    const struct pattern *pattern = &c->schedule.list->patterns[order->pattern];
    struct beff_record record = {.pass = c->pass,
                                 .rep = c->rep,
                                 .bytes = c->schedule.list->sizes[order->size],
                                 .messages = pattern->messages,
                                 .loops = order->loops,
                                 .t_min = outcome->t_min,
                                 .t_avg = outcome->t_avg,
                                 .t_max = outcome->t_max,
                                 .errors = outcome->errors,
                                 .switches = outcome->switches,
                                 .clock_jumps = outcome->clock_jumps};
    snprintf(record.pattern, sizeof record.pattern, "%s", pattern->id);
    snprintf(record.method, sizeof record.method, "%s", method_name(order->method));
    if (!(record.t_max > 0)) {
        message_set(&c->error, "the clock stood still or went back in every attempt at %s, %s, %" PRId64 " B",
                    record.pattern, record.method, record.bytes);
        return STEP_END;
    }
    record.bandwidth =
        (double)record.bytes * (double)record.messages * (double)record.loops / record.t_max / 1e6;
    return c->world.record(c->world.context, &record, c->stop_at, &c->error) ? STEP_END : STEP_ON;
}

/* One cell of the sweep; STEP_OVER if it would not end in time. Its seconds per iteration go to *one. */
static enum step measure_cell(struct conductor *c, double target, int pattern, enum method method, int size,
                              double *one)
{
    struct order order = {.pattern = pattern, .method = method, .size = size};
    struct outcome outcome;
    *one = c->schedule.estimate[c->schedule.list->patterns[pattern].class].iteration[method][size];
    order.loops = schedule_loops(&c->schedule, *one, target);
    order.warmup = c->once ? 0 : schedule_warmup(*one, schedule_warm(&c->schedule, pattern, size, *one));
    order.together = order.warmup > 0 && *one > SCHEDULE_TOGETHER;
    if (!fits(c, cost_of(c, &order, *one))) {
        if (c->pass == 1 && c->rep == 1) /* later repetitions end where the time does */
            reduced_left_out(&c->reduced, size, slowness(c) * cost_of(c, &order, *one));
        return STEP_OVER;
    }
    if (c->pass == 1 && !c->partial)
        reduced_measured(&c->reduced, target);
    enum step step = attempt(c, &order, *one, target, &outcome);
    if (step == STEP_ON)
        step = keep(c, &order, &outcome);
    if (step == STEP_ON)
        *one = outcome.t_max / (double)order.loops;
    return step;
}

/* ---- one size ---- */

/* Whether a method is measured after the best one so far, which took `best` seconds for an iteration. */
static enum step is_wanted_too(struct conductor *c, int pattern, enum method method, int size, double best,
                               bool *wanted)
{
    const struct pattern_list *list = c->schedule.list;
    bool decided;
    *wanted = !schedule_is_dominated(&c->schedule, pattern, method, size, best, &decided);
    return *wanted || !decided ? STEP_ON
                               : note(c, "dominated", "%s %s %" PRId64,
                                      pattern_class_name(list, list->patterns[pattern].class),
                                      method_name(method), list->sizes[size]);
}

/* All methods of one pattern and size; the best one so far is the first. Where only that is measured, some
 * patterns are measured with all of them all the same: otherwise it would be known from other sizes alone. */
static enum step measure_methods(struct conductor *c, const struct reduction *reduction, int pattern,
                                 int size)
{
    enum method first = schedule_best(&c->schedule, pattern, size);
    double best;
    enum step worst = measure_cell(c, reduction->target, pattern, first, size, &best);
    if (worst == STEP_END || c->schedule.list->patterns[pattern].sendrecv_only)
        return worst;
    bool random = c->schedule.list->patterns[pattern].kind == PATTERN_RANDOM;
    if (!schedule_takes_all(&c->schedule, reduction, pattern, size)) {
        if (!c->partial)
            reduced_best_only(&c->reduced, size);
        return worst;
    }
    double seconds[METHODS] = {0};
    seconds[first] = best;
    for (int m = 0; m < METHODS; m++) {
        bool wanted = m != (int)first;
        enum step step = STEP_ON;
        if (wanted && worst == STEP_ON)
            step = is_wanted_too(c, pattern, (enum method)m, size, best, &wanted);
        if (wanted && step == STEP_ON)
            step = measure_cell(c, reduction->target, pattern, (enum method)m, size, &seconds[m]);
        if (step == STEP_END)
            return step;
        if (step == STEP_OVER)
            worst = step;
        else if (wanted)
            best = fmin(best, seconds[m]);
    }
    if (worst == STEP_ON && random)
        schedule_compare(&c->schedule, size, seconds);
    return worst;
}

/* Whether a pattern is to be measured at all; what is left out is counted. */
static bool is_wanted(struct conductor *c, const struct reduction *reduction, const struct pattern *pattern)
{
    if (c->pass > 1)
        return true;
    bool dropped = !pattern->rated && !reduction->analysis;
    c->reduced.pairs += !c->partial;
    c->reduced.analysis += !c->partial && dropped;
    return !dropped && (pattern->kind != PATTERN_RANDOM || pattern->number <= reduction->polygons);
}

/* The reduction for what comes next: planned anew in the first pass, none in later ones, and none as long as
 * only small sizes say that the time is a little too short: estimates of the large ones follow from them. */
static struct reduction plan(struct conductor *c, const struct position *position)
{
    struct reduction full = schedule_full(&c->schedule);
    double doubt = schedule_doubt(position);
    if (c->partial)
        return schedule_partial(&c->schedule, position->repetition);
    if (c->pass > 1 ||
        (doubt > 0 && schedule_rest(&c->schedule, &full, position) <= time_to_plan(c) * (1 + doubt)))
        return full;
    return schedule_plan(&c->schedule, position, time_to_plan(c));
}

/* What is left of the patterns of one size; `position` moves on to where it stopped. The plan is made anew
 * for each size, and where the rest does not fit any more. STEP_OVER if the time was up before the end; the
 * first pass then goes on with what is shorter. */
static enum step measure_size(struct conductor *c, struct position *position)
{
    const struct pattern_list *list = c->schedule.list;
    int size = position->size;
    schedule_start_size(&c->schedule);
    struct reduction reduction = plan(c, position);
    double rest = schedule_rest(&c->schedule, &reduction, position);
    enum step worst = STEP_ON;
    for (; position->place < list->count; position->place++) {
        int pattern = (int)c->order[position->place];
        if (c->pass == 1 && rest * slowness(c) > time_left(c) && !reduction.hopeless) {
            reduction = plan(c, position);
            rest = schedule_rest(&c->schedule, &reduction, position);
        }
        if (c->rep > reduction.repetitions)
            return STEP_OVER;
        if (!is_wanted(c, &reduction, &list->patterns[pattern]))
            continue;
        const struct costs *costs = &c->schedule.costs[list->patterns[pattern].class];
        bool all = schedule_takes_all(&c->schedule, &reduction, pattern, size);
        rest -= all ? costs->all[size] : costs->best[size];
        enum step step = measure_methods(c, &reduction, pattern, size);
        if (step == STEP_END || (step == STEP_OVER && c->pass > 1))
            return step;
        worst = step == STEP_OVER ? step : worst;
    }
    return worst;
}

/* ---- passes ---- */

/* Where the first pass begins, or another one. */
static const struct position *start_of_pass(struct conductor *c, struct position *start)
{
    for (int p = 0; p < c->schedule.list->count; p++)
        c->order[p] = (uint32_t)p;
    *start = (struct position){1, 0, c->order, 0};
    return start;
}

/* The number of polygons is fixed before the first repetition. */
static enum step fix_polygons(struct conductor *c)
{
    struct position start;
    struct reduction reduction = plan(c, start_of_pass(c, &start));
    c->schedule.polygons = c->reduced.polygons = reduction.polygons;
    c->schedule.fixed = true;
    return reduction.polygons < c->schedule.all_polygons ? note(c, "polygons", "%d", reduction.polygons)
                                                         : STEP_ON;
}

static bool fits_whole_pass(struct conductor *c)
{
    struct position start;
    c->schedule.polygons = c->schedule.all_polygons;
    struct reduction full = schedule_full(&c->schedule);
    return schedule_rest(&c->schedule, &full, start_of_pass(c, &start)) <= time_to_plan(c);
}

/* One repetition. STEP_OVER if it is not whole: of the first one single measurements are left out; a later
 * one of the first pass goes on with chosen sizes. The order is drawn for what is left out, too: it follows
 * from the seed alone. */
static enum step sweep(struct conductor *c, struct random_stream *random)
{
    enum step worst = STEP_ON;
    bool wanted[BEFF_SIZES];
    memset(wanted, true, sizeof wanted);
    c->partial = false;
    for (int size = 0; size < BEFF_SIZES; size++) {
        struct position position = {(int)c->rep, size, c->order, 0};
        patterns_shuffle(c->schedule.list, random, c->order);
        enum step step = wanted[size] ? measure_size(c, &position) : STEP_ON;
        worst = step == STEP_ON ? worst : step;
        if (step == STEP_OVER && (c->pass > 1 || c->rep > 1)) {
            memset(wanted, false, sizeof wanted);
            if (c->pass == 1 && !c->partial)
                schedule_choose(&c->schedule, &position, time_to_plan(c), wanted);
            c->partial = true;
            step = wanted[size] ? measure_size(c, &position) : STEP_ON;
        }
        if (step == STEP_END)
            return step;
    }
    return worst;
}

static enum step measure_pass(struct conductor *c, struct random_stream *random)
{
    enum step worst = STEP_ON;
    for (c->rep = 1; c->rep <= (c->once ? 1 : SCHEDULE_REPETITIONS); c->rep++) {
        enum step step = sweep(c, random);
        if (step == STEP_END || (step == STEP_OVER && (c->pass > 1 || c->rep == 1)))
            return step;
        c->reduced.repetitions += c->pass == 1 && step == STEP_ON;
        worst = step == STEP_OVER ? step : worst;
    }
    return worst;
}

static enum step measure_all(struct conductor *c)
{
    struct random_stream random;
    random_start(&random, c->schedule.list->seed, CONDUCTOR_ORDER_STREAM);
    c->pass = 1;
    enum step step = fix_polygons(c);
    if (step == STEP_ON)
        step = measure_pass(c, &random);
    if (step == STEP_END || c->once || (reduced_at_all(&c->reduced) && !fits_whole_pass(c)))
        return step;
    do {
        c->pass++;
        step = measure_pass(c, &random);
        if (step == STEP_ON) { /* a whole pass: the first one is not rated any more if it was reduced */
            c->reduced = reduced_start(c->schedule.all_polygons);
            c->reduced.repetitions = SCHEDULE_REPETITIONS;
        }
    } while (step == STEP_ON);
    return step;
}

/* How the first pass was reduced. */
static enum step tell_reduction(struct conductor *c)
{
    struct texts lines = {0};
    enum step step = STEP_ON;
    reduced_tell(&c->reduced, c->schedule.list->sizes, c->world.elapsed(c->world.context), &lines);
    if (lines.incomplete)
        step = message_set(&c->error, "out of memory for what was reduced") ? STEP_END : STEP_ON;
    for (int i = 0; i < lines.count && step == STEP_ON; i++)
        step = note(c, "reduced", "%s", lines.text[i]);
    texts_free(&lines);
    return step;
}

enum exit_status conductor_run(struct conductor *c)
{
    c->walls = c->expected = c->window = TUNING_WALLS_SHARE * time_left(c);
    enum step step = probe(c);
    if (step == STEP_ON)
        step = measure_all(c);
    if ((step != STEP_END || c->stop) && c->pass > 0 && tell_reduction(c) == STEP_END)
        return EXIT_ERRORS;
    if (step == STEP_END && c->stop)
        message_set(&c->error, "stopped by signal %d", c->stop);
    return step != STEP_END ? EXIT_RATED : c->stop ? EXIT_STOPPED : EXIT_ERRORS;
}
