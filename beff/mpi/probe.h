/* Finds out, before anything is rated, which methods can send from GPU memory. */
#ifndef BEFF_MPI_PROBE_H
#define BEFF_MPI_PROBE_H

#include "beff/mpi/measurement.h"

/* Tries the methods that are not in `skipped` with messages of 1 B, 64 KiB and 8 MiB, at most Lmax. If a
 * method fails or delivers wrong bytes, the run ends with status 3 and one line that names the call, the size
 * and the methods that passed. A call that hangs ends the run with such a line, within
 * `time` seconds of T if these are at least 12. Does nothing in system memory. Collective. */
enum exit_status probe(struct runner *runner, unsigned skipped, double time);

#endif
