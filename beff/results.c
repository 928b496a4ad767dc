/* Fills beff's sheet with figures and criteria. */
#include "beff/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beff/estimates.h"
#include "beff/settings.h"

/* ---- from metadata ---- */

static int get_integer(const struct protocol *p, const char *key, int64_t min, int64_t max, int64_t *value,
                       struct message *error)
{
    if (protocol_integer(p, key, min, max, value))
        return 0;
    return message_set(error, "the record's %s = %.40s is not from %" PRId64 " to %" PRId64, key,
                       protocol_text(p, key), min, max);
}

/* Returns the number of wrong bytes in the attempts that do not count. */
static int64_t discarded_errors(const struct protocol *protocol)
{
    size_t count;
    const struct beff_record *row = protocol_table(protocol, BEFF_DISCARDED, &count);
    int64_t errors = 0;
    for (size_t i = 0; i < count; i++)
        errors = protocol_sum(errors, row[i].errors);
    return errors;
}

/* ---- figures ---- */

struct figure_row {
    const char *name, *label, *unit;
    size_t offset;
    const char *per_process; /* name of this figure per process; NULL if it is not printed */
    bool detail;             /* see sheet_detail() */
    unsigned uses;           /* enum sheet_use, in addition to SHEET_HIGHER, or SHEET_LOWER for a time */
};

/* Maximum share of rated records shorter than ESTIMATES_SHORT, in percent (docs/definition-beff-1.md 7). */
#define BRIEF_PERCENT 5.0

#define FIGURE(member) offsetof(struct figures, member)

static const struct figure_row figure_rows[] = {
    {"b_eff", "b_eff", "MB/s", FIGURE(b_eff), "b_eff_per_process", .uses = SHEET_RANKED},
    {"b_eff_medians", "b_eff from medians of the repetitions", "MB/s", FIGURE(medians), .uses = SHEET_RANKED},
    {"b_eff_means", "b_eff from means of the times", "MB/s", FIGURE(means)},
    {"b_eff_rings", "logavg of the ring patterns", "MB/s", FIGURE(rings), .uses = SHEET_MAIN},
    {"b_eff_random", "logavg of the random polygons", "MB/s", FIGURE(random), .uses = SHEET_MAIN},
    {"b_eff_lmax", "b_eff at Lmax, rings & random", "MB/s", FIGURE(lmax), "b_eff_lmax_per_process",
     .uses = SHEET_MAIN | SHEET_RANKED},
    {"b_eff_lmax_rings", "b_eff at Lmax, rings only", "MB/s", FIGURE(lmax_rings),
     "b_eff_lmax_rings_per_process", .uses = SHEET_RANKED, .detail = true},
    {"pingpong_lmax", "ping-pong bandwidth at Lmax", "MB/s", FIGURE(pingpong), .uses = SHEET_MAIN},
    {"pingpong_latency_us", "ping-pong latency", "microsec", FIGURE(pingpong_latency),
     .uses = SHEET_MAIN | SHEET_RANKED},
    {"message_latency_us", "latency of a message, rings & random", "microsec", FIGURE(latency),
     .uses = SHEET_MAIN},
    {"b_eff_sendrecv", "b_eff with only Sendrecv", "MB/s", FIGURE(method[METHOD_SENDRECV]), .detail = true},
    {"b_eff_alltoallv", "b_eff with only Alltoallv", "MB/s", FIGURE(method[METHOD_ALLTOALLV]),
     .detail = true},
    {"b_eff_nonblocking", "b_eff with only nonblocking", "MB/s", FIGURE(method[METHOD_NONBLOCKING]),
     .detail = true},
};

static void add_figures(struct beff_results *r)
{
    double processes = (double)r->list.processes;
    const char *buffers = protocol_get(r->sheet.protocol, "buffers");
    snprintf(r->label, sizeof r->label, buffers ? "%s (%.32s)" : "%s", figure_rows[0].label, buffers);
    for (size_t i = 0; i < sizeof figure_rows / sizeof figure_rows[0]; i++) {
        const struct figure_row *row = &figure_rows[i];
        double value = *(const double *)(const void *)((const char *)&r->rating.figures + row->offset);
        (row->detail ? sheet_detail : sheet_value)(&r->sheet, row->name, i ? row->label : r->label, row->unit,
                                                   value);
        sheet_use(&r->sheet, row->uses | (strcmp(row->unit, "MB/s") == 0 ? SHEET_HIGHER : SHEET_LOWER));
        if (row->per_process)
            sheet_detail(&r->sheet, row->per_process, "  per process", row->unit, value / processes);
        if (row->per_process && sheet_rates(&r->sheet, row->name))
            sheet_use(&r->sheet, SHEET_RANKED);
    }
}

