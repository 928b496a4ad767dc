/* trend: a history of runs and its change point, as text and data. Uses comparison, change, outcome. */
#include "report/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/outcome.h"

/* ---- the history ---- */

/* Runs whose times can't be in the order in which they seem to have been measured. */
static void check_times(struct trend *t, bool any_host)
{
    struct comparison *c = &t->runs;
    for (size_t i = 0; i < c->all.count; i++) {
        const struct report *run = comparison_run(&t->runs, i),
                            *last = i ? comparison_run(&t->runs, i - 1) : run;
        const char *started = report_meta(run, "started"), *finished = report_meta(run, "finished");
        double start = report_time(run, "started");
        if (isnan(start))
            texts_add(&c->reasons, "%s: started = %.40s is no time, its place in the history is not known",
                      report_name(run), started);
        else if (report_time(run, "finished") < start)
            texts_add(&c->reasons, "%s finished at %.40s, before it started at %.40s: its clock was wrong",
                      report_name(run), finished, started);
        else if (i && start == report_time(last, "started"))
            texts_add(&c->reasons, "%s and %s were both started at %.40s: which was first is not known",
                      report_name(last), report_name(run), started);
        else if (i && start < report_time(last, "finished"))
            texts_add(any_host ? &c->notes : &c->reasons,
                      "%s was started at %.40s, before %s finished at %.40s: they disturbed one another, or "
                      "a clock was wrong",
                      report_name(run), started, report_name(last), report_meta(last, "finished"));
    }
    for (size_t i = 0; i < c->all.count; i++)
        if (t->runs.order[i] != i) {
            texts_add(
                &c->notes,
                "the runs were given in another order than that of their starts, by which they go here: "
                "%s was started at %.40s",
                report_name(&c->all.runs[i]), report_meta(&c->all.runs[i], "started"));
            break;
        }
}

static void check_system(struct comparison *c, bool any_host)
{
    const struct report *first = &c->all.runs[0];
    for (size_t i = 1; i < c->all.count; i++) {
        const struct report *run = &c->all.runs[i];
        const char *key = comparison_other_system(first, run, any_host);
        if (key)
            texts_add(&c->reasons, "not one system: %s is %.60s in %.70s, %.60s in %.70s", key,
                      report_meta(first, key), report_name(first), report_meta(run, key), report_name(run));
    }
}

/* ---- figures ---- */

static enum verdict judge_change(const struct trend_figure *figure)
{
    const struct change *change = &figure->change;
    if (isnan(change->p))
        return VERDICT_NONE;
    if (!change_is_told(change) || change->after == change->before)
        return VERDICT_OPEN;
    return (change->after > change->before) != figure->item->less_is_better ? VERDICT_BETTER : VERDICT_WORSE;
}

/* The figure `name`, or the rating (NULL), of all runs. */
static int add_figure(struct trend *t, const char *name, struct message *error)
{
    struct comparison *c = &t->runs;
    struct trend_figure *figure = &t->figures[t->count++];
    const char *group = name ? NULL : REPORT_RATING;
    size_t n = c->all.count, missing = 0;
    for (size_t i = 0; i < n && !figure->item; i++)
        figure->item = comparison_item(&c->all.items[t->runs.order[i]], group, name);
    if (!figure->item) {
        texts_add(&c->reasons, "no run has %s%.80s", name ? "a figure " : "a rating", name ? name : "");
        t->count--;
        return 0;
    }
    figure->values = calloc(n, sizeof *figure->values);
    if (!figure->values)
        return message_set(error, "out of memory");
    for (size_t i = 0; i < n; i++) {
        const struct report_item *item =
            comparison_item(&c->all.items[t->runs.order[i]], figure->item->group, figure->item->name);
        figure->values[i] = item ? item->value : NAN;
        missing += !item;
    }
    figure->change = (struct change){.k = NAN, .p = NAN, .before = NAN, .after = NAN};
    if (missing)
        texts_add(name ? &c->notes : &c->reasons, "%zu of %zu runs have no %s", missing, n,
                  figure->item->name);
    else if (change_find(&figure->change, figure->values, n))
        return message_set(error, "out of memory");
    figure->verdict = judge_change(figure);
    return 0;
}

