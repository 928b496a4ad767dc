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

static bool is_rating(const struct compared *row)
{
    return strcmp(row->figure->group, FIGURE_RATING) == 0;
}

/* Finds the figure of the first run in all runs. `at` has the place in each run's sorted figures where the
 * search goes on; figures must be searched in their order. Returns false if a run does not have it. */
static bool collect(const struct sides *sides, const struct figure *wanted, size_t *at, double *values)
{
    bool found = true;
    for (size_t i = 0; i < sides->count; i++) {
        const struct side_run *run = &sides->run[i];
        int order = 1;
        while (at[i] < run->count) {
            const struct figure *figure = run->by_name[at[i]];
            order = strcmp(figure->group, wanted->group);
            order = order ? order : strcmp(figure->name, wanted->name);
            if (order >= 0)
                break;
            at[i]++;
        }
        if (order == 0)
            values[i] = run->by_name[at[i]++]->value;
        found = found && order == 0;
    }
    return found;
}

/* The factor by which a figure changes if it gets worse by a threshold. */
static double loss_factor(const struct compared *row, double threshold)
{
    return row->figure->lower ? 1 + threshold : 1 - threshold;
}

static bool is_worse(const struct compared *row, double factor)
{
    return row->figure->lower ? row->ratio.value > factor : row->ratio.value < factor;
}

/* Adds the allowance for differences between sessions to an interval. */
static void widen(struct comparison *c, struct compared *row)
{
    struct ratio *ratio = &row->ratio;
    if (is_rating(row))
        c->hidden = c->allowance > 0 && (ratio->low > 1 || ratio->high < 1);
    ratio->low = ratio->value * exp(-hypot(log(ratio->value / ratio->low), c->allowance));
    ratio->high = ratio->value * exp(hypot(log(ratio->high / ratio->value), c->allowance));
}

static void compare_figure(struct comparison *c, struct compared *row, const double *values, size_t n,
                           size_t m, size_t rank, const double *chances)
{
    size_t count;
    double *ratios = c->look ? ratios_of_pairs(values, values + n, n, &count)
                             : ratios_of_sides(values, n, values + n, m, &count);
    *row = (struct compared){.figure = row->figure,
                             .other_bytes = row->other_bytes,
                             .before = stats_median(values, n),
                             .after = stats_median(values + n, m),
                             .ratio = ratio_make(ratios, count, rank),
                             .chance = NAN,
                             .loss = NAN};
    if (c->allowance > 0 && rank)
        widen(c, row);
    double factor = loss_factor(row, c->threshold);
    /* A look has a stricter level than the correction for many figures, which starts from INTERVAL_LEVEL. */
    double scale = c->look ? (1 - INTERVAL_LEVEL) / (1 - pairs_level(c->look)) : 1;
    if (chances)
        row->chance = scale * ratio_chance(ratios, count, 1, chances);
    if (chances && !isnan(c->threshold))
        row->loss = is_worse(row, factor) ? scale * ratio_chance(ratios, count, factor, chances) : 1;
    free(ratios);
}

/* Marks the figures, except the rating, whose change is significant. */
static void correct(struct comparison *c)
{
    double *chances = memory_new(2 * c->count, sizeof *chances, "the figures"), *losses = chances + c->count;
    bool *marks = memory_new(2 * c->count, sizeof *marks, "the figures");
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++)
        if (!is_rating(&c->compared[i])) {
            chances[n] = c->compared[i].chance;
            losses[n++] = isnan(c->compared[i].loss) ? 1 : c->compared[i].loss;
        }
    chances_correct(chances, n, marks);
    chances_correct(losses, n, marks + c->count);
    n = 0;
    for (size_t i = 0; i < c->count; i++)
        if (!is_rating(&c->compared[i])) {
            c->compared[i].significant = marks[n];
            c->compared[i].lost = marks[c->count + n++];
        }
    free(chances);
    free(marks);
}

static int in_order(const void *a, const void *b)
{
    const struct compared *left = a, *right = b;
    return (left->figure->place > right->figure->place) - (left->figure->place < right->figure->place);
}

