/* The pictures of several runs at once: comparison, history, systems. Uses comparison, trend, rank, draw. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/escape.h"
#include "report/pictures.h"

/* Adds a picture whose data stand beside it, in plots/NAME.dat; NULL with one line. */
static FILE *start(struct drawing *drawing, const char *script, const char *name, const char *title,
                   struct message *error)
{
    struct picture *picture = draw_add(drawing, script, "%s", title);
    if (!picture) {
        message_set(error, "out of memory for the plots");
        return NULL;
    }
    char path[sizeof picture->name + 16];
    picture->of_runs = true;
    snprintf(picture->name, sizeof picture->name, "%s", name);
    snprintf(path, sizeof path, "plots/%s.dat", name);
    return draw_create(drawing, path, error);
}

static int finish(FILE *out, struct message *error)
{
    return fclose(out) ? message_set(error, "the data of a plot can't be written") : 0;
}

static void put_numbers(const double *numbers, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        fputc(' ', out);
        draw_number(numbers[i], out);
    }
}

/* "; 2 of 8 runs NOT VALID for comparison" */
static void put_invalid(const struct side *side, FILE *out)
{
    int invalid = report_count_invalid(side->runs, (int)side->count);
    if (invalid)
        fprintf(out, "; NOT VALID for comparison: %d of %zu runs", invalid, side->count);
}

/* ---- compare ---- */

enum { MOST_RATIOS = 40 };

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

static int smallest_first(const void *a, const void *b)
{
    double left = (*(const struct compared *const *)a)->ratio.value,
           right = (*(const struct compared *const *)b)->ratio.value;
    return (left > right) - (left < right);
}

static void put_ratio(const struct compared *row, FILE *out)
{
    static const char *const verdicts[] = {[VERDICT_NONE] = "none",
                                           [VERDICT_BETTER] = "better",
                                           [VERDICT_WORSE] = "worse",
                                           [VERDICT_OPEN] = "inconclusive"};
    char name[160];
    if (row->item->bytes > 0)
        snprintf(name, sizeof name, "%.32s, %.0f B", row->item->name, row->item->bytes);
    else
        snprintf(name, sizeof name, "%.47s", row->item->name);
    escape_data(name, out);
    put_numbers((const double[]){row->ratio.value, row->ratio.low, row->ratio.high}, 3, out);
    fprintf(out, " %s\n", verdicts[row->verdict]);
}

/* The rating, and the figures that differ most. */
static int add_ratios(struct drawing *drawing, const struct comparison *c, struct message *error)
{
    const struct compared **rows = calloc(c->count + 1, sizeof *rows);
    FILE *out = rows ? start(drawing, "compare", "compare", "Ratios after / before", error) : NULL;
    if (!out) {
        free(rows);
        return rows ? -1 : message_set(error, "out of memory for the plots");
    }
    size_t all = 0;
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->compared[i].item->group, "pattern and size") != 0) /* hundreds */
            rows[all++] = &c->compared[i];
    size_t count = all < MOST_RATIOS ? all : MOST_RATIOS;
    qsort(rows, all, sizeof *rows, furthest_first);
    qsort(rows, count, sizeof *rows, smallest_first);
    fputs("# figure ratio low high verdict\n", out);
    for (size_t i = 0; i < count; i++)
        put_ratio(rows[i], out);
    free(rows);
    return finish(out, error);
}

/* "after: DIR and 3 more" */
static void put_side(const struct side *side, const char *name, FILE *out)
{
    char more[32] = "", text[160];
    if (side->count > 1)
        snprintf(more, sizeof more, " and %zu more", side->count - 1);
    const char *run = report_name(side->runs);
    size_t length = strlen(run);
    snprintf(text, sizeof text, "%s: %s%.60s%s", name, length > 60 ? "..." : "",
             run + (length > 60 ? length - 60 : 0), more);
    fputc(' ', out);
    escape_data(text, out);
}

static bool is_size(const struct compared *row)
{
    return strcmp(row->item->group, "size") == 0;
}

