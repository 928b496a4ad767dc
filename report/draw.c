/* Runs gnuplot without a shell. */
#include "report/draw.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/memory.h"
#include "report/assets.h"
#include "report/escape.h"
#include "report/folder.h"

const char *const draw_formats[] = {"svg", "png", "pdf", "eps", NULL};

/* ---- pictures and data ---- */

FILE *draw_data(struct drawing *drawing, const char *name)
{
    array_grow(&drawing->data, drawing->data_count, sizeof *drawing->data);
    struct draw_data *data = &drawing->data[drawing->data_count++];
    snprintf(data->name, sizeof data->name, "%s", name);
    return memory_stream(&data->text, &data->size);
}

struct picture *draw_add(struct drawing *drawing, const char *script, const char *title, ...)
{
    array_grow(&drawing->picture, (size_t)drawing->count, sizeof *drawing->picture);
    struct picture *picture = &drawing->picture[drawing->count++];
    *picture = (struct picture){.script = script};
    snprintf(picture->name, sizeof picture->name, "%s", script);
    TEXT_PRINT(picture->title, sizeof picture->title, title);
    return picture;
}

/* ---- the temporary directory ---- */

static int put(int directory, const char *name, const char *text, size_t size)
{
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool written = fd >= 0 && write(fd, text, size) == (ssize_t)size;
    if (fd >= 0)
        close(fd);
    return written ? 0 : -1;
}

