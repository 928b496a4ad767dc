/* Makes the figures, criteria and notes of beff_io's sheet. Lists the criteria that a run cannot meet. */
#include "beff_io/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/sysinfo.h"

/* ---- metadata ---- */

static int check_partitions(const struct io_results *r, struct message *error)
{
    for (int i = 0; i < r->rating.partitions; i++) {
        bool planned = false;
        for (int k = 0; k < r->task.partition_count; k++)
            planned |= r->task.partitions[k] == r->rating.partition[i].processes;
        if (!planned)
            return message_set(error, "no partition of %" PRId64 " process%s: partitions = %.80s",
                               r->rating.partition[i].processes, TEXT_ES(r->rating.partition[i].processes),
                               protocol_text(r->sheet.protocol, "partitions"));
    }
    return 0;
}

static int read_metadata(struct io_results *r, struct message *error)
{
    const struct protocol *p = r->sheet.protocol;
    double processes = protocol_number(p, "processes"), mpart = protocol_number(p, "lmax");
    r->memory_mib = protocol_number(p, "memory_per_process_mib");
    r->time = protocol_number(p, "time_s");
    if (!(processes >= 1 && processes <= INT32_MAX) || !(r->memory_mib >= 1 && r->memory_mib <= INT32_MAX) ||
        !(r->time > 0 && r->time <= COLUMN_MAX) ||
        !(mpart >= (double)io_mpart(1) && mpart <= (double)io_mpart(INT32_MAX)))
        return message_set(error,
                           "missing or invalid metadata: processes, memory_per_process_mib, time_s or lmax");
    r->processes = (int64_t)processes;
    if (io_partitions(&r->task, r->processes, protocol_text(p, "partitions"), error))
        return -1;
    io_patterns((int64_t)mpart, r->task.patterns);
    return 0;
}

/* ---- totals ---- */

int io_verify(const void *results, struct message *error)
{
    const struct protocol *p = ((const struct io_results *)results)->sheet.protocol;
    struct io_record sum = {0};
    for (size_t i = 0; i < p->records.count; i++) {
        const struct io_record *r = protocol_at(p, i);
        if (r->processes != sum.processes || r->type != sum.type || strcmp(r->access, sum.access) != 0) {
            sum = (struct io_record){.processes = r->processes, .type = r->type};
            memcpy(sum.access, r->access, sizeof sum.access);
        }
        if (!io_record_is_total(r)) {
            sum.bytes = protocol_sum(sum.bytes, r->bytes);
            sum.calls = protocol_sum(sum.calls, r->calls);
            sum.errors = protocol_sum(sum.errors, r->errors);
            sum.t_total += r->t_total + fmax(r->t_view, 0); /* fmax() ignores a missing time */
        } else if (r->bytes != sum.bytes || r->calls != sum.calls || r->errors != sum.errors ||
                   r->t_total < sum.t_total * (1 - 1e-9)) {
            return message_set(
                error,
                "record %zu (total of %s, type %" PRId64 ", %" PRId64
                " process%s): expected the bytes, calls and errors of its patterns, and at least "
                "their %.9g s",
                i + 1, r->access, r->type, r->processes, TEXT_ES(r->processes), sum.t_total);
        }
    }
    return 0;
}

/* ---- figures ---- */

static const struct io_partition_rating *best(const struct io_results *r)
{
    return r->rating.best < 0 ? NULL : &r->rating.partition[r->rating.best];
}

static void add_figures(struct io_results *r)
{
    static const char *const accesses[IO_ACCESSES][2] = {
        {"b_eff_io_write", "  initial write (type 0 counted twice)"},
        {"b_eff_io_rewrite", "  rewrite"},
        {"b_eff_io_read", "  read"}};
    const struct io_partition_rating *p = best(r);
    const struct io_rating *g = &r->rating;
    double memory = r->memory_mib * (double)r->processes * 1.048576; /* MB */
    sheet_value(&r->sheet, "b_eff_io", "b_eff_io, maximum over the partitions", "MB/s",
                p ? p->b_eff_io : NAN);
    sheet_use(&r->sheet, SHEET_RANKED | SHEET_HIGHER);
    sheet_value(&r->sheet, "b_eff_io_processes", "  processes used", "", p ? (double)p->processes : NAN);
    for (int a = 0; a < IO_ACCESSES; a++) {
        sheet_value(&r->sheet, accesses[a][0], accesses[a][1], "MB/s", p ? p->access[a] : NAN);
        sheet_use(&r->sheet, SHEET_MAIN | SHEET_RANKED | SHEET_HIGHER);
    }
    sheet_value(&r->sheet, "b_eff_io_release_2_1", "b_eff_io as release 2.1 computes it, for old results",
                "MB/s", g->release_2_1);
    sheet_use(&r->sheet, SHEET_HIGHER);
    sheet_value(&r->sheet, "minutes_to_write_memory", "time to write all memory", "minutes",
                p ? memory / p->access[ACCESS_WRITE] / 60 : NAN);
    sheet_value(&r->sheet, "minutes_to_read_memory", "time to read all memory (rule of thumb: 10 minutes)",
                "minutes", p ? memory / p->access[ACCESS_READ] / 60 : NAN);
    sheet_detail(&r->sheet, "files_mb", "size of all files", "MB", (double)g->file_bytes / 1e6);
    sheet_value(&r->sheet, "data_errors", "data errors (8-byte words)", "", (double)g->errors);
}

