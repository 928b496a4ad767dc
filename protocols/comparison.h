/* Two sides of runs, and what of them got better, worse, or neither can be said. Pure. */
#ifndef PROTOCOLS_COMPARISON_H
#define PROTOCOLS_COMPARISON_H

#include "protocols/interval.h"
#include "protocols/report.h"

enum verdict { VERDICT_NONE, VERDICT_BETTER, VERDICT_WORSE, VERDICT_OPEN };

/* One figure on both sides. */
struct compared {
    const struct report_item *item; /* of the first run */
    double before, after;           /* medians */
    struct ratio ratio;             /* after / before */
    enum verdict verdict;           /* VERDICT_NONE: refused */
};

enum { COMPARISON_MOST_REASONS = 16, COMPARISON_REASON_SIZE = 300 };

struct side {
    struct report *runs;
    struct report_items *items; /* of each run */
    size_t count;
};

struct comparison {
    struct side side[2]; /* before, after */
    struct compared *compared;
    size_t count;
    size_t left_out; /* figures of the first run that are not in all runs */
    double level;    /* of the intervals; NaN: there are none */
    char reasons[COMPARISON_MOST_REASONS][COMPARISON_REASON_SIZE]; /* why a verdict is refused */
    int reason_count;
    bool same_definition; /* else nothing is compared */
    char notes[COMPARISON_MOST_REASONS][COMPARISON_REASON_SIZE];
    int note_count;
};

/* Loads the runs and compares them; `first` of the `count` paths are the side before. 0, or -1 with one line
 * (a run can't be read, out of memory). */
int comparison_make(struct comparison *comparison, char *const *paths, size_t count, size_t first,
                    struct message *error);

/* The rating's row; NULL if there is none. */
const struct compared *comparison_rating(const struct comparison *comparison);

/* How the rating stands to a loss of more than `threshold` (0.05: 5 %): VERDICT_WORSE: it lost more;
 * VERDICT_BETTER: it did not; VERDICT_OPEN: the interval holds both; VERDICT_NONE: refused. */
enum verdict comparison_judge(const struct compared *rating, double threshold);

void comparison_free(struct comparison *comparison);

#endif
