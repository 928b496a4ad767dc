/* What is drawn of several runs at once: comparison, history, systems. Uses comparison, trend, rank, figure.
 */
#include "report/figures_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void note_invalid(struct figure *figure, const struct side *side)
{
    int invalid = report_count_invalid(side->runs, (int)side->count);
    if (invalid)
        figure_note(figure, "NOT VALID for comparison: %d of %zu runs", invalid, side->count);
}

/* ---- compare: ratios with their intervals ---- */

enum { MOST_RATIOS = 40 };

static double distance(const struct compared *row)
{
    return strcmp(row->item->group, REPORT_RATING) == 0 ? INFINITY : fabs(log(row->ratio.value));
}

static int furthest_first(const void *a, const void *b)
{
    double left = distance(*(const struct compared *const *)a),
           right = distance(*(const struct compared *const *)b);
    return (left < right) - (left > right);
}

static int smallest_first(const void *a, const void *b)
{
    double left = (*(const struct compared *const *)a)->ratio.value,
           right = (*(const struct compared *const *)b)->ratio.value;
    return (left > right) - (left < right);
}

static void add_ratios(struct figure *figure, const struct compared *const *rows, int count)
{
    static const char *const titles[] = {[VERDICT_NONE] = "no verdict",
                                         [VERDICT_BETTER] = "better",
                                         [VERDICT_WORSE] = "worse",
                                         [VERDICT_OPEN] = "inconclusive"};
    static const int looks[] = {
        [VERDICT_NONE] = 6, [VERDICT_BETTER] = 2, [VERDICT_WORSE] = 1, [VERDICT_OPEN] = 0};
    struct figure_axis *y = figure_start_rows(figure, count);
    for (int i = 0; i < count; i++) {
        char text[48];
        snprintf(text, sizeof text, rows[i]->item->bytes > 0 ? "%.32s, %.0f B" : "%.47s", rows[i]->item->name,
                 rows[i]->item->bytes);
        figure_tick(y, i + 1, text);
    }
    for (int v = VERDICT_NONE; v <= VERDICT_OPEN; v++) {
        struct figure_series *series = figure_series(figure, SERIES_ACROSS, looks[v], "%s", titles[v]);
        for (int i = 0; i < count; i++) {
            const struct ratio *ratio = &rows[i]->ratio;
            if ((int)rows[i]->verdict == v)
                figure_point(figure, series,
                             (struct figure_point){ratio->value, i + 1, ratio->low, ratio->high});
        }
    }
    struct figure_series *equal = figure_series(figure, SERIES_LIMIT, 0, "no difference");
    figure_plain_point(figure, equal, 1, y->low);
    figure_plain_point(figure, equal, 1, y->high);
}

void figure_ratios(struct figure *figure, const struct comparison *c)
{
    const struct compared **rows = calloc(c->count + 1, sizeof *rows);
    size_t all = 0;
    *figure = (struct figure){.name = "ratios",
                              .title = "Ratios after / before",
                              .x = {.label = "ratio after / before", .kind = AXIS_LOG},
                              .failed = !rows};
    if (!rows)
        return;
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->compared[i].item->group, "pattern and size") != 0) /* hundreds */
            rows[all++] = &c->compared[i];
    int count = all < MOST_RATIOS ? (int)all : MOST_RATIOS;
    qsort(rows, all, sizeof *rows, furthest_first);
    qsort(rows, (size_t)count, sizeof *rows, smallest_first);
    add_ratios(figure, rows, count);
    snprintf(figure->subtitle, sizeof figure->subtitle, "%.60s, %zu runs before, %zu after",
             c->all.count ? report_meta(c->all.runs, "host") : "", c->side[0].count, c->side[1].count);
    note_invalid(figure, &c->all);
    figure_note(figure, isnan(c->level) ? "no intervals: too few runs" : "bars: 95 %% intervals");
    if ((int)all > count)
        figure_note(figure, "rating and the %d of %zu figures that differ most", count - 1, all);
    if (all < c->count)
        figure_note(figure, "patterns by size are left out");
    if (c->reasons.count)
        figure_note(figure, "no verdict: %.120s", c->reasons.text[0]);
    free(rows);
}

/* ---- trend: figures over time ---- */

/* Seconds from the first start to that of run `i`: x, as the axis could not tell minutes apart since 1970. */
static double start_of(const struct trend *t, size_t i)
{
    return report_time(comparison_run(&t->runs, i), "started") -
           report_time(comparison_run(&t->runs, 0), "started");
}

