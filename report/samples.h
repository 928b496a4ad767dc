/* Decides whether two protocols are copies of one run (docs/definition.md 3.2). */
#ifndef REPORT_SAMPLES_H
#define REPORT_SAMPLES_H

#include "report/report.h"

/* The measurements of a run, each with its residual, sorted by cell and number. */
struct samples {
    struct sample *of;
    size_t count;
};

/* Makes the samples of a run. A simulated run has none, because its times are the same in every run. Call
 * samples_free() afterwards. */
void samples_make(struct samples *samples, const struct report *run);
void samples_free(struct samples *samples);

/* Returns true if two protocols are copies of one run. They are copies if their residuals are correlated or,
 * if there are too few residuals or none has a neighbour, if more than half of the other measurements have
 * equal times. Sets `why` to
 * the figures on which the answer is based. */
bool samples_are_of_one_run(const struct samples *a, const struct samples *b, struct message *why);

#endif
