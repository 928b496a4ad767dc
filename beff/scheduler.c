/* The scheduler: all that decides what is measured next. Uses estimates, patterns, record. */
#include "beff/scheduler.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/stats.h"

/* A measurement is made so often at most, until it is as it should be. */
enum { ATTEMPTS = 3 };

/* So many measurements of a size show that the opening does not fit: one that was disturbed does not end it.
 */
enum { OPENING_SHOWN = 12 };
/* Sizes count by their bytes where they take so many times as long as the one before. */
#define BYTES_COUNT 1.5
/* From so many on: below that it is the latency that was disturbed. */
#define BYTES_FROM 1024
/* Before a size is through it needs so many times what is left: a machine may be disturbed at first. */
#define OPENING_MARGIN 2

enum step { STEP_ON, STEP_OVER, STEP_END }; /* go on; the time is up; a signal or a failure */

/* ---- time ---- */

int scheduler_make(struct scheduler *c, const struct scheduler_ops *ops, const struct pattern_list *list,
                   double time, int64_t max_loops)
{
    *c = (struct scheduler){.ops = *ops, .list = list, .time = time, .factor = 1, .pass = 1, .rep = 1};
    c->polygons = list->polygons;
    c->order = calloc((size_t)list->count, sizeof *c->order);
    c->wanted = calloc((size_t)list->count, sizeof *c->wanted);
    int failed = estimates_make(&c->estimates, list, max_loops);
    return rules_make(&c->rules, list) || failed || !c->order || !c->wanted ? -1 : 0;
}

void scheduler_free(struct scheduler *c)
{
    estimates_free(&c->estimates);
    rules_free(&c->rules);
    free(c->order);
    free(c->wanted);
}

static double now(const struct scheduler *c)
{
    return c->ops.elapsed(c->ops.context);
}

static double time_left(const struct scheduler *c)
{
    double time = c->time > 0 ? c->time : SCHEDULER_TIME_MAX;
    return time - c->ops.kept(c->ops.context, time) - now(c);
}

/* T of a run that measures until `seconds`. */
static double time_for(const struct scheduler *c, double seconds)
{
    return estimates_time(seconds + c->ops.kept(c->ops.context, seconds));
}

__attribute__((format(printf, 3, 4))) static enum step note(struct scheduler *c, const char *key,
                                                            const char *format, ...)
{
    char text[192];
    TEXT_PRINT(text, sizeof text, format);
    return c->ops.note(c->ops.context, key, text, &c->error) ? STEP_END : STEP_ON;
}

/* ---- one measurement ---- */

static enum step keep(struct scheduler *c, const struct command *command, const struct measurement *m)
{
    const struct pattern *pattern = &c->list->patterns[command->pattern];
    struct beff_record record = {.pass = c->pass,
                                 .rep = c->rep,
                                 .bytes = c->list->sizes[command->size],
                                 .messages = pattern->messages,
                                 .loops = command->loops,
                                 .t_min = m->t_min,
                                 .t_avg = m->t_avg,
                                 .t_max = m->t_max,
                                 .errors = m->errors,
                                 .switches = m->switches,
                                 .clock_jumps = m->clock_jumps};
    snprintf(record.pattern, sizeof record.pattern, "%s", pattern->id);
    snprintf(record.method, sizeof record.method, "%s", method_name(command->method));
    if (!(record.t_max > 0)) {
        message_set(&c->error, "the clock stood still or went back in every attempt at %s, %s, %" PRId64 " B",
                    record.pattern, record.method, record.bytes);
        return STEP_END;
    }
    record.bandwidth =
        (double)record.bytes * (double)record.messages * (double)record.loops / record.t_max / 1e6;
    rules_learn(&c->rules, c->sweep, command->pattern, command->method, command->size,
                record.t_max / (double)record.loops);
    return c->ops.record(c->ops.context, &record, &c->error) ? STEP_END : STEP_ON;
}

