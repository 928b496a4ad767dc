/* LD_PRELOAD: file locks by fcntl() fail with LOCK_ERRNO, or hang if it is 0, as on file systems without a
 * lock service. */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>

#include "shim.h"

static int call(const char *name, int file, int command, void *argument)
{
    long error = setting("LOCK_ERRNO", 0);
    if (command == F_SETLK || command == F_SETLKW || command == F_GETLK) {
        while (!error)
            pause();
        if (error < 0)
            return 0;
        errno = (int)error;
        return -1;
    }
    return ((int (*)(int, int, ...))dlsym(RTLD_NEXT, name))(file, command, argument);
}

#define FCNTL(name)                                                                                          \
    int name(int file, int command, ...)                                                                     \
    {                                                                                                        \
        va_list arguments;                                                                                   \
        va_start(arguments, command);                                                                        \
        void *argument = va_arg(arguments, void *);                                                          \
        va_end(arguments);                                                                                   \
        return call(#name, file, command, argument);                                                         \
    }
FCNTL(fcntl)
FCNTL(fcntl64)
