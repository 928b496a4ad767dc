/* The machine that a run has: nodes, processes and processors on each, memory for each process. Collective.
 */
#ifndef COMMON_MPI_MACHINE_H
#define COMMON_MPI_MACHINE_H

#include "common/mpi/comm.h"
#include "common/protocol.h"
#include "common/sysinfo.h"

struct machine {
    struct sysinfo_node node;        /* of rank 0 */
    int nodes, min_ranks, max_ranks; /* processes on a node */
    int memory_ranks;                /* processes that share the memory of one kernel, at most */
    int processors;      /* hardware threads that its processes may run on, by affinity and quota */
    int cores;           /* cores that its processes may run on; 0: unknown */
    bool leads_node;     /* this process is the first one of its node */
    int node_number;     /* of this process's node, counted from 0 in the order of their first ranks */
    char placement[40];  /* "block", "cyclic" or "other", and a hash of the map from ranks to nodes */
    bool oversubscribed; /* on some node: more processes than hardware threads they may use */
    bool crowded;        /* on some node: more processes than cores */
    int64_t memory_mib;  /* usable memory of a node / memory_ranks there, smallest of all nodes; 0: unknown */
    int64_t available_mib;            /* free now, per process, smallest of all nodes; 0: unknown */
    char binding[TOPOLOGY_LIST_SIZE]; /* of rank 0, and whether others differ */
    struct texts environment;         /* of rank 0's node: see environment_read() */
    char environment_differs[512];    /* how other nodes differ from rank 0's; "": they do not */
};

/* Collects; all fields are the same on all processes but for `node`, `leads_node`, `node_number`, and
 * `cores`, `binding` and `environment`, which rank 0 has. */
void machine_detect(struct comm *comm, struct machine *machine);
void machine_free(struct machine *machine);

/* Writes the metadata that every engine's protocol has: host, processor, memory, MPI, build, processes,
 * nodes, binding. */
void machine_describe(const struct comm *comm, const struct machine *machine, struct protocol *protocol);

/* Free bytes on the file system of `path`; where that resides in memory, of rank 0's node. -1: unknown. */
int64_t machine_free_bytes(const struct machine *machine, const char *path);

#endif