static enum step discard(struct scheduler *c, const struct command *command, const struct measurement *m,
                         bool clock)
{
    return note(c, "discarded", "%" PRId64 " %" PRId64 " %s %s %" PRId64 " %" PRId64 " %.17g %s", c->pass,
                c->rep, c->list->patterns[command->pattern].id, method_name(command->method),
                c->list->sizes[command->size], command->loops, m->t_max, clock ? "clock" : "short");
}

/* Measures until it is as it should be, at most three times. */
static enum step measure(struct scheduler *c, int pattern, enum method method, int size)
{
    struct estimates *e = &c->estimates;
    double one = estimates_last(e, pattern, method, size);
    for (int attempt = 1;; attempt++) {
        struct command command = {pattern, method, size, 1, 0};
        struct measurement m = {0};
        if (one > 0) {
            command.loops = estimates_loops(e, one);
            command.untimed = estimates_untimed(e, one);
        }
        if (c->ops.measure(c->ops.context, &command, &m, &c->error))
            return STEP_END;
        if ((c->stop = m.stop))
            return STEP_END;
        double before = c->last, loops = (double)command.loops;
        bool good = m.clock_jumps == 0 && m.t_max > 0;
        bool brief = m.t_max < ESTIMATES_SHORT / ESTIMATES_TARGET * e->target && command.loops < e->max_loops;
        c->last = now(c);
        if (good)
            estimates_learn(e, &command, m.t_max, c->last - before);
        if (good || m.t_max == 0) /* less than a tick of the clock */
            one = fmax(m.t_max, c->resolution) / loops;
        if ((good && !brief) || attempt == ATTEMPTS || estimates_cost(e, one) > time_left(c))
            return keep(c, &command, &m);
        if (discard(c, &command, &m, !good) != STEP_ON)
            return STEP_END;
    }
}

/* A cell is measured with all its methods, or not at all: STEP_OVER if that would not end in time. */
static enum step measure_cell(struct scheduler *c, int pattern, int size)
{
    enum step step = STEP_ON;
    struct shortened shortened = {c->sweep >= c->rules.largest_from, (int)c->rep};
    if (estimates_cell(&c->estimates, pattern, size, shortened) > time_left(c))
        return STEP_OVER;
    for (int i = 0; i < METHODS && step == STEP_ON; i++) {
        double start = now(c);
        if (!rules_take(&c->rules, c->sweep, pattern, sweep_methods[i], size))
            continue;
        step = measure(c, pattern, sweep_methods[i], size);
        if (c->sweep == SWEEP_OPENING)
            c->walls[c->wall_count++] = now(c) - start;
    }
    return step;
}

/* ---- sweeps ---- */

/* Measurements of the opening at one size. */
static int opening_measurements(const struct scheduler *c)
{
    return (BEFF_RING_PATTERNS + patterns_opening(c->list)) * METHODS;
}

/* Seconds that the rest of the opening takes at least, by the median of this size's measurements: a larger
 * one takes no less, and in proportion to its bytes where the two steps before did. */
static double rest_of_opening(struct scheduler *c, int size)
{
    int all = opening_measurements(c);
    double *median = c->median, seconds, bytes = (double)c->list->sizes[size];
    median[size] = stats_median(c->walls, (size_t)c->wall_count);
    seconds = median[size] * (all - c->wall_count);
    bool by_bytes = c->list->sizes[size - (size > 1 ? 2 : 0)] >= BYTES_FROM &&
                    median[size] >= BYTES_COUNT * median[size - 1] &&
                    median[size - 1] >= BYTES_COUNT * median[size - 2];
    for (int s = size + 1; s < BEFF_SIZES; s++)
        seconds += all * median[size] * (by_bytes ? (double)c->list->sizes[s] / bytes : 1);
    return seconds;
}

/* It ends as soon as that does not fit. */
static enum step look_at_opening(struct scheduler *c, enum step step, int size)
{
    if (c->wall_count == 0)
        return step;
    double rest = rest_of_opening(c, size),
           margin = c->wall_count < opening_measurements(c) ? OPENING_MARGIN : 1;
    if (step == STEP_ON && (c->wall_count < OPENING_SHOWN || rest <= margin * fmax(time_left(c), 0)))
        return STEP_ON;
    return note(c, "opening_needs_s", "%.0f", time_for(c, now(c) + rest)) == STEP_ON ? STEP_OVER : STEP_END;
}

