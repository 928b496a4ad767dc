/* A thread that waits for signals and for the deadline, so that a run ends in time, with its files written,
 * even when the main thread hangs in a message that never comes. It sleeps until then: no wake-ups during a
 * measurement. Pure (POSIX threads). */
#ifndef COMMON_GUARD_H
#define COMMON_GUARD_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

enum guard_cause { GUARD_SIGNAL, GUARD_DEADLINE, GUARD_FAILURE };

struct guard {
    pthread_t thread;
    double deadline; /* by clock_since_start() */
    double patience; /* seconds that the main thread has to end the run after a signal or a failure */
    void (*give_up)(void *context,
                    enum guard_cause cause); /* called in the guard's thread; ends the process */
    void *context;
    atomic_int signal;
};

/* Blocks SIGTERM, SIGINT and SIGUSR1 in the calling thread and those it starts, and ignores SIGPIPE. To be
 * called before any other thread is started. */
void guard_block_signals(void);

/* Starts the thread. The first of the signals is kept for guard_signal(); if guard_stop() is not called
 * within `patience` seconds of it, or before the deadline, give_up is called. Returns 0 or an errno value. */
int guard_start(struct guard *guard);

/* To be called by the main thread when something failed on this process and the others may wait for it
 * forever: from now on it has `patience` seconds to end the run. */
void guard_fail(struct guard *guard);

/* The same in another process of this host, which has a guard, too. */
void guard_fail_process(pid_t process);

/* The signal that came, 0 if none did. */
int guard_signal(struct guard *guard);

/* Ends the thread; give_up will not be called any more. */
void guard_stop(struct guard *guard);

#endif
