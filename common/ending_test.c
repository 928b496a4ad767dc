/* Tests the last resort for hanging processes, in child processes: status, line, time and remaining files. */
#include "common/ending.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "common/clock.h"
#include "tests/unit.h"

/* ---- a child process ---- */

struct seen {
    int status; /* exit status; -1: killed by a signal */
    double seconds;
    char said[512], printed[512];
};

static void read_pipe(int fd, char *text, size_t size)
{
    ssize_t length = read(fd, text, size - 1);
    text[length > 0 ? length : 0] = 0;
    close(fd);
}

struct child {
    pid_t id;
    int out, err;
    double start;
};

/* Starts `act` in a child process named "prog", which exits with status 77 if `act` returns. */
static struct child begin(void (*act)(void *context), void *context)
{
    int out[2], err[2];
    double start = clock_since_start();
    assert_int_equal(pipe(out) | pipe(err), 0);
    pid_t id = fork();
    if (id == 0) {
        dup2(out[1], STDOUT_FILENO);
        dup2(err[1], STDERR_FILENO);
        ending_install("prog");
        ending_set_activity("measuring");
        ending_set_records("; see there");
        act(context);
        _exit(77);
    }
    close(out[1]);
    close(err[1]);
    return (struct child){id, out[0], err[0], start};
}

static struct seen finish(const struct child *child)
{
    struct seen seen;
    int status;
    assert_int_equal(waitpid(child->id, &status, 0), child->id);
    seen.seconds = clock_since_start() - child->start;
    seen.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    read_pipe(child->out, seen.printed, sizeof seen.printed);
    read_pipe(child->err, seen.said, sizeof seen.said);
    return seen;
}

static struct seen run(void (*act)(void *context), void *context)
{
    struct child child = begin(act, context);
    return finish(&child);
}

static _Noreturn void hang(void)
{
    for (;;)
        pause();
}

static void lasts(const struct seen *seen, double seconds)
{
    if (seen->seconds < seconds - 0.02 || seen->seconds > seconds + 3)
        fail_msg("%g s instead of %g s", seen->seconds, seconds);
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
    static int signals[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGXCPU};
    for (size_t i = 0; i < COUNT(signals); i++)
        assert_int_equal(run(returns_first_signal, &signals[i]).status, signals[i]);
}

static void hangs_after_a_signal(void *rank)
{
    ending_set_rank(*(int *)rank);
    ending_deadline(1000, "the time limit was reached; ");
    kill(getpid(), SIGTERM);
    hang();
}

TEST(ends_soon_after_a_signal)
{
    static struct {
        int rank;
        double seconds;
        const char *said;
    } rows[] = {
        {0, ENDING_PATIENCE, "prog: stopped by signal 15; hung while measuring; see there\n"},
        {1, ENDING_PATIENCE + ENDING_LATER,
         "prog: rank 0 does not end the run; stopped by signal 15; hung while measuring; see there\n"},
        {2, ENDING_PATIENCE + ENDING_LATER, ""}};
    struct child children[COUNT(rows)];
    for (size_t i = 0; i < COUNT(rows); i++)
        children[i] = begin(hangs_after_a_signal, &rows[i].rank);
    for (size_t i = 0; i < COUNT(rows); i++) { /* the first one ends first */
        struct seen seen = finish(&children[i]);
        assert_int_equal(seen.status, 4);
        lasts(&seen, rows[i].seconds);
        assert_string_equal(seen.said, rows[i].said);
    }
}

static void writes_files_after_a_signal(void *unused)
{
    (void)unused;
    ending_deadline(1000, "");
    kill(getpid(), SIGTERM);
    ending_extend(3, true);
    kill(getpid(), SIGTERM);
    usleep(1800000);
    ending_set_status(5);
    ending_extend(0.1, false);
    hang();
}

TEST(extends_the_deadline_while_files_are_written)
{
    struct seen seen = run(writes_files_after_a_signal, NULL);
    assert_int_equal(seen.status, 5);
    lasts(&seen, 1.9);
    assert_string_equal(seen.said, "prog: hung while measuring; see there\n");
}

/* ---- the deadline ---- */

static void hangs(void *unused)
{
    (void)unused;
    ending_deadline(0.1, "the time limit was reached; ");
    ending_set_activity("waiting");
    hang();
}

TEST(ends_at_the_deadline)
{
    struct seen seen = run(hangs, NULL);
    assert_int_equal(seen.status, 1);
    lasts(&seen, 0.1);
    assert_string_equal(seen.said, "prog: the time limit was reached; hung while waiting; see there\n");
}

static void moves_the_deadline(void *unused)
{
    (void)unused;
    ending_deadline(0.05, "");
    ending_deadline(INFINITY, "");
    usleep(150000);
    ending_deadline(1000, "");
    kill(getpid(), SIGALRM); /* a stray alarm */
    usleep(50000);
}

TEST(continues_before_the_deadline)
{
    struct seen seen = run(moves_the_deadline, NULL);
    assert_int_equal(seen.status, 77);
    assert_string_equal(seen.said, "");
}

/* ---- failures ---- */

static void fails(void *unused)
{
    (void)unused;
    ending_set_rank(7);
    ending_fail("first call failed");
    ending_fail("second call failed");
    hang();
}

TEST(names_the_failure_on_any_rank)
{
    struct seen seen = run(fails, NULL);
    assert_int_equal(seen.status, 1);
    lasts(&seen, ENDING_PATIENCE);
    assert_string_equal(seen.said, "prog: first call failed; other processes hang in a call; see there\n");
}

static void fails_and_forgives(void *unused)
{
    (void)unused;
    ending_deadline(1.6, "the time limit was reached; ");
    ending_fail("a call failed");
    ending_forgive();
    hang();
}

TEST(cancels_a_failure)
{
    struct seen seen = run(fails_and_forgives, NULL);
    lasts(&seen, 1.6);
    assert_string_equal(seen.said, "prog: the time limit was reached; hung while measuring; see there\n");
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
    ending_deadline(0, "");
    hang();
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
        unit_remove(directory);
    }
}

/* ---- the last steps ---- */

static void abort_all(int status)
{
    dprintf(STDERR_FILENO, "abort %d\n", status);
}

static void aborts_and_hangs(int status)
{
    abort_all(status);
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
    ending_deadline(0.1, "");
    hang();
}

TEST(ends_although_each_step_hangs)
{
    struct seen seen = run(hangs_everywhere, NULL);
    assert_int_equal(seen.status, 1);
    lasts(&seen, 2.6);
    assert_string_equal(seen.said, "prog: hung while measuring; see there\nabort 1\n");
}

static void hangs_after_printing(void *unused)
{
    (void)unused;
    ending_set_status(0);
    ending_set_printed(true);
    ending_extend(0.1, false);
    hang();
}

TEST(prints_no_line_after_the_results)
{
    struct seen seen = run(hangs_after_printing, NULL);
    assert_int_equal(seen.status, 0);
    assert_string_equal(seen.said, "");
}

TEST(puts_numbers)
{
    char text[64];
    *ending_put_number(ending_put(ending_put_number(text, 0), "_"), 1234567890) = 0;
    assert_string_equal(text, "0_1234567890");
}
