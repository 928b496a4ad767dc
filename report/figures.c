/* The figures of a run, and of two sides of runs. Uses figure, the rows of each engine, stats. */
#include "report/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats.h"
#include "report/escape.h"
#include "report/interval.h"

static const struct {
    const struct report_engine *engine;
    const struct figure_row *rows;
} tables[] = {{&report_beff, figures_beff}, {&report_beff_io, figures_io}, {&report_imb, figures_imb}};

/* ---- headings ---- */

static void put_subtitle(struct figure *figure, const struct report *report)
{
    const struct sheet *sheet = report->sheet;
    const struct sheet_value *value = sheet_find(sheet, sheet->headline_name);
    char *text = figure->subtitle;
    size_t size = sizeof figure->subtitle;
    const char *processes = report_meta(report, "processes"), *nodes = report_meta(report, "nodes");
    int used = snprintf(text, size, "%.40s, %.12s process%s on %.12s node%s, %.10s",
                        report_meta(report, "host"), processes, strcmp(processes, "1") == 0 ? "" : "es",
                        nodes, strcmp(nodes, "1") == 0 ? "" : "s", report_meta(report, "started"));
    if (value && isfinite(value->value) && strcmp(value->unit, "MB/s") == 0)
        used += snprintf(text + used, size - (size_t)used, ", %s = %.3f MB/s", value->name, value->value);
    if (report->findings.count)
        used += snprintf(text + used, size - (size_t)used, ", NOT VALID: faults in its files: %zu",
                         report->findings.count + report->findings.more);
    else if (sheet->criterion_count)
        used += snprintf(text + used, size - (size_t)used, ", %s%s",
                         sheet_valid(sheet) ? "VALID" : "NOT VALID for comparison",
                         *sheet->noise ? ", noisy machine" : "");
    snprintf(text + used, size - (size_t)used, ", %.60s", report_meta(report, "cpu"));
}

/* ---- making ---- */

static struct figure *append(struct figure_list *figures, struct message *error)
{
    struct figure *more = realloc(figures->figure, (size_t)(figures->count + 1) * sizeof *more);
    if (!more) {
        message_set(error, "out of memory for the figures");
        return NULL;
    }
    figures->figure = more;
    more[figures->count] = (struct figure){0};
    return &more[figures->count++];
}

/* Two benchmarks may have names that become the same file's. */
static void make_unique(const struct figure_list *figures, struct figure *figure)
{
    char stem[sizeof figure->name - 16];
    escape_file(figure->name, stem, sizeof stem);
    snprintf(figure->name, sizeof figure->name, "%s", stem);
    int number = 1;
    for (int i = 0; i < figures->count - 1; i++)
        if (strcasecmp(figures->figure[i].name, figure->name) == 0) {
            snprintf(figure->name, sizeof figure->name, "%s-%d", stem, ++number);
            i = -1;
        }
}

static int make_one(struct figure_list *figures, const struct figure_row *row, const struct report *report,
                    int item, struct message *error)
{
    struct figure *figure = append(figures, error);
    if (!figure)
        return -1;
    snprintf(figure->name, sizeof figure->name, "%s", row->name);
    snprintf(figure->title, sizeof figure->title, "%s", row->title);
    snprintf(figure->x.label, sizeof figure->x.label, "%s", row->x_label);
    figure->x.kind = row->x;
    figure->compared = row->compared;
    figure->item = item;
    row->fill(figure, report);
    if (figure->failed)
        return message_set(error, "out of memory for the figures");
    put_subtitle(figure, report);
    make_unique(figures, figure);
    if (!figure_points(figure)) {
        figure_free(figure);
        figures->count--;
    }
    return 0;
}

/* Not yet scaled. */
static int make_all(struct figure_list *figures, const struct report *report, struct message *error)
{
    const struct figure_row *row = NULL;
    *figures = (struct figure_list){0};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        if (tables[t].engine == report->row)
            row = tables[t].rows;
    for (; row && row->name; row++)
        for (int i = 0, count = row->count ? row->count(report) : 1; i < count; i++)
            if (make_one(figures, row, report, i, error))
                return -1;
    return 0;
}

int figures_make(struct figure_list *figures, const struct report *report, struct message *error)
{
    int failed = make_all(figures, report, error);
    for (int i = 0; i < figures->count && !failed; i++)
        figure_scale(&figures->figure[i]);
    return failed;
}

void figures_free(struct figure_list *figures)
{
    for (int i = 0; i < figures->count; i++)
        figure_free(&figures->figure[i]);
    free(figures->figure);
    *figures = (struct figure_list){0};
}

/* ---- two sides over one another ---- */

/* One side, with the figures of each run. */
struct overlaid {
    const struct figure_side *side;
    struct figure_list *figures;
    bool other; /* the second one */
};

static const struct figure *find_figure(const struct figure_list *figures, const char *name)
{
    for (int i = 0; i < figures->count; i++)
        if (strcmp(figures->figure[i].name, name) == 0)
            return &figures->figure[i];
    return NULL;
}

/* Which series of which panel of which figure is looked at, in all runs of a side. */
struct place {
    const char *figure, *panel, *series;
};

static const struct figure_series *series_in(const struct overlaid *from, int run, const struct place *at)
{
    const struct figure *figure = find_figure(&from->figures[run], at->figure);
    for (int s = 0; figure && s < figure->series_count; s++)
        if (strcmp(figure->panel[figure->series[s].panel].title, at->panel) == 0 &&
            strcmp(figure->series[s].title, at->series) == 0)
            return &figure->series[s];
    return NULL;
}

