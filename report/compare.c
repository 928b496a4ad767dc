/* Implements the command compare: compares the figures of both sides, and prints tables and verdict. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/table.h"
#include "report/comparison.h"

/* ---- tables ---- */

struct run_row {
    const char *side, *run, *started, *valid;
    double rating, noise;
};

static void fill_run(const struct table *table, int number, void *cells)
{
    const struct sides *sides = table->context;
    const struct side_run *run = &sides->run[number];
    const struct side *side = sides->side;
    const struct figure *rating = sides_rating(run);
    const struct sheet_value *noise = sheet_find(run->report.sheet, "noise_percent");
    while (side->end <= (size_t)number)
        side++;
    TABLE_FITS(struct run_row);
    *(struct run_row *)cells = (struct run_row){side->label,
                                                report_name(&run->report),
                                                report_meta(&run->report, "started"),
                                                sheet_verdict(run->report.sheet),
                                                rating ? rating->value : (double)NAN,
                                                noise ? noise->value : (double)NAN};
}

#define RUN(member) offsetof(struct run_row, member)

static struct table run_table(const struct sides *sides, struct column columns[6])
{
    const struct figure *rating = sides->count ? sides_rating(sides->run) : NULL;
    const struct column all[] = {
        {"side", "", COLUMN_TEXT, 0, RUN(side)},
        {"run", "", COLUMN_TEXT, 0, RUN(run)},
        {"started", "", COLUMN_TEXT, 0, RUN(started)},
        {"valid", "", COLUMN_TEXT, 0, RUN(valid)},
        {rating ? rating->name : "rating", rating ? rating->unit : "", COLUMN_REAL, 3, RUN(rating)},
        {"noise", "%", COLUMN_REAL, 1, RUN(noise), .min = -INFINITY}};
    memcpy(columns, all, sizeof all);
    return (struct table){"runs", "Runs", columns, 6, (int)sides->count, fill_run, sides};
}

struct figure_row {
    struct compared compared;
    const char *group, *name, *unit, *better, *mark;
    int64_t bytes, bytes_after;
};

#define ROW(member) offsetof(struct figure_row, member)

static const struct column figure_columns[] = {
    {"group", "", COLUMN_TEXT, 0, ROW(group)},
    {"figure", "", COLUMN_TEXT, 0, ROW(name)},
    {"bytes", "B", COLUMN_INTEGER, 0, ROW(bytes)},
    {"before", "", COLUMN_REAL, 3, ROW(compared.before)},
    {"after", "", COLUMN_REAL, 3, ROW(compared.after)},
    {"unit", "", COLUMN_TEXT, 0, ROW(unit)},
    {"better", "", COLUMN_TEXT, 0, ROW(better)},
    {"ratio", "", COLUMN_REAL, 4, ROW(compared.ratio.value)},
    {"low", "", COLUMN_REAL, 4, ROW(compared.ratio.low)},
    {"high", "", COLUMN_REAL, 4, ROW(compared.ratio.high)},
    {"changed", "", COLUMN_TEXT, 0, ROW(mark)},
    {"bytes_after", "B", COLUMN_INTEGER, 0, ROW(bytes_after)}}; /* last column: omitted if equal */
enum { FIGURE_COLUMNS = sizeof figure_columns / sizeof figure_columns[0] };

static void fill_figure(const struct table *table, int number, void *cells)
{
    const struct compared *from = ((const struct compared *const *)table->context)[number];
    const struct figure *figure = from->figure;
    TABLE_FITS(struct figure_row);
    *(struct figure_row *)cells = (struct figure_row){.compared = *from,
                                                      .group = figure->group,
                                                      .name = figure->name,
                                                      .unit = figure->unit,
                                                      .better = figure->lower ? "lower" : "higher",
                                                      .mark = from->significant ? "*" : "",
                                                      .bytes = figure->bytes,
                                                      .bytes_after = from->other_bytes};
}

/* Fills a row with the ratio apart from the others. */
static void fill_apart(const struct table *table, int number, void *cells)
{
    struct figure_row *row = cells;
    fill_figure(table, number, cells);
    row->compared.ratio = row->compared.apart;
}

/* Describes the table of one group of figures, or, if `group` is NULL, the table of all figures with the
 * group as its first column. `rows` must have room for all figures. */
