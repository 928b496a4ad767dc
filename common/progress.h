/* Progress on standard error: one line that is rewritten on a terminal, or a line now and then for a log.
 * Pure. */
#ifndef COMMON_PROGRESS_H
#define COMMON_PROGRESS_H

#include <stdbool.h>

struct progress {
    bool terminal, log; /* neither: nothing is shown */
    double next;        /* elapsed seconds at which something is shown again */
};

/* AUTO: one line, if standard error is a terminal; LINE: one line in any case (a launcher gives its processes
 * pipes); LOG: a line now and then. */
extern const char *const progress_words[]; /* of enum progress_when, NULL at the end */
enum progress_when { PROGRESS_AUTO, PROGRESS_LINE, PROGRESS_LOG, PROGRESS_NEVER };
void progress_start(struct progress *progress, enum progress_when when);

/* Shows how far the run is (seconds of `expected` seconds), and what it does; seldom enough to cost nothing.
 */
void progress_show(struct progress *progress, double elapsed, double expected, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Clears the terminal's line. */
void progress_end(struct progress *progress);

#endif