/* ---- criteria ---- */

/* Share of each partition's scheduled writing time that is required (docs/definition-beff_io-2.md 7). */
#define VALID_WRITING 0.9

/* Returns the minimum scheduled time of each partition in seconds. */
static double valid_seconds(int partitions)
{
    return partitions >= 3 ? 600 : 900;
}

/* Appends "; COUNT UNITs WHAT", or nothing if `count` is 0. */
static void add_count(char *text, size_t size, int count, const char *unit, const char *what)
{
    if (count > 0)
        text_append(text, size, "; %d %s%s %s", count, unit, TEXT_S(count), what);
}

/* Judges the partition with the smallest fulfilled share. */
static void judge_writing(struct io_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    const struct io_rating *g = &r->rating;
    double slice = io_scheduled(r->time, r->task.partition_count, 1, protocol_is(p, "option_rewrite", "yes"));
    double share = g->partitions < r->task.partition_count ? 0 : INFINITY;
    for (int i = 0; i < g->partitions; i++)
        share = fmin(share, io_rating_fulfilled(p, r->task.patterns, g->partition[i].processes, slice));
    share = isfinite(share) ? share : 0;
    bool fulfilled = share >= VALID_WRITING;
    char causes[160] = "";
    add_count(causes, sizeof causes, g->by_bytes, "write", "ended by --max-bytes");
    add_count(causes, sizeof causes, g->by_space, "write", "ended by a full file system");
    add_count(causes, sizeof causes, r->task.partition_count - g->partitions, "partition", "not reached");
    add_count(causes, sizeof causes, fulfilled ? 0 : g->skipped, "pattern", "skipped");
    sheet_criterion(&r->sheet, fulfilled,
                    "at least %.0f %% of each partition's scheduled writing time used (%.1f %%%s)",
                    100 * VALID_WRITING, 100 * share,
                    fulfilled || *causes ? causes : "; opening, filling and checking files took the rest");
}

static int count_files(const struct io_rating *rating)
{
    int count = 0;
    for (int i = 0; i < IO_COLDNESSES; i++)
        count += rating->files[i];
    return count;
}

/* Judges the reads. Counts the files by the reason why their reads are cold, as in "10 cold: 6 dropped,
 * 4 read from another node". */
static void judge_reads(struct io_results *r)
{
    const struct io_rating *g = &r->rating;
    const char *selected = protocol_get(r->sheet.protocol, "option_access");
    if (selected && *selected && !strstr(selected, io_access_names[ACCESS_READ]))
        return; /* no reads are rated */
    static const char *const reasons[COLD_WARM] = {"dropped", "read with direct I/O",
                                                   "read from another node", "by data volume"};
    int cold = count_files(g) - g->files[COLD_WARM];
    char files[160] = "";
    snprintf(files, sizeof files, cold ? "%d cold" : "no file was read from storage", cold);
    const char *separator = ": ";
    for (int i = 0; i < COLD_WARM; i++)
        if (g->files[i]) {
            text_append(files, sizeof files, "%s%d %s", separator, g->files[i], reasons[i]);
            separator = ", ";
        }
    if (g->files[COLD_WARM])
        text_append(files, sizeof files, "; %d warm", g->files[COLD_WARM]);
    const char *cache = protocol_get(r->sheet.protocol, "option_cache");
    if (cache && *cache)
        text_append(files, sizeof files, "; declared cache: %s on each node", cache);
    sheet_criterion(&r->sheet, cold > 0 && g->files[COLD_WARM] == 0, "all rated reads cold (%s)", files);
}

