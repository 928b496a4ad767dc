/* Tries before the measurements start whether the file system can do what they need. */
#ifndef BEFF_IO_MPI_PROBE_H
#define BEFF_IO_MPI_PROBE_H

#include "beff_io/mpi/job.h"

/* Writes a small file in the shared directory on each node. If type 1 is measured, checks that locks exclude
 * processes on other nodes. On rank 0, `hides_cache` becomes true if mincore does not show that the written
 * page is in memory. Returns EXIT_OK, or EXIT_ENVIRONMENT after rank 0 has printed a message. Collective. */
enum exit_status io_probe(const struct io_job *job, bool *hides_cache);

#endif
