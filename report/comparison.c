#include "report/comparison.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/stats.h"

/* ---- figures ---- */

bool compared_is_rating(const struct compared *row)
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
            const struct figure *figure = &run->figure[at[i]];
            order = strcmp(figure->group, wanted->group);
            order = order ? order : strcmp(figure->name, wanted->name);
            if (order >= 0)
                break;
            at[i]++;
        }
        if (order == 0)
            values[i] = run->figure[at[i]++].value;
        found = found && order == 0;
    }
    return found;
}

double compared_limit(const struct compared *row, double threshold)
{
    return row->figure->lower ? 1 + threshold : 1 - threshold;
}

bool compared_is_worse(const struct compared *row, double factor)
{
    return row->figure->lower ? row->ratio.value > factor : row->ratio.value < factor;
}

bool compared_is_worse_apart(const struct compared *row)
{
    return row->figure->lower == (row->apart.value > 1);
}

enum verdict compared_judge(const struct compared *row, double threshold)
{
    double low = row->ratio.low, high = row->ratio.high, limit = compared_limit(row, threshold);
    bool lower = row->figure->lower;
    return (lower ? low > limit : high < limit)     ? VERDICT_WORSE
           : (lower ? high <= limit : low >= limit) ? VERDICT_BETTER
                                                    : VERDICT_OPEN;
}

/* Returns the ratios of a figure, to be freed, without what most rows share. */
static double *apart_ratios(const struct basis *b, const struct compared *row, const double *values,
                            const double *shared, size_t *count)
{
    size_t runs = b->side[1]->end;
    double *own = memory_new(runs, sizeof *own, "the figures");
    for (size_t k = 0; k < runs; k++)
        own[k] = !shared || compared_is_rating(row) ? values[k]
                 : row->figure->lower               ? values[k] / shared[k]
                                                    : values[k] * shared[k];
    double *taken = basis_take(b, own), *ratios = basis_ratios(b, taken, count);
    free(taken);
    free(own);
    return ratios;
}

/* Compares a figure. `shared` is NULL or from find_shared(). */
static void compare_figure(struct comparison *c, struct compared *row, const double *values,
                           const double *shared)
{
    const struct basis *b = &c->basis;
    double *taken = basis_take(b, values), factor = compared_limit(row, c->threshold);
    size_t count, n = b->count[0], m = b->count[1];
    double *ratios = basis_ratios(b, taken, &count);
    /* A look has a stricter level than the correction for many figures, which starts from INTERVAL_LEVEL. */
    double scale = (1 - INTERVAL_LEVEL) / (1 - b->level);
    row->before = stats_median(taken, n);
    row->after = stats_median(taken + n, m);
    row->ratio = basis_interval(b, ratios, count, b->level);
    row->loss = NAN;
    if (compared_is_rating(row)) {
        double before = stats_log_deviation(taken, n), after = stats_log_deviation(taken + n, m);
        c->spread = fmax(before, after) / fmin(before, after);
    }
    if (!isnan(c->level) && !isnan(c->threshold))
        row->loss =
            compared_is_worse(row, factor) ? scale * ratio_chance(ratios, count, factor, b->chances) : 1;
    free(ratios);
    if (compared_is_rating(row) && b->look) {
        for (size_t i = 0; i < n; i++)
            taken[i] = taken[n + i] / taken[i];
        c->pair_spread = stats_log_deviation(taken, n);
    }
    ratios = apart_ratios(b, row, values, shared, &count);
    row->apart = basis_interval(b, ratios, count, b->level);
    row->chance = isnan(c->level) ? (double)NAN : scale * ratio_chance(ratios, count, 1, b->chances);
    free(ratios);
    free(taken);
}

/* Marks the figures, except the rating, whose change is significant, and sets their intervals. The values of
 * row i of the `runs` runs start at values[i * runs]. */