static int add_sizes(struct drawing *drawing, const struct comparison *c, struct message *error)
{
    size_t sizes = 0;
    for (size_t i = 0; i < c->count; i++)
        sizes += is_size(&c->compared[i]);
    if (!sizes)
        return 0;
    FILE *out =
        start(drawing, "sizes", "sizes", "By message size: logavg of rings and random polygons", error);
    if (!out)
        return -1;
    fputs("bytes", out);
    put_side(&c->side[0], "before", out);
    put_side(&c->side[1], "after", out);
    fputs(" ratio low high\n", out);
    for (size_t i = 0; i < c->count; i++) {
        const struct compared *row = &c->compared[i];
        if (!is_size(row))
            continue;
        fprintf(out, "%.0f", row->item->bytes);
        put_numbers(
            (const double[]){row->before, row->after, row->ratio.value, row->ratio.low, row->ratio.high}, 5,
            out);
        fputc('\n', out);
    }
    return finish(out, error);
}

int pictures_of_comparison(struct drawing *drawing, const struct comparison *c, struct message *error)
{
    size_t size;
    FILE *out = open_memstream(&drawing->caption, &size);
    if (!out)
        return message_set(error, "out of memory for the plots");
    fprintf(out, "%.60s, %zu runs before, %zu after; %s",
            c->all.count ? report_meta(c->all.runs, "host") : "", c->side[0].count, c->side[1].count,
            isnan(c->level) ? "no intervals: too few runs" : "95 % intervals");
    put_invalid(&c->all, out);
    if (c->reasons.count)
        fprintf(out, "; no verdict: %.120s", c->reasons.text[0]);
    if (fclose(out))
        return message_set(error, "out of memory for the plots");
    return add_ratios(drawing, c, error) || add_sizes(drawing, c, error) ? -1 : 0;
}

/* ---- trend ---- */

static void put_history(const struct trend *t, const struct trend_figure *of, FILE *out)
{
    bool changed = of->verdict == VERDICT_BETTER || of->verdict == VERDICT_WORSE;
    char label[80];
    snprintf(label, sizeof label, "%.50s (%.20s)", of->item->name, of->item->unit);
    fputs("started ", out);
    escape_data(label, out);
    fputs(" valid median\n", out);
    for (size_t i = 0; i < t->runs.all.count; i++) {
        const struct report *run = comparison_run(&t->runs, i);
        put_numbers((const double[]){report_time(run, "started"), of->values[i]}, 2, out);
        fputs(report_valid(run) ? " yes" : " no", out);
        put_numbers((const double[]){!changed            ? NAN
                                     : i < of->change.at ? of->change.before
                                                         : of->change.after},
                    1, out);
        fputc('\n', out);
    }
}

int pictures_of_trend(struct drawing *drawing, const struct trend *t, struct message *error)
{
    enum { MOST_FIGURES = 3 };
    const struct report *last = comparison_run(&t->runs, t->runs.all.count - 1);
    char verdict[512];
    trend_judge(t, verdict, sizeof verdict);
    drawing->caption = text_format("%.40s, %.12s processes, %zu runs\n%.330s", report_meta(last, "host"),
                                   report_meta(last, "processes"), t->runs.all.count, verdict);
    FILE *out = start(drawing, "trend", "trend", "History of runs", error);
    if (!out)
        return -1;
    for (size_t i = 0; i < t->count && i < MOST_FIGURES; i++) {
        fputs(i ? "\n\n" : "", out);
        put_history(t, &t->figures[i], out);
    }
    return finish(out, error);
}

/* ---- rank ---- */

static double rating_of(const struct report *run)
{
    const struct sheet_value *value = sheet_find(run->sheet, run->row->ranked[0]);
    return value ? value->value : NAN;
}

