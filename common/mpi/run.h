/* The life of a program that measures, the same for all engines: start, set-up, rank 0 that leads and the
 * others that follow, files, end. An engine is its pure table (common/engine.h) and the
 * table below.
 */
#ifndef COMMON_MPI_RUN_H
#define COMMON_MPI_RUN_H

#include "common/mpi/machine.h"
#include "common/progress.h"
#include "common/rundir.h"

/* One run on one process; the first member of the engine's own struct. */
struct run {
    const struct run_engine *table;
    struct comm *comm;
    const struct run_settings *settings; /* the first member of the engine's own */
    char *command;                       /* the command line */
    struct run_command *sent;            /* room for one of the engine's commands */
    struct machine machine;
    int64_t memory_mib;        /* per process ... */
    const char *memory_source; /* ... "given", "detected" or "unknown" */
    double time;               /* T, seconds */
    double launch;             /* seconds from the first process's start to the last one's */
    bool launch_counts;        /* as a part of T */
    double clock_start[2];     /* MPI_Wtime() and clock_since_start() */
    double clocks[2];          /* seconds of the run by both, on the process where they differ most */
    char *records; /* the end of the line that is printed if the run hangs: see ending_set_records() */
    enum exit_status status;

    /* Rank 0 only. */
    double resolution; /* of the clock, seconds */
    struct rundir directory;
    struct protocol protocol;
    struct progress progress;
    bool opened;           /* there is a protocol */
    struct sheet *results; /* NULL: there are none */
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
    /* Grace period after T before rank 0 takes the run for hung, as a fraction of T and in seconds; the
     * longer one counts. A run that is only slow ends by itself in this time. */
    double grace_fraction, grace;

    /* Level of thread support that the command line asks for, which is not parsed yet; NULL:
     * MPI_THREAD_SINGLE. */
    int (*threads)(int argc, char *const *argv);
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
    /* Writes the files at the end; rank 0. NULL: those of a run directory. Returns 0, or -1 with a message;
     * `rated` is set if the result is in order. */
    int (*finish)(struct run *run, const char *end, bool *rated, struct message *error);
    /* What all have to close together at the end; NULL: nothing. */
    void (*close)(struct run *run);
    /* Removes the files that were only measured; NULL: there are none. For a run that hangs there is
     * ending_set_files(). */
    void (*clean)(struct run *run);
    void (*free)(struct run *run);
};

/* Runs the whole program and returns its exit status. `run` and `settings` are the engine's own structs. What
 * ending_set_files() gets must stay until the process has ended. */
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

/* ---- for schedule, rank 0 ---- */

/* Hands a command to the others, who perform it; rank 0 then does its own part. */
void run_tell(struct run *run, struct run_command *command);

#endif
