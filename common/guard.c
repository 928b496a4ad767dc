/* Signals and deadline. Uses clock. */
#include "common/guard.h"

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
    signal(SIGXFSZ, SIG_IGN);
}

/* Waits for a watched signal until `until`, or for a second at most (the deadline may be moved closer); 0
 * when that time has come. A wake-up a second costs nothing that could be measured. */
static int wait_signal(double until)
{
    sigset_t set = watched();
    double left = fmin(fmax(until - clock_since_start(), 0), 1);
    struct timespec timeout = {(time_t)left, (long)((left - floor(left)) * 1e9)};
    int number = sigtimedwait(&set, NULL, &timeout);
    return number > 0 ? number : 0;
}

/* An earlier deadline, unless guard_move() sets another one at the same time. */
static void bring_forward(struct guard *guard, double deadline)
{
    double current = guard->deadline;
    if (deadline < current)
        atomic_compare_exchange_strong(&guard->deadline, &current, deadline);
}

static void *watch(void *argument)
{
    struct guard *guard = argument;
    enum guard_cause cause = GUARD_DEADLINE;
    for (;;) {
        int number = wait_signal(guard->deadline);
        if (number == STOP_SIGNAL)
            return NULL;
        if (number && cause == GUARD_DEADLINE) { /* more of the same signals change nothing */
            cause = number == FAIL_SIGNAL ? GUARD_FAILURE : GUARD_SIGNAL;
            if (cause == GUARD_SIGNAL)
                atomic_store(&guard->signal, number);
            bring_forward(guard, clock_since_start() + guard->patience);
        }
        if (clock_since_start() >= guard->deadline)
            guard->give_up(guard->context, cause);
    }
}

int guard_start(struct guard *guard, double deadline)
{
    guard->deadline = deadline;
    atomic_store(&guard->signal, 0);
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
    if (guard->running)
        pthread_kill(guard->thread, FAIL_SIGNAL);
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