/* Decides whether the medians of the sessions are compared, or how much is allowed for differences between
 * them. Sets n and m to the numbers of values of each side. */
static void judge_sessions(struct comparison *c, const size_t *session, bool alternate, double between,
                           size_t *n, size_t *m)
{
    double *values = memory_new(2 * c->sides.count, sizeof *values, "the sessions"), reached;
    for (size_t s = 0; s < 2; s++)
        c->sessions[s] = sessions_medians(&c->sides.side[s], session, values, values + c->sides.count);
    free(values);
    if (c->look || alternate)
        return;
    double *chances = interval_chances(c->sessions[0], c->sessions[1]);
    c->by_session = chances_rank(chances, INTERVAL_LEVEL, &reached);
    free(chances);
    if (c->by_session) {
        *n = c->sessions[0];
        *m = c->sessions[1];
    } else {
        c->allowance = 1.96 * between * sqrt(1 / (double)c->sessions[0] + 1 / (double)c->sessions[1]);
    }
}

static void compare_figures(struct comparison *c, double between)
{
    const struct side_run *first = c->sides.run, *other = first + c->before;
    size_t n = c->before, m = c->after, all = c->sides.count;
    size_t *session = memory_new(all, sizeof *session, "the sessions");
    bool alternate = sessions_find(&c->sides, session);
    judge_sessions(c, session, alternate, between, &n, &m);
    double *chances = c->look ? pairs_chances(n) : interval_chances(n, m);
    double *medians = memory_new(all, sizeof *medians, "the sessions");
    double *values = memory_new(all, sizeof *values, "the figures");
    size_t rank = chances_rank(chances, c->look ? pairs_level(c->look) : INTERVAL_LEVEL, &c->level);
    size_t *at = memory_new(all, sizeof *at, "the figures");
    c->least = chances ? 2 * chances[0] : (double)NAN;
    if (!rank && c->look)
        grouped_add(&c->sides.reasons, NULL, "too few pairs (%zu) for look %d: at least %zu are needed", n,
                    c->look, pairs_of_look(c->look));
    else if (!rank)
        grouped_add(
            &c->sides.reasons, NULL,
            "too few runs (%zu and %zu) for a verdict at 95 %%: at least 4 and 4, 3 and 5, 2 and 8, or 1 "
            "and 39 are needed",
            n, m);
    c->compared = memory_new(first->count, sizeof *c->compared, "the figures");
    for (size_t i = 0; i < first->count; i++) {
        const struct figure *figure = first->by_name[i];
        if (!collect(&c->sides, figure, at, values))
            continue;
        struct compared *row = &c->compared[c->count++];
        *row = (struct compared){.figure = figure, .other_bytes = other->by_name[at[c->before] - 1]->bytes};
        for (size_t s = 0; s < 2 && c->by_session; s++)
            sessions_medians(&c->sides.side[s], session, values, medians + (s ? n : 0));
        compare_figure(c, row, c->by_session ? medians : values, n, m, rank, rank ? chances : NULL);
    }
    for (size_t i = 0; i < all; i++)
        if (c->sides.run[i].count - c->count > c->missing)
            c->missing = c->sides.run[i].count - c->count;
    free(at);
    free(values);
    free(medians);
    free(session);
    free(chances);
    if (rank)
        correct(c);
    qsort(c->compared, c->count, sizeof *c->compared, in_order);
    for (size_t i = 0; i < c->count && !c->rating; i++)
        if (is_rating(&c->compared[i]))
            c->rating = &c->compared[i];
}

/* Adds a reason if only some runs have a rating, or if there is nothing that can decide. */
static void check_rating(struct comparison *c)
{
    const struct side_run *without = NULL;
    size_t rated = 0;
    for (size_t i = 0; i < c->sides.count; i++)
        if (sides_rating(&c->sides.run[i]))
            rated++;
        else
            without = &c->sides.run[i];
    if (rated && without)
        grouped_add(&c->sides.reasons, NULL, "%s has no rating, but other runs have one",
                    report_name(&without->report));
    else if (!c->count)
        grouped_add(&c->sides.reasons, NULL, "the runs have no figure in common");
}

