/* compare: what two sides of runs say, as text and data. Uses comparison, csv. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocols/command.h"
#include "protocols/comparison.h"
#include "protocols/csv.h"

static const char *const verdicts[] = {[VERDICT_NONE] = "-",
                                       [VERDICT_BETTER] = "better",
                                       [VERDICT_WORSE] = "worse",
                                       [VERDICT_OPEN] = "inconclusive"};
static const char *const side_names[2] = {"before", "after"};

/* ---- tables ---- */

static bool is_changed(const struct compared *row)
{
    return row->verdict == VERDICT_BETTER || row->verdict == VERDICT_WORSE;
}

/* Groups of hundreds of rows are cut down to what changed, unless all are wanted. */
static bool is_long(const char *group)
{
    return strcmp(group, "pattern and size") == 0;
}

static const struct compared *figure_at(const struct table *table, int row)
{
    const struct compared *const *rows = table->context;
    return rows[row];
}

static const char *figure_name(const struct table *table, int row, size_t which, char buffer[CELL_TEXT_SIZE])
{
    (void)which, (void)buffer;
    return figure_at(table, row)->item->name;
}

static const char *figure_unit(const struct table *table, int row, size_t which, char buffer[CELL_TEXT_SIZE])
{
    (void)which, (void)buffer;
    return figure_at(table, row)->item->unit;
}

static const char *figure_verdict(const struct table *table, int row, size_t which,
                                  char buffer[CELL_TEXT_SIZE])
{
    (void)which, (void)buffer;
    return verdicts[figure_at(table, row)->verdict];
}

static double figure_value(const struct table *table, int row, size_t which)
{
    return table_real_at(figure_at(table, row), which);
}

#define VALUE(member) figure_value, .which = offsetof(struct compared, member)

static const struct table_column figure_columns[] = {
    {"figure", "", CELL_TEXT, .text = figure_name},  {"before", "", CELL_REAL, 3, VALUE(before)},
    {"after", "", CELL_REAL, 3, VALUE(after)},       {"unit", "", CELL_TEXT, .text = figure_unit},
    {"ratio", "", CELL_REAL, 4, VALUE(ratio.value)}, {"low", "", CELL_REAL, 4, VALUE(ratio.low)},
    {"high", "", CELL_REAL, 4, VALUE(ratio.high)},   {"verdict", "", CELL_TEXT, .text = figure_verdict}};

/* The figures of one group; `rows` has room for all. */
static struct table group_table(const struct comparison *c, const char *group, bool changed_only,
                                const struct compared **rows)
{
    struct table table = {TABLE_COLUMNS(figure_columns), .context = rows};
    snprintf(table.name, sizeof table.name, "%s", group);
    snprintf(table.title, sizeof table.title, "By %s: medians, ratio after / before, its %s%s", group,
             isnan(c->level) ? "interval (none: too few runs)" : "95 % interval",
             changed_only ? "; only what changed" : "");
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->compared[i].item->group, group) == 0 && (!changed_only || is_changed(&c->compared[i])))
            rows[table.rows++] = &c->compared[i];
    return table;
}

/* The next group after `last` (NULL: the first), in the order of their first figures; NULL: no more. */
static const char *next_group(const struct comparison *c, const char *last)
{
    bool past = !last;
    for (size_t i = 0; i < c->count; i++) {
        const char *group = c->compared[i].item->group;
        size_t first = 0;
        while (strcmp(c->compared[first].item->group, group) != 0)
            first++;
        if (first == i && past)
            return group;
        past = past || strcmp(group, last) == 0;
    }
    return NULL;
}

static const struct report *run_of(const struct table *table, int row, size_t *side, size_t *number)
{
    const struct comparison *c = table->context;
    *side = (size_t)row >= c->side[0].count;
    *number = (size_t)row - (*side ? c->side[0].count : 0);
    return &c->side[*side].runs[*number];
}

static const char *run_text(const struct table *table, int row, size_t which, char buffer[CELL_TEXT_SIZE])
{
    size_t side, number;
    const struct report *run = run_of(table, row, &side, &number);
    const char *texts[] = {side_names[side], run->directory ? run->directory : run->path,
                           report_meta(run, "started"), sheet_valid(run->sheet) ? "VALID" : "NOT VALID"};
    snprintf(buffer, CELL_TEXT_SIZE, "%s", texts[which]);
    finding_clean(buffer);
    return buffer;
}

static double run_rating(const struct table *table, int row, size_t which)
{
    const struct comparison *c = table->context;
    size_t side, number;
    (void)which;
    run_of(table, row, &side, &number);
    const struct report_items *items = &c->side[side].items[number];
    for (size_t k = 0; k < items->count; k++)
        if (strcmp(items->item[k].group, REPORT_RATING) == 0)
            return items->item[k].value;
    return NAN;
}

