/* compare: what two sides of runs say, as text and data. Uses comparison, write. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocols/command.h"
#include "protocols/comparison.h"
#include "protocols/write.h"

static const char *const verdicts[] = {[VERDICT_NONE] = "-",
                                       [VERDICT_BETTER] = "better",
                                       [VERDICT_WORSE] = "worse",
                                       [VERDICT_OPEN] = "can't be told"};
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

/* The figures of one group. */
static void make_table(const struct comparison *c, const char *group, bool changed_only, struct table *table)
{
    static const struct table_column columns[] = {
        {"figure", "", CELL_TEXT, 0}, {"before", "", CELL_REAL, 3}, {"after", "", CELL_REAL, 3},
        {"unit", "", CELL_TEXT, 0},   {"ratio", "", CELL_REAL, 4},  {"low", "", CELL_REAL, 4},
        {"high", "", CELL_REAL, 4},   {"verdict", "", CELL_TEXT, 0}};
    char title[120];
    snprintf(title, sizeof title, "By %s: medians, ratio after / before, its %s%s", group,
             isnan(c->level) ? "interval (none: too few runs)" : "95 % interval",
             changed_only ? "; only what changed" : "");
    table_start(table, group, title, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < c->count; i++) {
        const struct compared *from = &c->compared[i];
        if (strcmp(from->item->group, group) != 0 || (changed_only && !is_changed(from)))
            continue;
        struct cell *row = table_row(table);
        if (!row)
            return;
        snprintf(row[0].text, sizeof row[0].text, "%.63s", from->item->name);
        row[1].number = from->before;
        row[2].number = from->after;
        snprintf(row[3].text, sizeof row[3].text, "%s", from->item->unit);
        row[4].number = from->ratio.value;
        row[5].number = from->ratio.low;
        row[6].number = from->ratio.high;
        snprintf(row[7].text, sizeof row[7].text, "%s", verdicts[from->verdict]);
    }
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

static void make_runs(const struct comparison *c, struct table *table)
{
    static const struct table_column columns[] = {{"side", "", CELL_TEXT, 0},
                                                  {"run", "", CELL_TEXT, 0},
                                                  {"started", "", CELL_TEXT, 0},
                                                  {"rating", "", CELL_REAL, 3},
                                                  {"valid", "", CELL_TEXT, 0}};
    table_start(table, "runs", "Runs", columns, sizeof columns / sizeof columns[0]);
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < c->side[s].count; i++) {
            const struct report *run = &c->side[s].runs[i];
            const struct report_items *items = &c->side[s].items[i];
            struct cell *row = table_row(table);
            if (!row)
                return;
            snprintf(row[0].text, sizeof row[0].text, "%s", side_names[s]);
            snprintf(row[1].text, sizeof row[1].text, "%.63s", run->directory ? run->directory : run->path);
            snprintf(row[2].text, sizeof row[2].text, "%.63s", report_meta(run, "started"));
            for (size_t k = 0; k < items->count; k++)
                if (strcmp(items->item[k].group, REPORT_RATING) == 0)
                    row[3].number = items->item[k].value;
            snprintf(row[4].text, sizeof row[4].text, "%s", sheet_valid(run->sheet) ? "VALID" : "NOT VALID");
            finding_clean(row[1].text);
        }
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
                                            "can't be told, more runs are needed: worse by more than"};
    snprintf(text, size, "%s %g %%", words[verdict], 100 * threshold);
    return verdict == VERDICT_WORSE    ? REPORT_DIFFERS
           : verdict == VERDICT_BETTER ? REPORT_FINE
                                       : REPORT_UNDECIDED;
}

/* ---- formats ---- */

struct words {
    char rating[200], chance[200], threshold[120];
};

