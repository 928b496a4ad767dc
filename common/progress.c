/* Progress on standard error. Uses the C library alone. */
#include "common/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Whether this file descriptor of an ancestor, the launcher, is a terminal: launchers give their processes
 * pipes, and write what comes out of them to their own. */
static bool launcher_has_terminal(int descriptor)
{
    pid_t pid = getppid();
    for (int generation = 0; generation < 3 && pid > 1; generation++) {
        char path[64], text[512] = "";
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, descriptor);
        if (readlink(path, text, sizeof text - 1) > 0 &&
            (strncmp(text, "/dev/pts/", 9) == 0 || strncmp(text, "/dev/tty", 8) == 0))
            return true;
        snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
        FILE *file = fopen(path, "r");
        size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
        if (file)
            fclose(file);
        text[size] = 0;
        const char *rest = strrchr(text, ')');
        if (!rest || sscanf(rest, ") %*c %d", &pid) != 1)
            return false;
    }
    return false;
}

static bool on_terminal(int descriptor)
{
    return isatty(descriptor) || launcher_has_terminal(descriptor);
}

bool progress_output_on_terminal(void)
{
    return on_terminal(STDOUT_FILENO);
}

void progress_start(struct progress *progress, bool never, bool log)
{
    *progress = (struct progress){.terminal = !never && !log && on_terminal(STDERR_FILENO), .log = log};
}

void progress_show(struct progress *progress, double elapsed, double expected, const char *format, ...)
{
    if (!(progress->terminal || progress->log) || elapsed < progress->next)
        return;
    progress->next = elapsed + (progress->terminal ? 0.2 : fmax(10, expected / 50));
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    double left = fmax(expected - elapsed, 0);
    fprintf(stderr, progress->terminal ? "\r\033[K%3.0f %%, %.0f s left, %s" : "%3.0f %%, %.0f s left, %s\n",
            fmin(100, 100 * elapsed / expected), left, text);
}

void progress_end(struct progress *progress)
{
    if (progress->terminal)
        fputs("\r\033[K", stderr);
    progress->terminal = progress->log = false;
}
