/* Compares the runs before a change with the runs after it, figure by figure, and judges the change of the
 * rating. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "common/inference.h"
#include "report/runs.h"

/* One figure on both sides. */
struct compared {
    const struct report_item *item; /* the figure in the first run */
    double other_bytes;             /* message size of the figure in the runs after the change, in bytes */
    double before, after;           /* median of each side */
    struct ratio ratio;             /* after / before */
    enum verdict verdict;           /* verdict on the rating; VERDICT_NONE if refused and for other figures */
};

struct comparison {
    struct runs runs; /* the runs before, then the runs after */
    size_t before;    /* number of runs before */
    struct compared *compared;
    size_t count;
    size_t missing; /* figures of the first run that are missing in other runs */
    double level;   /* confidence level of the intervals; NaN if there are none */
};

/* Loads the runs of the settings and compares their two sides. The first side has the runs before the change.
 * Adds the reasons to refuse a verdict to runs.reasons. Returns 0 on success, or -1 with a message in
 * `error`. Call comparison_free() after success. */
int comparison_make(struct comparison *comparison, const struct report_settings *settings,
                    struct message *error);
void comparison_free(struct comparison *comparison);

/* Returns the comparison of the rating; NULL if there is none. */
const struct compared *comparison_rating(const struct comparison *comparison);

/* Judges whether the rating got worse by more than `threshold` (0.05 for 5 %). Returns VERDICT_WORSE if it
 * did, VERDICT_BETTER if it did not, VERDICT_OPEN if the interval contains the threshold, and VERDICT_NONE if
 * there is no interval. */
enum verdict comparison_judge(const struct compared *rating, double threshold);

#endif
