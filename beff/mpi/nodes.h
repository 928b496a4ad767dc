/* The nodes of a run: hosts and processes, and the exchanges that compare them (docs/between-nodes.md). */
#ifndef BEFF_MPI_NODES_H
#define BEFF_MPI_NODES_H

#include "beff/mpi/measurement.h"
#include "common/adapters.h"
#include "common/mpi/machine.h"

struct nodes {
    struct runner *runner;
    MPI_Comm node;    /* the processes of this node */
    MPI_Comm points;  /* rank 0, and the end points in their order; MPI_COMM_NULL on other processes */
    MPI_Comm peers;   /* the processes with the same number within their node, in the order of the nodes */
    MPI_Comm mates;   /* the same, nodes of a group next to each other */
    int count, index; /* number of nodes; index of this process's node */
    int local;        /* number of this process within its node; 0: the lowest rank */
    bool spare;       /* rank 0 is not an end point */
    struct adapter *adapter; /* of this node, only on its first process; NULL on a single node */
    int adapters;            /* largest number of a node */

    /* Rank 0 only. */
    struct fabric fabric;
    int32_t *partners;             /* [rank in points] */
    struct fabric_answer *answers; /* [rank in points] */
};

/* Finds nodes and end points. `groups` is the text of the --groups file, or NULL. Collective. */
void nodes_make(struct nodes *nodes, struct runner *runner, const struct machine *machine,
                const char *groups);

/* Writes the adapters that deviate from the adapters of the other nodes, and counters that rose since
 * nodes_make(), to the protocol. `protocol` is for rank 0. Collective. */
void nodes_compare_adapters(struct nodes *nodes, struct protocol *protocol);

void nodes_free(struct nodes *nodes);

/* Finds the ranks of the median pair of end points, see loss_pair(). Only on rank 0. */
bool nodes_median_pair(const struct nodes *nodes, int32_t ranks[2]);

/* Returns the name of a node. Only on rank 0. */
const char *nodes_host(const struct nodes *nodes, int node);

/* Carries out a step, see struct fabric_ops. `partners` and `answers` are only used on rank 0. Returns, on
 * rank 0, the signal that any of the end points received; 0: none. Collective. */
int nodes_exchange(struct nodes *nodes, const struct fabric_step *step, const int32_t *partners,
                   struct fabric_answer *answers);

#endif
