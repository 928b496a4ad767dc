/* What is drawn of beff_io's runs. Uses beff_io's results, figure. */
#include <math.h>
#include <stdio.h>

#include "beff_io/results.h"
#include "plots/figures.h"

static const struct io_results *results(const struct report *report)
{
    return (const void *)report->sheet;
}

static int count_partitions(const struct report *report)
{
    return results(report)->rating.partitions;
}

/* ---- by chunk size: figure 3 of the paper on b_eff_io ---- */

/* The patterns' sizes ascend with these places (see the pattern table). On the pseudo-logarithmic axis the
 * whole powers are 5 apart, and "+8" points 2 beside. */
static const struct {
    int place;
    double at;
    bool beside;
} sizes[] = {{4, 5, false},  {6, 7, true},  {3, 10, false}, {5, 12, true},
             {2, 15, false}, {7, 17, true}, {1, 20, false}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static const struct io_pattern *find(const struct io_results *r, enum io_type type, int place)
{
    for (int i = 0; i < IO_PATTERNS; i++)
        if (r->patterns[i].type == type && r->patterns[i].place == place)
            return &r->patterns[i];
    return NULL;
}

static void add_ticks(struct figure *figure, const struct io_results *r)
{
    for (int i = 0; i < SIZES; i++) {
        char text[24] = "+8", unit = 0;
        double bytes = (double)find(r, TYPE_SCATTER, sizes[i].place)->disk;
        if (!sizes[i].beside) { /* as short as in the paper: "32K", "94M" */
            axis_bytes_text(bytes, text, sizeof text);
            if (sscanf(text, "%lf %c", &bytes, &unit) == 2)
                snprintf(text, sizeof text, bytes < 9.95 ? "%.2g%c" : "%.0f%c", bytes, unit);
        }
        figure_tick(&figure->x, sizes[i].at, text);
    }
}

static void add_type(struct figure *figure, const struct report *report,
                     const struct io_partition_rating *partition, enum io_access access, enum io_type type)
{
    const struct io_results *r = results(report);
    struct figure_series *series =
        figure_series(figure, SERIES_MEASURED, (int)type, "%d %s", (int)type, io_type_name(type));
    for (int i = 0; i < SIZES; i++)
        figure_plain_point(figure, series, sizes[i].at,
                           io_rating_pattern(&report->protocol, partition->processes, access,
                                             find(r, type, sizes[i].place)->number));
}

static void fill_chunks(struct figure *figure, const struct report *report)
{
    const struct io_results *r = results(report);
    const struct io_partition_rating *partition = &r->rating.partition[figure->item];
    snprintf(figure->name, sizeof figure->name, "chunks-n%lld", (long long)partition->processes);
    snprintf(figure->title, sizeof figure->title, "I/O bandwidth by chunk size, %lld process%s",
             (long long)partition->processes, partition->processes == 1 ? "" : "es");
    figure->same_y = true;
    add_ticks(figure, r);
    figure_note(figure, "+8: 8 bytes more; the largest chunk has %.0f bytes",
                (double)find(r, TYPE_SCATTER, sizes[SIZES - 1].place)->disk);
    for (int a = 0; a < IO_ACCESSES; a++) {
        static const char *const titles[] = {
            [ACCESS_WRITE] = "initial write", [ACCESS_REWRITE] = "rewrite", [ACCESS_READ] = "read"};
        figure_panel(figure, titles[a], AXIS_LOG, a == 0 ? "bandwidth of all processes (MB/s)" : "");
        for (int t = 0; t < IO_TYPES; t++)
            add_type(figure, report, partition, (enum io_access)a, (enum io_type)t);
    }
}

/* ---- by number of processes: figure 2 ---- */

static void fill_partitions(struct figure *figure, const struct report *report)
{
    const struct io_rating *rating = &results(report)->rating;
    figure_panel(figure, "", AXIS_LOG, "bandwidth of all processes (MB/s)");
    for (int p = 0; p < rating->partitions; p++) {
        char text[24];
        snprintf(text, sizeof text, "%lld", (long long)rating->partition[p].processes);
        figure_tick(&figure->x, (double)rating->partition[p].processes, text);
    }
    for (int a = -1; a < IO_ACCESSES; a++) { /* -1: all of them together */
        const char *title = a < 0 ? "b_eff_io" : io_access_name((enum io_access)a);
        struct figure_series *series = figure_series(figure, SERIES_MEASURED, 1 + a, "%s", title);
        for (int p = 0; p < rating->partitions; p++) {
            const struct io_partition_rating *of = &rating->partition[p];
            figure_plain_point(figure, series, (double)of->processes, a < 0 ? of->b_eff_io : of->access[a]);
        }
    }
    figure_note(figure, "b_eff_io: 25 %% write, 25 %% rewrite, 50 %% read; the rating is the highest");
}

const struct figure_row figures_io[] = {
    {"partitions", "Numbers of processes compared", AXIS_COUNT, "processes", NULL, fill_partitions, true},
    {"chunks", "I/O bandwidth by chunk size", AXIS_POSITIONS, "chunk size on disk", count_partitions,
     fill_chunks, true},
    {NULL}};
