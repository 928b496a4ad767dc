/* Tests that scratch directories are created exclusively, that only the run's own files are removed from
 * them, and that leftovers are reported. */
#include "tests/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "beff_io/scratch.h"

static void make(struct scratch *scratch, const char *parent, const char *name)
{
    struct message error;
    assert_int_equal(scratch_make(scratch, parent, name, false, &error), 0);
    assert_true(scratch->made);
}

static void put_file(const char *directory, const char *name)
{
    char *path = unit_path(directory, name);
    unit_write(path, "abc", 3);
}

/* The names of all files must fit into the 4096 bytes of a path. */
TEST(very_long_paths_are_refused)
{
    struct scratch s;
    struct message error;
    char *parent = unit_directory(), path[4096];
    for (int fits = 0; fits < 2; fits++) {
        size_t length = strlen(parent), wanted = sizeof path - strlen("/x") - (fits ? 64 : 63);
        strcpy(path, parent);
        while (length < wanted) /* the same directory with a longer path */
            path[length++] = '/';
        path[length] = 0;
        assert_int_equal(scratch_make(&s, path, "x", false, &error), fits ? 0 : -1);
        if (fits)
            assert_int_equal(scratch_remove(&s, &error), 0);
        else
            assert_contains(error.text, "File name too long; use --path");
        scratch_free(&s);
    }
}

TEST(names_follow_from_partition_type_and_rank)
{
    char path[64];
    scratch_file("d", 12, TYPE_SEPARATED, 7, path, sizeof path);
    assert_string_equal(path, "d/n12.separated.000007");
    scratch_file("d", 12, TYPE_SEG_COLL, 7, path, sizeof path);
    assert_string_equal(path, "d/n12.seg_coll");
}

TEST(removes_files_of_every_type_and_rank)
{
    static const char *const libraries[] = {".n3.shared.shfp.1234", "n3.shared.lock"};
    char *parent = unit_directory(), path[4096];
    struct scratch s;
    struct message error;
    put_file(parent, "mine");
    make(&s, parent, "beff_io.scratch.1");
    for (enum io_type type = 0; type < IO_TYPES; type++)
        for (int rank = 0; rank < 1000; rank += 37) {
            scratch_file(s.path, 3, type, rank, path, sizeof path);
            unit_write(path, "abc", 3);
        }
    for (size_t i = 0; i < COUNT(libraries); i++)
        put_file(s.path, libraries[i]);
    assert_int_equal(scratch_remove(&s, &error), 0);
    assert_int_equal(scratch_remove(&s, &error), 0);
    assert_int_equal(access(s.path, F_OK), -1);
    scratch_free(&s);
    char *mine = unit_path(parent, "mine");
    assert_int_equal(access(mine, F_OK), 0);
}

TEST(files_of_others_are_kept)
{
    static const char *const names[] = {"notes",     "n3",         "n3scatter", "scatter",
                                        "n.scatter", "nx.scatter", ".x"};
    for (size_t i = 0; i < COUNT(names); i++) {
        char *parent = unit_directory();
        struct scratch s;
        struct message error;
        make(&s, parent, "beff_io.scratch.1");
        put_file(s.path, names[i]);
        put_file(s.path, "n3.scatter");
        assert_int_equal(scratch_remove(&s, &error), -1);
        assert_contains(error.text, "it contains files that this run did not create");
        char *theirs = unit_path(s.path, names[i]), *ours = unit_path(s.path, "n3.scatter");
        assert_int_equal(access(theirs, F_OK), 0);
        assert_int_equal(access(ours, F_OK), -1);
        scratch_free(&s);
    }
}

TEST(existing_files_and_links_are_refused)
{
    char *parent = unit_directory(), *link = unit_path(parent, "link");
    struct scratch s;
    struct message error;
    assert_int_equal(symlink("/tmp", link), 0);
    put_file(parent, "file");
    for (int shared = 0; shared < 2; shared++) {
        assert_int_equal(scratch_make(&s, parent, "link", shared, &error), -1);
        assert_contains(error.text, "not a directory of this run");
        assert_int_equal(scratch_make(&s, parent, "file", shared, &error), -1);
    }
    assert_int_equal(scratch_make(&s, "/nonexistent", "x", false, &error), -1);
    assert_contains(error.text, "--path");
}

