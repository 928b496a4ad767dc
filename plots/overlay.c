/* Two systems in one figure: the medians of two sets of runs. Uses figures, stats. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats.h"
#include "plots/figures.h"

/* One set of runs, with the figures of each. */
struct run_set {
    const char *name;
    const struct report *first;
    struct figure_list *runs;
    int count;
    bool other; /* the second one */
};

static const struct figure *find_figure(const struct figure_list *figures, const char *name)
{
    for (int i = 0; i < figures->count; i++)
        if (strcmp(figures->figure[i].name, name) == 0)
            return &figures->figure[i];
    return NULL;
}

static const struct figure_panel *find_panel(const struct figure *figure, const char *title)
{
    for (int p = 0; figure && p < figure->panel_count; p++)
        if (strcmp(figure->panel[p].title, title) == 0)
            return &figure->panel[p];
    return NULL;
}

static const struct figure_series *find_series(const struct figure_panel *panel, const char *title)
{
    for (int s = 0; panel && s < panel->series_count; s++)
        if (strcmp(panel->series[s].title, title) == 0)
            return &panel->series[s];
    return NULL;
}

/* Which series of which panel of which figure is looked at, in all runs of a side. */
struct place {
    const char *figure, *panel, *series;
};

static const struct figure_series *series_in(const struct run_set *side, int run, const struct place *at)
{
    return find_series(find_panel(find_figure(&side->runs[run], at->figure), at->panel), at->series);
}

/* The median over the runs at x, from the lowest to the highest; of one run its own interval. */
static struct figure_point median_at(const struct run_set *side, const struct place *at,
                                     const struct figure_series *of, size_t number, double *values)
{
    const struct figure_point *own = &of->points[number];
    size_t n = 0;
    for (int run = 0; run < side->count; run++) {
        const struct figure_series *series = series_in(side, run, at);
        bool by_place =
            series && series->count == of->count; /* sizes that follow the memory differ a little */
        for (size_t i = by_place ? number : 0; series && i < series->count; i++)
            if ((by_place || series->points[i].x == own->x) && isfinite(series->points[i].y)) {
                values[n++] = series->points[i].y;
                break;
            } else if (by_place) {
                break;
            }
    }
    if (side->count == 1)
        return *own;
    return (struct figure_point){own->x, stats_median(values, n), stats_min(values, n), stats_max(values, n)};
}

static void add_medians(struct figure *figure, const struct run_set *side, const struct place *at,
                        double *values)
{
    for (int run = 0; run < side->count; run++) {
        const struct figure_series *own = series_in(side, run, at);
        if (!own)
            continue;
        struct figure_series *series =
            figure_series(figure, own->kind, own->look, "%s: %s", side->name, own->title);
        if (series)
            series->other = side->other;
        for (size_t i = 0; i < own->count; i++)
            figure_point(figure, series, median_at(side, at, own, i, values));
        return; /* sizes that only later runs have are not the same definition */
    }
}

/* Which runs a side has, for the second line of the title. */
static void describe(struct figure *figure, const struct run_set *side)
{
    size_t used = strlen(figure->subtitle);
    snprintf(figure->subtitle + used, sizeof figure->subtitle - used,
             "%s%s: %d run%s (%.40s, %.12s processes, %.10s)", used ? "; " : "", side->name, side->count,
             side->count == 1 ? "" : "s", report_meta(side->first, "host"),
             report_meta(side->first, "processes"), report_meta(side->first, "started"));
}

/* Lays the sides over one another in a figure that both have. */
static void lay_over(struct figure *figure, const struct figure *from, const struct run_set sides[2],
                     double *values)
{
    figure->x = from->x;
    figure->same_y = from->same_y;
    memcpy(figure->name, from->name, sizeof figure->name);
    memcpy(figure->title, from->title, sizeof figure->title);
    for (int k = 0; k < 2; k++)
        describe(figure, &sides[k]);
    for (int p = 0; p < from->panel_count; p++) {
        const struct figure_panel *panel = &from->panel[p];
        figure_panel(figure, panel->title, panel->y.kind, panel->y.label);
        for (int s = 0; s < panel->series_count; s++) {
            struct place at = {from->name, panel->title, panel->series[s].title};
            if (panel->series[s].kind > SERIES_CURVE)
                continue;
            for (int k = 0; k < 2; k++)
                add_medians(figure, &sides[k], &at, values);
        }
    }
    figure_note(figure,
                "medians of the runs; bars: lowest to highest run (of one run alone: its own interval)");
}

static int make_sides(struct run_set sides[2], const struct report *reports[2], struct message *error)
{
    for (int k = 0; k < 2; k++) {
        sides[k].runs = calloc((size_t)sides[k].count, sizeof *sides[k].runs);
        if (!sides[k].runs)
            return message_set(error, "out of memory for the figures");
        for (int i = 0; i < sides[k].count; i++)
            if (figures_make_raw(&sides[k].runs[i], &reports[k][i], error))
                return -1;
    }
    return 0;
}

static int lay_all(struct figure_list *figures, const struct run_set sides[2], struct message *error)
{
    size_t most = (size_t)(sides[0].count > sides[1].count ? sides[0].count : sides[1].count);
    double *values = calloc(most, sizeof *values);
    int failed = values ? 0 : message_set(error, "out of memory for the figures");
    for (int i = 0; i < sides[0].runs[0].count && !failed; i++) {
        const struct figure *from = &sides[0].runs[0].figure[i];
        if (!from->compared || !find_figure(&sides[1].runs[0], from->name))
            continue;
        struct figure *figure = figures_append(figures, error);
        if (figure)
            lay_over(figure, from, sides, values);
        if (!figure || figure->failed)
            failed = message_set(error, "out of memory for the figures");
        else
            figure_scale(figure);
    }
    free(values);
    return failed;
}

int figures_overlay(struct figure_list *figures, const struct report *a, int a_count, const char *a_name,
                    const struct report *b, int b_count, const char *b_name, struct message *error)
{
    struct run_set sides[2] = {{a_name, a, NULL, a_count, false}, {b_name, b, NULL, b_count, true}};
    const struct report *reports[2] = {a, b};
    *figures = (struct figure_list){0};
    int failed = make_sides(sides, reports, error) || lay_all(figures, sides, error);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; sides[k].runs && i < sides[k].count; i++)
            figures_free(&sides[k].runs[i]);
        free(sides[k].runs);
    }
    return failed ? -1 : 0;
}