static void put_text(const struct comparison *c, const struct words *words, bool all)
{
    struct table table;
    make_runs(c, &table);
    table_text(&table, "", stdout);
    table_free(&table);
    for (const char *group = NULL; (group = next_group(c, group));) {
        make_table(c, group, !all && is_long(group), &table);
        putchar('\n');
        table_text(&table, "", stdout);
        table_free(&table);
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

static void put_list(const char (*texts)[COMPARISON_REASON_SIZE], int count)
{
    putchar('[');
    for (int i = 0; i < count; i++) {
        fputs(i ? ", " : "", stdout);
        write_json_text(texts[i], stdout);
    }
    putchar(']');
}

static void put_json(const struct comparison *c, const struct words *words)
{
    struct table table;
    make_runs(c, &table);
    fputs("{\n \"runs\": ", stdout);
    write_json_table(&table, stdout);
    table_free(&table);
    fputs(",\n \"figures\": {", stdout);
    for (const char *group = NULL, *before = NULL; (group = next_group(c, group)); before = group) {
        make_table(c, group, false, &table);
        fputs(before ? ",\n  " : "\n  ", stdout);
        write_json_text(group, stdout);
        fputs(": ", stdout);
        write_json_table(&table, stdout);
        table_free(&table);
    }
    fputs("},\n \"refused\": ", stdout);
    put_list(c->reasons, c->reason_count);
    fputs(",\n \"notes\": ", stdout);
    put_list(c->notes, c->note_count);
    printf(",\n \"left_out\": %zu,\n \"level\": ", c->left_out);
    if (isnan(c->level))
        fputs("null", stdout);
    else
        printf("%.6f", c->level);
    fputs(",\n \"threshold\": ", stdout);
    if (*words->threshold)
        write_json_text(words->threshold, stdout);
    else
        fputs("null", stdout);
    fputs(",\n \"verdict\": ", stdout);
    const struct compared *rating = comparison_rating(c);
    write_json_text(c->reason_count || !rating ? "refused" : verdicts[rating->verdict], stdout);
    puts("\n}");
}

/* One table with the group as its first column. */
static void put_csv(const struct comparison *c)
{
    const char *heading[] = {"group", "figure", "before", "after", "unit", "ratio", "low", "high", "verdict"};
    write_csv_row(heading, 9, stdout);
    for (size_t i = 0; i < c->count; i++) {
        const struct compared *row = &c->compared[i];
        const double numbers[] = {row->before, row->after, row->ratio.value, row->ratio.low, row->ratio.high};
        char texts[5][WRITE_NUMBER_SIZE];
        for (int k = 0; k < 5; k++)
            write_number(numbers[k], texts[k]);
        const char *fields[] = {row->item->group, row->item->name, texts[0],
                                texts[1],         row->item->unit, texts[2],
                                texts[3],         texts[4],        verdicts[row->verdict]};
        write_csv_row(fields, 9, stdout);
    }
}

static void put_md(const struct comparison *c, const struct words *words, bool all)
{
    struct table table;
    fputs("# ", stdout);
    write_md_text(words->rating, stdout);
    puts("\n");
    for (int i = 0; i < c->reason_count; i++) {
        fputs("- refused: ", stdout);
        write_md_text(c->reasons[i], stdout);
        putchar('\n');
    }
    for (int i = 0; i < c->note_count; i++) {
        fputs("- ", stdout);
        write_md_text(c->notes[i], stdout);
        putchar('\n');
    }
    if (!isnan(c->level))
        printf("- %s\n", words->chance);
    if (*words->threshold)
        printf("- %s\n", words->threshold);
    make_runs(c, &table);
    puts("\n## Runs\n");
    write_md_table(&table, stdout);
    table_free(&table);
    for (const char *group = NULL; (group = next_group(c, group));) {
        make_table(c, group, !all && is_long(group), &table);
        printf("\n## %s\n\n", table.title);
        write_md_table(&table, stdout);
        table_free(&table);
    }
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
    if (settings->format == FORMAT_TEXT)
        put_text(c, &words, settings->all);
    else if (settings->format == FORMAT_JSON)
        put_json(c, &words);
    else if (settings->format == FORMAT_CSV)
        put_csv(c);
    else
        put_md(c, &words, settings->all);
    for (int i = 0; i < c->reason_count && settings->format != FORMAT_TEXT; i++)
        report_say("refused: %s", c->reasons[i]);
    if (settings->plots && settings->draw_comparison(c, settings->plots, &error)) {
        report_say("%s", error.text);
        status = REPORT_REFUSED;
    }
    comparison_free(c);
    free(c);
    return status;
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
                    "[--threshold PERCENT] [--format text|json|csv|md] [--plots FOLDER] RUN... -- RUN...",
                .purpose = "say what got better, worse, or can't be told, from several runs before and after",
                .notes = notes,
                REPORT_ROWS(rows),
                .arguments = &report_runs},
    .least_runs = 2,
    .two_sides = true,
    .run = compare_command};
