/* What is drawn of a run: its tables, as the run itself writes them, or of imb_compat a table for each
 * benchmark; and of several runs. */
#include "report/pictures.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beff_io/results.h"
#include "imb_compat/results.h"
#include "report/escape.h"

/* ---- the caption ---- */

static char *caption_of(const struct report *report)
{
    const struct sheet *sheet = report->sheet;
    const struct sheet_value *value = sheet_find(sheet, sheet->headline_name);
    const char *processes = report_meta(report, "processes"), *nodes = report_meta(report, "nodes");
    char rating[120] = "", verdict[80] = "";
    if (value && isfinite(value->value) && strcmp(value->unit, "MB/s") == 0)
        snprintf(rating, sizeof rating, "%s = %.3f MB/s, ", value->name, value->value);
    if (report->findings.count)
        snprintf(verdict, sizeof verdict, "NOT VALID: faults in its files: %zu",
                 report->findings.count + report->findings.more);
    else if (sheet->criterion_count)
        snprintf(verdict, sizeof verdict, "%s%s", sheet_verdict(sheet),
                 *sheet->noise ? ", noisy machine" : "");
    return text_format("%.40s, %.12s process%s on %.12s node%s, %.60s, %.10s\n%s%s",
                       report_meta(report, "host"), processes, TEXT_ES(atoi(processes)), nodes,
                       strcmp(nodes, "1") == 0 ? "" : "s", report_meta(report, "cpu"),
                       report_meta(report, "started"), rating, verdict);
}

/* ---- data ---- */

/* Adds a picture whose data are plots/NAME.dat, with the script's second argument ("": none): the file, or
 * NULL with one line. */
static FILE *start(struct drawing *drawing, const char *script, const char *name, const char *argument,
                   const char *title, struct message *error)
{
    struct picture *picture = draw_add(drawing, error, script, "%s", title);
    if (!picture)
        return NULL;
    char path[sizeof picture->name + 16];
    snprintf(picture->name, sizeof picture->name, "%s", name);
    snprintf(picture->argument, sizeof picture->argument, "%s", argument);
    picture->of_runs = !*argument;
    snprintf(path, sizeof path, "plots/%s.dat", name);
    return draw_create(drawing, path, error);
}

static int finish(FILE *out, struct message *error)
{
    return fclose(out) ? message_set(error, "the data of a plot can't be written") : 0;
}

/* Each with a blank before it; "-" for what is not known. */
static void put_numbers(const double *numbers, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++)
        if (isfinite(numbers[i]))
            fprintf(out, " %.10g", numbers[i]);
        else
            fputs(" -", out);
}

/* ---- beff and beff_io: the run's own files ---- */

static int write_tables(const struct drawing *drawing, const struct report *report, struct message *error)
{
    for (int i = ENGINE_TABLES; i < engine_file_count(report->sheet); i++) {
        char name[ENGINE_FILE_NAME];
        FILE *out = draw_create(drawing, engine_file_name(report->engine, report->sheet, i, name), error);
        if (!out)
            return -1;
        int failed = engine_write_file(report->engine, report->sheet, i, false, out);
        if (fclose(out) || failed)
            return message_set(error, "%s can't be written", name);
    }
    return 0;
}

static int add_beff(struct drawing *drawing, const struct report *report, struct message *error)
{
    snprintf(drawing->yrange, sizeof drawing->yrange, "%s", report_meta(report, "option_yrange"));
    if (strspn(drawing->yrange, "0123456789.:eE+-") != strlen(drawing->yrange))
        *drawing->yrange = 0; /* a word */
    bool added = draw_add(drawing, error, "rings", "Rings, random polygons and ping-pong by message size") &&
                 draw_add(drawing, error, "methods", "Transfer methods by message size") &&
                 draw_add(drawing, error, "patterns", "Bandwidth of each pattern") &&
                 draw_add(drawing, error, "repetitions", "The definition applied to each repetition alone");
    return added ? write_tables(drawing, report, error) : -1;
}

static int add_io(struct drawing *drawing, const struct report *report, struct message *error)
{
    const struct io_rating *rating = &((const struct io_results *)(const void *)report->sheet)->rating;
    struct picture *picture = draw_add(drawing, error, "partitions", "b_eff_io by number of processes");
    for (int p = 0; p < rating->partitions && picture; p++) {
        long long processes = rating->partition[p].processes;
        picture = draw_add(drawing, error, "chunks", "I/O bandwidth by chunk size, %lld process%s", processes,
                           TEXT_ES(processes));
        if (!picture)
            break;
        snprintf(picture->name, sizeof picture->name, "chunks-n%lld", processes);
        snprintf(picture->argument, sizeof picture->argument, "%lld", processes);
    }
    return picture ? write_tables(drawing, report, error) : -1;
}

