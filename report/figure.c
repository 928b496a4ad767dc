/* Building figures; ranges and ticks of axes. Uses array, text. */
#include "report/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/text.h"

struct figure_panel *figure_panel(struct figure *figure, const char *title, enum axis_kind y,
                                  const char *y_label)
{
    struct figure_panel *panel = &figure->panel[figure->panel_count++];
    snprintf(panel->title, sizeof panel->title, "%s", title);
    snprintf(panel->y.label, sizeof panel->y.label, "%s", y_label);
    panel->y.kind = y;
    return panel;
}

struct figure_axis *figure_start_rows(struct figure *figure, int rows)
{
    struct figure_axis *y = &figure_panel(figure, "", AXIS_POSITIONS, "")->y;
    figure->rows = rows;
    y->low = 0.4;
    y->high = rows + 0.6;
    return y;
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
    panel->series_count++;
    struct figure_series *series = &figure->series[figure->series_count++];
    series->panel = figure->panel_count - 1;
    series->kind = kind;
    series->look = look;
    TEXT_PRINT(series->title, sizeof series->title, format);
    return series;
}

void figure_point(struct figure *figure, struct figure_series *series, struct figure_point point)
{
    if (!series)
        return;
    if (array_room(&series->points, series->count, sizeof *series->points))
        series->points[series->count++] = point;
    else
        figure->failed = true;
}

void figure_plain_point(struct figure *figure, struct figure_series *series, double x, double y)
{
    figure_point(figure, series, (struct figure_point){x, y, NAN, NAN});
}

void figure_note(struct figure *figure, const char *format, ...)
{
    size_t used = strlen(figure->note);
    if (used)
        used += (size_t)snprintf(figure->note + used, sizeof figure->note - used, "; ");
    if (used >= sizeof figure->note)
        return;
    TEXT_PRINT(figure->note + used, sizeof figure->note - used, format);
}

void figure_tick(struct figure_axis *axis, double at, const char *text)
{
    if (axis->tick_count == FIGURE_MOST_TICKS)
        return;
    struct figure_tick *tick = &axis->ticks[axis->tick_count++];
    tick->at = at;
    snprintf(tick->text, sizeof tick->text, "%s", text);
}

/* ---- axes ---- */

/* Free space at both ends, as a share of the axis. */
#define MARGIN 0.04
/* What an axis shows at least, as a share of the value: hardly different values look so, and one alone does
 * not get digits that nobody measured. Of whole numbers so much as ticks need room for. */
#define LEAST_SPAN 0.1
#define NARROWEST  1e-6

static void add(struct figure_axis *axis, double at, const char *text)
{
    double slack = 1e-9 * fabs(at);
    if (at >= axis->low - slack && at <= axis->high + slack)
        figure_tick(axis, at, text);
}

static void add_number(struct figure_axis *axis, double at)
{
    char text[24];
    const char *unit = at >= 1e12 ? "" : at >= 1e9 ? " G" : at >= 1e6 ? " M" : "";
    double number = *unit == 0 ? at : unit[1] == 'G' ? at / 1e9 : at / 1e6;
    snprintf(text, sizeof text, at >= 1e12 || at < 1e-4 ? "%.3g%s" : "%.10g%s", number, unit);
    add(axis, at, text);
}

void axis_bytes_text(double bytes, char *text, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int unit = 0;
    for (; bytes >= 1024 && unit < 6; unit++)
        bytes /= 1024;
    snprintf(text, size, "%g %s", bytes, units[unit]);
}

