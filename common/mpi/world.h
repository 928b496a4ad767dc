/* The processes of a run: start, end, collective operations that do not starve an oversubscribed node, and
 * errors that end all processes. */
#ifndef COMMON_MPI_WORLD_H
#define COMMON_MPI_WORLD_H

#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/engine.h"
#include "common/guard.h"

enum { WORLD_FAILURE_SIZE = 480, WORLD_DOING_SIZE = 160 };

struct world {
    const char *program;
    MPI_Comm comm; /* a copy of MPI_COMM_WORLD that returns errors */
    int rank, size;
    int threads; /* level of thread support that MPI gives */
    bool yield;  /* waiting processes give up their processor: set where a node has more ranks than processors
                  */
    bool simulated; /* the time of the run is MPI's alone, which a simulator makes */
    double meeting; /* then: seconds from the last process's arrival at the latest barrier to the end of it */
    char doing[WORLD_DOING_SIZE]; /* for error messages: what is going on; "": nothing special */
    pthread_mutex_t describing;   /* of `doing`: world_doing() writes it, the guard reads it */
    double origin; /* where the time of the run starts, the same moment on all: by world_clock() */
    struct guard guard;
    char failure[WORLD_FAILURE_SIZE]; /* what failed on this process, so that others may wait for it in vain;
                                         "": nothing */
    char **arguments;                 /* what world_share_arguments() made; freed at the end */
};

/* Whether a launcher (mpiexec, srun, ...) started this process; without one, MPI need not be started at all
 * to print a help text. */
bool world_has_launcher(void);

/* Takes the places of closed standard streams, so that no file that is opened gets what is printed. */
void world_keep_streams(void);

/* Starts MPI with this level of thread support; program and guard are set. */
void world_start(struct world *world, int threads, int *argc, char ***argv);

/* Whether each process is a world of its own, because the launcher is of another MPI; said in one line then.
 */
bool world_is_split(const struct world *world);

/* Whether MPI's time is that of a simulator (SimGrid's SMPI). */
bool world_is_simulator(void);

/* Gives every process the command line of rank 0; it stays until the end. */
void world_share_arguments(struct world *world, int *argc, char ***argv);

/* Collective operations on world->comm, from rank 0 or to rank 0. */
void world_broadcast(struct world *world, void *data, size_t size);
void world_reduce(struct world *world, const void *in, void *out, int count, MPI_Datatype type, MPI_Op op);
/* Of all processes on world->comm, to all; 0 or an MPI error code. */
int world_allreduce(struct world *world, const void *in, void *out, int count, MPI_Datatype type, MPI_Op op);
/* 0 or an MPI error code. In simulated time all processes leave it at the same moment. */
int world_barrier(struct world *world);

/* The same as world_broadcast() and in place of it, but a process that has had nothing to do since a time of
 * MPI_Wtime() sleeps between looks, below a second each, so that it takes no processor from the others;
 * INFINITY: it does not. All call this one. */
void world_broadcast_sleeping(struct world *world, void *data, size_t size, double idle_since,
                              double longest);

/* The processes of `comm` that give the same text, in the order of their ranks. Collective; a number of 8
 * bytes for each process of `comm` while it goes on. */
void world_split(struct world *world, MPI_Comm comm, const char *text, MPI_Comm *alike);

/* The processes of `comm` on this host, by its name: which of them share memory is the MPI's affair, and a
 * matter of its settings. In a simulation the host is a simulated one. Collective. */
void world_split_nodes(struct world *world, MPI_Comm comm, MPI_Comm *node);

/* What the main thread is about to do; "": nothing special. */
void world_doing(struct world *world, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One line on standard error; from this process only. */
void world_say(const struct world *world, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Rank 0 as a process of this host, for guard_fail_process(); 0 if it is on another one, or in a container
 * with process numbers of its own. Collective. */
pid_t world_first_process(struct world *world);

/* All agree on a status: EXIT_RATED where all processes have that; otherwise that of the lowest rank which
 * has another, whose line rank 0 tells. `error` is read only there. Collective. */
enum exit_status world_agree(struct world *world, enum exit_status status, const struct message *error);

/* Checks the result of an MPI call: an error is reported with the call, its place, MPI's text, the rank and
 * what was being done, and ends all processes with status 1. */
#define WORLD_CHECK(world, call) world_check((world), (call), #call, __FILE__, __LINE__)
void world_check(const struct world *world, int code, const char *call, const char *file, int line);

/* Keeps the first failure in `failure`, and starts the guard's patience. */
void world_fail(struct world *world, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "out of memory for WHAT", which ends all processes. */
_Noreturn void world_out_of_memory(const struct world *world, const char *what);

/* The time of the run: clock_since_start(), or MPI's where that is simulated. */
double world_clock(const struct world *world);

/* Seconds of T that are used up; the same on all processes. */
double world_elapsed(const struct world *world);

/* MPI_Wtime, for what takes a clock. */
double world_now(void *unused);

/* Ends all processes with this status, in any thread, without a word of MPI's: what there is to say has been
 * said. */
_Noreturn void world_abort(enum exit_status status);

/* Ends MPI; world_free() frees the arguments. */
void world_end(struct world *world);
void world_free(struct world *world);

#endif
