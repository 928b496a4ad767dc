/* The commands of this floor: what is drawn. Pure. */
#ifndef PLOTS_COMMANDS_H
#define PLOTS_COMMANDS_H

#include "protocols/command.h"

extern const struct report_command report_command_plot, report_command_html;

/* Draws the medians of both sides over one another into a folder: see report_settings. */
int plot_comparison(const struct comparison *comparison, const char *folder, struct message *error);

#endif
