/* A run as text, JSON or CSV. Pure. */
#ifndef PROTOCOLS_SHOW_H
#define PROTOCOLS_SHOW_H

#include "protocols/command.h"
#include "protocols/report.h"

/* By the settings `format` and `table`; `first`: no run was shown before. What can't be done is told on
 * standard error.
 */
enum report_status show_run(const struct report *report, const struct report_settings *settings, bool first,
                            FILE *out);

#endif
