/* Directories of runs: new, empty, in use, in the way, not writable; the default name. */
#include "common/rundir.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "tests/unit.h"

static int set_up(void **state)
{
    *state = unit_directory();
    return 0;
}

static int tear_down(void **state)
{
    unit_remove(*state);
    return 0;
}

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* rundir_make for `name` in the temporary directory. */
static enum exit_status make(const char *parent, const char *name, bool force, struct message *error)
{
    char *directory;
    char *path = NULL;
    assert_true(asprintf(&path, "%s/%s", parent, name) > 0);
    *error = (struct message){""};
    enum exit_status status = rundir_make(&directory, path, force, "beff", "host", 4, error);
    if (status == EXIT_RATED) {
        assert_true(is_directory(directory));
        assert_int_equal(error->text[0], 0);
    } else {
        assert_contains(error->text, parent);
    }
    free(directory);
    free(path);
    return status;
}

static void makes_a_new_one(void **state)
{
    struct message error;
    assert_int_equal(make(*state, "new", false, &error), EXIT_RATED);
    assert_int_equal(make(*state, "forced", true, &error), EXIT_RATED);
}

static void makes_parents(void **state)
{
    struct message error;
    assert_int_equal(make(*state, "a/b//c/", false, &error), EXIT_RATED);
    assert_int_equal(make(*state, "a/b/d", false, &error), EXIT_RATED);
}

static void takes_an_empty_one(void **state)
{
    struct message error;
    assert_int_equal(make(*state, "empty", false, &error), EXIT_RATED);
    assert_int_equal(make(*state, "empty", false, &error), EXIT_RATED);
    assert_int_equal(make(*state, "empty///", false, &error), EXIT_RATED);
}

static void spares_one_in_use(void **state)
{
    static const char *const names[] = {"used/run.prot", "hidden/.x", "deep/a/b"};
    struct message error;
    for (size_t i = 0; i < COUNT(names); i++) {
        char *file = unit_path(*state, names[i]), name[16];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(names[i], "/"), names[i]);
        unit_write(file, "x", 1);
        assert_int_equal(make(*state, name, false, &error), EXIT_USAGE);
        assert_contains(error.text, "--force");
        assert_int_equal(make(*state, name, true, &error), i ? EXIT_RATED : EXIT_USAGE);
        assert_int_equal(access(file, F_OK), 0); /* it is not ours to remove */
        free(file);
    }
}

/* What an earlier run listed can't be taken for results of the new one; everything else stays. */
static void removes_what_an_earlier_run_listed(void **state)
{
    static const char protocol[] =
        "#: format = 1\n#: file = summary.txt\n#: file = patterns/ring-1.dat\n"
        "#: file = ../outside\n#: file = patterns/../notes.txt\n#: file = other/x.dat\n"
        "#: file = .hidden\n#: file = other\n";
    static const struct {
        const char *name;
        bool removed;
    } rows[] = {{"old/summary.txt", true}, {"old/patterns/ring-1.dat", true}, {"outside", false},
                {"old/notes.txt", false},  {"old/other/x.dat", false},        {"old/.hidden", false}};
    struct message error;
    char *files[COUNT(rows)], *prot = unit_path(*state, "old/run.prot");
    unit_write(prot, protocol, strlen(protocol));
    for (size_t i = 0; i < COUNT(rows); i++) {
        files[i] = unit_path(*state, rows[i].name);
        unit_write(files[i], "x", 1);
    }
    assert_int_equal(make(*state, "old", false, &error), EXIT_USAGE);
    assert_int_equal(access(files[0], F_OK), 0);
    assert_int_equal(make(*state, "old", true, &error), EXIT_RATED);
    for (size_t i = 0; i < COUNT(rows); i++) {
        if ((access(files[i], F_OK) != 0) != rows[i].removed)
            fail_msg("%s was %s", rows[i].name, rows[i].removed ? "kept" : "removed");
        free(files[i]);
    }
    free(prot);
}

/* A plot is known by the first line of its script. */
static void removes_an_earlier_run_s_plots(void **state)
{
    static const struct {
        const char *name, *content;
        bool removed;
    } rows[] = {{"old/plots/rings.gp", "# gnuplot rings.gp > rings.svg\nset", true},
                {"old/plots/rings.svg", "x", true},
                {"old/plots/other.gp", "# gnuplot rings.gp > rings.svg\n", false},
                {"old/plots/mine.gp", "# gnuplot mine.gp > yours.svg\n", false},
                {"old/plots/out.gp", "# gnuplot out.gp > out./../../out.svg\n", false},
                {"old/out.svg", "x", false},
                {"old/plots/yours.svg", "x", false},
                {"old/plots/example.svg", "x", false}};
    struct message error;
    char *files[COUNT(rows)];
    for (size_t i = 0; i < COUNT(rows); i++) {
        files[i] = unit_path(*state, rows[i].name);
        unit_write(files[i], rows[i].content, strlen(rows[i].content));
    }
    assert_int_equal(make(*state, "old", true, &error), EXIT_RATED);
    for (size_t i = 0; i < COUNT(rows); i++) {
        if ((access(files[i], F_OK) != 0) != rows[i].removed)
            fail_msg("%s was %s", rows[i].name, rows[i].removed ? "kept" : "removed");
        free(files[i]);
    }
}

