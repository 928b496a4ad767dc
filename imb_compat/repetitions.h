/* How often a kernel is repeated (docs/definition.md 3.4), and how long a table may take. Pure. */
#ifndef IMB_COMPAT_REPETITIONS_H
#define IMB_COMPAT_REPETITIONS_H

#include "imb_compat/tables.h"

/* The policy that holds for a benchmark: dynamic, multiple_np or off. */
enum imb_policy imb_policy_of(const struct imb_settings *settings, const struct imb_benchmark *benchmark);

/* Repetitions by mode, size and number of processes, before any time is looked at; `listed`: the sizes are,
 * and the first number then does not limit those of the non-aggregate mode. */
int64_t imb_repetitions(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                        enum imb_mode mode, bool listed, int64_t bytes, int processes);

/* Repetitions of the second probe, after one that took `seconds`. */
int64_t imb_repetitions_probe(const struct imb_settings *settings, int64_t repetitions, double seconds);

/* At most so many that they keep within `left` seconds, with the warm-up before them; at least one. `first`
 * and `second`: seconds for one repetition as the two probes had it. The quicker one counts: a disturbed
 * probe does not lower the number. */
int64_t imb_repetitions_within(const struct imb_settings *settings, int64_t repetitions, double first,
                               double second, double left);

/* Untimed repetitions before the timed ones. */
int64_t imb_repetitions_warmup(const struct imb_settings *settings, int64_t repetitions);

/* Seconds for one table: what -time promises for each of its sizes. */
double imb_table_seconds(const struct imb_settings *settings, int sizes);

#endif
