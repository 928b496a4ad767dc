/* What is drawn of beff_io's runs. Uses beff_io's results, figure. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beff_io/results.h"
#include "report/figures.h"

static const struct io_results *results(const struct report *report)
{
    return (const void *)report->sheet;
}

static int count_partitions(const struct report *report)
{
    return results(report)->rating.partitions;
}

/* ---- by chunk size: figure 3 of the paper on b_eff_io ---- */

/* Where a chunk stands on the pseudo-logarithmic axis: the whole powers are 5 apart, and "+8" points, which
 * come after each, 2 beside. */
static double place_of(int chunk)
{
    return 5 * (chunk / 2 + 1) + 2 * (chunk % 2);
}

static void add_ticks(struct figure *figure, const struct io_results *r)
{
    for (int i = 0; i < IO_CHUNKS; i++) {
        char text[24] = "+8", unit = 0;
        double bytes = (double)io_chunk(r->patterns, TYPE_SCATTER, i)->disk;
        if (i % 2 == 0) { /* as short as in the paper: "32K", "94M" */
            axis_bytes_text(bytes, text, sizeof text);
            if (sscanf(text, "%lf %c", &bytes, &unit) == 2)
                snprintf(text, sizeof text, bytes < 9.95 ? "%.2g%c" : "%.0f%c", bytes, unit);
        }
        figure_tick(&figure->x, place_of(i), text);
    }
}

static void add_type(struct figure *figure, const struct report *report,
                     const struct io_partition_rating *partition, enum io_access access, enum io_type type)
{
    const struct io_results *r = results(report);
    struct figure_series *series =
        figure_series(figure, SERIES_MEASURED, (int)type, "%d %s", (int)type, io_type_name(type));
    for (int i = 0; i < IO_CHUNKS; i++)
        figure_plain_point(figure, series, place_of(i),
                           io_rating_pattern(&report->protocol, partition->processes, access,
                                             io_chunk(r->patterns, type, i)->number));
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
                (double)io_chunk(r->patterns, TYPE_SCATTER, IO_CHUNKS - 1)->disk);
    for (int a = 0; a < IO_ACCESSES; a++) {
        static const char *const titles[] = {
            [ACCESS_WRITE] = "initial write", [ACCESS_REWRITE] = "rewrite", [ACCESS_READ] = "read"};
        figure_panel(figure, titles[a], AXIS_LOG, "bandwidth of all processes (MB/s)");
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

/* ---- who is slow: in how many patterns a process was the slowest ---- */

/* Counts of one process; column IO_ACCESSES has all access methods. */
struct slow {
    int64_t rank;
    const char *node;
    int count[IO_ACCESSES + 1];
};

static int most_first(const void *a, const void *b)
{
    const struct slow *left = a, *right = b;
    int order = right->count[IO_ACCESSES] - left->count[IO_ACCESSES];
    return order ? order : (left->rank > right->rank) - (left->rank < right->rank);
}

/* The processes that were the slowest one of a pattern on all processes; `patterns`: how many have one. 0:
 * there is none. */
static int count_slow(const struct report *report, struct slow *slow, int patterns[IO_ACCESSES + 1])
{
    const struct io_results *r = results(report);
    int count = 0;
    for (int i = 0; i < r->timed_count; i++) {
        const struct io_record *record = protocol_at(&report->protocol, r->timed[i]);
        const int columns[] = {(int)io_access_find(record->access), IO_ACCESSES};
        if (record->processes != r->processes || record->slowest_rank < 0)
            continue;
        int at = 0;
        while (at < count && slow[at].rank != record->slowest_rank)
            at++;
        if (at == count)
            slow[count++] = (struct slow){.rank = record->slowest_rank, .node = record->slowest_node};
        for (int k = 0; k < 2; k++) {
            slow[at].count[columns[k]]++;
            patterns[columns[k]]++;
        }
    }
    qsort(slow, (size_t)count, sizeof *slow, most_first);
    return count;
}

/* The share of `n` patterns, by that of chance, that in 95 % of all runs none of P processes reaches if each
 * is as likely to be the slowest one: P times the chance of one to reach it is at most 5 % (Bonferroni). */
static double slow_from(int n, double processes)
{
    double p = 1 / processes, chance = pow(1 - p, n), beyond = 1; /* P(B = k), P(B >= k) */
    int k = 0;
    for (; k <= n && processes * beyond > 0.05; k++) {
        beyond -= chance;
        chance *= (double)(n - k) / (k + 1) * p / (1 - p);
    }
    return n ? k * processes / n : NAN;
}

/* The darker the more a share is beyond what chance alone makes. */
static void add_slow(struct figure *figure, const struct slow *slow, const int *patterns, double processes)
{
    struct figure_series *series = figure_series(figure, SERIES_CELLS, 0, "times as often as by chance");
    for (int i = 0; i < figure->rows; i++) {
        char text[48];
        int y = figure->rows - i;
        snprintf(text, sizeof text, "rank %lld, %s", (long long)slow[i].rank, slow[i].node);
        figure_tick(&figure->panel[0].y, y, text);
        for (int a = 0; a <= IO_ACCESSES; a++) {
            double share = slow[i].count[a] * processes / patterns[a];
            if (patterns[a])
                figure_point(
                    figure, series,
                    (struct figure_point){a + 1, y, share, share / slow_from(patterns[a], processes)});
        }
    }
}

static void fill_slowest(struct figure *figure, const struct report *report)
{
    enum { MOST = 40 };
    const struct io_results *r = results(report);
    struct slow *slow = calloc((size_t)r->timed_count + 1, sizeof *slow);
    int patterns[IO_ACCESSES + 1] = {0}, count = slow ? count_slow(report, slow, patterns) : 0;
    double processes = (double)r->processes;
    figure_start_rows(figure, count < MOST ? count : MOST);
    figure->failed = !slow;
    figure->x.low = 0.4;
    figure->x.high = IO_ACCESSES + 1.6;
    for (int a = 0; a <= IO_ACCESSES; a++) {
        char text[48];
        snprintf(text, sizeof text, "%s (%d)", a < IO_ACCESSES ? io_access_name((enum io_access)a) : "all",
                 patterns[a]);
        figure_tick(&figure->x, a + 1, text);
    }
    add_slow(figure, slow, patterns, processes);
    figure_note(figure,
                "how many times as often as one in %.0f a process was the slowest; coloured: beyond chance "
                "(of all: from %.2f on)",
                processes, slow_from(patterns[IO_ACCESSES], processes));
    if (count > MOST)
        figure_note(figure, "the %d of %d most often slowest", MOST, count);
    free(slow);
}

/* With one process nobody is slow. */
static int has_slowest(const struct report *report)
{
    return results(report)->processes > 1;
}

const struct figure_row figures_io[] = {
    {"partitions", "Numbers of processes compared", AXIS_COUNT, "processes", NULL, fill_partitions, true},
    {"chunks", "I/O bandwidth by chunk size", AXIS_POSITIONS, "chunk size on disk", count_partitions,
     fill_chunks, true},
    {"slowest", "Who is slow: slowest process of each pattern", AXIS_POSITIONS, "access method (patterns)",
     has_slowest, fill_slowest, false},
    {NULL}};
