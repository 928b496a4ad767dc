/* LD_PRELOAD: reads files below DIRECT_PATH with direct I/O, as some MPI-IO libraries do: O_DIRECT, aligned
 * requests, no pages in the page cache. A file that is opened with O_NOFOLLOW, to look up its pages, is not
 * affected. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "shim.h"

enum { BLOCK = 4096 };

static int open_as(const char *path, int flags, mode_t mode)
{
    static int (*real)(const char *, int, ...);
    const char *below = getenv("DIRECT_PATH");
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "open64");
    int reads = (flags & O_ACCMODE) == O_RDONLY && !(flags & (O_NOFOLLOW | O_DIRECTORY | O_CREAT));
    if (below && reads && strncmp(path, below, strlen(below)) == 0)
        flags |= O_DIRECT;
    return real(path, flags, mode);
}

#define OPEN(name)                                                                                           \
    int name(const char *path, int flags, ...)                                                               \
    {                                                                                                        \
        va_list arguments;                                                                                   \
        va_start(arguments, flags);                                                                          \
        mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;                                       \
        va_end(arguments);                                                                                   \
        return open_as(path, flags, mode);                                                                   \
    }
OPEN(open)
OPEN(open64)

/* Reads a range. With direct I/O, reads the whole blocks that contain the range. */
static ssize_t read_at(int file, void *data, size_t size, off_t offset)
{
    static ssize_t (*real)(int, void *, size_t, off_t);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pread64");
    if (!(fcntl(file, F_GETFL) & O_DIRECT))
        return real(file, data, size, offset);
    off_t start = offset / BLOCK * BLOCK;
    size_t whole = ((size_t)(offset - start) + size + BLOCK - 1) / BLOCK * BLOCK;
    char *blocks = aligned_alloc(BLOCK, whole);
    ssize_t got = blocks ? real(file, blocks, whole, start) - (offset - start) : -1;
    if (got > (ssize_t)size)
        got = (ssize_t)size;
    if (got > 0)
        memcpy(data, blocks + (offset - start), (size_t)got);
    free(blocks);
    return got;
}

ssize_t pread(int file, void *data, size_t size, off_t offset)
{
    return read_at(file, data, size, offset);
}

ssize_t pread64(int file, void *data, size_t size, off_t offset)
{
    return read_at(file, data, size, offset);
}

ssize_t read(int file, void *data, size_t size)
{
    static ssize_t (*real)(int, void *, size_t);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "read");
    int flags = fcntl(file, F_GETFL);
    if (flags < 0 || !(flags & O_DIRECT))
        return real(file, data, size);
    ssize_t got = read_at(file, data, size, lseek(file, 0, SEEK_CUR));
    if (got > 0)
        lseek(file, got, SEEK_CUR);
    return got;
}

int mincore(void *start, size_t length, unsigned char *marks);

int mincore(void *start, size_t length, unsigned char *marks)
{
    (void)start;
    memset(marks, 0, (length + BLOCK - 1) / BLOCK);
    return 0;
}