void comparison_make(struct comparison *c, const struct report_settings *settings)
{
    *c = (struct comparison){
        .level = NAN, .least = NAN, .threshold = settings->threshold, .look = (int)settings->look};
    struct sides *sides = &c->sides;
    size_t most = settings->look || settings->looks ? PAIRS_MAX : INTERVAL_MAX;
    sides_load(sides, settings, false);
    for (size_t s = 0; s < 2; s++) {
        size_t count = sides->side[s].end - sides->side[s].first;
        if (!count)
            grouped_add(&sides->reasons, NULL, "no usable run %s -- (NOT VALID runs: see --allow-invalid)",
                        s ? "after" : "before");
        else if (count > most)
            grouped_add(&sides->reasons, NULL, "%s has %zu runs: at most %zu on a side can be compared",
                        sides->side[s].label, count, most);
        *(s ? &c->after : &c->before) = count;
    }
    if (settings->looks)
        c->look = look_of_pairs(c->before);
    c->next = pairs_of_look(look_of_pairs(c->before + 1));
    c->next = c->next > c->before ? c->next : 0;
    if (c->look && !sides->reasons.count && (c->before != c->after || sides->count != settings->runs.count))
        grouped_add(
            &sides->reasons, NULL,
            "--pairs needs as many runs after -- as before it, and no skipped run (%zu and %zu usable)",
            c->before, c->after);
    if (sides->reasons.count)
        return;
    sides_check(sides, settings, true);
    if (sides->reasons.count)
        return;
    compare_figures(c, settings->between);
    check_rating(c);
}

void comparison_free(struct comparison *c)
{
    sides_free(&c->sides);
    free(c->compared);
    *c = (struct comparison){0};
}

/* ---- the verdict ---- */

static enum verdict rating_verdict(const struct compared *rating)
{
    double low = rating->ratio.low, high = rating->ratio.high;
    if (low <= 1 && high >= 1)
        return VERDICT_OPEN;
    return (low > 1) == rating->figure->lower ? VERDICT_WORSE : VERDICT_BETTER;
}

static bool is_refused(const struct comparison *c)
{
    return c->sides.reasons.count || c->sides.errors.count || !c->count || isnan(c->level);
}

static size_t count_changed(const struct comparison *c, bool worse)
{
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++)
        count += c->compared[i].significant && is_worse(&c->compared[i], 1) == worse;
    return count;
}

enum verdict comparison_verdict(const struct comparison *c)
{
    if (is_refused(c))
        return VERDICT_NONE;
    if (c->rating)
        return rating_verdict(c->rating);
    return count_changed(c, true) ? VERDICT_WORSE : count_changed(c, false) ? VERDICT_BETTER : VERDICT_OPEN;
}

/* Returns VERDICT_BETTER if the interval shows that a figure did not get worse by more than the threshold,
 * and VERDICT_WORSE if it shows that it did. */
static enum verdict judge(const struct compared *row, double threshold)
{
    double low = row->ratio.low, high = row->ratio.high, limit = loss_factor(row, threshold);
    bool lower = row->figure->lower;
    return (lower ? low > limit : high < limit)     ? VERDICT_WORSE
           : (lower ? high <= limit : low >= limit) ? VERDICT_BETTER
                                                    : VERDICT_OPEN;
}

/* Counts the rows that got worse by more than the threshold, and the rows for which more runs are needed. */
static void count_lost(const struct comparison *c, size_t *lost, size_t *open)
{
    *lost = *open = 0;
    for (size_t i = 0; i < c->count; i++) {
        *lost += c->compared[i].lost;
        *open += !c->compared[i].lost && judge(&c->compared[i], c->threshold) != VERDICT_BETTER;
    }
}

enum verdict comparison_judge(const struct comparison *c)
{
    size_t lost, open;
    if (is_refused(c))
        return VERDICT_NONE;
    if (c->rating)
        return judge(c->rating, c->threshold);
    count_lost(c, &lost, &open);
    return lost ? VERDICT_WORSE : open || c->missing ? VERDICT_OPEN : VERDICT_BETTER;
}

/* ---- tables ---- */

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

