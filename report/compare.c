/* Implements the command compare: compares the figures of both sides, and prints tables and verdict. */
#include "report/compare.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/stats.h"
#include "common/table.h"

/* ---- figures ---- */

/* Copies the values of a figure in the runs `first` to `end` - 1. Returns false if a run does not have it. */
static bool collect(const struct runs *runs, size_t first, size_t end, const struct report_item *item,
                    double *values)
{
    for (size_t i = first; i < end; i++) {
        const struct report_item *found = runs_item(&runs->items[i], item->group, item->name);
        if (!found || found->rows != item->rows)
            return false;
        values[i] = found->value;
    }
    return true;
}

static bool is_rating(const struct compared *row)
{
    return strcmp(row->item->group, REPORT_RATING) == 0;
}

static enum verdict decide(const struct comparison *c, const struct compared *row)
{
    double low = row->ratio.low, high = row->ratio.high;
    if (!is_rating(row) || isnan(low) || c->runs.reasons.count || c->runs.errors.count)
        return VERDICT_NONE;
    if (low <= 1 && high >= 1)
        return VERDICT_OPEN;
    return (low > 1) == row->item->less_is_better ? VERDICT_WORSE : VERDICT_BETTER;
}

/* Compares every figure of the first run. */
static void compare_figures(struct comparison *c)
{
    double values[2 * INTERVAL_MAX];
    size_t n = c->before, all = c->runs.count, rank = interval_rank(n, all - n, &c->level);
    const struct report_items *first = &c->runs.items[0];
    if (!rank)
        grouped_add(
            &c->runs.reasons, NULL,
            "too few runs (%zu and %zu) for a verdict at 95 %%: at least 4 and 4, 3 and 5, 2 and 8, or 1 "
            "and 39 are needed",
            n, all - n);
    c->compared = memory_new(first->count, sizeof *c->compared, "the figures");
    for (size_t i = 0; i < first->count; i++) {
        const struct report_item *item = &first->item[i];
        if (!collect(&c->runs, 0, all, item, values)) {
            c->missing++;
            continue;
        }
        struct compared *row = &c->compared[c->count++];
        *row = (struct compared){.item = item,
                                 .other_bytes = runs_item(&c->runs.items[n], item->group, item->name)->bytes,
                                 .before = stats_median(values, n),
                                 .after = stats_median(values + n, all - n),
                                 .ratio = ratio_make(values, n, values + n, all - n, rank)};
        row->verdict = decide(c, row);
    }
}

int comparison_make(struct comparison *c, const struct report_settings *settings, struct message *error)
{
    *c = (struct comparison){.level = NAN};
    runs_load(&c->runs, settings);
    runs_add_errors(&c->runs, &c->runs.errors);
    while (c->before < c->runs.count && c->runs.given[c->before] < settings->side[0].end)
        c->before++;
    size_t after = c->runs.count - c->before;
    int failed = 0;
    if (c->before > INTERVAL_MAX || after > INTERVAL_MAX) {
        failed = message_set(error, "%zu and %zu runs: at most %d on a side can be compared", c->before,
                             after, INTERVAL_MAX);
    } else if (!c->before || !after) {
        grouped_add(&c->runs.reasons, NULL, "no usable run %s -- (NOT VALID runs: see --allow-invalid)",
                    c->before ? "after" : "before");
    } else {
        runs_note_changes(&c->runs, NULL, c->before);
        if (runs_are_alike(&c->runs, false, false))
            compare_figures(c);
        if (c->compared && !comparison_rating(c))
            grouped_add(&c->runs.reasons, NULL,
                        "some runs have no rating, or their ratings are means of different rows");
    }
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
    bool time = rating->item->less_is_better;
    double low = rating->ratio.low, high = rating->ratio.high, limit = time ? 1 + threshold : 1 - threshold;
    return (time ? low > limit : high < limit)     ? VERDICT_WORSE
           : (time ? high <= limit : low >= limit) ? VERDICT_BETTER
                                                   : VERDICT_OPEN;
}

void comparison_free(struct comparison *c)
{
    runs_free(&c->runs);
    free(c->compared);
    *c = (struct comparison){0};
}

/* ---- tables ---- */

struct figure_row {
    struct compared compared;
    const char *group, *name, *unit, *better;
    char buffer[160];
};

static const struct table_column figure_columns[] = {
    {"group", "", CELL_TEXT, 0, offsetof(struct figure_row, group)},
    {"figure", "", CELL_TEXT, 0, offsetof(struct figure_row, name)},
    {"before", "", CELL_REAL, 3, offsetof(struct figure_row, compared.before)},
    {"after", "", CELL_REAL, 3, offsetof(struct figure_row, compared.after)},
    {"unit", "", CELL_TEXT, 0, offsetof(struct figure_row, unit)},
    {"better", "", CELL_TEXT, 0, offsetof(struct figure_row, better)},
    {"ratio", "", CELL_REAL, 4, offsetof(struct figure_row, compared.ratio.value)},
    {"low", "", CELL_REAL, 4, offsetof(struct figure_row, compared.ratio.low)},
    {"high", "", CELL_REAL, 4, offsetof(struct figure_row, compared.ratio.high)}};