static struct table group_table(const struct comparison *c, const char *group, bool main_only,
                                const struct compared **rows)
{
    bool sized = false;
    struct table table = {.columns = figure_columns + (group != NULL), .fill = fill_figure, .context = rows};
    snprintf(table.name, sizeof table.name, "%s", group ? group : "compare");
    char interval[40] = "no interval: too few runs";
    if (!isnan(c->level))
        snprintf(interval, sizeof interval, "%.1f %% interval", 100 * c->level);
    snprintf(table.title, sizeof table.title,
             "%s: median of each side, and median ratio after / before over %s; %s",
             group ? group : "All figures",
             c->basis.look ? "the pairs (Walsh averages)" : "all pairs of runs", interval);
    *table.title = (char)toupper((unsigned char)*table.title);
    for (const struct compared *row = c->compared; row < c->compared + c->count; row++) {
        if ((group && strcmp(row->figure->group, group) != 0) || (main_only && !row->figure->main))
            continue;
        rows[table.rows++] = row;
        sized |= row->figure->bytes != row->other_bytes && row->other_bytes >= 0;
    }
    table.column_count = FIGURE_COLUMNS - (group != NULL) - !sized;
    return table;
}

enum { MAX_GROUPS = 8, CHANGES_SHOWN = 10, NAMES_SHOWN = 3, NAMES_SIZE = 512 };

/* Describes one table for each group of figures: the rating and the main figures, or, if `whole`, all
 * figures. Returns the number of tables. `rows` must have room for all figures. */
static int make_tables(const struct comparison *c, bool whole, struct table *tables,
                       const struct compared **rows)
{
    int count = 0;
    for (size_t i = 0; i < c->count; i++) {
        const char *group = c->compared[i].figure->group;
        int known = 0;
        while (known < count && strcmp(tables[known].name, group) != 0)
            known++;
        if (known < count || count == MAX_GROUPS)
            continue;
        tables[count] = group_table(c, group, !whole && strcmp(group, FIGURE_RATING) != 0, rows);
        rows += tables[count++].rows;
    }
    return count;
}

static int larger_change(const void *a, const void *b)
{
    const struct compared *left = *(const struct compared *const *)a,
                          *right = *(const struct compared *const *)b;
    double x = fabs(log(left->apart.value)), y = fabs(log(right->apart.value));
    return left->significant != right->significant ? right->significant - left->significant
                                                   : (x < y) - (x > y);
}

/* Describes the table of the figures, except the rating, that changed most: the significant ones first. */
static struct table change_table(const struct comparison *c, const struct compared **rows)
{
    size_t significant = 0, count = 0;
    for (size_t i = 0; i < c->count; i++)
        if (!compared_is_rating(&c->compared[i])) {
            rows[count++] = &c->compared[i];
            significant += c->compared[i].significant;
        }
    struct table table = {.name = "changed",
                          .columns = figure_columns,
                          .column_count = FIGURE_COLUMNS - 1,
                          .rows = (int)(count < CHANGES_SHOWN ? count : CHANGES_SHOWN),
                          .fill = fill_apart,
                          .context = rows};
    snprintf(table.title, sizeof table.title,
             "What changed most%s (*: significant at 5 %% after correction for %zu figures; in all: %zu; "
             "intervals: %.4g %%)",
             comparison_has_mean(c) ? " apart from the others" : "", count, significant, 100 * c->chosen);
    if (count)
        qsort(rows, count, sizeof *rows, larger_change);
    return table;
}

/* ---- the verdict in words ---- */

static double smallest_loss(const struct comparison *c)
{
    return c->rating ? ratio_smallest_loss(&c->rating->ratio, c->rating->figure->lower) : (double)NAN;
}

static const char *const verdict_words[] = {[VERDICT_NONE] = "refused",
                                            [VERDICT_BETTER] = "better",
                                            [VERDICT_WORSE] = "worse",
                                            [VERDICT_OPEN] = "inconclusive"};

/* Writes the rows with the largest changes in one direction: all significant ones, or, if `lost`, those that
 * got worse by more than the threshold. Returns their number. `rows` has all rows, without their mean, sorted
 * by larger_change(). */
