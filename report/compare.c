/* compare: what two sides of runs say, as text and data. Uses comparison, outcome. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/comparison.h"
#include "report/outcome.h"

static const char *const verdicts[] = {[VERDICT_NONE] = "-",
                                       [VERDICT_BETTER] = "better",
                                       [VERDICT_WORSE] = "worse",
                                       [VERDICT_OPEN] = "inconclusive"};
static const char *const side_names[2] = {"before", "after"};

/* ---- tables ---- */

struct figure_row {
    struct compared compared;
    const char *group, *name, *unit;
    char buffer[160];
};

static const struct table_column figure_columns[] = {
    {"group", "", CELL_TEXT, 0, offsetof(struct figure_row, group)},
    {"figure", "", CELL_TEXT, 0, offsetof(struct figure_row, name)},
    {"before", "", CELL_REAL, 3, offsetof(struct figure_row, compared.before)},
    {"after", "", CELL_REAL, 3, offsetof(struct figure_row, compared.after)},
    {"unit", "", CELL_TEXT, 0, offsetof(struct figure_row, unit)},
    {"ratio", "", CELL_REAL, 4, offsetof(struct figure_row, compared.ratio.value)},
    {"low", "", CELL_REAL, 4, offsetof(struct figure_row, compared.ratio.low)},
    {"high", "", CELL_REAL, 4, offsetof(struct figure_row, compared.ratio.high)}};
enum { FIGURE_COLUMNS = sizeof figure_columns / sizeof figure_columns[0] };

static void fill_figure(const struct table *table, int number, void *cells)
{
    const struct compared *from = ((const struct compared *const *)table->context)[number];
    struct figure_row *row = cells;
    *row = (struct figure_row){*from, from->item->group, row->buffer, from->item->unit};
    double before = from->item->bytes, after = from->other_bytes;
    snprintf(row->buffer, sizeof row->buffer,
             before == 0       ? "%s"
             : before == after ? "%s (%.0f B)"
                               : "%s (%.0f and %.0f B)",
             from->item->name, before, after);
}

/* Whether it is one of the few that are shown first. */
static bool is_main(const struct comparison *c, const struct compared *compared)
{
    const char *const *name = c->all.runs[0].row->main;
    while (name && *name && strcmp(*name, compared->item->name) != 0)
        name++;
    return name && *name && strcmp(compared->item->group, "figure") == 0;
}

/* The figures of one group, or of all with the group as the first column; `rows` has room for all. */
static struct table group_table(const struct comparison *c, const char *group, bool main_only,
                                const struct compared **rows)
{
    struct table table = {.columns = figure_columns + (group != NULL),
                          .column_count = FIGURE_COLUMNS - (group != NULL),
                          .fill = fill_figure,
                          .context = rows};
    snprintf(table.name, sizeof table.name, "%s", group ? group : "figures");
    snprintf(table.title, sizeof table.title,
             "%s: medians of both sides; ratio: median of after / before over all pairs of runs; %s",
             group ? group : "All figures", isnan(c->level) ? "no interval: too few runs" : "95 % interval");
    *table.title = (char)toupper((unsigned char)*table.title);
    for (size_t i = 0; i < c->count; i++)
        if ((!group || strcmp(c->compared[i].item->group, group) == 0) &&
            (!main_only || is_main(c, &c->compared[i])))
            rows[table.rows++] = &c->compared[i];
    return table;
}

struct run_row {
    const char *side, *started, *valid;
    char *run;
    double rating, noise;
    char name[CELL_TEXT_SIZE];
};

static const struct table_column run_columns[] = {
    {"side", "", CELL_TEXT, 0, offsetof(struct run_row, side)},
    {"run", "", CELL_TEXT, 0, offsetof(struct run_row, run)},
    {"started", "", CELL_TEXT, 0, offsetof(struct run_row, started)},
    {"rating", "", CELL_REAL, 3, offsetof(struct run_row, rating)},
    {"perturbed", "%", CELL_INTEGER, 0, offsetof(struct run_row, noise)},
    {"valid", "", CELL_TEXT, 0, offsetof(struct run_row, valid)}};

