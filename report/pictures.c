#include "report/pictures.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "report/escape.h"

/* ---- the caption ---- */

static char *caption_of(const struct report *report)
{
    const struct sheet *sheet = report->sheet;
    const struct sheet_value *value = sheet_find(sheet, sheet->headline_name);
    const char *processes = report_meta(report, "processes"), *nodes = report_meta(report, "nodes"),
               *threads = report_meta(report, "threads");
    const bool several = atoi(threads) > 1;
    char rating[160] = "", verdict[120] = "", number[TEXT_NUMBER_SIZE];
    if (value && isfinite(value->value) && strcmp(value->unit, "MB/s") == 0)
        snprintf(rating, sizeof rating, "%s = %.100s MB/s, ", value->name, text_number(number, value->value));
    if (sheet->criterion_count)
        snprintf(verdict, sizeof verdict, "%s%s%s", sheet_verdict(sheet), *sheet->noise ? ", " : "",
                 sheet->noise);
    return text_format("%.40s, %.12s process%s%s%.12s%s on %.12s node%s, %.60s, %.10s\n%s%s",
                       report_meta(report, "host"), processes, TEXT_ES(atoi(processes)),
                       several ? " of " : "", several ? threads : "", several ? " threads" : "", nodes,
                       strcmp(nodes, "1") == 0 ? "" : "s", report_meta(report, "cpu"),
                       report_meta(report, "started"), rating, verdict);
}

/* ---- data ---- */

FILE *picture_start(struct drawing *drawing, const char *script, const char *name, const char *argument,
                    const char *title)
{
    struct picture *picture = draw_add(drawing, script, "%s", title);
    char path[sizeof picture->name + 16];
    snprintf(picture->name, sizeof picture->name, "%s", name);
    snprintf(picture->argument, sizeof picture->argument, "%s", argument);
    picture->of_runs = !*argument;
    snprintf(path, sizeof path, "plots/%s.dat", name);
    return draw_data(drawing, path);
}

void picture_numbers(const double *numbers, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++)
        if (isfinite(numbers[i]))
            fprintf(out, " %.10g", numbers[i]);
        else
            fputs(" -", out);
}

void picture_tables(struct drawing *drawing, const struct report *report)
{
    for (int i = ENGINE_TABLES; i < engine_file_count(report->sheet); i++) {
        char name[ENGINE_FILE_NAME];
        FILE *out = draw_data(drawing, engine_file_name(report->engine, report->sheet, i, name));
        engine_write_file(report->engine, report->sheet, i, false, out);
        memory_stream_end(out);
    }
}

/* ---- a run ---- */

void pictures_of_run(struct drawing *drawing, const struct report *report)
{
    drawing->caption = caption_of(report);
    report->row->pictures(drawing, report);
}

/* ---- several runs ---- */

/* Writes "; NOT VALID for comparison: 2 of 8 runs", or "" if all runs are VALID. Returns `text`. */
static const char *describe_invalid(const struct runs *runs, char text[80])
{
    size_t invalid = 0;
    for (size_t i = 0; i < runs->count; i++)
        invalid += !sheet_valid(runs->run[i].sheet);
    *text = 0;
    if (invalid)
        snprintf(text, 80, "; NOT VALID for comparison: %zu of %zu runs", invalid, runs->count);
    return text;
}

/* ---- compare ---- */

enum { MAX_RATIOS = 40 };

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

static double shown_ratio(const struct compared *row)
{
    return row->item->less_is_better ? 1 / row->ratio.value : row->ratio.value;
}

static int smallest_first(const void *a, const void *b)
{
    double left = shown_ratio(*(const struct compared *const *)a),
           right = shown_ratio(*(const struct compared *const *)b);
    return (left > right) - (left < right);
}

/* Writes a row of the picture of ratios. Figures for which less is better are inverted, so that more is
 * better in all rows. */
static void put_ratio(const struct compared *row, FILE *out)
{
    char name[160];
    bool inverted = row->item->less_is_better;
    const double ratio[] = {shown_ratio(row), inverted ? 1 / row->ratio.high : row->ratio.low,
                            inverted ? 1 / row->ratio.low : row->ratio.high};
    if (row->item->bytes > 0)
        snprintf(name, sizeof name, "%s%.32s, %.0f B", inverted ? "1 / " : "", row->item->name,
                 row->item->bytes);
    else
        snprintf(name, sizeof name, "%s%.47s", inverted ? "1 / " : "", row->item->name);
    escape_data(name, out);
    picture_numbers(ratio, 3, out);
    fprintf(out, " %s\n", verdict_words[row->verdict]);
}

/* Adds the picture of the rating and of the figures that differ most. */
static void add_ratios(struct drawing *drawing, const struct comparison *c)
{
    const struct compared **rows = memory_new(c->count, sizeof *rows, "the plots");
    FILE *out = picture_start(drawing, "compare", "compare", "", "Ratios after / before");
    size_t all = 0;
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->compared[i].item->group, "pattern and size") != 0) /* there are hundreds */
            rows[all++] = &c->compared[i];
    size_t count = all < MAX_RATIOS ? all : MAX_RATIOS;
    qsort(rows, all, sizeof *rows, furthest_first);
    qsort(rows, count, sizeof *rows, smallest_first);
    fputs("# figure ratio low high verdict\n", out);
    for (size_t i = 0; i < count; i++)
        put_ratio(rows[i], out);
    free(rows);
    memory_stream_end(out);
}

