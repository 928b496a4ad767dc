/* Figures, criteria and notes of beff_io's sheet. Uses rating, sheet. */
#include "beff_io/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beff_io/budget.h"
#include "beff_io/settings.h"

#define VALID_WRITING 0.95
/* The most of a file that may stay in memory where its cache was dropped. */
#define DROPPED 0.01
/* The balance rule of the paper: the whole memory in so many minutes. */
#define BALANCE_MINUTES 10.0

/* ---- from metadata ---- */

static const char *get(const struct protocol *p, const char *key)
{
    const char *value = protocol_get(p, key);
    return value ? value : "unknown";
}

static double number(const struct protocol *p, const char *key)
{
    const char *value = protocol_get(p, key);
    char *rest;
    double result = value ? strtod(value, &rest) : NAN;
    return value && rest != value ? result : NAN;
}

static bool is_yes(const struct protocol *p, const char *key)
{
    return strcmp(get(p, key), "yes") == 0;
}

static int count_list(const char *list)
{
    int count = 1;
    for (const char *c = list; *c; c++)
        count += *c == ',';
    return count;
}

static int read_metadata(struct io_results *r, struct message *error)
{
    const struct protocol *p = r->sheet.protocol;
    double processes = number(p, "processes"), mpart = number(p, "lmax");
    r->memory_mib = number(p, "memory_per_process_mib");
    r->time = number(p, "time_s");
    if (!(processes >= 1) || !(r->memory_mib >= 1) || !(r->time > 0) || !(mpart >= 1))
        return message_set(error, "the protocol lacks processes, memory_per_process_mib, time_s or lmax");
    r->processes = (int64_t)processes;
    r->partitions = count_list(get(p, "partitions"));
    io_patterns((int64_t)mpart, r->patterns);
    return 0;
}

/* ---- figures ---- */

static const struct io_partition_rating *best(const struct io_results *r)
{
    return r->rating.best < 0 ? NULL : &r->rating.partition[r->rating.best];
}

static void add_access(struct io_results *r, enum io_access access, const char *name, const char *label)
{
    const struct io_partition_rating *p = best(r);
    sheet_value(&r->sheet, name, label, "MB/s", p ? p->access[access] : NAN, NAN);
}

static void add_figures(struct io_results *r)
{
    const struct io_partition_rating *p = best(r);
    const struct io_rating *g = &r->rating;
    double memory = r->memory_mib * (double)r->processes * 1.048576; /* MB */
    sheet_value(&r->sheet, "b_eff_io", "b_eff_io, maximum over the partitions", "MB/s", p ? p->b_eff_io : NAN,
                NAN);
    sheet_value(&r->sheet, "b_eff_io_processes", "  on so many processes", "", p ? (double)p->processes : NAN,
                NAN);
    add_access(r, ACCESS_WRITE, "b_eff_io_write", "  its initial write (type 0 counted twice)");
    add_access(r, ACCESS_REWRITE, "b_eff_io_rewrite", "  its rewrite");
    add_access(r, ACCESS_READ, "b_eff_io_read", "  its read");
    sheet_value(&r->sheet, "b_eff_io_release_2_1", "the value as release 2.1 computes it, for old results",
                "MB/s", g->best_2_1 < 0 ? NAN : g->partition[g->best_2_1].release_2_1, NAN);
    sheet_value(&r->sheet, "minutes_to_write_memory", "balance: the whole memory is written in", "minutes",
                p ? memory / p->access[ACCESS_WRITE] / 60 : NAN, NAN);
    sheet_value(&r->sheet, "minutes_to_read_memory", "  and read in (rule of thumb: 10 minutes)", "minutes",
                p ? memory / p->access[ACCESS_READ] / 60 : NAN, NAN);
    sheet_value(&r->sheet, "file_bytes", "bytes of all files", "MB", (double)g->file_bytes / 1e6, NAN);
    sheet_value(&r->sheet, "data_errors", "wrong words found", "", (double)g->errors, NAN);
}

/* ---- verdict ---- */

/* The largest share that stayed in memory of any file; NaN: caches were not dropped, or it is not known. */
static double cache_left(const struct protocol *p)
{
    double most = NAN;
    for (size_t i = 0; i < p->meta_count; i++) {
        const char *colon =
            strcmp(p->meta[i].key, "caches_dropped") == 0 ? strrchr(p->meta[i].value, ':') : NULL;
        if (!colon)
            continue;
        double left = strtod(colon + 1, NULL);
        most = fmax(most, left < 0 ? INFINITY : left);
    }
    return most;
}

static void judge_caches(struct io_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    double nodes = fmax(number(p, "nodes"), 1), files = (double)r->rating.file_bytes / nodes / 1e6;
    double memory = number(p, "node_memory_mib") * 1.048576, left = cache_left(p);
    bool dropped = left <= DROPPED, larger = files > memory;
    if (isnan(left))
        sheet_criterion(&r->sheet, larger,
                        "files larger than memory, or caches dropped: %.0f MB written per node, %.0f MB of "
                        "memory%s",
                        files, memory, larger ? "" : "; reads may come from the page cache");
    else
        sheet_criterion(
            &r->sheet, larger || dropped,
            "files larger than memory, or caches dropped: %.0f MB per node, %.0f MB of memory; %s", files,
            memory, dropped ? "dropped" : "dropping did not work, reads may come from the page cache");
}

