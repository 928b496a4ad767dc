/* Comparing two sides of runs. Uses report, interval, stats. */
#include "protocols/comparison.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats.h"

__attribute__((format(printf, 2, 3))) static void refuse(struct comparison *c, const char *format, ...)
{
    if (c->reason_count == COMPARISON_MOST_REASONS)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->reasons[c->reason_count++], COMPARISON_REASON_SIZE, format, arguments);
    va_end(arguments);
}

__attribute__((format(printf, 2, 3))) static void note(struct comparison *c, const char *format, ...)
{
    if (c->note_count == COMPARISON_MOST_REASONS)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->notes[c->note_count++], COMPARISON_REASON_SIZE, format, arguments);
    va_end(arguments);
}

/* ---- the runs ---- */

static struct report *run_at(const struct comparison *c, size_t i)
{
    return i < c->side[0].count ? &c->side[0].runs[i] : &c->side[1].runs[i - c->side[0].count];
}

static size_t run_count(const struct comparison *c)
{
    return c->side[0].count + c->side[1].count;
}

/* The same records: one run, perhaps a copy of it. */
static bool is_same_run(const struct report *a, const struct report *b)
{
    const struct protocol *p = &a->protocol, *q = &b->protocol;
    return p->type == q->type && p->record_count == q->record_count &&
           strcmp(report_meta(a, "started"), report_meta(b, "started")) == 0 &&
           (!p->record_count || memcmp(p->records, q->records, p->record_count * p->type->size) == 0);
}

/* Loads one side; a run that is there twice counts once. */
static int load_side(struct comparison *c, struct side *side, char *const *paths, size_t count,
                     struct message *error)
{
    side->runs = calloc(count, sizeof *side->runs);
    side->items = calloc(count, sizeof *side->items);
    if (!side->runs || !side->items)
        return message_set(error, "out of memory");
    for (size_t i = 0; i < count; i++) {
        struct report *run = &side->runs[side->count];
        if (report_load(run, paths[i], error))
            return -1;
        size_t twin = 0;
        while (twin < side->count && !is_same_run(&side->runs[twin], run))
            twin++;
        if (twin < side->count) {
            note(c, "%.100s is the same run as %.100s and counts once", paths[i], side->runs[twin].path);
            report_free(run);
            continue;
        }
        if (report_items_make(run, &side->items[side->count++]))
            return message_set(error, "out of memory");
    }
    if (side->count > INTERVAL_MOST)
        return message_set(error, "%zu runs on one side: at most %d can be compared", side->count,
                           INTERVAL_MOST);
    return 0;
}

/* ---- what must be alike ---- */

/* The first run whose value is not that of the first one; NULL if there is none. */
static const struct report *find_other(const struct comparison *c, const char *key)
{
    for (size_t i = 1; i < run_count(c); i++)
        if (strcmp(report_meta(run_at(c, i), key), report_meta(run_at(c, 0), key)) != 0)
            return run_at(c, i);
    return NULL;
}

static void require_same(struct comparison *c, const char *key)
{
    const struct report *first = run_at(c, 0), *other = find_other(c, key);
    if (other)
        refuse(c, "%s differs: %.60s in %.70s, %.60s in %.70s", key, report_meta(first, key), first->path,
               report_meta(other, key), other->path);
}

static void check_definitions(struct comparison *c)
{
    const struct engine *engine = run_at(c, 0)->engine;
    for (size_t i = 1; i < run_count(c); i++)
        if (run_at(c, i)->engine != engine) {
            refuse(c, "%.90s is of %s, %.90s of %s", run_at(c, 0)->path, engine->program, run_at(c, i)->path,
                   run_at(c, i)->engine->program);
            return;
        }
    for (const char *const *key = run_at(c, 0)->row->definition; *key; key++)
        require_same(c, *key);
    if (strcmp(report_meta(run_at(c, 0), "memory_source"), "given") == 0)
        require_same(c, "lmax");
}

/* What is told of the runs: nothing that forbids a verdict, but what a reader must know. */
static void add_notes(struct comparison *c)
{
    static const char *const keys[] = {"host",    "cpu",
                                       "mpi",     "compiler",
                                       "version", "commit",
                                       "nodes",   "ranks_per_node",
                                       "binding", "memory_per_process_mib",
                                       "lmax",    "time_s"};
    for (size_t i = 0; i < run_count(c); i++) {
        const struct report *run = run_at(c, i);
        const struct sheet *sheet = run->sheet;
        for (int k = 0; k < sheet->criterion_count; k++)
            if (!sheet->criteria[k].reached) {
                note(c, "%.100s is NOT VALID for comparison: %.150s", run->path, sheet->criteria[k].text);
                break;
            }
        for (size_t j = c->side[0].count; i < c->side[0].count && j < run_count(c); j++)
            if (is_same_run(run, run_at(c, j)))
                note(c, "%.100s and %.100s are the same run, on both sides", run->path, run_at(c, j)->path);
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct report *other = find_other(c, keys[i]);
        if (other)
            note(c, "not alike: %s, %.100s and %.100s", keys[i], report_meta(run_at(c, 0), keys[i]),
                 report_meta(other, keys[i]));
    }
}

