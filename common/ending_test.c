/* Tests the last resort for hanging processes, in child processes: status, line, time and remaining files. */
#include "common/ending.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "common/clock.h"
#include "tests/unit.h"

/* ---- a child process ---- */

struct seen {
    int status;     /* exit status; -1: killed by a signal */
    double seconds; /* from the start of the child process to its end */
    char said[512];
};

struct child {
    pid_t id;
    int err;
    double start;
    struct seen seen;
};

static _Noreturn void hang(void)
{
    for (;;)
        pause();
}

/* Sleeps on after a signal. */
static void rest(double seconds)
{
    for (double end = clock_since_start() + seconds; clock_since_start() < end;)
        usleep(10000);
}

/* Starts `act` in a child process named "prog", which hangs when `act` returns. */
static struct child begin(void (*act)(void *context), void *context)
{
    int err[2];
    double start = clock_since_start();
    assert_int_equal(pipe(err), 0);
    pid_t id = fork();
    if (id == 0) {
        dup2(err[1], STDERR_FILENO);
        ending_install("prog");
        ending_set_activity("measuring");
        ending_set_records("; see there");
        act(context);
        hang();
    }
    close(err[1]);
    return (struct child){.id = id, .err = err[0], .start = start};
}

/* Waits for the end of all child processes. */
static void finish(struct child *children, size_t count)
{
    for (size_t ended = 0, i; ended < count; ended++) {
        int status;
        pid_t id = waitpid(-1, &status, 0);
        for (i = 0; i < count && children[i].id != id; i++)
            ;
        assert_true(i < count);
        struct seen *seen = &children[i].seen;
        seen->seconds = clock_since_start() - children[i].start;
        seen->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        ssize_t length = read(children[i].err, seen->said, sizeof seen->said - 1);
        seen->said[length > 0 ? length : 0] = 0;
        close(children[i].err);
    }
}

static struct seen run(void (*act)(void *context), void *context)
{
    struct child child = begin(act, context);
    finish(&child, 1);
    return child.seen;
}

/* ---- signals ---- */

static void returns_first_signal(void *number)
{
    kill(getpid(), *(int *)number);
    kill(getpid(), SIGTERM);
    kill(getpid(), SIGINT);
    _exit(ending_signal());
}

TEST(keeps_the_first_signal)
{
    static const int others[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGPIPE, SIGXFSZ,
                                 SIGCHLD, SIGCONT, SIGURG,  SIGTSTP, SIGTTIN, SIGTTOU, SIGWINCH};
    for (int number = 1; number <= SIGRTMAX; number++) {
        bool ends = number < 32 || number >= SIGRTMIN; /* the C library uses the signals between */
        for (size_t i = 0; i < COUNT(others); i++)
            ends = ends && number != others[i];
        if (ends)
            assert_int_equal(run(returns_first_signal, &number).status, number);
    }
}

/* ---- files ---- */

static void remove_number(const void *directory, size_t i)
{
    char path[4096];
    *ending_put_number(ending_put(ending_put(path, directory), "/"), (long)i) = 0;
    unlink(path);
}

static void hangs_with_files(void *directory)
{
    ending_set_files(3, remove_number, directory);
    ending_deadline(0, 0, "");
    ending_deadline(0, 0, "");
}

static void ends_with_files(void *directory)
{
    ending_set_files(3, remove_number, directory);
    ending_now(6);
}

static void exits_with_files(void *directory)
{
    ending_set_files(3, remove_number, directory);
    exit(3);
}

static void exits_with_files_removed(void *directory)
{
    ending_set_files(3, remove_number, directory);
    ending_set_files(0, NULL, NULL);
    exit(2);
}

TEST(removes_its_files)
{
    static const struct {
        void (*act)(void *directory);
        int status;
        bool removed;
    } rows[] = {{hangs_with_files, 1, true},
                {ends_with_files, 6, true},
                {exits_with_files, 3, true},
                {exits_with_files_removed, 2, false}};
    for (size_t r = 0; r < COUNT(rows); r++) {
        char *directory = unit_directory(), path[4096];
        for (int i = 0; i < 4; i++) {
            snprintf(path, sizeof path, "%s/%d", directory, i);
            close(open(path, O_CREAT | O_WRONLY, 0600));
        }
        struct seen seen = run(rows[r].act, directory);
        assert_int_equal(seen.status, rows[r].status);
        assert_int_equal(*seen.said != 0, r == 0);
        for (int i = 0; i < 4; i++) {
            snprintf(path, sizeof path, "%s/%d", directory, i);
            assert_int_equal(access(path, F_OK) == 0, i == 3 || !rows[r].removed);
        }
    }
}

