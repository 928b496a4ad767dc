/* Comparing two sides of runs. Uses load, interval, stats. */
#include "report/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/checksum.h"
#include "common/stats.h"
#include "report/load.h"

/* ---- the runs ---- */

/* What is said of a run; what is said of several is said once. */
static void remark(struct comparison *c, struct remarks *remarks, const char *run, const char *text)
{
    size_t i = 0;
    while (i < remarks->count && strcmp(remarks->remark[i].text, text) != 0)
        i++;
    if (i == remarks->count) {
        struct remark new = {strdup(text), strdup(run), 0};
        if (!new.text || !new.first || !array_room(&remarks->remark, i, sizeof *remarks->remark)) {
            free(new.text);
            free(new.first);
            c->notes.incomplete = true;
            return;
        }
        remarks->remark[remarks->count++] = new;
    }
    remarks->remark[i].runs++;
}

static void remarks_finish(struct remarks *remarks, const char *what, struct texts *texts)
{
    for (size_t i = 0; i < remarks->count; i++) {
        const struct remark *r = &remarks->remark[i];
        if (r->runs == 1)
            texts_add(texts, "%s%s: %s", r->first, what, r->text);
        else
            texts_add(texts, "%zu runs (%s ...)%s: %s", r->runs, r->first, what, r->text);
        free(r->text);
        free(r->first);
    }
    free(remarks->remark);
    *remarks = (struct remarks){0};
}

/* ---- copies ---- */

/* One number for each record, of the times in it and of what was measured. Measured twice they differ, so
 * that runs which share more than a few are one run. */
struct times {
    uint64_t *of;
    size_t count;
};

static int compare_numbers(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* Those of a simulated run are the same each time: none. */
static int make_times(struct times *times, const struct report *run)
{
    const struct protocol *p = &run->protocol;
    *times = (struct times){calloc(p->record_count + 1, sizeof *times->of), 0};
    if (!times->of)
        return -1;
    for (size_t i = 0; i < p->record_count && !protocol_is(p, "option_clock", "simulated"); i++) {
        uint64_t number = CHECKSUM_START;
        bool measured = false;
        for (const char *const *name = run->row->times; *name; name++)
            for (size_t k = 0; k < p->type->column_count; k++) {
                const struct column *column = &p->type->columns[k];
                const char *field = (const char *)protocol_at(p, i) + column->offset;
                bool is_text = column->kind == COLUMN_TEXT;
                if (strcmp(column->name, *name) != 0)
                    continue;
                number = checksum_add(number, field, is_text ? strlen(field) + 1 : sizeof(double));
                measured |= column->kind == COLUMN_REAL && *(const double *)(const void *)field > 0;
            }
        if (measured)
            times->of[times->count++] = number;
    }
    qsort(times->of, times->count, sizeof *times->of, compare_numbers);
    return 0;
}

static bool is_same_run(const struct times *a, const struct times *b)
{
    size_t least = a->count < b->count ? a->count : b->count, shared = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        uint64_t left = a->of[i], right = b->of[j];
        shared += left == right;
        i += left <= right;
        j += right <= left;
    }
    size_t few = 3 + least / 100;
    return shared > (few < least / 2 ? few : least / 2);
}

/* ---- loading ---- */

double comparison_noise(const struct report *run)
{
    const struct sheet_value *value = sheet_find(run->sheet, "perturbed_percent");
    return value ? value->value : NAN;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(const struct report_item *const *)a)->name,
                  (*(const struct report_item *const *)b)->name);
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
    if (report->row->items(report, items))
        return -1;
    items->by_name = calloc(items->count + 1, sizeof *items->by_name);
    for (size_t i = 0; items->by_name && i < items->count; i++)
        items->by_name[i] = &items->item[i];
    if (items->by_name)
        qsort(items->by_name, items->count, sizeof *items->by_name, compare_names);
    return items->by_name ? 0 : -1;
}

/* Whether it is taken. What there is against it is remarked; data errors, and what time alone decides, leave
 * no run out. */
