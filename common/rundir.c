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

/* ---- an earlier run's files ---- */

#define FORMAT_LINE "#: format = "
#define FILE_LINE   "#: " RUNDIR_FILE_KEY " = "
#define FOLDER      "patterns/"

/* Names of a directory that a run would write; of the folder any. */
static const char *const names[] = {"summary.txt", "run.json", FOLDER};

/* NAME or patterns/NAME, nothing hidden, no way out of the directory. */
static bool is_plain(const char *name)
{
    name += strncmp(name, FOLDER, strlen(FOLDER)) == 0 ? strlen(FOLDER) : 0;
    return *name && *name != '.' && !strchr(name, '/');
}

static void remove_file(const char *path, const char *name)
{
    struct stat status;
    char *file = text_format("%s/%s", path, name);
    if (file && lstat(file, &status) == 0 && S_ISREG(status.st_mode))
        unlink(file);
    free(file);
}

/* Removes the files that an earlier run listed in its protocol, so that they can't be taken for the new
 * run's. -1 if there is a run.prot that is no protocol. */
static int remove_listed(const char *path)
{
    char *protocol = text_format("%s/run.prot", path), *line = NULL;
    struct stat status;
    bool exists = protocol && stat(protocol, &status) == 0, first = true;
    bool ours = !exists || S_ISREG(status.st_mode); /* a device or a pipe may never end */
    FILE *file = exists && ours ? fopen(protocol, "r") : NULL;
    size_t size = 0;
    while (ours && file && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = 0;
        if (first)
            ours = strncmp(line, FORMAT_LINE, strlen(FORMAT_LINE)) == 0;
        first = false;
        const char *name = line + strlen(FILE_LINE);
        if (strncmp(line, FILE_LINE, strlen(FILE_LINE)) == 0 && is_plain(name))
            remove_file(path, name);
    }
    if (file)
        fclose(file);
    free(line);
    free(protocol);
    return ours ? 0 : -1;
}

/* Removes the plots of an earlier run, those whose script says in its first line that it makes them, so that
 * they can't be taken for the new run's. */
static void remove_plots(const char *path)
{
    char *folder = text_format("%s/plots", path);
    DIR *plots = folder ? opendir(folder) : NULL;
    for (struct dirent *entry = plots ? readdir(plots) : NULL; entry; entry = readdir(plots)) {
        char *script = text_format("%s/%s", folder, entry->d_name), from[64] = "", to[64] = "";
        struct stat status;
        bool plain = script && lstat(script, &status) == 0 && S_ISREG(status.st_mode);
        FILE *file = plain ? fopen(script, "r") : NULL;
        if (file && fscanf(file, RUNDIR_PLOT_LINE("%63s", "%63s"), from, to) == 2 &&
            strcmp(from, entry->d_name) == 0 && strncmp(from, to, strcspn(from, ".") + 1) == 0 &&
            !strchr(to, '/')) {
            remove_file(folder, to);
            remove_file(folder, from);
        }
        if (file)
            fclose(file);
        free(script);
    }
    if (plots)
        closedir(plots);
    if (folder)
        rmdir(folder); /* if nothing else is in it */
    free(folder);
}

/* Refuses what the run would overwrite without having made it. */
static enum exit_status replace(const char *path, struct message *error)
{
    const char *in_the_way = remove_listed(path) ? "run.prot" : NULL;
    for (size_t i = 0; !in_the_way && i < sizeof names / sizeof names[0]; i++) {
        char *name = text_format("%s/%s", path, names[i]);
        if (name && access(name, F_OK) == 0 && !is_empty(name))
            in_the_way = names[i];
        free(name);
    }
    if (!in_the_way) {
        remove_plots(path);
        return EXIT_RATED;
    }
    return EXIT_WITH(EXIT_USAGE, error,
                     "output directory %s: %s is not listed in the protocol of a run there, so it is not "
                     "overwritten: name another directory",
                     path, in_the_way);
}

/* ---- making ---- */

static enum exit_status unusable(const char *path, int cause, struct message *error)
{
    message_set(error, "output directory %s can't be used: %s (--output DIR names another)", path,
                strerror(cause));
    return EXIT_ENVIRONMENT;
}

static enum exit_status make_given(const char *path, bool force, struct message *error)
{
    if (make_parents(path) || (mkdir(path, 0777) && errno != EEXIST))
        return unusable(path, errno, error);
    struct stat status;
    if (stat(path, &status) || !S_ISDIR(status.st_mode))
        return unusable(path, ENOTDIR, error);
    if (access(path, R_OK | W_OK | X_OK))
        return unusable(path, errno, error);
    if (!force && !is_empty(path))
        return EXIT_WITH(EXIT_USAGE, error,
                         "output directory %s exists and is not empty: name another one or give --force",
                         path);
    return force ? replace(path, error) : EXIT_RATED;
}

static enum exit_status make_default(char **directory, const char *program, const char *host,
                                     long long processes, struct message *error)
{
    char date[CLOCK_DATE_SIZE];
    clock_date_in_name(date);
    for (int number = 1; number < 1000; number++) {
        char suffix[8] = "";
        if (number > 1)
            snprintf(suffix, sizeof suffix, "-%d", number);
        free(*directory);
        *directory = text_format("protocols/runs/%s-%s-n%lld-%s%s", program, host, processes, date, suffix);
        if (!*directory || make_parents(*directory))
            return unusable("protocols/runs", errno, error);
        if (mkdir(*directory, 0777) == 0)
            return EXIT_RATED;
        if (errno != EEXIST)
            break;
    }
    return unusable(*directory, errno, error);
}

enum exit_status rundir_make(char **directory, const char *path, bool force, const char *program,
                             const char *host, long long processes, struct message *error)
{
    *directory = path ? strdup(path) : NULL;
    if (!path)
        return make_default(directory, program, host, processes, error);
    if (!*directory)
        return unusable(path, ENOMEM, error);
    for (size_t end = strlen(path); end > 1 && (*directory)[end - 1] == '/'; end--)
        (*directory)[end - 1] = 0;
    return make_given(*directory, force, error);
}

char *rundir_file(const char *directory, const char *name, struct message *error)
{
    char *path = text_format("%s/%s", directory, name);
    char *slash = path ? strchr(path + strlen(directory) + 1, '/') : NULL;
    int failed = !path;
    if (slash) { /* a folder in the directory; the directory itself is not made anew if it vanished */
        *slash = 0;
        failed = mkdir(path, 0777) && errno != EEXIST;
        *slash = '/';
    }
    if (!failed)
        return path;
    message_set(error, "%s/%s can't be created: %s", directory, name, strerror(errno));
    free(path);
    return NULL;
}