static enum step measure_size(struct scheduler *c, int size)
{
    enum step step = STEP_ON;
    c->wall_count = 0;
    sweep_draw(c->list, c->sweep, size, c->order);
    for (int i = 0; i < c->list->count && step == STEP_ON; i++) {
        if (!sweep_has(c->list, c->sweep, c->polygons, c->wanted, (int)c->order[i]))
            continue;
        step = measure_cell(c, (int)c->order[i], size);
        if (c->sweep == SWEEP_OPENING && step != STEP_END)
            step = look_at_opening(c, step, size);
    }
    return step;
}

/* Measures a sweep that is expected to take so many seconds, if that much is left. */
static enum step run_sweep(struct scheduler *c, int sweep, double expected)
{
    double start = c->last = now(c);
    enum step step = sweep == SWEEP_OPENING || c->factor * expected <= time_left(c) ? STEP_ON : STEP_OVER;
    if (step == STEP_OVER || (sweep != SWEEP_OPENING && !(expected > 0)))
        return step;
    c->sweep = sweep;
    for (int size = 0; size < BEFF_SIZES && step == STEP_ON; size++)
        step = measure_size(c, size);
    double taken = now(c) - start;
    if (step != STEP_END && note(c, "sweep", "%d %.3f %.3f", sweep, expected, taken) != STEP_ON)
        return STEP_END;
    if (sweep != SWEEP_OPENING && sweep != SWEEP_ANALYSIS)
        c->factor = fmax(1, taken / expected);
    estimates_settle(&c->estimates);
    return step;
}

/* ---- the plan ---- */

static bool is_shortened(const struct scheduler *c)
{
    return c->rules.largest_from != INT_MAX;
}

/* Of pass 1: from its repetition `rep` on, 1: after the opening. */
static double rest_of_pass(const struct scheduler *c, int rep, int polygons, bool largest)
{
    return c->factor * estimates_pass(&c->estimates, rep, polygons, largest);
}

/* No whole pass fits: says what would do. */
static enum step say_needed(struct scheduler *c, double needed)
{
    char text[128];
    snprintf(text, sizeof text, "the result will be NOT VALID: a whole pass needs --time %.0f", needed);
    c->ops.say(c->ops.context, text);
    return note(c, "needs_time_s", "%.0f", needed);
}

/* T where it was not given; else whether it can be enough for a valid result. */
static enum step settle_time(struct scheduler *c)
{
    double analysis = estimates_analysis(&c->estimates), rest = rest_of_pass(c, 1, c->polygons, true);
    double needed = time_for(c, fmax(now(c) + rest + analysis, c->started + estimates_run(&c->estimates)));
    char text[128];
    if (!(c->time > 0)) {
        c->time = fmin(fmax(SCHEDULER_TIME, needed), SCHEDULER_TIME_MAX);
        snprintf(text, sizeof text, "the run takes %.0f s: a whole pass takes longer than usual here",
                 c->time);
        if (c->time > SCHEDULER_TIME)
            c->ops.say(c->ops.context, text);
        if (c->ops.set_time(c->ops.context, c->time, &c->error))
            return STEP_END;
    }
    if (rest <= time_left(c) && c->estimates.target >= ESTIMATES_TARGET)
        return STEP_ON;
    c->needed = true;
    return say_needed(c, needed);
}

/* Rule a, before the sweep of so many a repetition: once on, it stays on. */
static enum step shorten_largest(struct scheduler *c, int rep)
{
    if (is_shortened(c) || rest_of_pass(c, rep, c->polygons, false) <= time_left(c))
        return STEP_ON;
    c->rules.largest_from = rep;
    return note(c, "largest_sizes", "1 %d", rep);
}

