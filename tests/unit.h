/* Common functions of the unit tests: cmocka with the headers that it requires, comparison of real numbers,
 * files in a temporary directory, rows of fixture tables. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- tests ---- */

/* Adds a test to the program, whose main() is in tests/unit.c. */
void unit_add(const char *name, CMUnitTestFunction test, CMFixtureFunction set_up,
              CMFixtureFunction tear_down);

/* Defines a test; TEST_WITH: with functions that are called before and after it. */
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, set_up, tear_down)                                                                   \
    static void name(void **state);                                                                          \
    __attribute__((constructor)) static void add_##name(void)                                                \
    {                                                                                                        \
        unit_add(#name, name, set_up, tear_down);                                                            \
    }                                                                                                        \
    static void name(__attribute__((unused)) void **state)

/* ---- real numbers ---- */

static inline void unit_close(double found, double expected, double tolerance, const char *what,
                              const char *file, int line)
{
    if (found == expected || fabs(found - expected) <= tolerance * fabs(expected))
        return;
    print_error("%s is %.17g instead of %.17g\n", what, found, expected);
    _fail(file, line);
}

/* Asserts that the numbers are equal up to rounding. */
#define assert_close(found, expected) unit_close(found, expected, 1e-12, #found, __FILE__, __LINE__)
/* Asserts that the relative difference of the numbers is at most `tolerance`. */
#define assert_near(found, expected, tolerance)                                                              \
    unit_close(found, expected, tolerance, #found, __FILE__, __LINE__)
#define assert_real(found, expected) unit_close(found, expected, 0, #found, __FILE__, __LINE__)
#define assert_nan(found)            assert_true(isnan(found))

/* Asserts that `text` contains `part`. */
#define assert_contains(text, part) unit_contains(text, part, __FILE__, __LINE__)

static inline void unit_contains(const char *text, const char *part, const char *file, int line)
{
    if (text && strstr(text, part))
        return;
    print_error("\"%s\" is missing from \"%s\"\n", part, text ? text : "(null)");
    _fail(file, line);
}

/* ---- memory and texts ---- */

/* Keeps memory until the program ends, and returns it. */
void *unit_keep(void *memory);

/* unit_out() returns a stream; unit_text() closes it and returns what was written. The text is kept. */
FILE *unit_out(void);
char *unit_text(void);

/* ---- files ---- */

/* Creates an empty directory, which is removed when the program ends, and returns its path. */
char *unit_directory(void);

/* Creates an empty directory as *state, before a test. */
int unit_in_directory(void **state);
#define DIRECTORY_TEST(name) TEST_WITH(name, unit_in_directory, NULL)

/* Removes a directory with its content. */
void unit_remove(const char *path);

/* Returns "directory/name", which is kept. Creates missing directories. */
char *unit_path(const char *directory, const char *name);

void unit_write(const char *path, const void *bytes, size_t size);

/* Returns the contents of a file followed by a zero byte. They are kept. */
char *unit_read(const char *path, size_t *size);

/* ---- fixtures ---- */

/* Calls `row` for each line of a table in tests/fixtures, without its newline. Comments and empty lines are
 * skipped. Returns the number of rows. The path is relative to the root of the repository, where make runs
 * the tests. */
static inline int unit_fixture(const char *name, void (*row)(const char *line))
{
    char path[128], line[1024];
    snprintf(path, sizeof path, "tests/fixtures/%s", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    int rows = 0;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (*line == '#' || !*line)
            continue;
        row(line);
        rows++;
    }
    fclose(file);
    return rows;
}

#endif
