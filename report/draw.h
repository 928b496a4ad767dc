/* Draws figures into files; the commands that do. Pure. */
#ifndef PLOTS_DRAW_H
#define PLOTS_DRAW_H

#include "report/figures.h"
#include "report/script.h"
#include "report/command.h"

/* Draws all figures into a folder, which is made if it is missing: NAME.gp, the script with its data, and
 * NAME.svg (png, ...) from it. Files of the same names are replaced. 0, or -1 with one line. */
int draw_files(const struct figure_list *figures, const struct script_style *style, const char *folder,
               struct message *error);

/* Draws one figure as SVG for a page: in memory of its own; NULL with one line. `missing` is set if there is
 * no gnuplot. */
char *draw_svg(const struct figure *figure, const struct script_style *style, bool *missing,
               struct message *error);

/* See report_pictures. */
int plot_comparison(const struct comparison *comparison, const struct report_settings *settings,
                    struct message *error);
int plot_trend(const struct trend *trend, const struct report_settings *settings, struct message *error);
int plot_rank(const struct rank *rank, const struct report_settings *settings, struct message *error);
int html_rank(const struct rank *rank, const struct table *table, struct message *error);

extern const struct report_command report_command_plot, report_command_html;

#endif