/* Dates, or times of the day, as many as there is room for. */
static void add_dates(struct figure *figure, const struct trend *t)
{
    enum { DATES = 6 };
    double last = -INFINITY, span = start_of(t, t->runs.all.count - 1);
    bool of_days = span >= 2 * 86400.0;
    snprintf(figure->x.label, sizeof figure->x.label, of_days ? "start" : "start (UTC), from %.10s on",
             report_meta(comparison_run(&t->runs, 0), "started"));
    for (size_t i = 0; i < t->runs.all.count; i++) {
        char text[48];
        const char *started = report_meta(comparison_run(&t->runs, i), "started");
        double at = start_of(t, i);
        if (of_days)
            snprintf(text, sizeof text, "%.10s", started);
        else
            snprintf(text, sizeof text, "%.*s", span < 3600 ? 8 : 5,
                     strlen(started) > 11 ? started + 11 : "");
        if (at - last >= span / DATES)
            figure_tick(&figure->x, last = at, text);
    }
}

static void add_history(struct figure *figure, const struct trend *t, const struct trend_figure *of)
{
    char label[80];
    snprintf(label, sizeof label, "%.50s (%.20s)", of->item->name, of->item->unit);
    figure_panel(figure, of->item->name, AXIS_LINEAR, label);
    struct figure_series *valid = figure_series(figure, SERIES_POINTS, 0, "VALID"),
                         *other = figure_series(figure, SERIES_POINTS, 1, "NOT VALID"),
                         *level = figure_series(figure, SERIES_CURVE, 2, "median"),
                         *change = figure_series(figure, SERIES_LIMIT, 0, "change");
    bool told = of->verdict == VERDICT_BETTER || of->verdict == VERDICT_WORSE;
    for (size_t i = 0; i < t->runs.all.count; i++) {
        double x = start_of(t, i);
        figure_plain_point(figure, report_valid(comparison_run(&t->runs, i)) ? valid : other, x,
                           of->values[i]);
        if (told && i == of->change.at) {
            figure_plain_point(figure, level, x, of->change.before);
            figure_plain_point(figure, change, x, of->change.before);
            figure_plain_point(figure, change, x, of->change.after);
            figure_plain_point(figure, level, NAN, NAN);
        }
        if (told)
            figure_plain_point(figure, level, x, i < of->change.at ? of->change.before : of->change.after);
    }
}

void figure_trend(struct figure *figure, const struct trend *t)
{
    const struct report *last = comparison_run(&t->runs, t->runs.all.count - 1);
    char verdict[512];
    *figure = (struct figure){.name = "trend", .title = "History of runs", .x = {.kind = AXIS_POSITIONS}};
    trend_judge(t, verdict, sizeof verdict);
    snprintf(figure->subtitle, sizeof figure->subtitle, "%.40s, %.12s processes, %zu runs; %.330s",
             report_meta(last, "host"), report_meta(last, "processes"), t->runs.all.count, verdict);
    for (size_t i = 0; i < t->count && i < FIGURE_MOST_PANELS; i++)
        add_history(figure, t, &t->figures[i]);
    if (t->count > FIGURE_MOST_PANELS)
        figure_note(figure, "the first %d figures", FIGURE_MOST_PANELS);
    figure_note(figure, "a change is told at p < 1 %% (Pettitt)");
    add_dates(figure, t);
}

/* ---- rank: systems ---- */

static void name_system(const struct rank *rank, size_t place, char *text, size_t size)
{
    const struct report *first = rank->system[place].first;
    snprintf(text, size, "%d. %.20s, %.6s processes", (int)place % 100 + 1, report_meta(first, "host"),
             report_meta(first, "processes"));
}

static const char *rating_name(const struct rank *rank)
{
    return rank->runs.all.runs[0].row->ranked[0];
}

static double rating_of(const struct report *run)
{
    const struct sheet_value *value = sheet_find(run->sheet, run->row->ranked[0]);
    return value ? value->value : NAN;
}

