/* The pictures of a run: its tables, as the run itself writes them, or of imb_compat a table for each
 * benchmark. Uses finish, the engines' results, draw. */
#include "report/pictures.h"

#include <inttypes.h>
#include <math.h>
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
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "%.40s, %.12s process%s on %.12s node%s, %.60s, %.10s\n", report_meta(report, "host"),
            processes, strcmp(processes, "1") == 0 ? "" : "es", nodes, strcmp(nodes, "1") == 0 ? "" : "s",
            report_meta(report, "cpu"), report_meta(report, "started"));
    if (value && isfinite(value->value) && strcmp(value->unit, "MB/s") == 0)
        fprintf(out, "%s = %.3f MB/s, ", value->name, value->value);
    if (report->findings.count)
        fprintf(out, "NOT VALID: faults in its files: %zu", report->findings.count + report->findings.more);
    else if (sheet->criterion_count)
        fprintf(out, "%s%s", sheet_verdict(sheet), *sheet->noise ? ", noisy machine" : "");
    return fclose(out) ? NULL : text;
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
    if (draw_add(drawing, "rings", "Rings, random polygons and ping-pong by message size") &&
        draw_add(drawing, "methods", "Transfer methods by message size") &&
        draw_add(drawing, "patterns", "Bandwidth of each pattern") &&
        draw_add(drawing, "repetitions", "The definition applied to each repetition alone"))
        return write_tables(drawing, report, error);
    return message_set(error, "out of memory for the plots");
}

static int add_io(struct drawing *drawing, const struct report *report, struct message *error)
{
    const struct io_rating *rating = &((const struct io_results *)(const void *)report->sheet)->rating;
    struct picture *picture = draw_add(drawing, "partitions", "b_eff_io by number of processes");
    for (int p = 0; p < rating->partitions && picture; p++) {
        long long processes = rating->partition[p].processes;
        picture = draw_add(drawing, "chunks", "I/O bandwidth by chunk size, %lld process%s", processes,
                           processes == 1 ? "" : "es");
        if (!picture)
            break;
        snprintf(picture->name, sizeof picture->name, "chunks-n%lld", processes);
        snprintf(picture->argument, sizeof picture->argument, "%lld", processes);
    }
    return picture ? write_tables(drawing, report, error) : message_set(error, "out of memory for the plots");
}

/* ---- imb_compat: a block for each number of processes and mode ---- */

enum { MOST_BENCHMARKS = 64 };

static const struct imb_results *imb_of(const struct report *report)
{
    return (const void *)report->sheet;
}

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
                 s->processes == 1 ? "" : "es", modeless ? "" : ", ", modeless ? "" : s->mode);
    else
        snprintf(text, sizeof text, "all processes%s%s", modeless ? "" : ", ", modeless ? "" : s->mode);
    fputs(first ? "" : "\n\n", out);
    escape_data(text, out);
    fputc('\n', out);
}

/* 0 stands where a benchmark has no such value, but for overlap: 0 % is one. */
static void put_row(const struct imb_record *r, FILE *out)
{
    const double numbers[] = {1e6 * r->t_avg,
                              1e6 * r->t_min,
                              1e6 * r->t_max,
                              r->bandwidth > 0 ? r->bandwidth : NAN,
                              r->msg_rate > 0 ? r->msg_rate : NAN,
                              r->t_cpu > 0 ? r->overlap : NAN};
    fprintf(out, "%" PRId64 " %" PRId64, r->bytes, r->processes);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        fputc(' ', out);
        draw_number(i < 3 && r->t_avg <= 0 ? NAN : numbers[i], out);
    }
    fputc('\n', out);
}

static void put_benchmark(const struct imb_results *r, const char *benchmark, FILE *out)
{
    const struct imb_series *last = NULL;
    bool sized = has_sizes(r, benchmark);
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
}

static int add_benchmark(struct drawing *drawing, const struct imb_results *r, const char *benchmark,
                         struct message *error)
{
    struct picture *picture = draw_add(drawing, "imb", "%s", benchmark);
    if (!picture)
        return message_set(error, "out of memory for the plots");
    escape_file(benchmark, picture->name, sizeof picture->name); /* one of IMB's */
    escape_file(benchmark, picture->argument, sizeof picture->argument);
    char name[sizeof picture->name + 16];
    snprintf(name, sizeof name, "plots/%s.dat", picture->name);
    FILE *out = draw_create(drawing, name, error);
    if (!out)
        return -1;
    put_benchmark(r, benchmark, out);
    return fclose(out) ? message_set(error, "%s can't be written", name) : 0;
}

static int add_imb(struct drawing *drawing, const struct report *report, struct message *error)
{
    const struct imb_results *r = imb_of(report);
    const char *known[MOST_BENCHMARKS];
    int count = 0, failed = 0;
    for (int s = 0; s < r->series_count && count < MOST_BENCHMARKS && !failed; s++) {
        int i = 0;
        while (i < count && strcmp(known[i], r->series[s].benchmark) != 0)
            i++;
        if (i < count)
            continue;
        known[count++] = r->series[s].benchmark;
        failed = add_benchmark(drawing, r, r->series[s].benchmark, error);
    }
    return failed;
}

/* ---- all ---- */

int pictures_of_run(struct drawing *drawing, const struct report *report, struct message *error)
{
    static const struct {
        const struct report_engine *engine;
        int (*add)(struct drawing *drawing, const struct report *report, struct message *error);
    } rows[] = {{&report_beff, add_beff}, {&report_beff_io, add_io}, {&report_imb, add_imb}};
    drawing->caption = caption_of(report);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].engine == report->row)
            return rows[i].add(drawing, report, error);
    return 0;
}
