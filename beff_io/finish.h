/* The end of a run on rank 0: results into the protocol and all files. Pure: it may be called from the
 * guard's thread when the main thread hangs in MPI. */
#ifndef BEFF_IO_FINISH_H
#define BEFF_IO_FINISH_H

#include "beff_io/settings.h"
#include "common/finish.h"

/* Computes the results, ends the protocol with `end` and writes the other files. `rated` is set if there is a
 * b_eff_io, `errors` to the number of wrong words. Returns 0, or -1 with one line. */
int io_finish(struct protocol *protocol, const struct rundir *directory, const struct io_settings *settings,
              const char *end, bool *rated, int64_t *errors, struct message *error);

#endif
