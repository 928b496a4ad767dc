/* The processes of a run: start, end, collective operations that do not starve an oversubscribed node, and
 * errors that end all processes. */
#ifndef COMMON_MPI_COMM_H
#define COMMON_MPI_COMM_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/engine.h"
#include "common/ending.h"

enum { COMM_FAILURE_SIZE = 480, COMM_ACTIVITY_SIZE = 160 };

struct comm {
    const char *program;
    MPI_Comm all; /* a copy of MPI_COMM_WORLD that returns errors */
    int rank, size;
    int threads; /* level of thread support that MPI gives */
    bool yield;  /* waiting processes give up their processor: set where a node has more ranks than processors
                  */
    bool simulated;         /* the time of the run is MPI's alone, which a simulator makes */
    double barrier_seconds; /* then: seconds from the last process's arrival at the latest barrier to the end
                               of it */
    char activity[COMM_ACTIVITY_SIZE]; /* for error messages: what is going on; "": nothing special */
    double origin; /* where the time of the run starts, the same moment on all: by comm_clock() */
    char failure[COMM_FAILURE_SIZE]; /* what failed on this process, so that others may wait for it in vain;
                                         "": nothing */
    char **arguments;                /* what comm_share_arguments() made; freed at the end */
};

/* Whether a launcher (mpiexec, srun, ...) started this process; without one, MPI need not be started at all
 * to print a help text. What it calls number and rank of processes; 0 and 0 where it sets neither. */
bool comm_launched(int *size, int *rank);

/* Takes the places of closed standard streams, so that no file that is opened gets what is printed. */
void comm_keep_streams(void);

/* Starts MPI with this level of thread support; the program's name is set. */
void comm_start(struct comm *comm, int threads, int *argc, char ***argv);

/* Whether this MPI is the launcher's, and its time real, or a simulator's (SimGrid's SMPI) where that was
 * asked for: what is simulated and what is measured must not be taken for each other. Otherwise one line. */
bool comm_is_usable(const struct comm *comm);

/* Gives every process the command line of rank 0; it stays until the end. */
void comm_share_arguments(struct comm *comm, int *argc, char ***argv);

/* Gives all processes the text of a file that rank 0 has, for free(); NULL where `path` is. 0, or -1 on all
 * with one line on rank 0 that names the option. Collective. */
int comm_read_text(struct comm *comm, const char *option, const char *path, char **text,
                   struct message *error);

/* Collective operations on comm->all, from rank 0 or to rank 0. More than INT_MAX bytes end all processes. */
void comm_broadcast(struct comm *comm, void *data, size_t size);
void comm_reduce(struct comm *comm, const void *in, void *out, int count, MPI_Datatype type, MPI_Op op);
/* Of all processes on comm->all, to all; 0 or an MPI error code. */
int comm_allreduce(struct comm *comm, const void *in, void *out, int count, MPI_Datatype type, MPI_Op op);
/* 0 or an MPI error code. In simulated time all processes leave it at the same moment. */
int comm_barrier(struct comm *comm);

/* The same as comm_broadcast() and in place of it, but a process that has had nothing to do since a time of
 * MPI_Wtime() sleeps between looks, below a second each, so that it takes no processor from the others;
 * INFINITY: it does not. All call this one. */
void comm_broadcast_sleeping(struct comm *comm, void *data, size_t size, double idle_since, double longest);

/* The processes of `members` that give the same text, in the order of their ranks. Collective; a number of 8
 * bytes for each process of `members` while it goes on. */
void comm_split(struct comm *comm, MPI_Comm members, const char *text, MPI_Comm *alike);

/* The processes of `members` on this host, by its name: which of them share memory depends on MPI's settings.
 * In a simulation the host is a simulated one. Collective. */
void comm_split_nodes(struct comm *comm, MPI_Comm members, MPI_Comm *node);

/* What the main thread is about to do; "": nothing special. */
void comm_activity(struct comm *comm, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One line on standard error; from this process only. */
void comm_say(const struct comm *comm, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* All agree on a status: EXIT_OK where all processes have that; otherwise that of the lowest rank which
 * has another, whose line rank 0 prints. `error` is read only there. Collective. */
enum exit_status comm_agree(struct comm *comm, enum exit_status status, const struct message *error);

/* MPI's text for an error, in one line: in `text`. MPICH has the reason in the last line of a stack of calls,
 * "FUNCTION(LINE): REASON". */
const char *comm_error_text(int code, char text[MPI_MAX_ERROR_STRING]);

/* Checks the result of an MPI call: an error is reported with the call, its place, MPI's text, the rank and
 * what was being done, and ends all processes with status 1. */
#define COMM_CHECK(comm, call) comm_check((comm), (call), #call, __FILE__, __LINE__)
void comm_check(const struct comm *comm, int code, const char *call, const char *file, int line);

/* Keeps the first failure in `failure`, and starts the alarm: see ending_fail(). */
void comm_fail(struct comm *comm, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The time of the run: clock_since_start(), or MPI's where that is simulated. */
double comm_clock(const struct comm *comm);

/* MPI_Wtime() and clock_since_start(), as nearly of the same moment as so many tries get it. Returns the
 * seconds within which both were read. */
double comm_read_clocks(double pair[2], int tries);

/* Seconds of T that are used up; the same on all processes. */
double comm_elapsed(const struct comm *comm);

/* MPI_Wtime, for what takes a clock. */
double comm_now(void *unused);

/* Ends all processes with this status: see ending_now(). MPI prints nothing about it. */
_Noreturn void comm_abort(enum exit_status status);

void comm_end(struct comm *comm);

#endif
