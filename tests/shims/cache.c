/* LD_PRELOAD: a cache of CACHE_BYTES bytes that mincore() does not show, in front of the files whose path
 * contains CACHE_PATH. It only counts: at the end, CACHE_LOG gets the bytes that reads found in the cache
 * although only a write had put them there. CACHE_KIND is `lru` (least recently used) or `2q`: as in 2Q
 * (Johnson and Shasha 1994), new blocks pass through a queue of a quarter of the cache; a block that is used
 * again soon after it left the queue moves to the rest of the cache, from which only blocks of this kind can
 * displace it. */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "shim.h"

enum { BLOCK = 65536, SLOTS = 1 << 15 };

/* The state of a block: the time of its last use; 0: not in the list. */
struct block {
    ino_t file;
    int64_t number;
    long used, left,
        kept;    /* in the cache (lru) or its queue; when it left the queue; in the rest of the cache */
    int written; /* only a write has used it */
};

static struct block blocks[SLOTS];
static long now, stale;

static struct block *find(ino_t file, int64_t number)
{
    uint64_t slot = ((uint64_t)file * 1000003 + (uint64_t)number) * UINT64_C(0x9E3779B97F4A7C15) >> 49;
    while (blocks[slot % SLOTS].file &&
           (blocks[slot % SLOTS].file != file || blocks[slot % SLOTS].number != number))
        slot++;
    struct block *block = &blocks[slot % SLOTS];
    block->file = file;
    block->number = number;
    return block;
}

/* Returns the number of blocks with a time in the member at `offset`, and the block with the smallest one. */
static long count(size_t offset, struct block **oldest)
{
    long found = 0;
    *oldest = NULL;
    for (struct block *b = blocks; b < blocks + SLOTS; b++) {
        long at = *(long *)((char *)b + offset);
        if (!at)
            continue;
        found++;
        if (!*oldest || at < *(long *)((char *)*oldest + offset))
            *oldest = b;
    }
    return found;
}

static long in_queue, in_rest, in_history;

static void use(struct block *b, int writes, int counts)
{
    struct block *oldest;
    long room = setting("CACHE_BYTES", 0) / BLOCK;
    const char *kind = getenv("CACHE_KIND");
    int two = kind && strcmp(kind, "2q") == 0, inside = b->used || b->kept;
    stale += counts && !writes && inside && b->written;
    b->written = writes && (!inside || b->written);
    now++;
    if (b->kept || (two && b->used)) { /* 2q: a second use inside the queue changes nothing */
        b->kept = b->kept ? now : 0;
        return;
    }
    if (two && b->left) {
        b->left = 0;
        in_history--;
        b->kept = now;
        if (++in_rest > room * 3 / 4) {
            count(offsetof(struct block, kept), &oldest);
            oldest->kept = 0;
            in_rest--;
        }
        return;
    }
    in_queue += !b->used;
    b->used = now;
    if (in_queue > (two ? room / 4 : room)) {
        count(offsetof(struct block, used), &oldest);
        oldest->used = 0;
        in_queue--;
        if (two) {
            oldest->left = now;
            in_history++;
        }
    }
    if (in_history > room / 2) {
        count(offsetof(struct block, left), &oldest);
        oldest->left = 0;
        in_history--;
    }
}

static void touch(int file, int64_t offset, size_t size, int writes)
{
    char path[4096], link[64];
    struct stat status;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    const char *below = getenv("CACHE_PATH");
    if (!below || !strstr(path, below) || fstat(file, &status))
        return;
    for (int64_t n = offset / BLOCK; n <= (offset + (int64_t)size - 1) / BLOCK; n++)
        use(find(status.st_ino, n), writes, !strstr(path, "/n0."));
}

#define NEXT(function) ((__typeof__(function) *)dlsym(RTLD_NEXT, #function))

#define CALL(name, data, writes)                                                                             \
    ssize_t name(int file, data buffer, size_t size, off_t offset)                                           \
    {                                                                                                        \
        touch(file, offset, size, writes);                                                                   \
        return NEXT(name)(file, buffer, size, offset);                                                       \
    }
CALL(pread, void *, 0)
CALL(pread64, void *, 0)
CALL(pwrite, const void *, 1)
CALL(pwrite64, const void *, 1)

ssize_t read(int file, void *data, size_t size)
{
    if (size >= 1024)
        touch(file, lseek(file, 0, SEEK_CUR), size, 0);
    return NEXT(read)(file, data, size);
}

ssize_t write(int file, const void *data, size_t size)
{
    if (size >= 1024)
        touch(file, lseek(file, 0, SEEK_CUR), size, 1);
    return NEXT(write)(file, data, size);
}

int mincore(void *start, size_t length, unsigned char *marks);

int mincore(void *start, size_t length, unsigned char *marks)
{
    (void)start, (void)length, (void)marks;
    errno = ENOSYS;
    return -1;
}

__attribute__((destructor)) static void report(void)
{
    FILE *log = getenv("CACHE_LOG") ? fopen(getenv("CACHE_LOG"), "w") : NULL;
    if (!log)
        return;
    fprintf(log, "%ld\n", stale * BLOCK);
    fclose(log);
}
