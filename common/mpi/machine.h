/* The machine of a run: nodes, processes and processors per node, memory per process. */
#ifndef COMMON_MPI_MACHINE_H
#define COMMON_MPI_MACHINE_H

#include "common/mpi/comm.h"
#include "common/protocol.h"
#include "common/sysinfo.h"

enum machine_answer { MACHINE_NO, MACHINE_UNKNOWN, MACHINE_YES };

struct machine {
    struct sysinfo_node node; /* this process's node */
    char name[80]; /* name of this node: its host name, and its number if other nodes have the same name */
    int nodes, min_ranks, max_ranks; /* number of nodes; fewest and most processes on a node */
    int memory_ranks;                /* largest number of processes that share the memory of one kernel */
    int processors;     /* hardware threads of this node for its processes, by affinity and quota */
    int cores;          /* cores of this node for its processes; 0: unknown */
    int kernel;         /* lowest rank under this process's kernel */
    bool leads_node;    /* this process is the first one of its node */
    int node_number;    /* number of this process's node, from 0, in the order of the nodes' first ranks */
    char placement[40]; /* "block", "cyclic" or "other", and a hash of the map from ranks to nodes */
    enum machine_answer oversubscribed; /* a node, or a binding, has more processes than hardware threads */
    enum machine_answer crowded;        /* a node has more processes than cores for them */
    int64_t memory_mib;                 /* usable memory per process, smallest of all nodes; 0: unknown */
    int64_t available_mib;              /* free memory per process, smallest of all nodes; 0: unknown */
    char binding[TOPOLOGY_LIST_SIZE];   /* hardware threads of this process; with "(others differ)" if other
                                           ranks of a node have different ones */
    struct texts environment;      /* environment of this node (first process only): environment_read() */
    char environment_differs[512]; /* differences of other nodes from rank 0's; "": none */
};

/* Detects the machine. Except for the members about this process or its node, all processes get the same
 * values. Only the first process of a node has `cores` and `environment`. Collective. */
void machine_detect(struct comm *comm, struct machine *machine);

/* Writes the metadata about the machine, MPI and the build that the protocols of all engines have. */
void machine_describe(const struct comm *comm, const struct machine *machine, struct protocol *protocol);

/* Makes a communicator of those processes of `members` that are on this process's node. (MPI_COMM_TYPE_SHARED
 * would depend on MPI's settings.) Collective. */
void machine_split_nodes(const struct machine *machine, struct comm *comm, MPI_Comm members, MPI_Comm *node);

/* Reads the space of the file system of `path`. A file system in memory has at most the available memory of
 * this node. Returns 0, or -1 with errno. */
int machine_space(const struct machine *machine, const char *path, struct sysinfo_space *space);

#endif
