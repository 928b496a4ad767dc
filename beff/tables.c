/* Fills the tables of beff's sheet. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "beff/loss.h"
#include "common/memory.h"
#include "common/stats.h"

/* Returns the method with the highest bandwidth; METHODS if nothing was measured. */
static enum method winner(const struct beff_results *r, int pattern, int size)
{
    enum method best = METHODS;
    for (int m = 0; m < METHODS; m++)
        if (rating_cell(&r->rating, pattern, (enum method)m, size) >
            (best < METHODS ? rating_cell(&r->rating, pattern, best, size) : 0))
            best = (enum method)m;
    return best;
}

#define AT(row, member) offsetof(struct row##_cells, member)

/* ---- by size ---- */

struct size_cells {
    int64_t bytes;
    double accumulated, per_process, rings, random, method[METHODS], link_share;
};

static const struct column size_columns[] = {
    {"bytes", "B", COLUMN_INTEGER, 0, AT(size, bytes), .role = COLUMN_SIZE},
    {"accumulated", "MB/s", COLUMN_REAL, 3, AT(size, accumulated), .role = COLUMN_HIGHER},
    {"per_process", "MB/s", COLUMN_REAL, 3, AT(size, per_process)},
    {"rings", "MB/s", COLUMN_REAL, 3, AT(size, rings)},
    {"random", "MB/s", COLUMN_REAL, 3, AT(size, random)},
    {"Sendrecv", "MB/s", COLUMN_REAL, 3, AT(size, method[METHOD_SENDRECV])},
    {"Alltoallv", "MB/s", COLUMN_REAL, 3, AT(size, method[METHOD_ALLTOALLV])},
    {"nonblocking", "MB/s", COLUMN_REAL, 3, AT(size, method[METHOD_NONBLOCKING])},
    {"link_share", "", COLUMN_REAL, 3, AT(size, link_share)}};

static void fill_size(const struct table *table, int s, void *cells)
{
    const struct beff_results *r = table->context;
    TABLE_FITS(struct size_cells);
    struct size_cells *row = cells;
    double processes = (double)r->list.processes;
    row->bytes = r->list.sizes[s];
    row->accumulated = rating_at_size(&r->rating, &r->reps, METHODS, s);
    row->per_process = row->accumulated / processes;
    row->rings = rating_kind(&r->rating, &r->reps, PATTERN_RING, METHODS, s) / processes;
    row->random = rating_kind(&r->rating, &r->reps, PATTERN_RANDOM, METHODS, s) / processes;
    for (int m = 0; m < METHODS; m++)
        row->method[m] = rating_at_size(&r->rating, &r->reps, (enum method)m, s) / processes;
    row->link_share = r->link_share[s];
}

/* ---- by pattern ---- */

struct pattern_cells {
    struct pattern pattern;
    double average, method[METHODS], lmax, iteration;
    double t_min_share, t_avg_share; /* medians over the pattern's records */
    double leaving;                  /* see beff_leaving_percent() */
};

static const struct column pattern_columns[] = {
    {"pattern", "", COLUMN_WORD, 0, AT(pattern, pattern.id), .role = COLUMN_KEY},
    {"label", "", COLUMN_WORD, 0, AT(pattern, pattern.label)},
    {"messages", "", COLUMN_INTEGER, 0, AT(pattern, pattern.messages)},
    {"average", "MB/s", COLUMN_REAL, 3, AT(pattern, average), .role = COLUMN_HIGHER},
    {"Sendrecv", "MB/s", COLUMN_REAL, 3, AT(pattern, method[METHOD_SENDRECV])},
    {"Alltoallv", "MB/s", COLUMN_REAL, 3, AT(pattern, method[METHOD_ALLTOALLV])},
    {"nonblocking", "MB/s", COLUMN_REAL, 3, AT(pattern, method[METHOD_NONBLOCKING])},
    {"lmax", "MB/s", COLUMN_REAL, 3, AT(pattern, lmax)},
    {"iteration_1B_us", "microsec", COLUMN_REAL, 3, AT(pattern, iteration)},
    {"t_min/t_max", "", COLUMN_REAL, 3, AT(pattern, t_min_share)},
    {"t_avg/t_max", "", COLUMN_REAL, 3, AT(pattern, t_avg_share)},
    {"between_nodes", "%", COLUMN_REAL, 1, AT(pattern, leaving)}}; /* last column: omitted on one node */

/* Computes t_min / t_max and t_avg / t_max: they show how unevenly the processes finished. */
static void fill_shares(const struct beff_results *r, int pattern, struct pattern_cells *row)
{
    size_t n = 0, max = (size_t)r->reps.count * RATING_CELLS;
    double *shares = memory_new(2 * max, sizeof *shares, "the times"), *averages = shares + max;
    for (size_t i = 0; i < max; i++) {
        const struct repetition *repetition = &r->reps.all[i / RATING_CELLS];
        const struct beff_record *record = repetition->record[rating_index(pattern, 0, 0) + i % RATING_CELLS];
        if (!record)
            continue;
        shares[n] = record->t_min / record->t_max;
        averages[n++] = record->t_avg / record->t_max;
    }
    row->t_min_share = stats_median(shares, n);
    row->t_avg_share = stats_median(averages, n);
    free(shares);
}

