/* Checks protocols of beff, and describes beff to the other parts of beff_report. Checks each record against
 * its pattern, method and size, and replays the schedule of the whole run. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beff/patterns.h"
#include "beff/record.h"
#include "beff/results.h"
#include "beff/scheduler.h"
#include "beff/settings.h"
#include "beff/sweep.h"
#include "common/checksum.h"
#include "common/memory.h"
#include "common/stats.h"
#include "report/pictures.h"

enum { MAX_PASSES = 1000000 };

/* Checks pattern, method, size and number of messages. Returns false if one of the first three is unknown. */
static bool check_place(const struct check *check, const struct pattern_list *d, const struct beff_record *r)
{
    int number = pattern_find(d, r->pattern);
    enum method method = method_find(r->method);
    if (number < 0 || method == METHODS || pattern_find_size(d, r->bytes) < 0) {
        const char *what = number < 0 ? "pattern" : method == METHODS ? "method" : "message size";
        check_fail(check, true, "no such %s: %s %s %" PRId64 " B", what, r->pattern, r->method, r->bytes);
        return false;
    }
    const struct pattern *pattern = &d->patterns[number];
    if (pattern->sendrecv_only && method != METHOD_SENDRECV)
        check_fail(check, false, "%s is measured only with Sendrecv, not with %s", r->pattern, r->method);
    if (r->messages != pattern->messages)
        check_fail(check, false, "messages = %" PRId64 ", but %s has %" PRId64, r->messages, r->pattern,
                   pattern->messages);
    return true;
}

static void check_record(const struct check *check, const struct pattern_list *d)
{
    const struct beff_record *r = protocol_at(&check->report->protocol, check->i);
    const struct check_range ranges[] = {{"pass", 1, MAX_PASSES},         {"rep", 1, SWEEP_REPETITIONS},
                                         {"bytes", INT64_MIN, INT64_MAX}, /* one of the sizes: check_place */
                                         {"messages", 1, CHECK_MAX},      {"loops", 1, CHECK_MAX},
                                         {"errors", 0, INT32_MAX},        {NULL, 0, 0}};
    bool good = check_columns(check, ranges);
    if (good && !(r->t_max > 0 && r->bandwidth > 0)) {
        check_fail(check, true, "t_max = %g and bandwidth = %g are not both positive", r->t_max,
                   r->bandwidth);
        good = false;
    }
    if (!check_place(check, d, r) || !good)
        return;
    check_order(check, r->t_min, r->t_avg, r->t_max);
    check_follows(check, "bandwidth", r->bandwidth,
                  (double)r->bytes * (double)r->messages * (double)r->loops / r->t_max / 1e6);
}

/* Maximum number of cells per record, and number of cells that are allowed in addition. The results need
 * memory for every cell of a repetition, even if the repetition has few records. */
enum { CELLS_PER_RECORD = 200, CELLS_ANYWAY = 1 << 22 };

static bool repetitions_fit(struct report *report)
{
    const struct protocol *p = &report->protocol;
    int64_t polygons = 0, pass = 0, rep = 0;
    double repetitions = 0;
    protocol_integer(&report->protocol, "option_polygons", 0, INT32_MAX, &polygons);
    for (size_t i = 0; i < p->record_count; i++) {
        const struct beff_record *r = protocol_at(p, i);
        repetitions += r->pass != pass || r->rep != rep;
        pass = r->pass;
        rep = r->rep;
    }
    double cells = repetitions * METHODS * BEFF_SIZES * ((double)polygons + PATTERN_MAX_CLASSES);
    if (cells <= CELLS_PER_RECORD * (double)p->record_count + CELLS_ANYWAY)
        return true;
    REPORT_FATAL(report, "%zu records are far too few for %.0f repetitions of %" PRId64 " polygons",
                 p->record_count, repetitions, polygons);
    return false;
}

/* ---- the order ---- */

/* The state of a replay, which follows the run from its seed and its records. */
struct replay {
    struct report *report;
    const struct pattern_list *list;
    struct rules rules;
    struct estimates estimates;
    double tick;      /* clock resolution in seconds */
    double seconds;   /* seconds of the sweep's timed iterations */
    double taken;     /* total seconds of all sweeps so far, as stated in the protocol */
    size_t discarded; /* index of the metadata entry after the last replayed `discarded` line */
    size_t stated;    /* index of the metadata entry after the last `sweep` line that was read */
    size_t wrong;     /* number of attempts whose loops do not follow from the earlier attempts */
    uint32_t *order;
    bool *wanted; /* for each analysis pattern, true if it has records */
    int polygons; /* highest polygon number in the records, but at least the number in the opening */
    size_t next;  /* index of the next record */
    int sweep;
    bool over; /* pass 1 is incomplete: nothing may follow its analysis patterns */
};

