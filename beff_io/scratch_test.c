/* Scratch directories: created exclusively, removed alone, leftovers reported. */
#include "tests/unit.h"

#include "beff_io/scratch.h"

static void made_filled_and_removed(void **state)
{
    (void)state;
    char *parent = unit_directory(), *own = unit_path(parent, "mine"), *file, *inner;
    struct scratch s;
    struct message error;
    unit_write(own, "x", 1);
    assert_int_equal(scratch_make(&s, parent, "prog.scratch.1", false, &error), 0);
    file = unit_path(s.path, "a");
    unit_write(file, "abc", 3);
    assert_int_equal(scratch_directory(&s, 3, &error), 0);
    assert_int_equal(scratch_directory(&s, 3, &error), 0);
    inner = unit_path(s.path, "n3/b");
    unit_write(inner, "abc", 3);
    assert_int_equal(scratch_remove(&s, &error), 0);
    assert_int_equal(scratch_remove(&s, &error), 0);
    assert_int_equal(access(s.path, F_OK), -1);
    assert_int_equal(access(own, F_OK), 0);
    scratch_free(&s);
    free(inner);
    free(file);
    free(own);
    unit_remove(parent);
}

static void what_is_there_is_refused(void **state)
{
    (void)state;
    char *parent = unit_directory(), *link = unit_path(parent, "link"), *file = unit_path(parent, "file");
    struct scratch s;
    struct message error;
    assert_int_equal(symlink("/tmp", link), 0);
    unit_write(file, "x", 1);
    assert_int_equal(scratch_make(&s, parent, "link", false, &error), -1);
    assert_contains(error.text, "not ours");
    assert_int_equal(scratch_make(&s, parent, "link", true, &error), -1);
    assert_int_equal(scratch_make(&s, parent, "file", true, &error), -1);
    assert_int_equal(scratch_make(&s, "/nonexistent", "x", false, &error), -1);
    assert_int_equal(access(file, F_OK), 0);
    free(link);
    free(file);
    unit_remove(parent);
}

static void links_in_it_are_not_followed(void **state)
{
    (void)state;
    char *parent = unit_directory(), *victim = unit_path(parent, "victim"), *link;
    struct scratch s;
    struct message error;
    unit_write(victim, "x", 1);
    assert_int_equal(scratch_make(&s, parent, "prog.scratch.2", false, &error), 0);
    link = unit_path(s.path, "link");
    assert_int_equal(symlink(victim, link), 0);
    char *mark = unit_path(s.path, ".owner");
    assert_int_equal(scratch_remove(&s, &error), -1); /* not a file of ours */
    assert_int_equal(access(mark, F_OK), 0);          /* the next run finds out whose it is */
    free(mark);
    assert_int_equal(access(victim, F_OK), 0);
    scratch_free(&s);
    free(link);
    free(victim);
    unit_remove(parent);
}

/* Makes a directory and replaces a line of its mark. */
static void make_leftover(const char *parent, const char *name, const char *key, const char *line,
                          struct scratch *made)
{
    struct message error;
    assert_int_equal(scratch_make(made, parent, name, false, &error), 0);
    char *mark = unit_path(made->path, ".owner"), changed[1024];
    size_t size;
    char *text = unit_read(mark, &size), *at = strstr(text, key);
    assert_non_null(at);
    int length =
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, line, at + strcspn(at, "\n"));
    unit_write(mark, changed, (size_t)length);
    free(text);
    free(mark);
}

static void leftovers(void **state)
{
    (void)state;
    static const struct {
        const char *name, *key, *line;
        bool removed, asked; /* anyway; when those from elsewhere are */
    } rows[] = {{"prog.scratch.gone", "process ", "process 999999999", true, true},
                {"prog.scratch.reused", "started ", "started 1", true, true},
                {"prog.scratch.host", "host ", "host elsewhere", false, true},
                {"prog.scratch.boot", "boot ", "boot 0-0", false, true},
                {"prog.scratch.container", "numbering ", "numbering pid:[1]", false, true},
                {"prog.scratch.running", "beff", "beff scratch directory", false, false},
                {"prog.scratch.copy", "name ", "name prog.scratch.original", false, false},
                {"prog.scratch.older", "started ", "", false, false}};
    char *parent = unit_directory();
    struct scratch made[COUNT(rows)];
    struct texts lines = {0};
    for (size_t i = 0; i < COUNT(rows); i++)
        make_leftover(parent, rows[i].name, rows[i].key, rows[i].line, &made[i]);
    scratch_leftovers(parent, "prog", false, &lines);
    assert_int_equal(lines.count, COUNT(rows) - 1); /* the one of a running process is not mentioned */
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(access(made[i].path, F_OK), rows[i].removed ? -1 : 0);
    scratch_leftovers(parent, "prog", true, &lines);
    texts_free(&lines);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(access(made[i].path, F_OK), rows[i].asked ? -1 : 0);
        scratch_free(&made[i]);
    }
    unit_remove(parent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_filled_and_removed), cmocka_unit_test(what_is_there_is_refused),
        cmocka_unit_test(links_in_it_are_not_followed), cmocka_unit_test(leftovers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
