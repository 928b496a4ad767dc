/* One run of imb_compat on all processes. */
#ifndef IMB_COMPAT_MPI_RUN_H
#define IMB_COMPAT_MPI_RUN_H

#include "common/mpi/world.h"
#include "imb_compat/selection.h"
#include "imb_compat/sizes.h"

struct imb_plan {
    const struct imb_settings *settings;
    const struct imb_selection *selection;
    const struct imb_sizes *listed;
    const char *command; /* the command line */
};

/* Measures and prints everything; returns the exit status, the same on all processes. */
enum exit_status imb_run(struct world *world, const struct imb_plan *plan);

#endif
