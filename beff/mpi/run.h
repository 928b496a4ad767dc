/* One run of beff: set-up, the conductor on rank 0, its followers on all processes, the end with all files.
 */
#ifndef BEFF_MPI_RUN_H
#define BEFF_MPI_RUN_H

#include "beff/settings.h"
#include "common/mpi/world.h"

/* Measures and writes everything; returns the exit status, the same on all processes. `command` is the
 * command line for the protocol. */
enum exit_status run(struct world *world, const struct beff_settings *settings, const char *command);

#endif
