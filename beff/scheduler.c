#include "beff/scheduler.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

/* Maximum attempts per measurement. */
enum { ATTEMPTS = 3 };

/* STEP_ON: the run continues. STEP_OVER: the time is up. STEP_END: a signal or a failure ends the run. */
enum step { STEP_ON = 0, STEP_OVER, STEP_END };

static double now(const struct scheduler *c)
{
    return c->ops.elapsed(c->ops.context);
}

double scheduler_reserved(double nodes, double load, double time)
{
    return nodes * time + load + engine_reserve(time);
}

static double time_left(const struct scheduler *c)
{
    return *c->time - scheduler_reserved(c->nodes, c->load, *c->time) - now(c);
}

/* Returns T for a run whose measurements end after `seconds`. */
static double time_for(const struct scheduler *c, double seconds)
{
    return estimates_time(seconds + scheduler_reserved(c->nodes, c->load, seconds));
}

static bool is_shortened(const struct scheduler *c)
{
    return c->rules.largest_from != INT_MAX;
}

/* ---- one measurement ---- */

static struct beff_record make_record(const struct scheduler *c, const struct command *command,
                                      const struct measurement *m)
{
    const struct pattern *pattern = &c->list->patterns[command->pattern];
    struct beff_record record = {.pass = sweep_pass(c->sweep),
                                 .rep = sweep_rep(c->sweep),
                                 .bytes = c->list->sizes[command->size],
                                 .messages = pattern->messages,
                                 .loops = command->loops,
                                 .t_min = m->t_min,
                                 .t_avg = m->t_avg,
                                 .t_max = m->t_max,
                                 .errors = m->errors};
    snprintf(record.pattern, sizeof record.pattern, "%s", pattern->id);
    snprintf(record.method, sizeof record.method, "%s", method_name(command->method));
    record.bandwidth = beff_record_type.bandwidth(&record);
    return record;
}

/* Records an attempt that does not count. */
static void discard(struct scheduler *c, struct beff_record *record, enum discard reason)
{
    record->reason = reason;
    protocol_add(c->protocol, BEFF_DISCARDED, record, 1);
}

static enum step add_record(struct scheduler *c, const struct command *command, struct beff_record *record)
{
    if (!(record->t_max > 0)) {
        discard(c, record, DISCARD_CLOCK);
        message_set(&c->error, "the clock stood still or went back in every attempt at %s, %s, %" PRId64 " B",
                    record->pattern, record->method, record->bytes);
        return STEP_END;
    }
    rules_learn(&c->rules, c->sweep, command->pattern, command->method, command->size,
                record->t_max / (double)record->loops);
    protocol_record(c->protocol, record);
    return protocol_error(c->protocol, &c->error) ? STEP_END : STEP_ON;
}

/* Measures a method at one size. Repeats the measurement, up to three attempts, if it was too short or if its
 * time was not positive. */
static enum step measure(struct scheduler *c, int pattern, enum method method, int size)
{
    struct estimates *e = &c->estimates;
    double one = estimates_last(e, pattern, method, size);
    for (int attempt = 1;; attempt++) {
        struct command command = {pattern, method, size, estimates_loops(e, one), estimates_untimed(e, one)};
        struct measurement m = c->ops.measure(c->ops.context, &command);
        struct beff_record record = make_record(c, &command, &m);
        if ((c->stop = m.stop)) {
            discard(c, &record, DISCARD_SIGNAL);
            return STEP_END;
        }
        double before = c->last;
        bool positive = m.t_min > 0; /* on every process */
        bool brief = m.t_max < ESTIMATES_SHORT / ESTIMATES_TARGET * e->target && command.loops < e->max_loops;
        c->last = now(c);
        if (positive)
            estimates_learn(e, &command, m.t_max, c->last - before);
        one = estimates_again(one, m.t_max, command.loops, c->resolution);
        if ((positive && !brief) || attempt == ATTEMPTS || estimates_cost(e, one) > time_left(c))
            return add_record(c, &command, &record);
        discard(c, &record, positive ? DISCARD_SHORT : DISCARD_CLOCK);
    }
}

