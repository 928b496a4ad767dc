/* Selects the pictures of a run, of compare, of trend and of rank, and writes their data. */
#ifndef REPORT_PICTURES_H
#define REPORT_PICTURES_H

#include "report/compare.h"
#include "report/draw.h"
#include "report/rank.h"
#include "report/trend.h"

/* These functions add pictures and their data to a drawing. */
void pictures_of_run(struct drawing *drawing, const struct report *report);
void pictures_of_comparison(struct drawing *drawing, const struct comparison *comparison);
void pictures_of_trend(struct drawing *drawing, const struct trend *trend);
void pictures_of_rank(struct drawing *drawing, const struct rank *rank);

/* ---- for the function `pictures` of struct report_engine ---- */

/* Adds a picture whose data file is plots/NAME.dat. `argument` is the second argument of its script, or "".
 * Returns the stream of the data file, as draw_data() does. */
FILE *picture_start(struct drawing *drawing, const char *script, const char *name, const char *argument,
                    const char *title);

/* Writes numbers to a data file, each after a space. "-" stands for a number that is not finite. */
void picture_numbers(const double *numbers, size_t count, FILE *out);

/* Adds the tables of patterns/ as data. */
void picture_tables(struct drawing *drawing, const struct report *report);

/* ---- drawing ---- */

/* Draw the pictures and save them in the folder settings->plots. Return 0 on success, or -1 with a message in
 * `error`. */
int plot_comparison(const struct comparison *comparison, const struct report_settings *settings,
                    struct message *error);
int plot_trend(const struct trend *trend, const struct report_settings *settings, struct message *error);
int plot_rank(const struct rank *rank, const struct report_settings *settings, struct message *error);

#endif