static void correct(struct comparison *c, const double *values, const double *shared)
{
    const struct basis *b = &c->basis;
    double *chances = memory_new(2 * c->count, sizeof *chances, "the figures"), *losses = chances + c->count;
    bool *marks = memory_new(2 * c->count, sizeof *marks, "the figures"), *lost = marks + c->count;
    size_t family = 0, runs = c->sides.count;
    for (size_t i = 0; i < c->count; i++)
        if (!compared_is_rating(&c->compared[i])) {
            chances[family] = c->compared[i].chance;
            losses[family++] = isnan(c->compared[i].loss) ? 1 : c->compared[i].loss;
        }
    size_t selected = chances_correct(chances, family, marks);
    chances_correct(losses, family, lost);
    if (selected)
        c->chosen = 1 - (1 - b->level) * (double)selected / (double)family;
    for (size_t i = 0, k = 0; i < c->count; i++) {
        struct compared *row = &c->compared[i];
        if (compared_is_rating(row))
            continue;
        if (selected) {
            size_t count;
            double *ratios = apart_ratios(b, row, values + i * runs, shared, &count);
            row->apart = basis_interval(b, ratios, count, c->chosen);
            free(ratios);
        }
        row->significant = marks[k] && (row->apart.low > 1 || row->apart.high < 1);
        row->lost = lost[k++] && compared_judge(row, c->threshold) == VERDICT_WORSE;
    }
    free(chances);
    free(marks);
}

static int in_order(const void *a, const void *b)
{
    const struct compared *left = a, *right = b;
    int order = compared_is_rating(right) - compared_is_rating(left);
    return order
               ? order
               : (left->figure->place > right->figure->place) - (left->figure->place < right->figure->place);
}

/* Adds the geometric mean of the rows as the rating, unless there is one. */
static void add_mean(struct comparison *c, double *values)
{
    size_t runs = c->sides.count;
    if (!c->count || sides_rating(c->sides.run))
        return;
    for (size_t k = 0; k < runs; k++) {
        double sum = 0;
        for (size_t i = 0; i < c->count; i++)
            sum += (c->compared[i].figure->lower ? 1 : -1) * log(values[i * runs + k]);
        values[c->count * runs + k] = exp(sum / (double)c->count);
    }
    c->mean = (struct figure){
        .group = FIGURE_RATING, .name = "mean of all rows", .unit = "", .bytes = -1, .lower = true};
    c->compared[c->count++] = (struct compared){.figure = &c->mean, .other_bytes = -1};
}

/* Sets the rows to the figures that all runs have, and to their mean if the runs have no rating. Returns
 * their values, which the caller frees: the values of row i start at [i * runs]. The array has room for one
 * more row. */
static double *collect_figures(struct comparison *c)
{
    const struct side_run *first = c->sides.run, *other = first + c->before;
    size_t runs = c->sides.count, room = first->count + 2, *at = memory_new(runs, sizeof *at, "the figures");
    double *values = memory_new(room * runs, sizeof *values, "the figures");
    c->compared = memory_new(room, sizeof *c->compared, "the figures");
    for (size_t i = 0; i < first->count; i++)
        if (collect(&c->sides, &first->figure[i], at, values + c->count * runs))
            c->compared[c->count++] = (struct compared){
                .figure = &first->figure[i], .other_bytes = other->figure[at[c->before] - 1].bytes};
    for (size_t i = 0; i < runs; i++)
        if (c->sides.run[i].count - c->count > c->missing)
            c->missing = c->sides.run[i].count - c->count;
    free(at);
    add_mean(c, values);
    return values;
}

/* Sets shared[k] to the factor by which run k takes longer than all runs: the median over the rows, so that a
 * few rows that change have no effect on the others. */
static void find_shared(const struct comparison *c, const double *values, double *shared)
{
    size_t runs = c->sides.count, rows = c->count - 1;
    double *factors = memory_new(rows * runs, sizeof *factors, "the figures");
    for (size_t i = 0; i < rows; i++) {
        double mean = stats_logavg(values + i * runs, runs);
        for (size_t k = 0; k < runs; k++)
            factors[k * rows + i] = pow(values[i * runs + k] / mean, c->compared[i].figure->lower ? 1 : -1);
    }
    for (size_t k = 0; k < runs; k++)
        shared[k] = stats_median(factors + k * rows, rows);
    free(factors);
}

/* Returns the paths of the runs in the folders of --history, after those of the runs before the change. */
static struct texts find_history(const struct report_settings *settings)
{
    static const char *const patterns[] = {"run.prot", "*.prot", "*/run.prot", "*/*/run.prot"};
    struct texts paths = {0};
    for (size_t i = 0; i < settings->side[0].end; i++)
        texts_add(&paths, "%s", settings->runs.text[i]);
    for (size_t i = 0; i < settings->history.count; i++)
        for (size_t k = 0; k < sizeof patterns / sizeof patterns[0]; k++) {
            glob_t found = {0};
            char *pattern = text_format("%s/%s", settings->history.text[i], patterns[k]);
            if (glob(pattern, 0, NULL, &found) == 0)
                for (size_t n = 0; n < found.gl_pathc; n++)
                    texts_add(&paths, "%s", found.gl_pathv[n]);
            globfree(&found);
            free(pattern);
        }
    return paths;
}

