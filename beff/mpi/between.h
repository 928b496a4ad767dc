/* Measures between nodes: one pair of nodes alone, and all nodes at once with 1, 2, 4, ... processes each
 * (docs/between-nodes.md). */
#ifndef BEFF_MPI_BETWEEN_H
#define BEFF_MPI_BETWEEN_H

#include "beff/mpi/nodes.h"

/* One measurement. If `node` is positive, node 0 and this node send messages to and fro. If it is 0, the
 * first `processes` processes of each node exchange messages with a process of another node. */
struct between_command {
    int node, processes;
    int64_t bytes;
    double seconds; /* duration; 0: one exchange */
};

/* Carries out one measurement. Collective. On rank 0, adds the exchanges per second of all processes to
 * `rate`, and wrong bytes to `errors`. Returns the seconds of the slowest exchange on rank 0. */
double between_exchange(const struct nodes *nodes, const struct between_command *command, double *rate,
                        int64_t *errors);

/* Makes all measurements that fit into `seconds`, and writes them to the protocol. Only rank 0 calls this;
 * `tell` sends each command to the other ranks, which call between_exchange(). */
void between_measure(const struct nodes *nodes, double seconds, struct protocol *protocol,
                     void (*tell)(void *context, const struct between_command *command), void *context);

#endif
