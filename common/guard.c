/* Signals and deadline. */
#include "common/guard.h"

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"

static const int ends[] = {SIGTERM, SIGINT, SIGUSR1, SIGHUP, SIGXCPU};
enum { STOP_SIGNAL = SIGUSR2 };    /* guard_stop() to the guard's thread */
#define FAIL_SIGNAL (SIGRTMIN + 1) /* guard_fail() */

static sigset_t watched(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        sigaddset(&set, ends[i]);
    sigaddset(&set, STOP_SIGNAL);
    sigaddset(&set, FAIL_SIGNAL);
    return set;
}

/* Waits for a watched signal until `until`, or for a second at most (the deadline may be moved closer); 0
 * when that time has come, or when guard_fail() woke the thread. A wake-up a second costs nothing that could
 * be measured. */
static int wait_signal(double until)
{
    sigset_t set = watched();
    double left = fmin(fmax(until - clock_since_start(), 0), 1);
    struct timespec timeout = {(time_t)left, (long)((left - floor(left)) * 1e9)};
    siginfo_t info;
    int number = sigtimedwait(&set, &info, &timeout);
    bool woken = number == FAIL_SIGNAL && info.si_pid == getpid();
    return number > 0 && !woken ? number : 0;
}

/* From the first cause on there is `patience`, unless guard_move() sets another deadline at the same time;
 * later causes change nothing. */
static void bring_forward(struct guard *guard, enum guard_cause cause)
{
    enum guard_cause none = GUARD_DEADLINE;
    double planned = guard->deadline, deadline = clock_since_start() + guard->patience;
    if (!atomic_compare_exchange_strong(&guard->cause, &none, cause))
        return;
    guard->planned = planned;
    if (deadline < planned)
        atomic_compare_exchange_strong(&guard->deadline, &planned, deadline);
}

static void *watch(void *argument)
{
    struct guard *guard = argument;
    for (;;) {
        int number = wait_signal(guard->deadline), none = 0;
        if (number == STOP_SIGNAL)
            return NULL;
        if (number && number != FAIL_SIGNAL)
            atomic_compare_exchange_strong(&guard->signal, &none, number);
        if (number)
            bring_forward(guard, number == FAIL_SIGNAL ? GUARD_FAILURE : GUARD_SIGNAL);
        if (clock_since_start() >= guard->deadline)
            guard->give_up(guard->context, guard->cause);
    }
}

int guard_start(struct guard *guard, double deadline)
{
    sigset_t set = watched();
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    clock_since_start(); /* its first call is no thread's */
    guard->deadline = deadline;
    atomic_store(&guard->signal, 0);
    guard->cause = GUARD_DEADLINE;
    int failed = pthread_create(&guard->thread, NULL, watch, guard);
    guard->running = !failed;
    return failed;
}

void guard_move(struct guard *guard, double deadline)
{
    guard->deadline = deadline;
}

int guard_signal(struct guard *guard)
{
    return atomic_load(&guard->signal);
}

void guard_fail(struct guard *guard)
{
    if (!guard->running)
        return;
    bring_forward(guard, GUARD_FAILURE);
    pthread_kill(guard->thread, FAIL_SIGNAL);
}

void guard_forgive(struct guard *guard)
{
    enum guard_cause failure = GUARD_FAILURE;
    if (atomic_compare_exchange_strong(&guard->cause, &failure, GUARD_DEADLINE))
        guard->deadline = guard->planned;
}

void guard_fail_process(pid_t process)
{
    kill(process, FAIL_SIGNAL);
}

void guard_stop(struct guard *guard)
{
    if (!guard->running)
        return;
    pthread_kill(guard->thread, STOP_SIGNAL);
    pthread_join(guard->thread, NULL);
    guard->running = 0;
}
