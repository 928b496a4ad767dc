/* Measures the state of the processors (beff/states.h) at the start of each repetition, and watches who else
 * uses them during a pass (beff/disturbance.h). */
#ifndef BEFF_MPI_PROCESSORS_H
#define BEFF_MPI_PROCESSORS_H

#include "beff/disturbance.h"
#include "beff/mpi/nodes.h"
#include "beff/states.h"

struct processors {
    struct comm *comm; /* NULL: not started */
    const struct machine *machine;

    /* Their state. */
    const struct nodes
        *nodes;              /* NULL: the state is not measured, because processors have several processes */
    MPI_Comm shared;         /* the processes of the node that share memory with this one */
    int rank, size;          /* in `shared` */
    MPI_Win window;          /* MPI_WIN_NULL: no neighbours */
    volatile int64_t *flags; /* a flag for each process of `shared` */
    unsigned char *from, *to;

    /* Their other users. */
    MPI_Comm kernel; /* the processes under one kernel; its first process reads the kernel's times */
    bool reads;      /* this process is the first one */
    struct thread_set threads;    /* `reads`: hardware threads that these processes may run on */
    struct processor_times last;  /* `reads`: at the last mark */
    double clock, busy, switches; /* at the last mark: seconds, own processor time, involuntary switches */
};

/* Starts. `nodes` must outlive the processors. Collective. */
void processors_start(struct processors *processors, struct comm *comm, const struct machine *machine,
                      const struct nodes *nodes);

/* Measures the state in about 10 ms, at the start of a sweep. Rank 0 writes a row for each node to the
 * protocol. Collective. */
void processors_begin(struct processors *processors, int sweep, struct protocol *protocol);

/* Ends a pass, and writes to the protocol who else used the processors since the last mark; pass 0 is only a
 * mark. `protocol` is for rank 0. Collective. */
void processors_mark(struct processors *processors, int pass, struct protocol *protocol);

void processors_free(struct processors *processors);

#endif