/* At most about ten labels, at powers of two. */
static void scale_two(struct figure_axis *axis)
{
    int first = (int)ceil(log2(axis->low) - 1e-9), last = (int)floor(log2(axis->high) + 1e-9);
    double zero = axis->tick_count ? axis->ticks[0].at : 0; /* stands two powers left of the smallest size */
    int step = last - first > 24 ? 6 : last - first > 9 ? 4 : last - first > 4 ? 2 : 1;
    for (int e = first; e <= last; e++) {
        char text[24] = "";
        if (e % step == 0 && axis->kind == AXIS_BYTES)
            axis_bytes_text(ldexp(1, e), text, sizeof text);
        else if (e % step == 0 || axis->kind == AXIS_COUNT)
            snprintf(text, sizeof text, "%.0f", ldexp(1, e));
        if (e >= 0 && ldexp(1, e) > 2 * zero)
            add(axis, ldexp(1, e), text);
    }
}

static void scale_linear(struct figure_axis *axis, bool whole)
{
    double rough = (axis->high - axis->low) / 6, power = pow(10, floor(log10(rough)));
    double step = rough <= power       ? power
                  : rough <= 2 * power ? 2 * power
                  : rough <= 5 * power ? 5 * power
                                       : 10 * power;
    if (whole)
        step = fmax(step, 1);
    double first = ceil(axis->low / step);
    for (int i = 0; i < FIGURE_MOST_TICKS && (first + i) * step <= axis->high; i++)
        add_number(axis, (first + i) * step + 0.0); /* no -0 */
}

static void scale_ten(struct figure_axis *axis)
{
    double decades = log10(axis->high) - log10(axis->low);
    if (decades < 0.7) {
        scale_linear(axis, false);
        return;
    }
    int first = (int)floor(log10(axis->low)), last = (int)ceil(log10(axis->high));
    int step = decades > 10 ? 3 : 1;
    for (int e = first; e <= last; e++)
        for (int digit = 1; digit <= 9; digit++) {
            double at = digit * pow(10, e);
            bool labelled =
                decades < 2.5 ? digit == 1 || digit == 2 || digit == 5 : digit == 1 && e % step == 0;
            if (labelled)
                add_number(axis, at);
            else if (decades <= 8 || digit == 1)
                add(axis, at, "");
        }
}

double axis_zero(double least)
{
    return isfinite(least) ? least / 4 : 1;
}

void axis_scale(struct figure_axis *axis, double low, double high)
{
    bool linear = axis->kind >= AXIS_LINEAR;
    if (axis->kind == AXIS_PERCENT) {
        low = fmin(low, 0);
        high = fmax(high, 100);
    }
    double widest = fmax(fabs(low), fabs(high)), span = high - low;
    double least = axis->kind == AXIS_LINEAR && widest > 0 ? LEAST_SPAN * widest : 1;
    double margin = fmax(fmax(MARGIN * span, (least - span) / 2), NARROWEST * widest);
    double factor = fmax(exp(MARGIN * (log(high) - log(low))), sqrt((1 + LEAST_SPAN) * (low / high)));
    bool low_given = axis->low > 0 && axis->low<high, high_given = axis->high> 0 && axis->high > low;
    axis->low = low_given ? axis->low : linear ? low - margin : low / factor;
    axis->high = high_given && axis->high > axis->low ? axis->high : linear ? high + margin : high * factor;
    if (axis->kind == AXIS_COUNT && axis->tick_count)
        return; /* its own */
    if (axis->kind == AXIS_BYTES || axis->kind == AXIS_COUNT)
        scale_two(axis);
    else if (axis->kind == AXIS_LOG)
        scale_ten(axis);
    else if (axis->kind != AXIS_POSITIONS)
        scale_linear(axis, axis->kind == AXIS_NUMBERS);
}

/* ---- what can be drawn ---- */

/* No quantity goes beyond this; with it no sum or ratio of an axis overflows. */
#define LARGEST 1e200

static bool fits(const struct figure_axis *axis, double value)
{
    return fabs(value) <= LARGEST && (value >= 1 / LARGEST || axis->kind >= AXIS_LINEAR); /* not NaN */
}

