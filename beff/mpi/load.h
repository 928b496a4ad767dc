/* Carries out the blocks under load (docs/under-load.md). */
#ifndef BEFF_MPI_LOAD_H
#define BEFF_MPI_LOAD_H

#include "beff/load.h"
#include "beff/mpi/nodes.h"
#include "common/histogram.h"

/* One block; rank 0 sends it to all processes. */
struct load_command {
    enum load_victim victim;
    enum load_congestor congestor;
    int block;      /* number of the block within its combination */
    double seconds; /* length of the block */
};

/* The exchanges of a block, of one process or, on rank 0, of all victims. */
struct load_result {
    struct histogram durations;
    int64_t iterations; /* most of a process */
    double sum;         /* of the durations in seconds */
    int slowest;        /* rank with the longest exchange */
    int64_t errors;
    int stop; /* signal that any process received; 0 if none */
};

/* The state of a process. */
struct load_state {
    struct runner *runner;
    uint64_t seed;
    bool victim;
    MPI_Comm role;  /* the processes with the same role */
    MPI_Comm level; /* the congestors with the same number on their nodes, one for each node; for victims,
                       MPI_COMM_NULL */
    int64_t processes, nodes; /* congesting processes and nodes (with --load-processes: processes) */
    struct exchange exchange; /* of the role */
    unsigned char *incast;    /* messages of an incast group */
    long iterations[LOAD_COMBINATIONS]; /* of a batch, as learnt in earlier blocks */
    const struct nodes *places;
    int *node; /* rank 0 only: [rank], the index of its node */
};

/* Divides the processes into roles: the nodes by the seed, the nodes by the file `roles` if it is not NULL,
 * or the processes by the seed if `processes` is true. Collective. Returns EXIT_OK, or another status
 * on all processes after rank 0 has printed a message. */
enum exit_status load_start(struct load_state *load, struct runner *runner, const struct nodes *nodes,
                            const char *host, uint64_t seed, const char *roles, bool processes);

/* Collects the nodes of all processes on rank 0, which writes the roles of the nodes to the protocol.
 * Collective. */
void load_note_roles(struct load_state *load, struct protocol *protocol, bool processes);
void load_end(struct load_state *load);

/* Measures the blocks on rank 0, each of `block` seconds, as long as `left` returns more seconds than a block
 * takes, and writes them to the protocol. `tell` sends each command to the other ranks, which call
 * load_measure(). Returns the signal that any process received, or 0. */
int load_blocks(struct load_state *load, double block, struct protocol *protocol,
                double (*left)(void *context),
                void (*tell)(void *context, const struct load_command *command), void *context);

/* Carries out a block. Collective. The result is complete on rank 0 only. */
void load_measure(struct load_state *load, const struct load_command *command, struct load_result *result);

#endif
