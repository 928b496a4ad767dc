/* What is drawn of beff's runs. Uses beff's results, spread, figure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beff/results.h"
#include "common/stats.h"
#include "report/figures.h"

static const struct beff_results *results(const struct report *report)
{
    return (const void *)report->sheet;
}

/* The option --yrange of beff: "MOST" or "LEAST:MOST", MB/s. On a logarithmic axis zero says nothing. */
static void take_range(const struct report *report, struct figure_axis *axis)
{
    const char *text = report_meta(report, "option_yrange"), *colon = strchr(text, ':');
    axis->low = colon ? strtod(text, NULL) : 0;
    axis->high = strtod(colon ? colon + 1 : text, NULL);
    if (!(axis->low > 0 && axis->low < 1e300))
        axis->low = 0;
    if (!(axis->high > axis->low && axis->high < 1e300))
        axis->high = 0;
}

static void start_bandwidth(struct figure *figure, const struct report *report)
{
    struct figure_panel *panel = figure_panel(figure, "", AXIS_LOG, "bandwidth of all processes (MB/s)");
    take_range(report, &panel->y);
}

/* What is seen in a panel of several decades, once more by b_eff's own curve: differences of 10 % show. */
static void add_relative(struct figure *figure, const struct report *report)
{
    int count = figure->series_count;
    snprintf(figure->panel[0].title, sizeof figure->panel[0].title, "bandwidth of all processes");
    snprintf(figure->panel[0].y.label, sizeof figure->panel[0].y.label, "MB/s");
    struct figure_panel *panel =
        figure_panel(figure, "by the logavg of rings and polygons", AXIS_LINEAR, "ratio");
    double least = INFINITY, most = 0;
    panel->relative = true;
    for (int i = 0; i < count; i++) {
        const struct figure_series *of = &figure->series[i];
        if (of->kind != SERIES_MEASURED)
            continue;
        struct figure_series *series = figure_series(figure, of->kind, of->look, "%s", of->title);
        for (int s = 0; s < BEFF_SIZES; s++) {
            double mean = beff_at_size(results(report), METHODS, s);
            const struct figure_point *p = &of->points[s];
            figure_point(figure, series,
                         (struct figure_point){p->x, p->y / mean, p->low / mean, p->high / mean});
            least = fmin(least, p->y / mean);
            most = fmax(most, p->y / mean);
        }
    }
    panel->y.kind =
        most > 4 * least ? AXIS_LOG : AXIS_LINEAR; /* rings within nodes may be 20 times as fast */
}

static void note_bars(struct figure *figure, const struct report *report)
{
    const struct beff_results *r = results(report);
    if (r->sweeps.complete >= SPREAD_SWEEPS)
        figure_note(figure, "bars: 95 %% of what triples of the %d repetitions give", r->sweeps.complete);
    else
        figure_note(figure, "no bars: %d complete repetitions, %d required", r->sweeps.complete,
                    SPREAD_SWEEPS);
}

/* A curve over the sizes, with bars. */
static void add_curve(struct figure *figure, struct figure_series *series, const struct beff_results *r,
                      const struct spread_of *of)
{
    for (int s = 0; s < BEFF_SIZES; s++) {
        struct spread spread = spread_at(&r->sweeps, &r->rating, of, s);
        figure_point(figure, series,
                     (struct figure_point){(double)r->list.sizes[s], spread.value, spread.low, spread.high});
    }
}

/* What --limit-link allows. */
static void add_limit(struct figure *figure, const struct beff_results *r)
{
    struct figure_series *series = figure_series(figure, SERIES_LIMIT, 0, "known limit of the links");
    for (int s = 0; s < BEFF_SIZES; s++)
        figure_plain_point(figure, series, (double)r->list.sizes[s],
                           beff_at_size(r, METHODS, s) / r->link_share[s]);
}

/* ---- curves by size ---- */

struct curve {
    const char *title;
    struct spread_of of;
};

static void add_curves(struct figure *figure, const struct report *report, const struct curve *curves,
                       int count)
{
    start_bandwidth(figure, report);
    for (int i = 0; i < count; i++)
        add_curve(figure, figure_series(figure, SERIES_MEASURED, i, "%s", curves[i].title), results(report),
                  &curves[i].of);
    add_limit(figure, results(report));
    note_bars(figure, report);
    add_relative(figure, report);
}

static void fill_kinds(struct figure *figure, const struct report *report)
{
    static const struct curve curves[] = {{"ring patterns (logavg)", {-1, true, false, METHODS}},
                                          {"random polygons (logavg)", {-1, false, true, METHODS}}};
    add_curves(figure, report, curves, 2);
}

static void fill_methods(struct figure *figure, const struct report *report)
{
    struct curve curves[METHODS];
    for (int m = 0; m < METHODS; m++)
        curves[m] = (struct curve){method_name((enum method)m), {-1, true, true, (enum method)m}};
    add_curves(figure, report, curves, METHODS);
    figure_note(figure, "logavg over rings and random polygons");
}

