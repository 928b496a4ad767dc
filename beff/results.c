/* The sheet of beff: figures, criteria, tables. Uses rating, sheet. */
#include "beff/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beff/settings.h"
#include "common/stats.h"

/* ---- from metadata ---- */

static int get_integer(const struct protocol *p, const char *key, int64_t least, int64_t most, int64_t *value,
                       struct message *error) {
    const char *text = protocol_get(p, key);
    if (!text)
        return message_set(error, "the protocol does not tell %s", key);
    char *rest;
    *value = strtoll(text, &rest, 10);
    if (rest == text || *rest || *value < least || *value > most)
        return message_set(error, "the protocol's %s = %.40s is not from %" PRId64 " to %" PRId64, key, text,
                           least, most);
    return 0;
}

static const char *get(const struct protocol *p, const char *key) {
    const char *value = protocol_get(p, key);
    return value ? value : "unknown";
}

/* ---- figures ---- */

struct figure_row {
    const char *name, *label, *unit;
    size_t offset;
    const char *per_process; /* name of the same divided by the number of processes; NULL: not given */
};

#define FIGURE(member) offsetof(struct figures, member)

static const struct figure_row figure_rows[] = {
    {"b_eff", "b_eff", "MB/s", FIGURE(b_eff), "b_eff_per_process"},
    {"b_eff_rings", "logavg of the ring patterns", "MB/s", FIGURE(rings), NULL},
    {"b_eff_random", "logavg of the random polygons", "MB/s", FIGURE(random), NULL},
    {"b_eff_lmax", "b_eff at Lmax, rings & random", "MB/s", FIGURE(lmax), "b_eff_lmax_per_process"},
    {"b_eff_lmax_rings", "b_eff at Lmax, rings only", "MB/s", FIGURE(lmax_rings),
     "b_eff_lmax_rings_per_process"},
    {"pingpong_lmax", "ping-pong bandwidth at Lmax", "MB/s", FIGURE(pingpong), NULL},
    {"pingpong_latency", "ping-pong latency", "microsec", FIGURE(pingpong_latency), NULL},
    {"latency", "latency, rings & random", "microsec", FIGURE(latency), NULL},
    {"latency_rings", "latency, rings only", "microsec", FIGURE(latency_rings), NULL},
    {"b_eff_sendrecv", "b_eff with Sendrecv alone", "MB/s", FIGURE(method[METHOD_SENDRECV]), NULL},
    {"b_eff_alltoallv", "b_eff with Alltoallv alone", "MB/s", FIGURE(method[METHOD_ALLTOALLV]), NULL},
    {"b_eff_nonblocking", "b_eff with nonblocking alone", "MB/s", FIGURE(method[METHOD_NONBLOCKING]), NULL},
    {"path_method_last", "logavg(max_method(avg_L(max_rep))), information", "MB/s", FIGURE(method_last),
     NULL},
    {"path_repetition_last", "logavg(max_rep(avg_L(max_method))), information", "MB/s",
     FIGURE(repetition_last), NULL},
};

static void add_figures(struct beff_results *r) {
    double processes = (double)r->list.processes;
    for (size_t i = 0; i < sizeof figure_rows / sizeof figure_rows[0]; i++) {
        const struct figure_row *row = &figure_rows[i];
        double value = *(const double *)(const void *)((const char *)&r->rating.figures + row->offset);
        sheet_value(&r->sheet, row->name, row->label, row->unit, value);
        if (row->per_process)
            sheet_value(&r->sheet, row->per_process, "  per process", row->unit, value / processes);
    }
    const char *null = protocol_get(r->sheet.protocol, "null_iteration_s");
    sheet_value(&r->sheet, "null_iteration", "the tool's own time per iteration (null pattern)", "ns",
                null ? strtod(null, NULL) * 1e9 : NAN);
}

/* ---- verdict ---- */

static int count_meta(const struct protocol *p, const char *key) {
    int count = 0;
    for (size_t i = 0; i < p->meta_count; i++)
        count += strcmp(p->meta[i].key, key) == 0;
    return count;
}

