/* Comparing two sides of runs. Uses load, interval, stats. */
#include "report/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats.h"
#include "report/load.h"

/* ---- the runs ---- */

/* The same records: one run, perhaps a copy of it. */
static bool is_same_run(const struct report *a, const struct report *b)
{
    const struct protocol *p = &a->protocol, *q = &b->protocol;
    return p->type == q->type && p->record_count == q->record_count &&
           strcmp(report_meta(a, "started"), report_meta(b, "started")) == 0 &&
           (!p->record_count || memcmp(p->records, q->records, p->record_count * p->type->size) == 0);
}

/* Everything by which a run is compared: its engine's items, and the sheet's bandwidths and times. What is a
 * fixed multiple of another one is left out. 0, or -1 when out of memory. */
static int make_items(const struct report *report, struct report_items *items)
{
    const struct sheet *sheet = report->sheet;
    for (int i = 0; i < sheet->value_count; i++) {
        const struct sheet_value *v = &sheet->values[i];
        bool time = strcmp(v->unit, "microsec") == 0;
        if ((!time && strcmp(v->unit, "MB/s") != 0) || strstr(v->name, "_per_process"))
            continue;
        struct report_item item = {.group = sheet_rates(sheet, v->name) ? REPORT_RATING : "figure",
                                   .unit = v->unit,
                                   .value = v->value,
                                   .less_is_better = time};
        snprintf(item.name, sizeof item.name, "%s", v->name);
        if (report_item_add(items, &item))
            return -1;
    }
    return report->row->items(report, items);
}

/* Loads one side; a run that is there twice counts once, which `twins` get told. */
static int load_side(struct comparison *c, struct side *side, char *const *paths, size_t count,
                     struct texts *twins, struct message *error)
{
    side->runs = c->all.runs + c->all.count;
    side->items = c->all.items + c->all.count;
    for (size_t i = 0; i < count; i++) {
        struct report *run = &side->runs[side->count];
        if (report_load(run, paths[i], error))
            return -1;
        size_t twin = 0;
        while (twin < side->count && !is_same_run(&side->runs[twin], run))
            twin++;
        if (twin < side->count) {
            texts_add(twins, "%.100s is the same run as %.100s (counted once)", paths[i],
                      side->runs[twin].path);
            report_free(run);
            continue;
        }
        c->all.count++;
        if (make_items(run, &side->items[side->count++]))
            return message_set(error, "out of memory");
    }
    return 0;
}

/* ---- what must be alike ---- */

/* All lines of a key; of `node` (INDEX HOST ...) the hosts alone. */
static bool is_alike(const struct report *a, const struct report *b, const char *key)
{
    bool nodes = strcmp(key, "node") == 0;
    size_t i = 0, j = 0;
    const char *left, *right;
    do {
        char hosts[2][80];
        left = protocol_next(&a->protocol, key, &i);
        right = protocol_next(&b->protocol, key, &j);
        bool both = nodes && left && right && sscanf(left, "%*s %79s", hosts[0]) == 1 &&
                    sscanf(right, "%*s %79s", hosts[1]) == 1;
        if (strcmp(both ? hosts[0] : left ? left : "", both ? hosts[1] : right ? right : "") != 0)
            return false;
    } while (left || right);
    return true;
}

/* The first run that is not like the first one; NULL if there is none. */
static const struct report *find_other(const struct comparison *c, const char *key)
{
    for (size_t i = 1; i < c->all.count; i++)
        if (!is_alike(&c->all.runs[i], &c->all.runs[0], key))
            return &c->all.runs[i];
    return NULL;
}

static void require_same(struct comparison *c, const char *key)
{
    const struct report *first = &c->all.runs[0], *other = find_other(c, key);
    if (other)
        texts_add(&c->reasons, "%s differs: %.60s in %.70s, %.60s in %.70s", key, report_meta(first, key),
                  first->path, report_meta(other, key), other->path);
}

const char *comparison_other_system(const struct report *a, const struct report *b, bool any_host)
{
    static const char *const machine[] = {"cpu", "nodes", "ranks_per_node", NULL};
    const char *const *const lists[] = {machine, a->row->system};
    for (int i = 0; i < 2; i++)
        for (const char *const *key = lists[i]; *key; key++)
            if (!is_alike(a, b, *key))
                return *key;
    return any_host ? NULL : !is_alike(a, b, "host") ? "host" : !is_alike(a, b, "node") ? "node" : NULL;
}

static bool is_reduced(const struct report *run)
{
    return *report_meta(run, "reduced") != 0;
}