/* ---- imb_compat: a block for each number of processes and mode ---- */

enum { MAX_BENCHMARKS = 64 };

static const struct imb_record *row_at(const struct imb_results *r, const struct imb_series *s, int i)
{
    return protocol_at(r->sheet.protocol, s->row[i]);
}

/* Whether the benchmark has rows of several sizes, or else one for each number of processes. */
static bool has_sizes(const struct imb_results *r, const char *benchmark)
{
    for (int s = 0; s < r->series_count; s++)
        for (int i = 0; i < r->series[s].rows && strcmp(r->series[s].benchmark, benchmark) == 0; i++)
            if (row_at(r, &r->series[s], i)->bytes > 0)
                return true;
    return false;
}

static void put_block(const struct imb_series *s, bool sized, bool first, FILE *out)
{
    char text[COLUMN_TEXT_SIZE + 96], groups[40] = "";
    bool modeless = strcmp(s->mode, "-") == 0;
    if (s->groups > 1)
        snprintf(groups, sizeof groups, "%" PRId64 " groups of ", s->groups);
    if (sized)
        snprintf(text, sizeof text, "%s%" PRId64 " process%s%s%s", groups, s->processes,
                 TEXT_ES(s->processes), modeless ? "" : ", ", modeless ? "" : s->mode);
    else
        snprintf(text, sizeof text, "all processes%s%s", modeless ? "" : ", ", modeless ? "" : s->mode);
    fputs(first ? "" : "\n\n", out);
    escape_data(text, out);
    fputc('\n', out);
}

/* 0 stands where a benchmark has no such value, but for overlap: 0 % is one. */
static void put_row(const struct imb_record *r, FILE *out)
{
    double unit = r->t_avg > 0 ? 1e6 : NAN;
    const double numbers[] = {unit * r->t_avg,
                              unit * r->t_min,
                              unit * r->t_max,
                              r->bandwidth > 0 ? r->bandwidth : NAN,
                              r->msg_rate > 0 ? r->msg_rate : NAN,
                              r->t_cpu > 0 ? r->overlap : NAN};
    fprintf(out, "%" PRId64 " %" PRId64, r->bytes, r->processes);
    put_numbers(numbers, sizeof numbers / sizeof numbers[0], out);
    fputc('\n', out);
}

static int add_benchmark(struct drawing *drawing, const struct imb_results *r, const char *benchmark,
                         struct message *error)
{
    const struct imb_series *last = NULL;
    bool sized = has_sizes(r, benchmark);
    FILE *out =
        start(drawing, "imb", benchmark, benchmark, benchmark, error); /* one of IMB's: letters or _ */
    if (!out)
        return -1;
    fputs("# bytes processes t_avg t_min t_max (microsec) MB/s messages/s overlap (%)\n", out);
    for (int s = 0; s < r->series_count; s++) {
        const struct imb_series *series = &r->series[s];
        if (strcmp(series->benchmark, benchmark) != 0)
            continue;
        if (sized || !last || strcmp(last->mode, series->mode) != 0)
            put_block(series, sized, !last, out);
        last = series;
        for (int i = 0; i < series->rows; i++)
            put_row(row_at(r, series, i), out);
    }
    return finish(out, error);
}

static int add_imb(struct drawing *drawing, const struct report *report, struct message *error)
{
    const struct imb_results *r = (const void *)report->sheet;
    const char *known[MAX_BENCHMARKS];
    int count = 0, failed = 0;
    for (int s = 0; s < r->series_count && count < MAX_BENCHMARKS && !failed; s++) {
        const char *benchmark = r->series[s].benchmark;
        if (text_find(known, count, benchmark) < count)
            continue;
        known[count++] = benchmark;
        failed = add_benchmark(drawing, r, benchmark, error);
    }
    return failed;
}

/* ---- a run ---- */

int pictures_of_run(struct drawing *drawing, const struct report *report, struct message *error)
{
    drawing->caption = caption_of(report);
    return report->row == &report_beff      ? add_beff(drawing, report, error)
           : report->row == &report_beff_io ? add_io(drawing, report, error)
                                            : add_imb(drawing, report, error);
}

/* ---- several runs ---- */