/* Writes "after: DIR and 3 more". */
static void put_side(const char *name, const struct report *first, size_t count, FILE *out)
{
    char more[32] = "", text[160];
    const char *run = report_name(first);
    size_t length = strlen(run), from = length > 60 ? length - 60 : 0;
    if (count > 1)
        snprintf(more, sizeof more, " and %zu more", count - 1);
    snprintf(text, sizeof text, "%s: %s%.60s%s", name, from ? "..." : "", run + from, more);
    fputc(' ', out);
    escape_data(text, out);
}

static bool is_size(const struct compared *row)
{
    return strcmp(row->item->group, "size") == 0;
}

static void add_sizes(struct drawing *drawing, const struct comparison *c)
{
    size_t sizes = 0;
    for (size_t i = 0; i < c->count; i++)
        sizes += is_size(&c->compared[i]);
    if (!sizes)
        return;
    FILE *out =
        picture_start(drawing, "sizes", "sizes", "", "By message size: logavg of rings and random polygons");
    fputs("bytes", out);
    put_side("before", c->runs.run, c->before, out);
    put_side("after", &c->runs.run[c->before], c->runs.count - c->before, out);
    fputs(" ratio low high\n", out);
    for (size_t i = 0; i < c->count; i++) {
        const struct compared *row = &c->compared[i];
        if (!is_size(row))
            continue;
        fprintf(out, "%.0f", row->item->bytes);
        picture_numbers(
            (const double[]){row->before, row->after, row->ratio.value, row->ratio.low, row->ratio.high}, 5,
            out);
        fputc('\n', out);
    }
    memory_stream_end(out);
}

void pictures_of_comparison(struct drawing *drawing, const struct comparison *c)
{
    const struct runs *runs = &c->runs;
    size_t after = runs->count - c->before;
    bool refused = runs->reasons.count;
    char invalid[80], intervals[40] = "no intervals: too few runs";
    if (!isnan(c->level))
        snprintf(intervals, sizeof intervals, "%.1f %% intervals", 100 * c->level);
    drawing->caption = text_format(
        "%.60s, %zu run%s before, %zu after; %s%s%s%.120s", runs->count ? report_meta(runs->run, "host") : "",
        c->before, PLURAL(c->before), after, intervals, describe_invalid(runs, invalid),
        refused ? "; no verdict: " : "", refused ? runs->reasons.line[0].text : "");
    add_ratios(drawing, c);
    add_sizes(drawing, c);
}

/* ---- trend ---- */

void pictures_of_trend(struct drawing *drawing, const struct trend *t)
{
    const struct report *last = runs_by_start(&t->runs, t->runs.count - 1);
    bool changed = t->verdict == VERDICT_BETTER || t->verdict == VERDICT_WORSE;
    char verdict[512], label[80];
    trend_judge(t, verdict, sizeof verdict);
    drawing->caption =
        text_format("%.40s, %.12s processes, %zu run%s\n%.330s", report_meta(last, "host"),
                    report_meta(last, "processes"), t->runs.count, PLURAL(t->runs.count), verdict);
    FILE *out = picture_start(drawing, "trend", "trend", "", "History of runs");
    snprintf(label, sizeof label, "%.50s (%.20s)", t->rating->name, t->rating->unit);
    fputs("started ", out);
    escape_data(label, out);
    fputs(" valid median\n", out);
    for (size_t i = 0; i < t->runs.count; i++) {
        const struct report *run = runs_by_start(&t->runs, i);
        double median = i < t->change.at ? t->change.before : t->change.after;
        picture_numbers(
            (const double[]){report_time(run, "started"), runs_rating(&t->runs, t->runs.order[i])}, 2, out);
        fputs(sheet_valid(run->sheet) ? " yes" : " no", out);
        picture_numbers((const double[]){changed ? median : NAN}, 1, out);
        fputc('\n', out);
    }
    memory_stream_end(out);
}

/* ---- rank ---- */

static void add_systems(struct drawing *drawing, const struct rank *rank)
{
    enum { MAX_SYSTEMS = 40 };
    size_t count = 0;
    while (count < rank->count && count < MAX_SYSTEMS && rank->system[count].first)
        count++;
    FILE *out = picture_start(drawing, "rank", "rank", "", "Systems by rating");
    fputs("# system median low high; number of a run's system, its rating\n", out);
    for (size_t i = 0; i < count; i++) {
        const struct rank_system *system = &rank->system[i];
        char text[96];
        snprintf(text, sizeof text, "%zu. %.40s, %.6s processes", i + 1, system->name,
                 report_meta(system->first, "processes"));
        escape_data(text, out);
        picture_numbers((const double[]){system->figure[0], system->low, system->high}, 3, out);
        fputc('\n', out);
    }
    fputs("\n\n", out);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < rank->runs.count; k++)
            if (rank_is_of(rank, &rank->runs.run[k], &rank->system[i])) {
                fprintf(out, "%zu", i);
                picture_numbers((const double[]){runs_rating(&rank->runs, k)}, 1, out);
                fputc('\n', out);
            }
    memory_stream_end(out);
}

void pictures_of_rank(struct drawing *drawing, const struct rank *rank)
{
    size_t systems = rank->count, runs = rank->runs.count;
    char invalid[80];
    drawing->caption = text_format("%zu system%s, %zu run%s%s", systems, PLURAL(systems), runs, PLURAL(runs),
                                   describe_invalid(&rank->runs, invalid));
    add_systems(drawing, rank);
}