/* Rule b: as many polygons as fit, the opening's at least. What they take grows with their number. */
static enum step choose_polygons(struct scheduler *c)
{
    int few = patterns_opening(c->list);
    double rest = rest_of_pass(c, 1, few, is_shortened(c));
    double each = rest_of_pass(c, 1, few + 1, is_shortened(c)) - rest;
    double fit = few + floor(fmax(time_left(c) - rest, 0) / each);
    if (fit >= c->polygons)
        return STEP_ON;
    c->polygons = (int)fit;
    return note(c, "polygons", "%d", c->polygons);
}

/* Ping-pong first, then the others in their order, as long as they fit. */
static enum step measure_analysis(struct scheduler *c)
{
    int pingpong = pattern_find(c->list, "pingpong");
    double left = time_left(c) / c->factor, expected = 0;
    for (int i = -1; i < c->list->count; i++) {
        int p = i < 0 ? pingpong : i;
        double seconds = estimates_pattern(&c->estimates, p, (struct shortened){false, 1});
        if (c->list->patterns[p].rated || c->wanted[p] || expected + seconds > left)
            continue;
        c->wanted[p] = true;
        expected += seconds;
    }
    c->pass = c->rep = 1;
    return run_sweep(c, SWEEP_ANALYSIS, expected);
}

/* A repetition that is not expected to fit is not begun. */
static enum step measure_repetition(struct scheduler *c)
{
    int sweep = sweep_of(c->list, c->pass, c->rep, 0);
    struct shortened shortened = {is_shortened(c), (int)c->rep};
    return run_sweep(c, sweep, estimates_sweep(&c->estimates, true, c->polygons, shortened));
}

/* Pass 1 after the opening. STEP_OVER if it is not whole. */
static enum step measure_first_pass(struct scheduler *c)
{
    int others;
    enum step step = settle_time(c);
    if (step == STEP_ON)
        step = shorten_largest(c, 1);
    if (step == STEP_ON)
        step = choose_polygons(c);
    others = c->polygons - patterns_opening(c->list);
    if (step == STEP_ON)
        step =
            run_sweep(c, SWEEP_POLYGONS,
                      estimates_sweep(&c->estimates, false, others, (struct shortened){is_shortened(c), 1}));
    for (c->rep = 2; c->rep <= estimates_repetitions(&c->estimates) && step == STEP_ON; c->rep++) {
        double needed = time_for(c, now(c) + rest_of_pass(c, (int)c->rep, c->polygons, true));
        step = shorten_largest(c, (int)c->rep);
        if (step == STEP_ON)
            step = measure_repetition(c);
        if (step == STEP_OVER && !c->needed && say_needed(c, needed) == STEP_END)
            step = STEP_END;
    }
    return step;
}

static enum step measure_all(struct scheduler *c)
{
    double time = c->time > 0 ? c->time : SCHEDULER_TIME_MAX;
    c->started = now(c);
    c->estimates.target = estimates_target(time, BEFF_SIZES * opening_measurements(c));
    if (c->estimates.target < ESTIMATES_TARGET && note(c, "target_s", "%.3g", c->estimates.target) != STEP_ON)
        return STEP_END;
    enum step step = run_sweep(c, SWEEP_OPENING, 0);
    if (step != STEP_ON)
        return step;
    step = measure_first_pass(c);
    enum step analysis = step == STEP_END ? step : measure_analysis(c);
    if (analysis == STEP_END || step != STEP_ON || c->estimates.once || c->polygons < c->list->polygons)
        return analysis;
    for (c->pass = 2; step == STEP_ON; c->pass++)
        for (c->rep = 1; c->rep <= SWEEP_REPETITIONS && step == STEP_ON; c->rep++)
            step = measure_repetition(c);
    return step;
}

enum exit_status scheduler_run(struct scheduler *c)
{
    enum step step = measure_all(c);
    if (step != STEP_END && c->rules.left_out &&
        note(c, "slow_left_out", "%" PRId64, c->rules.left_out) != STEP_ON)
        return EXIT_ERRORS;
    if (step == STEP_END && c->stop)
        message_set(&c->error, "stopped by signal %d", c->stop);
    return step != STEP_END ? EXIT_RATED : c->stop ? EXIT_STOPPED : EXIT_ERRORS;
}