/* Files of others that the run would overwrite are a reason to refuse, with and without a protocol there. */
static void refuses_to_overwrite_what_no_run_listed(void **state)
{
    static const char *const names[] = {"a/summary.txt", "b/run.json", "c/patterns/example.dat",
                                        "d/run.prot"};
    struct message error;
    for (size_t i = 0; i < COUNT(names); i++) {
        char *file = unit_path(*state, names[i]), name[2] = {names[i][0]};
        unit_write(file, "x", 1);
        assert_int_equal(make(*state, name, true, &error), EXIT_USAGE);
        assert_contains(error.text, "is not listed");
        assert_int_equal(access(file, F_OK), 0);
        free(file);
    }
}

static void finds_a_file_in_the_way(void **state)
{
    struct message error;
    char *file = unit_path(*state, "file");
    unit_write(file, "x", 1);
    free(file);
    assert_int_equal(make(*state, "file", false, &error), EXIT_ENVIRONMENT);
    assert_contains(error.text, "Not a directory");
    assert_int_equal(make(*state, "file", true, &error), EXIT_ENVIRONMENT);
    assert_int_equal(make(*state, "file/below", false, &error), EXIT_ENVIRONMENT);
}

static void refuses_a_name_that_can_be_none(void **state)
{
    struct message error;
    char name[400];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_int_equal(make(*state, name, false, &error), EXIT_ENVIRONMENT);
    char *directory;
    assert_int_equal(rundir_make(&directory, "", false, "beff", "host", 4, &error), EXIT_ENVIRONMENT);
    free(directory);
}

/* As an ordinary user, in a child process where the test runs as root. */
static void needs_to_write(void **state)
{
    struct message error;
    char *locked = unit_path(*state, "locked/");
    assert_int_equal(chmod(*state, 0755), 0);
    assert_int_equal(chmod(locked, 0555), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        enum { NOBODY = 65534 };
        if (geteuid() == 0 && (setgid(NOBODY) || setuid(NOBODY)))
            _exit(99);
        bool both = make(*state, "locked", false, &error) == EXIT_ENVIRONMENT &&
                    make(*state, "locked/below", false, &error) == EXIT_ENVIRONMENT;
        _exit(both && strstr(error.text, "Permission denied") ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    chmod(locked, 0755);
    free(locked);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 99)
        skip();
    assert_int_equal(status, 0);
}

/* Calls rundir_make twice without a path; true if both fell into the same second. */
static bool make_two(char *two[2])
{
    struct message error;
    for (int i = 0; i < 2; i++)
        assert_int_equal(rundir_make(&two[i], NULL, false, "beff", "host", 4, &error), EXIT_RATED);
    return strncmp(two[0], two[1], strlen(two[0])) == 0;
}

static void gives_a_name(void **state)
{
    int before = open(".", O_RDONLY | O_DIRECTORY);
    assert_true(before >= 0);
    assert_int_equal(chdir(*state), 0);
    char *two[2];
    while (!make_two(two)) { /* a second has just ended */
        free(two[0]);
        free(two[1]);
    }
    assert_int_equal(strncmp(two[0], "protocols/runs/beff-host-n4-20", 30), 0);
    assert_int_equal(strlen(two[0]), strlen("protocols/runs/beff-host-n4-2026-11-21T12-34-56Z"));
    assert_null(strchr(two[0], ':'));
    assert_string_equal(two[1] + strlen(two[0]), "-2");
    assert_true(is_directory(two[0]) && is_directory(two[1]));
    free(two[0]);
    free(two[1]);
    assert_int_equal(fchdir(before), 0);
    close(before);
}

static void gives_paths_of_files(void **state)
{
    char *directory;
    struct message error;
    assert_int_equal(rundir_make(&directory, *state, true, "beff", "host", 4, &error), EXIT_RATED);
    char *plain = rundir_file(directory, "run.prot", &error);
    assert_string_equal(plain + strlen(directory), "/run.prot");
    char *deep = rundir_file(directory, "patterns/ring-1.dat", &error), *again;
    unit_write(deep, "x", 1);
    unit_write(plain, "x", 1);
    again = rundir_file(directory, "patterns/ring-2.dat", &error);
    unit_write(again, "x", 1);
    free(plain);
    free(deep);
    free(again);
    free(directory);
}

/* A directory that vanished in the middle of a run is not made anew, half empty. */
static void misses_a_directory_that_vanished(void **state)
{
    char *directory;
    struct message error = {""};
    char *path = unit_path(*state, "vanishing");
    assert_int_equal(rundir_make(&directory, path, false, "beff", "host", 4, &error), EXIT_RATED);
    assert_int_equal(rmdir(path), 0);
    assert_null(rundir_file(directory, "patterns/ring-1.dat", &error));
    assert_contains(error.text, "patterns/ring-1.dat can't be created");
    assert_false(is_directory(path));
    free(directory);
    free(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(makes_a_new_one),
        TEST(makes_parents),
        TEST(takes_an_empty_one),
        TEST(spares_one_in_use),
        TEST(removes_what_an_earlier_run_listed),
        TEST(removes_an_earlier_run_s_plots),
        TEST(refuses_to_overwrite_what_no_run_listed),
        TEST(finds_a_file_in_the_way),
        TEST(refuses_a_name_that_can_be_none),
        TEST(needs_to_write),
        TEST(gives_a_name),
        TEST(gives_paths_of_files),
        TEST(misses_a_directory_that_vanished),
    };
    return cmocka_run_group_tests_name("rundir", tests, NULL, NULL);
}
