/* What compare, trend and rank tell of several runs, in every format: also JUnit's XML and OpenMetrics, which
 * systems for continuous integration and monitoring read. Pure. */
#ifndef PROTOCOLS_OUTCOME_H
#define PROTOCOLS_OUTCOME_H

#include "report/command.h"

struct outcome {
    const char *command;   /* "trend" */
    const char *figure;    /* what was judged */
    const char *verdict;   /* in one line; NULL: the command has none */
    const char *threshold; /* how the figure stands to it, in one line; "": none was given */
    enum report_status status;
    const struct texts *notes, *reasons, *errors; /* reasons: why a verdict is refused; errors: of data */
    const struct table *tables;                   /* the first one is the one of CSV unless `csv` is */
    int table_count, first_figures; /* from this one on they stand in JSON's object "figures"; 0: none does */
    const struct table *csv;
    /* What else JSON and OpenMetrics have; NULL: nothing. */
    void (*json)(const void *context, struct json *json);
    void (*metrics)(const void *context, FILE *out);
    const void *context;
};

/* Writes it to `out` in the format of the settings, and where that is not text the reasons to standard error,
 * too. Returns its status, or REPORT_REFUSED with one line where JSON can't be written. */
enum report_status outcome_put(const struct outcome *outcome, int format, FILE *out);

/* A gauge "beff_NAME"; its samples follow. */
void outcome_metric(const char *name, const char *help, FILE *out);

/* A sample of it. `labels`: keys and values in turns, which may hold anything, NULL at the end. `time`:
 * seconds since 1970; NaN: none is written. A value that is NaN leaves the sample out. */
void outcome_sample(const char *name, const char *const *labels, double value, double time, FILE *out);

#endif
