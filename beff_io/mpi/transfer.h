/* Measures one pattern on one process: the loop of calls, the votes that end it, the check of the data, and
 * the handling of calls that fail (docs/definition-beff_io-2.md 5, 9). */
#ifndef BEFF_IO_MPI_TRANSFER_H
#define BEFF_IO_MPI_TRANSFER_H

#include "beff_io/content.h"
#include "beff_io/mpi/file.h"

/* The progress of one process in a pattern. Times are in seconds. */
struct io_transfer {
    const struct io_job *job;
    struct io_file *file;
    struct io_partition *partition;
    const struct io_command *command;
    char *area;                     /* data to write, or data that were read */
    struct content_mismatch *error; /* the stored wrong words */

    struct content content[2]; /* content of the initial write, and of the rewrite */
    char *kept;                /* data to check: `area`, or the ends of the chunks, behind it */
    int64_t kept_bytes;        /* bytes kept of each read */
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
    double agreeing; /* cost of all votes; the cost of a vote is its minimum over the processes, because the
                        last process to arrive does not wait */
    long votes;      /* number of votes in `agreeing`; a vote's cost is known at the next vote */
};

/* Measures the command's pattern, which began at `begin` (MPI_Wtime()). The members up to `area` must be set.
 * Collective. */
void io_transfer_measure(struct io_transfer *transfer, double begin, struct io_measurement *measurement);

/* Prints a line for each of the first wrong words, at most -e lines over all processes. Collective. */
void io_transfer_print_errors(const struct io_transfer *transfer);

#endif
