/* Measures between nodes: one pair of nodes alone, and all nodes at once with 1, 2, 4, ... processes each
 * (docs/between-nodes.md). */
#ifndef BEFF_MPI_BETWEEN_H
#define BEFF_MPI_BETWEEN_H

#include "beff/mpi/measurement.h"
#include "common/mpi/machine.h"

/* One measurement. If `node` is positive, node 0 and this node send messages to and fro. If it is 0, the
 * first `processes` processes of each node exchange messages with a process of another node. */
struct between_command {
    int node, processes;
    int64_t bytes, untimed, loops;
};

struct between {
    struct runner *runner;
    MPI_Comm peers;     /* the processes with the same number within their node, in the order of the nodes */
    int local;          /* number of this process within its node */
    int nodes, largest; /* number of nodes; largest number of processes on a node */
};

/* Collective. */
void between_make(struct between *between, struct runner *runner, const struct machine *machine);
void between_free(struct between *between);

/* Carries out one measurement. Collective. On rank 0, adds the exchanges per second of all processes to
 * `rate`, and wrong bytes to `errors`. Returns the seconds of the slowest exchange on rank 0. */
double between_exchange(struct between *between, const struct between_command *command, double *rate,
                        int64_t *errors);

/* Makes all measurements that fit into `seconds`, and writes them to the protocol. Only rank 0 calls this;
 * `tell` sends each command to the other ranks, which call between_exchange(). */
void between_measure(struct between *between, double seconds, struct protocol *protocol,
                     void (*tell)(void *context, const struct between_command *command), void *context);

#endif