static void find_members(struct replay *replay)
{
    const struct protocol *p = &replay->report->protocol;
    replay->polygons = patterns_opening(replay->list);
    for (size_t i = 0; i < p->record_count; i++) {
        const struct beff_record *r = protocol_at(p, i);
        int number = pattern_find(replay->list, r->pattern);
        const struct pattern *pattern = &replay->list->patterns[number];
        replay->wanted[number] = !pattern->rated;
        if (pattern->kind == PATTERN_RANDOM && pattern->number > replay->polygons)
            replay->polygons = pattern->number;
    }
}

/* Starts the sweep of the next record. Returns true if this sweep may follow the previous sweep. No sweep may
 * follow the analysis patterns of an incomplete pass. */
static bool start_sweep(struct replay *replay)
{
    const struct protocol *p = &replay->report->protocol;
    const struct check here = {replay->report, replay->next};
    const struct beff_record *r = protocol_at(p, replay->next);
    int sweep = sweep_of(replay->list, r->pass, r->rep, pattern_find(replay->list, r->pattern));
    bool missing = replay->over || sweep <= replay->sweep || (replay->sweep < 0 && sweep > SWEEP_OPENING);
    for (int s = replay->sweep + 1; s < sweep && !missing; s++)
        missing = s == SWEEP_POLYGONS ? replay->polygons > patterns_opening(replay->list)
                                      : s != SWEEP_ANALYSIS && sweep != SWEEP_ANALYSIS;
    if (missing)
        check_fail(&here, false, "pass %" PRId64 " rep %" PRId64 " %s is out of sequence: a sweep is missing",
                   r->pass, r->rep, r->pattern);
    replay->over = sweep == SWEEP_ANALYSIS && replay->sweep < SWEEP_THIRD;
    replay->sweep = sweep;
    replay->seconds = 0;
    return !missing;
}

/* Compares the loops of an attempt with the loops that follow from all attempts before it
 * (docs/definition.md 1.7). */
static void replay_attempt(struct replay *replay, size_t line, const struct command *attempt, double one,
                           double seconds, bool positive)
{
    struct estimates *e = &replay->estimates;
    int64_t loops = estimates_loops(e, one);
    if (attempt->loops != loops && replay->wrong++ == 0)
        finding_add(&replay->report->findings, &(struct finding){.line = line},
                    "loops = %" PRId64 ", but %" PRId64 " follow from the earlier times", attempt->loops,
                    loops);
    if (!positive)
        return;
    estimates_learn(e, attempt, seconds, 0);
    replay->seconds += seconds;
}

/* Replays the measurement of the next record: first its discarded attempts, then the recorded one. */
static void replay_measurement(struct replay *replay, struct command attempt)
{
    const struct protocol *p = &replay->report->protocol;
    const struct beff_record *r = protocol_at(p, replay->next);
    double one = estimates_last(&replay->estimates, attempt.pattern, attempt.method, attempt.size), seconds;
    char place[160], why[8];
    const char *line;
    int length = snprintf(place, sizeof place, "%" PRId64 " %" PRId64 " %s %s %" PRId64 " ", r->pass, r->rep,
                          r->pattern, r->method, r->bytes);
    for (size_t i = replay->discarded;
         (line = protocol_next(p, "discarded", &i)) && strncmp(line, place, (size_t)length) == 0 &&
         sscanf(line + length, "%" SCNd64 " %lf %7s", &attempt.loops, &seconds, why) == 3 &&
         attempt.loops > 0 && isfinite(seconds);
         replay->discarded = i) {
        replay_attempt(replay, p->meta[i - 1].line, &attempt, one, seconds, strcmp(why, "short") == 0);
        one = estimates_again(one, seconds, attempt.loops, replay->tick);
    }
    attempt.loops = r->loops;
    replay_attempt(replay, p->record_lines[replay->next], &attempt, one, r->t_max, r->t_min > 0);
}

/* Compares the time of a sweep's timed iterations with the stated time of the sweep, which has three
 * decimals. The untimed iterations are not counted: their times are not recorded, and a disturbed timed
 * iteration says nothing about them. Also skips stated sweeps without records. */