/* "; NOT VALID for comparison: 2 of 8 runs", in `text`, which is returned */
static const char *describe_invalid(const struct runs *runs, char text[80])
{
    size_t invalid = 0;
    for (size_t i = 0; i < runs->count; i++)
        invalid += !report_valid(&runs->run[i]);
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

static int smallest_first(const void *a, const void *b)
{
    double left = (*(const struct compared *const *)a)->ratio.value,
           right = (*(const struct compared *const *)b)->ratio.value;
    return (left > right) - (left < right);
}

static void put_ratio(const struct compared *row, FILE *out)
{
    char name[160];
    if (row->item->bytes > 0)
        snprintf(name, sizeof name, "%.32s, %.0f B", row->item->name, row->item->bytes);
    else
        snprintf(name, sizeof name, "%.47s", row->item->name);
    escape_data(name, out);
    put_numbers((const double[]){row->ratio.value, row->ratio.low, row->ratio.high}, 3, out);
    fprintf(out, " %s\n", verdict_words[row->verdict]);
}

/* The rating, and the figures that differ most. */
static int add_ratios(struct drawing *drawing, const struct comparison *c, struct message *error)
{
    const struct compared **rows = calloc(c->count + 1, sizeof *rows);
    FILE *out = rows ? start(drawing, "compare", "compare", "", "Ratios after / before", error) : NULL;
    if (!out) {
        free(rows);
        return rows ? -1 : message_set(error, "out of memory for the plots");
    }
    size_t all = 0;
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->compared[i].item->group, "pattern and size") != 0) /* hundreds */
            rows[all++] = &c->compared[i];
    size_t count = all < MAX_RATIOS ? all : MAX_RATIOS;
    qsort(rows, all, sizeof *rows, furthest_first);
    qsort(rows, count, sizeof *rows, smallest_first);
    fputs("# figure ratio low high verdict\n", out);
    for (size_t i = 0; i < count; i++)
        put_ratio(rows[i], out);
    free(rows);
    return finish(out, error);
}

/* "after: DIR and 3 more" */
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

static int add_sizes(struct drawing *drawing, const struct comparison *c, struct message *error)
{
    size_t sizes = 0;
    for (size_t i = 0; i < c->count; i++)
        sizes += is_size(&c->compared[i]);
    if (!sizes)
        return 0;
    FILE *out =
        start(drawing, "sizes", "sizes", "", "By message size: logavg of rings and random polygons", error);
    if (!out)
        return -1;
    fputs("bytes", out);
    put_side("before", c->runs.run, c->before, out);
    put_side("after", &c->runs.run[c->before], c->runs.count - c->before, out);
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
    return add_ratios(drawing, c, error) || add_sizes(drawing, c, error) ? -1 : 0;
}

/* ---- trend ---- */

int pictures_of_trend(struct drawing *drawing, const struct trend *t, struct message *error)
{
    const struct report *last = runs_by_start(&t->runs, t->runs.count - 1);
    bool changed = t->verdict == VERDICT_BETTER || t->verdict == VERDICT_WORSE;
    char verdict[512], label[80];
    trend_judge(t, verdict, sizeof verdict);
    drawing->caption =
        text_format("%.40s, %.12s processes, %zu run%s\n%.330s", report_meta(last, "host"),
                    report_meta(last, "processes"), t->runs.count, PLURAL(t->runs.count), verdict);
    FILE *out = start(drawing, "trend", "trend", "", "History of runs", error);
    if (!out)
        return -1;
    snprintf(label, sizeof label, "%.50s (%.20s)", t->rating->name, t->rating->unit);
    fputs("started ", out);
    escape_data(label, out);
    fputs(" valid median\n", out);
    for (size_t i = 0; i < t->runs.count; i++) {
        const struct report *run = runs_by_start(&t->runs, i);
        double median = i < t->change.at ? t->change.before : t->change.after;
        put_numbers((const double[]){report_time(run, "started"), runs_rating(&t->runs, t->runs.order[i])}, 2,
                    out);
        fputs(report_valid(run) ? " yes" : " no", out);
        put_numbers((const double[]){changed ? median : NAN}, 1, out);
        fputc('\n', out);
    }
    return finish(out, error);
}

/* ---- rank ---- */

static int add_systems(struct drawing *drawing, const struct rank *rank, struct message *error)
{
    enum { MAX_SYSTEMS = 40 };
    size_t count = rank->count < MAX_SYSTEMS ? rank->count : MAX_SYSTEMS;
    FILE *out = start(drawing, "rank", "rank", "", "Systems by rating", error);
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
        for (size_t k = 0; k < rank->runs.count; k++)
            if (rank_is_of(rank, &rank->runs.run[k], &rank->system[i])) {
                fprintf(out, "%zu", i);
                put_numbers((const double[]){runs_rating(&rank->runs, k)}, 1, out);
                fputc('\n', out);
            }
    return finish(out, error);
}

int pictures_of_rank(struct drawing *drawing, const struct rank *rank, struct message *error)
{
    size_t systems = rank->count, runs = rank->runs.count;
    char invalid[80];
    drawing->caption = text_format("%zu system%s, %zu run%s%s", systems, PLURAL(systems), runs, PLURAL(runs),
                                   describe_invalid(&rank->runs, invalid));
    return add_systems(drawing, rank, error);
}
