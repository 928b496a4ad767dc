/* What is drawn of several runs at once. Pure. */
#ifndef PLOTS_FIGURES_RUNS_H
#define PLOTS_FIGURES_RUNS_H

#include "report/figure.h"
#include "report/rank.h"
#include "report/trend.h"

/* The ratios of two sides with their intervals, sorted: the rating, and what differs most. Not yet scaled. */
void figure_ratios(struct figure *figure, const struct comparison *comparison);

/* The figures of a history over time, with their change points; at least one run. Not yet scaled. */
void figure_trend(struct figure *figure, const struct trend *trend);

/* Systems by rating; the runs by number of processes and by time, where they differ. Returns how many. Not
 * yet scaled. */
int figures_rank(struct figure figures[3], const struct rank *rank);

#endif
