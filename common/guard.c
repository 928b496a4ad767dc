/* Signals and deadline. Uses clock. */
#include "common/guard.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <time.h>

#include "common/clock.h"

static const int ends[] = {SIGTERM, SIGINT, SIGUSR1};
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

void guard_block_signals(void)
{
    sigset_t set = watched();
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* Waits for a watched signal until `until`; 0 when that time has come. */
static int wait_signal(double until)
{
    sigset_t set = watched();
    for (;;) {
        double left = fmin(fmax(until - clock_since_start(), 0), 1e6);
        struct timespec timeout = {(time_t)left, (long)((left - floor(left)) * 1e9)};
        int number = sigtimedwait(&set, NULL, &timeout);
        if (number > 0)
            return number;
        if (errno == EAGAIN && clock_since_start() >= until)
            return 0;
    }
}

static void *watch(void *argument)
{
    struct guard *guard = argument;
    int number = wait_signal(guard->deadline);
    enum guard_cause cause = number == 0             ? GUARD_DEADLINE
                             : number == FAIL_SIGNAL ? GUARD_FAILURE
                                                     : GUARD_SIGNAL;
    if (number && number != STOP_SIGNAL) {
        if (number != FAIL_SIGNAL)
            atomic_store(&guard->signal, number);
        double until = clock_since_start() + guard->patience;
        do
            number = wait_signal(until);
        while (number && number != STOP_SIGNAL); /* more of the same signals change nothing */
    }
    if (number != STOP_SIGNAL)
        guard->give_up(guard->context, cause);
    return NULL;
}

int guard_start(struct guard *guard)
{
    atomic_init(&guard->signal, 0);
    return pthread_create(&guard->thread, NULL, watch, guard);
}

int guard_signal(struct guard *guard)
{
    return atomic_load(&guard->signal);
}

void guard_fail(struct guard *guard)
{
    pthread_kill(guard->thread, FAIL_SIGNAL);
}

void guard_fail_process(pid_t process)
{
    kill(process, FAIL_SIGNAL);
}

void guard_stop(struct guard *guard)
{
    pthread_kill(guard->thread, STOP_SIGNAL);
    pthread_join(guard->thread, NULL);
}
