#include "beff_io/storage.h"

#include <dirent.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/sysinfo.h"

/* Returns true if a path is at or below a mount point. */
static int is_below(const char *path, const char *mount)
{
    size_t length = strlen(mount);
    return strcmp(mount, "/") == 0 ||
           (strncmp(path, mount, length) == 0 && (path[length] == '/' || path[length] == 0));
}

int storage_find(FILE *mounts, const char *path, struct storage *storage)
{
    int found = -1;
    for (struct mntent *m; mounts && (m = getmntent(mounts));)
        if (is_below(path, m->mnt_dir) && (found || strlen(m->mnt_dir) >= strlen(storage->mount))) {
            snprintf(storage->type, sizeof storage->type, "%s", m->mnt_type);
            snprintf(storage->source, sizeof storage->source, "%s", m->mnt_fsname);
            snprintf(storage->mount, sizeof storage->mount, "%s", m->mnt_dir);
            snprintf(storage->options, sizeof storage->options, "%s", m->mnt_opts);
            found = 0;
        }
    return found;
}

/* Writes the type of a path's file system by the number from statfs() (the same for ext2 to ext4). */
static void name_type(const char *path, char *type, size_t size)
{
    static const struct {
        unsigned number;
        const char *name;
    } types[] = {{0xEF53, "ext4"},      {0x58465342, "xfs"},    {0x9123683E, "btrfs"},
                 {0x01021994, "tmpfs"}, {0x858458F6, "ramfs"},  {0x794C7630, "overlay"},
                 {0x2FC12FC1, "zfs"},   {0x6969, "nfs"},        {0x0BD00BD0, "lustre"},
                 {0x47504653, "gpfs"},  {0x19830326, "beegfs"}, {0x00C36400, "ceph"},
                 {0x65735546, "fuse"}};
    struct statfs status;
    for (size_t i = 0; i < sizeof types / sizeof types[0] && statfs(path, &status) == 0; i++)
        if ((unsigned)status.f_type == types[i].number)
            snprintf(type, size, "%s", types[i].name);
}

void storage_read(const char *path, struct storage *storage)
{
    *storage = (struct storage){""};
    char *absolute = realpath(path, NULL);
    FILE *mounts = fopen("/proc/self/mounts", "r");
    if (absolute) {
        snprintf(storage->path, sizeof storage->path, "%s", absolute);
        if (storage_find(mounts, absolute, storage)) /* in a chroot, for example */
            name_type(absolute, storage->type, sizeof storage->type);
    }
    free(absolute);
    if (mounts)
        fclose(mounts);
}

/* ---- page cache ---- */

/* A sample has at most WINDOWS windows of WINDOW_PAGES pages, evenly spaced. With pages of 4 KiB, a file
 * of up to 64 MiB is sampled completely. */
enum { WINDOWS = 256, WINDOW_PAGES = 64 };

/* Adds the number of sampled pages to `sampled`, and the number of sampled pages in memory to `inside`.
 * Returns 0 on success, or -1 if mmap or mincore failed. */
static int count_pages(int file, int64_t size, int64_t *inside, int64_t *sampled)
{
    unsigned char marks[WINDOW_PAGES];
    int64_t page = sysconf(_SC_PAGESIZE), pages = (size + page - 1) / page;
    int64_t windows = (pages + WINDOW_PAGES - 1) / WINDOW_PAGES, step = (windows + WINDOWS - 1) / WINDOWS;
    for (int64_t first = 0; first < pages; first += step * WINDOW_PAGES) {
        int64_t count = pages - first < WINDOW_PAGES ? pages - first : WINDOW_PAGES;
        void *map = mmap(NULL, (size_t)(count * page), PROT_READ, MAP_SHARED, file, (off_t)(first * page));
        int failed = map == MAP_FAILED || mincore(map, (size_t)(count * page), marks);
        if (map != MAP_FAILED)
            munmap(map, (size_t)(count * page));
        if (failed)
            return -1;
        for (int64_t i = 0; i < count; i++)
            *inside += marks[i] & 1;
        *sampled += count;
    }
    return 0;
}

/* Returns the flags that the kernel shows for a descriptor; 0 if unknown. */
static unsigned long descriptor_flags(const char *number)
{
    char path[64], flags[32];
    snprintf(path, sizeof path, "/proc/self/fdinfo/%.20s", number);
    sysinfo_line("", path, "flags:", flags, sizeof flags);
    return strtoul(flags, NULL, 8);
}

int storage_is_direct(const char *path)
{
    struct stat wanted, found;
    const struct dirent *entry;
    int direct = -1;
    DIR *descriptors = opendir("/proc/self/fd");
    if (stat(path, &wanted) == 0)
        while (descriptors && (entry = readdir(descriptors)))
            if (fstat(atoi(entry->d_name), &found) == 0 && found.st_dev == wanted.st_dev &&
                found.st_ino == wanted.st_ino)
                direct = direct != 0 && descriptor_flags(entry->d_name) & O_DIRECT;
    if (descriptors)
        closedir(descriptors);
    return direct;
}

double pagecache_resident(const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int64_t inside = 0, sampled = 0;
    if (file < 0)
        return -1;
    int failed = fstat(file, &status) || count_pages(file, (int64_t)status.st_size, &inside, &sampled);
    close(file);
    return failed ? -1 : sampled ? (double)inside / (double)sampled : 0;
}

int pagecache_drop(const char *path)
{
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return -1;
    int failed = fdatasync(file) || posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    close(file);
    return failed ? -1 : 0;
}

void pagecache_drop_node(void)
{
    FILE *all = fopen("/proc/sys/vm/drop_caches", "w");
    if (!all)
        return;
    fputs("1\n", all);
    fclose(all);
}
