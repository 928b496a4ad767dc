/* Ends a run that cannot end by itself. A signal sets a flag, which the main thread reads. From the planned
 * end of the run, from a signal or from a failed call on, an alarm looks five times per second whether any
 * process of the node makes steps. If none does, the main thread hangs inside MPI or in a file system. The
 * alarm's handler is the last resort: it prints one line, removes the run's files and ends the process. It
 * calls only async-signal-safe functions, takes no lock and allocates no memory, since it may interrupt any
 * code. All records are in run.prot by then, so nothing is lost.
 *
 * The state is global, because signal handlers have no context. Only the main thread may call the functions.
 * They store the pointers that they receive and copy no data, unless stated otherwise. If ending_install()
 * has not been called, no signal is caught and no alarm is started. */
#ifndef COMMON_ENDING_H
#define COMMON_ENDING_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* A run that makes steps after its time is up has this many seconds more. */
#define ENDING_SLOW 20.0
/* Longest step in seconds after a signal or a failed call. */
#define ENDING_PATIENCE 6.0
/* Rank 0 ends a run that hangs. The other ranks wait this many seconds longer, and ENDING_SLOW while rank 0
 * writes the files, except after a failed call. */
#define ENDING_LATER 1.5

/* Catches all signals that end a program by default, except crash signals, and ignores SIGPIPE and
 * SIGXFSZ, so that writing returns an error. Printed lines start with `program`. */
void ending_install(const char *program);

/* Sets the rank: rank 0 prints the line; rank 1 prints it if rank 0 does not end the run. */
void ending_set_rank(int rank);

/* Sets the function that ends all processes of the run; NULL for none. Calling it is the last step. If it
 * hangs, this process exits 0.5 s later. */
void ending_set_abort(void (*abort_all)(int status));

/* Returns the first signal that was caught, or 0. */
int ending_signal(void);

/* Sets the time in seconds from now at which the run should have ended; INFINITY sets none. From then on, the
 * run ends when no process has made a step for `patience` seconds, because it then hangs, and `patience`
 * seconds after ENDING_SLOW if it is slow. The same applies from an earlier signal or failure on, with
 * ENDING_PATIENCE. `reason` starts the line ("the time limit was reached; "). */
void ending_deadline(double seconds, double patience, const char *reason);

/* Returns the counter of this process's steps, which the main thread increases whenever it makes progress.
 * Other threads get a counter that is not read. */
volatile sig_atomic_t *ending_steps(void);

/* Sets the counters in shared memory of the `processes` processes of a node, ENDING_STRIDE apart; the counter
 * number `own` belongs to this process. NULL ends the sharing. */
enum { ENDING_STRIDE = 128 / sizeof(sig_atomic_t) };
void ending_share_steps(volatile sig_atomic_t *all, int processes, int own);

/* Begins a phase of the run's normal end, in which a step may take this many seconds, and cancels all earlier
 * alarms. If `writing` is true (the run writes its files), a signal during this phase does not start an
 * alarm. */
void ending_extend(double seconds, bool writing);

/* Sets the exit status of the run. The last resort also exits with it. If no status has been set, the last
 * resort exits with status 4 after a signal without a failed call, and otherwise with status 1. */
void ending_set_status(int status);

/* Starts the alarm because a call failed on this process while others may wait inside it. The last resort on
 * this process prints `line`, whatever its rank. Only the first failure counts. */
void ending_fail(const char *line);

/* Cancels the alarm of a failure. Call it when all processes know of the failure, or when the call turns out
 * not to have failed. */
void ending_forgive(void);

/* Sets the activity of the main thread for the line: "hung while ACTIVITY". The text is copied. This counts
 * as a step. */
void ending_set_activity(const char *activity);

/* Sets the end of the line, which states where the records are. */
void ending_set_records(const char *text);

/* Sets the files to remove: the last resort calls `remove` for i = 0 to `count` - 1. The function must be
 * async-signal-safe. The files are also removed if MPI ends the process by exit(). */
typedef void ending_remove(const void *context, size_t i);
void ending_set_files(size_t count, ending_remove *remove, const void *context);

/* Sets whether the results have been printed. The last resort then prints no line, because only
 * MPI_Finalize() can hang. */
void ending_set_printed(bool printed);

/* Ends all processes now, as the last resort does, but without printing the line. */
_Noreturn void ending_now(int status);

/* Append to a text without a terminating zero and return its new end. Async-signal-safe. */
char *ending_put(char *end, const char *text);
char *ending_put_number(char *end, long number);

#endif
