/* What compare, trend and rank say of several runs, as text, JSON and CSV. Pure. */
#ifndef PROTOCOLS_OUTCOME_H
#define PROTOCOLS_OUTCOME_H

#include "report/command.h"

struct outcome {
    const char *verdict;   /* in one line; NULL: the command has none */
    const char *threshold; /* how the figure stands to it, in one line; "": none was given */
    enum report_status status;
    const struct texts *notes, *reasons, *errors; /* reasons: why a verdict is refused; errors: of data */
    const struct texts *left_out;                 /* runs, each with the reason; NULL: none */
    const struct table *tables;                   /* the first one is the one of CSV unless `csv` is */
    int table_count, first_figures; /* from this one on they stand in JSON's object "figures"; 0: none does */
    const struct table *csv;
    void (*json)(const void *context, struct json *json); /* what else JSON has; NULL: nothing */
    const void *context;
};

/* Writes it to `out` in the format of the settings, and where that is not text the reasons to standard error,
 * too. Returns its status, or REPORT_REFUSED with one line where JSON can't be written. */
enum report_status outcome_put(const struct outcome *outcome, int format, FILE *out);

#endif
