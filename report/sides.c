#include "report/sides.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/checksum.h"
#include "common/memory.h"

/* ---- figures ---- */

static int compare_figures(const void *a, const void *b)
{
    const struct figure *left = a, *right = b;
    int order = strcmp(left->group, right->group);
    order = order ? order : strcmp(left->name, right->name);
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

static void add_figure(struct side_run *run, struct figure figure)
{
    if (!(figure.value > 0) || !isfinite(figure.value))
        return;
    array_grow(&run->figure, run->count, sizeof *run->figure);
    figure.place = run->count;
    run->figure[run->count++] = figure;
}

static void add_values(struct side_run *run)
{
    const struct sheet *sheet = run->report.sheet;
    for (const struct sheet_value *v = sheet->values; v < sheet->values + sheet->value_count; v++) {
        struct figure figure = {.group = sheet_rates(sheet, v->name) ? FIGURE_RATING : FIGURE_VALUES,
                                .unit = v->unit,
                                .bytes = -1,
                                .value = v->value,
                                .lower = v->uses & SHEET_LOWER,
                                .main = v->uses & SHEET_MAIN};
        snprintf(figure.name, sizeof figure.name, "%s", v->name);
        if (v->uses & (SHEET_HIGHER | SHEET_LOWER))
            add_figure(run, figure);
    }
}

/* Appends a cell that identifies its row to the name of a figure, such as "write", "8 B" or "processes 4". */
static void name_cell(struct figure *figure, const struct column *column, const void *row)
{
    double number = column_number(column, row);
    const char *words = column_text(column, row), *separator = *figure->name ? ", " : "";
    if (*words && strcmp(words, "-") != 0)
        text_append(figure->name, sizeof figure->name, "%s%s", separator, words);
    else if (!isnan(number) && *column->unit)
        text_append(figure->name, sizeof figure->name, "%s%.0f %s", separator, number, column->unit);
    else if (!isnan(number))
        text_append(figure->name, sizeof figure->name, "%s%s %.0f", separator, column->name, number);
}

/* Adds the cells of a table that can be compared. A row without cells that identify it is identified by its
 * number. */
static void add_table(struct side_run *run, const struct table *table)
{
    const struct column *columns = table->columns, *end = columns + table->column_count;
    int compared = 0;
    for (const struct column *column = columns; column < end; column++)
        compared += column->role >= COLUMN_HIGHER;
    for (int r = 0; r < table->rows && compared; r++) {
        union table_row room;
        const void *row = table_row(table, r, &room);
        struct figure key = {.group = table->name, .bytes = -1};
        for (const struct column *column = columns; column < end; column++) {
            if (column->role == COLUMN_KEY)
                name_cell(&key, column, row);
            if (column->role == COLUMN_SIZE || (column->role == COLUMN_KEY && strcmp(column->unit, "B") == 0))
                key.bytes = column_number(column, row) >= 0 ? (int64_t)column_number(column, row) : -1;
        }
        if (!*key.name)
            snprintf(key.name, sizeof key.name, "size %d", r + 1);
        for (const struct column *column = columns; column < end; column++) {
            struct figure figure = key;
            figure.unit = column->unit;
            figure.value = column_number(column, row);
            figure.lower = column->role == COLUMN_LOWER;
            if (compared > 1)
                text_append(figure.name, sizeof figure.name, ", %s", column->name);
            if (column->role >= COLUMN_HIGHER)
                add_figure(run, figure);
        }
    }
}

static void make_figures(struct side_run *run)
{
    const struct sheet *sheet = run->report.sheet;
    add_values(run);
    for (int i = 0; i < sheet->table_count; i++)
        add_table(run, &sheet->tables[i]);
    if (run->count)
        qsort(run->figure, run->count, sizeof *run->figure, compare_figures);
}

const struct figure *sides_rating(const struct side_run *run)
{
    for (size_t i = 0; i < run->count; i++)
        if (strcmp(run->figure[i].group, FIGURE_RATING) == 0)
            return &run->figure[i];
    return NULL;
}

size_t sides_values(const struct sides *sides, const struct side *side, const char *name, double *values)
{
    size_t n = 0;
    for (size_t i = side->first; i < side->end; i++) {
        const struct sheet_value *value = sheet_find(sides->run[i].report.sheet, name);
        if (value && !isnan(value->value))
            values[n++] = value->value;
    }
    return n;
}

/* ---- loading ---- */

/* Returns a checksum of the values in the records, without any padding between them. */
static uint64_t check_records(const struct protocol *p)
{
    uint64_t checksum = CHECKSUM_START;
    for (size_t i = 0; i < p->records.count; i++)
        for (size_t k = 0; k < p->type->records.column_count; k++) {
            const struct column *column = &p->type->records.columns[k];
            const char *field = (const char *)protocol_at(p, i) + column->offset;
            size_t size = column->kind == COLUMN_WORD ? strlen(field) + 1 : sizeof(double);
            checksum = checksum_add(checksum, field, size);
        }
    return checksum;
}

static void add_missed(struct grouped *list, const struct report *run,
                       const struct sheet_criterion *criterion)
{
    grouped_add(list, report_name(run), "%s: %s",
                run->sheet->rates_nothing ? "a check failed" : "NOT VALID for comparison", criterion->text);
}

/* Returns true if a run is used. Runs with data errors are used, so that compare reports the errors. */
static bool judge_run(struct sides *sides, const struct report *run, const struct report_settings *settings)
{
    const struct sheet *sheet = run->sheet;
    const char *name = report_name(run);
    bool all = settings->allow_invalid || sheet->errors,
         ruled = settings->require || settings->median > 0 || settings->at_least > 0,
         taken = !sheet->unknown && (all || !run->faults.count);
    if (sheet->unknown)
        grouped_add(&sides->skipped, name, "%s", sheet->headline);
    else if (run->faults.count)
        grouped_add(taken ? &sides->notes : &sides->skipped, name, "NOT VALID: %s (see verify)",
                    strstr(run->faults.text[0] + strlen(run->path), ": ") + 2);
    for (int k = 0; k < sheet->criterion_count && taken && !all; k++) {
        const struct sheet_criterion *criterion = sheet_reported(sheet, k);
        taken = criterion->state != CRITERION_MISSED || (criterion->of_time && !ruled);
        if (!taken)
            add_missed(&sides->skipped, run, criterion);
    }
    return taken;
}

/* Notes the criteria that a used run misses. */
static void note_missed(struct sides *sides, const struct report *run, bool allow_invalid)
{
    for (int k = 0; k < run->sheet->criterion_count; k++) {
        const struct sheet_criterion *criterion = sheet_reported(run->sheet, k);
        if (criterion->state != CRITERION_MISSED)
            continue;
        add_missed(&sides->notes, run, criterion);
        sides->timed |= !allow_invalid && !run->sheet->errors;
    }
}

static bool is_ranked(struct sides *sides, const struct report *run)
{
    const struct sheet *sheet = run->sheet;
    const struct sheet_value *rating = sheet_find(sheet, sheet->headline_name);
    const char *name = report_name(run);
    if (sheet->rates_nothing)
        grouped_add(&sides->skipped, name, "%s has no rating", run->engine->program);
    else if (sheet->errors)
        grouped_add(&sides->skipped, name, "data errors (%lld)", (long long)sheet->errors);
    else if (!rating || isnan(rating->value))
        grouped_add(&sides->skipped, name, "%s is missing", sheet->headline_name);
    else
        return true;
    return false;
}

/* Returns the run whose records equal the last run's, or NULL. */
static const struct side_run *original_of(const struct sides *sides)
{
    const struct side_run *last = &sides->run[sides->count];
    for (size_t i = 0; i < sides->count; i++)
        if (sides->run[i].records == last->records &&
            sides->run[i].report.protocol.records.count == last->report.protocol.records.count)
            return &sides->run[i];
    return NULL;
}

/* Loads the run with index `given` in the settings. Returns true if it is used. */
static bool load_run(struct sides *sides, const struct report_settings *settings, size_t given, bool ranked)
{
    struct side_run *run = &sides->run[sides->count];
    struct message reason;
    *run = (struct side_run){.given = given};
    if (report_open(&run->report, settings->runs.text[given], &reason)) {
        grouped_add(&sides->skipped, NULL, "%s", reason.text);
        return false;
    }
    text_clean(run->report.directory ? run->report.directory : run->report.path);
    if (!judge_run(sides, &run->report, settings) || (ranked && !is_ranked(sides, &run->report)))
        return false;
    run->records = check_records(&run->report.protocol);
    const struct side_run *original = original_of(sides);
    const char *name = report_name(&run->report);
    long long errors = run->report.sheet->errors;
    if (original)
        grouped_add(&sides->skipped, name, "has the same records as %s, and equal runs count once",
                    report_name(&original->report));
    else if (errors)
        grouped_add(&sides->errors, name, "data errors (%lld)", errors);
    if (!original)
        note_missed(sides, &run->report, settings->allow_invalid);
    return !original;
}

/* Names a side by its label, by the directory that its runs share, or by its only run. Returns false if there
 * is no such name. */
static bool name_side(struct side *side, const char *label)
{
    const char *first = side->paths.text[0], *end = strrchr(first, '/');
    while (end && !end[1] && end > first) /* slashes at the end */
        end = memrchr(first, '/', (size_t)(end - first));
    size_t length = side->paths.count == 1 ? strlen(first) : end ? (size_t)(end - first) : 0;
    for (size_t i = 1; i < side->paths.count && length; i++)
        if (strncmp(first, side->paths.text[i], length + 1) != 0)
            length = 0;
    size_t room = sizeof side->label - 4,
           cut = length > room ? length - room : 0; /* paths differ at their end */
    if (label)
        snprintf(side->label, sizeof side->label, "%s", label);
    else if (length)
        snprintf(side->label, sizeof side->label, "%s%.*s", cut ? "..." : "", (int)(length - cut),
                 first + cut);
    text_clean(side->label);
    return label || length;
}

/* Divides the paths into sides and names them. If a side has no name, or two sides have the same, all sides
 * without a label are numbered. */
static void make_sides(struct sides *sides, const struct report_settings *settings, bool ranked)
{
    bool apart = ranked && !settings->separated, distinct = true;
    sides->apart = apart;
    sides->sides = apart ? settings->runs.count : (size_t)settings->sides;
    sides->side = memory_new(sides->sides, sizeof *sides->side, "the sides");
    for (size_t s = 0, start = 0; s < sides->sides; s++) {
        size_t end = apart ? s + 1 : settings->side[s].end;
        struct side *side = &sides->side[s];
        side->paths = (struct texts){settings->runs.text + start, end - start};
        distinct &= name_side(side, apart ? NULL : settings->side[s].label);
        for (size_t k = 0; k < s && distinct; k++)
            distinct = strcmp(sides->side[k].label, side->label) != 0;
        start = end;
    }
    for (size_t s = 0; s < sides->sides && !distinct; s++) {
        char *label = sides->side[s].label;
        if (!apart && settings->side[s].label)
            continue;
        if (ranked)
            snprintf(label, sizeof sides->side->label, "side %zu", s + 1);
        else
            strcpy(label, s ? "after" : "before");
    }
}

/* Rates all runs from equally many repetitions of a pass, because a maximum over more of them is higher. */
static void rate_alike(struct sides *sides)
{
    int least = INT_MAX, most = 0;
    for (size_t i = 0; i < sides->count; i++) {
        int own = sides->run[i].report.sheet->repetitions;
        least = own && own < least ? own : least;
        most = own > most ? own : most;
    }
    for (size_t i = 0; i < sides->count && least < most; i++) {
        struct report *run = &sides->run[i].report;
        struct message error;
        run->protocol.repetitions = least;
        engine_free_results(run->engine, run->sheet);
        run->sheet = engine_results(run->engine, &run->protocol, &error); /* as before, so it cannot fail */
    }
    if (least < most)
        grouped_add(&sides->notes, NULL,
                    "all runs are rated from %d instead of %d repetitions: not all have more", least, most);
}

void sides_load(struct sides *sides, const struct report_settings *settings, bool ranked)
{
    *sides = (struct sides){.run = memory_new(settings->runs.count, sizeof *sides->run, "the runs"),
                            .skipped.all = settings->all,
                            .notes.all = settings->all,
                            .errors.all = settings->all,
                            .reasons.all = settings->all};
    make_sides(sides, settings, ranked);
    for (size_t s = 0, given = 0; s < sides->sides; s++) {
        struct side *side = &sides->side[s];
        side->first = sides->count;
        for (size_t i = 0; i < side->paths.count; i++) {
            if (load_run(sides, settings, given++, ranked))
                sides->count++;
            else
                report_free(&sides->run[sides->count].report);
        }
        side->end = sides->count;
    }
    rate_alike(sides);
    for (size_t i = 0; i < sides->count; i++)
        make_figures(&sides->run[i]);
}

void sides_free(struct sides *sides)
{
    struct grouped *lists[] = {&sides->skipped, &sides->notes,   &sides->reasons,
                               &sides->errors,  &sides->factors, &sides->changes};
    for (size_t i = 0; i < sides->count; i++) {
        free(sides->run[i].figure);
        report_free(&sides->run[i].report);
    }
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++)
        grouped_free(lists[k]);
    free(sides->run);
    free(sides->side);
    *sides = (struct sides){0};
}
