#include "common/ending.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/engine.h"

/* Time limits in seconds for removing one file, and for each other step of the last resort. */
#define REMOVE_SECONDS 2.0
#define STEP_SECONDS   0.5

enum { ACTIVITY_SIZE = 160, RECORDS_MAX = 9000, LINE_SIZE = RECORDS_MAX + 2048 };

enum stage { STAGE_RUNNING, STAGE_REMOVING, STAGE_ABORTING };

static struct {
    const char *program; /* NULL before ending_install() */
    int rank;
    void (*abort_all)(int status);
    volatile sig_atomic_t signal, caught; /* the first signal; the number of signals */
    volatile sig_atomic_t stage;          /* enum stage */
    double planned, urgent; /* deadlines by clock_since_start(); the alarm goes off at the earlier one */
    bool closing, writing;  /* set by ending_extend() */
    bool printed;           /* set by ending_set_printed() */
    int status;             /* exit status, or -1 if it is not known yet */
    const char *reason, *failure, *records;
    char activity[2][ACTIVITY_SIZE];
    volatile sig_atomic_t latest; /* index of the activity that is complete */
    size_t files;
    ending_remove *remove;
    const void *context;
} ending = {.planned = INFINITY, .urgent = INFINITY, .status = -1, .reason = "", .records = ""};

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

/* Restarts the timer. If a signal arrives meanwhile, its deadline would be lost, so the timer is restarted
 * again. */
static void arm(void)
{
    int seen;
    do {
        seen = ending.caught;
        if (ending.stage == STAGE_RUNNING)
            start_timer(time_left());
    } while (seen != ending.caught);
}

/* Returns the seconds by which this rank's alarms go off later than rank 0's. */
static double rank_delay(void)
{
    return ending.rank ? ENDING_LATER : 0;
}

static void note_signal(int number)
{
    int saved = errno;
    if (!ending.signal)
        ending.signal = number;
    if (!ending.writing && isinf(ending.urgent))
        ending.urgent = clock_since_start() + ENDING_PATIENCE + rank_delay();
    ending.caught++;
    arm();
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

static bool write_all(int fd, const char *text, size_t size)
{
    while (size) {
        ssize_t written = write(fd, text, size);
        if (written < 0)
            return false;
        text += written;
        size -= (size_t)written;
    }
    return true;
}

/* Prints the line with a single write, so that the lines of several processes do not mix. */
static void print_line(void)
{
    static char line[LINE_SIZE];
    char *end = ending_put(ending_put(line, ending.program), ": ");
    if (!ending.failure && ending.rank > 1)
        return;
    if (ending.failure) {
        end = ending_put(ending_put(end, ending.failure), "; other processes hang in a call");
    } else {
        if (ending.rank)
            end = ending_put(end, "rank 0 does not end the run; ");
        if (ending.signal && !ending.closing)
            end = ending_put(ending_put_number(ending_put(end, "stopped by signal "), ending.signal), "; ");
        else
            end = ending_put(end, ending.reason);
        end = ending_put(ending_put(end, "hung while "), ending.activity[ending.latest]);
    }
    end = ending_put(ending_put(end, ending.records), "\n");
    write_all(STDERR_FILENO, line, (size_t)(end - line));
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

/* Handles the alarm. If the main thread has just moved the deadline, the timer is restarted instead. */
static void last_resort(int number)
{
    int saved = errno;
    (void)number;
    if (ending.stage != STAGE_RUNNING || time_left() <= 0)
        end_process(true);
    arm();
    errno = saved;
}

void ending_now(int status)
{
    ending.status = status;
    end_process(false);
}

/* ---- set by the main thread ---- */

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void ending_install(const char *program)
{
    static const int ends[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGXCPU};
    clock_since_start(); /* the first call is not async-signal-safe */
    ending.program = program;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        handle(ends[i], note_signal, SA_RESTART);
    handle(SIGALRM, last_resort, SA_RESTART | SA_NODEFER);
    handle(SIGPIPE, SIG_IGN, 0);
    handle(SIGXFSZ, SIG_IGN, 0);
    atexit(remove_at_exit);
}

void ending_set_program(const char *program)
{
    if (ending.program)
        ending.program = program;
}

void ending_set_rank(int rank)
{
    ending.rank = rank;
}

void ending_set_abort(void (*abort_all)(int status))
{
    ending.abort_all = abort_all;
}

int ending_signal(void)
{
    return ending.signal;
}

void ending_deadline(double seconds, const char *reason)
{
    ending.reason = reason;
    ending.planned = clock_since_start() + seconds + rank_delay();
    arm();
}

void ending_extend(double seconds, bool writing)
{
    ending.closing = true;
    ending.writing = writing;
    ending.failure = NULL;
    ending.urgent = INFINITY;
    ending_deadline(seconds, "");
}

void ending_set_status(int status)
{
    ending.status = status;
}

void ending_fail(const char *line)
{
    if (ending.failure)
        return;
    ending.failure = line;
    ending.urgent = fmin(ending.urgent, clock_since_start() + ENDING_PATIENCE);
    arm();
}

void ending_forgive(void)
{
    if (!ending.failure)
        return;
    ending.failure = NULL;
    if (!ending.signal)
        ending.urgent = INFINITY;
    arm();
}

void ending_set_activity(const char *activity)
{
    int next = !ending.latest;
    size_t length = strnlen(activity, ACTIVITY_SIZE - 1);
    memcpy(ending.activity[next], activity, length);
    ending.activity[next][length] = 0;
    ending.latest = next;
}

void ending_set_records(const char *text)
{
    ending.records = strlen(text) < RECORDS_MAX ? text : "";
}

void ending_set_files(size_t count, ending_remove *remove, const void *context)
{
    ending.files = 0;
    ending.remove = remove;
    ending.context = context;
    ending.files = count;
}

void ending_set_printed(bool printed)
{
    ending.printed = printed;
}
