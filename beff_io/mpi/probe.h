/* Tries before the measurements start whether the file system can do what they need. */
#ifndef BEFF_IO_MPI_PROBE_H
#define BEFF_IO_MPI_PROBE_H

#include "beff_io/mpi/job.h"

/* Writes and locks a small file in the shared directory on each node. `hides_cache` becomes true if mincore
 * does not show that the written page is in memory. Returns 0, or -1 with a message. */
int io_probe(const struct io_job *job, bool *hides_cache, struct message *error);

/* Returns true if the run measures type 1, whose shared file pointers need file locks. */
bool io_probe_needs_locks(const struct io_job *job);

#endif