static bool in_group(const struct compared *row, const char *group)
{
    return !group || strcmp(row->figure->group, group) == 0;
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
             group ? group : "All figures", c->look ? "the pairs (Walsh averages)" : "all pairs of runs",
             interval);
    *table.title = (char)toupper((unsigned char)*table.title);
    for (size_t i = 0; i < c->count; i++) {
        const struct compared *row = &c->compared[i];
        if (!in_group(row, group) || (main_only && !row->figure->main))
            continue;
        rows[table.rows++] = row;
        sized |= row->figure->bytes != row->other_bytes && row->other_bytes >= 0;
    }
    table.column_count = FIGURE_COLUMNS - (group != NULL) - !sized;
    return table;
}

enum { MAX_GROUPS = 8, CHANGES_SHOWN = 10, NAMES_SHOWN = 3 };

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
    double x = fabs(log(left->ratio.value)), y = fabs(log(right->ratio.value));
    return left->significant != right->significant ? right->significant - left->significant
                                                   : (x < y) - (x > y);
}

/* Describes the table of the figures, except the rating, that changed most: the significant ones first. */
static struct table change_table(const struct comparison *c, const struct compared **rows)
{
    size_t significant = 0, count = 0;
    for (size_t i = 0; i < c->count; i++)
        if (!is_rating(&c->compared[i])) {
            rows[count++] = &c->compared[i];
            significant += c->compared[i].significant;
        }
    struct table table = {.name = "changed",
                          .columns = figure_columns,
                          .column_count = FIGURE_COLUMNS - 1,
                          .rows = (int)(count < CHANGES_SHOWN ? count : CHANGES_SHOWN),
                          .fill = fill_figure,
                          .context = rows};
    snprintf(table.title, sizeof table.title,
             "What changed most (*: significant at 5 %% after correction for %zu figures; in all: %zu)",
             count, significant);
    if (count)
        qsort(rows, count, sizeof *rows, larger_change);
    return table;
}

static int write_tables(const char *folder, const struct table *tables, int count, const struct table *all,
                        struct message *error)
{
    int failed = 0;
    for (int i = 0; i <= count && !failed; i++)
        failed = table_write(i < count ? &tables[i] : all, folder, error);
    return failed;
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

/* Appends the rows with the largest changes in one direction: all significant ones, or, if `lost`, those that
 * got worse by more than the threshold. `rows` has all rows, sorted by larger_change(). */
static void name_rows(const struct comparison *c, const struct compared *const *rows, bool worse, bool lost,
                      char *text, size_t size)
{
    size_t named = 0, more = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct compared *row = rows[i];
        if (!(lost ? row->lost : row->significant) || is_worse(row, 1) != worse)
            continue;
        if (named < NAMES_SHOWN)
            text_append(text, size, "%s%s: %.4g (%.4g to %.4g)", named++ ? ", " : ": ", row->figure->name,
                        row->ratio.value, row->ratio.low, row->ratio.high);
        else
            more++;
    }
    if (more)
        text_append(text, size, ", and %zu more", more);
}

static void describe_rows(const struct comparison *c, const struct compared *const *rows, char *text,
                          size_t size)
{
    size_t slower = count_changed(c, true), faster = count_changed(c, false);
    snprintf(text, size, "%zu of %zu rows %s slower", slower, c->count, slower == 1 ? "is" : "are");
    name_rows(c, rows, true, false, text, size);
    text_append(text, size, "; %zu %s faster", faster, faster == 1 ? "is" : "are");
    name_rows(c, rows, false, false, text, size);
}

