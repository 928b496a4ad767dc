/* Tests that a progress line fits into the terminal. */
#include "common/progress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "tests/unit.h"

/* Shows a text on a terminal with this many columns (0: on a pipe), and returns what was shown. */
static void show(unsigned short columns, const char *text, char *shown, size_t size)
{
    int ends[2], kept = dup(STDERR_FILENO);
    if (columns) {
        ends[0] = posix_openpt(O_RDWR | O_NOCTTY);
        assert_int_equal(grantpt(ends[0]) || unlockpt(ends[0]), 0);
        ends[1] = open(ptsname(ends[0]), O_RDWR | O_NOCTTY);
        assert_int_equal(ioctl(ends[1], TIOCSWINSZ, &(struct winsize){.ws_row = 24, .ws_col = columns}), 0);
    } else {
        assert_int_equal(pipe(ends), 0);
    }
    struct progress progress;
    dup2(ends[1], STDERR_FILENO);
    progress_start(&progress, PROGRESS_LINE);
    progress_show(&progress, 1, 4, "%s", text);
    dup2(kept, STDERR_FILENO);
    ssize_t length = read(ends[0], shown, size - 1);
    shown[length > 0 ? length : 0] = 0;
    close(kept);
    close(ends[0]);
    close(ends[1]);
}

TEST(cuts_the_line_to_the_width_of_the_terminal)
{
    char text[201], shown[256];
    memset(text, 'x', 200);
    text[200] = 0;
    show(40, text, shown, sizeof shown);
    assert_string_equal(shown, "\r\033[K 25 %, 3 s left, xxxxxxxxxxxxxxxxxxxxxx"); /* 39 characters */
    show(0, text, shown, sizeof shown);
    assert_int_equal(strlen(shown), strlen("\r\033[K") + 79);
    show(22, "\u00e4\u00f6\u00fc\u00df\u20ac", shown, sizeof shown);
    assert_string_equal(shown, "\r\033[K 25 %, 3 s left, \u00e4\u00f6\u00fc\u00df");
}