static int add_systems(struct drawing *drawing, const struct rank *rank, struct message *error)
{
    enum { MOST_SYSTEMS = 40 };
    size_t count = rank->count < MOST_SYSTEMS ? rank->count : MOST_SYSTEMS;
    FILE *out = start(drawing, "rank", "rank", "Systems by rating", error);
    if (!out)
        return -1;
    fputs("# system median low high; number of a run's system, its rating\n", out);
    for (size_t i = 0; i < count; i++) {
        const struct rank_system *system = &rank->system[i];
        char text[96];
        snprintf(text, sizeof text, "%zu. %.40s, %.6s processes", i + 1, system->name,
                 report_meta(system->first, "processes"));
        escape_data(text, out);
        put_numbers((const double[]){system->figure[0], system->low, system->high}, 3, out);
        fputc('\n', out);
    }
    fputs("\n\n", out);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < rank->runs.all.count; k++)
            if (rank_is_of(rank, &rank->runs.all.runs[k], &rank->system[i])) {
                fprintf(out, "%zu", i);
                put_numbers((const double[]){rating_of(&rank->runs.all.runs[k])}, 1, out);
                fputc('\n', out);
            }
    return finish(out, error);
}

/* The metadata by which systems are told apart and that are axes: each where the other is x. */
static const char *const axes[] = {"processes", "time_s"};
enum { AXES = sizeof axes / sizeof axes[0] };

/* Whether runs of both systems are one series over axis `x`. */
static bool is_one_series(const struct rank *rank, const struct rank_system *a, const struct rank_system *b,
                          int x)
{
    const char *const keys[] = {"host", "mpi", rank_differs(rank, axes[!x]) ? axes[!x] : "mpi"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(report_meta(a->first, keys[i]), report_meta(b->first, keys[i])) != 0)
            return false;
    return true;
}

static void put_series(const struct rank *rank, size_t first, int x, FILE *out)
{
    const struct rank_system *system = &rank->system[first];
    const struct side *all = &rank->runs.all;
    char other[32] = "", text[160];
    if (rank_differs(rank, axes[!x]))
        snprintf(other, sizeof other, x ? ", %.6s processes" : ", T = %.10s s",
                 report_meta(system->first, axes[!x]));
    snprintf(text, sizeof text, "%.30s, %.40s%s", report_meta(system->first, "host"),
             report_meta(system->first, "mpi"), other);
    fprintf(out, "%s ", axes[x]);
    escape_data(text, out);
    fputc('\n', out);
    for (size_t k = 0; k < all->count; k++)
        for (size_t j = first; j < rank->count; j++)
            if (is_one_series(rank, &rank->system[j], system, x) &&
                rank_is_of(rank, &all->runs[k], &rank->system[j])) {
                put_numbers((const double[]){protocol_number(&all->runs[k].protocol, axes[x]),
                                             rating_of(&all->runs[k])},
                            2, out);
                fputc('\n', out);
            }
}

/* The rating of every run by its number of processes, or by its time: the paper's figure 2. */
static int add_by(struct drawing *drawing, const struct rank *rank, int x, struct message *error)
{
    char name[32];
    snprintf(name, sizeof name, "by-%s", axes[x]);
    FILE *out = start(drawing, "by", name, "Rating of each run", error);
    if (!out)
        return -1;
    snprintf(drawing->picture[drawing->count - 1].argument, sizeof drawing->picture->argument, "%s", axes[x]);
    for (size_t i = 0; i < rank->count; i++) {
        size_t before = 0;
        while (!is_one_series(rank, &rank->system[before], &rank->system[i], x))
            before++;
        if (before < i)
            continue;
        fputs(i ? "\n\n" : "", out);
        put_series(rank, i, x, out);
    }
    return finish(out, error);
}

int pictures_of_rank(struct drawing *drawing, const struct rank *rank, struct message *error)
{
    size_t size;
    FILE *out = open_memstream(&drawing->caption, &size);
    if (!out)
        return message_set(error, "out of memory for the plots");
    fprintf(out, "%zu systems, %zu runs", rank->count, rank->runs.all.count);
    put_invalid(&rank->runs.all, out);
    int failed = fclose(out) ? -1 : add_systems(drawing, rank, error);
    for (int x = 0; x < AXES && !failed; x++)
        if (rank_varies(rank, axes[x]))
            failed = add_by(drawing, rank, x, error);
    return failed;
}