static void add_patterns(struct figure *figure, const struct report *report, enum pattern_kind kind)
{
    const struct beff_results *r = results(report);
    int look = 0;
    start_bandwidth(figure, report);
    for (int p = 0; p < r->list.count; p++) {
        const struct pattern *pattern = &r->list.patterns[p];
        if (pattern->kind != kind)
            continue;
        struct spread_of of = {p, false, false, METHODS};
        struct figure_series *series =
            kind == PATTERN_ANALYSIS
                ? figure_series(figure, SERIES_MEASURED, look++, "%s", pattern->label)
                : figure_series(figure, SERIES_MEASURED, look++, "%s (%s)", pattern->id, pattern->label);
        add_curve(figure, series, r, &of);
    }
    note_bars(figure, report);
}

static void fill_rings(struct figure *figure, const struct report *report)
{
    add_patterns(figure, report, PATTERN_RING);
    add_limit(figure, results(report));
    add_relative(figure, report);
}

static void fill_analysis(struct figure *figure, const struct report *report)
{
    add_patterns(figure, report, PATTERN_ANALYSIS);
    add_relative(figure, report);
}

/* ---- polygons: all as an area, the best, the worst, the mean ---- */

/* The polygon whose mean is the highest (sign 1) or the lowest (-1); -1: there is none. */
static int find_extreme(const struct beff_results *r, int sign)
{
    double highest = -INFINITY;
    int found = -1;
    for (int p = 0; p < r->list.count; p++) {
        double mean = sign * rating_pattern(&r->rating, p, METHODS);
        if (r->list.patterns[p].kind == PATTERN_RANDOM && mean > highest) {
            highest = mean;
            found = p;
        }
    }
    return found;
}

static void add_area(struct figure *figure, const struct beff_results *r)
{
    struct figure_series *series = figure_series(figure, SERIES_BAND, 0, "all polygons");
    for (int s = 0; s < BEFF_SIZES; s++) {
        struct figure_point point = {(double)r->list.sizes[s], NAN, NAN, NAN};
        for (int p = 0; p < r->list.count; p++) {
            double value = rating_cell(&r->rating, p, METHODS, s);
            if (r->list.patterns[p].kind == PATTERN_RANDOM) {
                point.low = fmin(point.low, value);
                point.high = fmax(point.high, value);
            }
        }
        figure_point(figure, series, point);
    }
}

static void add_extreme(struct figure *figure, const struct beff_results *r, int sign, int look,
                        const char *which)
{
    int polygon = find_extreme(r, sign);
    if (polygon < 0)
        return;
    struct figure_series *series =
        figure_series(figure, SERIES_MEASURED, look, "%s (%s)", which, r->list.patterns[polygon].id);
    for (int s = 0; s < BEFF_SIZES; s++)
        figure_plain_point(figure, series, (double)r->list.sizes[s],
                           rating_cell(&r->rating, polygon, METHODS, s));
}

static void fill_random(struct figure *figure, const struct report *report)
{
    const struct beff_results *r = results(report);
    const struct spread_of mean = {-1, false, true, METHODS};
    start_bandwidth(figure, report);
    add_area(figure, r);
    add_extreme(figure, r, 1, 2, "best");
    add_curve(figure, figure_series(figure, SERIES_MEASURED, 0, "mean (logavg)"), r, &mean);
    add_extreme(figure, r, -1, 1, "worst");
    note_bars(figure, report);
}

/* ---- repetitions ---- */

static void fill_repetitions(struct figure *figure, const struct report *report)
{
    const struct beff_results *r = results(report);
    figure_panel(figure, "", AXIS_LINEAR, "b_eff (MB/s)");
    struct figure_series *band = figure_series(figure, SERIES_BAND, 0, "spread in this run");
    struct figure_series *rated = figure_series(figure, SERIES_CURVE, 1, "b_eff (best of its repetitions)");
    struct figure_series *each = figure_series(figure, SERIES_MEASURED, 0, "each alone");
    for (int s = 0; s < r->sweeps.count; s++) {
        double x = s + 1, value = r->rating.figures.b_eff;
        figure_point(figure, band, (struct figure_point){x, NAN, r->spread.low, r->spread.high});
        figure_plain_point(figure, rated, x, value);
        figure_plain_point(figure, each, x, figures_of(&r->sweeps, &s, 1).b_eff);
    }
}

/* logavg of rings and random polygons of one repetition alone at one size; `values`: room for all patterns.
 */
static double sweep_at_size(const struct beff_results *r, int sweep, int size, double *values)
{
    double logavg[PATTERN_KINDS];
    for (int kind = 0; kind < PATTERN_KINDS; kind++) {
        size_t n = 0;
        for (int p = 0; p < r->list.count; p++)
            if ((int)r->list.patterns[p].kind == kind)
                values[n++] = sweep_best(&r->sweeps, sweep, p, METHODS, size);
        logavg[kind] = rating_logavg((enum pattern_kind)kind, values, n);
    }
    return sqrt(logavg[PATTERN_RING] * logavg[PATTERN_RANDOM]);
}

