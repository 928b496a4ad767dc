/* Tests the search for mounts in a simulated /proc/self/mounts, and the page cache with real files. */
#include "beff_io/storage.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include "tests/unit.h"

static const char mounts[] = "/dev/vda / ext4 rw,relatime,discard 0 0\n"
                             "10.0.0.1@tcp:/fs1 /scratch lustre rw,noatime,flock 0 0\n"
                             "server:/export /scratch/with\\040blank nfs4 rw,vers=4.2 0 0\n"
                             "/dev/sda1 /twice ext4 rw 0 0\n"
                             "none /twice tmpfs rw,size=64m 0 0\n"
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

TEST(finds_the_mount_of_a_path)
{
    static const struct {
        const char *path, *type, *source, *mount, *options;
    } rows[] = {
        {"/home/me", "ext4", "/dev/vda", "/", "rw,relatime,discard"},
        {"/scratch", "lustre", "10.0.0.1@tcp:/fs1", "/scratch", "rw,noatime,flock"},
        {"/scratch/me/dir", "lustre", "10.0.0.1@tcp:/fs1", "/scratch", "rw,noatime,flock"},
        {"/scratches", "ext4", "/dev/vda", "/", "rw,relatime,discard"},
        {"/scratch/with blank/x", "nfs4", "server:/export", "/scratch/with blank", "rw,vers=4.2"},
        {"/twice/x", "tmpfs", "none", "/twice", "rw,size=64m"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct storage s = {""};
        assert_int_equal(find(mounts, rows[i].path, &s), 0);
        assert_string_equal(s.type, rows[i].type);
        assert_string_equal(s.source, rows[i].source);
        assert_string_equal(s.mount, rows[i].mount);
        assert_string_equal(s.options, rows[i].options);
    }
}

TEST(unknown_storage_is_reported)
{
    struct storage s = {""};
    assert_int_equal(find("", "/", &s), -1);
    assert_int_equal(find("a b c - d\n\n", "/", &s), -1);
    storage_read("/nonexistent", &s);
    assert_string_equal(s.path, "");
    assert_string_equal(s.type, "");
}

/* In a chroot, the list of mounts may lack the file system of the current directory. */
TEST(looks_up_a_real_directory)
{
    struct storage s;
    storage_read(".", &s);
    assert_true(*s.path == '/');
    if (access("/proc/self/mounts", R_OK))
        skip();
    storage_read("/proc/self", &s);
    assert_string_equal(s.type, "proc");
}

/* ---- page cache ---- */

/* On a file system that uses the page cache, a file is in memory after it is written, but not after it is
 * dropped. */
TEST(written_then_dropped)
{
    enum { SIZE = 100 << 20 }; /* large enough that only a sample of the pages is checked */
    char *parent = unit_directory(), *path = unit_path(parent, "file"), *data = calloc(1, SIZE);
    assert_non_null(data);
    unit_write(path, data, SIZE);
    free(data);
    double before = pagecache_resident(path);
    assert_true(before == -1 || (before >= 0 && before <= 1));
    if (before > 0) {
        assert_int_equal(pagecache_drop(path), 0);
        double after = pagecache_resident(path);
        struct statfs system;
        assert_int_equal(statfs(path, &system), 0);
        assert_true(after < 0.02 || (after == before && system.f_type == TMPFS_MAGIC));
    }
}

TEST(direct_descriptors)
{
    char *parent = unit_directory(), *path = unit_path(parent, "file");
    unit_write(path, "text", 4);
    assert_int_equal(storage_is_direct(path), -1);
    int direct = open(path, O_RDONLY | O_DIRECT), other;
    if (direct >= 0) /* file systems in memory may not support O_DIRECT */
        assert_int_equal(storage_is_direct(path), 1);
    other = open(path, O_RDONLY);
    assert_int_equal(storage_is_direct(path), 0);
    close(other);
    if (direct >= 0)
        close(direct);
}

TEST(empty_and_missing_files)
{
    char *parent = unit_directory(), *path = unit_path(parent, "file");
    assert_true(pagecache_resident(path) == -1);
    assert_int_equal(pagecache_drop(path), -1);
    unit_write(path, "", 0);
    assert_true(pagecache_resident(path) == 0);
}