/* Removes the runs of --history's folders that started after the change. */
static void drop_later(struct sides *old, const struct comparison *c, size_t before)
{
    size_t kept = 0;
    for (size_t i = 0; i < old->count; i++) {
        struct side_run *run = &old->run[i];
        bool later = false;
        for (size_t k = c->before; k < c->sides.count && run->given >= before; k++)
            later |= strcmp(report_meta(&run->report, "started"),
                            report_meta(&c->sides.run[k].report, "started")) >= 0;
        if (later) {
            free(run->figure);
            report_free(&run->report);
        } else {
            old->run[kept++] = *run;
        }
    }
    old->count = old->side->end = kept;
}

/* Returns the ratings of all runs; NULL if they have none. */
static const double *ratings_of(const struct comparison *c, const double *values)
{
    for (size_t i = 0; i < c->count; i++)
        if (compared_is_rating(&c->compared[i]))
            return values + i * c->sides.count;
    return NULL;
}

/* Returns the standard deviation between sessions: of the runs before the change and of old runs if there
 * are any, otherwise the assumed one. */
static double measure_between(struct comparison *c, const struct report_settings *settings)
{
    double between = settings->between;
    if (!settings->history.count)
        return between;
    struct report_settings own = *settings;
    struct comparison old = {0};
    own.runs = find_history(settings);
    own.side[0].end = own.runs.count;
    own.sides = 1;
    own.looks = false;
    own.look = 0;
    own.factors = (struct texts){0};
    sides_load(&old.sides, &own, false);
    drop_later(&old.sides, c, settings->side[0].end);
    sides_check(&old.sides, &own, true);
    size_t runs = old.sides.count, sessions = 0;
    if (runs && !old.sides.reasons.count) {
        size_t *session = memory_new(runs, sizeof *session, "the sessions");
        double *values = collect_figures(&old), *medians = values + old.count * runs;
        const double *ratings = ratings_of(&old, values);
        sessions_find(&old.sides, session);
        if (ratings)
            sessions = sessions_medians(old.sides.side, session, ratings, medians);
        if (sessions >= SESSIONS_LEAST) {
            between = stats_log_deviation(medians, sessions);
            c->old = sessions;
        }
        free(session);
        free(values);
    }
    if (!c->old) {
        char *why = runs && old.sides.reasons.count ? grouped_text(old.sides.reasons.line) : NULL;
        grouped_add(&c->sides.reasons, NULL, "--history: %zu comparable sessions, at least %d are needed%s%s",
                    sessions, SESSIONS_LEAST, why ? ": " : "", why ? why : "");
        free(why);
    }
    texts_free(&own.runs);
    comparison_free(&old);
    return between;
}