static void check_sweep_time(struct replay *replay)
{
    const struct protocol *p = &replay->report->protocol;
    double taken = 0;
    int sweep = -1;
    const char *line;
    while (sweep < replay->sweep && (line = protocol_next(p, "sweep", &replay->stated)))
        if (sscanf(line, "%d %*f %lf", &sweep, &taken) == 2)
            replay->taken += taken;
    if (sweep != replay->sweep)
        REPORT_FAULT(replay->report, "the time of sweep %d is not stated", replay->sweep);
    else if (!(replay->seconds <= taken + 1e-3))
        finding_add(&replay->report->findings, &(struct finding){.line = p->meta[replay->stated - 1].line},
                    "sweep %d took %.3f s, but its timed iterations took %.3f s", sweep, taken,
                    replay->seconds);
}

/* Replays the next record. Returns false if it is not the expected record. */
static bool replay_record(struct replay *replay, int sweep, int pattern, enum method method, int size)
{
    const struct check here = {replay->report, replay->next};
    const struct beff_record *r = protocol_at(&replay->report->protocol, replay->next);
    bool same = strcmp(r->pattern, replay->list->patterns[pattern].id) == 0 &&
                r->bytes == replay->list->sizes[size] && method_find(r->method) == method &&
                sweep_of(replay->list, r->pass, r->rep, pattern) == sweep;
    if (!same)
        check_fail(&here, false, "%s %s %" PRId64 " B, but the seed's order requires %s %s %" PRId64 " B",
                   r->pattern, r->method, r->bytes, replay->list->patterns[pattern].id, method_name(method),
                   replay->list->sizes[size]);
    replay_measurement(replay, (struct command){pattern, method, size, 0, 0});
    rules_learn(&replay->rules, sweep, pattern, method, size, r->t_max / (double)r->loops);
    replay->next++;
    return same;
}

/* Replays all methods of a cell. Returns false at the end of the records or after a wrong record. A complete
 * run may end only between two cells. */
static bool replay_cell(struct replay *replay, int sweep, int pattern, int size)
{
    const struct protocol *p = &replay->report->protocol;
    size_t first = replay->next;
    for (int m = 0; m < METHODS; m++) {
        if (!rules_take(&replay->rules, sweep, pattern, (enum method)m, size))
            continue;
        if (replay->next == p->record_count) {
            if (replay->next > first && protocol_is_complete(p))
                check_fail(&(struct check){replay->report, first}, false, "%s of %s is missing",
                           method_name((enum method)m), replay->list->patterns[pattern].id);
            return false;
        }
        if (!replay_record(replay, sweep, pattern, (enum method)m, size))
            return false;
    }
    return true;
}

/* Replays the sweep that start_sweep() started. Returns true if all its records exist, in the right order. */
static bool replay_sweep(struct replay *replay)
{
    int sweep = replay->sweep;
    for (int size = 0; size < BEFF_SIZES; size++) {
        sweep_draw(replay->list, sweep, size, replay->order);
        for (int i = 0; i < replay->list->count; i++)
            if (sweep_has(replay->list, sweep, replay->polygons, replay->wanted, (int)replay->order[i]) &&
                !replay_cell(replay, sweep, (int)replay->order[i], size))
                return false;
    }
    return true;
}

/* Checks the numbers that a complete run states about its schedule. `opened` is true if the opening is
 * complete. */
static void check_stated(struct replay *replay, bool opened)
{
    struct report *report = replay->report;
    int64_t stated, slow = 0;
    if (!protocol_get(&report->protocol, "polygons"))
        stated = replay->list->polygons;
    else if (!protocol_integer(&report->protocol, "polygons", 1, replay->list->polygons, &stated))
        stated = 0;
    protocol_integer(&report->protocol, "slow_left_out", 0, CHECK_MAX, &slow);
    if (opened && replay->polygons != stated)
        REPORT_FAULT(report, "polygons = %" PRId64 ", but the highest polygon with records is %d", stated,
                     replay->polygons);
    if (replay->taken > protocol_number(&report->protocol, "elapsed_s") + 0.1)
        REPORT_FAULT(report, "the sweeps took %.3f s, but the run took %s s", replay->taken,
                     report_meta(report, "elapsed_s"));
    if (slow != replay->rules.left_out)
        REPORT_FAULT(
            report, "slow_left_out = %" PRId64 ", but %" PRId64 " measurements with slow methods are missing",
            slow, replay->rules.left_out);
}