/* Measures a cell with all its methods. Returns STEP_OVER, and measures nothing, if they do not all fit. */
static enum step measure_cell(struct scheduler *c, int pattern, int size)
{
    enum step step = STEP_ON;
    if (estimates_cell(&c->estimates, c->sweep, pattern, size, is_shortened(c)) > time_left(c))
        return STEP_OVER;
    for (int m = 0; m < METHODS && !step; m++)
        if (rules_take(&c->rules, c->sweep, pattern, (enum method)m, size))
            step = measure(c, pattern, (enum method)m, size);
    return step;
}

/* ---- sweeps ---- */

/* Ends the opening early if its remaining sizes, estimated from the polygons' times, do not fit. This is
 * checked after each size, once a quarter of T has passed, which is the time planned for the opening
 * (estimates_target). An earlier estimate may be noise. */
static enum step look_at_opening(struct scheduler *c, enum step step, int size)
{
    double rest = 0;
    int count = BEFF_RING_PATTERNS + patterns_opening(c->list);
    for (int s = step == STEP_ON ? size + 1 : size; s < BEFF_SIZES; s++)
        rest += count * estimates_cell(&c->estimates, SWEEP_OPENING, BEFF_RING_PATTERNS, s, false) +
                estimates_cell(&c->estimates, SWEEP_OPENING, pattern_find(c->list, "pingpong"), s, false);
    bool early = now(c) < (c->given ? *c->time : SCHEDULER_TIME) / 4;
    if (c->estimates.measurements == 0 || (step == STEP_ON && (early || rest <= fmax(time_left(c), 0))))
        return step;
    protocol_put(c->protocol, "opening_needs_s", "%.0f", time_for(c, now(c) + rest));
    return STEP_OVER;
}

static enum step measure_size(struct scheduler *c, int size)
{
    enum step step = STEP_ON;
    sweep_draw(c->list, c->sweep, size, c->order);
    for (int i = 0; i < c->list->count && !step; i++)
        if (sweep_has(c->list, c->sweep, c->polygons, c->wanted, (int)c->order[i]))
            step = measure_cell(c, (int)c->order[i], size);
    estimates_settle(&c->estimates);
    return c->sweep == SWEEP_OPENING && step != STEP_END ? look_at_opening(c, step, size) : step;
}

/* Measures a sweep that is expected to take `expected` seconds, if it fits. */
static enum step run_sweep(struct scheduler *c, int sweep, double expected)
{
    double start = c->last = now(c);
    enum step step = c->factor * expected <= fmax(time_left(c), 0) ? STEP_ON : STEP_OVER;
    if (step == STEP_OVER || (sweep != SWEEP_OPENING && !(expected > 0)))
        return step;
    c->sweep = sweep;
    if (sweep != SWEEP_ANALYSIS)
        c->ops.begin(c->ops.context, sweep);
    for (int size = 0; size < BEFF_SIZES && !step; size++)
        step = measure_size(c, size);
    struct beff_sweep row = {sweep, sweep == SWEEP_OPENING ? NAN : expected, now(c) - start};
    if (sweep != SWEEP_OPENING && sweep != SWEEP_ANALYSIS)
        c->factor = fmax(1, row.taken / expected);
    if (step != STEP_END)
        protocol_add(c->protocol, BEFF_SWEEPS, &row, 1);
    return step;
}

/* ---- short runs ---- */

/* Returns the expected seconds of pass 1, starting with `sweep`. */
static double rest_of_pass(const struct scheduler *c, int sweep, int polygons, bool shortened)
{
    return c->factor * estimates_pass(&c->estimates, sweep, polygons, shortened);
}

/* Returns a T that is long enough for a complete pass, both in this run, continued with `sweep`, and in a new
 * run. */
static double time_needed(const struct scheduler *c, int sweep)
{
    double rest = rest_of_pass(c, sweep, c->list->polygons, true) + estimates_analysis(&c->estimates);
    return time_for(c, fmax(now(c) + rest, c->started + estimates_run(&c->estimates)));
}

