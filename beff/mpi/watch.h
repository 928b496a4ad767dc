/* Watches who uses the processors of the nodes during a pass. */
#ifndef BEFF_MPI_WATCH_H
#define BEFF_MPI_WATCH_H

#include <mpi.h>

#include "beff/disturbance.h"
#include "common/mpi/machine.h"

struct watch {
    struct comm *comm; /* NULL: not started */
    const struct machine *machine;
    MPI_Comm kernel; /* the processes under one kernel; its first process reads the kernel's times */
    bool reads;      /* this process is the first one */
    struct thread_set threads;    /* `reads`: hardware threads that these processes may run on */
    struct processor_times last;  /* `reads`: at the last mark */
    double clock, busy, switches; /* at the last mark: seconds, own processor time, involuntary switches */
};

/* Starts watching. Collective. */
void watch_start(struct watch *watch, struct comm *comm, const struct machine *machine);

/* Ends a pass, and writes to the protocol who else used the processors since the last mark; pass 0 is only a
 * mark. `protocol` is for rank 0. Collective. */
void watch_mark(struct watch *watch, int pass, struct protocol *protocol);

void watch_free(struct watch *watch);

#endif