/* Adds the criteria (docs/definition-beff_io-2.md 7, 8). */
static void add_criteria(struct io_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    const struct io_rating *g = &r->rating;
    double each = r->time / r->task.partition_count, needed = valid_seconds(r->task.partition_count);
    sheet_criterion(&r->sheet, each >= needed, "at least %.0f min scheduled for each partition (%.1f min)",
                    needed / 60, each / 60);
    sheet_of_time(&r->sheet);
    sheet_criterion(&r->sheet, !protocol_is(p, "option_noshared", "yes"),
                    "shared file pointers used for pattern type 1");
    const char *paths = protocol_get(p, "option_separated-paths");
    sheet_criterion(&r->sheet, !paths || !*paths, "all files on one storage (without --separated-paths)");
    sheet_criterion(&r->sheet, g->errors == 0, "all data correct (%" PRId64 " wrong word%s)", g->errors,
                    TEXT_S(g->errors));
    judge_reads(r);
    judge_writing(r);
    sheet_criterion(&r->sheet, g->skipped == 0 && g->best >= 0, "every pattern measured (%d skipped%s)",
                    g->skipped,
                    io_is_selection(p) ? "; only part of the run was selected"
                    : g->best < 0      ? "; others were not reached"
                                       : "");
    sheet_completed(&r->sheet);
}

/* ---- notes ---- */

/* Maximum share of T, in percent, that may remain unused without a note. */
#define UNUSED_PERCENT 5.0

/* Adds a note about the share of T that a complete run did not use, and about the reasons why patterns ended
 * before their slices were used up. */
static void note_unused(struct io_results *r)
{
    const struct io_rating *g = &r->rating;
    const struct {
        int count;
        const char *what;
    } parts[] = {{g->by_data, "at the end of their data (rewrites and reads)"},
                 {g->by_repeat, "at their repeat factor"},
                 {g->by_bytes, "at --max-bytes"},
                 {g->by_space, "on a full file system"}};
    double percent = 100 * (1 - protocol_number(r->sheet.protocol, "elapsed_s") / r->time);
    char ended[160] = "";
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].count)
            text_append(ended, sizeof ended, "%s%d %s",
                        *ended ? ", " : "; patterns ended early: ", parts[i].count, parts[i].what);
    if (percent > UNUSED_PERCENT && protocol_is_complete(r->sheet.protocol))
        texts_add(&r->sheet.notes, "%.0f %% of %g s unused%s", percent, r->time, ended);
}

/* Returns the number after `key` ("KEY=") in the last hints that MPI reported, or 0 if it did not report the
 * key. */
static long find_hint(const struct protocol *p, const char *key)
{
    const char *found = strstr(protocol_text(p, "hints_in_force"), key);
    return found ? strtol(found + strlen(key), NULL, 10) : 0;
}

static void note_storage(struct io_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    long stripes = find_hint(p, "striping_factor="), size = find_hint(p, "striping_unit=");
    char striped[80] = "";
    double bytes = protocol_number(p, "storage_bytes"), left = protocol_number(p, "free_bytes");
    const char *type = protocol_text(p, "storage_type"), *mount = protocol_text(p, "storage_mount");
    if (stripes > 0 && size > 0)
        snprintf(striped, sizeof striped, "; stripes of files: %ld of %ld B", stripes, size);
    char size_text[64] = "size unknown";
    if (bytes > 0)
        snprintf(size_text, sizeof size_text,
                 bytes < (double)SYSINFO_MANY_BYTES ? "%.0f GB, %.0f %% full" : "no stated size", bytes / 1e9,
                 100 * (1 - left / bytes));
    if (*protocol_text(p, "storage_path"))
        texts_add(&r->sheet.notes, "storage: %s%s%s%s%s, %s; files in %s%s", *type ? type : "unknown",
                  *mount ? " on " : "", protocol_text(p, "storage_source"), *mount ? ", mounted at " : "",
                  mount, size_text, protocol_text(p, "storage_path"), striped);
}

static void note_server_caches(struct io_results *r)
{
    const struct io_partition_rating *b = best(r);
    double bytes = b ? io_rating_cache(r->sheet.protocol, b, 0.05) : NAN;
    if (isfinite(bytes))
        texts_add(&r->sheet.notes,
                  "server caches above %.3g GB would raise this result by more than 5 %%; for a tender, add "
                  "a run with --time %.0f",
                  bytes / 1e9, 4 * r->time);
}

static void note_slowest_call(struct io_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    const struct io_record *slowest = NULL;
    for (size_t i = 0; i < p->records.count; i++) {
        const struct io_record *record = protocol_at(p, i);
        if (record->call_max > (slowest ? slowest->call_max : 0))
            slowest = record;
    }
    if (slowest)
        texts_add(&r->sheet.notes,
                  "slowest call: %.3f s, %s of pattern %s on %" PRId64 " process%s, rank %" PRId64 " on %s",
                  slowest->call_max, slowest->access, slowest->pattern, slowest->processes,
                  TEXT_ES(slowest->processes), slowest->slowest_rank, slowest->slowest_node);
}

