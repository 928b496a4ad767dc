/* Carries out a run in the same steps for all engines: start, set-up, measuring, files, end. Rank 0 decides
 * what is measured next and sends commands to the other ranks. An engine is defined by its table without MPI
 * (common/engine.h) and the table below. */
#ifndef COMMON_MPI_RUN_H
#define COMMON_MPI_RUN_H

#include "common/mpi/gpu.h"
#include "common/mpi/machine.h"
#include "common/progress.h"
#include "common/rundir.h"

/* One run on one process; the first member of the engine's own struct. */
struct run {
    const struct run_engine *table;
    struct comm *comm;
    const struct run_settings *settings; /* the first member of the engine's own settings */
    char *command;                       /* the command line */
    struct run_command *sent;            /* memory for one command of the engine */
    struct machine machine;
    struct space space;        /* memory of the messages */
    struct gpus gpus;          /* GPUs of all processes, if the messages are in GPU memory */
    int64_t memory_mib;        /* memory per process in MiB */
    const char *memory_source; /* its source: "given" or "detected" */
    double time;               /* T in seconds */
    double launch;             /* seconds from the start of the first process to the start of the last one */
    bool launch_counts;        /* `launch` is a part of T */
    double clock_start[2];     /* MPI_Wtime() and clock_since_start() at the start */
    double clocks[2];          /* seconds of the run by both clocks, on the process where they differ most */
    char *records;             /* end of the line if the run hangs: see ending_set_records() */
    enum exit_status status;

    /* Rank 0 only */
    double resolution; /* clock resolution in seconds */
    struct rundir directory;
    struct protocol protocol;
    struct progress progress;
    bool opened;           /* the protocol has been started */
    struct sheet *results; /* NULL: none */
};

/* A command from rank 0 to the other ranks; the first member of the engine's own command. */
struct run_command {
    bool finishing;          /* the last command: everything is measured */
    enum exit_status status; /* status of the run, in the last command */
};

/* The part of an engine that uses MPI. Functions are called on all processes unless stated otherwise. */
struct run_engine {
    const struct engine *engine;
    size_t command_size; /* bytes of the engine's command */
    double time;         /* T if the command line has none, until set_up() calls run_set_time() */
    bool idles;          /* processes may be idle for a long time; they sleep while they wait */
    /* Longest step after T, as a fraction of T and in seconds; the longer one counts. */
    double grace_fraction, grace;

    /* Returns the level of thread support. NULL: MPI_THREAD_SINGLE. */
    int (*threads)(const void *settings);
    /* Prepares the measurements; rank 0 calls run_open(). Returns the same status on all processes: EXIT_OK,
     * or another one after rank 0 has printed a message. */
    enum exit_status (*set_up)(struct run *run);
    /* Writes the engine's metadata. Rank 0 only. */
    void (*describe)(struct run *run);
    /* Measures everything. If there is a `perform`, this is called only on rank 0. Returns EXIT_OK, or
     * another status with the reason in `end`. */
    enum exit_status (*schedule)(struct run *run, struct message *end);
    /* Carries out a command that rank 0 sent by run_tell(). Called on the other ranks. Returns true if this
     * process took part; otherwise it is idle until the next command. */
    bool (*perform)(struct run *run, const struct run_command *command);
    /* Writes the files at the end. Rank 0 only. NULL: the files of a run directory are written. Returns 0, or
     * -1 with a message in `error`; `complete` becomes true if the run has a rating and no wrong data. */
    int (*finish)(struct run *run, const char *end, bool *complete, struct message *error);
    /* Closes files collectively at the end; may be NULL. */
    void (*close)(struct run *run);
    /* Removes the measured files; may be NULL. If the run hangs, the last resort removes the files that were
     * passed to ending_set_files(). */
    void (*clean)(struct run *run);
    void (*free)(struct run *run);
};

/* Runs the whole program and returns its exit status. `run` and `settings` are the engine's own structs. The
 * arguments of ending_set_files() must stay valid until the process has ended. */
int run_main(const struct run_engine *table, struct run *run, void *settings, int argc, char **argv);

/* Sets T if the command line has none. Must be called on all processes. */
void run_set_time(struct run *run, double time);

/* Returns the elapsed seconds of T. `run` is a struct run. */
double run_elapsed(void *run);

/* ---- for set_up ---- */

/* Sets the memory per process to `given_mib`, or, if that is 0, to the detected memory. If that is unknown,
 * prints a message and returns another status than EXIT_OK. Collective. */
enum exit_status run_set_memory(struct run *run, int64_t given_mib);

/* Warns on rank 0 if a node is oversubscribed. `consequence` is inserted into the message. */
void run_warn_oversubscribed(const struct run *run, const char *consequence);

/* Creates directory and protocol, and writes the metadata. Rank 0 only. Returns EXIT_OK, or another status
 * with a message in `error`. */
enum exit_status run_open(struct run *run, struct message *error);

/* Writes the metadata of the run and of its engine. run_open() calls it. */
void run_describe(struct run *run);

/* ---- for schedule, rank 0 ---- */

/* Sends a command to the other ranks, which carry it out. The caller must then do rank 0's part. */
void run_tell(struct run *run, struct run_command *command);

#endif
