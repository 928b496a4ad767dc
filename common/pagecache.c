/* Page cache. Uses the system alone. */
#include "common/pagecache.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The sample: windows of so many pages, evenly spread; a file of up to 64 MiB is looked at as a whole. */
enum { WINDOWS = 256, WINDOW_PAGES = 64 };

static int open_file(const char *path)
{
    return open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

/* Pages of a sample in memory, and the sample's size; -1 if unknown. */
static int look(int file, int64_t size, int64_t *inside, int64_t *sampled)
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

double pagecache_resident(const char *path)
{
    struct stat status;
    int file = open_file(path);
    int64_t inside = 0, sampled = 0;
    if (file < 0)
        return -1;
    int failed = fstat(file, &status) || look(file, (int64_t)status.st_size, &inside, &sampled);
    close(file);
    return failed ? -1 : sampled ? (double)inside / (double)sampled : 0;
}

int pagecache_drop(const char *path)
{
    int file = open_file(path);
    if (file < 0)
        return -1;
    int failed = fdatasync(file) || posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    close(file);
    return failed ? -1 : 0;
}

int pagecache_drop_node(void)
{
    FILE *all = fopen("/proc/sys/vm/drop_caches", "w");
    if (!all)
        return -1;
    int failed = fputs("1\n", all) < 0;
    return fclose(all) || failed ? -1 : 0;
}
