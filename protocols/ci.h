/* What systems for continuous integration and monitoring read: JUnit's XML, OpenMetrics. Pure. */
#ifndef PROTOCOLS_CI_H
#define PROTOCOLS_CI_H

#include <stdio.h>

#include "protocols/command.h"

/* A verdict, as each command reaches one. */
struct ci_result {
    const char *command; /* "trend" */
    const char *figure;  /* what was judged */
    const char *text;    /* the verdict in one line */
    enum report_status status;
    const struct texts *reasons, *notes;
};

/* A test suite of one test: status 0 passes, 1 is a failure, 3 an error, 5 skipped, each with the reasons. */
void ci_junit(const struct ci_result *result, FILE *out);

/* A gauge "beff_NAME"; its samples follow. */
void ci_metric(const char *name, const char *help, FILE *out);

/* A sample of it. `labels`: keys and values in turns, which may hold anything, NULL at the end. `time`:
 * seconds since 1970; NaN: none is written. A value that is NaN leaves the sample out. */
void ci_sample(const char *name, const char *const *labels, double value, double time, FILE *out);

/* The status as the last gauge, beff_status, and the end. */
void ci_metrics_end(const struct ci_result *result, FILE *out);

#endif