/* One process creates the directory. Other processes use it and do not remove it. */
TEST(processes_share_a_directory)
{
    char *parent = unit_directory();
    struct scratch first, second;
    struct message error;
    make(&first, parent, "x");
    assert_int_equal(scratch_make(&second, parent, "x", false, &error), -1);
    assert_int_equal(scratch_make(&second, parent, "x", true, &error), 0);
    assert_false(second.made);
    assert_int_equal(scratch_remove(&second, &error), 0);
    assert_int_equal(access(first.path, F_OK), 0);
    assert_int_equal(scratch_clear(first.path), 0);
    assert_int_equal(access(first.path, F_OK), -1);
    scratch_free(&first);
    scratch_free(&second);
}

/* Creates a file again and again until the directory is gone. */
static void create_files(const char *directory)
{
    char path[4096];
    int file;
    scratch_file(directory, 2, TYPE_SEPARATED, 1, path, sizeof path);
    while ((file = open(path, O_WRONLY | O_CREAT, 0600)) >= 0)
        close(file);
}

/* Another process creates a file again and again while the directory is cleared. */
TEST(a_directory_is_cleared_while_files_are_created)
{
    char *parent = unit_directory();
    for (int i = 0; i < 50; i++) {
        struct scratch s;
        int status;
        make(&s, parent, "beff_io.scratch.1");
        pid_t child = fork();
        if (child == 0) {
            alarm(10); /* ends this process if the directory is left */
            create_files(s.path);
            _exit(0);
        }
        char *file = unit_path(s.path, "n2.separated.000001");
        while (access(file, F_OK))
            usleep(10);
        assert_int_equal(scratch_clear(s.path), 0);
        assert_int_equal(access(s.path, F_OK), -1);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        scratch_free(&s);
    }
}

TEST(links_are_not_followed)
{
    char *parent = unit_directory(), *link = unit_path(parent, "link"), *inner;
    struct scratch s;
    struct message error;
    make(&s, parent, "beff_io.scratch.2");
    put_file(parent, "n1.scatter");
    assert_int_equal(symlink(parent, link), 0);
    assert_int_equal(scratch_clear(link), ENOTDIR);
    inner = unit_path(s.path, "n2.scatter");
    assert_int_equal(symlink("../n1.scatter", inner), 0);
    assert_int_equal(scratch_remove(&s, &error), 0);
    inner = unit_path(parent, "n1.scatter");
    assert_int_equal(access(inner, F_OK), 0);
    scratch_free(&s);
}

TEST(leftovers_are_named_with_the_command_that_removes_them)
{
    char *parent = unit_directory(), expected[4096];
    struct scratch plain, spaced, other;
    struct texts lines = {0};
    make(&other, parent, "beff.scratch.1");
    put_file(parent, "beff_io.scratch.file");
    scratch_leftovers(parent, &lines);
    assert_int_equal(lines.count, 0);
    make(&plain, parent, "beff_io.scratch.1");
    scratch_leftovers(parent, &lines);
    assert_int_equal(lines.count, 1);
    snprintf(expected, sizeof expected, "rm -r %s", plain.path);
    assert_contains(lines.text[0], expected);
    scratch_remove(&plain, &(struct message){""});
    make(&spaced, parent, "beff_io.scratch.a b");
    texts_free(&lines);
    scratch_leftovers(parent, &lines);
    snprintf(expected, sizeof expected, "rm -r '%s'", spaced.path);
    assert_contains(lines.text[0], expected);
    assert_int_equal(access(spaced.path, F_OK), 0);
    texts_free(&lines);
    scratch_free(&plain);
    scratch_free(&spaced);
    scratch_free(&other);
}
