/* Determines the numbers of repetitions (docs/definition-imb.md 4). */
#ifndef IMB_COMPAT_REPETITIONS_H
#define IMB_COMPAT_REPETITIONS_H

#include "imb_compat/tables.h"

/* Returns the number of repetitions of one size, without a time limit. If the user listed the sizes
 * (`listed`), COUNT of -iter does not limit the repetitions of the non-aggregate mode. */
int64_t imb_repetitions(const struct imb_table *table, bool listed, int64_t bytes);

/* Returns the number of repetitions of the second probe, if the first probe took `seconds`. */
int64_t imb_repetitions_probe(const struct imb_settings *settings, int64_t repetitions, double seconds);

/* Reduces `repetitions` so that they and their warm-up fit into `left` seconds; returns at least 1. `first`
 * and `second` are the times of one repetition in the two probes, in seconds. The smaller of the two is used,
 * so that a disturbed probe does not reduce the number. */
int64_t imb_repetitions_within(const struct imb_settings *settings, int64_t repetitions, double first,
                               double second, double left);

/* Returns the number of checked repetitions for `repetitions` timed ones (-check), without a time limit. */
int64_t imb_repetitions_checked(int64_t repetitions);

/* Returns the number of untimed repetitions before the timed ones. */
int64_t imb_repetitions_warmup(const struct imb_settings *settings, int64_t repetitions);

#endif
