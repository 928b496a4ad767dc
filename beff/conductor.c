/* The conductor. Uses schedule, patterns, record. */
#include "beff/conductor.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"

/* The sizes that are probed before anything is known. */
static const int probe_sizes[] = {0, 12, 14, 16, 18, 19, 20};
enum { PROBES = sizeof probe_sizes / sizeof probe_sizes[0] };

enum step { STEP_ON, STEP_OVER, STEP_END }; /* go on; no time for this one; end of the run, see `end` */

static struct reduced not_reduced(void)
{
    return (struct reduced){
        .shortest = TUNING_TARGET, .best_only_from = BEFF_SIZES, .sizes_from = BEFF_SIZES};
}

int conductor_make(struct conductor *conductor, const struct conductor_world *world,
                   const struct pattern_list *list, double stop_at, int64_t most_loops, double resolution)
{
    *conductor = (struct conductor){.world = *world, .stop_at = stop_at};
    conductor->reduced = not_reduced();
    if (schedule_make(&conductor->schedule, list))
        return -1;
    conductor->schedule.most_loops = most_loops;
    conductor->schedule.resolution = resolution;
    return 0;
}

void conductor_free(struct conductor *conductor)
{
    schedule_free(&conductor->schedule);
}

static double time_left(const struct conductor *c)
{
    return c->stop_at - c->world.elapsed(c->world.context);
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
    struct order order = {BEFF_RING_PATTERNS - 1, method, size, 1, 0};
    struct outcome outcome;
    bool again = false;
    *seconds = 0;
    for (;;) {
        enum step step = perform(c, &order, &outcome);
        if (step != STEP_ON)
            return step;
        double one = outcome.t_max / (double)order.loops;
        *seconds = *seconds > 0 ? fmin(*seconds, one) : one;
        if ((again && outcome.t_max >= enough) || order.loops >= c->schedule.most_loops ||
            order.loops > 1000000)
            return STEP_ON;
        if (outcome.t_max >= enough)
            again = true; /* the shorter of two: a disturbance would spoil the whole plan */
        else if (order.loops < c->schedule.most_loops / 4)
            order.loops *= 4;
        else
            order.loops = c->schedule.most_loops;
    }
}

/* Each method at a few sizes, as long as the next probe is expected to stay within the share of the time;
 * what was not probed is taken from the first method, or extrapolated. */
static enum step probe(struct conductor *c)
{
    double seconds[METHODS][PROBES];
    int known[METHODS] = {0};
    double left = time_left(c), end = c->stop_at - left * (1 - TUNING_PROBE_SHARE);
    for (int i = 0; i < PROBES; i++)
        for (int m = 0; m < METHODS; m++) {
            double expected = 0;
            if (i > 1 && known[m] == i)
                expected = seconds[m][i - 1] * (double)c->schedule.list->sizes[probe_sizes[i]] /
                           (double)c->schedule.list->sizes[probe_sizes[i - 1]];
            bool first = i == 0 && m == 0;
            if (!first && (known[m] < i || c->stop_at - time_left(c) + expected > end))
                continue;
            enum step step = probe_one(c, (enum method)m, probe_sizes[i], &seconds[m][i]);
            if (step != STEP_ON)
                return step;
            known[m] = i + 1;
        }
    for (int m = 0; m < METHODS; m++) {
        int from = known[m] ? m : METHOD_SENDRECV;
        schedule_probe(&c->schedule, (enum method)m, probe_sizes, seconds[from], known[from]);
    }
    return STEP_ON;
}

/* ---- measuring ---- */

static void fill_record(const struct conductor *c, const struct order *order, const struct outcome *outcome,
                        struct beff_record *record)
{
    const struct pattern *pattern = &c->schedule.list->patterns[order->pattern];
    *record = (struct beff_record){.pass = c->pass,
                                   .rep = c->rep,
                                   .bytes = c->schedule.list->sizes[order->size],
                                   .messages = pattern->messages,
                                   .loops = order->loops,
                                   .t_min = outcome->t_min,
                                   .t_avg = outcome->t_avg,
                                   .t_max = outcome->t_max,
                                   .errors = outcome->errors,
                                   .held_up = outcome->held_up,
                                   .switches = outcome->switches,
                                   .clock_jumps = outcome->clock_jumps};
    snprintf(record->pattern, sizeof record->pattern, "%s", pattern->id);
    snprintf(record->method, sizeof record->method, "%s", method_name(order->method));
    record->bandwidth =
        (double)record->bytes * (double)record->messages * (double)record->loops / record->t_max / 1e6;
}

static void keep_least(int *least, int value)
{
    if (value < *least)
        *least = value;
}