/* The smallest share of its scheduled writing time that a partition wrote. */
static double written_share(const struct io_results *r)
{
    double least = r->rating.partitions < r->partitions ? 0 : INFINITY;
    bool all = is_yes(r->sheet.protocol, "option_rewrite");
    double scheduled = io_scheduled(r->time, r->partitions, IO_UNITS, all);
    for (int i = 0; i < r->rating.partitions; i++)
        least = fmin(least, r->rating.partition[i].seconds[ACCESS_WRITE] / scheduled);
    return isfinite(least) ? least : 0;
}

static void add_criteria(struct io_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    const struct io_rating *g = &r->rating;
    const char *interrupted = protocol_get(p, "interrupted");
    double each = r->time / r->partitions, written = written_share(r);
    double needed = r->partitions >= 3 ? IO_VALID_SECONDS_MANY : IO_VALID_SECONDS;
    sheet_criterion(&r->sheet, each >= needed, "scheduled time of each partition %.1f min >= %.0f min",
                    each / 60, needed / 60);
    sheet_criterion(&r->sheet, !is_yes(p, "option_noshared"), "shared file pointers used for pattern type 1");
    sheet_criterion(&r->sheet, g->errors == 0 && !interrupted, "error count (%" PRId64 " wrong words%s) == 0",
                    g->errors, interrupted ? ", interrupted" : "");
    judge_caches(r);
    sheet_criterion(&r->sheet, written >= VALID_WRITING,
                    "wrote for 95 %% of the scheduled writing time (%.1f %%)", 100 * written);
    sheet_criterion(&r->sheet, g->by_bytes == 0, "no pattern ended by --max-bytes or a full disk (%d did)",
                    g->by_bytes);
    sheet_criterion(&r->sheet, g->skipped == 0 && g->best >= 0,
                    "every pattern measured (%d left out for want of time)", g->skipped);
    sheet_criterion(&r->sheet, !interrupted, "the run came to its end (%.100s)",
                    interrupted ? interrupted : "it did");
}

static void add_notes(struct io_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    const struct io_rating *g = &r->rating;
    double memory = r->memory_mib * (double)r->processes * 1.048576;
    sheet_note(&r->sheet, "M_PART = %s B; hints in force, offsets and excluded seconds are in run.prot",
               get(p, "lmax"));
    if (g->cut)
        sheet_note(&r->sheet, "%d patterns of types 3 and 4 were cut short by their slice and left a hole",
                   g->cut);
    sheet_note(&r->sheet, "files: %.1f MB, %.1f %% of the total memory (%.0f MB)",
               (double)g->file_bytes / 1e6, 100 * (double)g->file_bytes / 1e6 / memory, memory);
    sheet_note(&r->sheet, "elapsed %s s of %s s scheduled", get(p, "elapsed_s"), get(p, "time_s"));
    if (is_yes(p, "oversubscribed"))
        sheet_note(&r->sheet, "oversubscribed: more processes than processors on a node");
    sheet_note(&r->sheet,
               "reads and rewrites end when all data of the initial write were used; time that is left then "
               "stays unused");
    for (size_t i = 0; i < p->meta_count; i++)
        if (strcmp(p->meta[i].key, "note") == 0)
            sheet_note(&r->sheet, "%s", p->meta[i].value);
}

static void make_headline(struct io_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    const struct io_partition_rating *b = best(r);
    const char *verdict = sheet_valid(&r->sheet) ? "VALID" : "NOT VALID (see above)";
    if (b)
        snprintf(r->sheet.headline, sizeof r->sheet.headline,
                 "b_eff_io = %.3f MB/s on %" PRId64
                 " processes with %.0f MByte/PE, scheduled time=%.1f Min, on %s, %s",
                 b->b_eff_io, b->processes, r->memory_mib, r->time / 60, get(p, "uname"), verdict);
    else
        snprintf(
            r->sheet.headline, sizeof r->sheet.headline,
            "no b_eff_io: not every access method and type was measured, scheduled time=%.1f Min, on %s, %s",
            r->time / 60, get(p, "uname"), verdict);
}

int io_results_make(void *results, const struct protocol *protocol, struct message *error)
{
    struct io_results *r = results;
    *r = (struct io_results){.sheet = {.protocol = protocol,
                                       .headline_name = "b_eff_io",
                                       .interval = {NAN, NAN},
                                       .interval_note = "b_eff_io is one measurement: it has no interval"}};
    if (read_metadata(r, error) || io_rating_make(&r->rating, protocol, error))
        return -1;
    r->sheet.rated = r->rating.best >= 0;
    r->sheet.errors = r->rating.errors;
    add_figures(r);
    add_criteria(r);
    add_notes(r);
    make_headline(r);
    return io_add_tables(r, error) || sheet_check(&r->sheet, error) ? -1 : 0;
}

void io_results_free(void *results)
{
    struct io_results *r = results;
    free(r->totals);
    sheet_free(&r->sheet);
}
