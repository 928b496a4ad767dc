/* What cannot be reached. Uses settings, budget (the schedule), verdict (thresholds). */
#include "beff_io/prospect.h"

#include <stdarg.h>

#include "beff_io/budget.h"
#include "beff_io/verdict.h"

struct teller {
    void (*tell)(void *context, const char *line);
    void *context;
    int count;
};

static void say(struct teller *teller, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct teller *teller, const char *format, ...)
{
    char line[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    teller->tell(teller->context, line);
    teller->count++;
}

static bool is_selection(const struct io_settings *s)
{
    return s->types || s->patterns || s->access || s->reread;
}

static void tell_reads(const struct io_prospect *p, struct teller *teller)
{
    if (p->in_memory)
        say(teller,
            "all rated reads cold: the file system lives in memory; --path names a directory on storage");
    else if (p->settings->keep_caches && !(p->max_bytes / p->partition_count > p->memory))
        say(teller,
            "all rated reads cold: with --keep-caches more than %.1f GB must pass between writing and "
            "reading a file; without it the page cache is dropped",
            p->memory / 1e9);
}

static void tell_bytes(const struct io_prospect *p, struct teller *teller)
{
    if (p->wanted_bytes * IO_VALID_WRITING > p->max_bytes)
        say(teller,
            "%.0f %% of the writing time fulfilled: at %g MB/s that writes about %.0f GB, %.1f GB may be "
            "written; more free space or a larger --max-bytes",
            100 * IO_VALID_WRITING, p->settings->bandwidth, p->wanted_bytes * IO_VALID_WRITING / 1e9,
            p->max_bytes / 1e9);
}

int io_prospect_tell(const struct io_prospect *p, void (*tell)(void *context, const char *line),
                     void *context)
{
    struct teller teller = {tell, context, 0};
    const struct io_settings *s = p->settings;
    double needed = io_valid_seconds(p->partition_count) * p->partition_count;
    if (s->run.time < needed)
        say(&teller, "scheduled time of each partition: --time %.0f or more for %d partition%s", needed,
            p->partition_count, p->partition_count == 1 ? "" : "s");
    if (s->noshared)
        say(&teller, "shared file pointers used: without --noshared");
    tell_reads(p, &teller);
    tell_bytes(p, &teller);
    if (is_selection(s))
        say(&teller, "every pattern measured: without --types, --patterns, --access and --reread");
    return teller.count;
}

double io_prospect_fastest(const struct io_prospect *p)
{
    double seconds = io_scheduled(p->settings->run.time, 1, IO_UNITS, p->settings->rewrite);
    return p->max_bytes / seconds / IO_VALID_WRITING / 1e6;
}
