/* Drawing into files and memory, by gnuplot, without a shell. Its script and its messages go through files
 * without names: it can't wait for us, nor we for it. Uses script. */
#include "report/draw.h"

#include "report/escape.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- gnuplot ---- */

extern char **environ;

static int start(FILE *script, FILE *out, FILE *messages, pid_t *process)
{
    char *const command[] = {"gnuplot", "--default-settings", "-", NULL};
    posix_spawn_file_actions_t files;
    int failed = posix_spawn_file_actions_init(&files);
    if (failed)
        return failed;
    failed = posix_spawn_file_actions_adddup2(&files, fileno(script), STDIN_FILENO) ||
                     posix_spawn_file_actions_adddup2(&files, fileno(out), STDOUT_FILENO) ||
                     posix_spawn_file_actions_adddup2(&files, fileno(messages), STDERR_FILENO)
                 ? ENOMEM
                 : posix_spawnp(process, command[0], &files, NULL, command, environ);
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

/* Draws a script to `out`, an empty file. The user's own settings (gnuplotrc) are not read. `missing` is set
 * if there is no gnuplot. 0, or -1 with one line. */
static int run_gnuplot(FILE *script, FILE *out, bool *missing, struct message *error)
{
    pid_t process;
    int status = 0;
    char reason[256];
    struct stat drawn;
    FILE *messages = tmpfile();
    *missing = false;
    if (!messages || fflush(script) || fseek(script, 0, SEEK_SET) || lseek(fileno(script), 0, SEEK_SET)) {
        message_set(error, "no temporary file for gnuplot: %s", strerror(errno));
        if (messages)
            fclose(messages);
        return -1;
    }
    int failed = start(script, out, messages, &process);
    while (!failed && waitpid(process, &status, 0) < 0)
        failed = errno == EINTR ? 0 : errno;
    /* Older C libraries start a child that says it. */
    *missing = failed == ENOENT || (!failed && WIFEXITED(status) && WEXITSTATUS(status) == 127);
    read_reason(messages, reason, sizeof reason);
    fclose(messages);
    if (*missing)
        return message_set(error, "gnuplot is missing: install it to draw plots");
    if (failed)
        return message_set(error, "gnuplot can't be started: %s", strerror(failed));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || fstat(fileno(out), &drawn) || !drawn.st_size)
        return message_set(error, "gnuplot can't draw it: %s", reason);
    return 0;
}

/* ---- figures ---- */

static FILE *create(const char *folder, const char *name, const char *end, char **path, struct message *error)
{
    *path = text_format("%s/%s.%s", folder, name, end);
    FILE *file = *path ? fopen(*path, "w+") : NULL;
    if (!file)
        message_set(error, "%s can't be written: %s", *path ? *path : name, strerror(errno));
    return file;
}

/* What the picture does not say where it has no room for words. */
static void put_caption(const struct figure *figure, FILE *script)
{
    char caption[1000];
    snprintf(caption, sizeof caption, "%s. %s%s%s", figure->title, figure->subtitle,
             *figure->note ? ". " : "", figure->note);
    fputs("caption = ", script);
    escape_gnuplot(caption, script);
    fputc('\n', script);
}

static int draw_file(const struct figure *figure, const struct script_style *style, const char *folder,
                     struct message *error)
{
    char *script_path, *path = NULL;
    FILE *script = create(folder, figure->name, "gp", &script_path, error);
    FILE *out = script ? create(folder, figure->name, script_formats[style->format], &path, error) : NULL;
    bool missing;
    int failed = -1;
    if (out) {
        fprintf(script, "# gnuplot %s.gp > %s.%s\n", figure->name, figure->name,
                script_formats[style->format]);
        put_caption(figure, script);
        script_write(figure, style, script);
        failed = run_gnuplot(script, out, &missing, error);
        if (fclose(out) && !failed)
            failed = message_set(error, "%s can't be written: %s", path, strerror(errno));
        if (failed)
            unlink(path); /* no half a picture */
    }
    if (script)
        fclose(script);
    free(script_path);
    free(path);
    return failed;
}

int draw_files(const struct figure_list *figures, const struct script_style *style, const char *folder,
               struct message *error)
{
    if (mkdir(folder, 0777) && errno != EEXIST)
        return message_set(error, "%s can't be made: %s", folder, strerror(errno));
    for (int i = 0; i < figures->count; i++)
        if (draw_file(&figures->figure[i], style, folder, error))
            return -1;
    return 0;
}

static char *read_all(FILE *file)
{
    long size = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    rewind(file);
    if (text)
        text[fread(text, 1, (size_t)size, file)] = 0;
    return text;
}

char *draw_svg(const struct figure *figure, const struct script_style *style, bool *missing,
               struct message *error)
{
    FILE *script = tmpfile(), *out = tmpfile();
    char *svg = NULL;
    if (script && out) {
        script_write(figure, style, script);
        if (run_gnuplot(script, out, missing, error) == 0 && !(svg = read_all(out)))
            message_set(error, "out of memory for a plot");
    } else {
        message_set(error, "no temporary file for gnuplot: %s", strerror(errno));
    }
    if (script)
        fclose(script);
    if (out)
        fclose(out);
    return svg;
}
