/* The life of a program that measures, the same for all engines: start, set-up, rank 0 that leads and the
 * others that follow, guard, giving up, files, end. An engine is its pure table (common/engine.h) and the
 * table below.
 */
#ifndef COMMON_MPI_RUN_H
#define COMMON_MPI_RUN_H

#include <pthread.h>
#include <stdatomic.h>

#include "common/mpi/machine.h"
#include "common/progress.h"
#include "common/rundir.h"

/* One run on one process; the first member of the engine's own struct. */
struct run {
    const struct run_engine *table;
    struct comm *comm;
    const struct run_settings *settings; /* the first member of the engine's own */
    const char *command;                 /* the command line */
    struct run_command *sent;            /* room for one of the engine's commands */
    struct machine machine;
    int64_t memory_mib;        /* per process ... */
    const char *memory_source; /* ... "given", "detected" or "unknown" */
    pid_t first_process;       /* rank 0, if it is on this host; else 0 */
    _Atomic double time;       /* T, seconds */
    double launch;             /* seconds from the first process's start to the last one's */
    bool launch_counts;        /* as a part of T */
    double clock_start[2];     /* MPI_Wtime() and clock_since_start() */
    double clocks[2];          /* seconds of the run by both, where they differ most; 0: not compared yet */

    /* Rank 0 only. */
    double resolution; /* of the clock, seconds */
    struct rundir directory;
    struct protocol protocol;
    struct progress progress;
    pthread_mutex_t lock;  /* protocol, `opened`, `finished`: main thread or guard */
    bool opened;           /* there is a protocol */
    atomic_bool finished;  /* the files are written, or not needed */
    struct sheet *results; /* once they are; NULL: there are none */
    atomic_bool printed;

    _Atomic(enum exit_status) status;
    pthread_mutex_t leaving; /* whose it is ends the run and removes what it leaves: main thread or guard */
    atomic_bool detected;    /* `machine` is */
    atomic_bool over;        /* everything is done but for the end of MPI */
};

/* A command of rank 0 to the others; the first member of the engine's own struct. */
struct run_command {
    bool finishing;          /* all is measured: none follows */
    enum exit_status status; /* then */
};

/* What an engine adds. Functions are called on all processes unless it says otherwise. */
struct run_engine {
    const struct engine *engine;
    size_t command_size; /* of its commands */
    double time;         /* T until the engine sets run.time on all processes, where none was given; else 0 */
    bool idles;          /* some processes may have nothing to do for long: they sleep while they wait */
    double grace_fraction; /* of T: rank 0 gives up so much after the time is up, ... */
    double late;           /* ... or so many seconds, where that is more */

    /* Level of thread support that the settings ask for; NULL: MPI_THREAD_FUNNELED. */
    int (*threads)(const void *settings);
    /* Everything up to the first measurement, with run_open() on rank 0. The same status on all processes:
     * EXIT_OK if the run can begin. Rank 0 has printed what is wrong. */
    enum exit_status (*set_up)(struct run *run);
    /* Writes metadata of its own; rank 0. */
    void (*describe)(struct run *run);
    /* Measures everything. Rank 0; without `perform` all processes. EXIT_OK, or another status with the
     * reason in `end`. */
    enum exit_status (*schedule)(struct run *run, struct message *end);
    /* Carries out a command of rank 0's (run_tell); the others. Whether this process took part: otherwise it
     * sleeps until the next one. */
    bool (*perform)(struct run *run, const struct run_command *command);
    /* Writes the files at the end; rank 0, in the main thread or in the guard's. NULL: those of a run
     * directory. 0, or -1 with one line; `rated` is set if the result is in order. */
    int (*finish)(struct run *run, const char *end, bool *rated, struct message *error);
    /* Prints what is left to print when all files are written; NULL: the results. */
    void (*print)(struct run *run);
    /* What failed on this process, so that others may wait for it in vain; "": nothing. NULL: nothing ever
     * does.
     */
    void (*failure)(const struct run *run, struct message *text);
    /* What all have to close together at the end; NULL: nothing. */
    void (*close)(struct run *run);
    /* Removes what a run leaves behind, in the main thread or in the guard's, whatever is being done; with
     * `all` also what other processes made, who may not come to it. NULL: nothing. */
    void (*clean)(struct run *run, bool all);
    void (*free)(struct run *run);
};

/* The whole program: returns its exit status. `run` and `settings` are the engine's own structs; with `clean`
 * the run stays until the process has ended. */
int run_main(const struct run_engine *table, struct run *run, void *settings, int argc, char **argv);

/* Seconds of T = `time` that are kept for the end: writing the files, freeing memory, ending MPI. */
double run_reserve(double time);

/* T that was not given; to be called on all processes. */
void run_set_time(struct run *run, double time);

/* Seconds of T that are used up. `run`: a struct run. */
double run_elapsed(void *run);

/* ---- for set_up ---- */

/* Memory per process: what was given in MiB, or, for 0, what was detected. */
void run_set_memory(struct run *run, int64_t given_mib);

/* Says on rank 0 that a node has more processes than processors; `consequence` follows the fact. */
void run_warn_oversubscribed(const struct run *run, const char *consequence);

/* Makes directory and protocol and describes the run in it; rank 0. EXIT_OK, or another status with one
 * line.
 */
enum exit_status run_open(struct run *run, struct message *error);

/* Writes the metadata of a run, and those of its engine; a part of run_open(). */
void run_describe(struct run *run);

/* ---- for schedule and set_up, rank 0: the guard may end the protocol at any time ---- */

/* Writes metadata while the run goes on. */
void run_note(struct run *run, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Keeps one record. Returns 0, or -1 with a message if the protocol could not be written. */
int run_record(struct run *run, const void *record, struct message *error);

/* Hands a command to the others, who perform it; rank 0 then does its own part. */
void run_tell(struct run *run, struct run_command *command);

#endif
