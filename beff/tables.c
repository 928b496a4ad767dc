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

static const struct beff_results *results_of(const struct table *table)
{
    return table->context;
}

static double per_process(const struct table *table, double value)
{
    return value / (double)results_of(table)->list.processes;
}

/* ---- by size: the row is the size, `which` a method or a kind of patterns ---- */

static double size_bytes(const struct table *table, int row, size_t which)
{
    (void)which;
    return (double)results_of(table)->list.sizes[row];
}

static double size_all(const struct table *table, int row, size_t which)
{
    return beff_at_size(results_of(table), (enum method)which, row);
}

static double size_method(const struct table *table, int row, size_t which)
{
    return per_process(table, size_all(table, row, which));
}

static double size_kind(const struct table *table, int row, size_t which)
{
    return per_process(table, kind_at_size(results_of(table), (enum pattern_kind)which, METHODS, row));
}

static double size_limit(const struct table *table, int row, size_t which)
{
    (void)which;
    return results_of(table)->limits.at[row];
}

static double size_of_limit(const struct table *table, int row, size_t which)
{
    return 100 * size_all(table, row, METHODS) / size_limit(table, row, which);
}

/* The method that wins most rated patterns at this size, as "Sendrecv 20/36". */
static const char *size_best_method(const struct table *table, int row, size_t which,
                                    char buffer[CELL_TEXT_SIZE])
{
    const struct beff_results *r = results_of(table);
    int wins[METHODS + 1] = {0}, rated = 0, most = 0;
    (void)which;
    for (int p = 0; p < r->list.count; p++)
        if (r->list.patterns[p].rated) {
            wins[winner(r, p, row)]++;
            rated++;
        }
    for (int m = 1; m < METHODS; m++)
        if (wins[m] > wins[most])
            most = m;
    if (wins[most])
        snprintf(buffer, CELL_TEXT_SIZE, "%s %d/%d", method_name((enum method)most), wins[most], rated);
    return buffer;
}

static const struct table_column size_columns[] = {
    {"bytes", "B", CELL_INTEGER, 0, size_bytes},
    {"accumulated", "MB/s", CELL_REAL, 3, size_all, .which = METHODS},
    {"per_process", "MB/s", CELL_REAL, 3, size_method, .which = METHODS},
    {"rings", "MB/s", CELL_REAL, 3, size_kind, .which = PATTERN_RING},
    {"random", "MB/s", CELL_REAL, 3, size_kind, .which = PATTERN_RANDOM},
    {"Sendrecv", "MB/s", CELL_REAL, 3, size_method, .which = METHOD_SENDRECV},
    {"Alltoallv", "MB/s", CELL_REAL, 3, size_method, .which = METHOD_ALLTOALLV},
    {"nonblocking", "MB/s", CELL_REAL, 3, size_method, .which = METHOD_NONBLOCKING},
    {"limit", "MB/s", CELL_REAL, 0, size_limit},
    {"of_limit", "%", CELL_REAL, 1, size_of_limit},
    {"best_method", "", CELL_TEXT, .text = size_best_method}};

/* ---- by pattern: the row is the pattern, `which` a method ---- */

static double mean_over_sizes(const struct table *table, int row, size_t which)
{
    const struct beff_results *r = results_of(table);
    double sum = 0;
    for (int s = 0; s < BEFF_SIZES; s++)
        sum += rating_cell(&r->rating, row, (enum method)which, s);
    return sum / BEFF_SIZES;
}

static double mean_per_process(const struct table *table, int row, size_t which)
{
    return per_process(table, mean_over_sizes(table, row, which));
}

static const char *pattern_id(const struct table *table, int row, size_t which, char buffer[CELL_TEXT_SIZE])
{
    (void)which, (void)buffer;
    return results_of(table)->list.patterns[row].id;
}

static const char *pattern_label(const struct table *table, int row, size_t which,
                                 char buffer[CELL_TEXT_SIZE])
{
    (void)which, (void)buffer;
    return results_of(table)->list.patterns[row].label;
}

static double pattern_messages(const struct table *table, int row, size_t which)
{
    (void)which;
    return (double)results_of(table)->list.patterns[row].messages;
}

static double pattern_lmax(const struct table *table, int row, size_t which)
{
    const struct beff_results *r = results_of(table);
    (void)which;
    return rating_cell(&r->rating, row, METHODS, BEFF_SIZES - 1);
}

static double pattern_iteration(const struct table *table, int row, size_t which)
{
    const struct beff_results *r = results_of(table);
    return pattern_messages(table, row, which) / rating_cell(&r->rating, row, METHODS, 0);
}