/* Adds a note about the two types whose bandwidths differ most in one access method. */
static void note_contrast(struct io_results *r, const struct io_partition_rating *p)
{
    static const char *const types[IO_TYPES] = {"strided collective calls", "shared file pointers",
                                                "separate files", "segmented files",
                                                "collective calls on segmented files"};
    int access = 0, low = 0, high = 0;
    double smallest = 1;
    for (int a = 0; a < IO_ACCESSES; a++)
        for (int t = 0; t < IO_TYPES; t++)
            for (int other = 0; other < IO_TYPES; other++)
                if (p->type[a][t] / p->type[a][other] < smallest) {
                    smallest = p->type[a][t] / p->type[a][other];
                    access = a;
                    low = t;
                    high = other;
                }
    if (low != high)
        texts_add(&r->sheet.notes, "largest contrast: %s %s at %.2g times the bandwidth of %s", types[low],
                  io_access_names[access], smallest, types[high]);
}

static void note_types(struct io_results *r)
{
    const struct io_partition_rating *p = best(r);
    if (!p)
        return;
    for (int t = 0; t < IO_TYPES; t++) {
        char line[160] = "", number[TEXT_NUMBER_SIZE];
        for (int a = 0; a < IO_ACCESSES; a++)
            if (isfinite(p->type[a][t]))
                text_append(line, sizeof line, "%s%s %s", *line ? ", " : "", io_access_names[a],
                            text_number(number, p->type[a][t]));
        texts_add(&r->sheet.notes, "type %d (%s): %s MB/s", t, io_type_names[t], line);
    }
    note_contrast(r, p);
}

static void add_notes(struct io_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    const struct io_rating *g = &r->rating;
    note_types(r);
    note_storage(r);
    note_server_caches(r);
    note_slowest_call(r);
    if (g->brief)
        texts_add(&r->sheet.notes,
                  "%d of %d patterns were measured for less than %g s: their error may exceed 5 %% (marked "
                  "in table by_pattern)",
                  g->brief, g->measured, IO_TRUSTED_SECONDS);
    note_unused(r);
    if (g->unverified)
        texts_add(&r->sheet.notes,
                  "for %d of %d files, the page cache was not dropped or could not be checked, so their "
                  "reads can only be cold by data volume: use --evict",
                  g->unverified, count_files(g));
    if (protocol_is(p, "oversubscribed", "yes"))
        texts_add(&r->sheet.notes, "oversubscribed: a node has more processes than hardware threads");
    if (protocol_is(p, "oversubscribed", "unknown"))
        texts_add(&r->sheet.notes,
                  "the system does not report the hardware threads that processes may run on");
    texts_add(&r->sheet.notes,
              "b_eff_io is a single measurement: six runs, in at least three jobs, show its spread");
}

static void make_headline(struct io_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    const struct io_partition_rating *b = best(r);
    const char *verdict = sheet_valid(&r->sheet) ? "VALID" : "NOT VALID";
    if (b)
        snprintf(r->sheet.headline, sizeof r->sheet.headline,
                 "b_eff_io = %.3f MB/s on %" PRId64
                 " process%s with %.0f MByte/PE, scheduled time=%.1f Min, on %.200s, %s",
                 b->b_eff_io, b->processes, TEXT_ES(b->processes), r->memory_mib, r->time / 60,
                 protocol_text(p, "uname"), verdict);
    else
        snprintf(r->sheet.headline, sizeof r->sheet.headline,
                 "no b_eff_io: %s, scheduled time=%.1f Min, on %.200s, %s",
                 io_is_selection(p) ? "only part of the run was selected"
                                    : "not every access method and type was measured",
                 r->time / 60, protocol_text(p, "uname"), verdict);
}

int io_results_make(void *results, const struct protocol *protocol, struct message *error)
{
    struct io_results *r = results;
    *r = (struct io_results){.sheet = {.protocol = protocol, .headline_name = "b_eff_io"}};
    if (read_metadata(r, error) || io_rating_make(&r->rating, protocol, error) || check_partitions(r, error))
        return -1;
    /* A partial run is complete if it measured everything that was selected. */
    r->sheet.rated = r->rating.best >= 0 || (io_is_selection(protocol) && r->rating.skipped == 0);
    r->sheet.errors = r->rating.errors;
    add_figures(r);
    add_criteria(r);
    add_notes(r);
    make_headline(r);
    io_add_tables(r);
    return 0;
}

