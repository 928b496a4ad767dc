/* The table of figures. Uses figure, the rows' functions. */
#include "plots/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/escape.h"

#define SIZE  AXIS_BYTES, "message size"
#define CHUNK AXIS_POSITIONS, "chunk size on disk"

/* clang-format off */
static const struct figure_row rows[] = {
    {"beff", "kinds", "Rings and random polygons", SIZE, NULL, fill_beff_kinds, true},
    {"beff", "rings", "Ring patterns, best method", SIZE, NULL, fill_beff_rings, true},
    {"beff", "random", "Random polygons, best method", SIZE, NULL, fill_beff_random, false},
    {"beff", "methods", "Transfer methods", SIZE, NULL, fill_beff_methods, true},
    {"beff", "analysis", "Additional patterns (not rated), best method", SIZE, NULL, fill_beff_analysis, false},
    {"beff", "model", "Model t = latency + L / b_inf", SIZE, NULL, fill_beff_model, false},
    {"beff", "repetitions", "b_eff of each repetition alone", AXIS_NUMBERS, "repetition", NULL, fill_beff_repetitions, false},
    {"beff_io", "partitions", "Numbers of processes compared", AXIS_COUNT, "processes", NULL, fill_io_partitions, true},
    {"beff_io", "chunks", "I/O bandwidth by chunk size", CHUNK, count_io_partitions, fill_io_chunks, true},
    {"imb_compat", "imb", "Time and bandwidth", SIZE, count_imb_benchmarks, fill_imb_benchmark, true},
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof rows[0] };

/* ---- headings ---- */

/* The number that is rated; NULL if there is none. */
static const struct sheet_value *rated(const struct sheet *sheet)
{
    for (int i = 0; i < sheet->value_count; i++)
        if (sheet_rates(sheet, sheet->values[i].name))
            return isfinite(sheet->values[i].value) ? &sheet->values[i] : NULL;
    return NULL;
}

static void put_subtitle(struct figure *figure, const struct report *report)
{
    const struct sheet *sheet = report->sheet;
    const struct sheet_value *value = rated(sheet);
    char *text = figure->subtitle;
    size_t size = sizeof figure->subtitle;
    const char *processes = report_meta(report, "processes"), *nodes = report_meta(report, "nodes");
    int used = snprintf(text, size, "%.40s (%.48s), %.12s process%s on %.12s node%s, %.10s",
                        report_meta(report, "host"), report_meta(report, "cpu"), processes,
                        strcmp(processes, "1") == 0 ? "" : "es", nodes, strcmp(nodes, "1") == 0 ? "" : "s",
                        report_meta(report, "started"));
    if (value && strcmp(value->unit, "MB/s") == 0)
        used += snprintf(text + used, size - (size_t)used, ", %s = %.3f MB/s", value->name, value->value);
    if (sheet->criterion_count)
        snprintf(text + used, size - (size_t)used, ", %s",
                 sheet_valid(sheet) ? "VALID" : "NOT VALID for comparison");
}

/* ---- making ---- */

struct figure *figures_append(struct figure_list *figures, struct message *error)
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
                    int i, struct message *error)
{
    struct figure *figure = figures_append(figures, error);
    if (!figure)
        return -1;
    snprintf(figure->name, sizeof figure->name, "%s", row->name);
    snprintf(figure->title, sizeof figure->title, "%s", row->title);
    snprintf(figure->x.label, sizeof figure->x.label, "%s", row->x_label);
    figure->x.kind = row->x;
    figure->compared = row->compared;
    row->fill(figure, report, i);
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

int figures_make_raw(struct figure_list *figures, const struct report *report, struct message *error)
{
    *figures = (struct figure_list){0};
    for (size_t r = 0; r < ROWS; r++) {
        int count = 1;
        if (strcmp(rows[r].program, report->engine->program) != 0)
            continue;
        if (rows[r].count)
            count = rows[r].count(report);
        for (int i = 0; i < count; i++)
            if (make_one(figures, &rows[r], report, i, error))
                return -1;
    }
    return 0;
}

static void scale_all(struct figure_list *figures)
{
    for (int i = 0; i < figures->count; i++)
        figure_scale(&figures->figure[i]);
}

int figures_make(struct figure_list *figures, const struct report *report, struct message *error)
{
    if (figures_make_raw(figures, report, error))
        return -1;
    scale_all(figures);
    return 0;
}

void figures_free(struct figure_list *figures)
{
    for (int i = 0; i < figures->count; i++)
        figure_free(&figures->figure[i]);
    free(figures->figure);
    *figures = (struct figure_list){0};
}
