#include "report/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/environment.h"
#include "common/memory.h"

const char *const verdict_words[] = {[VERDICT_NONE] = "-",
                                     [VERDICT_BETTER] = "better",
                                     [VERDICT_WORSE] = "worse",
                                     [VERDICT_OPEN] = "inconclusive"};

/* ---- loading ---- */

static int compare_items(const void *a, const void *b)
{
    const struct report_item *left = *(const struct report_item *const *)a,
                             *right = *(const struct report_item *const *)b;
    int order = strcmp(left->group, right->group);
    return order ? order : strcmp(left->name, right->name);
}

/* Makes the list of a run's figures: the sheet's bandwidths and times and the engine's items. Skips figures
 * per process, which are fixed multiples of others. */
static void make_items(const struct report *report, struct report_items *items)
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
        report_item_add(items, &item);
    }
    report->row->items(report, items);
    items->by_name = memory_new(items->count, sizeof *items->by_name, "the figures");
    for (size_t i = 0; i < items->count; i++)
        items->by_name[i] = &items->item[i];
    qsort(items->by_name, items->count, sizeof *items->by_name, compare_items);
}

size_t runs_side(const struct report_settings *settings, size_t given)
{
    size_t side = 0;
    if (settings->apart)
        return given;
    while (side + 1 < (size_t)settings->sides && given >= settings->side[side].end)
        side++;
    return side;
}

/* Returns true if a run is used. Runs with data errors are used, so that the errors are reported. Runs that
 * fail only criteria that depend on the time limit are used unless --require or --at-least is given. */
static bool judge_run(struct runs *runs, const struct report *run, const struct report_settings *settings)
{
    const struct sheet *sheet = run->sheet;
    const char *name = report_name(run);
    bool all = settings->allow_invalid || sheet->errors, ruled = settings->require || settings->at_least > 0,
         taken = all || !run->findings.count;
    if (run->findings.count)
        grouped_add(taken ? &runs->notes : &runs->skipped, name, "NOT VALID (see verify): %s",
                    run->findings.list[0].text);
    for (int k = 0; k < sheet->criterion_count; k++) {
        const struct sheet_criterion *criterion = sheet_reported(sheet, k);
        bool excused = all || (criterion->of_time && !ruled);
        if (criterion->state != CRITERION_MISSED || !(excused || taken))
            continue;
        grouped_add(excused ? &runs->notes : &runs->skipped, name, "%s: %s",
                    sheet->rates_nothing ? "a check failed" : "NOT VALID for comparison", criterion->text);
        taken = excused && taken;
    }
    return taken;
}

/* Loads the run with index `given` in the settings. Returns true if it is used. */
static bool load_run(struct runs *runs, const struct report_settings *settings, size_t given)
{
    size_t number = runs->count;
    struct report *run = &runs->run[number];
    struct message reason;
    runs->given[number] = given;
    if (report_open(run, settings->runs.text[given], &reason)) {
        grouped_add(&runs->skipped, NULL, "%s", reason.text);
        return false;
    }
    finding_clean(run->directory ? run->directory : run->path);
    return judge_run(runs, run, settings);
}

static void order_runs(struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        size_t place = i;
        double start = report_time(&runs->run[i], "started");
        for (; place > 0 && start < report_time(runs_by_start(runs, place - 1), "started"); place--)
            runs->order[place] = runs->order[place - 1];
        runs->order[place] = i;
    }
}

void runs_load(struct runs *runs, const struct report_settings *settings)
{
    size_t count = settings->runs.count;
    *runs = (struct runs){.run = memory_new(count, sizeof *runs->run, "the runs"),
                          .items = memory_new(count, sizeof *runs->items, "the runs"),
                          .given = memory_new(count, sizeof *runs->given, "the runs"),
                          .order = memory_new(count, sizeof *runs->order, "the runs"),
                          .skipped.all_names = true};
    for (size_t i = 0; i < count; i++) {
        if (load_run(runs, settings, i)) {
            make_items(&runs->run[runs->count], &runs->items[runs->count]);
            runs->count++;
        } else {
            report_free(&runs->run[runs->count]);
        }
    }
    order_runs(runs);
}