/* ---- the last resort ---- */

static void hangs_after_a_signal(void *rank)
{
    ending_set_rank(*(int *)rank);
    ending_deadline(1000, 0, "the time limit was reached; ");
    kill(getpid(), SIGTERM);
}

static void writes_files_after_a_signal(void *unused)
{
    (void)unused;
    ending_deadline(1000, 0, "");
    kill(getpid(), SIGTERM);
    ending_extend(1000, true);
    kill(getpid(), SIGTERM);
    rest(1.8);
    ending_set_status(5);
    ending_extend(0.1, false);
}

/* Waits for rank 0 of another node, which writes its files. The time was up 20 s before. */
static void waits_for_files(void *rank)
{
    ending_set_rank(*(int *)rank);
    ending_extend(-ENDING_SLOW, true);
}

static void hangs(void *unused)
{
    (void)unused;
    ending_deadline(0, 0.1, "the time limit was reached; ");
    ending_set_activity("waiting");
}

static void moves_the_deadline(void *unused)
{
    (void)unused;
    ending_deadline(1.5, 0, "");
    ending_deadline(INFINITY, 0, "");
    rest(1.6);
    ending_deadline(1000, 0, "");
    raise(SIGALRM); /* a stray alarm */
    rest(0.05);
    _exit(77);
}

static void make_steps(int tenths)
{
    for (int i = 0; i < tenths; i++) {
        ++*ending_steps();
        rest(0.1);
    }
}

/* Makes a step every 0.1 s for 1.5 s, in another process if this is the rank, and then hangs. */
static void is_slow(void *rank)
{
    volatile sig_atomic_t *all = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ending_set_rank(*(int *)rank);
    if (*(int *)rank)
        ending_share_steps(all, 2, 0);
    ending_deadline(0.1, 0.5, "the time limit was reached; ");
    for (int i = 0; i < 15; i++) {
        ++*(*(int *)rank ? &all[ENDING_STRIDE] : ending_steps());
        rest(0.1);
    }
}

static void is_slow_after_a_failure(void *unused)
{
    (void)unused;
    ending_fail("a call failed");
    make_steps(15);
}

static void is_slow_after_a_signal(void *unused)
{
    (void)unused;
    kill(getpid(), SIGTERM);
    make_steps(15);
}

/* Makes steps for as long as the last resort lets it. The time was up 19 s before. */
static void is_too_slow(void *unused)
{
    (void)unused;
    ending_deadline(1 - ENDING_SLOW, 0.1, "the time limit was reached; ");
    make_steps(1000);
}

/* Makes one call that takes this many seconds, while its time is up and after a signal. */
static void makes_a_long_call(void *seconds)
{
    ending_deadline(0, ENDING_PATIENCE, "the time limit was reached; ");
    kill(getpid(), SIGTERM);
    rest(*(double *)seconds);
    _exit(78);
}

/* Does not run for 8 s, as in a call that no signal interrupts, and then makes a step. */
static void cannot_run(void *unused)
{
    (void)unused;
    pid_t id = getpid();
    kill(id, SIGTERM);
    if (fork() == 0) {
        sleep(8);
        kill(id, SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
    rest(0.5);
    _exit(79);
}

static void *sends_a_signal(void *unused)
{
    raise(SIGTERM);
    return unused;
}

static void another_thread_gets_a_signal(void *unused)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sends_a_signal, unused);
    pthread_join(thread, NULL);
    rest(0.05);
    _exit(ending_signal());
}

static void fails(void *unused)
{
    (void)unused;
    ending_set_rank(7);
    ending_fail("first call failed");
    ending_fail("second call failed");
}