void io_results_free(void *results)
{
    struct io_results *r = results;
    free(r->totals);
    free(r->timed);
    sheet_free(&r->sheet);
}

/* ---- before the run ---- */

static bool is_partial(const struct io_settings *s)
{
    return s->types.count || s->patterns.count || s->access.count;
}

static void check_reads(const struct io_prospect *p, struct texts *lines)
{
    const struct io_settings *s = p->settings;
    double each = (double)p->task->max_bytes / p->task->partition_count;
    bool at_once = p->task->partition_count == 1 && !s->rewrite && !is_partial(s);
    char but[96];
    if (!s->selection.access[ACCESS_READ])
        return;
    snprintf(but, sizeof but,
             at_once ? "type 0 of a single partition is read directly after its rewrite"
                     : "only %.1f GB may be written in a partition",
             each / 1e9);
    if (p->in_memory)
        texts_add(
            lines,
            "all rated reads cold: the file system is in memory; use --path to name a directory on storage");
    else if ((s->keep_caches || p->hides_cache) && !s->evict && (at_once || !(each > p->memory)))
        texts_add(lines,
                  "all rated reads cold: %s more than %.1f GB must be transferred between writing and "
                  "reading a file, but %s; use --evict (unless MPI-IO uses direct I/O)",
                  p->hides_cache ? "the file system does not show which pages are in memory, so"
                                 : "with --keep-caches,",
                  p->memory / 1e9, but);
}

void io_prospect_unreachable(const struct io_prospect *p, struct texts *lines)
{
    const struct io_settings *s = p->settings;
    int partitions = p->task->partition_count;
    double needed = valid_seconds(partitions) * partitions;
    int64_t min_bytes = io_min_bytes(p->task);
    if (s->run.time < needed)
        texts_add(
            lines,
            "at least %.0f min scheduled for each partition: use --time %.0f or more for %d partition%s",
            needed / partitions / 60, needed, partitions, TEXT_S(partitions));
    if (s->noshared)
        texts_add(lines, "shared file pointers used for pattern type 1: run without --noshared");
    if (s->separated_paths.count)
        texts_add(lines, "all files on one storage: run without --separated-paths");
    check_reads(p, lines);
    if (is_partial(s))
        texts_add(lines, "every pattern measured: run without --types, --patterns and --access");
    if (min_bytes > p->task->max_bytes)
        texts_add(
            lines,
            "run completed: one call of each pattern writes %.1f GB, but at most %.1f GB may be written, so "
            "the run would not start; use fewer processes (--partitions) or less memory (--memory)",
            (double)min_bytes / 1e9, (double)p->task->max_bytes / 1e9);
}

/* Minimum time in seconds to pass the token of a shared file pointer from one process to the next. With MPICH
 * on a local file system, 30 to 60 microseconds were measured. */
#define TOKEN_SECONDS 30e-6
/* Minimum number of calls that a pattern with U = 1 should make. */
enum { FEW_CALLS = 10 };
/* Number of files above which a single directory becomes slow on many file systems. */
enum { MANY_FILES = 100000 };

void io_prospect_warnings(const struct io_prospect *p, struct texts *lines)
{
    const struct io_task *task = p->task;
    int64_t processes = 0;
    double slice = io_scheduled(p->settings->run.time, task->partition_count, 1, p->settings->rewrite);
    for (int i = 0; i < task->partition_count; i++)
        processes = task->partitions[i] > processes ? task->partitions[i] : processes;
    double call = TOKEN_SECONDS * (double)processes;
    if (io_needs_locks(p->settings) && call * FEW_CALLS > slice)
        texts_add(lines,
                  "write_ordered passes a token through all %" PRId64
                  " processes: each call of type 1 takes %.1f s or more, but the shortest patterns have %.1f "
                  "s; use fewer processes (--partitions) or --noshared (NOT VALID)",
                  processes, call, slice);
    if (p->hides_cache && !p->settings->evict)
        texts_add(lines,
                  "the file system does not show which pages are in memory: reads count as cold only if more "
                  "than %.1f GB (the memory of all nodes, or twice --cache) are transferred between writing "
                  "and reading a file; --evict does that",
                  p->memory / 1e9);
    if (processes > MANY_FILES)
        texts_add(
            lines,
            "type 2 creates %" PRId64
            " files in one directory, which is slow on many file systems; use fewer processes (--partitions)",
            processes);
}

double io_prospect_fastest(const struct io_prospect *p)
{
    double seconds = io_scheduled(p->settings->run.time, 1, IO_UNITS, p->settings->rewrite);
    return (double)p->task->max_bytes / seconds / VALID_WRITING / 1e6;
}
