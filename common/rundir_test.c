/* Tests the directories of runs: new, empty, in use, occupied, not writable; the default name. */
#include "common/rundir.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "tests/unit.h"

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Calls rundir_make() for `name` in the temporary directory. */
static enum exit_status make(const char *parent, const char *name, bool force, struct message *error)
{
    struct rundir directory;
    char *path = NULL;
    assert_true(asprintf(&path, "%s/%s", parent, name) > 0);
    *error = (struct message){""};
    enum exit_status status = rundir_make(&directory, path, force, "beff", "host", 4, error);
    if (status == EXIT_OK) {
        assert_true(is_directory(directory.path));
        assert_int_equal(error->text[0], 0);
    } else {
        assert_contains(error->text, parent);
    }
    rundir_free(&directory);
    free(path);
    return status;
}

DIRECTORY_TEST(creates_a_new_directory)
{
    struct message error;
    assert_int_equal(make(*state, "new", false, &error), EXIT_OK);
    assert_int_equal(make(*state, "forced", true, &error), EXIT_OK);
}

DIRECTORY_TEST(makes_parents)
{
    struct message error;
    assert_int_equal(make(*state, "a/b//c/", false, &error), EXIT_OK);
    assert_int_equal(make(*state, "a/b/d", false, &error), EXIT_OK);
}

DIRECTORY_TEST(creates_nothing_if_the_path_is_too_long)
{
    char name[300], path[4200] = "new";
    struct message error;
    memset(name, 'x', sizeof name);
    for (int length = 255; length <= 256; length++) { /* the longest name, and one byte more */
        snprintf(path, sizeof path, "new%d/in/%.*s/run", length, length, name);
        assert_int_equal(make(*state, path, false, &error), length == 255 ? EXIT_OK : EXIT_ENVIRONMENT);
    }
    assert_contains(error.text, "File name too long");
    snprintf(path, sizeof path, "long");
    while (strlen(path) < 4000)
        strcat(path, "/directory");
    assert_int_equal(make(*state, path, false, &error), EXIT_ENVIRONMENT);
    char *parents[] = {unit_path(*state, "new255"), unit_path(*state, "new256"), unit_path(*state, "long")};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(access(parents[i], F_OK), i == 0 ? 0 : -1);
    }
}

DIRECTORY_TEST(accepts_an_empty_directory)
{
    struct message error;
    assert_int_equal(make(*state, "empty", false, &error), EXIT_OK);
    assert_int_equal(make(*state, "empty", false, &error), EXIT_OK);
    assert_int_equal(make(*state, "empty///", false, &error), EXIT_OK);
}

#define PROTOCOL "#: format = beff-protocol-2\n#: program = beff\n"

struct entry {
    const char *name, *content;
};

/* Files that a run, beff_plot and make rate create. */
static const struct entry run_files[] = {{"run.prot", PROTOCOL},       {"summary.txt", "x"},
                                         {"run.json", "{}"},           {"page.html", "x"},
                                         {"patterns/ring-1.dat", "1"}, {"plots/rings.svg", "<svg/>"}};

static void write_files(const char *directory, const struct entry *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *path = unit_path(directory, files[i].name);
        unit_write(path, files[i].content, strlen(files[i].content));
    }
}

static bool exists(const char *directory, const char *name)
{
    struct stat status;
    char *path = unit_path(directory, name);
    bool is = lstat(path, &status) == 0;
    return is;
}

DIRECTORY_TEST(removes_an_earlier_run)
{
    struct message error;
    char *run = unit_path(*state, "run/");
    write_files(run, run_files, COUNT(run_files));
    assert_int_equal(make(*state, "run", false, &error), EXIT_USAGE);
    assert_contains(error.text, "--force");
    assert_true(exists(run, "patterns/ring-1.dat"));
    assert_int_equal(make(*state, "run", true, &error), EXIT_OK);
    assert_int_equal(rmdir(run), 0); /* it is empty */
}

/* If a directory contains anything else, nothing is removed from it. */
DIRECTORY_TEST(removes_nothing_if_there_are_other_files)
{
    static const struct entry others[] = {{"notes.txt", "x"},
                                          {".hidden", "x"},
                                          {"patterns/thesis.tex", "x"},
                                          {"patterns/.a.dat", "x"},
                                          {"patterns/a/b.dat", ""},
                                          {"plots/photo.jpg", "x"},
                                          {"plots/my-script.gp", "plot"},
                                          {"other/run.prot", "x"},
                                          {"summary.txt/x", "x"},
                                          {"plots/x.svg/y", "x"}};
    struct message error;
    for (size_t i = 0; i < COUNT(others); i++) {
        char *run = unit_path(*state, "run/");
        write_files(run, run_files, strchr(others[i].name, '/') ? 1 : COUNT(run_files));
        write_files(run, &others[i], 1);
        assert_int_equal(make(*state, "run", true, &error), EXIT_USAGE);
        assert_contains(error.text, "is not just the directory of an earlier run");
        assert_true(exists(run, "run.prot"));
        assert_true(exists(run, others[i].name));
        unit_remove(run);
    }
}

