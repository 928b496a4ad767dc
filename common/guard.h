/* A thread that waits for signals and for a deadline, so that a run ends in time, with its files written,
 * even when the main thread hangs in a message that never comes. It sleeps, and wakes once a second. Pure
 * (POSIX threads). */
#ifndef COMMON_GUARD_H
#define COMMON_GUARD_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

enum guard_cause { GUARD_SIGNAL, GUARD_DEADLINE, GUARD_FAILURE };

struct guard {
    double patience; /* seconds that the main thread has to end the run after a signal or a failure */
    /* Called in the guard's thread when the main thread did not end the run in time. It ends the process, or
     * returns after it (or the main thread) has set a later deadline. */
    void (*give_up)(void *context, enum guard_cause cause);
    void *context;

    _Atomic double deadline, planned; /* by clock_since_start(); planned: before what is the cause */
    _Atomic(enum guard_cause) cause;  /* of the deadline */
    atomic_int signal;
    pthread_t thread;
    int running;
};

/* Blocks SIGTERM, SIGINT, SIGUSR1, SIGHUP and SIGXCPU in the calling thread and those it starts, ignores
 * SIGPIPE and SIGXFSZ, so that writing returns an error, and starts the guard's thread, which is to be the
 * first. The first of the signals is kept for guard_signal(). give_up is called `patience` seconds after it,
 * and at the deadline. Returns 0 or an errno value. */
int guard_start(struct guard *guard, double deadline);

/* Moves the deadline; a signal that came before does not shorten it any more. */
void guard_move(struct guard *guard, double deadline);

/* To be called by the main thread when something failed on this process and the others may wait for it
 * forever: from now on it has `patience` seconds to end the run. */
void guard_fail(struct guard *guard);

/* The same in another process of this host, which has a guard, too. */
void guard_fail_process(pid_t process);

/* The failure turned out to block nobody: the deadline is what it was before. */
void guard_forgive(struct guard *guard);

/* The signal that came, 0 if none did. */
int guard_signal(struct guard *guard);

/* Ends the thread, if it was started. */
void guard_stop(struct guard *guard);

#endif