/* ---- verdict ---- */

/* Adds the criteria about loops: --max-loops was not given, and few rated records were too short although
 * more loops were possible. */
static void add_record_criteria(struct beff_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    int64_t max_loops = strtoll(protocol_text(p, "option_max-loops"), NULL, 10), rated = 0, brief = 0;
    for (int i = 0; i < r->reps.count; i++)
        for (size_t cell = 0; cell < r->reps.cells && r->reps.all[i].rated; cell++) {
            const struct beff_record *record = r->reps.all[i].record[cell];
            if (!record || !repetitions_rate(&r->reps, &r->list.patterns[cell / RATING_CELLS]))
                continue;
            rated++;
            brief += record->t_max < ESTIMATES_SHORT && (max_loops == 0 || record->loops < max_loops);
        }
    double percent = rated ? 100 * (double)brief / (double)rated : 0;
    sheet_criterion(&r->sheet, max_loops == 0, "iterations per measurement unlimited (--max-loops: %s)",
                    protocol_text(p, "option_max-loops"));
    sheet_criterion(&r->sheet, percent <= BRIEF_PERCENT,
                    "at most %g %% of the measurements shorter than %g ms (%.1f %%)", BRIEF_PERCENT,
                    1e3 * ESTIMATES_SHORT, percent);
    if (protocol_get(p, "target_s"))
        sheet_of_time(&r->sheet);
}

static bool is_simulated(const struct protocol *p)
{
    return protocol_is(p, "option_clock", "simulated");
}

static void add_pass_criterion(struct beff_results *r)
{
    const char *needed = protocol_get(r->sheet.protocol, "needs_time_s");
    bool valid = r->rating.whole > 0 && r->reps.polygons >= PATTERN_VALID_POLYGONS;
    const char *why = valid || *r->sheet.noise ? "" : r->sheet.disturbance; /* or it follows the noise */
    char needs[48] = "";
    if (needed && !valid)
        snprintf(needs, sizeof needs, "; needs --time %.20s", needed);
    sheet_criterion(&r->sheet, valid,
                    "at least one complete pass: 3 repetitions of the rings and %d polygons, all sizes (%d "
                    "completed; polygons: %d%s)%s%s",
                    PATTERN_VALID_POLYGONS, r->rating.whole, r->reps.polygons, needs, *why ? ": " : "", why);
    if (isfinite(r->rating.figures.b_eff) && r->list.polygons >= PATTERN_VALID_POLYGONS)
        sheet_of_time(&r->sheet);
}

/* Adds a note for each way in which the run was shortened. */
static void add_shortened(struct beff_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    struct texts *notes = &r->sheet.notes;
    const char *largest = protocol_get(p, "largest_sizes"), *slow = protocol_get(p, "slow_skipped");
    const char *target = protocol_get(p, "target_s"), *needed = protocol_get(p, "opening_needs_s");
    int analysis = 0, missing = 0;
    for (int i = 0; i < r->list.count; i++)
        if (!r->list.patterns[i].rated) {
            analysis++;
            missing += isnan(rating_pattern(&r->rating, i, METHODS));
        }
    if (r->list.skipped)
        texts_add(notes, "measured only with %s (--methods): fewer methods can only lower the result",
                  protocol_text(p, "option_methods"));
    if (needed)
        texts_add(notes,
                  "the time is too short: one measurement of each size needs at least --time %.20s here",
                  needed);
    if (target)
        texts_add(notes, "measurements of %.3g ms instead of %.3g ms, because the time is short",
                  1e3 * strtod(target, NULL), 1e3 * ESTIMATES_TARGET);
    if (!*r->rating.missing && r->reps.polygons < r->list.polygons)
        texts_add(notes, "random polygons: %d instead of %d", r->reps.polygons, r->list.polygons);
    if (!*r->rating.missing && !r->rating.whole && r->rating.repetitions < SWEEP_REPETITIONS)
        texts_add(notes, "complete repetitions: %d instead of %d; a maximum over fewer repetitions is lower",
                  r->rating.repetitions, SWEEP_REPETITIONS);
    if (largest)
        texts_add(notes,
                  "the two largest sizes were measured with only the best method (from pass 1, "
                  "repetition%.20s), and repetition 3 without Lmax, as in the definition and in release 3.6",
                  largest + strcspn(largest, " "));
    if (missing && r->reps.count)
        texts_add(notes, "analysis patterns without all sizes: %d of %d", missing, analysis);
    if (slow)
        texts_add(notes, "Alltoallv was skipped in %.20s cell%s, where it was more than %g times as slow",
                  slow, TEXT_S(strtol(slow, NULL, 10)), SWEEP_SLOW);
}