/* Describes a rating whose change is not larger than the allowance for differences between sessions. */
static void describe_allowance(const struct comparison *c, char *text, size_t size)
{
    struct ratio ratio = c->rating->ratio;
    double slower = c->rating->figure->lower ? 1 : -1;
    double worse = 100 * slower * (ratio.value - 1), a = 100 * slower * (ratio.low - 1),
           b = 100 * slower * (ratio.high - 1);
    const struct side *side = c->sides.side;
    snprintf(
        text, size,
        "%s: %s is %.1f %% %s (%.1f to %.1f %%, with %.2g %% between sessions: %s has %zu, %s has %zu): "
        "not decided; more sessions (other jobs on other days, at least 4 on each side) or beff_ab decide",
        c->rating->figure->name, side[1].label, fabs(worse), worse < 0 ? "faster" : "slower",
        fmin(worse < 0 ? -a : a, worse < 0 ? -b : b), fmax(worse < 0 ? -a : a, worse < 0 ? -b : b),
        100 * c->allowance / (1.96 * sqrt(1 / (double)c->sessions[0] + 1 / (double)c->sessions[1])),
        side[0].label, c->sessions[0], side[1].label, c->sessions[1]);
}

static void describe(const struct comparison *c, const struct compared *const *rows, char *text, size_t size)
{
    enum verdict verdict = comparison_verdict(c);
    if (verdict == VERDICT_NONE)
        snprintf(text, size, "no verdict");
    else if (!c->rating)
        describe_rows(c, rows, text, size);
    else if (c->allowance > 0 && verdict == VERDICT_OPEN)
        describe_allowance(c, text, size);
    else
        snprintf(text, size,
                 "%s: %s, ratio %.4f, %.1f %% interval %.4f to %.4f; smallest detectable loss %.2g %%",
                 c->rating->figure->name, verdict_words[verdict], c->rating->ratio.value, 100 * c->level,
                 c->rating->ratio.low, c->rating->ratio.high, 100 * smallest_loss(c));
}

static enum report_status decide(const struct comparison *c, const struct compared *const *rows, char *text,
                                 size_t size)
{
    enum verdict verdict = comparison_judge(c);
    double percent = 100 * c->threshold;
    size_t lost, open;
    count_lost(c, &lost, &open);
    if (c->rating) {
        static const char *const words[] = {
            [VERDICT_NONE] = "",
            [VERDICT_WORSE] = "the rating got worse by more than",
            [VERDICT_BETTER] = "the rating did not get worse by more than",
            [VERDICT_OPEN] =
                "inconclusive: more runs are needed to decide whether the rating got worse by more than"};
        snprintf(text, size, "%s %g %%", words[verdict], percent);
    } else if (verdict == VERDICT_WORSE) {
        snprintf(text, size, "%zu of %zu rows got slower by more than %g %%", lost, c->count, percent);
        name_rows(c, rows, true, true, text, size);
    } else if (verdict == VERDICT_BETTER) {
        snprintf(text, size, "no row got slower by more than %g %%", percent);
    } else {
        snprintf(text, size,
                 "inconclusive: it is not known whether %zu of %zu rows got slower by more than %g %%%s",
                 open + c->missing, c->count + c->missing, percent,
                 open ? "; more runs are needed" : ": they are missing in some runs");
    }
    return verdict == VERDICT_WORSE    ? REPORT_DIFFERS
           : verdict == VERDICT_BETTER ? REPORT_FINE
                                       : REPORT_UNDECIDED;
}

