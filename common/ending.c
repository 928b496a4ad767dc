#include "common/ending.h"

#include <errno.h>
#include <math.h>
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
/* A look that comes this many seconds after the previous one shows that this process could not run. */
#define LATE_SECONDS 1.0

enum { ACTIVITY_SIZE = 160, SIGNALS = 65, DIGITS = 3 };

enum stage { STAGE_RUNNING, STAGE_REMOVING, STAGE_ABORTING };

/* Handlers of signals use only the first members, on any thread. The alarm's handler does its work on the
 * main thread, which writes the other members only while it blocks the alarm. */
static struct {
    volatile sig_atomic_t signal, asked; /* the first signal; one has come that has to end the run in time */
    volatile sig_atomic_t rank, stage, closing, writing, printed, status, steps;
    const char *program; /* NULL before ending_install() */
    sigset_t alarm;
    void (*abort_all)(int status);
    /* By clock_since_start(): when the run should have ended as planned, and because of a signal or a
     * failure; the latest step that was seen; the latest look. */
    double planned, urgent, moved, looked;
    double patience;                  /* seconds without a step after `planned` */
    volatile sig_atomic_t *own, *all; /* the steps of this process, and of `processes` processes */
    int processes;
    unsigned seen; /* the steps at the latest look */
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

static _Thread_local volatile sig_atomic_t is_main, steps_of_another_thread;

/* Blocks or unblocks the alarm. */
static void hold(int how)
{
    sigprocmask(how, &ending.alarm, NULL);
}

#define SET(member, value) (hold(SIG_BLOCK), ending.member = (value), hold(SIG_UNBLOCK))

/* ---- the alarm ---- */

/* Starts the timer, or stops it if `seconds` is INFINITY. The extra microsecond is for 0, which would stop
 * it. */
static void start_timer(double seconds)
{
    struct itimerval timer = {0};
    if (isfinite(seconds))
        timer.it_value = (struct timeval){(time_t)seconds, 1 + (suseconds_t)(999998 * fmod(seconds, 1))};
    if (ending.program)
        setitimer(ITIMER_REAL, &timer, NULL);
}

/* Starts the timer for the next look at the steps. */
static void arm(void)
{
    double due = fmin(ending.planned, ending.urgent) - clock_since_start();
    if (ending.stage == STAGE_RUNNING)
        start_timer(LOOK_SECONDS + (ending.asked ? 0 : fmax(due, 0)));
}

static double deadline(double due, double patience)
{
    return fmin(fmax(due, ending.moved), due + ENDING_SLOW) + patience;
}

/* Looks at the steps. Returns true if the run hangs, or is too slow. The steps of rank 0, which writes the
 * files, are not seen on other nodes. */
static bool is_over(void)
{
    double now = clock_since_start(), late = 0;
    if (ending.rank && !ending.failure)
        late = ENDING_LATER + (ending.writing ? ENDING_SLOW : 0);
    unsigned steps = 0;
    for (int i = 0; i < ending.processes; i++)
        steps += (unsigned)ending.all[(size_t)i * ENDING_STRIDE];
    if (steps != ending.seen || now > ending.looked + LATE_SECONDS)
        ending.moved = now;
    ending.seen = steps;
    ending.looked = now;
    if (ending.asked && isinf(ending.urgent))
        ending.urgent = now;
    return now >=
           late + fmin(deadline(ending.planned, ending.patience), deadline(ending.urgent, ENDING_PATIENCE));
}

static void note_signal(int number)
{
    int saved = errno;
    if (!ending.signal)
        ending.signal = number;
    if (!ending.asked && !ending.writing && ending.stage == STAGE_RUNNING) {
        ending.asked = true;
        start_timer(LOOK_SECONDS);
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
    const bool failed = ending.failure, stopped = !failed && ending.signal && !ending.closing;
    const char *const texts[] = {ending.program,
                                 ": ",
                                 failed        ? ending.failure
                                 : ending.rank ? "rank 0 does not end the run; "
                                               : "",
                                 failed    ? "; other processes hang in a call"
                                 : stopped ? "stopped by signal "
                                           : ending.reason,
                                 stopped ? ending.digits[ending.signal] : "",
                                 stopped ? "; " : "",
                                 failed ? "" : "hung while ",
                                 failed ? "" : ending.activity,
                                 ending.records,
                                 "\n"};
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

/* Handles the alarm. An alarm that another program sent is a signal like the others. An alarm that interrupts
 * another thread, because the main thread blocks it, is repeated. */
static void last_resort(int number, siginfo_t *from, void *context)
{
    int saved = errno;
    (void)context;
    if (from->si_code == SI_USER || from->si_code == SI_QUEUE)
        note_signal(number);
    else if (!is_main)
        start_timer(LOOK_SECONDS);
    else if (ending.stage != STAGE_RUNNING || is_over())
        end_process(true);
    else
        arm();
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
    const struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    struct sigaction old;
    bool profilers = number == SIGPROF || number == SIGVTALRM || number == SIGIO || number == SIGUSR2 ||
                     number >= SIGRTMIN;
    if (sigaction(number, NULL, &old) == 0 &&
        (!profilers || old.sa_handler == SIG_DFL || old.sa_handler == SIG_IGN))
        sigaction(number, &action, NULL);
}

void ending_install(const char *program)
{
    static const char ends[] = {SIGTERM,   SIGINT,  SIGQUIT, SIGHUP, SIGUSR1,   SIGUSR2, SIGXCPU,
                                SIGVTALRM, SIGPROF, SIGIO,   SIGPWR, SIGSTKFLT, SIGTRAP, SIGSYS,
                                SIGABRT /* of a watchdog; abort() ends the process anyway */};
    const struct sigaction alarm = {.sa_sigaction = last_resort,
                                    .sa_flags = SA_RESTART | SA_NODEFER | SA_SIGINFO};
    clock_since_start(); /* the first call is not async-signal-safe */
    is_main = true;
    sigemptyset(&ending.alarm);
    sigaddset(&ending.alarm, SIGALRM);
    ending.program = program;
    for (int number = 1; number < SIGNALS; number++) {
        *ending_put_number(ending.digits[number], number) = 0;
        if (number >= SIGRTMIN || memchr(ends, number, sizeof ends))
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
    return is_main || !ending.program ? ending.own : &steps_of_another_thread;
}

void ending_share_steps(volatile sig_atomic_t *all, int processes, int own)
{
    hold(SIG_BLOCK);
    ending.all = all ? all : &ending.steps;
    ending.processes = all ? processes : 1;
    ending.own = &ending.all[(size_t)own * ENDING_STRIDE];
    hold(SIG_UNBLOCK);
}

void ending_deadline(double seconds, double patience, const char *reason)
{
    hold(SIG_BLOCK);
    ending.reason = reason;
    ending.patience = patience;
    ending.planned = clock_since_start() + seconds;
    arm();
    hold(SIG_UNBLOCK);
}

void ending_extend(double seconds, bool writing)
{
    hold(SIG_BLOCK);
    ending.closing = true;
    ending.writing = writing;
    ending.asked = false;
    ending.failure = NULL;
    ending.urgent = INFINITY;
    hold(SIG_UNBLOCK);
    ending_deadline(0, seconds, "");
}

void ending_set_status(int status)
{
    ending.status = status;
}

void ending_fail(const char *line)
{
    hold(SIG_BLOCK);
    if (!ending.failure) {
        ending.failure = line;
        ending.urgent = fmin(ending.urgent, clock_since_start());
        arm();
    }
    hold(SIG_UNBLOCK);
}

void ending_forgive(void)
{
    hold(SIG_BLOCK);
    if (ending.failure) {
        ending.failure = NULL;
        ending.urgent = INFINITY; /* until the next look, if a signal has come */
        arm();
    }
    hold(SIG_UNBLOCK);
}

void ending_set_activity(const char *activity)
{
    hold(SIG_BLOCK);
    size_t length = strnlen(activity, ACTIVITY_SIZE - 1);
    memcpy(ending.activity, activity, length);
    ending.activity[length] = 0;
    ++*ending.own;
    hold(SIG_UNBLOCK);
}

void ending_set_records(const char *text)
{
    SET(records, text);
}

void ending_set_files(size_t count, ending_remove *remove, const void *context)
{
    hold(SIG_BLOCK);
    ending.files = count;
    ending.remove = remove;
    ending.context = context;
    hold(SIG_UNBLOCK);
}

void ending_set_printed(bool printed)
{
    ending.printed = printed;
}