static size_t drawable(const struct figure *figure, const struct figure_series *series)
{
    const struct figure_axis *y_axis = &figure->panel[series->panel].y;
    size_t count = 0;
    for (size_t i = 0; i < series->count; i++) {
        const struct figure_point *p = &series->points[i];
        bool x = fits(&figure->x, p->x) || (figure->x.kind == AXIS_BYTES && p->x == 0);
        bool y =
            series->kind == SERIES_BAND ? fits(y_axis, p->low) && fits(y_axis, p->high) : fits(y_axis, p->y);
        count += x && y;
    }
    return count;
}

size_t figure_points(const struct figure *figure)
{
    size_t count = 0;
    for (int s = 0; s < figure->series_count; s++)
        count += drawable(figure, &figure->series[s]);
    return count;
}

bool figure_has_bars(const struct figure_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (series->kind <= SERIES_ACROSS && series->points[i].low < series->points[i].high)
            return true;
    return false;
}

/* Leaves out what can't be drawn. */
static void drop_empty(struct figure *figure)
{
    int panels = 0, kept = 0, s = 0;
    for (int p = 0; p < figure->panel_count; p++) {
        int first = kept;
        for (; s < figure->series_count && figure->series[s].panel == p; s++)
            if (drawable(figure, &figure->series[s])) {
                figure->series[kept] = figure->series[s];
                figure->series[kept++].panel = panels;
            } else {
                free(figure->series[s].points);
            }
        figure->panel[panels] = figure->panel[p];
        figure->panel[panels].series_count = kept - first;
        panels += kept > first;
    }
    figure->panel_count = panels;
    figure->series_count = kept;
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

static void widen_x(struct range *range, const struct figure *figure, const struct figure_series *series,
                    const struct figure_point *point)
{
    widen(range, &figure->x, point->x);
    if (series->kind != SERIES_ACROSS)
        return;
    widen(range, &figure->x, point->low);
    widen(range, &figure->x, point->high);
}

static struct range range_of_x(const struct figure *figure)
{
    struct range range = {INFINITY, -INFINITY};
    for (int s = 0; s < figure->series_count; s++)
        for (size_t i = 0; i < figure->series[s].count; i++)
            widen_x(&range, figure, &figure->series[s], &figure->series[s].points[i]);
    return range;
}

/* Bars are shown whole. */
static struct range range_of_y(const struct figure *figure, int p)
{
    const struct figure_axis *axis = &figure->panel[p].y;
    struct range range = {INFINITY, -INFINITY};
    for (int s = 0; s < figure->series_count; s++)
        for (size_t i = 0; figure->series[s].panel == p && i < figure->series[s].count; i++) {
            const struct figure_point *point = &figure->series[s].points[i];
            widen(&range, axis, point->y);
            if (figure->series[s].kind == SERIES_ACROSS || figure->series[s].kind == SERIES_CELLS)
                continue;
            widen(&range, axis, point->low);
            widen(&range, axis, point->high);
        }
    return range;
}

/* Moves messages of no bytes to where they are drawn. */
static void place_zero(struct figure *figure)
{
    double least = range_of_x(figure).low;
    bool zero = false;
    for (int s = 0; s < figure->series_count; s++)
        for (size_t i = 0; i < figure->series[s].count; i++)
            if (figure->series[s].points[i].x == 0) {
                figure->series[s].points[i].x = axis_zero(least);
                zero = true;
            }
    if (zero)
        figure_tick(&figure->x, axis_zero(least), "0");
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
    struct range y[FIGURE_MOST_PANELS], common = {INFINITY, -INFINITY};
    for (int p = 0; p < figure->panel_count; p++) {
        y[p] = range_of_y(figure, p);
        common.low = fmin(common.low, y[p].low);
        common.high = fmax(common.high, y[p].high);
    }
    for (int p = 0; p < figure->panel_count; p++)
        axis_scale(&figure->panel[p].y, figure->same_y ? common.low : y[p].low,
                   figure->same_y ? common.high : y[p].high);
}

void figure_free(struct figure *figure)
{
    for (int s = 0; s < figure->series_count; s++)
        free(figure->series[s].points);
    *figure = (struct figure){0};
}