static void fill_run(const struct table *table, int number, void *cells)
{
    const struct comparison *c = table->context;
    const struct report *run = &c->all.runs[number];
    const struct report_items *items = &c->all.items[number];
    struct run_row *row = cells;
    row->side = side_names[(size_t)number >= c->side[0].count];
    row->started = report_meta(run, "started");
    row->valid = sheet_verdict_word(run->sheet, report_valid(run));
    row->noise = comparison_noise(run);
    row->rating = NAN;
    for (size_t k = 0; k < items->count; k++)
        if (strcmp(items->item[k].group, REPORT_RATING) == 0)
            row->rating = items->item[k].value;
    snprintf(row->name, sizeof row->name, "%s", report_name(run));
    finding_clean(row->name);
    row->run = row->name;
}

static struct table runs_table(const struct comparison *c)
{
    return (struct table){.name = "runs",
                          .title = "Runs",
                          TABLE_COLUMNS(run_columns),
                          .fill = fill_run,
                          .rows = (int)c->all.count,
                          .context = c};
}

/* ---- the verdict in words ---- */

static void tell_rating(const struct comparison *c, char *text, size_t size)
{
    const struct compared *rating = comparison_rating(c);
    if (!rating || rating->verdict == VERDICT_NONE)
        snprintf(text, size, "no verdict");
    else
        snprintf(text, size, "%s: %s, ratio %.4f, %.1f %% interval %.4f to %.4f", rating->item->name,
                 verdicts[rating->verdict], rating->ratio.value, 100 * c->level, rating->ratio.low,
                 rating->ratio.high);
}

/* Data errors come before anything else. */
static enum report_status judge(const struct comparison *c, double threshold, char *text, size_t size)
{
    enum verdict verdict =
        c->reasons.count ? VERDICT_NONE : comparison_judge(comparison_rating(c), threshold);
    *text = 0;
    if (c->errors.count)
        return REPORT_DIFFERS;
    if (verdict == VERDICT_NONE)
        return REPORT_REFUSED;
    if (isnan(threshold))
        return REPORT_FINE;
    static const char *const words[] = {[VERDICT_WORSE] = "the rating got worse by more than",
                                        [VERDICT_BETTER] = "the rating did not get worse by more than",
                                        [VERDICT_OPEN] =
                                            "inconclusive: more runs are needed to decide about"};
    snprintf(text, size, "%s %g %%", words[verdict], 100 * threshold);
    return verdict == VERDICT_WORSE    ? REPORT_DIFFERS
           : verdict == VERDICT_BETTER ? REPORT_FINE
                                       : REPORT_UNDECIDED;
}

/* ---- the outcome ---- */

struct told {
    const struct comparison *c;
    const char *threshold;
};

static void put_json(const void *context, struct json *json)
{
    const struct told *told = context;
    const struct comparison *c = told->c;
    const struct compared *rating = comparison_rating(c);
    json_texts(json, "errors", &c->errors);
    json_integer(json, "figures_left_out", (int64_t)c->left_out);
    json_real(json, "level", c->level);
    json_text(json, "threshold", *told->threshold ? told->threshold : NULL);
    json_text(json, "verdict",
              !rating || rating->verdict == VERDICT_NONE ? "refused" : verdicts[rating->verdict]);
}

enum { MOST_GROUPS = 8 };

/* The runs, the rating, and its main figures or, if `whole`, all groups in the order of their first figures;
 * returns how many. `rows`: room for all. */
static int make_tables(const struct comparison *c, bool whole, struct table *tables,
                       const struct compared **rows)
{
    int count = 1;
    tables[0] = runs_table(c);
    for (size_t i = 0; i < c->count; i++) {
        const char *group = c->compared[i].item->group;
        int known = 1;
        while (known < count && strcmp(tables[known].name, group) != 0)
            known++;
        if (known < count || count > MOST_GROUPS)
            continue;
        bool few = !whole && strcmp(group, REPORT_RATING) != 0;
        tables[count] = group_table(c, group, few, rows);
        rows += tables[count++].rows;
    }
    return count;
}

