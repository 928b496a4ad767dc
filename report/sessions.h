/* Groups runs into sessions. Runs of one session share its nodes, neighbours and state of the machine, so
 * differences between sessions show only if a side has several. */
#ifndef REPORT_SESSIONS_H
#define REPORT_SESSIONS_H

#include "report/sides.h"

/* Sets session[i] to the number of the session of run i, from 0. A run on the same host belongs to the
 * session of the run before it if it starts within an hour of its end. A run without a start is a session of
 * its own. Returns true if the runs of two sides alternate: ordered by their starts, each pair of runs has
 * one run of each side. */
bool sessions_find(const struct sides *sides, size_t *session);

/* Copies the median of each session of the runs of a side to `medians`, and returns their number. */
size_t sessions_medians(const struct side *side, const size_t *session, const double *values,
                        double *medians);

#endif