/* Prints and records, before `sweep`, that no complete pass fits, and the T that would be sufficient. */
static void say_needed(struct scheduler *c, int sweep)
{
    char text[128];
    double needed = time_needed(c, sweep);
    snprintf(text, sizeof text, "the result will be NOT VALID: a complete pass needs --time %.0f", needed);
    c->ops.say(c->ops.context, text);
    c->needed = true;
    protocol_put(c->protocol, "needs_time_s", "%.0f", needed);
}

/* Chooses T after the opening if it was not given. */
static void choose_time(struct scheduler *c)
{
    char text[128];
    if (c->given)
        return;
    double time = fmin(fmax(SCHEDULER_TIME, time_needed(c, SWEEP_POLYGONS)), SCHEDULER_TIME_MAX);
    snprintf(text, sizeof text,
             "the run takes %.0f s: a complete pass takes longer than usual on this machine", time);
    if (time > SCHEDULER_TIME)
        c->ops.say(c->ops.context, text);
    c->ops.set_time(c->ops.context, time);
    protocol_put(c->protocol, "time_s", "%.17g", time);
}

/* Applies the rules for runs that are too short, before a sweep of pass 1 (docs/definition-beff-1-schedule.md
 * 3). After the opening, rule b reduces the number of polygons to the number that fits, but not below the
 * number measured in the opening. Once rule a applies, it stays in force. */
static void shorten(struct scheduler *c, int sweep)
{
    int few = patterns_opening(c->list);
    if (!is_shortened(c) && rest_of_pass(c, sweep, c->polygons, false) > time_left(c)) {
        c->rules.largest_from = sweep;
        protocol_put(c->protocol, "largest_sizes", "1 %d", sweep);
    }
    double rest = rest_of_pass(c, sweep, few, is_shortened(c)), left = time_left(c);
    double each = rest_of_pass(c, sweep, few + 1, is_shortened(c)) - rest;
    double fit = few + floor(fmax(left - rest, 0) / each);
    if (sweep != SWEEP_POLYGONS)
        return;
    if (rest > left || fit < fmin(c->list->polygons, PATTERN_VALID_POLYGONS))
        say_needed(c, sweep);
    if (fit >= c->polygons)
        return;
    c->polygons = (int)fit;
    protocol_put(c->protocol, "polygons", "%d", c->polygons);
}

/* Measures pass 1 after the opening. Returns STEP_OVER if the pass is not complete. */
static enum step measure_first_pass(struct scheduler *c)
{
    const struct estimates *e = &c->estimates;
    enum step step = STEP_ON;
    choose_time(c);
    for (int sweep = SWEEP_POLYGONS; sweep <= estimates_last_sweep(e) && !step; sweep++) {
        shorten(c, sweep);
        step = run_sweep(c, sweep, estimates_sweep(e, sweep, c->polygons, is_shortened(c)));
        if (step == STEP_OVER && !c->needed)
            say_needed(c, sweep);
        c->repetitions = step == STEP_ON ? sweep_rep(sweep) : c->repetitions;
    }
    return step;
}

/* ---- pairs alone ---- */

/* Returns the seconds for the pairs that are measured alone, in as many repetitions as the rating has. */
static double alone_seconds(const struct scheduler *c)
{
    double seconds = 0;
    for (int sweep = SWEEP_POLYGONS; sweep <= c->repetitions; sweep++)
        for (int i = 0; i < c->list->alone; i++)
            seconds += estimates_pattern(&c->estimates, sweep, c->list->count + i, is_shortened(c));
    return fmin(1.5 * seconds, SCHEDULER_ALONE * *c->time); /* some attempts are repeated */
}

/* Measures them until `end`. The sweeps from SWEEP_POLYGONS on have the numbers of their repetitions. */
static enum step measure_alone(struct scheduler *c, double end)
{
    enum step step = c->ops.choose_pair(c->ops.context) ? STEP_ON : STEP_OVER;
    c->sweep = SWEEP_POLYGONS;
    c->last = now(c);
    for (int sweep = SWEEP_POLYGONS; sweep <= c->repetitions && !step; sweep++) {
        c->sweep = sweep;
        for (int i = 0; i < BEFF_SIZES * c->list->alone && !step; i++) {
            int pattern = c->list->count + i % c->list->alone, size = i / c->list->alone;
            double cost = estimates_cell(&c->estimates, sweep, pattern, size, is_shortened(c));
            step = cost > end - now(c) ? STEP_OVER : measure_cell(c, pattern, size);
        }
    }
    if (step == STEP_OVER && c->sweep == SWEEP_POLYGONS)
        protocol_put(c->protocol, "alone_left_out", "no time");
    return step;
}

