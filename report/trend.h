/* A history of runs of one definition on one system, and whether its level changed. Pure. */
#ifndef PROTOCOLS_TREND_H
#define PROTOCOLS_TREND_H

#include "report/change.h"
#include "report/command.h"
#include "report/comparison.h"

struct trend_figure {
    const struct report_item *item; /* of the first run that has it */
    double *values;                 /* by start; NaN: the run has not got it */
    struct change change;           /* p NaN: not looked for */
    enum verdict verdict;           /* VERDICT_OPEN: no change is told; VERDICT_NONE: not looked for */
};

struct trend {
    struct comparison runs;       /* its reasons: why there is no verdict; its notes */
    struct trend_figure *figures; /* the rating, and those that were asked for; 0 where runs do not compare */
    size_t count;
};

/* Loads the runs and looks for changes. `names`: figures beside the rating, as compare names them. 0, or -1
 * with one line: a run can't be read, out of memory. A figure that no run has is a reason. */
int trend_make(struct trend *trend, const struct option_words *runs, const struct option_words *names,
               bool any_host, bool allow_invalid, struct message *error);

/* The verdict on the rating, in one line and as exit status: 0 no change for the worse, 1 changed for the
 * worse, 3 refused, 5 too few runs. */
enum report_status trend_judge(const struct trend *trend, char *text, size_t size);

void trend_free(struct trend *trend);

#endif
