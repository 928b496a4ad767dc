/* Two sides of runs, and what of them got better or worse, or is inconclusive. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "report/inference.h"
#include "report/runs.h"

/* One figure on both sides. */
struct compared {
    const struct report_item *item; /* of the first run */
    double other_bytes;             /* the size on the side after */
    double before, after;           /* medians */
    struct ratio ratio;             /* after / before */
    enum verdict verdict;           /* of the rating; VERDICT_NONE: refused, and of all others */
};

struct comparison {
    struct runs runs; /* those before come first */
    size_t before;    /* how many they are */
    struct compared *compared;
    size_t count;
    size_t missing; /* figures of the first run that are not in all runs */
    double level;   /* of the intervals; NaN: there are none */
};

/* Loads the runs of the settings, of which the first side is before, and compares them. What a verdict is
 * refused for is in the runs' reasons. 0, or -1 with one line. */
int comparison_make(struct comparison *comparison, const struct report_settings *settings,
                    struct message *error);
void comparison_free(struct comparison *comparison);

/* The rating's row; NULL if there is none. */
const struct compared *comparison_rating(const struct comparison *comparison);

/* How the rating stands to a loss of more than `threshold` (0.05: 5 %): VERDICT_WORSE: it lost more;
 * VERDICT_BETTER: it did not; VERDICT_OPEN: the interval holds both; VERDICT_NONE: refused. */
enum verdict comparison_judge(const struct compared *rating, double threshold);

#endif
