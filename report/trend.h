/* A history of runs of one definition on one system, and whether the level of its rating changed. */
#ifndef REPORT_TREND_H
#define REPORT_TREND_H

#include "report/inference.h"
#include "report/runs.h"

struct trend {
    struct runs runs;                 /* its reasons: why there is no verdict */
    const struct report_item *rating; /* of the first run; NULL: runs do not compare */
    struct change change;             /* p NaN: not looked for */
    double smallest_loss;             /* that would have been reported, see change_smallest_loss() */
    enum verdict verdict;             /* VERDICT_OPEN: no change; VERDICT_NONE: not looked for */
};

/* Loads the runs of the settings, to be freed, and looks for a change. */
void trend_make(struct trend *trend, const struct report_settings *settings);

/* The verdict, in one line and as exit status: 0 no change for the worse, 1 changed for the worse, 3 refused,
 * 5 too few runs. */
enum report_status trend_judge(const struct trend *trend, char *text, size_t size);

#endif
