#include "common/progress.h"

#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/text.h"

const char *const progress_words[] = {"auto", "line", "log", "never", NULL};

/* Cuts a line to the terminal's width, because a longer one would leave a line behind at each update. */
static void cut(char *line)
{
    struct winsize size;
    int left = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 79;
    while (*line && ((*line & 0xC0) == 0x80 || left-- > 0))
        line++;
    *line = 0;
}

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
    char text[512], line[600];
    TEXT_PRINT(text, sizeof text, format);
    snprintf(line, sizeof line, "%3.0f %%, %.0f s left, %s", fmin(100, 100 * elapsed / expected),
             fmax(expected - elapsed, 0), text);
    if (progress->terminal)
        cut(line);
    fprintf(stderr, progress->terminal ? "\r\033[K%s" : "%s\n", line);
}

void progress_end(struct progress *progress)
{
    if (progress->terminal)
        fputs("\r\033[K", stderr);
    progress->terminal = progress->log = false;
}
