/* Progress on standard error: one line that is rewritten on a terminal; now and then a new line in a log. */
#ifndef COMMON_PROGRESS_H
#define COMMON_PROGRESS_H

#include <stdbool.h>

struct progress {
    bool terminal, log; /* if both are false, nothing is shown */
    double next;        /* elapsed seconds at which the next update is due */
};

/* AUTO rewrites one line if standard error is a terminal. LINE always rewrites one line, because under a
 * launcher, standard error is a pipe. LOG writes a new line now and then. */
enum progress_when { PROGRESS_AUTO, PROGRESS_LINE, PROGRESS_LOG, PROGRESS_NEVER };
extern const char *const progress_words[]; /* names of enum progress_when, NULL at the end */
void progress_start(struct progress *progress, enum progress_when when);

/* Shows the share of the `expected` seconds that has elapsed, and a text. Most calls do nothing, so frequent
 * calls cost little. */
void progress_show(struct progress *progress, double elapsed, double expected, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Clears the line on the terminal. Nothing is shown after that. */
void progress_end(struct progress *progress);

#endif