/* ---- figures ---- */

static const struct report_item *find_item(const struct report_items *items, const struct report_item *like,
                                           size_t guess)
{
    for (size_t n = 0; n < items->count; n++) {
        const struct report_item *item = &items->item[(guess + n) % items->count];
        if (strcmp(item->group, like->group) == 0 && strcmp(item->name, like->name) == 0)
            return item;
    }
    return NULL;
}

/* The values of a figure in all runs of a side; false if a run has not got it. */
static bool collect(const struct side *side, const struct report_item *item, size_t guess, double *values)
{
    for (size_t i = 0; i < side->count; i++) {
        const struct report_item *found = find_item(&side->items[i], item, guess);
        if (!found)
            return false;
        values[i] = found->value;
    }
    return true;
}

static enum verdict decide(const struct compared *row)
{
    double low = row->ratio.low, high = row->ratio.high;
    if (isnan(low))
        return VERDICT_NONE;
    if (low > 1)
        return row->item->less_is_better ? VERDICT_WORSE : VERDICT_BETTER;
    if (high < 1)
        return row->item->less_is_better ? VERDICT_BETTER : VERDICT_WORSE;
    return VERDICT_OPEN;
}

static int compare_items(struct comparison *c, size_t rank)
{
    double before[INTERVAL_MOST], after[INTERVAL_MOST];
    const struct report_items *first = &c->side[0].items[0];
    size_t n = c->side[0].count, m = c->side[1].count;
    c->compared = calloc(first->count + 1, sizeof *c->compared);
    if (!c->compared)
        return -1;
    for (size_t i = 0; i < first->count; i++) {
        const struct report_item *item = &first->item[i];
        if (!collect(&c->side[0], item, i, before) || !collect(&c->side[1], item, i, after)) {
            c->left_out++;
            continue;
        }
        struct compared *row = &c->compared[c->count++];
        *row = (struct compared){.item = item,
                                 .before = stats_median(before, n),
                                 .after = stats_median(after, m),
                                 .ratio = ratio_make(before, n, after, m, rank)};
        row->verdict = decide(row);
    }
    return 0;
}

int comparison_make(struct comparison *c, char *const *paths, size_t count, size_t first,
                    struct message *error)
{
    *c = (struct comparison){.level = NAN};
    if (load_side(c, &c->side[0], paths, first, error) ||
        load_side(c, &c->side[1], paths + first, count - first, error)) {
        comparison_free(c);
        return -1;
    }
    check_definitions(c);
    c->same_definition = c->reason_count == 0;
    add_notes(c);
    if (!c->same_definition)
        return 0;
    size_t n = c->side[0].count, m = c->side[1].count, rank = interval_rank(n, m, &c->level);
    if (!rank)
        refuse(c,
               "too few runs, %zu and %zu: whatever they are, nothing can be told from them at 95 %%; it "
               "takes 4 "
               "and 4, 3 and 5, or 2 and 8",
               n, m);
    if (compare_items(c, rank)) {
        comparison_free(c);
        return message_set(error, "out of memory");
    }
    if (!comparison_rating(c))
        refuse(c, "not every run has the rating, or not of the same rows");
    return 0;
}

const struct compared *comparison_rating(const struct comparison *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->compared[i].item->group, REPORT_RATING) == 0)
            return &c->compared[i];
    return NULL;
}

enum verdict comparison_judge(const struct compared *rating, double threshold)
{
    if (!rating || isnan(rating->ratio.low))
        return VERDICT_NONE;
    if (rating->item->less_is_better) {
        double most = 1 + threshold;
        return rating->ratio.low > most     ? VERDICT_WORSE
               : rating->ratio.high <= most ? VERDICT_BETTER
                                            : VERDICT_OPEN;
    }
    double least = 1 - threshold;
    return rating->ratio.high < least   ? VERDICT_WORSE
           : rating->ratio.low >= least ? VERDICT_BETTER
                                        : VERDICT_OPEN;
}

void comparison_free(struct comparison *c)
{
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < c->side[s].count; i++) {
            free(c->side[s].items[i].item);
            report_free(&c->side[s].runs[i]);
        }
        free(c->side[s].runs);
        free(c->side[s].items);
    }
    free(c->compared);
    *c = (struct comparison){0};
}
