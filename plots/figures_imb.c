/* What is drawn of imb_compat's runs: time and bandwidth of each benchmark. Uses imb_compat's results,
 * figure. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "imb_compat/results.h"
#include "plots/figures.h"

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

int count_imb_benchmarks(const struct report *report)
{
    int first[MOST_BENCHMARKS];
    return find_benchmarks(results(report), first);
}

/* ---- rows ---- */

/* What a panel shows of a row; the lowest and highest of the processes, or NaN. */
struct shown {
    double value, low, high;
};

static struct shown time_of(const struct imb_record *r)
{
    return (struct shown){1e6 * r->t_avg, 1e6 * r->t_min, 1e6 * r->t_max};
}

static struct shown bandwidth_of(const struct imb_record *r)
{
    return (struct shown){r->bandwidth, NAN, NAN};
}

static struct shown rate_of(const struct imb_record *r)
{
    return (struct shown){r->msg_rate, NAN, NAN};
}

static struct shown overlap_of(const struct imb_record *r)
{
    return (struct shown){r->t_pure > 0 || r->t_cpu > 0 ? r->overlap : NAN, NAN, NAN};
}

/* The panels, each left out where a benchmark has no such value. */
static const struct panel_row {
    const char *title, *label;
    enum axis_kind axis;
    struct shown (*of)(const struct imb_record *record);
} panel_rows[] = {{"time of one repetition", "time (µs)", AXIS_LOG, time_of},
                  {"bandwidth", "bandwidth (MB/s)", AXIS_LOG, bandwidth_of},
                  {"message rate", "messages per second", AXIS_LOG, rate_of},
                  {"overlap with computation", "overlap (%)", AXIS_LINEAR, overlap_of}};
enum { PANEL_ROWS = sizeof panel_rows / sizeof panel_rows[0] };

static const struct imb_record *row_of(const struct report *report, size_t i, const struct imb_series *s)
{
    const struct imb_record *r = protocol_at(&report->protocol, i);
    return r->repetition == 0 && r->processes == s->processes && r->groups == s->groups &&
                   strcmp(r->benchmark, s->benchmark) == 0 && strcmp(r->mode, s->mode) == 0
               ? r
               : NULL;
}

static void merge(struct figure_point *point, const struct shown *shown, int groups)
{
    point->y += (shown->value - point->y) / groups; /* the mean */
    point->low = fmin(point->low, groups > 1 ? fmin(shown->low, shown->value) : shown->low);
    point->high = fmax(point->high, groups > 1 ? fmax(shown->high, shown->value) : shown->high);
}

/* One point for each size; groups that have rows of their own (-multi 1) become one point. */
static void add_rows(struct figure *figure, const struct report *report, const struct imb_series *s,
                     const struct panel_row *panel, struct figure_series *series)
{
    int groups = 0;
    bool by_processes = figure->x.kind == AXIS_COUNT;
    for (size_t i = 0; series && i < report->protocol.record_count; i++) {
        const struct imb_record *r = row_of(report, i, s);
        if (!r)
            continue;
        struct shown shown = panel->of(r);
        double x = by_processes ? (double)r->processes : (double)r->bytes;
        struct figure_point *last = series->count ? &series->points[series->count - 1] : NULL;
        if (last && last->x == x && r->group > 0) {
            merge(last, &shown, ++groups);
        } else {
            figure_point(figure, series, (struct figure_point){x, shown.value, shown.low, shown.high});
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

static void add_panel(struct figure *figure, const struct report *report, const char *benchmark,
                      const struct panel_row *panel)
{
    const struct imb_results *r = results(report);
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
        add_rows(figure, report, last, panel, series);
    }
}

/* Whether a benchmark has rows of several sizes, or one for each number of processes. */
static bool has_sizes(const struct report *report, const char *benchmark)
{
    for (size_t i = 0; i < report->protocol.record_count; i++) {
        const struct imb_record *r = protocol_at(&report->protocol, i);
        if (r->bytes > 0 && strcmp(r->benchmark, benchmark) == 0)
            return true;
    }
    return false;
}

static bool has_value(const struct report *report, const char *benchmark, const struct panel_row *panel)
{
    for (size_t i = 0; i < report->protocol.record_count; i++) {
        const struct imb_record *r = protocol_at(&report->protocol, i);
        if (r->repetition == 0 && panel->of(r).value > 0 && strcmp(r->benchmark, benchmark) == 0)
            return true;
    }
    return false;
}

static bool has_bars(const struct figure *figure)
{
    for (int s = 0; figure->panel_count && s < figure->panel[0].series_count; s++)
        for (size_t i = 0; i < figure->panel[0].series[s].count; i++)
            if (figure->panel[0].series[s].points[i].low < figure->panel[0].series[s].points[i].high)
                return true;
    return false;
}

void fill_imb_benchmark(struct figure *figure, const struct report *report, int i)
{
    int first[MOST_BENCHMARKS];
    if (i >= find_benchmarks(results(report), first))
        return;
    const char *benchmark = results(report)->series[first[i]].benchmark;
    snprintf(figure->name, sizeof figure->name, "%s", benchmark);
    snprintf(figure->title, sizeof figure->title, "%s", benchmark);
    if (!has_sizes(report, benchmark)) {
        figure->x.kind = AXIS_COUNT;
        snprintf(figure->x.label, sizeof figure->x.label, "processes");
    }
    for (int p = 0; p < PANEL_ROWS && figure->panel_count < FIGURE_MOST_PANELS; p++)
        if (has_value(report, benchmark, &panel_rows[p]))
            add_panel(figure, report, benchmark, &panel_rows[p]);
    if (has_bars(figure))
        figure_note(figure, "bars: fastest to slowest process");
}