static const struct table_column run_columns[] = {{"side", "", CELL_TEXT, .text = run_text, .which = 0},
                                                  {"run", "", CELL_TEXT, .text = run_text, .which = 1},
                                                  {"started", "", CELL_TEXT, .text = run_text, .which = 2},
                                                  {"rating", "", CELL_REAL, 3, run_rating},
                                                  {"valid", "", CELL_TEXT, .text = run_text, .which = 3}};

static struct table runs_table(const struct comparison *c)
{
    return (struct table){.name = "runs",
                          .title = "Runs",
                          TABLE_COLUMNS(run_columns),
                          .rows = (int)(c->side[0].count + c->side[1].count),
                          .context = c};
}

/* ---- the verdict in words ---- */

static void describe_rating(const struct comparison *c, char *text, size_t size)
{
    const struct compared *rating = comparison_rating(c);
    if (c->reason_count || !rating)
        snprintf(text, size, "no verdict");
    else
        snprintf(text, size, "%s: %s, ratio %.4f, %.2f %% interval %.4f to %.4f", rating->item->name,
                 verdicts[rating->verdict], rating->ratio.value, 100 * c->level, rating->ratio.low,
                 rating->ratio.high);
}

static void describe_chance(const struct comparison *c, char *text, size_t size)
{
    size_t changed = 0;
    for (size_t i = 0; i < c->count; i++)
        changed += is_changed(&c->compared[i]);
    snprintf(text, size,
             "%zu of %zu figures are better or worse; if nothing had changed, about %.1f would be called so "
             "by chance",
             changed, c->count, (1 - c->level) * (double)c->count);
}

static enum report_status judge(const struct comparison *c, double threshold, char *text, size_t size)
{
    enum verdict verdict = c->reason_count ? VERDICT_NONE : comparison_judge(comparison_rating(c), threshold);
    *text = 0;
    if (verdict == VERDICT_NONE)
        return REPORT_REFUSED;
    if (isnan(threshold))
        return REPORT_FINE;
    static const char *const words[] = {[VERDICT_WORSE] = "the rating got worse by more than",
                                        [VERDICT_BETTER] = "the rating did not get worse by more than",
                                        [VERDICT_OPEN] =
                                            "inconclusive, more runs are needed: worse by more than"};
    snprintf(text, size, "%s %g %%", words[verdict], 100 * threshold);
    return verdict == VERDICT_WORSE    ? REPORT_DIFFERS
           : verdict == VERDICT_BETTER ? REPORT_FINE
                                       : REPORT_UNDECIDED;
}

/* ---- formats ---- */

struct words {
    char rating[200], chance[200], threshold[120];
};

static void put_text(const struct comparison *c, const struct words *words, bool all,
                     const struct compared **rows)
{
    struct table table = runs_table(c);
    table_text(&table, "", stdout);
    for (const char *group = NULL; (group = next_group(c, group));) {
        table = group_table(c, group, !all && is_long(group), rows);
        putchar('\n');
        table_text(&table, "", stdout);
    }
    putchar('\n');
    for (int i = 0; i < c->note_count; i++)
        printf("note: %s\n", c->notes[i]);
    if (c->left_out)
        printf("note: %zu figures are not in all runs and are left out\n", c->left_out);
    if (!isnan(c->level))
        printf("note: %s\n", words->chance);
    for (int i = 0; i < c->reason_count; i++)
        printf("refused: %s\n", c->reasons[i]);
    if (*words->threshold)
        printf("%s\n", words->threshold);
    printf("%s\n", words->rating);
}

static void put_list(struct json *json, const char *key, const char (*texts)[COMPARISON_REASON_SIZE],
                     int count)
{
    json_array(json, key);
    for (int i = 0; i < count; i++)
        json_text(json, NULL, texts[i]);
    json_end_array(json);
}

static int put_json(const struct comparison *c, const struct words *words, const struct compared **rows)
{
    const struct compared *rating = comparison_rating(c);
    struct table table = runs_table(c);
    struct json json;
    json_start(&json, stdout);
    json_object(&json, NULL);
    table_json(&table, &json, "runs");
    json_object(&json, "figures");
    for (const char *group = NULL; (group = next_group(c, group));) {
        table = group_table(c, group, false, rows);
        table_json(&table, &json, group);
    }
    json_end_object(&json);
    put_list(&json, "refused", c->reasons, c->reason_count);
    put_list(&json, "notes", c->notes, c->note_count);
    json_integer(&json, "left_out", (int64_t)c->left_out);
    json_real(&json, "level", c->level);
    json_text(&json, "threshold", *words->threshold ? words->threshold : NULL);
    json_text(&json, "verdict", c->reason_count || !rating ? "refused" : verdicts[rating->verdict]);
    json_end_object(&json);
    return json_finish(&json);
}