static void compare_figures(struct comparison *c, const struct report_settings *settings)
{
    size_t runs = c->sides.count, *session = memory_new(runs, sizeof *session, "the sessions");
    double *values = collect_figures(c), *shared = NULL;
    struct basis *b = &c->basis;
    b->session = session;
    bool alternate = sessions_find(&c->sides, session);
    if (c->count && c->compared[c->count - 1].figure == &c->mean)
        find_shared(c, values, shared = values + c->count * runs);
    const double *ratings = ratings_of(c, values);
    double between = measure_between(c, settings);
    basis_make(b, &c->sides.side[0], &c->sides.side[1], b->look || alternate, ratings ? ratings : values,
               between, c->old);
    size_t rank = chances_rank(b->chances, b->level, &c->level), apart = 0;
    for (size_t i = 0; b->look && i < c->before && b->sessions[0] + b->sessions[1] < runs; i++)
        apart += session[i] != session[c->before + i];
    if (apart)
        grouped_add(&c->sides.notes, NULL,
                    "the runs of %zu pair%s are not from one session: the intervals may be too narrow", apart,
                    TEXT_S(apart));
    c->chosen = b->level;
    c->least = b->chances ? 2 * b->chances[0] : (double)NAN;
    if (!b->chances) {
        grouped_add(&c->sides.reasons, NULL,
                    "too many %s (%zu and %zu): at most %d on a side%s can be compared",
                    b->look ? "pairs" : "runs", b->count[0], b->count[1], b->look ? PAIRS_MAX : INTERVAL_MAX,
                    b->look ? "" : ", or 4 to 100 sessions on each,");
        c->count = 0; /* the ratios of so many runs take too long */
    } else if (!rank && b->look)
        grouped_add(&c->sides.reasons, NULL, "too few pairs (%zu) for look %d: at least %zu are needed",
                    b->count[0], b->look, pairs_of_look(b->look));
    else if (!rank)
        grouped_add(&c->sides.reasons, NULL,
                    "too few runs (%zu and %zu) for a verdict at 95 %%: at least 4 and 4, 3 and 5, 2 and 8, "
                    "or 1 and 39 are needed",
                    b->count[0], b->count[1]);
    for (size_t i = 0; i < c->count; i++)
        compare_figure(c, &c->compared[i], values + i * runs, shared);
    if (rank)
        correct(c, values, shared);
    if (c->count)
        qsort(c->compared, c->count, sizeof *c->compared, in_order);
    if (c->count && compared_is_rating(c->compared))
        c->rating = c->compared;
    c->hidden = c->rating && b->allowance > 0 && c->rating->chance <= 1 - b->level &&
                c->rating->ratio.low <= 1 && c->rating->ratio.high >= 1;
    free(values);
    free(session);
    b->session = NULL;
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
    else if (!c->count && c->basis.chances)
        grouped_add(&c->sides.reasons, NULL, "the runs have no figure in common");
}

void comparison_make(struct comparison *c, const struct report_settings *settings)
{
    *c = (struct comparison){
        .level = NAN, .least = NAN, .threshold = settings->threshold, .basis.look = (int)settings->look};
    struct sides *sides = &c->sides;
    sides_load(sides, settings, false);
    for (size_t s = 0; s < 2; s++) {
        size_t count = sides->side[s].end - sides->side[s].first;
        if (!count)
            grouped_add(&sides->reasons, NULL, "no usable run %s -- (NOT VALID runs: see --allow-invalid)",
                        s ? "after" : "before");
        *(s ? &c->after : &c->before) = count;
    }
    if (settings->looks)
        c->basis.look = look_of_pairs(c->before);
    c->next = pairs_of_look(look_of_pairs(c->before + 1));
    c->next = c->next > c->before ? c->next : 0;
    if (c->basis.look && !sides->reasons.count &&
        (c->before != c->after || sides->count != settings->runs.count))
        grouped_add(
            &sides->reasons, NULL,
            "--pairs needs as many runs after -- as before it, and no skipped run (%zu and %zu usable)",
            c->before, c->after);
    if (sides->reasons.count)
        return;
    sides_check(sides, settings, true);
    if (sides->reasons.count)
        return;
    compare_figures(c, settings);
    check_rating(c);
}

void comparison_free(struct comparison *c)
{
    sides_free(&c->sides);
    free(c->basis.chances);
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

bool comparison_is_refused(const struct comparison *c)
{
    return c->sides.reasons.count || c->sides.errors.count || !c->rating || isnan(c->level);
}

enum verdict comparison_verdict(const struct comparison *c)
{
    return comparison_is_refused(c) ? VERDICT_NONE : rating_verdict(c->rating);
}

bool comparison_has_mean(const struct comparison *c)
{
    return c->rating && c->rating->figure == &c->mean;
}

void comparison_lost(const struct comparison *c, size_t *lost, size_t *open)
{
    *lost = *open = 0;
    for (size_t i = 1; i < c->count; i++) {
        *lost += c->compared[i].lost;
        *open += !c->compared[i].lost && compared_judge(&c->compared[i], c->threshold) != VERDICT_BETTER;
    }
}

enum verdict comparison_judge(const struct comparison *c)
{
    size_t lost, open;
    if (comparison_is_refused(c))
        return VERDICT_NONE;
    comparison_lost(c, &lost, &open);
    enum verdict verdict = compared_judge(c->rating, c->threshold);
    if (!comparison_has_mean(c) || verdict == VERDICT_WORSE || (!lost && verdict == VERDICT_OPEN))
        return verdict;
    return lost ? VERDICT_WORSE : (c->basis.look && open) || c->missing ? VERDICT_OPEN : VERDICT_BETTER;
}
