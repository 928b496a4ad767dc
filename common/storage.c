/* mountinfo, statvfs, page cache. Uses the system alone. */
#include "common/storage.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { FIELDS = 32 };

/* Copies a field with its octal escapes (\040 is a blank) resolved. */
static void copy_field(const char *field, size_t length, char *text)
{
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < STORAGE_TEXT_SIZE; i++) {
        unsigned code;
        if (field[i] == '\\' && i + 3 < length && sscanf(field + i + 1, "%3o", &code) == 1) {
            text[used++] = (char)code;
            i += 3;
        } else {
            text[used++] = field[i];
        }
    }
    text[used] = 0;
}

/* Whether a path is at or below a mount point. */
static int is_below(const char *path, const char *mount)
{
    size_t length = strlen(mount);
    return strcmp(mount, "/") == 0 ||
           (strncmp(path, mount, length) == 0 && (path[length] == '/' || path[length] == 0));
}

/* One line: number parent device root MOUNT OPTIONS optional... - TYPE SOURCE OPTIONS. */
static int parse_line(const char *line, size_t length, struct storage *found)
{
    const char *field[FIELDS], *end = line + length;
    size_t size[FIELDS];
    int count = 0, dash = 0;
    while (line < end && count < FIELDS) {
        const char *blank = memchr(line, ' ', (size_t)(end - line));
        field[count] = line;
        size[count] = (size_t)((blank ? blank : end) - line);
        if (count > 5 && !dash && size[count] == 1 && *line == '-')
            dash = count;
        count++;
        line = blank ? blank + 1 : end;
    }
    if (!dash || count < dash + 4)
        return -1;
    char options[2][STORAGE_TEXT_SIZE];
    copy_field(field[4], size[4], found->mount);
    copy_field(field[dash + 1], size[dash + 1], found->type);
    copy_field(field[dash + 2], size[dash + 2], found->source);
    copy_field(field[5], size[5], options[0]);
    copy_field(field[dash + 3], size[dash + 3], options[1]);
    snprintf(found->options, sizeof found->options, "%.255s,%.255s", options[0], options[1]);
    return 0;
}

int storage_find(const char *mountinfo, const char *path, struct storage *storage)
{
    int found = -1;
    for (const char *line = mountinfo; *line;) {
        size_t length = strcspn(line, "\n");
        struct storage mount = *storage;
        if (parse_line(line, length, &mount) == 0 && is_below(path, mount.mount) &&
            (found < 0 || strlen(mount.mount) >= strlen(storage->mount))) {
            *storage = mount;
            found = 0;
        }
        line += length + (line[length] == '\n');
    }
    return found;
}

/* A whole file of /proc, in memory of its own; NULL if it cannot be read. */
static char *read_all(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (file && getdelim(&text, &size, 0, file) < 0) {
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

void storage_read(const char *path, struct storage *storage)
{
    *storage = (struct storage){.bytes = -1};
    char *absolute = realpath(path, NULL), *mountinfo = read_all("/proc/self/mountinfo");
    if (absolute) {
        snprintf(storage->path, sizeof storage->path, "%s", absolute);
        if (mountinfo)
            storage_find(mountinfo, absolute, storage);
    }
    struct statvfs status;
    if (statvfs(path, &status) == 0)
        storage->bytes = (int64_t)status.f_blocks * (int64_t)status.f_frsize;
    free(absolute);
    free(mountinfo);
}

/* ---- page cache ---- */

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