/* ---- analysis ---- */

/* Measures the analysis patterns that fit, in the order of the list. */
static enum step measure_analysis(struct scheduler *c)
{
    double left = time_left(c) / c->factor, expected = 0;
    for (int p = 0; p < c->list->count; p++) {
        const struct pattern *pattern = &c->list->patterns[p];
        double seconds = estimates_pattern(&c->estimates, SWEEP_ANALYSIS, p, false);
        if (pattern->rated || pattern->sendrecv_only || expected + seconds > left)
            continue;
        c->wanted[p] = true;
        expected += seconds;
    }
    return run_sweep(c, SWEEP_ANALYSIS, expected);
}

/* Compares the nodes, after which little is reserved for that, and measures pairs alone. */
static enum step compare_nodes(struct scheduler *c, enum step step, bool again)
{
    double alone = again ? 0 : alone_seconds(c), left = again ? 0 : fmin(c->nodes, SCHEDULER_AGAIN);
    if (step != STEP_END && c->nodes > 0)
        c->stop = c->ops.compare_nodes(c->ops.context, again, (c->nodes - left) * *c->time - alone);
    c->nodes = left;
    if (step != STEP_END && !c->stop && alone > 0 && measure_alone(c, now(c) + alone) == STEP_END)
        return STEP_END;
    return c->stop ? STEP_END : step;
}

static enum step measure_all(struct scheduler *c)
{
    c->started = now(c);
    c->ops.mark(c->ops.context, 0);
    c->estimates.target = estimates_target(*c->time, c->list);
    if (c->estimates.target < ESTIMATES_TARGET)
        protocol_put(c->protocol, "target_s", "%.3g", c->estimates.target);
    enum step step = run_sweep(c, SWEEP_OPENING, 0);
    bool opened = step == STEP_ON;
    c->repetitions = opened;
    if (opened)
        step = measure_first_pass(c);
    c->ops.mark(c->ops.context, 1);
    step = compare_nodes(c, step, false);
    if (!opened)
        return step;
    enum step analysis = step == STEP_END ? step : measure_analysis(c);
    if (analysis == STEP_END || step != STEP_ON || c->estimates.once || c->polygons < c->list->polygons)
        return analysis;
    c->ops.mark(c->ops.context, 0);
    for (int sweep = SWEEP_NEXT; step == STEP_ON; sweep++) {
        if (c->protocol->bytes > SCHEDULER_MAX_BYTES) {
            protocol_put(c->protocol, "note",
                         "further passes ended after %.0f s: run.prot has more than %d MiB", now(c),
                         SCHEDULER_MAX_BYTES >> 20);
            return STEP_OVER;
        }
        step = run_sweep(c, sweep, estimates_sweep(&c->estimates, sweep, c->polygons, is_shortened(c)));
        if (step != STEP_ON || sweep_rep(sweep) == SWEEP_REPETITIONS)
            c->ops.mark(c->ops.context, sweep_pass(sweep));
    }
    return step;
}

enum exit_status scheduler_run(struct scheduler *c)
{
    rules_make(&c->rules, c->list);
    estimates_make(&c->estimates, c->list, &c->rules, c->max_loops, c->once);
    c->polygons = c->list->polygons;
    c->factor = 1;
    enum step step = compare_nodes(c, measure_all(c), true);
    if (step != STEP_END && c->rules.skipped)
        protocol_put(c->protocol, "slow_skipped", "%" PRId64, c->rules.skipped);
    if (c->stop)
        message_set(&c->error, "stopped by signal %d", c->stop);
    return c->stop ? EXIT_STOPPED : step == STEP_END ? EXIT_ERRORS : EXIT_OK;
}