static void add_criteria(struct beff_results *r) {
    const struct protocol *p = r->sheet.protocol;
    int thinned = count_meta(p, "thinned"), interrupted = count_meta(p, "interrupted");
    sheet_criterion(&r->sheet, r->rating.whole > 0 && !thinned,
                    "at least one whole pass, not thinned (%d whole, %s)", r->rating.whole,
                    thinned ? "thinned" : "not thinned");
    sheet_criterion(&r->sheet, r->sweeps.count > 0 && !*r->rating.missing,
                    "every pattern with all 21 sizes (%s)",
                    *r->rating.missing ? r->rating.missing : "all measured");
    sheet_criterion(&r->sheet, r->sweeps.errors == 0, "no data errors (%" PRId64 " found)", r->sweeps.errors);
    sheet_criterion(&r->sheet, strcmp(get(p, "oversubscribed"), "no") == 0,
                    "not oversubscribed (oversubscribed: %s)", get(p, "oversubscribed"));
    sheet_criterion(&r->sheet, strcmp(get(p, "memory_source"), "unknown") != 0,
                    "memory per process detected or given (%s MiB, %s)", get(p, "memory_per_process_mib"),
                    get(p, "memory_source"));
    sheet_criterion(&r->sheet, !interrupted, "the run came to its end (%s)",
                    interrupted ? get(p, "interrupted") : "it did");
    for (size_t i = 0; i < p->meta_count; i++)
        if (strcmp(p->meta[i].key, "thinned") == 0 || strcmp(p->meta[i].key, "note") == 0)
            sheet_note(&r->sheet, "%s", p->meta[i].value);
    sheet_note(&r->sheet,
               "compare only with results of definition %s, %s polygons, seed %s, Lmax = memory / 128",
               get(p, "definition"), get(p, "option_polygons"), get(p, "seed"));
}

static void add_headline(struct beff_results *r) {
    const struct protocol *p = r->sheet.protocol;
    double value = r->rating.figures.b_eff;
    if (isnan(value))
        snprintf(r->sheet.headline, sizeof r->sheet.headline, "no b_eff: %s",
                 *r->rating.missing ? r->rating.missing : "nothing was measured");
    else
        snprintf(r->sheet.headline, sizeof r->sheet.headline,
                 "b_eff = %.3f MB/s = %.3f * %" PRId64 " PEs with %s MB/PE on %s", value,
                 value / (double)r->list.processes, r->list.processes, get(p, "memory_per_process_mib"),
                 get(p, "uname"));
}

static void add_interval(struct beff_results *r) {
    struct sheet *sheet = &r->sheet;
    sheet->interval[0] = r->rating.interval[0];
    sheet->interval[1] = r->rating.interval[1];
    if (isnan(sheet->interval[0]))
        snprintf(sheet->interval_note, sizeof sheet->interval_note,
                 "no 95 %% interval: %d complete repetitions, it takes %d", r->rating.complete_sweeps,
                 RATING_INTERVAL_SWEEPS);
    else
        snprintf(sheet->interval_note, sizeof sheet->interval_note,
                 "95 %% interval of b_eff: %.3f to %.3f MB/s, from triples of %d repetitions; median of %d "
                 "whole passes",
                 sheet->interval[0], sheet->interval[1], r->rating.complete_sweeps, r->rating.whole);
}

/* ---- tables ---- */

/* logavg over the patterns of one kind at one size, of all processes together */
static double kind_at_size(const struct beff_results *r, enum pattern_kind kind, enum method method,
                           int size) {
    double values[BEFF_RING_PATTERNS + PATTERN_MOST_POLYGONS];
    size_t n = 0;
    for (int p = 0; p < r->list.count; p++)
        if (r->list.patterns[p].kind == kind)
            values[n++] = rating_cell(&r->sweeps, &r->rating, p, method, size);
    return stats_logavg(values, n);
}

static double both_at_size(const struct beff_results *r, enum method method, int size) {
    return sqrt(kind_at_size(r, PATTERN_RING, method, size) * kind_at_size(r, PATTERN_RANDOM, method, size));
}

/* The method with the highest bandwidth; METHODS if nothing was measured. */
static enum method winner(const struct beff_results *r, int pattern, int size) {
    enum method best = METHODS;
    double highest = 0;
    for (int m = 0; m < METHODS; m++) {
        double value = rating_cell(&r->sweeps, &r->rating, pattern, (enum method)m, size);
        if (value > highest) {
            highest = value;
            best = (enum method)m;
        }
    }
    return best;
}

/* The method that wins most rated patterns at this size, as "Sendrecv 20/36". */
static void most_wins(const struct beff_results *r, int size, char *text, size_t text_size) {
    int wins[METHODS + 1] = {0}, rated = 0, most = 0;
    for (int p = 0; p < r->list.count; p++)
        if (r->list.patterns[p].rated) {
            wins[winner(r, p, size)]++;
            rated++;
        }
    for (int m = 1; m < METHODS; m++)
        if (wins[m] > wins[most])
            most = m;
    if (wins[most])
        snprintf(text, text_size, "%s %d/%d", method_name((enum method)most), wins[most], rated);
}