static void fails_and_forgives(void *unused)
{
    (void)unused;
    ending_deadline(ENDING_PATIENCE + 1, 0, "the time limit was reached; ");
    ending_fail("a call failed");
    ending_forgive();
}

static void aborts_and_hangs(int status)
{
    dprintf(STDERR_FILENO, "abort %d\n", status);
    hang();
}

static void removal_that_hangs(const void *context, size_t i)
{
    (void)context, (void)i;
    hang();
}

static void hangs_everywhere(void *unused)
{
    (void)unused;
    ending_set_files(1, removal_that_hangs, NULL);
    ending_set_abort(aborts_and_hangs);
    ending_deadline(0.1, 0, "");
}

static void hangs_after_printing(void *unused)
{
    (void)unused;
    ending_set_status(0);
    ending_set_printed(true);
    ending_extend(0.1, false);
}

#define WAITS " hung while measuring; see there\n"

/* The child processes run side by side. */
TEST(ends_a_run_that_hangs)
{
    static int ranks[] = {0, 1, 2};
    static double seconds = ENDING_PATIENCE - 1;
    static const struct {
        void (*act)(void *context);
        void *context;
        int status;
        double seconds; /* at least, and at most 2.5 s longer: within 10 s of a signal */
        const char *said;
    } rows[] = {
        {hangs_after_a_signal, &ranks[0], 4, ENDING_PATIENCE, "prog: stopped by signal 15;" WAITS},
        {hangs_after_a_signal, &ranks[1], 4, ENDING_PATIENCE + ENDING_LATER,
         "prog: rank 0 does not end the run; stopped by signal 15;" WAITS},
        {hangs_after_a_signal, &ranks[2], 4, ENDING_PATIENCE + ENDING_LATER, ""},
        {writes_files_after_a_signal, NULL, 5, 1.9, "prog:" WAITS},
        {waits_for_files, &ranks[1], 1, ENDING_LATER, "prog: rank 0 does not end the run;" WAITS},
        {hangs, NULL, 1, 0.1, "prog: the time limit was reached; hung while waiting; see there\n"},
        {moves_the_deadline, NULL, 77, 1.6, ""},
        {is_slow, &ranks[0], 1, 1.9, "prog: the time limit was reached;" WAITS},
        {is_slow, &ranks[1], 1, 3.4, "prog: rank 0 does not end the run; the time limit was reached;" WAITS},
        {is_slow_after_a_failure, NULL, 1, ENDING_PATIENCE + 1.4,
         "prog: a call failed; other processes hang in a call; see there\n"},
        {is_slow_after_a_signal, NULL, 4, ENDING_PATIENCE + 1.4, "prog: stopped by signal 15;" WAITS},
        {is_too_slow, NULL, 1, 1.1, "prog: the time limit was reached;" WAITS},
        {makes_a_long_call, &seconds, 78, ENDING_PATIENCE - 1, ""},
        {cannot_run, NULL, 79, 8, ""},
        {another_thread_gets_a_signal, NULL, 15, 0, ""},
        {fails, NULL, 1, ENDING_PATIENCE,
         "prog: first call failed; other processes hang in a call; see there\n"},
        {fails_and_forgives, NULL, 1, ENDING_PATIENCE + 1, "prog: the time limit was reached;" WAITS},
        {hangs_everywhere, NULL, 1, 2.6, "prog:" WAITS "abort 1\n"},
        {hangs_after_printing, NULL, 0, 0.1, ""},
    };
    struct child children[COUNT(rows)];
    for (size_t i = 0; i < COUNT(rows); i++)
        children[i] = begin(rows[i].act, rows[i].context);
    finish(children, COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct seen seen = children[i].seen;
        if (seen.status != rows[i].status || strcmp(seen.said, rows[i].said) != 0 ||
            seen.seconds < rows[i].seconds - 0.02 || seen.seconds > rows[i].seconds + 2.5)
            fail_msg("row %zu: status %d after %g s: %s", i, seen.status, seen.seconds, seen.said);
    }
}

TEST(puts_numbers)
{
    char text[64];
    *ending_put_number(ending_put(ending_put_number(text, 0), "_"), 1234567890) = 0;
    assert_string_equal(text, "0_1234567890");
}
