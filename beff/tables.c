/* The tables of beff's sheet. Uses rating, model, limits, sheet. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beff/results.h"
#include "common/stats.h"

/* logavg over the patterns of one kind at one size, of all processes together */
static double kind_at_size(const struct beff_results *r, enum pattern_kind kind, enum method method, int size)
{
    double values[BEFF_RING_PATTERNS + PATTERN_MOST_POLYGONS];
    size_t n = 0;
    for (int p = 0; p < r->list.count; p++)
        if (r->list.patterns[p].kind == kind)
            values[n++] = rating_cell(&r->rating, p, method, size);
    return stats_logavg(values, n);
}

double beff_at_size(const struct beff_results *r, enum method method, int size)
{
    return sqrt(kind_at_size(r, PATTERN_RING, method, size) * kind_at_size(r, PATTERN_RANDOM, method, size));
}

/* The method with the highest bandwidth; METHODS if nothing was measured. */
static enum method winner(const struct beff_results *r, int pattern, int size)
{
    enum method best = METHODS;
    double highest = 0;
    for (int m = 0; m < METHODS; m++) {
        double value = rating_cell(&r->rating, pattern, (enum method)m, size);
        if (value > highest) {
            highest = value;
            best = (enum method)m;
        }
    }
    return best;
}

/* The method that wins most rated patterns at this size, as "Sendrecv 20/36". */
static void most_wins(const struct beff_results *r, int size, char *text, size_t text_size)
{
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

static void add_sizes(struct beff_results *r)
{
    static const struct table_column columns[] = {
        {"bytes", "B", CELL_INTEGER, 0},       {"accumulated", "MB/s", CELL_REAL, 3},
        {"per_process", "MB/s", CELL_REAL, 3}, {"rings", "MB/s", CELL_REAL, 3},
        {"random", "MB/s", CELL_REAL, 3},      {"Sendrecv", "MB/s", CELL_REAL, 3},
        {"Alltoallv", "MB/s", CELL_REAL, 3},   {"nonblocking", "MB/s", CELL_REAL, 3},
        {"limit", "MB/s", CELL_REAL, 0},       {"of_limit", "%", CELL_REAL, 1},
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
        row[0].number = (double)r->list.sizes[s];
        row[1].number = beff_at_size(r, METHODS, s);
        row[2].number = row[1].number / processes;
        row[3].number = kind_at_size(r, PATTERN_RING, METHODS, s) / processes;
        row[4].number = kind_at_size(r, PATTERN_RANDOM, METHODS, s) / processes;
        for (int m = 0; m < METHODS; m++)
            row[5 + m].number = beff_at_size(r, (enum method)m, s) / processes;
        row[8].number = r->limits.at[s];
        row[9].number = 100 * row[1].number / r->limits.at[s];
        most_wins(r, s, row[10].text, sizeof row[10].text);
    }
}

static double mean_over_sizes(const struct beff_results *r, int pattern, enum method method)
{
    double sum = 0;
    for (int s = 0; s < BEFF_SIZES; s++)
        sum += rating_cell(&r->rating, pattern, method, s);
    return sum / BEFF_SIZES;
}

/* What all records of a pattern tell: how unevenly the processes were done (medians of t_min / t_max and
 * t_avg / t_max), the share of measurements in which a process was held up, involuntary context switches. */
static void add_record_facts(const struct beff_results *r, int pattern, struct cell *cells)
{
    const struct protocol *p = r->sheet.protocol;
    double *shares = calloc(2 * p->record_count + 1, sizeof *shares);
    double held_up = 0, switches = 0;
    size_t n = 0;
    for (size_t i = 0; shares && i < p->record_count; i++) {
        const struct beff_record *record = protocol_at(p, i);
        if (r->sweeps.pattern_of[i] == pattern) {
            shares[n] = record->t_min / record->t_max;
            shares[p->record_count + n++] = record->t_avg / record->t_max;
            held_up += record->held_up > 0;
            switches += (double)record->switches;
        }
    }
    if (n) {
        cells[0].number = stats_median(shares, n);
        cells[1].number = stats_median(shares + p->record_count, n);
        cells[2].number = 100 * held_up / (double)n;
        cells[3].number = switches;
    }
    free(shares);
}

static void add_patterns(struct beff_results *r)
{
    static const struct table_column columns[] = {
        {"pattern", "", CELL_TEXT, 0},         {"label", "", CELL_TEXT, 0},
        {"messages", "", CELL_INTEGER, 0},     {"average", "MB/s", CELL_REAL, 3},
        {"per_process", "MB/s", CELL_REAL, 3}, {"Sendrecv", "MB/s", CELL_REAL, 3},
        {"Alltoallv", "MB/s", CELL_REAL, 3},   {"nonblocking", "MB/s", CELL_REAL, 3},
        {"lmax", "MB/s", CELL_REAL, 3},        {"iteration_1B", "microsec", CELL_REAL, 3},
        {"t_min/t_max", "", CELL_REAL, 3},     {"t_avg/t_max", "", CELL_REAL, 3},
        {"held_up", "%", CELL_REAL, 1},        {"switches", "", CELL_INTEGER, 0}};
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
        row[8].number = rating_cell(&r->rating, p, METHODS, BEFF_SIZES - 1);
        row[9].number = (double)pattern->messages / rating_cell(&r->rating, p, METHODS, 0);
        add_record_facts(r, p, &row[10]);
    }
}

