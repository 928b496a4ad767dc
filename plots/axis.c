/* Ranges and ticks of axes. Uses the C library alone. */
#include <math.h>
#include <stdio.h>

#include "plots/figure.h"

/* Free space at both ends, as a share of the axis. */
#define MARGIN 0.04
/* Values that are closer to one another than this are drawn as if they were equal: ticks need room. */
#define NARROWEST 1e-6

static void add(struct figure_axis *axis, double at, const char *text)
{
    double slack = 1e-9 * fabs(at);
    if (axis->tick_count == FIGURE_MOST_TICKS || at < axis->low - slack || at > axis->high + slack)
        return;
    struct figure_tick *tick = &axis->ticks[axis->tick_count++];
    tick->at = at;
    snprintf(tick->text, sizeof tick->text, "%s", text);
}

static void add_number(struct figure_axis *axis, double at)
{
    char text[24];
    const char *unit = at >= 1e12 ? "" : at >= 1e9 ? " G" : at >= 1e6 ? " M" : "";
    double number = *unit == 0 ? at : unit[1] == 'G' ? at / 1e9 : at / 1e6;
    snprintf(text, sizeof text, at >= 1e12 || at < 1e-4 ? "%.3g%s" : "%.10g%s", number, unit);
    add(axis, at, text);
}

/* ---- powers of two ---- */

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
    int step = last - first > 24 ? 6 : last - first > 9 ? 4 : last - first > 4 ? 2 : 1;
    for (int e = first; e <= last; e++) {
        char text[24] = "";
        if (e % step == 0 && axis->kind == AXIS_BYTES)
            axis_bytes_text(ldexp(1, e), text, sizeof text);
        else if (e % step == 0 || axis->kind == AXIS_COUNT)
            snprintf(text, sizeof text, "%.0f", ldexp(1, e));
        if (e >= 0)
            add(axis, ldexp(1, e), text);
    }
}

/* ---- powers of ten ---- */

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

/* ---- all ---- */

double axis_zero(double least)
{
    return isfinite(least) ? least / 4 : 1;
}

void axis_scale(struct figure_axis *axis, double low, double high)
{
    bool linear = axis->kind >= AXIS_LINEAR;
    double widest = fmax(fabs(low), fabs(high));
    double margin = fmax(high > low ? MARGIN * (high - low) : 0.5, NARROWEST * widest);
    double factor = fmax(high > low ? exp(MARGIN * (log(high) - log(low))) : 1.5, 1 + NARROWEST);
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
