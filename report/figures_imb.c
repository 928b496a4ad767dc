/* What is drawn of imb_compat's runs: time and bandwidth of each benchmark. Uses imb_compat's results,
 * figure. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "imb_compat/results.h"
#include "report/figures.h"

/* More figures than these nobody looks at; the tables have everything. */
enum { MOST_BENCHMARKS = 64 };

static const struct imb_results *results(const struct report *report)
{
    return (const void *)report->sheet;
}

/* Series that are the first of their benchmark; returns how many. */
static int find_benchmarks(const struct imb_results *r, int first[MOST_BENCHMARKS])
{
    int count = 0;
    for (int s = 0; s < r->series_count && count < MOST_BENCHMARKS; s++) {
        int known = 0;
        while (known < count && strcmp(r->series[first[known]].benchmark, r->series[s].benchmark) != 0)
            known++;
        if (known == count)
            first[count++] = s;
    }
    return count;
}

static int count_benchmarks(const struct report *report)
{
    int first[MOST_BENCHMARKS];
    return find_benchmarks(results(report), first);
}

/* ---- rows ---- */

/* What a panel shows of a row: y, and the lowest and highest of the processes or NaN. */
typedef struct figure_point shown_of(const struct imb_record *record);

static struct figure_point time_of(const struct imb_record *r)
{
    return (struct figure_point){.y = 1e6 * r->t_avg, .low = 1e6 * r->t_min, .high = 1e6 * r->t_max};
}

static struct figure_point bandwidth_of(const struct imb_record *r)
{
    return (struct figure_point){.y = r->bandwidth, .low = NAN, .high = NAN};
}

static struct figure_point rate_of(const struct imb_record *r)
{
    return (struct figure_point){.y = r->msg_rate, .low = NAN, .high = NAN};
}

static struct figure_point overlap_of(const struct imb_record *r)
{
    bool known = r->t_cpu > 0; /* of nonblocking benchmarks */
    return (struct figure_point){.y = known ? r->overlap : NAN, .low = NAN, .high = NAN};
}

/* What tells benchmarks with rows of several sizes from those with one for each number of processes. */
static struct figure_point size_of(const struct imb_record *r)
{
    return (struct figure_point){.y = (double)r->bytes};
}

/* The panels, each left out where a benchmark has no such value. */
static const struct panel_row {
    const char *title, *label;
    enum axis_kind axis;
    shown_of *of;
} panel_rows[] = {{"time of one repetition", "time (µs)", AXIS_LOG, time_of},
                  {"bandwidth", "bandwidth (MB/s)", AXIS_LOG, bandwidth_of},
                  {"message rate", "messages per second", AXIS_LOG, rate_of},
                  {"overlap with computation", "overlap (%)", AXIS_PERCENT, overlap_of}};
enum { PANEL_ROWS = sizeof panel_rows / sizeof panel_rows[0] };

static const struct imb_record *row_at(const struct imb_results *r, const struct imb_series *s, int i)
{
    return protocol_at(r->sheet.protocol, s->row[i]);
}

/* 0 stands where a benchmark has no such value, but for overlap: 0 % is one. */
static bool is_value(double y, shown_of *of)
{
    return y > 0 || (y == 0 && of == overlap_of);
}

static bool has_value(const struct imb_results *r, const char *benchmark, shown_of *of)
{
    for (int s = 0; s < r->series_count; s++)
        for (int i = 0; i < r->series[s].rows && strcmp(r->series[s].benchmark, benchmark) == 0; i++)
            if (is_value(of(row_at(r, &r->series[s], i)).y, of))
                return true;
    return false;
}

static void merge(struct figure_point *point, const struct figure_point *shown, int groups)
{
    point->y += (shown->y - point->y) / groups; /* the mean */
    point->low = fmin(point->low, groups > 1 ? fmin(shown->low, shown->y) : shown->low);
    point->high = fmax(point->high, groups > 1 ? fmax(shown->high, shown->y) : shown->high);
}

/* One point for each size; groups that have rows of their own (-multi 1) become one point. */
static void add_rows(struct figure *figure, const struct imb_results *results, const struct imb_series *s,
                     shown_of *of, struct figure_series *series)
{
    int groups = 0;
    for (int i = 0; series && i < s->rows; i++) {
        const struct imb_record *r = row_at(results, s, i);
        struct figure_point point = of(r);
        point.x = figure->x.kind == AXIS_COUNT ? (double)r->processes : (double)r->bytes;
        struct figure_point *last = series->count ? &series->points[series->count - 1] : NULL;
        if (last && last->x == point.x && r->group > 0) {
            merge(last, &point, ++groups);
        } else {
            figure_point(figure, series, point);
            groups = 1;
        }
    }
}

static struct figure_series *start_series(struct figure *figure, const struct imb_series *s, int look)
{
    char mode[COLUMN_TEXT_SIZE + 4] = "", groups[32] = "";
    if (strcmp(s->mode, "-") != 0)
        snprintf(mode, sizeof mode, ", %s", s->mode);
    if (figure->x.kind == AXIS_COUNT)
        return figure_series(figure, SERIES_MEASURED, look, "all processes%s", mode);
    if (s->groups > 1)
        snprintf(groups, sizeof groups, "%" PRId64 " groups of ", s->groups);
    return figure_series(figure, SERIES_MEASURED, look, "%s%" PRId64 " process%s%s", groups, s->processes,
                         s->processes == 1 ? "" : "es", mode);
}

/* Without sizes one series has the rows of all numbers of processes. */
static bool goes_on(const struct figure *figure, const struct imb_series *last, const struct imb_series *s)
{
    return figure->x.kind == AXIS_COUNT && last && strcmp(last->mode, s->mode) == 0;
}

static void add_panel(struct figure *figure, const struct imb_results *r, const char *benchmark,
                      const struct panel_row *panel)
{
    const struct imb_series *last = NULL;
    struct figure_series *series = NULL;
    int look = 0;
    figure_panel(figure, panel->title, panel->axis, panel->label);
    for (int s = 0; s < r->series_count; s++) {
        if (strcmp(r->series[s].benchmark, benchmark) != 0)
            continue;
        if (!goes_on(figure, last, &r->series[s]))
            series = start_series(figure, &r->series[s], look++);
        last = &r->series[s];
        add_rows(figure, r, last, panel->of, series);
    }
}

static void fill_benchmark(struct figure *figure, const struct report *report)
{
    const struct imb_results *r = results(report);
    int first[MOST_BENCHMARKS];
    find_benchmarks(r, first);
    const char *benchmark = r->series[first[figure->item]].benchmark;
    snprintf(figure->name, sizeof figure->name, "%s", benchmark);
    snprintf(figure->title, sizeof figure->title, "%s", benchmark);
    if (!has_value(r, benchmark, size_of)) {
        figure->x.kind = AXIS_COUNT;
        snprintf(figure->x.label, sizeof figure->x.label, "processes");
    }
    for (int p = 0; p < PANEL_ROWS && figure->panel_count < FIGURE_MOST_PANELS; p++)
        if (has_value(r, benchmark, panel_rows[p].of))
            add_panel(figure, r, benchmark, &panel_rows[p]);
    for (int s = 0; s < figure->series_count; s++)
        if (figure->series[s].panel == 0 && figure_has_bars(&figure->series[s])) {
            figure_note(figure, "bars: fastest to slowest process");
            break;
        }
}

const struct figure_row figures_imb[] = {
    {"imb", "Time and bandwidth", FIGURE_BY_SIZE, count_benchmarks, fill_benchmark, true}, {NULL}};
