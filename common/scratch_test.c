/* Scratch directories: created exclusively, removed alone, leftovers reported. */
#include "tests/unit.h"

#include "common/scratch.h"

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
    assert_int_equal(scratch_directory(&s, "inner", &error), 0);
    assert_int_equal(scratch_directory(&s, "inner", &error), 0);
    inner = unit_path(s.path, "inner/b");
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
    assert_int_equal(scratch_remove(&s, &error), -1); /* not a file of ours */
    assert_int_equal(access(victim, F_OK), 0);
    scratch_free(&s);
    free(link);
    free(victim);
    unit_remove(parent);
}

static void count_line(void *context, const char *line)
{
    assert_non_null(line);
    ++*(int *)context;
}

static void leftovers(void **state)
{
    (void)state;
    char *parent = unit_directory(), *foreign = unit_path(parent, "prog.scratch.foreign"), *mark;
    struct scratch dead, alive;
    struct message error;
    int lines = 0;
    assert_int_equal(mkdir(foreign, 0700), 0);
    assert_int_equal(scratch_make(&alive, parent, "prog.scratch.alive", false, &error), 0);
    assert_int_equal(scratch_make(&dead, parent, "prog.scratch.dead", false, &error), 0);
    mark = unit_path(dead.path, ".owner");
    size_t size;
    char *text = unit_read(mark, &size), *process = strstr(text, "process "), changed[512];
    snprintf(changed, sizeof changed, "%.*sprocess 999999999\n", (int)(process - text), text);
    unit_write(mark, changed, strlen(changed));
    scratch_leftovers(parent, "prog", count_line, &lines);
    assert_int_equal(lines, 2);
    assert_int_equal(access(dead.path, F_OK), -1);
    assert_int_equal(access(alive.path, F_OK), 0);
    assert_int_equal(access(foreign, F_OK), 0);
    free(text);
    free(mark);
    free(foreign);
    scratch_free(&dead);
    scratch_free(&alive);
    unit_remove(parent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_filled_and_removed), cmocka_unit_test(what_is_there_is_refused),
        cmocka_unit_test(links_in_it_are_not_followed), cmocka_unit_test(leftovers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
