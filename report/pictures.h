/* What is drawn: the data of a run, and of several at once, and the scripts that draw them. Pure. */
#ifndef REPORT_PICTURES_H
#define REPORT_PICTURES_H

#include "report/compare.h"
#include "report/draw.h"
#include "report/rank.h"
#include "report/trend.h"

/* Each writes data into a drawing, which is open, and adds its pictures. 0, or -1 with one line. */
int pictures_of_run(struct drawing *drawing, const struct report *report, struct message *error);
int pictures_of_comparison(struct drawing *drawing, const struct comparison *comparison,
                           struct message *error);
int pictures_of_trend(struct drawing *drawing, const struct trend *trend, struct message *error);
int pictures_of_rank(struct drawing *drawing, const struct rank *rank, struct message *error);

/* ---- for the rows of the engines ---- */

/* Adds a picture whose data are plots/NAME.dat. `argument` is the second argument of its script, or "".
 * Returns the file of the data, to be closed by picture_finish(), or NULL with a message in `error`. */
FILE *picture_start(struct drawing *drawing, const char *script, const char *name, const char *argument,
                    const char *title, struct message *error);
int picture_finish(FILE *out, struct message *error);

/* Writes numbers to such a file, each after a space; "-" stands for a number that is not known. */
void picture_numbers(const double *numbers, size_t count, FILE *out);

/* Writes the tables of patterns/ into the drawing. Returns 0, or -1 with a message in `error`. */
int picture_tables(const struct drawing *drawing, const struct report *report, struct message *error);

/* ---- drawing ---- */

/* Draw what was made into the folder `plots` of the settings. 0, or -1 with one line. */
int plot_comparison(const struct comparison *comparison, const struct report_settings *settings,
                    struct message *error);
int plot_trend(const struct trend *trend, const struct report_settings *settings, struct message *error);
int plot_rank(const struct rank *rank, const struct report_settings *settings, struct message *error);

#endif
