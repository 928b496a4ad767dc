/* The nodes of a run: their hosts and processes, the messages between them, and the exchanges that find slow
 * nodes (docs/definition.md 1.11). */
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
    MPI_Comm leaders; /* the lowest rank of each node; MPI_COMM_NULL on the other ranks */
    int count, index; /* number of nodes; index of this process's node */

    /* Rank 0 only, [node]. */
    struct node_facts *facts;
    double *times; /* [size][round][node]: seconds of an exchange; 0 if not measured */
    double *gathered;
};

/* One step of the diagnosis: the pairs of a round exchange messages of one size. */
struct node_command {
    int round, size; /* number of the round, from 0; index into diagnosis_sizes() */
    int64_t bytes, warmup, loops;
};

/* Finds the nodes. Collective. */
void nodes_make(struct nodes *nodes, struct runner *runner, const char *host);
void nodes_free(struct nodes *nodes);

/* Counts the messages that go from one node to another in one iteration of each pattern. sum[pattern] is the
 * count of all nodes, max[pattern] the count of the node that sends most. Only rank 0 gets the complete
 * counts. Collective. */
void nodes_count_messages(struct nodes *nodes, int64_t *sum, int64_t *max);

/* Carries out one step and stores the times on rank 0. Collective. Returns the longest time in seconds on
 * rank 0, and 0 on the other ranks. */
double nodes_exchange(struct nodes *nodes, const struct node_command *command);

/* Carries out the diagnosis within `seconds`. Only rank 0 calls this; `tell` sends each step to the other
 * ranks, which call nodes_exchange(). Returns the number of measured sizes. */
int nodes_diagnose(struct nodes *nodes, double seconds,
                   void (*tell)(void *context, const struct node_command *command), void *context);

/* Writes the value of the metadata `node` for one node to `text`. Only on rank 0. */
void nodes_line(const struct nodes *nodes, int node, int sizes, char *text, size_t size);

#endif