static size_t name_rows(const struct comparison *c, const struct compared *const *rows, bool worse, bool lost,
                        char names[NAMES_SIZE])
{
    size_t count = 0;
    *names = 0;
    for (size_t i = 0; i + 1 < c->count; i++) {
        const struct compared *row = rows[i];
        const struct ratio *ratio = lost ? &row->ratio : &row->apart;
        if (!(lost ? row->lost : row->significant) || (!lost && compared_is_worse_apart(row) != worse))
            continue;
        if (count++ < NAMES_SHOWN)
            text_append(names, NAMES_SIZE, "%s%s: %.4g (%.4g to %.4g)", *names ? ", " : ": ",
                        row->figure->name, ratio->value, ratio->low, ratio->high);
    }
    if (count > NAMES_SHOWN)
        text_append(names, NAMES_SIZE, ", and %zu more", count - NAMES_SHOWN);
    return count;
}

/* Appends the rows that changed apart from the others. */
static void describe_rows(const struct comparison *c, const struct compared *const *rows, char *text,
                          size_t size)
{
    char names[NAMES_SIZE];
    size_t slower = name_rows(c, rows, true, false, names);
    text_append(text, size, "; %zu of %zu rows %s slower than the others%s", slower, c->count - 1,
                slower == 1 ? "is" : "are", names);
    size_t faster = name_rows(c, rows, false, false, names);
    text_append(text, size, "; %zu %s faster%s", faster, faster == 1 ? "is" : "are", names);
}

/* Describes a rating about which the allowance for differences between sessions leaves the verdict open. */
static void describe_allowance(const struct comparison *c, char *text, size_t size)
{
    struct ratio ratio = c->rating->ratio;
    bool slower = compared_is_worse(c->rating, 1);
    double sign = c->rating->figure->lower == slower ? 100 : -100, a = sign * (ratio.low - 1),
           b = sign * (ratio.high - 1);
    const struct side *side = c->sides.side;
    snprintf(
        text, size,
        "%s: %s is %.1f %% %s (%.1f to %.1f %%, with %.2g %% between %s sessions: %s has %zu, %s has %zu): "
        "not decided; more sessions (other jobs on other days, at least 4 on each side) or beff_ab decide",
        c->rating->figure->name, side[1].label, sign * (ratio.value - 1), slower ? "slower" : "faster",
        fmin(a, b), fmax(a, b), 100 * c->basis.between, c->old ? "old" : "", side[0].label,
        c->basis.sessions[0], side[1].label, c->basis.sessions[1]);
    text_squeeze(text);
}

static void describe(const struct comparison *c, const struct compared *const *rows, char *text, size_t size)
{
    enum verdict verdict = comparison_verdict(c);
    if (verdict == VERDICT_NONE) {
        snprintf(text, size, "no verdict");
        return;
    }
    bool open = isnan(c->threshold) ? c->hidden : comparison_judge(c) == VERDICT_OPEN;
    if (c->basis.allowance > 0 && verdict == VERDICT_OPEN && open)
        describe_allowance(c, text, size);
    else
        snprintf(text, size,
                 "%s: %s, ratio %.4f, %.1f %% interval %.4f to %.4f; a loss of %.2g %% would be seen in 4 of "
                 "5 cases",
                 c->rating->figure->name, verdict_words[verdict], c->rating->ratio.value, 100 * c->level,
                 c->rating->ratio.low, c->rating->ratio.high, 100 * smallest_loss(c));
    if (comparison_has_mean(c))
        describe_rows(c, rows, text, size);
}

static enum report_status decide(const struct comparison *c, const struct compared *const *rows, char *text,
                                 size_t size)
{
    enum verdict verdict = comparison_judge(c);
    double percent = 100 * c->threshold;
    size_t lost, open;
    comparison_lost(c, &lost, &open);
    if (comparison_has_mean(c) && lost && verdict == VERDICT_WORSE) {
        char names[NAMES_SIZE];
        name_rows(c, rows, true, true, names);
        snprintf(text, size, "%zu of %zu rows got slower by more than %g %%%s", lost, c->count - 1, percent,
                 names);
    } else if (comparison_has_mean(c) && verdict == VERDICT_OPEN &&
               compared_judge(c->rating, c->threshold) == VERDICT_BETTER) {
        snprintf(text, size,
                 "inconclusive: it is not known whether %zu of %zu rows got slower by more than %g %%%s",
                 (c->basis.look ? open : 0) + c->missing, c->count - 1 + c->missing, percent,
                 c->missing ? ": they are missing in some runs" : "; more runs are needed");
    } else {
        snprintf(text, size, "%s%s %s worse by more than %g %%",
                 verdict == VERDICT_OPEN ? "inconclusive: more runs are needed to decide whether " : "",
                 comparison_has_mean(c) ? "the mean of all rows" : "the rating",
                 verdict == VERDICT_BETTER ? "did not get" : "got", percent);
    }
    return verdict == VERDICT_WORSE    ? REPORT_DIFFERS
           : verdict == VERDICT_BETTER ? REPORT_FINE
                                       : REPORT_UNDECIDED;
}