static double pattern_fact(const struct table *table, int row, size_t which)
{
    return table_real_at(&results_of(table)->facts[row], which);
}

#define FACT(member) pattern_fact, .which = offsetof(struct beff_facts, member)

static const struct table_column pattern_columns[] = {
    {"pattern", "", CELL_TEXT, .text = pattern_id},
    {"label", "", CELL_TEXT, .text = pattern_label},
    {"messages", "", CELL_INTEGER, 0, pattern_messages},
    {"average", "MB/s", CELL_REAL, 3, mean_over_sizes, .which = METHODS},
    {"per_process", "MB/s", CELL_REAL, 3, mean_per_process, .which = METHODS},
    {"Sendrecv", "MB/s", CELL_REAL, 3, mean_over_sizes, .which = METHOD_SENDRECV},
    {"Alltoallv", "MB/s", CELL_REAL, 3, mean_over_sizes, .which = METHOD_ALLTOALLV},
    {"nonblocking", "MB/s", CELL_REAL, 3, mean_over_sizes, .which = METHOD_NONBLOCKING},
    {"lmax", "MB/s", CELL_REAL, 3, pattern_lmax},
    {"iteration_1B", "microsec", CELL_REAL, 3, pattern_iteration},
    {"t_min/t_max", "", CELL_REAL, 3, FACT(t_min_share)},
    {"t_avg/t_max", "", CELL_REAL, 3, FACT(t_avg_share)},
    {"held_up", "%", CELL_REAL, 1, FACT(held_up)},
    {"switches", "", CELL_INTEGER, 0, FACT(switches)}};

/* ---- model: row 0 is the whole, row n the pattern n - 1 ---- */

static const char *model_id(const struct table *table, int row, size_t which, char buffer[CELL_TEXT_SIZE])
{
    return row ? pattern_id(table, row - 1, which, buffer) : "b_eff";
}

static double model_value(const struct table *table, int row, size_t which)
{
    const struct beff_results *r = results_of(table);
    return table_real_at(row ? &r->facts[row - 1].model : &r->model, which);
}

static double model_percent(const struct table *table, int row, size_t which)
{
    return 100 * model_value(table, row, which);
}

static const struct table_column model_columns[] = {
    {"pattern", "", CELL_TEXT, .text = model_id},
    {"latency", "microsec", CELL_REAL, 3, model_value, .which = offsetof(struct model, latency)},
    {"b_inf", "MB/s", CELL_REAL, 1, model_value, .which = offsetof(struct model, b_inf)},
    {"half_at", "B", CELL_REAL, 0, model_value, .which = offsetof(struct model, half)},
    {"balance", "B", CELL_REAL, 0, model_value, .which = offsetof(struct model, balance)},
    {"residual", "%", CELL_REAL, 1, model_percent, .which = offsetof(struct model, residual)}};

/* ---- by repetition: the row is the sweep ---- */

static double sweep_pass(const struct table *table, int row, size_t which)
{
    (void)which;
    return (double)results_of(table)->sweeps.sweep[row].pass;
}

static double sweep_rep(const struct table *table, int row, size_t which)
{
    (void)which;
    return (double)results_of(table)->sweeps.sweep[row].rep;
}

static const char *sweep_complete(const struct table *table, int row, size_t which,
                                  char buffer[CELL_TEXT_SIZE])
{
    (void)which, (void)buffer;
    return results_of(table)->sweeps.sweep[row].complete ? "yes" : "no";
}

static double sweep_figure(const struct table *table, int row, size_t which)
{
    struct figures figures = figures_of(&results_of(table)->sweeps, &row, 1);
    return table_real_at(&figures, which);
}

static const struct table_column sweep_columns[] = {
    {"pass", "", CELL_INTEGER, 0, sweep_pass},
    {"rep", "", CELL_INTEGER, 0, sweep_rep},
    {"complete", "", CELL_TEXT, .text = sweep_complete},
    {"b_eff", "MB/s", CELL_REAL, 3, sweep_figure, .which = offsetof(struct figures, b_eff)},
    {"rings", "MB/s", CELL_REAL, 3, sweep_figure, .which = offsetof(struct figures, rings)},
    {"random", "MB/s", CELL_REAL, 3, sweep_figure, .which = offsetof(struct figures, random)}};

