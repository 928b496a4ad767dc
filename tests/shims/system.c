/* LD_PRELOAD: a system that reports less, or more, about the machine.
 *
 *   SYSTEM_REFUSES  list of refused calls: sysinfo, affinity (sched_getaffinity)
 *   SYSTEM_BLOCKS   statvfs() reports this number of blocks as size and as free space; default: the real ones
 *   SYSTEM_FREE     another number of free blocks
 *   SYSTEM_UNIT     bytes of a block
 */
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>

#include "shim.h"

/* Bytes of the set that the programs pass. If other sets were refused, too, MPI's libraries would try for
 * ever. */
enum { PROGRAM_SET = 1024 };

#define NEXT(function) ((__typeof__(function) *)dlsym(RTLD_NEXT, #function))

static int refuses(const char *call)
{
    const char *list = getenv("SYSTEM_REFUSES");
    errno = EPERM;
    return list && strstr(list, call) ? -1 : 0;
}

int sysinfo(struct sysinfo *info)
{
    return refuses("sysinfo") ? -1 : NEXT(sysinfo)(info);
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    return size == PROGRAM_SET && refuses("affinity") ? -1 : NEXT(sched_getaffinity)(process, size, set);
}

int statvfs(const char *path, struct statvfs *found)
{
    int failed = NEXT(statvfs)(path, found);
    const char *blocks = getenv("SYSTEM_BLOCKS"), *left = getenv("SYSTEM_FREE"),
               *unit = getenv("SYSTEM_UNIT");
    if (failed || !blocks || strncmp(path, "/dev/", 5) == 0)
        return failed;
    found->f_blocks = strtoull(blocks, NULL, 0);
    found->f_bfree = found->f_bavail = strtoull(left ? left : blocks, NULL, 0);
    if (unit)
        found->f_bsize = found->f_frsize = strtoul(unit, NULL, 0);
    return 0;
}
int statvfs64(const char *path, struct statvfs64 *found) __attribute__((alias("statvfs")));
