/* The end of a run on rank 0: results into the protocol, summary.txt, run.json, one data file for each
 * pattern, standard output. Pure: it may be called from the guard's thread when the main thread hangs in MPI.
 */
#ifndef BEFF_FINISH_H
#define BEFF_FINISH_H

#include <stdbool.h>

#include "beff/settings.h"
#include "common/protocol.h"
#include "common/rundir.h"

/* Computes the results, ends the protocol with `end` ("complete" or "partial (...)") and writes the other
 * files. `rated` is set if there is a b_eff. What can't be written is
 * reported, the rest still is: returns 0, or -1 with one line. */
int beff_finish(struct protocol *protocol, const struct rundir *directory,
                const struct beff_settings *settings, const char *end, bool *rated, struct message *error);

#endif