/* Sets the estimates to their state before the first measurement of the run. */
static void start_estimates(struct replay *replay)
{
    const struct protocol *p = &replay->report->protocol;
    int64_t max_loops = 0;
    double time = protocol_number(p, "option_time"), tick = protocol_number(p, "clock_resolution_s");
    protocol_integer(p, "option_max-loops", 0, CHECK_MAX, &max_loops);
    estimates_make(&replay->estimates, replay->list, &replay->rules, max_loops,
                   protocol_is(p, "option_clock", "simulated"));
    replay->estimates.target = estimates_target(time > 0 ? time : SCHEDULER_TIME_MAX, replay->list);
    replay->tick = tick > 0 ? tick : 0;
}

/* Checks that the records are in the order that the seed determines, and that no record is missing except at
 * the end. */
static void check_sequence(struct report *report, const struct pattern_list *list)
{
    struct replay replay = {.report = report, .list = list, .sweep = -1};
    const char *largest = protocol_get(&report->protocol, "largest_sizes");
    int64_t rep = 0;
    replay.order = memory_new((size_t)list->count, sizeof *replay.order, "the order");
    replay.wanted = memory_new((size_t)list->count, sizeof *replay.wanted, "the order");
    rules_make(&replay.rules, list);
    start_estimates(&replay);
    if (largest && (sscanf(largest, "1 %" SCNd64, &rep) != 1 || rep < 1 || rep > SWEEP_REPETITIONS))
        REPORT_FAULT(report, "largest_sizes = %.40s is not a repetition of pass 1", largest);
    else if (largest)
        replay.rules.largest_from = (int)rep;
    find_members(&replay);
    bool good = true, opened = false, ended = false;
    while (good && replay.next < report->protocol.record_count) {
        good = start_sweep(&replay) && replay_sweep(&replay);
        opened |= good || replay.sweep > SWEEP_OPENING;
        ended = replay.next == report->protocol.record_count;
        if (ended ? protocol_is_complete(&report->protocol) : good)
            check_sweep_time(&replay);
    }
    if (protocol_is_complete(&report->protocol) && ended) {
        check_stated(&replay, opened);
        replay.wrong += protocol_next(&report->protocol, "discarded", &replay.discarded) != NULL;
    }
    if (replay.wrong)
        REPORT_FAULT(report, "%zu attempt%s not follow from the earlier attempts", replay.wrong,
                     replay.wrong == 1 ? " does" : "s do");
    free(replay.order);
    free(replay.wanted);
}

/* Returns true if the stated resolution or the measured times show that the clock can distinguish times that
 * differ by less than 0.1 microseconds. The times are examined too, because a false resolution in the
 * metadata must not disable checks. */
static bool has_fine_clock(const struct protocol *p)
{
    double stated = protocol_number(p, "clock_resolution_s"), difference = INFINITY;
    double *times = memory_new(p->record_count, sizeof *times, "the times");
    for (size_t i = 0; i < p->record_count; i++)
        times[i] = ((const struct beff_record *)protocol_at(p, i))->t_max;
    stats_sort(times, p->record_count);
    for (size_t i = 1; i < p->record_count; i++)
        if (times[i] > times[i - 1])
            difference = fmin(difference, times[i] - times[i - 1]);
    free(times);
    return (stated > 0 && stated < 1e-7) || difference < 5e-8;
}

static void examine(struct report *report)
{
    static const char *const same[] = {"pass", "rep", "pattern", "method", "bytes", NULL};
    int64_t processes, polygons, lmax, seed, memory, wrong;
    check_definition(report);
    if (finding_fatal(&report->findings) || !check_metadata(report, "processes", 2, INT32_MAX, &processes) ||
        !check_metadata(report, "option_polygons", 1, PATTERN_MAX_POLYGONS, &polygons) ||
        !check_metadata(report, "lmax", beff_lmax(1), beff_lmax(INT32_MAX), &lmax) ||
        !check_metadata(report, "seed", 0, INT64_MAX, &seed) ||
        (*report_meta(report, "discarded_errors") &&
         !check_metadata(report, "discarded_errors", 0, CHECK_MAX, &wrong)))
        return;
    if (protocol_integer(&report->protocol, "memory_per_process_mib", 1, INT32_MAX, &memory))
        check_lmax(report, lmax, memory, beff_lmax(memory));
    if (!repetitions_fit(report))
        return;
    struct pattern_list d;
    patterns_make(&d, processes, (int)polygons, (uint64_t)seed, lmax);
    if (methods_left_out(report_meta(report, "option_methods"), &d.left_out))
        REPORT_FAULT(report, "option_methods = %.60s: no such method", report_meta(report, "option_methods"));
    double busy = 0;
    for (struct check check = {report, 0}; check.i < report->protocol.record_count; check.i++) {
        const struct beff_record *r = protocol_at(&report->protocol, check.i);
        check_record(&check, &d);
        busy += r->t_max;
    }
    if (!finding_fatal(&report->findings))
        check_sequence(report, &d);
    patterns_free(&d);
    check_run(report, busy);
    /* With a fine clock, two repetitions never take the same time to the last digit. */
    static const char *const measured[] = {"pattern", "method", "bytes", "loops",
                                           "t_max",   "t_avg",  "t_min", NULL};
    if (has_fine_clock(&report->protocol))
        check_repeated(report, measured, false, "times", ", to the last digit, so this record is a copy");
    check_repeated(report, same, true, "measurement", "");
}

