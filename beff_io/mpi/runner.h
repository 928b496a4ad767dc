/* One command as all processes of the partition carry it out together, and what is known about it afterwards
 * (docs/definition.md 2.4, 2.10, 2.11).
 */
#ifndef BEFF_IO_MPI_RUNNER_H
#define BEFF_IO_MPI_RUNNER_H

#include "beff_io/content.h"
#include "beff_io/hints.h"
#include "beff_io/scheduler.h"
#include "beff_io/scratch.h"
#include "beff_io/settings.h"
#include "common/mpi/machine.h"

/* A partition, on a process of it. */
struct io_partition {
    struct comm group; /* its processes; another process has no communicators, which are MPI_COMM_NULL */
    /* The same for the files alone: where a call on files fails on one process and the others wait in it,
     * what the processes then agree on must not get into its messages. */
    MPI_Comm writing, reading; /* in the order in which they do so */
    MPI_Comm on_node;          /* those on this node; its rank 0 leads */
    bool elsewhere;            /* every process reads what a process of another kernel wrote */
    double moved_at[IO_TYPES]; /* what the node had moved after the last write access to a file */
};

/* One process's part in a pattern. */
struct transfer {
    struct content content[2]; /* of initial write and rewrite */
    int64_t held, checked;     /* calls that were read and are unchecked; checked */
    int64_t errors, noted;     /* wrong words; how many of the first are stored, up to -e */
    int64_t complete;          /* calls that transferred everything, up to the first that did not */
    bool full;                 /* one found no room left */
    bool doubtful;             /* the failure may be a lack of room, here or on another process */
    struct histogram durations;
    double longest, sum; /* seconds of calls */
    double excluded;     /* seconds that the clock leaves out */
    double before;       /* seconds of the command before its loop */
    double voted;        /* of all votes so far */
    double cheapest;     /* seconds of the shortest vote; 0: none yet */
    /* Cost of the votes: of each the minimum over the processes, as the last one to arrive does not wait. It
     * is known one vote later. */
    double agreeing;
    long votes; /* whose cost is known */
};

struct io_runner {
    struct comm *comm; /* all processes */
    const struct machine *machine;
    const struct io_settings *settings;
    const struct io_task *task;
    const struct hints *hints;
    const struct scratch *shared; /* directory of shared files */
    const struct scratch *own;    /* directory of this process's file of type 2; NULL until it is set up */
    struct io_partition partitions[IO_MAX_PARTITIONS];
    int partition_count; /* that were made so far */
    char *area;          /* content to write, or chunks that were read */
    struct content_mismatch *error;
    MPI_Datatype type;
    MPI_Op combine;
    /* What this node moved, for the question whether it still holds a file in memory. */
    double moved, node_moved; /* bytes: of this process, not yet added; of the node */
    double node_memory;       /* bytes, physical */

    struct io_command command; /* the latest one */
    struct io_partition *partition;
    double begin; /* of the command, by MPI_Wtime */
    struct transfer transfer;

    MPI_File file;
    bool is_open;
    char path[4096];
    int rank;                   /* whose chunks are written or read */
    double share;               /* bytes that this process moves for each byte of its calls */
    const struct io_call *call; /* how its chunks are transferred */
    bool failed_remotely;       /* MPI reports another process's failure here */
};

/* Makes communicators and buffers; returns 0, or -1 if this process has no memory for its chunks. `shift`:
 * each process reads what the one so many ranks above it wrote (docs/definition.md 2.9). Settings, task,
 * hints and directory are set; `machine` must live as long. Collective. */
int io_runner_make(struct io_runner *runner, struct comm *comm, const struct machine *machine, int shift);
void io_runner_free(struct io_runner *runner);

/* Removes the files that this process wrote alone, in all partitions. */
void io_runner_remove_own(const struct io_runner *runner);

/* Closes the file, also one that an error left open. */
void io_runner_close(struct io_runner *runner);

/* Carries out; by the processes of the partition. The measurement is that of all, but for percentiles,
 * which rank 0 alone has. */
struct io_measurement io_runner_perform(struct io_runner *runner, const struct io_command *command);

#endif