/* What else is another one from the change on. */
static void add_circumstances(struct trend *t)
{
    for (const char *const *key = comparison_circumstances; *key; key++) {
        size_t at = t->figures[0].change.at, alike = 0;
        const char *before = report_meta(comparison_run(&t->runs, 0), *key),
                   *after = report_meta(comparison_run(&t->runs, at), *key);
        for (size_t i = 0; i < t->runs.all.count; i++)
            alike += strcmp(report_meta(comparison_run(&t->runs, i), *key), i < at ? before : after) == 0;
        if (alike == t->runs.all.count && strcmp(before, after) != 0)
            texts_add(&t->runs.notes, "with the change: %s was %.100s, and is %.100s", *key, before, after);
    }
}

static void add_notes(struct trend *t)
{
    const struct trend_figure *rating = &t->figures[0];
    if (rating->change.least)
        texts_add(&t->runs.notes,
                  "of %zu runs, a change is found once %zu are on each side of it: compare needs fewer",
                  t->runs.all.count, rating->change.least);
    if (rating->verdict == VERDICT_BETTER || rating->verdict == VERDICT_WORSE)
        add_circumstances(t);
}

static int make_figures(struct trend *t, const struct option_words *names, struct message *error)
{
    t->figures = calloc(names->count + 1, sizeof *t->figures);
    int failed = t->figures ? add_figure(t, NULL, error) : message_set(error, "out of memory");
    for (size_t i = 0; i < names->count && !failed && t->count; i++) /* not without a rating */
        failed = add_figure(t, names->word[i], error);
    return failed;
}

int trend_make(struct trend *t, const struct option_words *runs, const struct option_words *names,
               bool any_host, bool allow_invalid, struct message *error)
{
    *t = (struct trend){0};
    int failed = comparison_gather(&t->runs, runs->word, runs->count, allow_invalid, error);
    for (size_t i = 0; !failed && i < t->runs.all.count; i++)
        finding_clean(t->runs.all.runs[i].directory ? t->runs.all.runs[i].directory
                                                    : t->runs.all.runs[i].path);
    if (!failed && t->runs.same_definition) {
        check_system(&t->runs, any_host);
        check_times(t, any_host);
        failed = make_figures(t, names, error);
        if (!failed && t->count)
            add_notes(t);
    }
    if (!failed && (t->runs.reasons.incomplete || t->runs.notes.incomplete))
        failed = message_set(error, "out of memory");
    if (failed)
        trend_free(t);
    return failed ? -1 : 0;
}

enum report_status trend_judge(const struct trend *t, char *text, size_t size)
{
    size_t n = t->runs.all.count;
    snprintf(text, size, "no verdict");
    if (t->runs.reasons.count || !t->count)
        return REPORT_REFUSED;
    const struct trend_figure *rating = &t->figures[0];
    const struct change *change = &rating->change;
    if (rating->verdict == VERDICT_NONE) {
        snprintf(text, size, "no verdict: %zu runs, and a change needs at least %d", n, CHANGE_LEAST);
        return REPORT_UNDECIDED;
    }
    if (rating->verdict == VERDICT_OPEN) {
        snprintf(text, size, "%s: no significant change in %zu runs (p = %.4f)", rating->item->name, n,
                 change->p);
        return REPORT_FINE;
    }
    bool worse = rating->verdict == VERDICT_WORSE;
    snprintf(text, size, "%s: %s from %.150s on, %.3f %s before and %.3f after, ratio %.4f (p = %.5f)",
             rating->item->name, worse ? "worse" : "better",
             report_name(comparison_run(&t->runs, change->at)), change->before, rating->item->unit,
             change->after, change->after / change->before, change->p);
    return worse ? REPORT_DIFFERS : REPORT_FINE;
}