/* The value of a series where another one has its point number `number`; NaN where there is none. */
static double value_at(const struct figure_series *series, const struct figure_series *of, size_t number)
{
    if (series && series->count == of->count) /* sizes that follow the memory differ a little */
        return series->points[number].y;
    for (size_t i = 0; series && i < series->count; i++)
        if (series->points[i].x == of->points[number].x && isfinite(series->points[i].y))
            return series->points[i].y;
    return NAN;
}

/* The median over the runs, from the lowest to the highest; of one run its own interval. */
static struct figure_point median_at(const struct overlaid *from, const struct place *at,
                                     const struct figure_series *of, size_t number)
{
    double values[INTERVAL_MOST];
    size_t n = 0;
    if (from->side->count == 1 && of == series_in(from, 0, at))
        return of->points[number];
    for (int run = 0; run < from->side->count; run++) {
        double value = value_at(series_in(from, run, at), of, number);
        if (isfinite(value))
            values[n++] = value;
    }
    return (struct figure_point){of->points[number].x, stats_median(values, n), stats_min(values, n),
                                 stats_max(values, n)};
}

static void add_medians(struct figure *figure, const struct overlaid *from, const struct place *at)
{
    const struct figure_series *own = NULL;
    for (int run = 0; run < from->side->count && !own; run++)
        own = series_in(from, run, at); /* sizes that only later runs have are not the same definition */
    if (!own)
        return;
    struct figure_series *series =
        figure_series(figure, own->kind, own->look, "%s: %s", from->side->name, own->title);
    if (series)
        series->other = from->other;
    for (size_t i = 0; i < own->count; i++)
        figure_point(figure, series, median_at(from, at, own, i));
}

/* What cannot be seen in panels of several decades: the first panel's medians after, by those before. */
static void add_ratio(struct figure *figure, const struct figure *of, const struct overlaid from[2])
{
    if (figure->panel_count == FIGURE_MOST_PANELS)
        return;
    figure_panel(figure, "ratio", AXIS_LINEAR, "after / before")->relative = true;
    for (int s = 0; s < of->series_count; s++) {
        struct place at = {of->name, of->panel[0].title, of->series[s].title};
        const struct figure_series *own = series_in(&from[0], 0, &at);
        if (of->series[s].panel > 0 || of->series[s].kind > SERIES_CURVE || !own)
            continue;
        struct figure_series *series =
            figure_series(figure, SERIES_MEASURED, own->look, "ratio: %s", of->series[s].title);
        for (size_t i = 0; i < own->count; i++)
            figure_plain_point(figure, series, own->points[i].x,
                               median_at(&from[1], &at, own, i).y / median_at(&from[0], &at, own, i).y);
    }
}

/* Which runs a side has, for the second line of the title. */
static void describe(struct figure *figure, const struct figure_side *side)
{
    size_t used = strlen(figure->subtitle);
    snprintf(figure->subtitle + used, sizeof figure->subtitle - used,
             "%s%s: %d run%s, %d VALID (%.40s, %.12s processes, %.10s)", used ? "; " : "", side->name,
             side->count, side->count == 1 ? "" : "s",
             side->count - report_count_invalid(side->runs, side->count), report_meta(side->runs, "host"),
             report_meta(side->runs, "processes"), report_meta(side->runs, "started"));
}

/* Lays the sides over one another in a figure that both have. */
static void lay_over(struct figure *figure, const struct figure *of, const struct overlaid from[2])
{
    figure->x = of->x;
    figure->same_y = of->same_y;
    memcpy(figure->name, of->name, sizeof figure->name);
    memcpy(figure->title, of->title, sizeof figure->title);
    describe(figure, from[0].side);
    describe(figure, from[1].side);
    for (int p = 0; p < of->panel_count; p++) {
        const struct figure_panel *panel = &of->panel[p];
        if (panel->relative)
            continue;
        figure_panel(figure, panel->title, panel->y.kind, panel->y.label);
        for (int s = 0; s < of->series_count; s++) {
            struct place at = {of->name, panel->title, of->series[s].title};
            for (int k = 0; k < 2 && of->series[s].panel == p && of->series[s].kind <= SERIES_CURVE; k++)
                add_medians(figure, &from[k], &at);
        }
    }
    add_ratio(figure, of, from);
    figure_note(figure,
                "medians of the runs; bars: lowest to highest run (of one run alone: its own interval)");
}

static int lay_all(struct figure_list *figures, const struct overlaid from[2], struct message *error)
{
    for (int i = 0; i < from[0].figures[0].count; i++) {
        const struct figure *of = &from[0].figures[0].figure[i];
        if (!of->compared || !find_figure(&from[1].figures[0], of->name))
            continue;
        struct figure *figure = append(figures, error);
        if (!figure)
            return -1;
        lay_over(figure, of, from);
        if (figure->failed)
            return message_set(error, "out of memory for the figures");
        figure_scale(figure);
    }
    return 0;
}

int figures_overlay(struct figure_list *figures, const struct figure_side sides[2], struct message *error)
{
    struct overlaid from[2] = {{.side = &sides[0]}, {.side = &sides[1], .other = true}};
    int failed = 0;
    *figures = (struct figure_list){0};
    for (int k = 0; k < 2 && !failed; k++) {
        from[k].figures = calloc((size_t)sides[k].count, sizeof *from[k].figures);
        if (!from[k].figures)
            failed = message_set(error, "out of memory for the figures");
        for (int i = 0; i < sides[k].count && !failed; i++)
            failed = make_all(&from[k].figures[i], &sides[k].runs[i], error);
    }
    failed = failed ? failed : lay_all(figures, from, error);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; from[k].figures && i < sides[k].count; i++)
            figures_free(&from[k].figures[i]);
        free(from[k].figures);
    }
    return failed;
}
