/* The engines' rows: see report.h. Pure. */
#ifndef PLOTS_ENGINES_H
#define PLOTS_ENGINES_H

#include "plots/report.h"

extern const struct report_engine report_beff, report_beff_io, report_imb;

/* The engines' own definitions against each record (the `check` of their rows). */
void check_beff(const struct report *report, struct findings *findings);
void check_io(const struct report *report, struct findings *findings);
void check_imb(const struct report *report, struct findings *findings);

#endif