static bool judge_run(struct comparison *c, const struct report *run, bool allow_invalid)
{
    const struct sheet *sheet = run->sheet;
    struct message text;
    bool taken = true;
    if (run->findings.count) {
        message_set(&text, "NOT VALID (see verify): %s", run->findings.kept[0].text);
        taken = allow_invalid;
        remark(c, taken ? &c->doubts : &c->faults, report_name(run), text.text);
    }
    if (sheet->errors)
        texts_add(&c->errors, "data errors in %s: %lld", report_name(run), (long long)sheet->errors);
    for (int k = 0; k < sheet->criterion_count; k++) {
        bool missed = sheet->criteria[k].state == CRITERION_MISSED,
             excused = allow_invalid || sheet->criteria[k].of_time;
        message_set(&text, "%s: %s", sheet->rates_nothing ? "a check failed" : "NOT VALID for comparison",
                    sheet->criteria[k].text);
        if (missed && (excused || (taken && !sheet->errors)))
            remark(c, excused ? &c->doubts : &c->faults, report_name(run), text.text);
        taken = taken && (!missed || excused || sheet->errors);
    }
    return taken;
}

/* Loads one side: `paths` from number `first` to before `end`. */
static int load_side(struct comparison *c, struct side *side, char *const *paths, size_t first, size_t end,
                     bool allow_invalid, struct message *error)
{
    side->runs = c->all.runs + c->all.count;
    side->items = c->all.items + c->all.count;
    for (size_t i = first; i < end; i++) {
        size_t number = c->all.count, twin = 0;
        struct report *run = &c->all.runs[number];
        struct message reason;
        if (report_load(run, paths[i], &reason)) {
            texts_add(&c->refused, "%s", reason.text);
            continue;
        }
        if (!judge_run(c, run, allow_invalid)) {
            report_free(run);
            continue;
        }
        if (make_times(&c->times[number], run))
            return message_set(error, "out of memory");
        while (twin < number && !is_same_run(&c->times[twin], &c->times[number]))
            twin++;
        if (twin < number && (side == &c->side[0] || twin >= c->side[0].count)) {
            texts_add(&c->refused, "%s is the same run as %s, by the times of its records", paths[i],
                      report_name(&c->all.runs[twin]));
            free(c->times[number].of);
            report_free(run);
            continue;
        }
        if (twin < number)
            texts_add(&c->reasons, "%s and %s are the same run, on both sides",
                      report_name(&c->all.runs[twin]), paths[i]);
        c->given[number] = i;
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

const char *comparison_other_definition(const struct report *a, const struct report *b)
{
    if (a->engine != b->engine)
        return "program";
    for (const char *const *key = a->row->definition; *key; key++)
        if (!is_alike(a, b, *key))
            return *key;
    if (protocol_is(&a->protocol, "memory_source", "given") && !is_alike(a, b, "lmax"))
        return "lmax";
    return NULL;
}

/* Runs of one definition on one path, and what else decides the result. */
static void check_definitions(struct comparison *c)
{
    const struct report *first = &c->all.runs[0];
    int before = c->reasons.count;
    for (size_t i = 1; i < c->all.count && c->reasons.count == before; i++) {
        const struct report *run = &c->all.runs[i];
        const char *key = comparison_other_definition(first, run);
        if (key)
            texts_add(&c->reasons, "%s differs: %.60s in %.70s, %.60s in %.70s", key, report_meta(first, key),
                      report_name(first), report_meta(run, key), report_name(run));
        else
            for (const char *const *own = first->row->system; *own; own++)
                if (!is_alike(first, run, *own))
                    texts_add(&c->reasons, "%s differs: %.60s in %.70s, %.60s in %.70s", *own,
                              report_meta(first, *own), report_name(first), report_meta(run, *own),
                              report_name(run));
    }
    c->same_definition = c->reasons.count == before;
}

/* Whether the sides were measured one after the other. */
static void check_turns(struct comparison *c)
{
    const struct side *before = &c->side[0], *after = &c->side[1];
    bool in_turns = false;
    for (size_t i = 0; i < before->count; i++)
        for (size_t j = 0; j < after->count; j++)
            in_turns = in_turns || strcmp(report_meta(&before->runs[i], "started"),
                                          report_meta(&after->runs[j], "started")) >= 0;
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
                                          const char *name)
{
    struct report_item key;
    const struct report_item *wanted = &key, **found = NULL;
    snprintf(key.name, sizeof key.name, "%s", name ? name : "");
    if (name && items->count)
        found = bsearch(&wanted, items->by_name, items->count, sizeof *items->by_name, compare_names);
    while (found && found > items->by_name && strcmp(found[-1]->name, name) == 0)
        found--;
    for (; found && found < items->by_name + items->count && strcmp((*found)->name, name) == 0; found++)
        if (!group || strcmp((*found)->group, group) == 0)
            return *found;
    for (size_t n = 0; !name && n < items->count; n++)
        if (strcmp(items->item[n].group, group) == 0)
            return &items->item[n];
    return NULL;
}

/* The values of a figure in all runs of a side; false if a run has not got it. */
static bool collect(const struct side *side, const struct report_item *item, double *values)
{
    for (size_t i = 0; i < side->count; i++) {
        const struct report_item *found = comparison_item(&side->items[i], item->group, item->name);
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
        const struct report_item *other = comparison_item(&c->side[1].items[0], item->group, item->name);
        if (!collect(&c->side[0], item, values) || !collect(&c->side[1], item, values + n)) {
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
static int load(struct comparison *c, char *const *paths, size_t count, size_t first, bool allow_invalid,
                struct message *error)
{
    *c = (struct comparison){.level = NAN,
                             .order = calloc(count + 1, sizeof *c->order),
                             .given = calloc(count + 1, sizeof *c->given),
                             .times = calloc(count + 1, sizeof *c->times)};
    c->all =
        (struct side){calloc(count + 1, sizeof *c->all.runs), calloc(count + 1, sizeof *c->all.items), 0};
    if (!c->all.runs || !c->all.items || !c->order || !c->given || !c->times)
        return message_set(error, "out of memory");
    if (load_side(c, &c->side[0], paths, 0, first, allow_invalid, error) ||
        load_side(c, &c->side[1], paths, first, count, allow_invalid, error))
        return -1;
    order_runs(c);
    return 0;
}

int comparison_finish(struct comparison *c, struct message *error)
{
    remarks_finish(&c->faults, "", &c->refused);
    remarks_finish(&c->doubts, "", &c->notes);
    return c->reasons.incomplete || c->notes.incomplete || c->errors.incomplete || c->refused.incomplete
               ? message_set(error, "out of memory")
               : 0;
}

int comparison_make(struct comparison *c, char *const *paths, size_t count, size_t first, bool allow_invalid,
                    struct message *error)
{
    int failed = load(c, paths, count, first, allow_invalid, error);
    for (int k = 0; k < 2 && !failed; k++)
        if (c->side[k].count > INTERVAL_MOST)
            failed = message_set(error, "%zu runs on one side: at most %d can be compared", c->side[k].count,
                                 INTERVAL_MOST);
    if (!failed && (!c->side[0].count || !c->side[1].count)) {
        texts_add(&c->reasons, "no run is left %s", c->side[0].count ? "after" : "before");
    } else if (!failed) {
        check_definitions(c);
        check_turns(c);
        add_notes(c);
    }
    if (!failed && c->same_definition) {
        failed = compare_figures(c) ? message_set(error, "out of memory") : 0;
        if (!failed && !comparison_rating(c))
            texts_add(&c->reasons, "not every run has the rating, or not of the same rows");
    }
    failed = failed ? failed : comparison_finish(c, error);
    if (failed)
        comparison_free(c);
    return failed;
}

int comparison_load(struct comparison *c, char *const *paths, size_t count, bool allow_invalid,
                    struct message *error)
{
    int failed = load(c, paths, count, count, allow_invalid, error);
    if (failed)
        comparison_free(c);
    return failed;
}

int comparison_gather(struct comparison *c, char *const *paths, size_t count, bool allow_invalid,
                      struct message *error)
{
    if (comparison_load(c, paths, count, allow_invalid, error))
        return -1;
    if (c->all.count)
        check_definitions(c);
    else
        texts_add(&c->reasons, "no run is left");
    for (int i = 0; i < c->errors.count; i++)
        texts_add(&c->reasons, "%s", c->errors.text[i]);
    add_notes(c);
    int failed = comparison_finish(c, error);
    if (failed)
        comparison_free(c);
    return failed;
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
        free(c->all.items[i].by_name);
        free(c->times[i].of);
        report_free(&c->all.runs[i]);
    }
    free(c->all.runs);
    free(c->all.items);
    free(c->compared);
    free(c->order);
    free(c->given);
    free(c->times);
    remarks_finish(&c->faults, "", &c->refused);
    remarks_finish(&c->doubts, "", &c->notes);
    texts_free(&c->refused);
    texts_free(&c->reasons);
    texts_free(&c->notes);
    texts_free(&c->errors);
    *c = (struct comparison){0};
}
