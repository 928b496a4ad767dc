/* Implements the command trend: checks the start times, finds the change, and prints the verdict. */
#include "report/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "report/pictures.h"

/* ---- the history ---- */

/* Adds reasons to refuse a verdict for runs whose start and end times cannot be right. */
static void check_times(struct runs *runs, bool any_host)
{
    for (size_t i = 0; i < runs->count; i++) {
        const struct report *run = runs_by_start(runs, i), *last = i ? runs_by_start(runs, i - 1) : run;
        const char *started = report_meta(run, "started"), *name = report_name(run);
        double start = report_time(run, "started");
        if (isnan(start))
            grouped_add(&runs->reasons, NULL,
                        "%s: started = %.40s is not a time: its place in the history is unknown", name,
                        started);
        else if (report_time(run, "finished") < start)
            grouped_add(&runs->reasons, NULL,
                        "%s finished at %.40s, before it started at %.40s: its clock was wrong", name,
                        report_meta(run, "finished"), started);
        else if (i && start == report_time(last, "started"))
            grouped_add(&runs->reasons, NULL, "%s and %s were both started at %.40s: their order is unknown",
                        report_name(last), name, started);
        else if (i && start < report_time(last, "finished") && any_host)
            grouped_add(&runs->notes, name, "was started before the previous run finished, on another host");
        else if (i && start < report_time(last, "finished"))
            grouped_add(
                &runs->reasons, NULL,
                "%s was started at %.40s, before %s finished at %.40s: the runs disturbed each other, or a "
                "clock was wrong",
                name, started, report_name(last), report_meta(last, "finished"));
    }
}

/* Tests the ratings, in the order of the starts, for a change. */
static void find_change(struct trend *t)
{
    struct runs *runs = &t->runs;
    double *values = memory_new(runs->count, sizeof *values, "the history");
    size_t missing = 0;
    t->rating = runs_item(runs->items, REPORT_RATING, NULL);
    for (size_t i = 0; i < runs->count; i++) {
        const struct report_item *item =
            t->rating ? runs_item(&runs->items[runs->order[i]], REPORT_RATING, t->rating->name) : NULL;
        values[i] = item && item->rows == t->rating->rows ? item->value : NAN;
        missing += isnan(values[i]) != 0;
    }
    if (missing)
        grouped_add(&runs->reasons, NULL, "%zu of %zu runs have no comparable rating", missing, runs->count);
    else
        change_find(&t->change, values, runs->count);
    const struct change *change = &t->change;
    if (!missing && !isnan(change->p))
        t->smallest_loss = change_smallest_loss(change, values, runs->count, t->rating->less_is_better);
    free(values);
    if (missing || isnan(change->p))
        return;
    bool changed = change->p < CHANGE_P && change->after != change->before;
    t->verdict = !changed                                                        ? VERDICT_OPEN
                 : (change->after > change->before) != t->rating->less_is_better ? VERDICT_BETTER
                                                                                 : VERDICT_WORSE;
    if (changed)
        runs_note_changes(runs, runs->order, change->at);
}

void trend_make(struct trend *t, const struct report_settings *settings)
{
    *t = (struct trend){.change = {.k = NAN, .p = NAN, .before = NAN, .after = NAN}, .smallest_loss = NAN};
    runs_load(&t->runs, settings);
    runs_add_errors(&t->runs, &t->runs.reasons);
    if (runs_are_alike(&t->runs, true, settings->any_host)) {
        check_times(&t->runs, settings->any_host);
        find_change(t);
    }
}