static enum report_status tell(struct comparison *c, const struct report_settings *settings,
                               const struct compared **rows)
{
    char threshold[120], verdict[256];
    struct table tables[MOST_GROUPS + 1], all = group_table(c, NULL, false, rows + c->count);
    const struct told told = {c, threshold};
    if (c->left_out)
        texts_add(&c->notes, "%zu figures are not in all runs and are left out", c->left_out);
    tell_rating(c, verdict, sizeof verdict);
    const struct outcome outcome = {
        .verdict = verdict,
        .threshold = threshold,
        .status = judge(c, settings->threshold, threshold, sizeof threshold),
        .notes = &c->notes,
        .reasons = &c->reasons,
        .errors = &c->errors,
        .left_out = &c->refused,
        .tables = tables,
        .table_count = make_tables(c, settings->all || settings->format != FORMAT_TEXT, tables, rows),
        .first_figures = 1,
        .csv = &all,
        .json = put_json,
        .context = &told};
    return outcome_put(&outcome, settings->format, stdout);
}

static enum report_status compare_command(const struct report_settings *settings)
{
    struct comparison c;
    struct message error = {"out of memory"};
    if (comparison_make(&c, settings->runs.word, settings->runs.count, settings->side[0].end,
                        settings->allow_invalid, &error))
        return report_refuse(&error);
    const struct compared **rows = calloc(2 * c.count + 1, sizeof *rows);
    enum report_status status = rows ? tell(&c, settings, rows) : REPORT_REFUSED;
    if (!rows || (settings->plots && c.all.count && settings->pictures->comparison(&c, settings, &error)))
        status = report_refuse(&error);
    free(rows);
    comparison_free(&c);
    return status;
}

/* ---- the command ---- */

static const struct option_row rows[] = {
    REPORT_FORMAT,
    {"threshold", OPTION_TEXT, REPORT_FIELD(threshold_text), "PERCENT",
     "the exit status tells whether the rating got worse by more than this, such as 5%"},
    REPORT_FLAG("all", all, "all figures, every pattern with every size among them (json and csv have them)"),
    REPORT_INVALID,
    REPORT_PLOTS("draw ratios, and both sides over one another, there (SVG)"),
    REPORT_LOOKS,
    REPORT_HELP};

static const char notes[] =
    "RUNS -- RUNS: several runs before, several after (beff_report compare old-* -- new-*), best started\n"
    "in turns. Of every figure: the ratio after / before, as the median of the ratios of all pairs, and\n"
    "a 95 % interval around it from the ranks of these ratios (Hodges and Lehmann; the exact\n"
    "distribution of Mann and Whitney). Nothing is assumed but that the runs of a side are independent\n"
    "and that the sides differ by a factor; no normal distribution. The rating alone decides: better or\n"
    "worse is said where its interval does not hold 1. The other figures have no verdict: of hundreds,\n"
    "5 % of the intervals do not hold 1 by chance. Fewer than 4 runs a side (3 and 5, 2 and 8, 1 and 39)\n"
    "can never decide anything at 95 %: a verdict is refused. One run after at least 39 before is the\n"
    "nightly mode.\n\n"
    "A run that can't be read, is NOT VALID for another reason than its time (--allow-invalid takes it),\n"
    "or shares the times of its records with another one, is left out with a warning. A verdict is\n"
    "refused, with the reasons, where definitions or what decides the result (path, hints, caches ...)\n"
    "differ, and where a run is on both sides.\n\n"
    "Exit status: 1 data errors in a run, as far as its data were checked (imb_compat: with -check),\n"
    "before anything else; 0 compared; 2 usage; 3 refused. With --threshold\n"
    "PERCENT: 0 the rating did not get worse by more than PERCENT; 1 it did; 5 the interval holds both:\n"
    "more runs are needed. (imb_compat rates nothing: there it is the geometric mean of all times.)\n";

REPORT_COMMAND(compare, "[--threshold PERCENT] [OPTION]... RUN... -- RUN...",
               "say what got better, worse, or inconclusive, from several runs before and after", .sides = 2);
