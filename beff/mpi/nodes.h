/* The nodes of a run: who is where, how many messages they send to one another, and the exchanges between
 * nodes that tell a slow one from the others (docs/definition.md 1.11). */
#ifndef BEFF_MPI_NODES_H
#define BEFF_MPI_NODES_H

#include "beff/diagnosis.h"
#include "beff/mpi/measurement.h"

struct node_facts {
    char host[DIAGNOSIS_HOST_SIZE];
    int processes;
};

struct nodes {
    struct runner *runner;
    MPI_Comm node;    /* the processes of this node */
    MPI_Comm leaders; /* the first process of each node; MPI_COMM_NULL on the others */
    int count, index; /* of nodes; number of this process's node */

    /* Rank 0 only, [node]. */
    struct node_facts *facts;
    double *times; /* [size][round][node]: seconds of an exchange; 0: not measured */
    double *gathered;
};

/* One step of the diagnosis: the pairs of a round exchange messages of one size. */
struct node_command {
    int round, size; /* index into diagnosis_sizes() */
    int64_t bytes, warmup, loops;
};

/* Finds the nodes; collective. */
void nodes_make(struct nodes *nodes, struct runner *runner, const char *host);
void nodes_free(struct nodes *nodes);

/* Counts the messages that go from one node to another in one iteration of each pattern. sum[pattern] is the
 * count of all nodes, max[pattern] the count of the node that sends most. Only rank 0 gets the complete
 * counts. Collective. */
void nodes_count_messages(struct nodes *nodes, int64_t *sum, int64_t *max);

/* Carries out one step; collective. The times are kept on rank 0; returns the longest there. */
double nodes_exchange(struct nodes *nodes, const struct node_command *command);

/* The diagnosis, on rank 0, within so many seconds; `tell` hands each step to the other processes. Returns
 * how many sizes were measured. */
int nodes_diagnose(struct nodes *nodes, double seconds,
                   void (*tell)(void *context, const struct node_command *command), void *context);

/* The line of one node for the protocol; rank 0. */
void nodes_line(const struct nodes *nodes, int node, int sizes, char *text, size_t size);

#endif
