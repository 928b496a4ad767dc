/* Measures the state of the processors (beff/states.h) on all nodes at once. */
#ifndef BEFF_MPI_STATES_H
#define BEFF_MPI_STATES_H

#include "beff/states.h"
#include "common/mpi/machine.h"

struct states {
    struct comm *comm; /* NULL: not started */
    const struct machine *machine;
    MPI_Comm kernel;      /* the processes under one kernel */
    MPI_Comm leaders;     /* the first processes of all kernels; MPI_COMM_NULL on the others */
    MPI_Comm shared;      /* the processes that share memory with this one */
    MPI_Win window;       /* MPI_WIN_NULL: no neighbours */
    unsigned char *flags; /* a flag for each process of `shared` */
    unsigned char *from, *to;
};

/* Starts, if no processor has several processes. Collective. */
void states_start(struct states *states, struct comm *comm, const struct machine *machine);

/* Measures, in about 10 ms. Rank 0 writes a row for each node to the protocol. Collective. */
void states_measure(struct states *states, int sweep, struct protocol *protocol);

void states_free(struct states *states);

#endif