/* `systems`: they may be of several systems. */
static void check_definitions(struct comparison *c, bool systems)
{
    const struct report *first = &c->all.runs[0];
    for (size_t i = 1; i < c->all.count; i++)
        if (c->all.runs[i].engine != first->engine) {
            texts_add(&c->reasons, "%s is of %s, %s of %s", first->path, first->engine->program,
                      c->all.runs[i].path, c->all.runs[i].engine->program);
            return;
        }
    for (const char *const *key = first->row->definition; *key; key++)
        require_same(c, *key);
    for (const char *const *key = first->row->system; *key && !systems; key++)
        require_same(c, *key);
    if (strcmp(report_meta(first, "memory_source"), "given") == 0)
        require_same(c, "lmax");
    for (size_t i = 1; i < c->all.count; i++)
        if (is_reduced(&c->all.runs[i]) != is_reduced(first)) {
            texts_add(&c->reasons, "a reduced run does not compare with a whole one: %s, %s", first->path,
                      c->all.runs[i].path);
            return;
        }
}

/* Whatever there is against a run. */
static void judge_run(struct comparison *c, const struct report *run, bool allow_invalid)
{
    const struct sheet *sheet = run->sheet;
    if (run->findings.count)
        texts_add(allow_invalid ? &c->notes : &c->reasons, "%s is NOT VALID for comparison (see verify): %s",
                  run->path, run->findings.kept[0].text);
    if (sheet->errors)
        texts_add(&c->errors, "data errors in %s: %lld", run->path, (long long)sheet->errors);
    for (int k = 0; k < sheet->criterion_count; k++)
        if (sheet->criteria[k].state == CRITERION_MISSED)
            texts_add(allow_invalid || sheet->criteria[k].of_time ? &c->notes : &c->reasons,
                      "%s is NOT VALID for comparison: %s", run->path, sheet->criteria[k].text);
}

static void judge_runs(struct comparison *c, bool allow_invalid)
{
    const struct side *before = &c->side[0], *after = &c->side[1];
    bool in_turns = false;
    for (size_t i = 0; i < c->all.count; i++)
        judge_run(c, &c->all.runs[i], allow_invalid);
    for (size_t i = 0; i < before->count; i++)
        for (size_t j = 0; j < after->count; j++) {
            const struct report *a = &before->runs[i], *b = &after->runs[j];
            in_turns = in_turns || strcmp(report_meta(a, "started"), report_meta(b, "started")) >= 0;
            if (is_same_run(a, b))
                texts_add(&c->reasons, "%s and %s are the same run, on both sides", a->path, b->path);
        }
    if (after->count > 1 && !in_turns)
        texts_add(&c->notes,
                  "every run before was started before every run after: a drift of the machine looks "
                  "like a change; start them in turns");
}

const char *const comparison_circumstances[] = {"host",
                                                "cpu",
                                                "mpi",
                                                "compiler",
                                                "version",
                                                "commit",
                                                "nodes",
                                                "ranks_per_node",
                                                "binding",
                                                "lmax",
                                                "memory_per_process_mib",
                                                "time_s",
                                                "storage_options",
                                                NULL};

static void add_notes(struct comparison *c)
{
    for (const char *const *key = comparison_circumstances; *key; key++) {
        const struct report *other = find_other(c, *key);
        if (other)
            texts_add(&c->notes, "not alike: %s, %.100s and %.100s", *key, report_meta(&c->all.runs[0], *key),
                      report_meta(other, *key));
    }
}

/* ---- figures ---- */

const struct report_item *comparison_item(const struct report_items *items, const char *group,
                                          const char *name, size_t guess)
{
    for (size_t n = 0; n < items->count; n++) {
        const struct report_item *item = &items->item[(guess + n) % items->count];
        if ((!group || strcmp(item->group, group) == 0) && (!name || strcmp(item->name, name) == 0))
            return item;
    }
    return NULL;
}

/* The values of a figure in all runs of a side; false if a run has not got it. */
static bool collect(const struct side *side, const struct report_item *item, size_t guess, double *values)
{
    for (size_t i = 0; i < side->count; i++) {
        const struct report_item *found = comparison_item(&side->items[i], item->group, item->name, guess);
        if (!found)
            return false;
        values[i] = found->value;
    }
    return true;
}

static enum verdict decide(const struct comparison *c, const struct compared *row)
{
    double low = row->ratio.low, high = row->ratio.high;
    if (isnan(low) || c->reasons.count || c->errors.count)
        return VERDICT_NONE;
    if (low <= 1 && high >= 1)
        return VERDICT_OPEN;
    return (low > 1) == row->item->less_is_better ? VERDICT_WORSE : VERDICT_BETTER;
}

static bool is_rating(const struct compared *row)
{
    return strcmp(row->item->group, REPORT_RATING) == 0;
}

