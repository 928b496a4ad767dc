/* Building figures. Uses axis. */
#include "plots/figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct figure_panel *figure_panel(struct figure *figure, const char *title, enum axis_kind y,
                                  const char *y_label)
{
    struct figure_panel *panel = &figure->panel[figure->panel_count++];
    snprintf(panel->title, sizeof panel->title, "%s", title);
    snprintf(panel->y.label, sizeof panel->y.label, "%s", y_label);
    panel->y.kind = y;
    return panel;
}

struct figure_series *figure_series(struct figure *figure, enum series_kind kind, int look,
                                    const char *format, ...)
{
    struct figure_panel *panel = &figure->panel[figure->panel_count - 1];
    if (panel->series_count == FIGURE_MOST_SERIES) {
        if (!strstr(figure->note, "not drawn"))
            figure_note(figure, "more than %d series: the others are not drawn", FIGURE_MOST_SERIES);
        return NULL;
    }
    struct figure_series *series = &panel->series[panel->series_count++];
    series->kind = kind;
    series->look = look;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(series->title, sizeof series->title, format, arguments);
    va_end(arguments);
    return series;
}

void figure_point(struct figure *figure, struct figure_series *series, struct figure_point point)
{
    if (!series)
        return;
    if (series->count == series->room) {
        size_t room = 2 * series->room + 16;
        struct figure_point *points = realloc(series->points, room * sizeof *points);
        if (!points) {
            figure->failed = true;
            return;
        }
        series->points = points;
        series->room = room;
    }
    series->points[series->count++] = point;
}

void figure_note(struct figure *figure, const char *format, ...)
{
    size_t used = strlen(figure->note);
    if (used)
        used += (size_t)snprintf(figure->note + used, sizeof figure->note - used, "; ");
    if (used >= sizeof figure->note)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(figure->note + used, sizeof figure->note - used, format, arguments);
    va_end(arguments);
}

void figure_tick(struct figure *figure, double at, const char *text)
{
    struct figure_axis *axis = &figure->x;
    if (axis->tick_count == FIGURE_MOST_TICKS)
        return;
    struct figure_tick *tick = &axis->ticks[axis->tick_count++];
    tick->at = at;
    snprintf(tick->text, sizeof tick->text, "%s", text);
}

/* ---- what can be drawn ---- */

static bool is_logarithmic(const struct figure_axis *axis)
{
    return axis->kind == AXIS_BYTES || axis->kind == AXIS_COUNT || axis->kind == AXIS_LOG;
}

/* No quantity goes beyond this; with it no sum or ratio of an axis overflows. */
#define LARGEST 1e200

static bool fits(const struct figure_axis *axis, double value)
{
    return fabs(value) <= LARGEST && (value >= 1 / LARGEST || !is_logarithmic(axis)); /* not NaN */
}

static size_t drawable(const struct figure *figure, const struct figure_panel *panel,
                       const struct figure_series *series)
{
    size_t count = 0;
    for (size_t i = 0; i < series->count; i++) {
        const struct figure_point *p = &series->points[i];
        bool x = fits(&figure->x, p->x) || (figure->x.kind == AXIS_BYTES && p->x == 0);
        bool y = series->kind == SERIES_BAND ? fits(&panel->y, p->low) && fits(&panel->y, p->high)
                                             : fits(&panel->y, p->y);
        count += x && y;
    }
    return count;
}

size_t figure_points(const struct figure *figure)
{
    size_t count = 0;
    for (int p = 0; p < figure->panel_count; p++)
        for (int s = 0; s < figure->panel[p].series_count; s++)
            count += drawable(figure, &figure->panel[p], &figure->panel[p].series[s]);
    return count;
}

/* What can't be drawn: what is left out. */
static void drop_empty(struct figure *figure)
{
    int panels = 0;
    for (int p = 0; p < figure->panel_count; p++) {
        struct figure_panel *panel = &figure->panel[p];
        int kept = 0;
        for (int s = 0; s < panel->series_count; s++) {
            struct figure_series series = panel->series[s];
            if (drawable(figure, panel, &series))
                panel->series[kept++] = series;
            else
                free(series.points);
        }
        panel->series_count = kept;
        if (kept)
            figure->panel[panels++] = *panel;
    }
    figure->panel_count = panels;
}

/* ---- scale ---- */

struct range {
    double low, high;
};

static void widen(struct range *range, const struct figure_axis *axis, double value)
{
    if (!fits(axis, value))
        return;
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

static struct range range_of_x(const struct figure *figure)
{
    struct range range = {INFINITY, -INFINITY};
    for (int p = 0; p < figure->panel_count; p++)
        for (int s = 0; s < figure->panel[p].series_count; s++)
            for (size_t i = 0; i < figure->panel[p].series[s].count; i++)
                widen(&range, &figure->x, figure->panel[p].series[s].points[i].x);
    return range;
}

/* Bars may take so much of the axis beyond what is drawn otherwise; longer ones are cut off at its end. */
#define BARS 0.15

static struct range range_of_y(const struct figure_panel *panel)
{
    struct range range = {INFINITY, -INFINITY}, bars = range;
    for (int s = 0; s < panel->series_count; s++)
        for (size_t i = 0; i < panel->series[s].count; i++) {
            const struct figure_point *point = &panel->series[s].points[i];
            struct range *to = panel->series[s].kind == SERIES_BAND ? &range : &bars;
            widen(&range, &panel->y, point->y);
            widen(to, &panel->y, point->low);
            widen(to, &panel->y, point->high);
        }
    double room = BARS * (range.high - range.low), factor = pow(range.high / range.low, BARS);
    bool linear = !is_logarithmic(&panel->y);
    if (bars.low < range.low)
        range.low = fmax(bars.low, linear ? range.low - room : range.low / fmax(factor, 1.1));
    if (bars.high > range.high)
        range.high = fmin(bars.high, linear ? range.high + room : range.high * fmax(factor, 1.1));
    return range;
}

/* Moves messages of no bytes to where they are drawn. */
static void place_zero(struct figure *figure)
{
    double least = range_of_x(figure).low;
    bool zero = false;
    for (int p = 0; p < figure->panel_count; p++)
        for (int s = 0; s < figure->panel[p].series_count; s++)
            for (size_t i = 0; i < figure->panel[p].series[s].count; i++) {
                struct figure_point *point = &figure->panel[p].series[s].points[i];
                if (point->x == 0) {
                    point->x = axis_zero(least);
                    zero = true;
                }
            }
    if (zero)
        figure_tick(figure, axis_zero(least), "0");
}

void figure_scale(struct figure *figure)
{
    drop_empty(figure);
    if (!figure->panel_count)
        return;
    if (figure->x.kind == AXIS_BYTES)
        place_zero(figure);
    struct range x = range_of_x(figure);
    axis_scale(&figure->x, x.low, x.high);
    struct range common = {INFINITY, -INFINITY};
    for (int p = 0; p < figure->panel_count; p++) {
        struct range y = range_of_y(&figure->panel[p]);
        common.low = fmin(common.low, y.low);
        common.high = fmax(common.high, y.high);
    }
    for (int p = 0; p < figure->panel_count; p++) {
        struct range y = figure->same_y ? common : range_of_y(&figure->panel[p]);
        axis_scale(&figure->panel[p].y, y.low, y.high);
    }
}

void figure_free(struct figure *figure)
{
    for (int p = 0; p < figure->panel_count; p++)
        for (int s = 0; s < figure->panel[p].series_count; s++)
            free(figure->panel[p].series[s].points);
    *figure = (struct figure){0};
}
