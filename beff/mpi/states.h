/* Measures the state of the processors (beff/states.h) on all nodes at once. */
#ifndef BEFF_MPI_STATES_H
#define BEFF_MPI_STATES_H

#include "beff/mpi/nodes.h"
#include "beff/states.h"

struct states {
    struct comm *comm; /* NULL: not started */
    const struct nodes *nodes;
    MPI_Comm shared;         /* the processes of the node that share memory with this one */
    int rank, size;          /* in `shared` */
    MPI_Win window;          /* MPI_WIN_NULL: no neighbours */
    volatile int64_t *flags; /* a flag for each process of `shared` */
    unsigned char *from, *to;
};

/* Starts. No processor may have several processes. `nodes` must outlive the states. Collective. */
void states_start(struct states *states, const struct nodes *nodes);

/* Measures, in about 10 ms. Rank 0 writes a row for each node to the protocol. Collective. */
void states_measure(struct states *states, int sweep, struct protocol *protocol);

void states_free(struct states *states);

#endif