static void add_criteria(struct beff_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    int64_t errors = protocol_sum(r->load.errors, r->fabric.errors);
    r->sheet.errors = protocol_sum(protocol_sum(r->reps.errors, errors), discarded_errors(p));
    if (is_simulated(p))
        sheet_criterion(&r->sheet, false, "a real machine (simulated by %s)", protocol_text(p, "mpi"));
    add_pass_criterion(r);
    sheet_criterion(&r->sheet, r->sheet.errors == 0,
                    "both ends of each %smessage correct (%" PRId64 " wrong byte%s)",
                    protocol_get(p, "buffers") ? "checked " : "", r->sheet.errors, TEXT_S(r->sheet.errors));
    add_record_criteria(r);
    sheet_criterion(&r->sheet, protocol_is(p, "oversubscribed", "no"),
                    "at most one process per hardware thread (oversubscribed: %s)",
                    protocol_text(p, "oversubscribed"));
    if (protocol_get(p, "buffers"))
        sheet_criterion(&r->sheet, protocol_is(p, "gpu_shared", "no"),
                        "at most one process per GPU (shared: %s)", protocol_text(p, "gpu_shared"));
    sheet_completed(&r->sheet);
    add_shortened(r);
}

static void add_headline(struct beff_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    const char *needed = protocol_get(p, "opening_needs_s");
    double value = r->rating.figures.b_eff;
    r->sheet.rated = isfinite(value);
    if (isnan(value))
        snprintf(r->sheet.headline, sizeof r->sheet.headline, "no %s: %s; use a longer --time%s%.20s%s",
                 r->label, *r->rating.missing ? r->rating.missing : "nothing was measured",
                 needed ? ": at least " : "", needed ? needed : "", needed ? " s here" : "");
    else
        snprintf(r->sheet.headline, sizeof r->sheet.headline,
                 "%s = %.3f MB/s = %.3f * %" PRId64 " PEs with %.20s MB/PE on %.200s%s", r->label, value,
                 value / (double)r->list.processes, r->list.processes,
                 protocol_text(p, "memory_per_process_mib"),
                 is_simulated(p) ? "a SIMULATED machine" : protocol_text(p, "uname"),
                 sheet_valid(&r->sheet) ? "" : ", NOT VALID");
}

/* ---- all of it ---- */

int beff_results_make(void *results, const struct protocol *protocol, struct message *error)
{
    struct beff_results *r = results;
    *r = (struct beff_results){.sheet = {.protocol = protocol, .headline_name = "b_eff"}};
    int64_t processes, polygons, lmax, seed;
    if (get_integer(protocol, "processes", 2, INT32_MAX, &processes, error) ||
        get_integer(protocol, "option_polygons", 1, PATTERN_MAX_POLYGONS, &polygons, error) ||
        get_integer(protocol, "lmax", beff_lmax(1), beff_lmax(INT32_MAX), &lmax, error) ||
        get_integer(protocol, "seed", 0, INT64_MAX, &seed, error))
        return -1;
    const char *methods = protocol_get(protocol, "option_methods");
    patterns_make(&r->list, processes, (int)polygons, (uint64_t)seed, lmax);
    if (beff_leaving(protocol, "net-ring-1").sum >= 0)
        patterns_add_net_rings(&r->list, NULL);
    if (!(beff_leaving(protocol, "net-ring-1").sum >= 0 &&
          protocol_integer(protocol, "nodes", 1, processes, &r->nodes)))
        r->nodes = 1;
    if (protocol->tables[BEFF_ALONE].count)
        patterns_add_alone(&r->list, r->nodes);
    methods_skipped(methods ? methods : "", &r->list.skipped);
    if (repetitions_make(&r->reps, &r->list, (const struct beff_record *)(const void *)protocol->records.row,
                         protocol->records.count, protocol_get(protocol, "largest_sizes") != NULL, error))
        return -1;
    r->reps.most = protocol->repetitions;
    rating_make(&r->rating, &r->reps);
    add_figures(r);
    if (beff_add_noise(r, error))
        return -1;
    beff_add_tables(r);
    load_add(&r->load, &r->sheet);
    add_criteria(r);
    add_headline(r);
    r->sheet.passes = r->rating.pass_b_eff;
    r->sheet.pass_count = r->rating.whole;
    r->sheet.repetitions = r->rating.repetitions;
    r->rating.pass_b_eff = NULL;
    return 0;
}

void beff_results_free(void *results)
{
    struct beff_results *r = results;
    sheet_free(&r->sheet);
    rating_free(&r->rating);
    repetitions_free(&r->reps);
    free(r->injection);
    patterns_free(&r->list);
    fabric_free(&r->fabric);
}