enum report_status trend_judge(const struct trend *t, char *text, size_t size)
{
    const struct change *change = &t->change;
    snprintf(text, size, "no verdict");
    if (t->runs.reasons.count)
        return REPORT_REFUSED;
    if (t->verdict == VERDICT_NONE) {
        snprintf(text, size, "no verdict: %zu run%s, but at least %d are needed to find a change",
                 t->runs.count, PLURAL(t->runs.count), CHANGE_MIN);
        return REPORT_UNDECIDED;
    }
    if (t->verdict == VERDICT_OPEN) {
        snprintf(text, size,
                 "%s: no significant change in %zu runs (p = %.4f); smallest detectable loss %.2g %%",
                 t->rating->name, t->runs.count, change->p, 100 * t->smallest_loss);
        return REPORT_FINE;
    }
    snprintf(text, size, "%s: %s from %.150s on, %.3f %s before and %.3f after, ratio %.4f (p = %.5f)",
             t->rating->name, verdict_words[t->verdict], report_name(runs_by_start(&t->runs, change->at)),
             change->before, t->rating->unit, change->after, change->after / change->before, change->p);
    return t->verdict == VERDICT_WORSE ? REPORT_DIFFERS : REPORT_FINE;
}

/* ---- output ---- */

static void put_json(const void *context, struct json *json)
{
    const struct trend *t = context;
    const struct change *change = &t->change;
    bool changed = t->verdict == VERDICT_BETTER || t->verdict == VERDICT_WORSE;
    char text[512];
    trend_judge(t, text, sizeof text);
    json_text(json, "verdict", text);
    json_begin(json, "change", JSON_OBJECT);
    json_text(json, "figure", t->rating ? t->rating->name : NULL);
    json_real(json, "p", change->p);
    json_real(json, "smallest_loss", t->smallest_loss);
    json_text(json, "change", changed ? verdict_words[t->verdict] : "none");
    json_text(json, "from", changed ? report_name(runs_by_start(&t->runs, change->at)) : NULL);
    json_real(json, "before", changed ? change->before : NAN);
    json_real(json, "after", changed ? change->after : NAN);
    json_real(json, "ratio", changed ? change->after / change->before : NAN);
    json_end(json);
}

static enum report_status trend_command(const struct report_settings *settings)
{
    struct trend t;
    struct runs_table history;
    struct message error;
    char text[512];
    trend_make(&t, settings);
    runs_table_make(&history, &t.runs, 0);
    enum report_status status = output_put(&(struct output){.runs = &t.runs,
                                                            .verdict = text,
                                                            .status = trend_judge(&t, text, sizeof text),
                                                            .tables = &history.table,
                                                            .table_count = 1,
                                                            .json = put_json,
                                                            .context = &t},
                                           settings->format);
    if (settings->plots && t.rating && plot_trend(&t, settings, &error))
        status = report_refuse(&error);
    runs_free(&t.runs);
    return status;
}

static const struct option_row rows[] = {
    REPORT_FORMAT,  REPORT_ANY_HOST,
    REPORT_INVALID, REPORT_PLOTS("write a plot of the history to this folder (SVG)"),
    REPORT_LOOKS,   REPORT_HELP};

static const char notes[] =
    "Give at least 10 runs of one definition on one system. trend orders them by their start times.\n"
    "Pettitt's test finds the run at which the level of the rating changes most. The change is significant\n"
    "if fewer than 1 % of the random orders of these values show a change at least as large. Runs must be\n"
    "independent, but no distribution is assumed. If there are several changes, the strongest is reported.\n"
    "A drift counts as a change. In one of 100 histories without a change, trend reports a change. If trend\n"
    "is run after every new run, such false reports are more frequent.\n"
    "\n" REPORT_SKIPPED
    "A verdict is refused, and the reason is printed, if the definitions differ, if a run has data errors,\n"
    "or if the systems differ in processor, nodes, processes or anything else that determines the result\n"
    "(without --any-host, also in hosts). It is also refused if a start time is missing, equals another\n"
    "start time, is after the end of its run, or is within another run. With --any-host, a start within\n"
    "another run causes only a note.\n\n"
    "Exit status: 0 the rating did not get worse; 1 it got worse; 2 usage; 3 refused; 5 too few runs.\n";

REPORT_COMMAND(trend, "[OPTION]... RUN...",
               "report whether and when the result changed in a history of runs");
