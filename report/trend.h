/* Finds a change of the rating in a history of runs of one definition on one system. */
#ifndef REPORT_TREND_H
#define REPORT_TREND_H

#include "report/inference.h"
#include "report/runs.h"

struct trend {
    struct runs runs;                 /* runs.reasons are the reasons why there is no verdict */
    const struct report_item *rating; /* rating of the first run; NULL if the runs cannot be compared */
    struct change change;             /* p is NaN if the history was not tested */
    double smallest_loss;             /* see change_smallest_loss(); NaN if the history was not tested */
    enum verdict verdict;             /* VERDICT_OPEN: no change; VERDICT_NONE: not tested */
};

/* Loads the runs of the settings and tests them for a change. Call runs_free() for the runs. */
void trend_make(struct trend *trend, const struct report_settings *settings);

/* Writes the verdict as one line, and returns the exit status: 0 not worse, 1 worse, 3 refused, 5 too
 * few runs. */
enum report_status trend_judge(const struct trend *trend, char *text, size_t size);

#endif
