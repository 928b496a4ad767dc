/* Compares the runs before a change with the runs after it, figure by figure, and judges the change. The
 * rating decides. If the runs have no rating, as those of imb_compat, the geometric mean of all rows is the
 * rating, and the rows are named that changed apart from the others. */
#ifndef REPORT_COMPARISON_H
#define REPORT_COMPARISON_H

#include "report/sessions.h"

enum verdict { VERDICT_NONE, VERDICT_BETTER, VERDICT_WORSE, VERDICT_OPEN };

/* One figure on both sides. */
struct compared {
    const struct figure *figure; /* the figure in the first run */
    int64_t other_bytes;         /* its size in the runs after the change, in bytes; -1: none */
    double before, after;        /* median of each side */
    struct ratio ratio;          /* after / before */
    struct ratio apart;          /* the same without what most rows share, at the level of the selection */
    double chance;               /* chance of such a ratio `apart` if nothing changed; NaN: too few runs */
    double loss;                 /* chance of the ratio if the figure got worse by exactly the threshold */
    bool significant;            /* after the correction for the number of figures; false for the rating */
    bool lost;                   /* it got worse by more than the threshold, after the correction */
};

/* Returns true for the row of the rating. */
bool compared_is_rating(const struct compared *row);

/* Returns the factor by which a figure changes if it gets worse by a threshold. */
double compared_limit(const struct compared *row, double threshold);

/* Returns true if the ratio is worse than a factor, or the ratio `apart` than 1. */
bool compared_is_worse(const struct compared *row, double factor);
bool compared_is_worse_apart(const struct compared *row);

struct comparison {
    struct sides sides;
    size_t before, after; /* number of runs of each side */
    struct basis basis;
    struct figure mean; /* the rating of runs without one: the geometric mean of the rows as a time */
    double spread;      /* ratio of the spreads of the ratings of both sides; NaN: unknown */
    double pair_spread; /* standard deviation of the logarithms of the ratios of pairs */
    bool hidden;        /* without the allowance, the rating's interval would exclude 1 */
    size_t old;         /* sessions of --history from which basis.between was measured */
    size_t next;        /* number of pairs at the next look; 0: there is none */
    struct compared *compared;
    size_t count;
    size_t missing;                /* largest number of figures of a run that are missing in other runs */
    double level;                  /* confidence level of the intervals; NaN if there are none */
    double least;                  /* smallest possible chance; NaN if there are too few runs */
    double threshold;              /* accepted loss (0.05 for 5 %); NaN if none was given */
    double chosen;                 /* level of the intervals of the figures that are named */
    const struct compared *rating; /* NULL: there is no comparison */
};

/* Loads the runs of the settings and compares their two sides. The first side has the runs before the change.
 * Adds the reasons to refuse a verdict to sides.reasons. Call comparison_free() afterwards. */
void comparison_make(struct comparison *comparison, const struct report_settings *settings);
void comparison_free(struct comparison *comparison);

/* Returns the verdict about the rating; VERDICT_OPEN if no change is significant, VERDICT_NONE if it is
 * refused. */
enum verdict comparison_verdict(const struct comparison *comparison);

/* Judges whether the rating got worse by more than the threshold. Returns VERDICT_WORSE if it or a row of
 * runs without a rating did, VERDICT_BETTER if not, VERDICT_OPEN if an interval contains the threshold or
 * rows are missing, and VERDICT_NONE if the verdict is refused. Looks go on until each row is known. */
enum verdict comparison_judge(const struct comparison *comparison);

/* Counts the rows that got worse by more than the threshold, and the rows for which more runs are needed. */
void comparison_lost(const struct comparison *comparison, size_t *lost, size_t *open);

bool comparison_is_refused(const struct comparison *comparison);

/* Returns true if the rating is the geometric mean of all rows. */
bool comparison_has_mean(const struct comparison *comparison);

/* Returns VERDICT_BETTER if an interval shows that a figure did not get worse by more than the threshold, and
 * VERDICT_WORSE if it shows that it did. */
enum verdict compared_judge(const struct compared *row, double threshold);

#endif
