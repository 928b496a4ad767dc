/* Compares the runs before a change with the runs after it, figure by figure, and judges the change. The
 * rating decides. If the runs have no rating, as those of imb_compat, their rows decide. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "common/inference.h"
#include "report/sessions.h"

enum verdict { VERDICT_NONE, VERDICT_BETTER, VERDICT_WORSE, VERDICT_OPEN };

/* One figure on both sides. */
struct compared {
    const struct figure *figure; /* the figure in the first run */
    int64_t other_bytes;         /* its size in the runs after the change, in bytes; -1: none */
    double before, after;        /* median of each side */
    struct ratio ratio;          /* after / before */
    double chance;               /* chance of such a difference if nothing changed; NaN: too few runs */
    double loss;                 /* the same, if the figure got worse by exactly the threshold */
    bool significant;            /* after the correction for the number of figures; false for the rating */
    bool lost;                   /* it got worse by more than the threshold, after the correction */
};

struct comparison {
    struct sides sides;
    size_t before, after; /* number of runs of each side */
    int look;             /* number of the look at pairs, from 1; 0: runs are not in pairs */
    size_t sessions[2];   /* number of sessions of each side */
    bool by_session;      /* the medians of the sessions are compared */
    bool hidden;          /* without the allowance, the rating's interval would exclude 1 */
    double allowance;     /* for differences between sessions: half-width of the logarithm of a ratio */
    size_t next;          /* number of pairs at the next look; 0: there is none */
    struct compared *compared;
    size_t count;
    size_t missing;                /* largest number of figures of a run that are missing in other runs */
    double level;                  /* confidence level of the intervals; NaN if there are none */
    double least;                  /* smallest possible chance; NaN if there are too few runs */
    double threshold;              /* accepted loss (0.05 for 5 %); NaN if none was given */
    const struct compared *rating; /* NULL: no run has a rating, or there is no comparison */
};

/* Loads the runs of the settings and compares their two sides. The first side has the runs before the change.
 * Adds the reasons to refuse a verdict to sides.reasons. Call comparison_free() afterwards. */
void comparison_make(struct comparison *comparison, const struct report_settings *settings);
void comparison_free(struct comparison *comparison);

/* Returns the verdict, from the rating or from the rows: VERDICT_WORSE if any row got worse, VERDICT_BETTER
 * if rows only got better, VERDICT_OPEN if no change is significant, VERDICT_NONE if it is refused. */
enum verdict comparison_verdict(const struct comparison *comparison);

/* Judges whether the rating, or any row, got worse by more than the threshold. Returns
 * VERDICT_WORSE if it did, VERDICT_BETTER if neither the rating nor any row did, VERDICT_OPEN if an interval
 * contains the threshold, and VERDICT_NONE if the verdict is refused. */
enum verdict comparison_judge(const struct comparison *comparison);

#endif
