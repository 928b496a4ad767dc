/* Calling gnuplot. Its script and its messages go through files without names: it can't wait for us, nor we
 * for it. Uses the C library alone. */
#include "plots/gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int start(FILE *script, FILE *out, FILE *messages, pid_t *process)
{
    char *const command[] = {"gnuplot", "--default-settings", "-", NULL};
    posix_spawn_file_actions_t files;
    int failed = posix_spawn_file_actions_init(&files);
    if (failed)
        return failed;
    failed = posix_spawn_file_actions_adddup2(&files, fileno(script), STDIN_FILENO);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(&files, fileno(out), STDOUT_FILENO);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(&files, fileno(messages), STDERR_FILENO);
    failed = failed ? failed : posix_spawnp(process, command[0], &files, NULL, command, environ);
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

/* The line of gnuplot's messages that tells the reason: the last one that is not empty. */
static void read_reason(FILE *messages, char *reason, size_t size)
{
    char line[256];
    snprintf(reason, size, "it says nothing");
    rewind(messages);
    while (fgets(line, sizeof line, messages)) {
        line[strcspn(line, "\n")] = 0;
        if (line[strspn(line, " \t^")])
            snprintf(reason, size, "%s", line + strspn(line, " \t"));
    }
}

static enum gnuplot_status finish(pid_t process, FILE *out, FILE *messages, struct message *error)
{
    int status;
    char reason[256];
    struct stat drawn;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR) {
            message_set(error, "gnuplot was lost: %s", strerror(errno));
            return GNUPLOT_FAILED;
        }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) { /* older C libraries tell a missing program so */
        message_set(error, "gnuplot is missing: install it to draw plots");
        return GNUPLOT_MISSING;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && fstat(fileno(out), &drawn) == 0 && drawn.st_size > 0)
        return GNUPLOT_OK;
    read_reason(messages, reason, sizeof reason);
    message_set(error, "gnuplot can't draw it: %s", reason);
    return GNUPLOT_FAILED;
}

enum gnuplot_status gnuplot_draw(FILE *script, FILE *out, struct message *error)
{
    pid_t process;
    FILE *messages = tmpfile();
    if (!messages || fflush(script) || fseek(script, 0, SEEK_SET) || lseek(fileno(script), 0, SEEK_SET)) {
        message_set(error, "no temporary file for gnuplot: %s", strerror(errno));
        if (messages)
            fclose(messages);
        return GNUPLOT_FAILED;
    }
    int failed = start(script, out, messages, &process);
    enum gnuplot_status status = GNUPLOT_FAILED;
    if (failed == ENOENT) {
        message_set(error, "gnuplot is missing: install it to draw plots");
        status = GNUPLOT_MISSING;
    } else if (failed) {
        message_set(error, "gnuplot can't be started: %s", strerror(failed));
    } else {
        status = finish(process, out, messages, error);
    }
    fclose(messages);
    return status;
}