/* All repetitions at one size, by their median. */
static void fill_size(const struct beff_results *r, int size, double *values, double *ratios)
{
    size_t n = 0, count = (size_t)r->sweeps.count;
    for (size_t i = 0; i < count; i++) {
        ratios[i] = sweep_at_size(r, (int)i, size, values);
        n += isfinite(ratios[i]);
    }
    for (size_t i = 0, k = 0; i < count; i++)
        if (isfinite(ratios[i]))
            values[k++] = ratios[i];
    double median = stats_median(values, n);
    for (size_t i = 0; i < count; i++)
        ratios[i] = n > 1 ? ratios[i] / median : NAN;
}

/* Which sizes scatter, and whether passes differ. */
static void fill_passes(struct figure *figure, const struct report *report)
{
    const struct beff_results *r = results(report);
    size_t count = (size_t)r->sweeps.count;
    double *ratios = calloc(BEFF_SIZES * count, sizeof *ratios);
    double *values = calloc(count + (size_t)r->list.count, sizeof *values);
    figure->failed = !ratios || !values;
    if (figure->failed)
        count = 0;
    for (int s = 0; s < BEFF_SIZES && count > 0; s++)
        fill_size(r, s, values, ratios + count * (size_t)s);
    figure_panel(figure, "", AXIS_LINEAR, "ratio to the median of all");
    struct figure_series *series = NULL;
    for (size_t i = 0, pass = 0; i < count && !figure->failed; i++) {
        if ((size_t)r->sweeps.sweep[i].pass != pass)
            series = figure_series(figure, SERIES_POINTS, (int)pass, "pass %zu", pass + 1);
        pass = (size_t)r->sweeps.sweep[i].pass;
        for (size_t s = 0; s < BEFF_SIZES; s++)
            figure_plain_point(figure, series, (double)r->list.sizes[s], ratios[count * s + i]);
    }
    figure_note(figure, "logavg over rings and random polygons");
    free(ratios);
    free(values);
}

/* ---- nodes ---- */

static int slowest_first(const void *a, const void *b)
{
    double left = ((const struct diagnosis_node *)a)->factor[0],
           right = ((const struct diagnosis_node *)b)->factor[0];
    return (left < right) - (left > right);
}

/* Who is slow: the time of each node's exchanges by the median of all nodes. */
static void fill_nodes(struct figure *figure, const struct report *report)
{
    enum { MOST = 40 };
    const struct diagnosis *d = &results(report)->diagnosis;
    size_t count = (size_t)d->nodes;
    struct diagnosis_node *nodes = d->sizes ? calloc(count, sizeof *nodes) : NULL;
    struct figure_axis *y = figure_start_rows(figure, count < MOST ? (int)count : MOST);
    struct figure_series *series = figure_series(figure, SERIES_CELLS, 0, "time / median of all nodes");
    if (!nodes)
        return;
    figure->x.low = 0.4;
    figure->x.high = d->sizes + 0.6;
    memcpy(nodes, d->node, count * sizeof *nodes);
    qsort(nodes, count, sizeof *nodes, slowest_first);
    for (int n = 0; n < figure->rows; n++) {
        figure_tick(y, figure->rows - n, nodes[n].host);
        for (int s = 0; s < d->sizes; s++)
            figure_point(
                figure, series,
                (struct figure_point){s + 1, figure->rows - n, nodes[n].factor[s], nodes[n].factor[s]});
    }
    for (int s = 0; s < d->sizes; s++) {
        char text[48];
        axis_bytes_text((double)d->bytes[s], text, sizeof text);
        figure_tick(&figure->x, s + 1, text);
    }
    figure_note(figure, "time of a node's fastest exchange with another one, by the median of all nodes");
    if (d->nodes > MOST)
        figure_note(figure, "the slowest %d of %lld nodes", MOST, (long long)d->nodes);
    free(nodes);
}

/* clang-format off */
const struct figure_row figures_beff[] = {
    {"kinds", "Rings and random polygons", FIGURE_BY_SIZE, NULL, fill_kinds, true},
    {"rings", "Ring patterns, best method", FIGURE_BY_SIZE, NULL, fill_rings, true},
    {"random", "Random polygons, best method", FIGURE_BY_SIZE, NULL, fill_random, false},
    {"methods", "Transfer methods", FIGURE_BY_SIZE, NULL, fill_methods, true},
    {"analysis", "Additional patterns (not rated), best method", FIGURE_BY_SIZE, NULL, fill_analysis, false},
    {"passes", "Repetitions of all passes", FIGURE_BY_SIZE, NULL, fill_passes, false},
    {"nodes", "Nodes compared: who is slow", AXIS_POSITIONS, "message size", NULL, fill_nodes, false},
    {"repetitions", "b_eff of each repetition alone", AXIS_NUMBERS, "repetition", NULL, fill_repetitions, false},
    {NULL}
};
/* clang-format on */