static void fill_pattern(const struct table *table, int p, void *cells)
{
    const struct beff_results *r = table->context;
    TABLE_FITS(struct pattern_cells);
    struct pattern_cells *row = cells;
    row->pattern = r->list.patterns[p];
    row->average = rating_pattern(&r->rating, p, METHODS);
    for (int m = 0; m < METHODS; m++)
        row->method[m] = rating_pattern(&r->rating, p, (enum method)m);
    row->lmax = rating_cell(&r->rating, p, METHODS, BEFF_SIZES - 1);
    row->iteration = (double)row->pattern.messages / rating_cell(&r->rating, p, METHODS, 0);
    fill_shares(r, p, row);
    row->leaving = beff_leaving_percent(r, p);
}

/* ---- by repetition ---- */

struct repetition_cells {
    struct repetition repetition;
    struct figures figures;
    const char *complete;
};

static const struct column repetition_columns[] = {
    {"pass", "", COLUMN_INTEGER, 0, AT(repetition, repetition.pass)},
    {"rep", "", COLUMN_INTEGER, 0, AT(repetition, repetition.rep)},
    {"complete", "", COLUMN_TEXT, 0, AT(repetition, complete)},
    {"b_eff", "MB/s", COLUMN_REAL, 3, AT(repetition, figures.b_eff)},
    {"rings", "MB/s", COLUMN_REAL, 3, AT(repetition, figures.rings)},
    {"random", "MB/s", COLUMN_REAL, 3, AT(repetition, figures.random)}};

static void fill_repetition(const struct table *table, int number, void *cells)
{
    const struct beff_results *r = table->context;
    TABLE_FITS(struct repetition_cells);
    struct repetition_cells *row = cells;
    row->repetition = r->reps.all[number];
    row->figures = figures_of(&r->reps, &number, 1);
    row->complete = row->repetition.complete ? "yes" : "no";
}

/* ---- by node ---- */

struct node_cells {
    struct fabric_point point;
    double mb_s;
};

static const struct column node_columns[] = {
    {"node", "", COLUMN_INTEGER, 0, AT(node, point.node)},
    {"host", "", COLUMN_WORD, 0, AT(node, point.host)},
    {"device", "", COLUMN_WORD, 0, AT(node, point.device)},
    {"processes", "", COLUMN_INTEGER, 0, AT(node, point.processes)},
    {"group", "", COLUMN_WORD, 0, AT(node, point.group)},
    {"latency", "microsec", COLUMN_REAL, 2, AT(node, point.latency), 1e6},
    {"bandwidth", "MB/s", COLUMN_REAL, 1, AT(node, mb_s)},
    {"factor", "", COLUMN_REAL, 3, AT(node, point.factor)},
    {"finding", "", COLUMN_TEXT, 0, AT(node, point.finding)}};

static void fill_node(const struct table *table, int number, void *cells)
{
    const struct beff_results *r = table->context;
    TABLE_FITS(struct node_cells);
    struct node_cells *row = cells;
    row->point = r->fabric.point[number];
    row->mb_s = beff_mb_s((double)r->fabric.bytes, row->point.seconds);
}

/* ---- between groups of nodes ---- */

static const struct column group_columns[] = {
    {"group", "", COLUMN_WORD, 0, offsetof(struct fabric_group, name)},
    {"nodes", "", COLUMN_INTEGER, 0, offsetof(struct fabric_group, nodes)},
    {"across", "MB/s", COLUMN_REAL, 1, offsetof(struct fabric_group, median)},
    {"own", "%", COLUMN_REAL, 1, offsetof(struct fabric_group, percent)},
    {"best", "MB/s", COLUMN_REAL, 1, offsetof(struct fabric_group, mb_s[0])},
    {"again", "MB/s", COLUMN_REAL, 1, offsetof(struct fabric_group, mb_s[1])}};

/* ---- all nodes at once ---- */

static const struct column injection_columns[] = {
    {"processes", "", COLUMN_INTEGER, 0, offsetof(struct injection, processes)},
    {"messages", "1/s", COLUMN_REAL, 0, offsetof(struct injection, messages)},
    {"bandwidth", "MB/s", COLUMN_REAL, 3, offsetof(struct injection, mb_s)}};