/* Adds a note about main figures whose median ratio and ratio of medians point in opposite directions. */
static void note_opposite(struct comparison *c)
{
    char names[200] = "";
    for (const struct compared *row = c->compared; row < c->compared + c->count; row++) {
        double ratio = row->ratio.value - 1;
        if ((compared_is_rating(row) || row->figure->main) && fabs(ratio) > 5e-5 &&
            (row->after - row->before) * ratio < 0)
            text_append(names, sizeof names, "%s%s", *names ? ", " : "", row->figure->name);
    }
    if (*names)
        grouped_add(&c->sides.notes, NULL,
                    "medians and ratio disagree for %s; the verdict uses the ratio over all pairs of runs",
                    names);
}

static void add_notes(struct comparison *c)
{
    const struct basis *b = &c->basis;
    size_t family = c->count - (c->rating != NULL);
    if (c->missing)
        grouped_add(&c->sides.notes, NULL, "%zu figure%s not compared: missing in some runs", c->missing,
                    TEXT_S(c->missing));
    note_opposite(c);
    if (!b->look && c->count)
        grouped_add(&c->sides.notes, NULL, "sessions: %s has %zu, %s has %zu%s", c->sides.side[0].label,
                    b->sessions[0], c->sides.side[1].label, b->sessions[1],
                    b->by_session      ? "; their medians are compared"
                    : b->allowance > 0 ? "; the intervals include differences between them"
                                       : "");
    if (!b->look && c->spread > 3)
        grouped_add(&c->sides.notes, NULL,
                    "the ratings of one side spread %.2g times as much as those of the other, but the "
                    "intervals assume equal spreads: make equal numbers of runs",
                    c->spread);
    double share = (1 - INTERVAL_LEVEL) / (double)family;
    if (!b->look && !isnan(c->level) && family && c->least > share)
        grouped_add(
            &c->sides.notes, NULL,
            "with %zu and %zu %s, a change is significant only if at least %.0f of the %zu %s change; "
            "%zu and %zu can show a single one",
            b->count[0], b->count[1], b->by_session ? "sessions" : "runs", ceil(c->least / share), family,
            comparison_has_mean(c) ? "rows" : "figures", interval_runs(share), interval_runs(share));
}

/* ---- output ---- */

static void put_json(const void *context, struct json *json)
{
    const struct comparison *c = context;
    json_integer(json, "figures_skipped", (int64_t)c->missing);
    json_real(json, "level", c->level);
    json_real(json, "ratio", c->rating ? c->rating->ratio.value : (double)NAN);
    json_real(json, "low", c->rating ? c->rating->ratio.low : (double)NAN);
    json_real(json, "high", c->rating ? c->rating->ratio.high : (double)NAN);
    json_real(json, "smallest_loss", smallest_loss(c));
    json_text(json, "verdict", verdict_words[comparison_verdict(c)]);
}

/* Returns the number of pairs after which the rating's interval will exclude the threshold, if the pairs go
 * on like this: about 11 (s / d)^2 for a distance d and a standard deviation s of a pair's logarithm; 0:
 * unknown. */
static double forecast(const struct comparison *c)
{
    if (!c->rating || isnan(c->threshold) || isnan(c->level))
        return 0;
    double variance = c->pair_spread * c->pair_spread,
           distance = log(c->rating->ratio.value / compared_limit(c->rating, c->threshold));
    return fmin(1e6, fmax((double)c->next, ceil(11 * variance / (distance * distance))));
}

