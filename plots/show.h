/* A run as text, JSON, CSV or Markdown. Pure. */
#ifndef PLOTS_SHOW_H
#define PLOTS_SHOW_H

#include "plots/command.h"
#include "plots/report.h"

/* By the settings `format` and `table`. What can't be done is told on standard error. */
enum report_status show_run(const struct report *report, const struct report_settings *settings, FILE *out);

#endif
