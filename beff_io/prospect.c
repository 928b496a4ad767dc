/* What cannot be reached. Uses settings, budget (the schedule), results (thresholds). */
#include "beff_io/prospect.h"

#include "beff_io/budget.h"
#include "beff_io/results.h"

static bool is_selection(const struct io_settings *s)
{
    return s->types || s->patterns || s->access || s->reread;
}

static void tell_reads(const struct io_prospect *p, struct texts *lines)
{
    if (p->in_memory)
        texts_add(
            lines,
            "all rated reads cold: the file system lives in memory; --path names a directory on storage");
    else if (p->settings->keep_caches && !(p->max_bytes / p->partition_count > p->memory))
        texts_add(lines,
                  "all rated reads cold: with --keep-caches more than %.1f GB must pass between writing and "
                  "reading a file; without it the page cache is dropped",
                  p->memory / 1e9);
}

static void tell_bytes(const struct io_prospect *p, struct texts *lines)
{
    if (p->wanted_bytes * IO_VALID_WRITING > p->max_bytes)
        texts_add(
            lines,
            "%.0f %% of the writing time fulfilled: at %g MB/s that writes about %.0f GB, %.1f GB may be "
            "written; more free space or a larger --max-bytes",
            100 * IO_VALID_WRITING, p->settings->bandwidth, p->wanted_bytes * IO_VALID_WRITING / 1e9,
            p->max_bytes / 1e9);
}

void io_prospect_tell(const struct io_prospect *p, struct texts *lines)
{
    const struct io_settings *s = p->settings;
    double needed = io_valid_seconds(p->partition_count) * p->partition_count;
    if (s->run.time < needed)
        texts_add(lines, "scheduled time of each partition: --time %.0f or more for %d partition%s", needed,
                  p->partition_count, p->partition_count == 1 ? "" : "s");
    if (s->noshared)
        texts_add(lines, "shared file pointers used: without --noshared");
    tell_reads(p, lines);
    tell_bytes(p, lines);
    if (is_selection(s))
        texts_add(lines, "every pattern measured: without --types, --patterns, --access and --reread");
}

double io_prospect_fastest(const struct io_prospect *p)
{
    double seconds = io_scheduled(p->settings->run.time, 1, IO_UNITS, p->settings->rewrite);
    return p->max_bytes / seconds / IO_VALID_WRITING / 1e6;
}
