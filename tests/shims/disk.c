/* LD_PRELOAD: makes system calls on some files fail, transfer half of the bytes, or take a long time. Calls
 * by MPI are covered. Of the C library's streams, only fflush() is covered. Uses only dlfcn and /proc.
 *
 *   DISK_PATH     only files whose path contains this text; default: none
 *   DISK_CALL     open, write (and pwrite), read, sync, close, truncate, unlink, stream (fflush)
 *   DISK_RANK     rank with the fault; default -1: all
 *   DISK_NUMBER   number of the call with the fault, from 1; default 1
 *   DISK_EVERY    repeat the fault after this many calls; default: once
 *   DISK_ERRNO    number of the error; 0: half of the bytes are transferred
 *   DISK_MICROSECONDS  delay the call by this time instead
 *   DISK_SERIAL   delayed calls of all processes come one after another; this file gets the sum of the delays
 *                 in nanoseconds
 *
 *   DISK_BELOW    only writes and reads of fewer bytes
 *   FAULT_MARK    a file that is touched when the fault happens */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include "shim.h"

#define NEXT(function) ((__typeof__(function) *)dlsym(RTLD_NEXT, #function))

static void delay(long microseconds)
{
    const char *path = getenv("DISK_SERIAL");
    int file = path ? NEXT(open)(path, O_RDWR | O_CREAT, 0600) : -1;
    struct timespec start, end, left = {microseconds / 1000000, 1000 * (microseconds % 1000000)};
    long long total = 0;
    if (file >= 0)
        flock(file, LOCK_EX);
    clock_gettime(CLOCK_MONOTONIC, &start);
    while (nanosleep(&left, &left) && errno == EINTR)
        ;
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (file < 0)
        return;
    if (NEXT(pread)(file, &total, sizeof total, 0) < 0)
        abort();
    total += (end.tv_sec - start.tv_sec) * 1000000000LL + end.tv_nsec - start.tv_nsec;
    if (NEXT(pwrite)(file, &total, sizeof total, 0) < 0)
        abort();
    NEXT(close)(file);
}

/* Returns 1 if the call must fail (errno is set), -1 if it must transfer half of the bytes, otherwise 0. */
static int fault(const char *call, const char *path)
{
    static long calls;
    const char *wanted = getenv("DISK_CALL"), *where = getenv("DISK_PATH");
    long rank = setting("DISK_RANK", -1);
    if (!wanted || !where || strcmp(wanted, call) != 0 || !strstr(path, where) ||
        (rank >= 0 && rank != own_rank()))
        return 0;
    long after = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) - setting("DISK_NUMBER", 1);
    long every = setting("DISK_EVERY", 0), late = setting("DISK_MICROSECONDS", 0),
         code = setting("DISK_ERRNO", 0);
    if (after < 0 || (after > 0 && (!every || after % every)))
        return 0;
    mark();
    if (late)
        return delay(late), 0;
    errno = (int)code;
    return code ? 1 : -1;
}

static int fault_of(const char *call, int file)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = getenv("DISK_PATH") ? readlink(link, path, sizeof path - 1) : -1;
    if (size < 0)
        return 0;
    path[size] = 0;
    return fault(call, path);
}

#define MOVING(name, call, parameters, arguments)                                                            \
    ssize_t name parameters                                                                                  \
    {                                                                                                        \
        int kind = (long)bytes < setting("DISK_BELOW", LONG_MAX) ? fault_of(call, file) : 0;                 \
        if (kind < 0)                                                                                        \
            bytes = (bytes + 1) / 2;                                                                         \
        return kind > 0 ? -1 : NEXT(name) arguments;                                                         \
    }
MOVING(write, "write", (int file, const void *data, size_t bytes), (file, data, bytes))
MOVING(pwrite, "write", (int file, const void *data, size_t bytes, off_t at), (file, data, bytes, at))
MOVING(pwrite64, "write", (int file, const void *data, size_t bytes, off_t at), (file, data, bytes, at))
MOVING(read, "read", (int file, void *data, size_t bytes), (file, data, bytes))
MOVING(pread, "read", (int file, void *data, size_t bytes, off_t at), (file, data, bytes, at))
MOVING(pread64, "read", (int file, void *data, size_t bytes, off_t at), (file, data, bytes, at))

#define ENDING(name, found, parameters, arguments)                                                           \
    int name parameters                                                                                      \
    {                                                                                                        \
        return found > 0 ? -1 : NEXT(name) arguments;                                                        \
    }
ENDING(fsync, fault_of("sync", file), (int file), (file))
ENDING(fdatasync, fault_of("sync", file), (int file), (file))
ENDING(ftruncate, fault_of("truncate", file), (int file, off_t size), (file, size))
ENDING(ftruncate64, fault_of("truncate", file), (int file, off_t size), (file, size))
ENDING(unlink, fault("unlink", path), (const char *path), (path))
ENDING(fflush, (file ? fault_of("stream", fileno(file)) : 0), (FILE * file), (file))

/* A failed close still closes the file, as on Linux. */
int close(int file)
{
    int failed = fault_of("close", file), code = errno, result = NEXT(close)(file);
    return failed ? (errno = code, -1) : result;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return fault("open", path) > 0 ? -1 : NEXT(open)(path, flags, mode);
}
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
