#include "common/ending.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/engine.h"

/* Time limits in seconds for removing one file, and for each other step of the last resort. */
#define REMOVE_SECONDS 2.0
#define STEP_SECONDS   0.5
/* Seconds between two looks at the steps of the processes, once the run should have ended. */
#define LOOK_SECONDS 0.2

enum { ACTIVITY_SIZE = 160, RECORDS_MAX = 9000, SIGNALS = 65, DIGITS = 3 };

enum stage { STAGE_RUNNING, STAGE_REMOVING, STAGE_ABORTING };

/* The handlers run on the main thread, which writes the members that are not sig_atomic_t only while it
 * blocks the signals. */
static struct {
    const char *program; /* NULL before ending_install() */
    pthread_t main;
    sigset_t signals;
    void (*abort_all)(int status);
    volatile sig_atomic_t rank, signal, stage, closing, writing, printed, status, steps;
    double planned, urgent; /* deadlines by clock_since_start(); the run ends at the earlier one */
    double patience, last; /* a step moves `planned` so that `patience` seconds are left, at most to `last` */
    volatile sig_atomic_t *own, *all; /* the steps of this process, and of `processes` processes */
    int processes;
    unsigned seen; /* the steps at the last look */
    const char *reason, *failure, *records;
    char activity[ACTIVITY_SIZE], digits[SIGNALS][DIGITS + 1];
    size_t files;
    ending_remove *remove;
    const void *context;
} ending = {.planned = INFINITY,
            .urgent = INFINITY,
            .status = -1,
            .reason = "",
            .records = "",
            .own = &ending.steps,
            .all = &ending.steps,
            .processes = 1};

static sigset_t block(void)
{
    sigset_t before;
    pthread_sigmask(SIG_BLOCK, &ending.signals, &before);
    return before;
}

