/* The criteria, and which of them a run cannot reach. Uses results, rating, budget (the schedule). */
#include "beff_io/results.h"

#include <inttypes.h>
#include <math.h>

#include "beff_io/budget.h"

/* Share of each partition's scheduled writing time that must be fulfilled (docs/definition.md 2.4). */
#define VALID_WRITING 0.9

/* Seconds that each of so many partitions must be scheduled. */
static double valid_seconds(int partitions)
{
    return partitions >= 3 ? 600 : 900;
}

/* Adds "; COUNT UNITs WHAT", of what there is none nothing. */
static void add_count(char *text, size_t size, int count, const char *unit, const char *what)
{
    if (count > 0)
        text_append(text, size, "; %d %s%s %s", count, unit, count == 1 ? "" : "s", what);
}

/* The partition with the smallest share counts. */
static void judge_writing(struct io_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    const struct io_rating *g = &r->rating;
    double slice = io_scheduled(r->time, r->partitions, 1, protocol_is(p, "option_rewrite", "yes"));
    double share = g->partitions < r->partitions ? 0 : INFINITY;
    for (int i = 0; i < g->partitions; i++)
        share = fmin(share, io_rating_fulfilled(p, r->patterns, g->partition[i].processes, slice));
    share = isfinite(share) ? share : 0;
    bool fulfilled = share >= VALID_WRITING;
    char causes[160] = "";
    add_count(causes, sizeof causes, g->by_bytes, "write", "ended by --max-bytes");
    add_count(causes, sizeof causes, g->by_space, "write", "ended by a full file system");
    add_count(causes, sizeof causes, r->partitions - g->partitions, "partition", "not reached");
    add_count(causes, sizeof causes, fulfilled ? 0 : g->skipped, "pattern", "left out");
    sheet_criterion(&r->sheet, fulfilled,
                    "%.0f %% of each partition's scheduled writing time fulfilled (%.1f %%%s)",
                    100 * VALID_WRITING, 100 * share,
                    fulfilled || *causes ? causes : "; opening, filling and checking files took the rest");
}

void io_add_criteria(struct io_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    const struct io_rating *g = &r->rating;
    double each = r->time / r->partitions, needed = valid_seconds(r->partitions);
    sheet_criterion(&r->sheet, each >= needed, "scheduled time of each partition %.1f min (%.0f min or more)",
                    each / 60, needed / 60);
    sheet_of_time(&r->sheet);
    sheet_criterion(&r->sheet, !protocol_is(p, "option_noshared", "yes"),
                    "shared file pointers used for pattern type 1");
    const char *paths = protocol_get(p, "option_separated-paths");
    sheet_criterion(&r->sheet, !paths || !*paths, "all files on one storage (without --separated-paths)");
    sheet_criterion(&r->sheet, g->errors == 0, "no data errors (%" PRId64 " found)", g->errors);
    char files[120] = "";
    add_count(files, sizeof files, g->dropped, "file", "dropped and not resident");
    add_count(files, sizeof files, g->by_amounts, "file", "by amounts");
    add_count(files, sizeof files, g->warm, "file", "warm");
    sheet_criterion(&r->sheet, g->dropped + g->by_amounts > 0 && g->warm == 0, "all rated reads cold (%s)",
                    *files ? files + 2 : "no file was read");
    judge_writing(r);
    sheet_criterion(&r->sheet, g->skipped == 0 && g->best >= 0, "every pattern measured (%d left out%s)",
                    g->skipped, io_is_selection(p) ? "; options selected a part" : "");
    sheet_completed(&r->sheet);
}

/* ---- what cannot be reached ---- */

static void check_reads(const struct io_prospect *p, struct texts *lines)
{
    if (p->in_memory)
        texts_add(
            lines,
            "all rated reads cold: the file system lives in memory; --path names a directory on storage");
    else if ((p->settings->keep_caches || p->hides_cache) && !(p->max_bytes / p->partition_count > p->memory))
        texts_add(lines,
                  "all rated reads cold: %s more than %.1f GB must pass between writing and reading a file, "
                  "and %.1f GB may be written in a partition",
                  p->hides_cache ? "the file system does not show what is in the page cache, so"
                                 : "with --keep-caches",
                  p->memory / 1e9, p->max_bytes / p->partition_count / 1e9);
}

void io_prospect_unreachable(const struct io_prospect *p, struct texts *lines)
{
    const struct io_settings *s = p->settings;
    double needed = valid_seconds(p->partition_count) * p->partition_count;
    if (s->run.time < needed)
        texts_add(lines, "scheduled time of each partition: --time %.0f or more for %d partition%s", needed,
                  p->partition_count, p->partition_count == 1 ? "" : "s");
    if (s->noshared)
        texts_add(lines, "shared file pointers used: without --noshared");
    if (s->separated_paths.count)
        texts_add(lines, "all files on one storage: without --separated-paths");
    check_reads(p, lines);
    if (s->types.count || s->patterns.count || s->access.count)
        texts_add(lines, "every pattern measured: without --types, --patterns and --access");
}

double io_prospect_fastest(const struct io_prospect *p)
{
    double seconds = io_scheduled(p->settings->run.time, 1, IO_UNITS, p->settings->rewrite);
    return p->max_bytes / seconds / VALID_WRITING / 1e6;
}