static void add_sizes(struct beff_results *r) {
    static const struct table_column columns[] = {
        {"bytes", "B", CELL_INTEGER, 0},       {"accumulated", "MB/s", CELL_REAL, 3},
        {"per_process", "MB/s", CELL_REAL, 3}, {"rings", "MB/s", CELL_REAL, 3},
        {"random", "MB/s", CELL_REAL, 3},      {"Sendrecv", "MB/s", CELL_REAL, 3},
        {"Alltoallv", "MB/s", CELL_REAL, 3},   {"nonblocking", "MB/s", CELL_REAL, 3},
        {"best_method", "", CELL_TEXT, 0}};
    struct table *table = &r->sheet.tables[r->sheet.table_count++];
    double processes = (double)r->list.processes;
    table_start(table, "by_size",
                "By message size: logavg over rings and random polygons (accumulated; the rest per process)",
                columns, sizeof columns / sizeof columns[0]);
    for (int s = 0; s < BEFF_SIZES; s++) {
        struct cell *row = table_row(table);
        if (!row)
            return;
        row[0].number = (double)r->sweeps.sizes[s];
        row[1].number = both_at_size(r, METHODS, s);
        row[2].number = row[1].number / processes;
        row[3].number = kind_at_size(r, PATTERN_RING, METHODS, s) / processes;
        row[4].number = kind_at_size(r, PATTERN_RANDOM, METHODS, s) / processes;
        for (int m = 0; m < METHODS; m++)
            row[5 + m].number = both_at_size(r, (enum method)m, s) / processes;
        most_wins(r, s, row[8].text, sizeof row[8].text);
    }
}

static double mean_over_sizes(const struct beff_results *r, int pattern, enum method method) {
    double sum = 0;
    for (int s = 0; s < BEFF_SIZES; s++)
        sum += rating_cell(&r->sweeps, &r->rating, pattern, method, s);
    return sum / BEFF_SIZES;
}

/* How unevenly the processes were done: medians over the records of a pattern of t_min / t_max and t_avg /
 * t_max. */
static void process_spread(const struct beff_results *r, const char *pattern, double *min_share,
                           double *avg_share) {
    const struct protocol *p = r->sheet.protocol;
    double *shares = calloc(2 * p->record_count + 1, sizeof *shares);
    size_t n = 0;
    *min_share = *avg_share = NAN;
    if (!shares)
        return;
    for (size_t i = 0; i < p->record_count; i++) {
        const struct beff_record *record = protocol_at(p, i);
        if (strcmp(record->pattern, pattern) == 0) {
            shares[n] = record->t_min / record->t_max;
            shares[p->record_count + n++] = record->t_avg / record->t_max;
        }
    }
    *min_share = stats_median(shares, n);
    *avg_share = stats_median(shares + p->record_count, n);
    free(shares);
}

static void add_patterns(struct beff_results *r) {
    static const struct table_column columns[] = {
        {"pattern", "", CELL_TEXT, 0},         {"label", "", CELL_TEXT, 0},
        {"messages", "", CELL_INTEGER, 0},     {"average", "MB/s", CELL_REAL, 3},
        {"per_process", "MB/s", CELL_REAL, 3}, {"Sendrecv", "MB/s", CELL_REAL, 3},
        {"Alltoallv", "MB/s", CELL_REAL, 3},   {"nonblocking", "MB/s", CELL_REAL, 3},
        {"lmax", "MB/s", CELL_REAL, 3},        {"iteration_1B", "microsec", CELL_REAL, 3},
        {"t_min/t_max", "", CELL_REAL, 3},     {"t_avg/t_max", "", CELL_REAL, 3}};
    struct table *table = &r->sheet.tables[r->sheet.table_count++];
    table_start(table, "by_pattern",
                "By pattern: mean over sizes of the best method, and of each alone (all processes; analysis "
                "patterns are not rated)",
                columns, sizeof columns / sizeof columns[0]);
    for (int p = 0; p < r->list.count; p++) {
        const struct pattern *pattern = &r->list.patterns[p];
        struct cell *row = table_row(table);
        if (!row)
            return;
        snprintf(row[0].text, sizeof row[0].text, "%s", pattern->id);
        snprintf(row[1].text, sizeof row[1].text, "%.*s", (int)sizeof row[1].text - 1, pattern->label);
        row[2].number = (double)pattern->messages;
        row[3].number = mean_over_sizes(r, p, METHODS);
        row[4].number = row[3].number / (double)r->list.processes;
        for (int m = 0; m < METHODS; m++)
            row[5 + m].number = mean_over_sizes(r, p, (enum method)m);
        row[8].number = rating_cell(&r->sweeps, &r->rating, p, METHODS, BEFF_SIZES - 1);
        row[9].number = (double)pattern->messages / rating_cell(&r->sweeps, &r->rating, p, METHODS, 0);
        process_spread(r, pattern->id, &row[10].number, &row[11].number);
    }
}