static void unblock(sigset_t before)
{
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Writes a member while the signals are blocked. */
#define SET(member, value)                                                                                   \
    do {                                                                                                     \
        sigset_t before = block();                                                                           \
        ending.member = (value);                                                                             \
        unblock(before);                                                                                     \
    } while (0)

/* ---- the alarm ---- */

/* Starts the timer, or stops it if `seconds` is INFINITY. A deadline in the past becomes a microsecond,
 * because 0 would stop the timer. */
static void start_timer(double seconds)
{
    struct itimerval timer = {0};
    double left = fmax(seconds, 0);
    if (isfinite(left))
        timer.it_value = (struct timeval){(time_t)left, 1 + (suseconds_t)(999998 * (left - floor(left)))};
    if (ending.program)
        setitimer(ITIMER_REAL, &timer, NULL);
}

static double time_left(void)
{
    return fmin(ending.planned, ending.urgent) - clock_since_start();
}

/* Restarts the timer for the deadline, or for the next look at the steps if it comes first. */
static void arm(void)
{
    double look = ending.failure ? 0 : ending.planned - ending.patience - clock_since_start();
    if (ending.stage == STAGE_RUNNING)
        start_timer(fmin(time_left(), fmax(look, LOOK_SECONDS)));
}

/* Returns the seconds by which this rank's alarms go off later than rank 0's. */
static double rank_delay(void)
{
    return ending.rank ? ENDING_LATER : 0;
}

/* Postpones the deadlines, but not a signal's, if a process has made a step since the last look. */
static void look(void)
{
    double now = clock_since_start();
    unsigned steps = 0;
    for (int i = 0; i < ending.processes; i++)
        steps += (unsigned)ending.all[(size_t)i * ENDING_STRIDE];
    if (steps == ending.seen)
        return;
    ending.seen = steps;
    ending.planned = fmin(fmax(ending.planned, now + ending.patience), ending.last);
    if (ending.failure && !ending.signal)
        ending.urgent = now + ENDING_PATIENCE;
}

/* Passes a signal of another thread to the main thread, and returns true. */
static bool is_passed_on(int number)
{
    return !pthread_equal(pthread_self(), ending.main) && pthread_kill(ending.main, number) == 0;
}

static void note_signal(int number)
{
    int saved = errno;
    if (!is_passed_on(number)) {
        if (!ending.signal)
            ending.signal = number;
        if (!ending.writing && isinf(ending.urgent))
            ending.urgent = clock_since_start() + ENDING_PATIENCE + rank_delay();
        arm();
    }
    errno = saved;
}

/* ---- the last resort ---- */

char *ending_put(char *end, const char *text)
{
    size_t length = strlen(text);
    return (char *)memcpy(end, text, length) + length;
}

char *ending_put_number(char *end, long number)
{
    char digits[24];
    size_t first = sizeof digits;
    do
        digits[--first] = (char)('0' + number % 10);
    while (number /= 10);
    memcpy(end, digits + first, sizeof digits - first);
    return end + (sizeof digits - first);
}

/* Prints the line with a single write, so that the lines of several processes do not mix. */
static void print_line(void)
{
    const bool failed = ending.failure, stopped = ending.signal && !ending.closing;
    const char *const texts[] = {
        ending.program,
        ": ",
        failed        ? ending.failure
        : ending.rank ? "rank 0 does not end the run; "
                      : "",
        failed    ? "; other processes hang in a call"
        : stopped ? "stopped by signal "
                  : ending.reason,
        failed || !stopped ? "" : ending.digits[ending.signal],
        failed    ? ""
        : stopped ? "; hung while "
                  : "hung while ",
        failed ? "" : ending.activity,
        ending.records,
        "\n",
    };
    enum { TEXTS = sizeof texts / sizeof *texts };
    struct iovec line[TEXTS];
    for (int i = 0; i < TEXTS; i++)
        line[i] = (struct iovec){(char *)texts[i], strlen(texts[i])};
    while ((failed || ending.rank <= 1) && writev(STDERR_FILENO, line, TEXTS) < 0 && errno == EINTR)
        ;
}

/* Removes the files, each with its own time limit, so that a hanging file system cannot block the process. */
static void remove_files(void)
{
    for (size_t i = 0; i < ending.files; i++) {
        start_timer(REMOVE_SECONDS);
        ending.remove(ending.context, i);
    }
}

static void remove_at_exit(void)
{
    if (ending.stage == STAGE_RUNNING)
        remove_files();
}

/* Ends the process. If a step hangs, the timer calls this function again, and the next step follows. */
static _Noreturn void end_process(bool prints)
{
    int status = ending.status >= 0                 ? ending.status
                 : ending.signal && !ending.failure ? EXIT_STOPPED
                                                    : EXIT_ERRORS;
    start_timer(STEP_SECONDS);
    if (ending.stage == STAGE_RUNNING) {
        ending.stage = STAGE_REMOVING;
        if (prints && !ending.printed)
            print_line();
        remove_files();
    }
    if (ending.stage == STAGE_REMOVING) {
        ending.stage = STAGE_ABORTING;
        start_timer(STEP_SECONDS);
        if (ending.abort_all)
            ending.abort_all(status);
    }
    _exit(status);
}

/* Handles the alarm. An alarm that another program sent is a signal like the others. */
static void last_resort(int number, siginfo_t *from, void *context)
{
    int saved = errno;
    (void)context;
    if (from->si_code == SI_USER || from->si_code == SI_QUEUE) {
        note_signal(number);
    } else if (!is_passed_on(number)) {
        if (ending.stage == STAGE_RUNNING)
            look();
        if (ending.stage != STAGE_RUNNING || time_left() <= 0)
            end_process(true);
        arm();
    }
    errno = saved;
}

void ending_now(int status)
{
    ending.status = status;
    end_process(false);
}

/* ---- set by the main thread ---- */

/* Catches a signal. A handler of a profiler is kept, but not one of a library for SIGHUP and the like: UCX
 * has one that shows its state. */
static void catch (int number)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART, .sa_mask = ending.signals},
                     old;
    bool profilers = number == SIGPROF || number == SIGVTALRM || number == SIGIO || number == SIGUSR2 ||
                     number >= SIGRTMIN;
    if (sigaction(number, NULL, &old) == 0 &&
        (!profilers || old.sa_handler == SIG_DFL || old.sa_handler == SIG_IGN))
        sigaction(number, &action, NULL);
}

