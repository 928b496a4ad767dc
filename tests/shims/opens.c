/* LD_PRELOAD: for each file that is opened for writing below OPENS_PATH, appends the line `HOST NAME` to the
 * file OPENS_LOG. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "shim.h"

static int open_as(const char *path, int flags, mode_t mode)
{
    static int (*real)(const char *, int, ...);
    const char *below = getenv("OPENS_PATH"), *log = getenv("OPENS_LOG"), *name = strrchr(path, '/');
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "open64");
    if (below && log && name && strstr(path, below) && flags & O_ACCMODE) {
        struct utsname host;
        int file = real(log, O_WRONLY | O_APPEND | O_CREAT, 0600);
        uname(&host);
        dprintf(file, "%s %s\n", host.nodename, name + 1);
        close(file);
    }
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