/* Later passes end where the time does; only the first one can lack something. */
static void count_left_out(struct conductor *c, int size)
{
    if (c->pass > 1)
        return;
    c->reduced.sizes++;
    keep_least(&c->reduced.sizes_from, size);
}

static void count_loops(struct conductor *c, const struct reduction *reduction, double planned)
{
    if (c->pass > 1)
        return;
    c->reduced.measured++;
    if (reduction->target >= SCHEDULE_SHORTEST || planned >= SCHEDULE_WINDOW)
        return;
    c->reduced.shortened++;
    c->reduced.shortest = fmin(c->reduced.shortest, planned);
}

/* One measurement of the sweep; STEP_OVER if it would not end in time. */
static enum step measure_cell(struct conductor *c, const struct reduction *reduction, int pattern,
                              enum method method, int size)
{
    double one = schedule_estimate(&c->schedule, pattern, method, size);
    struct order order = {pattern, method, size, schedule_loops(&c->schedule, one, reduction->target),
                          schedule_warmup(size)};
    struct outcome outcome;
    double expected = schedule_cost(&c->schedule, reduction, pattern, method, size);
    bool too_long = reduction->hopeless && expected > TUNING_HOPELESS_SHARE * c->stop_at;
    if (too_long || expected + c->overrun > time_left(c)) {
        count_left_out(c, size);
        return STEP_OVER;
    }
    count_loops(c, reduction, one * (double)order.loops);
    double start = c->world.elapsed(c->world.context);
    enum step step = perform(c, &order, &outcome);
    if (step != STEP_ON)
        return step;
    struct beff_record record;
    fill_record(c, &order, &outcome, &record);
    if (c->world.record(c->world.context, &record, &c->error))
        return STEP_END;
    double wall = c->world.elapsed(c->world.context) - start;
    c->overrun = fmax(wall - expected, TUNING_OVERRUN_FADING * c->overrun);
    schedule_learn(&c->schedule, pattern, method, size, order.loops, order.warmup, outcome.t_max, wall);
    if (c->world.progress)
        c->world.progress(c->world.context, &record, c->stop_at);
    return STEP_ON;
}

/* The reduction for what comes next: planned anew in the first pass, none in later ones. */
static struct reduction plan(const struct conductor *c, const struct position *position)
{
    return c->pass == 1 ? schedule_plan(&c->schedule, position, time_left(c) * TUNING_PLAN_SHARE)
                        : schedule_full();
}

/* Whether this size of this pattern is to be measured at all; what is left out is counted. */
static bool is_wanted(struct conductor *c, const struct reduction *reduction, const struct position *position)
{
    struct reduced *t = &c->reduced;
    if (c->pass > 1)
        return true;
    t->pairs++;
    if (position->repetition > reduction->repetitions) {
        t->repetitions++;
        return false;
    }
    if (!reduction->analysis && !c->schedule.list->patterns[position->order[position->place]].rated) {
        t->analysis++;
        return false;
    }
    return true;
}

/* All methods of one pattern and size. */
static enum step measure_methods(struct conductor *c, const struct reduction *reduction,
                                 const struct position *position)
{
    int pattern = (int)position->order[position->place], size = position->size;
    enum step worst = STEP_ON;
    bool best_only = false;
    for (int m = 0; m < METHODS; m++) {
        if (!schedule_selected(&c->schedule, reduction, pattern, (enum method)m, size)) {
            best_only = !c->schedule.list->patterns[pattern].sendrecv_only;
            continue;
        }
        enum step step = measure_cell(c, reduction, pattern, (enum method)m, size);
        if (step == STEP_END)
            return step;
        if (step == STEP_OVER)
            worst = step;
    }
    if (best_only) {
        c->reduced.best_only++;
        keep_least(&c->reduced.best_only_from, size);
    }
    return worst;
}

/* All sizes of one pattern. The plan is made anew for each pattern, and when it does not fit any more. */
static enum step measure_pattern(struct conductor *c, struct position *position)
{
    enum step worst = STEP_ON;
    position->size = 0;
    struct reduction reduction = plan(c, position);
    for (; position->size < BEFF_SIZES; position->size++) {
        if (c->pass == 1 && schedule_rest(&c->schedule, &reduction, position) > time_left(c))
            reduction = plan(c, position);
        if (!is_wanted(c, &reduction, position))
            continue;
        enum step step = measure_methods(c, &reduction, position);
        if (step == STEP_END)
            return step;
        if (step == STEP_OVER)
            worst = step;
    }
    return worst;
}

/* One repetition: every pattern in turn. STEP_OVER if the time was up before its end; the first pass then
 * still measures what is short enough, later passes are whole or not at all. */