enum { FIGURE_COLUMNS = sizeof figure_columns / sizeof figure_columns[0] };

static void fill_figure(const struct table *table, int number, void *cells)
{
    const struct compared *from = ((const struct compared *const *)table->context)[number];
    TABLE_FITS(struct figure_row);
    struct figure_row *row = cells;
    *row = (struct figure_row){*from, from->item->group, row->buffer, from->item->unit,
                               from->item->less_is_better ? "lower" : "higher"};
    double before = from->item->bytes, after = from->other_bytes;
    snprintf(row->buffer, sizeof row->buffer,
             before == 0       ? "%s"
             : before == after ? "%s (%.0f B)"
                               : "%s (%.0f and %.0f B)",
             from->item->name, before, after);
}

/* Returns true if a figure is one of the main figures of its engine, which are shown without --all. */
static bool is_main(const struct comparison *c, const struct compared *compared)
{
    const char *const *name = c->runs.run[0].row->main;
    while (name && *name && strcmp(*name, compared->item->name) != 0)
        name++;
    return name && *name && strcmp(compared->item->group, "figure") == 0;
}

/* Adds a note about main figures whose median ratio and ratio of medians point in opposite directions. */
static void note_opposite(struct comparison *c)
{
    char names[200] = "";
    for (size_t i = 0; i < c->count; i++) {
        const struct compared *row = &c->compared[i];
        double ratio = row->ratio.value - 1;
        if ((is_rating(row) || is_main(c, row)) && fabs(ratio) > 5e-5 &&
            (row->after - row->before) * ratio < 0)
            text_append(names, sizeof names, "%s%s", *names ? ", " : "", row->item->name);
    }
    if (*names)
        grouped_add(&c->runs.notes, NULL,
                    "medians and ratio disagree for %s; the verdict uses the ratio over all pairs of runs",
                    names);
}

/* Describes the table of one group of figures, or, if `group` is NULL, the table of all figures with the
 * group as its first column. `rows` must have room for all figures. */
static struct table group_table(const struct comparison *c, const char *group, bool main_only,
                                const struct compared **rows)
{
    struct table table = {.columns = figure_columns + (group != NULL),
                          .column_count = FIGURE_COLUMNS - (group != NULL),
                          .fill = fill_figure,
                          .context = rows};
    snprintf(table.name, sizeof table.name, "%s", group ? group : "figures");
    char interval[40] = "no interval: too few runs";
    if (!isnan(c->level))
        snprintf(interval, sizeof interval, "%.1f %% interval", 100 * c->level);
    snprintf(table.title, sizeof table.title,
             "%s: median of each side, and median ratio after / before over all pairs of runs; %s",
             group ? group : "All figures", interval);
    *table.title = (char)toupper((unsigned char)*table.title);
    for (size_t i = 0; i < c->count; i++)
        if ((!group || strcmp(c->compared[i].item->group, group) == 0) &&
            (!main_only || is_main(c, &c->compared[i])))
            rows[table.rows++] = &c->compared[i];
    return table;
}

/* ---- the verdict in words ---- */

static double smallest_loss(const struct compared *rating)
{
    return rating ? ratio_smallest_loss(&rating->ratio, rating->item->less_is_better) : NAN;
}

static void describe_rating(const struct comparison *c, char *text, size_t size)
{
    const struct compared *rating = comparison_rating(c);
    if (!rating || rating->verdict == VERDICT_NONE)
        snprintf(text, size, "no verdict");
    else
        snprintf(text, size,
                 "%s: %s, ratio %.4f, %.1f %% interval %.4f to %.4f; smallest detectable loss %.2g %%",
                 rating->item->name, verdict_words[rating->verdict], rating->ratio.value, 100 * c->level,
                 rating->ratio.low, rating->ratio.high, 100 * smallest_loss(rating));
}

/* Writes the decision about the threshold, or "". Returns the exit status. Data errors take precedence. */
static enum report_status judge(const struct comparison *c, double threshold, char *text, size_t size)
{
    enum verdict verdict =
        c->runs.reasons.count ? VERDICT_NONE : comparison_judge(comparison_rating(c), threshold);
    *text = 0;
    if (c->runs.errors.count)
        return REPORT_DIFFERS;
    if (verdict == VERDICT_NONE)
        return REPORT_REFUSED;
    if (isnan(threshold))
        return REPORT_FINE;
    static const char *const words[] = {
        [VERDICT_WORSE] = "the rating got worse by more than",
        [VERDICT_BETTER] = "the rating did not get worse by more than",
        [VERDICT_OPEN] =
            "inconclusive: more runs are needed to decide whether the rating got worse by more than"};
    snprintf(text, size, "%s %g %%", words[verdict], 100 * threshold);
    return verdict == VERDICT_WORSE    ? REPORT_DIFFERS
           : verdict == VERDICT_BETTER ? REPORT_FINE
                                       : REPORT_UNDECIDED;
}

