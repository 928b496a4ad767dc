/* The table of figures: what is drawn of a run. `plot`, `compare` and `html` all go by it. Pure. */
#ifndef PLOTS_FIGURES_H
#define PLOTS_FIGURES_H

#include "report/figure.h"
#include "report/report.h"

struct figure_row {
    const char *name; /* stem of the file; with several of a kind their names come from `fill` */
    const char *title;
    enum axis_kind x;
    const char *x_label;
    /* How many of the kind a run has; NULL: one. */
    int (*count)(const struct report *report);
    /* Adds panels and series of the figure's item. What was not measured is left out. */
    void (*fill)(struct figure *figure, const struct report *report);
    bool compared; /* two systems are laid over one another in it */
};

/* The rows of each engine's runs, in a file of their own; name NULL at the end. */
extern const struct figure_row figures_beff[], figures_io[], figures_imb[];
#define FIGURE_BY_SIZE AXIS_BYTES, "message size"

struct figure_list {
    struct figure *figure;
    int count;
};

/* All figures that a run has, scaled, in the order of the table. 0, or -1 with one line. */
int figures_make(struct figure_list *figures, const struct report *report, struct message *error);

struct figure_side {
    const char *name; /* "before" */
    const struct report *runs;
    int count; /* at most INTERVAL_MOST */
};

/* One figure for each that is compared: the medians of two sides of runs over one another, with the range of
 * the runs. 0, or -1 with one line. */
int figures_overlay(struct figure_list *figures, const struct figure_side sides[2], struct message *error);

void figures_free(struct figure_list *figures);

#endif