/* Creates the directory with all scripts and data. */
static int make_directory(struct drawing *drawing, struct message *error)
{
    const char *parent = getenv("TMPDIR");
    drawing->directory = text_format("%s/beff_report-XXXXXX", parent && *parent == '/' ? parent : "/tmp");
    bool made = mkdtemp(drawing->directory) != NULL;
    int fd = made ? open(drawing->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int failed = fd < 0 || mkdirat(fd, "patterns", 0700) || mkdirat(fd, "plots", 0700);
    for (const struct asset *script = assets; script->name && !failed; script++) {
        char name[64];
        snprintf(name, sizeof name, "plots/%s", script->name);
        failed = put(fd, name, script->text, strlen(script->text));
    }
    for (size_t i = 0; i < drawing->data_count && !failed; i++)
        failed = put(fd, drawing->data[i].name, drawing->data[i].text, drawing->data[i].size);
    if (failed)
        message_set(error, "cannot create a temporary directory for gnuplot: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return failed ? -1 : 0;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

void draw_close(struct drawing *drawing)
{
    if (drawing->directory)
        nftw(drawing->directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    for (size_t i = 0; i < drawing->data_count; i++)
        free(drawing->data[i].text);
    free(drawing->data);
    free(drawing->directory);
    free(drawing->caption);
    free(drawing->picture);
    *drawing = (struct drawing){0};
}

/* ---- gnuplot ---- */

/* Copies the last line of gnuplot's messages that contains more than spaces and the mark ^. This line states
 * the reason for a failure. */
static void read_reason(FILE *messages, char *reason, size_t size)
{
    char line[256];
    snprintf(reason, size, "it printed no reason");
    rewind(messages);
    while (fgets(line, sizeof line, messages)) {
        line[strcspn(line, "\n")] = 0;
        if (line[strspn(line, " \t^")])
            snprintf(reason, size, "%s", line + strspn(line, " \t"));
    }
}

/* Runs a gnuplot command with empty standard input and with its messages in a temporary file. Returns 0, with
 * a message in `failure` if gnuplot failed; or -1 with a message in `error` if it cannot be started. */
static int run_gnuplot(struct drawing *drawing, char *const *command, struct message *failure,
                       struct message *error)
{
    enum { NOTHING = 2 }; /* exit status of the scripts if there is nothing to draw */
    posix_spawn_file_actions_t files;
    pid_t process;
    int status = 0;
    char reason[256];
    FILE *messages = tmpfile();
    if (!messages)
        return message_set(error, "cannot create a temporary file for gnuplot: %s", strerror(errno));
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, fileno(messages), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, fileno(messages), STDERR_FILENO);
    int failed = posix_spawnp(&process, command[0], &files, NULL, command, environ);
    posix_spawn_file_actions_destroy(&files);
    drawing->no_gnuplot = failed == ENOENT;
    while (!failed && waitpid(process, &status, 0) < 0)
        failed = errno == EINTR ? 0 : errno;
    read_reason(messages, reason, sizeof reason);
    fclose(messages);
    if (drawing->no_gnuplot)
        return message_set(error, "gnuplot is missing: install it to draw plots");
    if (failed)
        return message_set(error, "gnuplot cannot be started: %s", strerror(failed));
    if (!WIFEXITED(status) || (WEXITSTATUS(status) && WEXITSTATUS(status) != NOTHING))
        message_set(failure, "gnuplot cannot draw this plot: %s", reason);
    return 0;
}

/* Returns gnuplot commands that set the variables of plots/style.gp. The caller must free them. */
static char *variables(const struct drawing *drawing, const struct picture *picture,
                       const struct draw_style *style)
{
    char *text;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    fprintf(out, "format='%s'; mono=%d; column=%d; page=%d; yrange=", style->format, style->mono,
            style->column, style->page);
    escape_gnuplot(drawing->yrange, out);
    fputs("; caption=", out);
    escape_gnuplot(picture->title, out);
    for (const char *line = drawing->caption; line && *line;) {
        int length = (int)strcspn(line, "\n");
        char *text_of_line = text_format("%.*s", length, line);
        fputs(".\"\\n\".", out);
        escape_gnuplot(text_of_line, out);
        free(text_of_line);
        line += length + (line[length] == '\n');
    }
    memory_stream_end(out);
    return text;
}

static char *path_of(const struct drawing *drawing, const char *stem, const char *end)
{
    return text_format("%s/plots/%s.%s", drawing->directory, stem, end);
}

static int draw(struct drawing *drawing, struct picture *picture, const struct draw_style *style,
                struct message *error)
{
    char *set = variables(drawing, picture, style), *path = path_of(drawing, picture->name, style->format);
    char *script = path_of(drawing, picture->script, "gp");
    char *directory = text_format("%s%s", drawing->directory, picture->of_runs ? "/plots" : "");
    char *command[] = {"gnuplot", "--default-settings", "-e", set, "-c", script,
                       directory, picture->argument,    NULL};
    struct stat drawn;
    int failed = run_gnuplot(drawing, command, &picture->failure, error);
    picture->drawn = !failed && !*picture->failure.text && stat(path, &drawn) == 0 && drawn.st_size > 0;
    free(set);
    free(path);
    free(script);
    free(directory);
    return failed;
}

int draw_all(struct drawing *drawing, const struct draw_style *style, struct message *error)
{
    int failed = make_directory(drawing, error);
    for (int i = 0; i < drawing->count && !failed; i++)
        failed = draw(drawing, &drawing->picture[i], style, error);
    return failed;
}

/* ---- results ---- */

bool draw_failed(const struct drawing *drawing, struct message *error)
{
    int i = 0;
    while (i < drawing->count && !*drawing->picture[i].failure.text)
        i++;
    if (i < drawing->count)
        message_set(error, "%s: %s", drawing->picture[i].name, drawing->picture[i].failure.text);
    return i < drawing->count;
}

char *draw_read(const struct drawing *drawing, const struct picture *picture, const char *format,
                size_t *size, struct message *error)
{
    char *path = path_of(drawing, picture->name, format), *text = NULL;
    FILE *file = fopen(path, "r");
    struct stat status;
    if (file && fstat(fileno(file), &status) == 0) {
        *size = (size_t)status.st_size;
        text = memory_new(*size + 1, 1, "a plot");
    }
    if (!text || fread(text, 1, *size, file) != *size) {
        message_set(error, "gnuplot's picture cannot be read: %s", strerror(errno));
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    free(path);
    return text;
}

static int save(int folder, const char *stem, const char *end, const char *text, size_t size,
                struct message *error)
{
    char *name = text_format("%s.%s", stem, end);
    int failed = folder_write(folder, name, text, size, error);
    free(name);
    return failed;
}

static int save_script(int folder, const char *stem, struct message *error)
{
    char name[64];
    snprintf(name, sizeof name, "%s.gp", stem);
    const char *text = asset_text(name);
    return save(folder, stem, "gp", text, strlen(text), error);
}

/* Saves the data that the scripts read: data of several runs, and tables of patterns/ that the run's
 * directory does not contain because the run was killed or only its protocol was given. */
static int save_data(const struct drawing *drawing, int folder, struct message *error)
{
    int failed = 0;
    for (size_t i = 0; i < drawing->data_count && !failed; i++) {
        const struct draw_data *data = &drawing->data[i];
        char *own = text_format("../%s", data->name);
        if (strncmp(data->name, "plots/", 6) == 0 || faccessat(folder, own, F_OK, 0))
            failed = folder_write(folder, strchr(data->name, '/') + 1, data->text, data->size, error);
        free(own);
    }
    return failed;
}

int draw_save(const struct drawing *drawing, const struct draw_style *style, const char *folder,
              struct message *error)
{
    int fd = folder_make(folder, error), saved = 0;
    int failed = fd < 0 || save_script(fd, "style", error) || save_data(drawing, fd, error);
    for (int i = 0; i < drawing->count && !failed; i++) {
        const struct picture *picture = &drawing->picture[i];
        size_t size;
        char *text = picture->drawn ? draw_read(drawing, picture, style->format, &size, error) : NULL;
        failed = picture->drawn && (!text || save(fd, picture->name, style->format, text, size, error) ||
                                    save_script(fd, picture->script, error));
        free(text);
        saved += picture->drawn;
    }
    if (fd >= 0)
        close(fd);
    return failed ? -1 : saved;
}