static void add_repetitions(struct beff_results *r)
{
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

/* ---- model ---- */

static void fill_model(struct cell *row, const char *id, const struct model *model)
{
    snprintf(row[0].text, sizeof row[0].text, "%s", id);
    row[1].number = model->latency;
    row[2].number = model->b_inf;
    row[3].number = model->half;
    row[4].number = model->balance;
    row[5].number = 100 * model->residual;
}

static void add_models(struct beff_results *r)
{
    static const struct table_column columns[] = {
        {"pattern", "", CELL_TEXT, 0},   {"latency", "microsec", CELL_REAL, 3},
        {"b_inf", "MB/s", CELL_REAL, 1}, {"half_at", "B", CELL_REAL, 0},
        {"balance", "B", CELL_REAL, 0},  {"residual", "%", CELL_REAL, 1}};
    struct table *table = &r->sheet.tables[r->sheet.table_count++];
    table_start(
        table, "model",
        "Model t = latency + L / b_inf, t the time in which each process moves L bytes (balance: latency * "
        "b_inf; - where it does not hold)",
        columns, sizeof columns / sizeof columns[0]);
    for (int p = -1; p < r->list.count; p++) {
        struct cell *row = table_row(table);
        if (!row)
            return;
        if (p < 0) {
            fill_model(row, "b_eff", &r->model);
            continue;
        }
        double bandwidth[BEFF_SIZES];
        for (int s = 0; s < BEFF_SIZES; s++)
            bandwidth[s] = rating_cell(&r->rating, p, METHODS, s);
        struct model model = model_fit(r->list.sizes, bandwidth, (double)r->list.processes);
        fill_model(row, r->list.patterns[p].id, &model);
    }
}

/* ---- all ---- */

void beff_add_tables(struct beff_results *r)
{
    add_sizes(r);
    add_patterns(r);
    add_models(r);
    add_repetitions(r);
}

int beff_pattern_tables(const void *results)
{
    const struct beff_results *r = results;
    return r->list.count;
}

void beff_pattern_table(const void *results, int pattern, struct table *table)
{
    const struct beff_results *r = results;
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
        row[0].number = (double)r->list.sizes[s];
        row[1].number = rating_cell(&r->rating, pattern, METHODS, s);
        for (int m = 0; m < METHODS; m++)
            row[2 + m].number = rating_cell(&r->rating, pattern, (enum method)m, s);
        enum method best = winner(r, pattern, s);
        snprintf(row[5].text, sizeof row[5].text, "%s", best < METHODS ? method_name(best) : "-");
    }
}