static enum step sweep(struct conductor *c, const uint32_t *order)
{
    struct position position = {.repetition = (int)c->rep, .order = order};
    enum step worst = STEP_ON;
    for (; position.place < c->schedule.list->count; position.place++) {
        if (time_left(c) <= 0)
            return STEP_OVER;
        enum step step = measure_pattern(c, &position);
        if (step == STEP_END || (step == STEP_OVER && c->pass > 1))
            return step;
        if (step == STEP_OVER)
            worst = step;
    }
    return worst;
}

/* Whether the first pass lacks measurements. */
static bool has_gaps(const struct reduced *t)
{
    return t->best_only + t->analysis + t->repetitions + t->sizes > 0;
}

static bool fits_whole_pass(const struct conductor *c, const uint32_t *order)
{
    struct reduction full = schedule_full();
    struct position start = {.repetition = 1, .order = order};
    return schedule_rest(&c->schedule, &full, &start) <= time_left(c);
}

/* The order of patterns changes between repetitions, so that a drift of the machine does not hit the same
 * pattern each time. It is drawn with the run's seed, and the records stand in the order in which they were
 * made. */
static enum step measure_all(struct conductor *c, uint32_t *order)
{
    enum step step = STEP_ON;
    struct random_stream random;
    random_start(&random, c->schedule.list->seed, CONDUCTOR_ORDER_STREAM);
    for (c->pass = 1; step == STEP_ON; c->pass++) {
        for (c->rep = 1; step == STEP_ON && c->rep <= SCHEDULE_REPETITIONS; c->rep++) {
            if (c->pass > 1 || c->rep > 1) /* the first time as listed: the rated patterns come first */
                random_shuffle(&random, order, (size_t)c->schedule.list->count);
            step = sweep(c, order);
        }
        if (c->pass > 1 && step == STEP_ON && has_gaps(&c->reduced))
            c->reduced = not_reduced(); /* the first pass is not rated any more */
        if (has_gaps(&c->reduced) && !fits_whole_pass(c, order))
            break;
    }
    return step;
}

__attribute__((format(printf, 3, 4))) static void add_line(char lines[REDUCED_LINES][REDUCED_SIZE],
                                                           int64_t count, const char *format, ...)
{
    int n = 0;
    while (n < REDUCED_LINES && lines[n][0])
        n++;
    if (count == 0 || n == REDUCED_LINES)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(lines[n], REDUCED_SIZE, format, arguments);
    va_end(arguments);
}

void conductor_reduced(const struct conductor *c, char lines[REDUCED_LINES][REDUCED_SIZE])
{
    const struct reduced *t = &c->reduced;
    memset(lines, 0, REDUCED_LINES * sizeof lines[0]);
    add_line(lines, t->shortened,
             "loops shortened: %" PRId64 " of %" PRId64
             " measurements planned below 2.5 ms, the shortest %.3g ms",
             t->shortened, t->measured, t->shortest * 1e3);
    add_line(lines, t->best_only,
             "only the best method so far: %" PRId64 " of %" PRId64 " pattern-size pairs, sizes from %" PRId64
             " B on",
             t->best_only, t->pairs, t->best_only ? c->schedule.list->sizes[t->best_only_from] : 0);
    add_line(lines, t->analysis,
             "analysis-only patterns dropped: %" PRId64 " of %" PRId64 " pattern-size pairs", t->analysis,
             t->pairs);
    add_line(lines, t->repetitions, "fewer than 3 repetitions: %" PRId64 " of %" PRId64 " pattern-size pairs",
             t->repetitions, t->pairs);
    add_line(lines, t->sizes,
             "left out for want of time: %" PRId64 " measurements, sizes from %" PRId64 " B on", t->sizes,
             t->sizes ? c->schedule.list->sizes[t->sizes_from] : 0);
    add_line(lines, t->sizes,
             "too short a time: one repetition of the rated patterns with one method takes about %.0f s here",
             t->least);
}

enum conductor_end conductor_run(struct conductor *c)
{
    uint32_t *order = calloc((size_t)c->schedule.list->count, sizeof *order);
    if (!order) {
        message_set(&c->error, "out of memory for the order of patterns");
        return CONDUCTOR_FAILED;
    }
    for (int i = 0; i < c->schedule.list->count; i++)
        order[i] = (uint32_t)i;
    enum step step = probe(c);
    if (step == STEP_ON) {
        struct position start = {.repetition = 1, .order = order};
        c->reduced.least = schedule_least(&c->schedule, &start);
        step = measure_all(c, order);
    }
    free(order);
    if (step != STEP_END)
        return CONDUCTOR_TIME_UP;
    return c->stop ? CONDUCTOR_STOPPED : CONDUCTOR_FAILED;
}