void ending_install(const char *program)
{
    static const int ends[] = {SIGTERM, SIGINT,    SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2,
                               SIGXCPU, SIGVTALRM, SIGPROF, SIGIO,  SIGPWR,  SIGSTKFLT};
    struct sigaction alarm = {.sa_sigaction = last_resort, .sa_flags = SA_RESTART | SA_NODEFER | SA_SIGINFO};
    clock_since_start(); /* the first call is not async-signal-safe */
    ending.main = pthread_self();
    sigemptyset(&ending.signals);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        sigaddset(&ending.signals, ends[i]);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        sigaddset(&ending.signals, number);
    alarm.sa_mask = ending.signals;
    sigaddset(&ending.signals, SIGALRM);
    ending.program = program;
    for (int number = 1; number < SIGNALS; number++) {
        snprintf(ending.digits[number], sizeof ending.digits[number], "%d", number);
        if (number != SIGALRM && sigismember(&ending.signals, number) == 1)
            catch (number);
    }
    sigaction(SIGALRM, &alarm, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    atexit(remove_at_exit);
}

void ending_set_rank(int rank)
{
    ending.rank = rank;
}

void ending_set_abort(void (*abort_all)(int status))
{
    SET(abort_all, abort_all);
}

int ending_signal(void)
{
    return ending.signal;
}

volatile sig_atomic_t *ending_steps(void)
{
    static _Thread_local volatile sig_atomic_t other;
    return !ending.program || pthread_equal(pthread_self(), ending.main) ? ending.own : &other;
}

void ending_share_steps(volatile sig_atomic_t *all, int processes, int own)
{
    sigset_t before = block();
    ending.all = all ? all : &ending.steps;
    ending.processes = all ? processes : 1;
    ending.own = &ending.all[(size_t)own * ENDING_STRIDE];
    unblock(before);
}

/* Sets both deadlines. */
static void set_deadline(double seconds, double patience, const char *reason, bool keeps)
{
    sigset_t before = block();
    ending.reason = reason;
    ending.patience = patience + rank_delay();
    ending.planned = clock_since_start() + seconds + ending.patience;
    ending.last = ending.planned + ENDING_SLOW;
    if (!keeps) {
        ending.failure = NULL;
        ending.urgent = INFINITY;
    }
    arm();
    unblock(before);
}

void ending_deadline(double seconds, double patience, const char *reason)
{
    set_deadline(seconds, patience, reason, true);
}

void ending_extend(double seconds, bool writing)
{
    ending.closing = true;
    ending.writing = writing;
    set_deadline(0, seconds, "", false);
}

void ending_set_status(int status)
{
    ending.status = status;
}

void ending_fail(const char *line)
{
    sigset_t before = block();
    if (!ending.failure) {
        ending.failure = line;
        ending.urgent = fmin(ending.urgent, clock_since_start() + ENDING_PATIENCE);
        arm();
    }
    unblock(before);
}

void ending_forgive(void)
{
    sigset_t before = block();
    if (ending.failure && !ending.signal)
        ending.urgent = INFINITY;
    ending.failure = NULL;
    arm();
    unblock(before);
}

void ending_set_activity(const char *activity)
{
    sigset_t before = block();
    size_t length = strnlen(activity, ACTIVITY_SIZE - 1);
    memcpy(ending.activity, activity, length);
    ending.activity[length] = 0;
    ++*ending.own;
    unblock(before);
}

void ending_set_records(const char *text)
{
    SET(records, strlen(text) < RECORDS_MAX ? text : "");
}

void ending_set_files(size_t count, ending_remove *remove, const void *context)
{
    sigset_t before = block();
    ending.files = count;
    ending.remove = remove;
    ending.context = context;
    unblock(before);
}

void ending_set_printed(bool printed)
{
    ending.printed = printed;
}