/* Adds a note about main figures whose median ratio and ratio of medians point in opposite directions. */
static void note_opposite(struct comparison *c)
{
    char names[200] = "";
    for (size_t i = 0; i < c->count; i++) {
        const struct compared *row = &c->compared[i];
        double ratio = row->ratio.value - 1;
        if ((is_rating(row) || row->figure->main) && fabs(ratio) > 5e-5 &&
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
    size_t family = c->count - (c->rating != NULL);
    if (c->missing)
        grouped_add(&c->sides.notes, NULL, "%zu figure%s not compared: missing in some runs", c->missing,
                    TEXT_S(c->missing));
    note_opposite(c);
    if (!c->look && c->count)
        grouped_add(&c->sides.notes, NULL, "sessions: %s has %zu, %s has %zu%s", c->sides.side[0].label,
                    c->sessions[0], c->sides.side[1].label, c->sessions[1],
                    c->by_session         ? "; their medians are compared"
                    : !(c->allowance > 0) ? ""
                    : c->rating           ? "; the intervals include --between-sessions"
                                : "; the marks of rows do not include differences between sessions");
    double share = (1 - INTERVAL_LEVEL) / (double)family;
    if (!c->look && !isnan(c->level) && family && c->least > share)
        grouped_add(
            &c->sides.notes, NULL,
            "with %zu and %zu runs, a change is significant only if at least %.0f of the %zu %s change; "
            "%zu and %zu runs can show a single one",
            c->before, c->after, ceil(c->least / share), family, c->rating ? "figures" : "rows",
            interval_runs(share), interval_runs(share));
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
    double sum = 0, squares = 0, n = (double)c->before;
    if (!c->rating || isnan(c->threshold) || isnan(c->level))
        return 0;
    for (size_t i = 0; i < c->before; i++) {
        double ratio =
            log(sides_rating(&c->sides.run[c->before + i])->value / sides_rating(&c->sides.run[i])->value);
        sum += ratio;
        squares += ratio * ratio;
    }
    double variance = fmax(0, squares - sum * sum / n) / (n - 1);
    double distance = log(c->rating->ratio.value / loss_factor(c->rating, c->threshold));
    return fmin(1e6, fmax((double)c->next, ceil(11 * variance / (distance * distance))));
}

/* Prints the line of --format line. */
static void put_line(const struct comparison *c, const struct compared *const *sorted)
{
    const struct compared *row = c->rating ? c->rating : c->count ? sorted[0] : NULL;
    size_t problems = c->sides.skipped.count + c->sides.reasons.count - (row && isnan(c->level));
    bool usable = row && !problems;
    printf("%s %zu %.0f %.3f ",
           c->sides.errors.count ? "errors"
           : usable              ? "usable"
                                 : "unusable",
           c->next, forecast(c),
           row ? 100 * (row->ratio.high - row->ratio.low) / row->ratio.value : (double)NAN);
    if (row && !c->rating)
        printf("%zu figures, largest change: %s: %.4f", c->count, row->figure->name, row->ratio.value);
    else if (row)
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
    struct sides_table runs;
    struct message error;
    struct table tables[MAX_GROUPS + 1], all = group_table(c, NULL, false, rows),
                                         changed = change_table(c, rows + c->count);
    const struct compared **sorted = rows + c->count, **free_rows = sorted + c->count;
    sides_table_make(&runs, &c->sides);
    tables[0] = runs.table;
    int count = 1 + make_tables(c, true, tables + 1, free_rows);
    if (settings->tables && write_tables(settings->tables, tables, count, &all, &error))
        grouped_add(&c->sides.reasons, NULL, "%s", error.text);
    if (!whole)
        count = 1 + make_tables(c, false, tables + 1, free_rows);
    add_notes(c);
    describe(c, sorted, verdict, sizeof verdict);
    enum report_status status =
        c->sides.errors.count ? REPORT_DIFFERS
        : is_refused(c)       ? REPORT_REFUSED
        : isnan(c->threshold)
            ? (c->hidden && comparison_verdict(c) == VERDICT_OPEN ? REPORT_UNDECIDED : REPORT_FINE)
            : decide(c, sorted, decision, sizeof decision);
    if (settings->format == FORMAT_LINE) {
        put_line(c, sorted);
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
    REPORT_CHOICE(format, formats, "text, json, csv, junit or line"),
    {"threshold", OPTION_PERCENT, REPORT_FIELD(threshold), "PERCENT",
     "exit with status 1 if the rating, or a row of imb_compat, got worse by more than this, such as 5%",
     .max = 99.9},
    {"between-sessions", OPTION_PERCENT, REPORT_FIELD(between), "PERCENT",
     "assumed standard deviation between sessions (jobs, or runs on the same host within an hour), for sides "
     "with fewer than 4 sessions that do not alternate",
     .max = 99},
    {"factor", OPTION_WORDS, REPORT_FIELD(factors), "KEY,...",
     "what was changed on purpose: keys of run.prot (placement, mpi, methods, hints, memory ...), options, "
     "or "
     "environment variables (UCX_TLS); the sides may differ in them, but not the runs of one side"},
    {"pairs", OPTION_INTEGER, REPORT_FIELD(look), "LOOK",
     "compare the first run before with the first run after, and so on; LOOK is 1 if this is the only "
     "comparison of these runs, or the number of this look if more pairs were added after each look",
     .min = 1, .max = PAIRS_LOOKS},
    REPORT_FLAG("looks", looks, "compare pairs; the number of the look follows from their number"),
    REPORT_LABEL,
    REPORT_FLAG("all", all,
                "name all runs that a message is about, and print all figures, including every pattern "
                "and size (json and csv always print all figures)"),
    {"tables", OPTION_TEXT, REPORT_FIELD(tables), "FOLDER",
     "also write all tables to files FOLDER/*.dat for gnuplot"},
    REPORT_INVALID,
    REPORT_HELP};

static const char notes[] =
    "Give several runs before a change, then --, then several runs after it, as in\n"
    "beff_report compare old-* -- new-*. Measure both sides alternately if you can. For each figure, the\n"
    "tables have the median of the ratios after / before over all pairs of runs. This median may differ\n"
    "from the ratio of the medians of the two sides. The tables also have an interval of at least 95 %,\n"
    "computed from the ranks of the ratios (Hodges and Lehmann; Mann and Whitney). It is assumed that the\n"
    "sides differ only by a factor. A session is a series of runs on the same host with at most an hour in\n"
    "between. With 4 and 4 sessions (or 3 and 5), their medians are compared. Otherwise, unless the runs of\n"
    "both sides alternate, --between-sessions s makes the intervals wider: sqrt(h^2 + (1.96 s)^2 (1/k + "
    "1/l))\n"
    "for a half-width h and k and l sessions. A verdict needs at least 4 and 4 runs, 3 and 5, 2 and 8,\n"
    "or 1 and 39.\n\n"
    "The rating decides the verdict, which is better or worse if the interval of the rating excludes 1.\n"
    "imb_compat has no rating, so its rows decide: the verdict names the rows that got slower or faster.\n"
    "The last table lists up to ten figures that changed most. An asterisk marks changes that are\n"
    "significant at 5 % after the correction of Benjamini and Hochberg for the number of figures. With few\n"
    "runs, a change of a single figure among many cannot be significant; a note then says how many runs\n"
    "can show one.\n\n" REPORT_SKIPPED
    "A verdict is refused, and the reason is printed, if the runs differ in their definition or in anything\n"
    "else that determines the result (path, hints, placement ...) and that is not a --factor.\n\n"
    "--pairs is for runs that were made in turns, as beff_ab does. The ratio is the median of the geometric\n"
    "means of all two ratios of pairs (Walsh averages), with an interval from the signed ranks. The "
    "first\n"
    "look has intervals of the level 98.4 %, the others of 99.3 %, so all looks together are wrong in at "
    "most\n"
    "5 %. The looks are after 7, 10, 14, 20, 28, 40, 56, 79, 112 and 158 pairs. --format line prints one "
    "line\n"
    "for scripts: usable, unusable or errors; pairs at the next look, or 0; forecast of the pairs that are\n"
    "needed, or 0; width of the interval in percent; ratio or largest change.\n\n"
    "--tables writes runs.dat (side, run, start, verdict, rating, noise), a file for each group of figures\n"
    "(rating.dat, figure.dat and the tables of the sheet, such as by_size.dat), and compare.dat with all\n"
    "figures. The columns are: group (only in compare.dat), figure, bytes (message or chunk size, - if "
    "there\n"
    "is none), before, after (medians), unit, better (higher or lower), ratio, low, high, changed (* or -),\n"
    "and bytes_after if the sizes differ. beff_plot FOLDER draws them.\n\n"
    "Exit status: 0 compared; 1 data errors in a run (imb_compat: with -check); 2 usage; 3 refused.\n"
    "5 the change is not larger than what sessions may differ.\n"
    "With --threshold: 0 nothing got worse by more than PERCENT; 1 something did; 5 more runs are needed.\n"
    "Data errors take precedence over everything else.\n";

REPORT_COMMAND(compare, "[--threshold PERCENT] [--factor KEY,...] [OPTION]... RUN... -- RUN...",
               "report whether the result got better or worse, from several runs before and after",
               .sides = 2);
