#include "common/rundir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/memory.h"

/* Returns true if a name in the path, or the path of a file in the directory, is too long for Linux. */
static bool is_too_long(const char *path)
{
    enum { FILE_NAME_SIZE = 96 }; /* "/patterns/NAME.dat" */
    size_t longest = 0, length;
    for (const char *name = path; *name; name += length + (name[length] == '/')) {
        length = strcspn(name, "/");
        longest = length > longest ? length : longest;
    }
    return longest > NAME_MAX || strlen(path) + FILE_NAME_SIZE > PATH_MAX;
}

/* Creates all directories before the last slash of `path`; none if the path is too long. */
static int make_parents(const char *path)
{
    if (is_too_long(path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    char *copy = memory_text(path);
    int failed = 0;
    for (char *slash = *copy ? strchr(copy + 1, '/') : NULL; slash && !failed;
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

/* Returns true if a run, beff_plot or make rate creates a file (or a folder) with this name. */
static bool is_known(const char *name, bool folder)
{
    static const char *const folders[] = {"patterns", "plots", NULL};
    static const char *const files[] = {"run.prot",       "summary.txt", "run.json",    "page.html",
                                        "patterns/*.dat", "plots/*.svg", "plots/*.png", "plots/*.pdf",
                                        "plots/*.eps",    NULL};
    const char *const *pattern = folder ? folders : files;
    while (*pattern && fnmatch(*pattern, name, FNM_PERIOD | FNM_PATHNAME) != 0)
        pattern++;
    return *pattern;
}

/* Checks that a directory contains only files of a run, and removes them if `remove` is true. Symbolic links
 * are not followed. Returns 0, or -1 with, in `culprit`, the name of a file that does not belong to a run or
 * cannot be removed. */
static int visit(char *path, bool remove, struct message *culprit)
{
    FTS *tree = fts_open((char *[]){path, NULL}, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    int failed = tree ? 0 : -1;
    for (FTSENT *entry; !failed && (entry = fts_read(tree));) {
        if (entry->fts_level == FTS_ROOTLEVEL)
            continue;
        bool folder = entry->fts_info == FTS_D || entry->fts_info == FTS_DP;
        const char *name = entry->fts_path + strlen(path) + 1;
        message_set(culprit, "%s", name);
        if (!is_known(name, folder) || !(folder || entry->fts_info == FTS_F))
            failed = -1;
        else if (remove && entry->fts_info != FTS_D)
            failed = folder ? rmdir(entry->fts_path) : unlink(entry->fts_path);
    }
    int cause = errno;
    if (tree)
        fts_close(tree);
    errno = cause;
    return failed;
}

/* Returns true if run.prot is a protocol, or is empty, as after a run whose file system was full. */
static bool has_protocol(int directory)
{
    char start[sizeof FORMAT_LINE] = "";
    int file = openat(directory, "run.prot", O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    ssize_t size = file < 0 ? -1 : read(file, start, sizeof start - 1);
    if (file >= 0)
        close(file);
    return size == 0 || strcmp(start, FORMAT_LINE) == 0;
}

static enum exit_status replace(const struct rundir *dir, struct message *error)
{
    struct message culprit = {"no run.prot of a run"};
    if (!is_empty(dir->path) && (!has_protocol(dir->lock) || visit(dir->path, false, &culprit)))
        return EXIT_WITH(EXIT_USAGE, error,
                         "output directory %s is not just the directory of an earlier run (it contains "
                         "%s): nothing was removed; choose another directory",
                         dir->path, culprit.text);
    if (visit(dir->path, true, &culprit))
        return EXIT_WITH(EXIT_ENVIRONMENT, error, "%s/%s cannot be removed: %s", dir->path, culprit.text,
                         strerror(errno));
    return EXIT_OK;
}

/* ---- making ---- */

static enum exit_status unusable(const char *path, int cause, struct message *error)
{
    message_set(error, "output directory %s cannot be used: %s; choose another one with --output DIR", path,
                strerror(cause));
    return EXIT_ENVIRONMENT;
}

/* Locks the directory against other runs until rundir_free(), if the file system has locks. */
static enum exit_status lock(struct rundir *dir, struct message *error)
{
    dir->lock = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir->lock < 0)
        return unusable(dir->path, errno, error);
    if (flock(dir->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return EXIT_WITH(EXIT_USAGE, error,
                         "output directory %s is in use by another run: choose another one", dir->path);
    return EXIT_OK;
}

static enum exit_status make_default(struct rundir *dir, const char *program, const char *host,
                                     long long processes, struct message *error)
{
    char date[CLOCK_DATE_SIZE];
    clock_date_in_name(date);
    for (int number = 1; number < 1000; number++) {
        char suffix[8] = "";
        if (number > 1)
            snprintf(suffix, sizeof suffix, "-%d", number);
        free(dir->path);
        dir->path = text_format("protocols/runs/%s-%s-n%lld-%s%s", program, host, processes, date, suffix);
        if (make_parents(dir->path))
            return unusable("protocols/runs", errno, error);
        if (mkdir(dir->path, 0777) == 0)
            return lock(dir, error);
        if (errno != EEXIST)
            break;
    }
    return unusable(dir->path, errno, error);
}

enum exit_status rundir_make(struct rundir *dir, const char *path, bool force, const char *program,
                             const char *host, long long processes, struct message *error)
{
    *dir = (struct rundir){.path = path ? memory_text(path) : NULL, .lock = -1};
    if (!path)
        return make_default(dir, program, host, processes, error);
    for (size_t end = strlen(path); end > 1 && dir->path[end - 1] == '/'; end--)
        dir->path[end - 1] = 0;
    if (make_parents(dir->path) || (mkdir(dir->path, 0777) && errno != EEXIST))
        return unusable(dir->path, errno, error);
    enum exit_status locked = lock(dir, error);
    if (locked != EXIT_OK)
        return locked;
    if (access(dir->path, R_OK | W_OK | X_OK))
        return unusable(dir->path, errno, error);
    if (!force && !is_empty(dir->path))
        return EXIT_WITH(EXIT_USAGE, error,
                         "output directory %s is not empty: choose another one, or use --force to replace an "
                         "earlier run",
                         dir->path);
    return force ? replace(dir, error) : EXIT_OK;
}

void rundir_free(struct rundir *dir)
{
    if (dir->lock >= 0)
        close(dir->lock);
    free(dir->path);
}
