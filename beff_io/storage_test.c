/* Mounts found in made-up texts of mountinfo. */
#include "beff_io/storage.h"

#include "tests/unit.h"

static const char mountinfo[] =
    "21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard\n"
    "22 21 0:20 / /scratch rw,noatime shared:2 master:3 - lustre 10.0.0.1@tcp:/fs1 rw,flock\n"
    "23 21 0:21 / /scratch/with\\040blank rw - nfs4 server:/export rw,vers=4.2\n"
    "24 21 0:22 / /twice rw - ext4 /dev/sda1 rw\n"
    "25 24 0:23 / /twice rw - tmpfs none rw,size=64m\n"
    "a damaged line\n";

static int find(const char *text, const char *path, struct storage *storage)
{
    FILE *file = tmpfile();
    fputs(text, file);
    rewind(file);
    int found = storage_find(file, path, storage);
    fclose(file);
    return found;
}

static void finds_the_mount_of_a_path(void **state)
{
    (void)state;
    static const struct {
        const char *path, *type, *source, *mount, *options;
    } rows[] = {
        {"/home/me", "ext4", "/dev/vda", "/", "rw,relatime,rw,discard"},
        {"/scratch", "lustre", "10.0.0.1@tcp:/fs1", "/scratch", "rw,noatime,rw,flock"},
        {"/scratch/me/dir", "lustre", "10.0.0.1@tcp:/fs1", "/scratch", "rw,noatime,rw,flock"},
        {"/scratches", "ext4", "/dev/vda", "/", "rw,relatime,rw,discard"},
        {"/scratch/with blank/x", "nfs4", "server:/export", "/scratch/with blank", "rw,rw,vers=4.2"},
        {"/twice/x", "tmpfs", "none", "/twice", "rw,rw,size=64m"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct storage s = {.bytes = 0};
        assert_int_equal(find(mountinfo, rows[i].path, &s), 0);
        assert_string_equal(s.type, rows[i].type);
        assert_string_equal(s.source, rows[i].source);
        assert_string_equal(s.mount, rows[i].mount);
        assert_string_equal(s.options, rows[i].options);
    }
}

static void says_where_nothing_is_known(void **state)
{
    (void)state;
    struct storage s = {.bytes = 0};
    assert_int_equal(find("", "/", &s), -1);
    assert_int_equal(find("a b c - d\n\n", "/", &s), -1);
    storage_read("/nonexistent", &s);
    assert_string_equal(s.path, "");
    assert_string_equal(s.type, "");
    assert_true(s.bytes == -1);
}

static void looks_up_a_real_directory(void **state)
{
    (void)state;
    struct storage s;
    storage_read("/proc/self", &s);
    assert_string_equal(s.type, "proc");
    storage_read(".", &s);
    assert_true(*s.path == '/' && *s.type && s.bytes > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_the_mount_of_a_path),
                                       cmocka_unit_test(says_where_nothing_is_known),
                                       cmocka_unit_test(looks_up_a_real_directory)};
    return cmocka_run_group_tests_name("storage", tests, NULL, NULL);
}