/* Compares every figure; `rank` as interval_rank gives it. */
static int compare_items(struct comparison *c, size_t rank)
{
    double values[2 * INTERVAL_MOST];
    size_t n = c->side[0].count, m = c->side[1].count;
    const struct report_items *first = &c->side[0].items[0];
    c->compared = calloc(first->count + 1, sizeof *c->compared);
    if (!c->compared)
        return -1;
    for (size_t i = 0; i < first->count; i++) {
        const struct report_item *item = &first->item[i];
        const struct report_item *other = comparison_item(&c->side[1].items[0], item->group, item->name, i);
        if (!collect(&c->side[0], item, i, values) || !collect(&c->side[1], item, i, values + n)) {
            c->left_out++;
            continue;
        }
        struct compared *row = &c->compared[c->count++];
        *row = (struct compared){.item = item,
                                 .other_bytes = other->bytes,
                                 .before = stats_median(values, n),
                                 .after = stats_median(values + n, m),
                                 .ratio = ratio_make(values, n, values + n, m, rank)};
        row->verdict = is_rating(row) ? decide(c, row) : VERDICT_NONE;
    }
    return 0;
}

static int compare_figures(struct comparison *c)
{
    size_t n = c->side[0].count, m = c->side[1].count, rank = interval_rank(n, m, &c->level);
    if (!rank)
        texts_add(&c->reasons,
                  "too few runs, %zu and %zu: inconclusive at 95 %%, whatever their values; 4 and 4, "
                  "3 and 5, or 2 and 8 required",
                  n, m);
    return compare_items(c, rank);
}

/* ---- the whole ---- */

static void order_runs(struct comparison *c)
{
    for (size_t i = 0; i < c->all.count; i++) {
        size_t place = i;
        double start = report_time(&c->all.runs[i], "started");
        for (; place > 0 && start < report_time(comparison_run(c, place - 1), "started"); place--)
            c->order[place] = c->order[place - 1];
        c->order[place] = i;
    }
}

/* The first `first` paths are side[0], the others side[1]. */
static int load(struct comparison *c, char *const *paths, size_t count, size_t first, struct texts *twins,
                struct message *error)
{
    *c = (struct comparison){.level = NAN, .order = calloc(count, sizeof *c->order)};
    c->all = (struct side){calloc(count, sizeof *c->all.runs), calloc(count, sizeof *c->all.items), 0};
    if (!c->all.runs || !c->all.items || !c->order)
        return message_set(error, "out of memory");
    if (load_side(c, &c->side[0], paths, first, twins, error) ||
        load_side(c, &c->side[1], paths + first, count - first, twins, error))
        return -1;
    order_runs(c);
    return 0;
}

static int finish(struct comparison *c, int failed, struct message *error)
{
    if (!failed && (c->reasons.incomplete || c->notes.incomplete || c->errors.incomplete))
        failed = message_set(error, "out of memory");
    if (failed)
        comparison_free(c);
    return failed ? -1 : 0;
}

int comparison_make(struct comparison *c, char *const *paths, size_t count, size_t first, bool allow_invalid,
                    struct message *error)
{
    int failed = load(c, paths, count, first, &c->notes, error);
    for (int k = 0; k < 2 && !failed; k++)
        if (c->side[k].count > INTERVAL_MOST)
            failed = message_set(error, "%zu runs on one side: at most %d can be compared", c->side[k].count,
                                 INTERVAL_MOST);
    if (!failed) {
        check_definitions(c, false);
        c->same_definition = c->reasons.count == 0;
        judge_runs(c, allow_invalid);
        add_notes(c);
    }
    if (!failed && c->same_definition) {
        failed = compare_figures(c) ? message_set(error, "out of memory") : 0;
        if (!failed && !comparison_rating(c))
            texts_add(&c->reasons, "not every run has the rating, or not of the same rows");
    }
    return finish(c, failed, error);
}

int comparison_gather(struct comparison *c, char *const *paths, size_t count, bool systems,
                      bool allow_invalid, struct message *error)
{
    int failed = load(c, paths, count, count, &c->errors, error);
    if (!failed) {
        check_definitions(c, systems);
        c->same_definition = c->reasons.count == 0;
        for (size_t i = 0; i < c->all.count; i++)
            judge_run(c, &c->all.runs[i], allow_invalid);
        for (int i = 0; i < c->errors.count; i++)
            texts_add(&c->reasons, "%s", c->errors.text[i]);
        if (!systems)
            add_notes(c);
    }
    return finish(c, failed, error);
}

const struct compared *comparison_rating(const struct comparison *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (is_rating(&c->compared[i]))
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
    for (size_t i = 0; i < c->all.count; i++) {
        free(c->all.items[i].item);
        report_free(&c->all.runs[i]);
    }
    free(c->all.runs);
    free(c->all.items);
    free(c->compared);
    free(c->order);
    texts_free(&c->reasons);
    texts_free(&c->notes);
    texts_free(&c->errors);
    *c = (struct comparison){0};
}