DIRECTORY_TEST(removes_nothing_without_a_protocol)
{
    static const struct entry rows[] = {{"a/summary.txt", "x"},
                                        {"b/patterns/example.dat", "x"},
                                        {"c/run.prot", "mine"},
                                        {"d/plots/x.svg", "x"}};
    struct message error;
    write_files(*state, rows, COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++) {
        char name[2] = {rows[i].name[0]};
        assert_int_equal(make(*state, name, true, &error), EXIT_USAGE);
        assert_contains(error.text, "it contains no run.prot of a run");
        assert_true(exists(*state, rows[i].name));
    }
}

/* Links in a directory may point anywhere. */
DIRECTORY_TEST(follows_no_symbolic_link)
{
    static const struct entry docs[] = {
        {"docs/thesis.tex", "x"}, {"docs/ring-1.dat", "x"}, {"docs/run.prot", PROTOCOL}};
    static const char *const links[][2] = {{"patterns", "docs"},
                                           {"plots", "docs"},
                                           {"run.prot", "docs/run.prot"},
                                           {"run.json", "docs/thesis.tex"}};
    static const struct entry protocol = {"run.prot", PROTOCOL "#: file = patterns/thesis.tex\n"};
    struct message error;
    write_files(*state, docs, COUNT(docs));
    for (size_t i = 0; i < COUNT(links); i++) {
        char *run = unit_path(*state, "run/"), *link = unit_path(run, links[i][0]);
        char *target = unit_path(*state, links[i][1]);
        if (strcmp(links[i][0], "run.prot"))
            write_files(run, &protocol, 1);
        assert_int_equal(symlink(target, link), 0);
        assert_int_equal(make(*state, "run", true, &error), EXIT_USAGE);
        assert_contains(error.text, links[i][0]);
        for (size_t k = 0; k < COUNT(docs); k++)
            assert_true(exists(*state, docs[k].name));
        unit_remove(run);
    }
}

DIRECTORY_TEST(keeps_a_second_run_out)
{
    struct rundir first;
    struct message error;
    char *path = unit_path(*state, "shared");
    assert_int_equal(rundir_make(&first, path, false, "beff", "host", 4, &error), EXIT_OK);
    assert_int_equal(make(*state, "shared", false, &error), EXIT_USAGE);
    write_files(path, run_files, 1);
    assert_int_equal(make(*state, "shared", true, &error), EXIT_USAGE);
    assert_contains(error.text, "in use by another run");
    rundir_free(&first);
    assert_int_equal(make(*state, "shared", true, &error), EXIT_OK);
}

DIRECTORY_TEST(reports_a_file_in_its_place)
{
    struct message error;
    char *file = unit_path(*state, "file");
    unit_write(file, "x", 1);
    assert_int_equal(make(*state, "file", false, &error), EXIT_ENVIRONMENT);
    assert_contains(error.text, "Not a directory");
    assert_int_equal(make(*state, "file", true, &error), EXIT_ENVIRONMENT);
    assert_int_equal(make(*state, "file/below", false, &error), EXIT_ENVIRONMENT);
}

DIRECTORY_TEST(refuses_invalid_names)
{
    struct message error;
    char name[400];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_int_equal(make(*state, name, false, &error), EXIT_ENVIRONMENT);
    struct rundir directory;
    assert_int_equal(rundir_make(&directory, "", false, "beff", "host", 4, &error), EXIT_ENVIRONMENT);
    rundir_free(&directory);
}

/* Runs in a child process as an ordinary user, because permissions do not restrict root. */
DIRECTORY_TEST(requires_write_permission)
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
    if (WIFEXITED(status) && WEXITSTATUS(status) == 99)
        skip();
    assert_int_equal(status, 0);
}

/* Calls rundir_make() twice without a path. Returns true if both calls were in the same second. */
static bool make_two(struct rundir two[2])
{
    struct message error;
    for (int i = 0; i < 2; i++)
        assert_int_equal(rundir_make(&two[i], NULL, false, "beff", "host", 4, &error), EXIT_OK);
    return strncmp(two[0].path, two[1].path, strlen(two[0].path)) == 0;
}

DIRECTORY_TEST(chooses_a_default_name)
{
    int before = open(".", O_RDONLY | O_DIRECTORY);
    assert_true(before >= 0);
    assert_int_equal(chdir(*state), 0);
    struct rundir two[2];
    while (!make_two(two)) { /* the calls were in different seconds */
        rundir_free(&two[0]);
        rundir_free(&two[1]);
    }
    assert_int_equal(strncmp(two[0].path, "protocols/runs/beff-host-n4-20", 30), 0);
    assert_int_equal(strlen(two[0].path), strlen("protocols/runs/beff-host-n4-2026-11-21T12-34-56Z"));
    assert_null(strchr(two[0].path, ':'));
    assert_string_equal(two[1].path + strlen(two[0].path), "-2");
    assert_true(is_directory(two[0].path) && is_directory(two[1].path));
    rundir_free(&two[0]);
    rundir_free(&two[1]);
    assert_int_equal(fchdir(before), 0);
    close(before);
}