void runs_free(struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        free(runs->items[i].item);
        free(runs->items[i].by_name);
        report_free(&runs->run[i]);
    }
    free(runs->run);
    free(runs->items);
    free(runs->given);
    free(runs->order);
    grouped_free(&runs->skipped);
    grouped_free(&runs->notes);
    grouped_free(&runs->changes);
    grouped_free(&runs->reasons);
    grouped_free(&runs->errors);
    *runs = (struct runs){0};
}

/* ---- comparability ---- */

/* Returns true if all values of a key are the same in two runs. In `node` lines (INDEX HOST ...), only the
 * host is compared. */
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

/* Returns the first key with one of these uses (enum metadata_use) in which two runs differ, or NULL. */
static const char *other_of(const struct report *a, const struct report *b, unsigned uses)
{
    const struct report *runs[] = {a, b};
    for (int k = 0; k < 2; k++) {
        const struct protocol *p = &runs[k]->protocol;
        for (size_t i = 0; i < p->meta_count; i++)
            if (metadata_find(p->type->metadata, p->meta[i].key).uses & uses && protocol_is_first(p, i) &&
                !is_alike(a, b, p->meta[i].key))
                return p->meta[i].key;
    }
    return NULL;
}

const char *runs_other_system(const struct report *a, const struct report *b, bool any_host)
{
    return other_of(a, b, METADATA_MACHINE | METADATA_SYSTEM | (any_host ? 0 : METADATA_HOST));
}

const char *runs_other_definition(const struct report *a, const struct report *b)
{
    bool given = protocol_is(&a->protocol, "memory_source", "given");
    return a->engine != b->engine ? "program"
                                  : other_of(a, b, METADATA_DEFINES | (given ? METADATA_SIZES : 0));
}

void runs_add_errors(struct runs *runs, struct grouped *list)
{
    for (size_t i = 0; i < runs->count; i++)
        if (runs->run[i].sheet->errors)
            grouped_add(list, NULL, "data errors in %s: %lld", report_name(&runs->run[i]),
                        (long long)runs->run[i].sheet->errors);
}

bool runs_are_alike(struct runs *runs, bool one_system, bool any_host)
{
    bool alike = runs->count > 0;
    if (!alike)
        grouped_add(&runs->reasons, NULL, "no usable run");
    const struct report *first = runs->run;
    for (size_t i = 1; i < runs->count && alike; i++) {
        const struct report *run = &runs->run[i];
        const char *key = runs_other_definition(first, run);
        key = key          ? key
              : one_system ? runs_other_system(first, run, any_host)
                           : other_of(first, run, METADATA_SYSTEM);
        alike = !key;
        if (key)
            grouped_add(&runs->reasons, NULL, "%s differs: %.60s in %.70s, %.60s in %.70s", key,
                        report_meta(first, key), report_name(first), report_meta(run, key), report_name(run));
    }
    return alike;
}

/* ---- circumstances that may explain a change ---- */

/* Returns the value of the metadata key `label`. If there is none, returns the VALUE of the environment line
 * LABEL=VALUE, or ENVIRONMENT_UNSET if there is no such line. */
static const char *fact_of(const struct report *run, const char *label)
{
    const char *value = protocol_get(&run->protocol, label), *line;
    size_t length = strlen(label), i = 0;
    while (!value && (line = protocol_next(&run->protocol, "environment", &i)))
        if (strncmp(line, label, length) == 0 && line[length] == '=')
            value = line + length + 1;
    return value ? value : ENVIRONMENT_UNSET;
}

static void note_change(struct runs *runs, const size_t *order, size_t first, const char *label)
{
    const char *before = fact_of(&runs->run[order ? order[0] : 0], label),
               *after = fact_of(&runs->run[order ? order[first] : first], label), *other;
    for (size_t i = 0; i < runs->count; i++) {
        other = fact_of(&runs->run[order ? order[i] : i], label);
        if (strcmp(other, i < first ? before : after) != 0) {
            grouped_add(&runs->notes, NULL, "%s varies: %.100s and %.100s", label, i < first ? before : after,
                        other);
            return;
        }
    }
    if (strcmp(before, after) != 0)
        grouped_add(&runs->changes, NULL, "%s %.100s -> %.100s", label, before, after);
}

