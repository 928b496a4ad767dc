/* The directory of one run. Uses text, clock. */
#include "common/rundir.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"

/* mkdir -p for everything before the last slash of `path`. */
static int make_parents(const char *path)
{
    char *copy = strdup(path);
    int failed = copy ? 0 : -1;
    for (char *slash = copy && *copy ? strchr(copy + 1, '/') : NULL; slash && !failed;
         slash = strchr(slash + 1, '/')) {
        *slash = 0;
        failed = mkdir(copy, 0777) && errno != EEXIST ? -1 : 0;
        *slash = '/';
    }
    free(copy);
    return failed;
}

static bool is_empty(const char *path)
{
    DIR *directory = opendir(path);
    int entries = 0;
    while (directory && entries < 3 && readdir(directory))
        entries++;
    if (directory)
        closedir(directory);
    return entries == 2; /* "." and ".." */
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), end_length = strlen(end);
    return length > end_length && strcmp(name + length - end_length, end) == 0;
}

/* Removes what an earlier run left, so that it can't be taken for the new run's: its results, if the new run
 * is cut short, and tables of patterns that the new run does not have. */
static void remove_old_results(const char *path)
{
    static const char *const folders[] = {"patterns", "plots"};
    static const char *const files[] = {"summary.txt", "run.json"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char *file = text_format("%s/%s", path, files[i]);
        if (file)
            unlink(file);
        free(file);
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char *folder = text_format("%s/%s", path, folders[i]);
        DIR *directory = folder ? opendir(folder) : NULL;
        for (struct dirent *entry; directory && (entry = readdir(directory));)
            if (ends_with(entry->d_name, ".dat") || ends_with(entry->d_name, ".svg"))
                unlinkat(dirfd(directory), entry->d_name, 0);
        if (directory)
            closedir(directory);
        free(folder);
    }
}

static enum rundir_status unusable(const char *path, int cause, struct message *error)
{
    message_set(error, "output directory %s can't be used: %s", path, strerror(cause));
    return RUNDIR_UNUSABLE;
}

static enum rundir_status make_given(const char *path, bool force, struct message *error)
{
    if (make_parents(path))
        return unusable(path, errno, error);
    if (mkdir(path, 0777) && errno != EEXIST)
        return unusable(path, errno, error);
    struct stat status;
    if (stat(path, &status) || !S_ISDIR(status.st_mode))
        return unusable(path, ENOTDIR, error);
    if (access(path, R_OK | W_OK | X_OK))
        return unusable(path, errno, error);
    if (!force && !is_empty(path)) {
        message_set(error, "output directory %s exists and is not empty: name another one or give --force",
                    path);
        return RUNDIR_EXISTS;
    }
    if (force)
        remove_old_results(path);
    return RUNDIR_OK;
}

static enum rundir_status make_default(struct rundir *directory, const char *program, const char *host,
                                       long long processes, struct message *error)
{
    char date[CLOCK_DATE_SIZE];
    clock_date(date);
    for (char *c = date; *c; c++)
        if (*c == ':')
            *c = '-'; /* make and other tools stumble over colons in names */
    for (int number = 1; number < 1000; number++) {
        char suffix[8] = "";
        if (number > 1)
            snprintf(suffix, sizeof suffix, "-%d", number);
        free(directory->path);
        directory->path =
            text_format("protocols/runs/%s-%s-n%lld-%s%s", program, host, processes, date, suffix);
        if (!directory->path || make_parents(directory->path))
            return unusable("protocols/runs", errno, error);
        if (mkdir(directory->path, 0777) == 0)
            return RUNDIR_OK;
        if (errno != EEXIST)
            break;
    }
    return unusable(directory->path, errno, error);
}

enum rundir_status rundir_make(struct rundir *directory, const char *path, bool force, const char *program,
                               const char *host, long long processes, struct message *error)
{
    *directory = (struct rundir){.replace = force};
    if (!path)
        return make_default(directory, program, host, processes, error);
    directory->path = strdup(path);
    if (!directory->path)
        return unusable(path, ENOMEM, error);
    for (size_t end = strlen(path); end > 1 && directory->path[end - 1] == '/'; end--)
        directory->path[end - 1] = 0;
    return make_given(directory->path, force, error);
}

char *rundir_file(const struct rundir *directory, const char *name, struct message *error)
{
    char *path = text_format("%s/%s", directory->path, name);
    char *slash = path ? strchr(path + strlen(directory->path) + 1, '/') : NULL;
    int failed = !path;
    if (slash) { /* a folder in the directory; the directory itself is not made anew if it vanished */
        *slash = 0;
        failed = mkdir(path, 0777) && errno != EEXIST;
        *slash = '/';
    }
    if (!failed)
        return path;
    message_set(error, "%s/%s can't be created: %s", directory->path, name, strerror(errno));
    free(path);
    return NULL;
}

void rundir_free(struct rundir *directory)
{
    free(directory->path);
    *directory = (struct rundir){0};
}