static void add_repetitions(struct beff_results *r) {
    static const struct table_column columns[] = {
        {"pass", "", CELL_INTEGER, 0},   {"rep", "", CELL_INTEGER, 0},    {"complete", "", CELL_TEXT, 0},
        {"b_eff", "MB/s", CELL_REAL, 3}, {"rings", "MB/s", CELL_REAL, 3}, {"random", "MB/s", CELL_REAL, 3}};
    struct table *table = &r->sheet.tables[r->sheet.table_count++];
    table_start(table, "by_repetition", "By repetition: the definition applied to each repetition alone",
                columns, sizeof columns / sizeof columns[0]);
    for (int i = 0; i < r->sweeps.count; i++) {
        struct cell *row = table_row(table);
        if (!row)
            return;
        struct figures f = figures_of(&r->sweeps, &i, 1);
        row[0].number = (double)r->sweeps.sweep[i].pass;
        row[1].number = (double)r->sweeps.sweep[i].rep;
        snprintf(row[2].text, sizeof row[2].text, "%s", r->sweeps.sweep[i].complete ? "yes" : "no");
        row[3].number = f.b_eff;
        row[4].number = f.rings;
        row[5].number = f.random;
    }
}

void beff_pattern_table(const struct beff_results *r, int pattern, struct table *table) {
    static const struct table_column columns[] = {
        {"bytes", "B", CELL_INTEGER, 0},       {"best", "MB/s", CELL_REAL, 6},
        {"Sendrecv", "MB/s", CELL_REAL, 6},    {"Alltoallv", "MB/s", CELL_REAL, 6},
        {"nonblocking", "MB/s", CELL_REAL, 6}, {"best_method", "", CELL_TEXT, 0}};
    const struct pattern *p = &r->list.patterns[pattern];
    char title[160];
    snprintf(title, sizeof title, "%s (%s, %s), bandwidth of all %" PRId64 " processes together", p->id,
             p->label, p->rated ? "rated" : "not rated", r->list.processes);
    table_start(table, p->id, title, columns, sizeof columns / sizeof columns[0]);
    for (int s = 0; s < BEFF_SIZES; s++) {
        struct cell *row = table_row(table);
        if (!row)
            return;
        row[0].number = (double)r->sweeps.sizes[s];
        row[1].number = rating_cell(&r->sweeps, &r->rating, pattern, METHODS, s);
        for (int m = 0; m < METHODS; m++)
            row[2 + m].number = rating_cell(&r->sweeps, &r->rating, pattern, (enum method)m, s);
        enum method best = winner(r, pattern, s);
        snprintf(row[5].text, sizeof row[5].text, "%s", best < METHODS ? method_name(best) : "-");
    }
}

/* ---- all of it ---- */

int beff_results_make(struct beff_results *r, const struct protocol *protocol, struct message *error) {
    *r = (struct beff_results){.sheet = {.protocol = protocol, .headline_name = "b_eff"}};
    int64_t processes, polygons;
    if (get_integer(protocol, "processes", 2, INT32_MAX, &processes, error) ||
        get_integer(protocol, "option_polygons", 1, PATTERN_MOST_POLYGONS, &polygons, error) ||
        get_integer(protocol, "lmax", 1, beff_lmax(INT64_MAX), &r->lmax, error))
        return -1;
    uint64_t seed = strtoull(get(protocol, "seed"), NULL, 10);
    if (patterns_make(&r->list, processes, (int)polygons, seed))
        return message_set(error, "out of memory for the patterns");
    if (sweeps_make(&r->sweeps, &r->list, r->lmax,
                    (const struct beff_record *)(const void *)protocol->records, protocol->record_count,
                    error))
        return -1;
    if (rating_make(&r->rating, &r->sweeps, seed))
        return message_set(error, "out of memory for the rating");
    add_sizes(r);
    add_patterns(r);
    add_repetitions(r);
    add_figures(r);
    add_interval(r);
    add_criteria(r);
    add_headline(r);
    r->sheet.passes = calloc((size_t)r->rating.passes + 1, sizeof(double));
    if (!r->sheet.passes)
        return message_set(error, "out of memory for the rating");
    for (; r->sheet.pass_count < r->rating.whole; r->sheet.pass_count++)
        r->sheet.passes[r->sheet.pass_count] = r->rating.pass_b_eff[r->sheet.pass_count];
    return 0;
}

void beff_results_free(struct beff_results *r) {
    sheet_free(&r->sheet);
    rating_free(&r->rating);
    sweeps_free(&r->sweeps);
    patterns_free(&r->list);
}
