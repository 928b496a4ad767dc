/* Tests writing into folders that other users may have created. */
#include "report/folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "tests/unit.h"

static int put(int folder, const char *name, const char *text, struct message *error)
{
    return folder_write(folder, name, text, strlen(text), error);
}

static void replaces_a_link_and_not_its_target(void **state)
{
    (void)state;
    struct message error;
    char *directory = unit_directory(), *folder = unit_path(directory, "plots"),
         *victim = unit_path(directory, "victim"), *link = unit_path(directory, "plots/x.svg");
    unit_write(victim, "mine", 4);
    int fd = folder_make(folder, &error);
    assert_true(fd >= 0);
    assert_int_equal(symlink("../victim", link), 0);
    assert_int_equal(put(fd, "x.svg", "new", &error), 0);
    size_t size;
    char *kept = unit_read(victim, &size), *made = unit_read(link, &size);
    assert_string_equal(kept, "mine");
    assert_string_equal(made, "new");
    struct stat status;
    assert_true(lstat(link, &status) == 0 && S_ISREG(status.st_mode));
    assert_int_equal(mkdirat(fd, "taken", 0777), 0);
    assert_int_equal(put(fd, "taken", "new", &error), -1);
    assert_contains(error.text, "taken cannot be written");
    char name[300];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_int_equal(put(fd, name, "new", &error), -1);
    close(fd);
    free(kept);
    free(made);
    free(folder);
    free(victim);
    free(link);
    unit_remove(directory);
}

static void refuses_a_folder_that_is_a_link(void **state)
{
    (void)state;
    struct message error;
    char *directory = unit_directory(), *folder = unit_path(directory, "plots"),
         *file = unit_path(directory, "file");
    assert_int_equal(symlink("/tmp", folder), 0);
    assert_int_equal(folder_make(folder, &error), -1);
    assert_contains(error.text, "symbolic link");
    unit_write(file, "", 0);
    assert_int_equal(folder_make(file, &error), -1);
    assert_int_equal(folder_make("/nonexistent/plots", &error), -1);
    free(folder);
    free(file);
    unit_remove(directory);
}

static void leaves_no_partial_file(void **state)
{
    (void)state;
    struct message error;
    char *directory = unit_directory(), *path = unit_path(directory, "page.html");
    int fd = folder_make(directory, &error);
    const struct rlimit few = {4, RLIM_INFINITY}; /* as on a full disk */
    struct rlimit all;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
    int failed = put(fd, "page.html", "more than four", &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
    assert_int_equal(failed, -1);
    assert_contains(error.text, "page.html cannot be written");
    assert_int_equal(access(path, F_OK), -1);
    /* The first temporary name is in use, so the next one is used. */
    char taken[40];
    snprintf(taken, sizeof taken, ".beff-%ld-0.part", (long)getpid());
    assert_int_equal(symlinkat("victim", fd, taken), 0);
    assert_int_equal(put(fd, "page.html", "whole", &error), 0);
    assert_int_equal(faccessat(fd, "victim", F_OK, 0), -1);
    close(fd);
    free(path);
    unit_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(replaces_a_link_and_not_its_target),
                                       cmocka_unit_test(refuses_a_folder_that_is_a_link),
                                       cmocka_unit_test(leaves_no_partial_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