void trend_free(struct trend *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->figures[i].values);
    free(t->figures);
    comparison_free(&t->runs);
    *t = (struct trend){0};
}

/* ---- tables ---- */

enum { RUN_TEXTS = 3, MOST_COLUMNS = sizeof(union table_row) / sizeof(double) }; /* run, started, valid */

/* Every cell is as large as a double. */
union cell {
    double number;
    const char *text;
};

struct history {
    struct table table; /* "runs": run, started, valid, the figures, perturbed */
    struct table_column columns[MOST_COLUMNS];
};

static void fill_run(const struct table *table, int number, void *cells)
{
    const struct trend *t = table->context;
    const struct report *run = comparison_run(&t->runs, (size_t)number);
    union cell *cell = cells;
    (cell++)->text = report_name(run);
    (cell++)->text = report_meta(run, "started");
    (cell++)->text = sheet_verdict_word(run->sheet, report_valid(run));
    for (size_t i = 0; i < t->count && RUN_TEXTS + (int)i + 1 < table->column_count; i++)
        (cell++)->number = t->figures[i].values[number];
    cell->number = comparison_noise(run);
}

static void make_history(struct history *h, const struct trend *t)
{
    static const char *const names[] = {"run", "started", "valid"};
    size_t count = t->runs.same_definition ? RUN_TEXTS + t->count + 1 : 0;
    *h = (struct history){.table = {.name = "runs",
                                    .title = "Runs in the order of their starts",
                                    .columns = h->columns,
                                    .column_count = (int)(count < MOST_COLUMNS ? count : MOST_COLUMNS),
                                    .rows = count ? (int)t->runs.all.count : 0,
                                    .fill = fill_run,
                                    .context = t}};
    for (int i = 0; i < h->table.column_count; i++) {
        bool last = i == h->table.column_count - 1;
        const struct report_item *item = i < RUN_TEXTS || last ? NULL : t->figures[i - RUN_TEXTS].item;
        h->columns[i] = (struct table_column){.name = last   ? "perturbed"
                                                      : item ? item->name
                                                             : names[i],
                                              .unit = last   ? "%"
                                                      : item ? item->unit
                                                             : "",
                                              .kind = i < RUN_TEXTS ? CELL_TEXT : CELL_REAL,
                                              .digits = last ? 0 : 3,
                                              .offset = (size_t)i * sizeof(union cell)};
    }
}

struct change_row {
    const char *figure, *unit, *change, *from;
    double k, p, before, after, ratio;
};

static const struct table_column change_columns[] = {
    {"figure", "", CELL_TEXT, 0, offsetof(struct change_row, figure)},
    {"unit", "", CELL_TEXT, 0, offsetof(struct change_row, unit)},
    {"K", "", CELL_INTEGER, 0, offsetof(struct change_row, k)},
    {"p", "", CELL_REAL, 5, offsetof(struct change_row, p)},
    {"before", "", CELL_REAL, 3, offsetof(struct change_row, before)},
    {"after", "", CELL_REAL, 3, offsetof(struct change_row, after)},
    {"ratio", "", CELL_REAL, 4, offsetof(struct change_row, ratio)},
    {"change", "", CELL_TEXT, 0, offsetof(struct change_row, change)},
    {"from", "", CELL_TEXT, 0, offsetof(struct change_row, from)}};

static void fill_change(const struct table *table, int number, void *cells)
{
    const struct trend *t = table->context;
    const struct trend_figure *figure = &t->figures[number];
    const struct change *change = &figure->change;
    struct change_row *row = cells;
    *row = (struct change_row){
        figure->item->name, figure->item->unit, "none", "", change->k, change->p, NAN, NAN, NAN};
    if (figure->verdict == VERDICT_NONE)
        row->change = "";
    if (figure->verdict != VERDICT_BETTER && figure->verdict != VERDICT_WORSE)
        return;
    row->change = figure->verdict == VERDICT_BETTER ? "better" : "worse";
    row->from = report_name(comparison_run(&t->runs, change->at));
    row->before = change->before;
    row->after = change->after;
    row->ratio = change->after / change->before;
}

