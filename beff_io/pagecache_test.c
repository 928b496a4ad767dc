/* Page cache: a file just written is in memory, and out of it once dropped, where the file system uses it. */
#include "tests/unit.h"

#include "beff_io/storage.h"

static void written_then_dropped(void **state)
{
    (void)state;
    enum { SIZE = 100 << 20 }; /* more than one look at everything */
    char *parent = unit_directory(), *path = unit_path(parent, "file"), *data = calloc(1, SIZE);
    assert_non_null(data);
    unit_write(path, data, SIZE);
    double before = pagecache_resident(path);
    assert_true(before == -1 || (before >= 0 && before <= 1));
    if (before > 0) {
        assert_int_equal(pagecache_drop(path), 0);
        double after = pagecache_resident(path);
        assert_true(after == before || after < 0.02); /* a file system in memory keeps all */
    }
    free(data);
    free(path);
    unit_remove(parent);
}

static void an_empty_file_and_none(void **state)
{
    (void)state;
    char *parent = unit_directory(), *path = unit_path(parent, "file");
    assert_true(pagecache_resident(path) == -1);
    assert_int_equal(pagecache_drop(path), -1);
    unit_write(path, "", 0);
    assert_true(pagecache_resident(path) == 0);
    free(path);
    unit_remove(parent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(written_then_dropped),
                                       cmocka_unit_test(an_empty_file_and_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
