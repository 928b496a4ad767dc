/* The processes of a run: start, end, collective operations that are also fast on oversubscribed nodes, and
 * errors that end all processes. */
#ifndef COMMON_MPI_COMM_H
#define COMMON_MPI_COMM_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/utsname.h>

#include "common/engine.h"
#include "common/ending.h"

enum { COMM_FAILURE_SIZE = 480, COMM_ACTIVITY_SIZE = 160 };

struct comm {
    const char *program;
    MPI_Comm all; /* a duplicate of MPI_COMM_WORLD that returns errors */
    int rank, size;
    int threads;            /* MPI's level of thread support */
    bool yield;             /* waiting processes yield their processor, because a node is oversubscribed */
    bool simulated;         /* MPI is a simulator, and its clock is the clock of the run */
    double barrier_seconds; /* simulation: longest time from the last arrival at a barrier to its end */
    char activity[COMM_ACTIVITY_SIZE]; /* activity of the main thread for error messages; "": none */
    double origin;                     /* start of the run by comm_clock(), the same moment on all ranks */
    char failure[COMM_FAILURE_SIZE];   /* failure on this process while other ranks may wait; "": none */
    MPI_Win steps;                     /* the steps of the node's processes: see ending_share_steps() */
};

/* Returns true if a launcher (mpiexec, srun, ...) started this process. Without a launcher, or
 * with one process (srun --pty bash sets its variables), help is printed without starting MPI. `size` and
 * `rank` get the launcher's values, or 0 if it does not set them. */
bool comm_launched(int *size, int *rank);

/* Opens /dev/null for each closed standard stream, so that no file opened later receives printed text. */
void comm_keep_streams(void);

/* Starts MPI with this level of thread support and sets up `comm`, whose `program` must be set. */
void comm_start(struct comm *comm, int threads, int *argc, char ***argv);

/* Returns true if the launcher and the program use the same MPI, and if this MPI is a simulator (SimGrid's
 * SMPI) exactly when a simulation was requested. Otherwise prints a message. */
bool comm_is_usable(const struct comm *comm);

/* Writes the name and the version of the MPI library into `name`, on one line with single spaces. */
void comm_library(char name[MPI_MAX_LIBRARY_VERSION_STRING]);

/* Checks that all processes have the same text, a command line. Otherwise rank 0 prints which rank differs,
 * and all processes return EXIT_USAGE. Collective. */
enum exit_status comm_same_text(struct comm *comm, const char *text, struct message *error);

/* Sends rank 0's `text`, which may be NULL, to all processes. Returns the text, to be freed, on each of them;
 * rank 0 gets its `text` back. The other processes' `text` is ignored. */
char *comm_share_text(struct comm *comm, char *text);

/* Reads a text file on rank 0 and sends its contents to all processes. `*text` is to be freed; it is NULL if
 * `path` is NULL. Returns 0, or -1 on all processes, with a message that names the option in rank 0's
 * `error`. Collective. */
int comm_read_text(struct comm *comm, const char *option, const char *path, char **text,
                   struct message *error);

/* Collective operations on comm->all; the root is rank 0. Broadcasting more than INT_MAX bytes ends all
 * processes. */
void comm_broadcast(struct comm *comm, void *data, size_t size);
void comm_reduce(struct comm *comm, const void *in, void *out, int count, MPI_Datatype type, MPI_Op op);
/* Reduces the values of all processes; all of them get the result. Returns 0 or an MPI error code. */
int comm_allreduce(struct comm *comm, const void *in, void *out, int count, MPI_Datatype type, MPI_Op op);
/* Synchronises comm->all; in a simulation, all processes leave the barrier at the same moment. Returns 0 or
 * an MPI error code. */
int comm_barrier(struct comm *comm);

/* Broadcasts from rank 0 like comm_broadcast(). A process that has been idle since `idle_since` (by
 * MPI_Wtime(); INFINITY: not idle) sleeps while it waits, at most `longest` seconds at a time, to leave its
 * processor to others. `longest` is below 1. All processes must call this function instead of
 * comm_broadcast(). */
void comm_broadcast_sleeping(struct comm *comm, void *data, size_t size, double idle_since, double longest);

/* Makes a communicator of those processes of `members` that pass the same text, in the order of their ranks.
 * It needs 8 bytes of memory for each process of `members`. Collective. */
void comm_split(struct comm *comm, MPI_Comm members, const char *text, MPI_Comm *alike);

/* Finds the names of this process's node. In a simulation, the host name is the simulated one. */
void comm_names(const struct comm *comm, struct utsname *names);

/* Sets the activity of the main thread for error messages; "": nothing special. */
void comm_activity(struct comm *comm, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints one line on standard error, on this process only. */
void comm_say(const struct comm *comm, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns EXIT_OK if all processes pass EXIT_OK. Otherwise returns the status of the lowest rank that passes
 * another status, and rank 0 prints the `error` of that rank. Collective. */
enum exit_status comm_agree(struct comm *comm, enum exit_status status, const struct message *error);

/* Returns MPI's text for an error as one line. The result points into `text`. MPICH's text is a stack of
 * calls; the reason is in its last line, "FUNCTION(LINE): REASON". */
const char *comm_error_text(int code, char text[MPI_MAX_ERROR_STRING]);

/* Checks the result of an MPI call. An error ends all processes with status 1, after a line with the call,
 * its place in the source, MPI's text, the rank and the activity. */
#define COMM_CHECK(comm, call) comm_check((comm), (call), #call, __FILE__, __LINE__)
void comm_check(const struct comm *comm, int code, const char *call, const char *file, int line);

/* Keeps the first failure of this process and starts the alarm: see ending_fail(). */
void comm_fail(struct comm *comm, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the time of the run in seconds: clock_since_start(), or, in a simulation, MPI_Wtime(). */
double comm_clock(const struct comm *comm);

/* Reads MPI_Wtime() and clock_since_start() as closely together as possible in `tries` attempts. Returns the
 * seconds within which both were read. */
double comm_read_clocks(double pair[2], int tries);

/* Returns the elapsed seconds of T. All processes have the same start. */
double comm_elapsed(const struct comm *comm);

/* Returns MPI_Wtime(); for functions that take a clock. */
double comm_now(void *unused);

void comm_end(struct comm *comm);

#endif