void runs_note_changes(struct runs *runs, const size_t *order, size_t first)
{
    struct texts labels = {0};
    for (size_t i = 0; i < runs->count; i++) {
        const struct protocol *p = &runs->run[i].protocol;
        for (size_t k = 0; k < p->meta_count; k++) {
            const struct metadata_row row = metadata_find(p->type->metadata, p->meta[k].key);
            if (!(row.uses & METADATA_EXPLAINS))
                continue;
            const char *of = row.kind == METADATA_LABEL ? p->meta[k].value : row.key;
            char *label = text_format("%.*s", (int)strcspn(of, "="), of);
            if (text_find((const char *const *)labels.text, (int)labels.count, label) == (int)labels.count)
                texts_add(&labels, "%s", label);
            free(label);
        }
    }
    for (size_t i = 0; i < labels.count; i++)
        note_change(runs, order, first, labels.text[i]);
    texts_free(&labels);
}

/* ---- figures ---- */

const struct report_item *runs_item(const struct report_items *items, const char *group, const char *name)
{
    for (size_t i = 0; !name && i < items->count; i++)
        if (strcmp(items->item[i].group, group) == 0)
            return &items->item[i];
    if (!name || !items->count)
        return NULL;
    struct report_item key = {.group = group};
    const struct report_item *wanted = &key, **found;
    snprintf(key.name, sizeof key.name, "%s", name);
    found = bsearch(&wanted, items->by_name, items->count, sizeof *items->by_name, compare_items);
    return found ? *found : NULL;
}

double runs_rating(const struct runs *runs, size_t run)
{
    const struct report_item *item = runs_item(&runs->items[run], REPORT_RATING, NULL);
    return item ? item->value : NAN;
}

/* ---- the table ---- */

struct run_row {
    const char *side, *run, *started, *valid;
    double rating, noise;
};

static void fill_run(const struct table *table, int number, void *cells)
{
    const struct runs_table *t = table->context;
    size_t i = t->first ? (size_t)number : t->runs->order[number];
    const struct report *run = &t->runs->run[i];
    const struct sheet_value *noise = sheet_find(run->sheet, RUNS_NOISE);
    TABLE_FITS(struct run_row);
    *(struct run_row *)cells = (struct run_row){
        i < t->first ? "before" : "after", report_name(run),        report_meta(run, "started"),
        sheet_verdict(run->sheet),         runs_rating(t->runs, i), noise ? noise->value : NAN};
}

void runs_table_make(struct runs_table *t, const struct runs *runs, size_t first)
{
    static const struct table_column columns[] = {
        {"side", "", CELL_TEXT, 0, offsetof(struct run_row, side)},
        {"run", "", CELL_TEXT, 0, offsetof(struct run_row, run)},
        {"started", "", CELL_TEXT, 0, offsetof(struct run_row, started)},
        {"valid", "", CELL_TEXT, 0, offsetof(struct run_row, valid)},
        {"rating", "", CELL_REAL, 3, offsetof(struct run_row, rating)},
        {"noise", "%", CELL_REAL, 1, offsetof(struct run_row, noise)}};
    const struct report_item *rating = runs->count ? runs_item(runs->items, REPORT_RATING, NULL) : NULL;
    memcpy(t->columns, columns, sizeof columns);
    if (rating) {
        t->columns[4].name = rating->name;
        t->columns[4].unit = rating->unit;
    }
    t->runs = runs;
    t->first = first;
    t->table = (struct table){.name = "runs",
                              .columns = t->columns + !first,
                              .column_count = 6 - !first,
                              .rows = (int)runs->count,
                              .fill = fill_run,
                              .context = t};
    snprintf(t->table.title, sizeof t->table.title, "Runs%s", first ? "" : " in the order of their starts");
}
