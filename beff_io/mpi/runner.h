/* Carries out a command on all processes of a partition (docs/definition.md 2.4, 2.10, 2.11). */
#ifndef BEFF_IO_MPI_RUNNER_H
#define BEFF_IO_MPI_RUNNER_H

#include "beff_io/content.h"
#include "beff_io/hints.h"
#include "beff_io/scheduler.h"
#include "beff_io/scratch.h"
#include "beff_io/settings.h"
#include "common/mpi/machine.h"

/* A partition. On processes outside it, all communicators are MPI_COMM_NULL. */
struct io_partition {
    struct comm group; /* the processes of the partition */
    /* The same processes, in the order for writing and in the order for reading. Only file calls use these
     * communicators: if a file call fails on one process while other processes still wait in it, the messages
     * of the next vote must not be mistaken for messages of that call. */
    MPI_Comm writing, reading;
    MPI_Comm on_node;          /* the processes on this node; its rank 0 leads the node */
    bool elsewhere;            /* every process reads data that a process under another kernel wrote */
    double moved_at[IO_TYPES]; /* node_moved at the last write access to each file */
};

/* The progress of one process in a pattern. Times are in seconds. */
struct transfer {
    struct content content[2]; /* content of the initial write, and of the rewrite */
    int64_t held, checked;     /* number of reads whose data are not yet checked, and are already checked */
    int64_t errors, noted;     /* number of wrong words found, and of wrong words stored (at most -e) */
    int64_t complete;          /* number of calls before the first call that did not transfer all its bytes */
    bool full;                 /* a call found no space */
    bool doubtful;             /* the failure may be due to a lack of space, here or on another process */
    struct histogram durations;
    double sum;      /* time of all calls */
    double excluded; /* time that is excluded from the measurement */
    double before;   /* time from the start of the command to the start of its loop */
    double voted;    /* time of all votes so far */
    double cheapest; /* time of the shortest vote; 0 if there was none yet */
    double agreeing; /* cost of all votes; the cost of a vote is its minimum over the processes, because
                        the last process to arrive does not wait */
    long votes;      /* number of votes in `agreeing`; a vote's cost is known at the next vote */
};

struct io_runner {
    struct comm *comm; /* all processes */
    const struct machine *machine;
    const struct io_settings *settings;
    const struct io_task *task;
    const struct hints *hints;
    const struct scratch *shared; /* directory of the shared files */
    const struct scratch *own;    /* directory of this process's file of type 2; NULL until it is set up */
    struct io_partition partitions[IO_MAX_PARTITIONS];
    int partition_count;            /* number of partitions made so far */
    char *area;                     /* data to write, or data that were read */
    struct content_mismatch *error; /* the stored wrong words */
    MPI_Datatype type;              /* one struct io_measurement */
    MPI_Op combine;
    /* Bytes transferred, which show whether a file can still be in the memory of the node. */
    double moved;       /* bytes that this process transferred, not yet included in node_moved */
    double node_moved;  /* bytes that this node transferred; valid on the process that leads the node */
    double node_memory; /* physical memory in bytes */

    struct io_command command; /* the latest command */
    struct io_partition *partition;
    double begin; /* MPI_Wtime at the start of the command */
    struct transfer transfer;

    MPI_File file;
    bool is_open;
    char path[4096];
    int rank;                   /* rank whose chunks this process writes or reads */
    double share;               /* bytes that this process transfers for each byte of its calls */
    const struct io_call *call; /* the MPI calls in use */
    bool failed_remotely;       /* this process only received MPI's report that another process failed */
};

/* Makes communicators and buffers. The settings, task, hints and shared directory must be set before the
 * call; `machine` must outlive the runner. Each process reads the data of the process `shift` ranks above it
 * (docs/definition.md 2.9). Returns 0 on success, or -1 if there is not enough memory for this process's
 * chunks. Collective. */
int io_runner_make(struct io_runner *runner, struct comm *comm, const struct machine *machine, int shift);
void io_runner_free(struct io_runner *runner);

/* Removes this process's files of type 2, of all partitions. */
void io_runner_remove_own(const struct io_runner *runner);

/* Closes the file if it is open, even after an error. */
void io_runner_close(struct io_runner *runner);

/* Carries out a command. All processes of the partition must call this function. Returns the measurement,
 * reduced over these processes. */
struct io_measurement io_runner_perform(struct io_runner *runner, const struct io_command *command);

#endif