/* One table with the group as its first column. */
static void put_csv(const struct comparison *c)
{
    const char *heading[] = {"group", "figure", "before", "after", "unit", "ratio", "low", "high", "verdict"};
    csv_row(heading, 9, stdout);
    for (size_t i = 0; i < c->count; i++) {
        const struct compared *row = &c->compared[i];
        char texts[5][CSV_NUMBER_SIZE];
        const char *fields[] = {row->item->group,
                                row->item->name,
                                csv_number(row->before, texts[0]),
                                csv_number(row->after, texts[1]),
                                row->item->unit,
                                csv_number(row->ratio.value, texts[2]),
                                csv_number(row->ratio.low, texts[3]),
                                csv_number(row->ratio.high, texts[4]),
                                verdicts[row->verdict]};
        csv_row(fields, 9, stdout);
    }
}

static int put(const struct comparison *c, const struct words *words, const struct report_settings *settings,
               struct message *error)
{
    const struct compared **rows = calloc(c->count + 1, sizeof(const struct compared *));
    int failed = rows ? 0 : message_set(error, "out of memory");
    if (!failed && settings->format == FORMAT_TEXT)
        put_text(c, words, settings->all, rows);
    else if (!failed && settings->format == FORMAT_CSV)
        put_csv(c);
    else if (!failed && put_json(c, words, rows))
        failed = message_set(error, "JSON can't be written");
    free(rows);
    return failed;
}

static enum report_status compare_command(const struct report_settings *settings)
{
    struct comparison *c = calloc(1, sizeof *c);
    struct message error = {"out of memory"};
    if (!c || comparison_make(c, settings->runs.word, settings->runs.count, settings->first_side, &error)) {
        report_say("%s", error.text);
        free(c);
        return REPORT_REFUSED;
    }
    struct words words = {""};
    describe_rating(c, words.rating, sizeof words.rating);
    describe_chance(c, words.chance, sizeof words.chance);
    enum report_status status = judge(c, settings->threshold, words.threshold, sizeof words.threshold);
    int failed = put(c, &words, settings, &error);
    for (int i = 0; i < c->reason_count && settings->format != FORMAT_TEXT; i++)
        report_say("refused: %s", c->reasons[i]);
    if (!failed && settings->plots)
        failed = settings->draw_comparison(c, settings->plots, &error);
    if (failed)
        report_say("%s", error.text);
    comparison_free(c);
    free(c);
    return failed ? REPORT_REFUSED : status;
}

/* ---- the command ---- */

static const struct option_row rows[] = {
    REPORT_FORMAT,
    {"threshold", OPTION_TEXT, REPORT_FIELD(threshold_text), "PERCENT",
     "the exit status tells whether the rating got worse by more than this, such as 5%"},
    {"all", OPTION_FLAG, REPORT_FIELD(all), NULL,
     "also every pattern with every size, changed or not (json and csv always have them)"},
    {"plots", OPTION_TEXT, REPORT_FIELD(plots), "FOLDER", "draw both sides over one another there (SVG)"},
    REPORT_HELP};

static const char notes[] =
    "RUNS -- RUNS: several runs before, several after (beff_report compare old-* -- new-*). Of every "
    "figure:\n"
    "the ratio after / before, as the median of the ratios of all pairs, and a 95 % interval around it from\n"
    "the ranks of these ratios (Hodges and Lehmann; the exact distribution of Mann and Whitney). Nothing is\n"
    "assumed but that the runs of a side are independent and that the sides differ by a factor; no normal\n"
    "distribution. Better or worse is said where the interval does not hold 1. Fewer than 4 runs a side\n"
    "(3 and 5, 2 and 8) can never decide anything at 95 %: a verdict is refused. It is refused, too, where\n"
    "the definitions differ, and it is said in what.\n\n"
    "Exit status: 0 compared; 2 usage; 3 refused, or a run can't be read. With --threshold PERCENT:\n"
    "0 the rating did not get worse by more than PERCENT; 1 it did; 5 the interval holds both: more runs "
    "are\n"
    "needed. (imb_compat rates nothing: there it is the geometric mean of all times.)\n";

const struct report_command report_command_compare = {
    .name = "compare",
    .options = {.program = "beff_report compare",
                .synopsis =
                    "[--threshold PERCENT] [--format text|json|csv] [--plots FOLDER] RUN... -- RUN...",
                .purpose = "say what got better, worse, or inconclusive, from several runs before and after",
                .notes = notes,
                REPORT_ROWS(rows),
                .arguments = &report_runs},
    .least_runs = 2,
    .two_sides = true,
    .run = compare_command};
