#include "common/progress.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "common/text.h"

const char *const progress_words[] = {"auto", "line", "log", "never", NULL};

void progress_start(struct progress *progress, enum progress_when when)
{
    *progress = (struct progress){.terminal = when == PROGRESS_LINE ||
                                              (when == PROGRESS_AUTO && isatty(STDERR_FILENO)),
                                  .log = when == PROGRESS_LOG};
}

void progress_show(struct progress *progress, double elapsed, double expected, const char *format, ...)
{
    if (!(progress->terminal || progress->log) || elapsed < progress->next)
        return;
    progress->next = elapsed + (progress->terminal ? 0.2 : fmax(10, expected / 50));
    char text[160];
    TEXT_PRINT(text, sizeof text, format);
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