static struct table changes_table(const struct trend *t)
{
    return (struct table){.name = "changes",
                          .title = "Change points (Pettitt), medians before and after",
                          TABLE_COLUMNS(change_columns),
                          .fill = fill_change,
                          .rows = t->runs.reasons.count ? 0 : (int)t->count,
                          .context = t};
}

/* ---- the outcome ---- */

static void put_verdict(const void *context, struct json *json)
{
    char text[512];
    trend_judge(context, text, sizeof text);
    json_text(json, "verdict", text);
}

static enum report_status tell(const struct trend *t, int format)
{
    static const struct texts none = {0}; /* data errors are among the reasons */
    struct history history;
    char text[512];
    enum report_status status = trend_judge(t, text, sizeof text);
    make_history(&history, t);
    const struct table tables[] = {history.table, changes_table(t)};
    return outcome_put(&(struct outcome){.verdict = text,
                                         .threshold = "",
                                         .status = status,
                                         .notes = &t->runs.notes,
                                         .reasons = &t->runs.reasons,
                                         .errors = &none,
                                         .left_out = &t->runs.refused,
                                         .tables = tables,
                                         .table_count = 2,
                                         .json = put_verdict,
                                         .context = t},
                       format, stdout);
}

/* ---- the command ---- */

static enum report_status trend_command(const struct report_settings *settings)
{
    struct trend t;
    struct message error;
    if (settings->figures.count >= MOST_COLUMNS - RUN_TEXTS - 1) {
        report_say("--figure: %d at most", MOST_COLUMNS - RUN_TEXTS - 2);
        return REPORT_USAGE;
    }
    if (trend_make(&t, &settings->runs, &settings->figures, settings->any_host, settings->allow_invalid,
                   &error))
        return report_refuse(&error);
    enum report_status status = tell(&t, settings->format);
    if (settings->plots && t.count && settings->pictures->trend(&t, settings, &error))
        status = report_refuse(&error);
    trend_free(&t);
    return status;
}

static const struct option_row rows[] = {
    REPORT_FORMAT,
    {"figure", OPTION_PATHS, REPORT_FIELD(figures), "NAME",
     "also this figure, as compare names it (latency_us, ring-1 ...); may be given several times"},
    REPORT_ANY_HOST,
    REPORT_INVALID,
    REPORT_PLOTS("draw the history there (SVG)"),
    REPORT_LOOKS,
    REPORT_HELP};

static const char notes[] =
    "RUN...: a history of runs of one definition on one system, at least 10. They go by the order of\n"
    "their starts. Whether the level of the rating changed is found by Pettitt's test: the change point\n"
    "is where the runs before and after differ most in their ranks, and it is significant where less\n"
    "than 1 % of all orders of the same values (100000 of them, drawn with a fixed seed) differ as much.\n"
    "No distribution is assumed, but that the runs are independent. A drift is a change, too; of several\n"
    "changes the strongest is found: the runs from it on are a history of their own. Which run it begins\n"
    "with is an estimate. In one of 100 histories without a change one is found, and in more where it is\n"
    "asked again after every run. The rating alone decides, --figure only shows.\n\n"
    "A run that can't be read, is NOT VALID for another reason than its time (--allow-invalid takes it),\n"
    "or shares the times of its records with another one, is left out with a warning. Refused, with the\n"
    "reasons: other definitions, data errors; several systems\n"
    "(processor, nodes, processes, what else comparing needs, and hosts unless --any-host); starts that\n"
    "are the same, no times, after the run's end, or within another run (a note with --any-host).\n\n"
    "csv: the runs.\n\n"
    "Exit status: 0 no change for the worse; 1 changed for the worse; 2 usage; 3 refused; 5 too few\n"
    "runs.\n";

REPORT_COMMAND(trend, "[--figure NAME]... [OPTION]... RUN...",
               "say whether and when the result changed in a history of runs");