static void figure_systems(struct figure *figure, const struct rank *rank)
{
    enum { MOST = 40 };
    int count = rank->count < MOST ? (int)rank->count : MOST;
    *figure = (struct figure){.name = "systems", .title = "Systems by rating", .x = {.kind = AXIS_LINEAR}};
    snprintf(figure->x.label, sizeof figure->x.label, "%s (MB/s)", rating_name(rank));
    struct figure_axis *y = figure_start_rows(figure, count);
    struct figure_series *runs = figure_series(figure, SERIES_POINTS, 5, "each run"),
                         *series = figure_series(figure, SERIES_ACROSS, 1, "median");
    for (int i = 0; i < count; i++) {
        const struct rank_system *system = &rank->system[i];
        char text[48];
        name_system(rank, (size_t)i, text, sizeof text);
        figure_tick(y, count - i, text);
        figure_point(figure, series,
                     (struct figure_point){system->figure[0], count - i, system->low, system->high});
        for (size_t k = 0; k < rank->runs.all.count; k++)
            if (rank_is_of(rank, &rank->runs.all.runs[k], system))
                figure_plain_point(figure, runs, rating_of(&rank->runs.all.runs[k]), count - i);
    }
    note_invalid(figure, &rank->runs.all);
    figure_note(figure, "bars: 95 %% intervals of the medians, from 6 runs on");
    if (rank->count > MOST)
        figure_note(figure, "the first %d of %zu systems", MOST, rank->count);
}

/* The metadata by which systems are told apart and that are axes: each where the other is x. */
static const struct {
    const char *key, *label;
} axes[] = {{"processes", "processes"}, {"time_s", "scheduled time T (s)"}};
enum { AXES = sizeof axes / sizeof axes[0] };

/* Whether runs of both systems are one series over axis `x`. */
static bool is_one_series(const struct rank *rank, const struct rank_system *a, const struct rank_system *b,
                          int x)
{
    const char *const keys[] = {"host", "mpi", rank_differs(rank, axes[!x].key) ? axes[!x].key : "mpi"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(report_meta(a->first, keys[i]), report_meta(b->first, keys[i])) != 0)
            return false;
    return true;
}

/* A tick at each value, as far as they are apart. */
static void add_ticks(struct figure *figure, const struct rank *rank, const char *key)
{
    for (size_t i = 0; i < rank->runs.all.count; i++) {
        double at = strtod(report_meta(&rank->runs.all.runs[i], key), NULL);
        int near = 0;
        while (near < figure->x.tick_count && fabs(log2(figure->x.ticks[near].at / at)) > 0.3)
            near++;
        if (near == figure->x.tick_count)
            figure_tick(&figure->x, at, report_meta(&rank->runs.all.runs[i], key));
    }
}

static void put_series_title(const struct rank *rank, const struct report *run, int x, char *text,
                             size_t size)
{
    int used = snprintf(text, size, "%.30s, %.40s", report_meta(run, "host"), report_meta(run, "mpi"));
    if (rank_differs(rank, axes[!x].key))
        snprintf(text + used, size - (size_t)used, x ? ", %.6s processes" : ", T = %.10s s",
                 report_meta(run, axes[!x].key));
}

/* The rating of every run by its number of processes, or by its time: the paper's figure 2. */
static void figure_by(struct figure *figure, const struct rank *rank, int x)
{
    const struct side *all = &rank->runs.all;
    char text[96];
    *figure = (struct figure){.title = "Rating of each run", .x = {.kind = AXIS_COUNT}};
    snprintf(figure->name, sizeof figure->name, "by-%s", axes[x].key);
    snprintf(figure->x.label, sizeof figure->x.label, "%s", axes[x].label);
    snprintf(text, sizeof text, "%.60s (MB/s)", rating_name(rank));
    figure_panel(figure, "", AXIS_LOG, text);
    note_invalid(figure, all);
    add_ticks(figure, rank, axes[x].key);
    for (size_t i = 0; i < rank->count; i++) {
        const struct rank_system *system = &rank->system[i];
        size_t before = 0;
        while (!is_one_series(rank, &rank->system[before], system, x))
            before++;
        if (before < i)
            continue;
        put_series_title(rank, system->first, x, text, sizeof text);
        struct figure_series *series = figure_series(figure, SERIES_POINTS, (int)i, "%s", text);
        for (size_t k = 0; k < all->count; k++)
            for (size_t j = i; j < rank->count; j++)
                if (is_one_series(rank, &rank->system[j], system, x) &&
                    rank_is_of(rank, &all->runs[k], &rank->system[j]))
                    figure_plain_point(figure, series, protocol_number(&all->runs[k].protocol, axes[x].key),
                                       rating_of(&all->runs[k]));
    }
}

int figures_rank(struct figure figures[3], const struct rank *rank)
{
    int count = 1;
    figure_systems(&figures[0], rank);
    for (int x = 0; x < AXES; x++)
        if (rank_varies(rank, axes[x].key))
            figure_by(&figures[count++], rank, x);
    return count;
}
