/* Runs the tests that a unit test program has defined with TEST(), and keeps what they need until all have
 * ended. */
#include <errno.h>
#include <ftw.h>

#include "tests/unit.h"

static struct CMUnitTest tests[100];
static size_t count;

void unit_add(const char *name, CMUnitTestFunction test, CMFixtureFunction set_up,
              CMFixtureFunction tear_down)
{
    if (count == COUNT(tests))
        abort();
    tests[count++] = (struct CMUnitTest){name, test, set_up, tear_down, NULL};
}

/* ---- memory and texts ---- */

void *unit_keep(void *memory)
{
    static void **kept;
    static size_t size;
    assert_non_null(memory);
    kept = realloc(kept, (size + 1) * sizeof *kept);
    assert_non_null(kept);
    return kept[size++] = memory;
}

static struct {
    FILE *out;
    char *text;
    size_t size;
} printed;

FILE *unit_out(void)
{
    printed.out = open_memstream(&printed.text, &printed.size);
    assert_non_null(printed.out);
    return printed.out;
}

char *unit_text(void)
{
    assert_int_equal(fclose(printed.out), 0);
    return unit_keep(printed.text);
}

/* ---- files ---- */

static char *directories[1000];
static size_t directory_count;

char *unit_directory(void)
{
    const char *base = getenv("TMPDIR");
    char *path = NULL;
    assert_true(asprintf(&path, "%s/beff-unit-XXXXXX", base && *base ? base : "/tmp") > 0);
    assert_non_null(mkdtemp(path));
    assert_true(directory_count < COUNT(directories));
    return directories[directory_count++] = path;
}

int unit_in_directory(void **state)
{
    *state = unit_directory();
    return 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

void unit_remove(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

char *unit_path(const char *directory, const char *name)
{
    char *path = NULL;
    assert_true(asprintf(&path, "%s/%s", directory, name) > 0);
    for (char *slash = strchr(path + strlen(directory) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0777);
        *slash = '/';
    }
    return unit_keep(path);
}

void unit_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

char *unit_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = unit_keep(calloc(1, *size + 1));
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

int main(void)
{
    int failed = _cmocka_run_group_tests(program_invocation_short_name, tests, count, NULL, NULL);
    for (size_t i = 0; i < directory_count; i++)
        unit_remove(directories[i]);
    return failed;
}