void beff_add_tables(struct beff_results *r)
{
    struct table tables[] = {
        {"by_size",
         "By message size: logavg over rings and random polygons (accumulated: all processes; others: per "
         "process)",
         TABLE_COLUMNS(size_columns), .rows = BEFF_SIZES, .fill = fill_size},
        {"by_pattern",
         "By pattern: mean over sizes, of the best method and of each method (all processes; analysis "
         "patterns are not rated)",
         TABLE_COLUMNS(pattern_columns), .rows = r->list.count, .fill = fill_pattern},
        {"by_repetition", "By repetition: rating of each single repetition",
         TABLE_COLUMNS(repetition_columns), .rows = r->reps.count, .fill = fill_repetition},
        {"by_node",
         "By node: its best exchange with another node, alone; factor: time / time of the median node",
         TABLE_COLUMNS(node_columns), .rows = r->fabric.points, .fill = fill_node},
        {"by_group",
         "By group of nodes: MB/s per node to the other groups, all of its nodes at once; own: in percent of "
         "a node's rate",
         TABLE_COLUMNS(group_columns), TABLE_ROWS(r->fabric.group, r->fabric.groups)},
        {"by_injection", "By processes per node: what a node sends while all nodes exchange in pairs",
         TABLE_COLUMNS(injection_columns), TABLE_ROWS(r->injection, r->injections)}};
    tables[1].column_count -= !r->sheet.protocol->tables[BEFF_BETWEEN].count;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (tables[i].rows > 0)
            sheet_table(&r->sheet, &tables[i], r);
    loss_add_table(r);
    r->sheet.data_count = r->list.count + (r->fabric.matrix != NULL);
}

/* ---- data files: the item is the pattern ---- */

struct cell_cells {
    int64_t bytes;
    double best, method[METHODS];
    const char *winner;
};

static const struct column cell_columns[] = {
    {"bytes", "B", COLUMN_INTEGER, 0, AT(cell, bytes)},
    {"best", "MB/s", COLUMN_REAL, 6, AT(cell, best)},
    {"Sendrecv", "MB/s", COLUMN_REAL, 6, AT(cell, method[METHOD_SENDRECV])},
    {"Alltoallv", "MB/s", COLUMN_REAL, 6, AT(cell, method[METHOD_ALLTOALLV])},
    {"nonblocking", "MB/s", COLUMN_REAL, 6, AT(cell, method[METHOD_NONBLOCKING])},
    {"best_method", "", COLUMN_TEXT, 0, AT(cell, winner)}};

static void fill_cell(const struct table *table, int s, void *cells)
{
    const struct beff_results *r = table->context;
    TABLE_FITS(struct cell_cells);
    struct cell_cells *row = cells;
    enum method best = winner(r, table->item, s);
    row->bytes = r->list.sizes[s];
    row->best = rating_cell(&r->rating, table->item, METHODS, s);
    for (int m = 0; m < METHODS; m++)
        row->method[m] = rating_cell(&r->rating, table->item, (enum method)m, s);
    row->winner = best < METHODS ? method_name(best) : "";
}

/* ---- the matrix of nodes: a row for each ordered pair ---- */

struct matrix_cells {
    int64_t from, to;
    double mb_s, way;
};

static const struct column matrix_columns[] = {{"from", "", COLUMN_INTEGER, 0, AT(matrix, from)},
                                               {"to", "", COLUMN_INTEGER, 0, AT(matrix, to)},
                                               {"bandwidth", "MB/s", COLUMN_REAL, 1, AT(matrix, mb_s)},
                                               {"one_way", "MB/s", COLUMN_REAL, 1, AT(matrix, way)}};

static void fill_matrix(const struct table *table, int number, void *cells)
{
    const struct beff_results *r = table->context;
    TABLE_FITS(struct matrix_cells);
    struct matrix_cells *row = cells;
    int n = r->fabric.points, a = number / n, b = number % n;
    double time = a == b ? 0 : (double)r->fabric.matrix[fabric_cell(n, a < b ? a : b, a < b ? b : a)];
    double way = (double)r->fabric.way[(size_t)a * (size_t)n + (size_t)b], bytes = (double)r->fabric.bytes;
    *row = (struct matrix_cells){a, b, time > 0 ? beff_mb_s(bytes, time) : NAN,
                                 way > 0 ? beff_mb_s(bytes, way) : NAN};
}

static void matrix_table(const struct beff_results *r, struct table *table)
{
    *table = (struct table){"node_matrix", TABLE_COLUMNS(matrix_columns),
                            .rows = r->fabric.points * r->fabric.points, .fill = fill_matrix, .context = r};
    snprintf(table->title, sizeof table->title,
             "By pair of nodes: MB/s of each in an exchange of %" PRId64
             " B, %s pairs at once; one_way: only from `from` to `to`",
             r->fabric.bytes, protocol_text(r->sheet.protocol, "matrix_pairs"));
}

void beff_pattern_table(const void *results, int pattern, struct table *table)
{
    const struct beff_results *r = results;
    if (pattern == r->list.count) {
        matrix_table(r, table);
        return;
    }
    const struct pattern *p = &r->list.patterns[pattern];
    *table = (struct table){TABLE_COLUMNS(cell_columns), .rows = BEFF_SIZES, .fill = fill_cell, .context = r,
                            .item = pattern};
    snprintf(table->name, sizeof table->name, "%s", p->id);
    snprintf(table->title, sizeof table->title,
             "%s (%s, %s), bandwidth of all %" PRId64 " processes together", p->id, p->label,
             p->rated ? "rated" : "not rated", r->list.processes);
}
