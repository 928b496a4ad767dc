/* The GPUs of a run whose messages are in GPU memory: which process uses which GPU, and whether MPI takes
 * such memory (docs/gpu.md). */
#ifndef COMMON_MPI_GPU_H
#define COMMON_MPI_GPU_H

#include "common/mpi/machine.h"
#include "common/space.h"

struct gpus {
    struct space_place *place; /* rank 0: [rank] */
    size_t count;              /* rank 0: number of processes */
    char shared[240];          /* rank 0: the first GPU that several processes use; "no": there is none */
    char support[160];         /* whether MPI takes GPU memory, and the source: "yes: ...", "unknown: ..." */
};

/* Compares the processes' GPUs, prints a line about them, and sets the memory per process in `machine`. Does
 * nothing if the messages are in system memory. Returns EXIT_OK, or another status if MPI's support for GPU
 * memory is switched off. Collective. */
enum exit_status gpus_find(struct gpus *gpus, struct comm *comm, struct machine *machine,
                           const struct space *space);

/* Writes the metadata and the table of the GPUs. Rank 0 only. */
void gpus_describe(const struct gpus *gpus, const struct space *space, struct protocol *protocol);

enum { GPU_LINE = 2048 };

/* Prepares for an MPI call that may crash because MPI does not take GPU memory: after SIGSEGV or SIGBUS, the
 * process then prints `line` (fewer than GPU_LINE characters) and ends with status 3. With NULL, the
 * signals have their earlier effect again. */
void gpu_guard(const struct comm *comm, const char *line);

#endif