void beff_add_tables(struct beff_results *r)
{
    const struct table tables[] = {
        {.name = "by_size",
         .title =
             "By message size: logavg over rings and random polygons (accumulated; the rest per process)",
         TABLE_COLUMNS(size_columns),
         .rows = BEFF_SIZES},
        {.name = "by_pattern",
         .title =
             "By pattern: mean over sizes of the best method, and of each alone (all processes; analysis "
             "patterns are not rated)",
         TABLE_COLUMNS(pattern_columns),
         .rows = r->list.count},
        {.name = "model",
         .title = "Model t = latency + L / b_inf, t the time in which each process moves L bytes (balance: "
                  "latency * b_inf; - where it does not hold)",
         TABLE_COLUMNS(model_columns),
         .rows = r->list.count + 1},
        {.name = "by_repetition",
         .title = "By repetition: the definition applied to each repetition alone",
         TABLE_COLUMNS(sweep_columns),
         .rows = r->sweeps.count}};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        struct table table = tables[i];
        table.context = r;
        sheet_table(&r->sheet, &table);
    }
}

/* ---- data files: the item is the pattern, the row the size ---- */

static double cell_bandwidth(const struct table *table, int row, size_t which)
{
    const struct beff_results *r = results_of(table);
    return rating_cell(&r->rating, table->item, (enum method)which, row);
}

static const char *cell_winner(const struct table *table, int row, size_t which, char buffer[CELL_TEXT_SIZE])
{
    enum method best = winner(results_of(table), table->item, row);
    (void)which, (void)buffer;
    return best < METHODS ? method_name(best) : "";
}

static const struct table_column cell_columns[] = {
    {"bytes", "B", CELL_INTEGER, 0, size_bytes},
    {"best", "MB/s", CELL_REAL, 6, cell_bandwidth, .which = METHODS},
    {"Sendrecv", "MB/s", CELL_REAL, 6, cell_bandwidth, .which = METHOD_SENDRECV},
    {"Alltoallv", "MB/s", CELL_REAL, 6, cell_bandwidth, .which = METHOD_ALLTOALLV},
    {"nonblocking", "MB/s", CELL_REAL, 6, cell_bandwidth, .which = METHOD_NONBLOCKING},
    {"best_method", "", CELL_TEXT, .text = cell_winner}};

int beff_pattern_tables(const void *results)
{
    const struct beff_results *r = results;
    return r->list.count;
}

void beff_pattern_table(const void *results, int pattern, struct table *table)
{
    const struct beff_results *r = results;
    const struct pattern *p = &r->list.patterns[pattern];
    *table = (struct table){TABLE_COLUMNS(cell_columns), .rows = BEFF_SIZES, .context = r, .item = pattern};
    snprintf(table->name, sizeof table->name, "%s", p->id);
    snprintf(table->title, sizeof table->title,
             "%s (%s, %s), bandwidth of all %" PRId64 " processes together", p->id, p->label,
             p->rated ? "rated" : "not rated", r->list.processes);
}

/* ---- what the records tell of each pattern ---- */

/* `shares`: room for two numbers of each record. */
static void find_facts(struct beff_results *r, int pattern, double *shares)
{
    const struct protocol *p = r->sheet.protocol;
    struct beff_facts *facts = &r->facts[pattern];
    double held_up = 0, switches = 0, *averages = shares + p->record_count, bandwidth[BEFF_SIZES];
    size_t n = 0;
    for (size_t i = 0; i < p->record_count; i++) {
        const struct beff_record *record = protocol_at(p, i);
        if (r->sweeps.pattern_of[i] != pattern)
            continue;
        shares[n] = record->t_min / record->t_max;
        averages[n++] = record->t_avg / record->t_max;
        held_up += record->held_up > 0;
        switches += (double)record->switches;
    }
    facts->t_min_share = stats_median(shares, n);
    facts->t_avg_share = stats_median(averages, n);
    facts->held_up = 100 * held_up / (double)n; /* NaN without a record */
    facts->switches = n ? switches : NAN;
    for (int s = 0; s < BEFF_SIZES; s++)
        bandwidth[s] = rating_cell(&r->rating, pattern, METHODS, s);
    facts->model = model_fit(r->list.sizes, bandwidth, (double)r->list.processes);
}

int beff_find_facts(struct beff_results *r, struct message *error)
{
    double *shares = calloc(2 * r->sheet.protocol->record_count + 1, sizeof *shares);
    r->facts = calloc((size_t)r->list.count, sizeof *r->facts);
    for (int p = 0; shares && r->facts && p < r->list.count; p++)
        find_facts(r, p, shares);
    int failed = shares && r->facts ? 0 : message_set(error, "out of memory for the tables");
    free(shares);
    return failed;
}
