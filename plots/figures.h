/* The table of figures: what is drawn of a run. `plot`, `compare` and `html` all go by it. Pure. */
#ifndef PLOTS_FIGURES_H
#define PLOTS_FIGURES_H

#include "plots/figure.h"
#include "protocols/report.h"

struct figure_row {
    const char *program; /* whose runs have it */
    const char *name;    /* stem of the file; with several of a kind their names come from `fill` */
    const char *title;
    enum axis_kind x;
    const char *x_label;
    /* How many of the kind a run has; NULL: one. */
    int (*count)(const struct report *report);
    /* Adds panels and series of number `i`. What was not measured is left out. */
    void (*fill)(struct figure *figure, const struct report *report, int i);
    bool compared; /* two systems are laid over one another in it */
};

struct figure_list {
    struct figure *figure;
    int count;
};

/* All figures that a run has, scaled, in the order of the table. 0, or -1 with one line. */
int figures_make(struct figure_list *figures, const struct report *report, struct message *error);

/* One figure for each that is compared: the medians of two sets of runs over one another, with the range of
 * the runs. The names are what the sets are called. 0, or -1 with one line. */
int figures_overlay(struct figure_list *figures, const struct report *a, int a_count, const char *a_name,
                    const struct report *b, int b_count, const char *b_name, struct message *error);

void figures_free(struct figure_list *figures);

/* The same as figures_make, not yet scaled. */
int figures_make_raw(struct figure_list *figures, const struct report *report, struct message *error);

/* Adds an empty figure; NULL when out of memory. */
struct figure *figures_append(struct figure_list *figures, struct message *error);

/* ---- for the rows of the table ---- */

void fill_beff_rings(struct figure *figure, const struct report *report, int i);
void fill_beff_random(struct figure *figure, const struct report *report, int i);
void fill_beff_kinds(struct figure *figure, const struct report *report, int i);
void fill_beff_methods(struct figure *figure, const struct report *report, int i);
void fill_beff_analysis(struct figure *figure, const struct report *report, int i);
void fill_beff_model(struct figure *figure, const struct report *report, int i);
void fill_beff_repetitions(struct figure *figure, const struct report *report, int i);

int count_io_partitions(const struct report *report);
void fill_io_chunks(struct figure *figure, const struct report *report, int i);
void fill_io_partitions(struct figure *figure, const struct report *report, int i);

int count_imb_benchmarks(const struct report *report);
void fill_imb_benchmark(struct figure *figure, const struct report *report, int i);

#endif