/* Prints the line of --format line. */
static void put_line(const struct comparison *c)
{
    const struct compared *row = c->rating;
    size_t problems = c->sides.skipped.count + c->sides.reasons.count - (row && isnan(c->level));
    bool usable = row && !problems;
    printf("%s %zu %.0f %.3f ",
           c->sides.errors.count ? "errors"
           : usable              ? "usable"
                                 : "unusable",
           c->next, forecast(c),
           row ? 100 * (row->ratio.high - row->ratio.low) / row->ratio.value : (double)NAN);
    if (row)
        printf("ratio %.4f", row->ratio.value);
    else
        fputs("no comparison", stdout);
    if (row && !isnan(row->ratio.low))
        printf(" (%.4f to %.4f)", row->ratio.low, row->ratio.high);
    putchar('\n');
}

static enum report_status report_comparison(struct comparison *c, const struct report_settings *settings,
                                            const struct compared **rows)
{
    char decision[1024] = "", verdict[1024];
    bool whole = settings->all || settings->format != FORMAT_TEXT;
    struct column run_columns[6];
    struct message error;
    struct table tables[MAX_GROUPS + 1], all = group_table(c, NULL, false, rows),
                                         changed = change_table(c, rows + c->count);
    const struct compared **sorted = rows + c->count, **free_rows = sorted + c->count;
    tables[0] = run_table(&c->sides, run_columns);
    int count = 1 + make_tables(c, true, tables + 1, free_rows);
    for (int i = 0, failed = 0; settings->tables && i <= count && !failed; i++) {
        failed = table_write(i < count ? &tables[i] : &all, settings->tables, &error);
        if (failed)
            grouped_add(&c->sides.reasons, NULL, "%s", error.text);
    }
    if (!whole)
        count = 1 + make_tables(c, false, tables + 1, free_rows);
    add_notes(c);
    describe(c, sorted, verdict, sizeof verdict);
    enum report_status status = c->sides.errors.count      ? REPORT_DIFFERS
                                : comparison_is_refused(c) ? REPORT_REFUSED
                                : isnan(c->threshold)      ? (c->hidden ? REPORT_UNDECIDED : REPORT_FINE)
                                                           : decide(c, sorted, decision, sizeof decision);
    if (settings->format == FORMAT_LINE) {
        put_line(c);
        return status;
    }
    const struct output output = {.sides = &c->sides,
                                  .verdict = verdict,
                                  .status = status,
                                  .decision = decision,
                                  .tables = tables,
                                  .table_count = count,
                                  .first_figures = 1,
                                  .last = &changed,
                                  .csv = &all,
                                  .json = put_json,
                                  .context = c};
    return output_put(&output, settings->format);
}

static enum report_status compare_command(const struct report_settings *settings)
{
    struct comparison c;
    comparison_make(&c, settings);
    const struct compared **rows = memory_new(3 * c.count, sizeof *rows, "the tables");
    enum report_status status = report_comparison(&c, settings, rows);
    free(rows);
    comparison_free(&c);
    return status;
}

/* ---- the command ---- */

static const char *const formats[] = {"text", "json", "csv", "junit", "line", NULL};

static const struct option_row rows[] = {
    {"format", OPTION_CHOICE, REPORT_FIELD(format), "FORMAT", "text, json, csv, junit or line",
     .choices = formats},
    {"threshold", OPTION_PERCENT, REPORT_FIELD(threshold), "PERCENT",
     "exit with status 1 if the rating, or a row of imb_compat, got worse by more than this, such as 5%",
     .max = 99.9},
    {REPORT_BETWEEN},
    {"history", OPTION_PATHS, REPORT_FIELD(history), "DIR",
     "measure the standard deviation between sessions: from the runs before the change and the runs in this "
     "folder that started before the change, on the same machine with the same options; may be repeated"},
    {"factor", OPTION_WORDS, REPORT_FIELD(factors), "KEY,...",
     "what was changed on purpose: keys of run.prot (placement, mpi, methods, hints, memory ...), options, "
     "or environment variables (UCX_TLS); the sides may differ in them, but not the runs of one side"},
    {"pairs", OPTION_INTEGER, REPORT_FIELD(look), "LOOK",
     "compare the first run before with the first run after, and so on; LOOK is 1 if this is the only "
     "comparison of these runs, or the number of this look if more pairs were added after each look",
     .min = 1, .max = PAIRS_LOOKS},
    {"looks", OPTION_FLAG, REPORT_FIELD(looks), NULL,
     "compare pairs; the number of the look follows from their number"},
    {REPORT_LABEL},
    {"all", OPTION_FLAG, REPORT_FIELD(all), NULL,
     "name all runs that a message is about, and print all figures, including every pattern "
     "and size (json and csv always print all figures)"},
    {"tables", OPTION_TEXT, REPORT_FIELD(tables), "FOLDER",
     "also write all tables to files FOLDER/*.dat for gnuplot"},
    {REPORT_INVALID},
    {REPORT_HELP}};