/* ---- comparing ---- */

/* Adds the bandwidth of a pattern at each size, and the mean of these bandwidths. If `pattern` is -1, adds
 * the bandwidth of all patterns at each size instead. */
static void add_sizes(const struct beff_results *r, int pattern, struct report_items *items)
{
    bool all = pattern < 0;
    const char *id = all ? "" : r->list.patterns[pattern].id;
    struct report_item mean = {.group = "pattern", .unit = "MB/s"};
    snprintf(mean.name, sizeof mean.name, "%s", id);
    for (int s = 0; s < BEFF_SIZES; s++) {
        struct report_item item = {.group = all ? "size" : "pattern and size", .unit = "MB/s"};
        item.value = all ? beff_at_size(r, METHODS, s) : rating_cell(&r->rating, pattern, METHODS, s);
        item.bytes = (double)r->list.sizes[s];
        snprintf(item.name, sizeof item.name, "%s%ssize %d", id, all ? "" : ", ", s + 1);
        mean.value += item.value / BEFF_SIZES;
        report_item_add(items, &item);
    }
    if (!all)
        report_item_add(items, &mean);
}

static void items(const struct report *report, struct report_items *items)
{
    const struct beff_results *r = (const void *)report->sheet;
    for (int p = -1; p < r->list.count; p++)
        add_sizes(r, p, items);
}

/* ---- drawing ---- */

/* Adds b_eff and its spread within the run as data. */
static void picture_rating(struct drawing *drawing, const struct report *report)
{
    const struct sheet *sheet = report->sheet;
    FILE *out = draw_data(drawing, "patterns/b_eff.dat");
    fputs("# b_eff low high\n", out);
    double b_eff = sheet_find(sheet, "b_eff")->value;
    picture_numbers((const double[]){b_eff, b_eff * sheet->spread[0] / 100, b_eff * sheet->spread[1] / 100},
                    3, out);
    fputc('\n', out);
    memory_stream_end(out);
}

static void pictures(struct drawing *drawing, const struct report *report)
{
    snprintf(drawing->yrange, sizeof drawing->yrange, "%s", report_meta(report, "option_yrange"));
    if (strspn(drawing->yrange, "0123456789.:eE+-") != strlen(drawing->yrange))
        *drawing->yrange = 0; /* the value is not a range but a word */
    draw_add(drawing, "rings", "Rings, random polygons and ping-pong by message size");
    draw_add(drawing, "methods", "Transfer methods by message size");
    draw_add(drawing, "patterns", "Bandwidth of each pattern");
    draw_add(drawing, "repetitions", "b_eff of the run, and the rating of each repetition");
    picture_rating(drawing, report);
    picture_tables(drawing, report);
}

static double sample(const void *record, uint64_t *cell, uint64_t *group)
{
    const struct beff_record *r = record;
    *group = checksum_add(*group, r->method, strlen(r->method) + 1);
    *group = checksum_add(*group, &r->bytes, sizeof r->bytes);
    *cell = checksum_add(*group, r->pattern, strlen(r->pattern) + 1);
    return r->t_max / (double)r->loops;
}

static const char *const main_figures[] = {
    "b_eff_rings", "b_eff_random", "b_eff_lmax", "pingpong_lmax", "latency_us", "pingpong_latency_us", NULL};
static const char *const ranked[] = {"b_eff",      "b_eff_medians",    "b_eff_per_process",
                                     "b_eff_lmax", "b_eff_lmax_rings", "pingpong_latency_us",
                                     NULL};

const struct report_engine report_beff = {.engine = &beff_engine,
                                          .examine = examine,
                                          .sample = sample,
                                          .has_directory = true,
                                          .ranked = ranked,
                                          .main = main_figures,
                                          .items = items,
                                          .pictures = pictures};
