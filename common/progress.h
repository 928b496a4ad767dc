/* Progress on standard error: one line that is rewritten on a terminal, or a line now and then for a log.
 * Pure. */
#ifndef COMMON_PROGRESS_H
#define COMMON_PROGRESS_H

#include <stdbool.h>

struct progress {
    bool terminal, log; /* neither: nothing is shown */
    double next;        /* elapsed seconds at which something is shown again */
};

/* Whether standard output, this process's or the launcher's, is a terminal: what is printed there as the run
 * goes on and a progress line would get mixed up. */
bool progress_output_on_terminal(void);

/* never: nothing; log: lines also where standard error is no terminal. */
void progress_start(struct progress *progress, bool never, bool log);

/* Shows how far the run is (seconds of `expected` seconds), and what it does; seldom enough to cost nothing.
 */
void progress_show(struct progress *progress, double elapsed, double expected, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Clears the terminal's line. */
void progress_end(struct progress *progress);

#endif