/* ---- output ---- */

static void put_json(const void *context, struct json *json)
{
    const struct comparison *c = context;
    const struct compared *rating = comparison_rating(c);
    json_integer(json, "figures_skipped", (int64_t)c->missing);
    json_real(json, "level", c->level);
    json_real(json, "smallest_loss", smallest_loss(rating));
    json_text(json, "verdict",
              !rating || rating->verdict == VERDICT_NONE ? "refused" : verdict_words[rating->verdict]);
}

enum { MAX_GROUPS = 8 };

/* Describes one table for each group of figures: the rating and the main figures, or, if `whole`, all
 * figures. Returns the number of tables. `rows` must have room for all figures. */
static int make_tables(const struct comparison *c, bool whole, struct table *tables,
                       const struct compared **rows)
{
    int count = 0;
    for (size_t i = 0; i < c->count; i++) {
        const char *group = c->compared[i].item->group;
        int known = 0;
        while (known < count && strcmp(tables[known].name, group) != 0)
            known++;
        if (known < count || count == MAX_GROUPS)
            continue;
        tables[count] = group_table(c, group, !whole && strcmp(group, REPORT_RATING) != 0, rows);
        rows += tables[count++].rows;
    }
    return count;
}

static enum report_status report_comparison(struct comparison *c, const struct report_settings *settings,
                                            const struct compared **rows)
{
    char decision[120], verdict[256];
    struct runs_table runs;
    struct table tables[MAX_GROUPS + 1], all = group_table(c, NULL, false, rows + c->count);
    if (c->missing)
        grouped_add(&c->runs.notes, NULL, "%zu figure%s not compared: missing in some runs", c->missing,
                    PLURAL(c->missing));
    note_opposite(c);
    enum report_status status = judge(c, settings->threshold, decision, sizeof decision);
    describe_rating(c, verdict, sizeof verdict);
    runs_table_make(&runs, &c->runs, c->before);
    tables[0] = runs.table;
    const struct output output = {
        .runs = &c->runs,
        .verdict = verdict,
        .status = status,
        .decision = decision,
        .tables = tables,
        .table_count = 1 + make_tables(c, settings->all || settings->format != FORMAT_TEXT, tables + 1, rows),
        .first_figures = 1,
        .csv = &all,
        .json = put_json,
        .context = c};
    return output_put(&output, settings->format);
}

static enum report_status compare_command(const struct report_settings *settings)
{
    struct comparison c;
    struct message error;
    if (comparison_make(&c, settings, &error))
        return report_refuse(&error);
    const struct compared **rows = memory_new(2 * c.count, sizeof *rows, "the tables");
    enum report_status status = report_comparison(&c, settings, rows);
    free(rows);
    comparison_free(&c);
    return status;
}

/* ---- the command ---- */

static const struct option_row rows[] = {
    REPORT_FORMAT,
    {"threshold", OPTION_TEXT, REPORT_FIELD(threshold_text), "PERCENT",
     "exit with status 1 if the rating got worse by more than this, such as 5%"},
    REPORT_FLAG("all", all, "print all figures, including every pattern and size (json and csv always do)"),
    REPORT_INVALID,
    REPORT_HELP};

static const char notes[] =
    "Give several runs before a change, then --, then several runs after it, as in\n"
    "beff_report compare old-* -- new-*. Measure both sides alternately if you can. For each figure, the\n"
    "tables have the median of the ratios after / before over all pairs of runs. This median may differ\n"
    "from the ratio of the medians of the two sides. The tables also have an interval of at least 95 %,\n"
    "computed from the ranks of the ratios (Hodges and Lehmann; Mann and Whitney). Runs must be\n"
    "independent, but no distribution is assumed. Only the rating decides the verdict, which is better or\n"
    "worse if the interval of the rating excludes 1. Of the hundreds of other intervals, 5 % exclude 1 by\n"
    "chance. A verdict needs at least 4 and 4 runs, 3 and 5, 2 and 8, or 1 and 39. imb_compat has no\n"
    "rating, so the geometric mean of all its times is used as the rating.\n\n" REPORT_SKIPPED
    "A verdict is refused, and the reason is printed, if the runs differ in their definition or in anything\n"
    "else that determines the result (path, hints, caches ...), or if a run is on both sides.\n\n"
    "Exit status: 0 compared; 1 data errors in a run (imb_compat: with -check); 2 usage; 3 refused.\n"
    "With --threshold: 0 the rating did not get worse by more than PERCENT; 1 it did; 5 more runs are\n"
    "needed.\n"
    "Data errors take precedence over everything else.\n";

REPORT_COMMAND(compare, "[--threshold PERCENT] [OPTION]... RUN... -- RUN...",
               "report whether the result got better or worse, from several runs before and after",
               .sides = 2);