static const char notes[] =
    "Give several runs before a change, then --, then several runs after it, as in\n"
    "beff_report compare old-* -- new-*. Measure both sides alternately if you can. For each figure, the\n"
    "tables have the median of the ratios after / before over all pairs of runs. This median may differ\n"
    "from the ratio of the medians of the two sides. The tables also have an interval of at least 95 %,\n"
    "computed from the ranks of the ratios (Hodges and Lehmann; Mann and Whitney). It is assumed that the\n"
    "sides differ only by a factor: a note says if one spreads more than 3 times as much.\n\n"
    "A session is a batch job, or runs on the same host (or in Docker) with at most an hour in between.\n"
    "With 4 and 4 sessions (or 3 and 5), their medians are compared. Otherwise, unless the runs of both\n"
    "sides alternate in each session, --between-sessions s makes the intervals wider:\n"
    "sqrt(h^2 + (1.96 s)^2 (1/k + 1/l)) for a half-width h and k and l sessions. --history measures s.\n"
    "Without it, a side with 4 sessions or more replaces 1.96 s if its own, with Student's t, is larger. A\n"
    "verdict needs at least 4 and 4 runs, 3 and 5, 2 and 8, or 1 and 39.\n\n"
    "The rating decides the verdict, which is better or worse if the interval of the rating excludes 1.\n"
    "For imb_compat, the rating is the geometric mean of all rows. Rows are named that changed apart from\n"
    "the median change of all rows. The last table lists up to ten figures that changed most. An asterisk\n"
    "marks changes that are significant at 5 % after the correction of Benjamini and Hochberg for the\n"
    "number of figures; the intervals of this table have the level that the selection requires. With few\n"
    "runs, a change of a single figure among many cannot be significant; a note then says how many runs\n"
    "can show one.\n\n" REPORT_SKIPPED
    "A verdict is refused, and the reason is printed, if the runs differ in their definition or in anything\n"
    "else that determines the result (path, hints, placement ...) and that is not a --factor.\n\n"
    "--pairs is for runs that were made in turns, as beff_ab does. The ratio is the median of the\n"
    "geometric means of all two ratios of pairs (Walsh averages), with an interval from the signed ranks.\n"
    "The first look has intervals of the level 98.4 %, the others of 99.3 %, so all looks together are\n"
    "wrong in at most 5 %. The looks are after 7, 10, 14, 20, 28, 40, 56, 79, 112 and 158 pairs. --format\n"
    "line prints one line for scripts: usable, unusable or errors; pairs at the next look, or 0; forecast\n"
    "of the pairs that are needed, or 0; width of the interval in percent; ratio or largest change.\n\n"
    "--tables writes runs.dat (side, run, start, verdict, rating, noise), a file for each group of\n"
    "figures (rating.dat, figure.dat and the tables of the sheet, such as by_size.dat), and compare.dat\n"
    "with all figures. The columns are: group (only in compare.dat), figure, bytes (message or chunk\n"
    "size, - if there is none), before, after (medians), unit, better (higher or lower), ratio, low,\n"
    "high, changed (* or -), and bytes_after if the sizes differ. beff_plot FOLDER draws them.\n\n"
    "Exit status: 0 compared; 1 data errors in a run (imb_compat: with -check); 2 usage; 3 refused;\n"
    "5 the runs differ, but not by more than sessions may.\n"
    "With --threshold: 0 the rating did not get worse by more than PERCENT; 1 it did, or a row of\n"
    "imb_compat did; 5 more runs are needed. --pairs of imb_compat need more runs until each row is\n"
    "decided. Data errors take precedence over everything else.\n";

REPORT_COMMAND(compare, "[--threshold PERCENT] [--factor KEY,...] [OPTION]... RUN... -- RUN...",
               "report whether the result got better or worse, from several runs before and after",
               .sides = 2);
