/* Scratch directories, by the *at() calls, so that no name is looked up twice. */
#include "beff_io/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/sysinfo.h"

#define MARK ".owner"
#define KEPT ".kept" /* the mark's name where files were kept on purpose */
#define MARK_FORMAT(name, host, boot, numbering)                                                             \
    "beff scratch directory\nname " name "\nhost " host "\nboot " boot "\nnumbering " numbering              \
    "\nprocess %ld\nstarted %llu\n"

enum { MARK_SIZE = 768, MARK_FIELDS = 6 };

void scratch_name(const char *program, char name[SCRATCH_NAME_SIZE])
{
    struct sysinfo_process self;
    char date[CLOCK_DATE_SIZE];
    sysinfo_self(&self);
    clock_date_in_name(date);
    snprintf(name, SCRATCH_NAME_SIZE, "%s.scratch.%s-%ld-%s", program, self.host, self.number, date);
}

/* ---- the mark ---- */

struct mark {
    char name[SCRATCH_NAME_SIZE];
    struct sysinfo_process owner;
};

static int write_mark(int directory, const char *name)
{
    char text[MARK_SIZE];
    struct sysinfo_process self;
    sysinfo_self(&self);
    snprintf(text, sizeof text, MARK_FORMAT("%s", "%s", "%s", "%s"), name, self.host, self.boot,
             self.numbering, self.number, self.started);
    int file = openat(directory, MARK, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return -1;
    size_t size = strlen(text);
    int failed = write(file, text, size) != (ssize_t)size;
    return close(file) || failed ? -1 : 0;
}

static int read_mark(int directory, struct mark *mark)
{
    char text[MARK_SIZE] = "";
    struct stat status;
    int file = openat(directory, MARK, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return -1;
    bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
    ssize_t size = regular ? read(file, text, sizeof text - 1) : -1;
    close(file);
    return size > 0 && sscanf(text, MARK_FORMAT("%255s", "%79s", "%63s", "%63s"), mark->name,
                              mark->owner.host, mark->owner.boot, mark->owner.numbering, &mark->owner.number,
                              &mark->owner.started) == MARK_FIELDS
               ? 0
               : -1;
}

static int open_directory(int at, const char *name)
{
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* ---- making ---- */

static int unusable(const char *path, int cause, struct message *error)
{
    if (cause == EEXIST)
        return message_set(error, "%s exists and is not ours: left alone", path);
    return message_set(error, "can't create scratch files in %s: %s (--path DIR names another place)", path,
                       strerror(cause));
}

/* Waits briefly for the mark of the process that made the directory. */
static bool is_of_this_run(const char *path, const char *name)
{
    for (int tries = 0; tries < 50; tries++) {
        struct mark mark;
        int directory = open_directory(AT_FDCWD, path);
        if (directory < 0)
            return false;
        int failed = read_mark(directory, &mark);
        close(directory);
        if (!failed)
            return strcmp(mark.name, name) == 0;
        usleep(20000);
    }
    return false;
}

int scratch_make(struct scratch *scratch, const char *parent, const char *name, bool shared,
                 struct message *error)
{
    *scratch = (struct scratch){0};
    char *path = text_format("%s/%s", parent, name);
    if (!path)
        return unusable(parent, ENOMEM, error);
    int cause = mkdir(path, 0700) ? errno : 0;
    if (cause == EEXIST && shared && is_of_this_run(path, name)) {
        *scratch = (struct scratch){path, true};
        return 0;
    }
    if (cause) {
        unusable(cause == EEXIST ? path : parent, cause, error);
        free(path);
        return -1;
    }
    *scratch = (struct scratch){.path = path};
    int directory = open_directory(AT_FDCWD, path);
    if (directory < 0 || write_mark(directory, name)) {
        unusable(path, errno, error);
        if (directory >= 0)
            close(directory);
        struct message ignored;
        scratch_remove(scratch, &ignored);
        scratch_free(scratch);
        return -1;
    }
    close(directory);
    return 0;
}

int scratch_directory(const struct scratch *scratch, int64_t processes, struct message *error)
{
    char *path = text_format("%s/n%" PRId64, scratch->path, processes);
    int cause = !path ? ENOMEM : mkdir(path, 0700) && errno != EEXIST ? errno : 0;
    free(path);
    return cause ? unusable(scratch->path, cause, error) : 0;
}

void scratch_free(struct scratch *scratch)
{
    free(scratch->path);
    *scratch = (struct scratch){0};
}

/* ---- removing ---- */

/* 0, or why it is still there. */
static int remove_entry(int directory, const char *name, int flags)
{
    return unlinkat(directory, name, flags) == 0 || errno == ENOENT ? 0 : errno;
}

/* Removes the regular files in a directory, and so many levels of directories in it, but leaves the mark.
 * Takes the open directory over. 0, or why not all of it could be removed. */
static int remove_content(int directory, int levels)
{
    DIR *entries = directory < 0 ? NULL : fdopendir(directory);
    struct stat status;
    int failure = entries ? 0 : errno;
    if (!entries && directory >= 0)
        close(directory);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        const char *name = entry->d_name;
        int error = ENOTEMPTY;
        if (strspn(name, ".") == strlen(name) || strcmp(name, MARK) == 0)
            continue;
        if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW))
            error = errno == ENOENT ? 0 : errno;
        else if (S_ISREG(status.st_mode))
            error = remove_entry(directory, name, 0);
        else if (S_ISDIR(status.st_mode) && levels > 0) {
            int inside = remove_content(open_directory(directory, name), levels - 1);
            error = remove_entry(directory, name, AT_REMOVEDIR);
            error = error && inside ? inside : error;
        }
        failure = failure ? failure : error;
    }
    if (entries)
        closedir(entries);
    return failure;
}

/* The mark last, so that a removal that was interrupted, or met a server that was away, can be resumed. */
static int remove_path(const char *path, struct message *error)
{
    int directory = open_directory(AT_FDCWD, path), failure = 0;
    if (directory >= 0) {
        failure = remove_content(dup(directory), 1);
        if (!failure)
            unlinkat(directory, MARK, 0);
        close(directory);
    }
    if (rmdir(path) && errno != ENOENT)
        return message_set(error, "can't remove %s: %s", path, strerror(failure ? failure : errno));
    return 0;
}

int scratch_remove(const struct scratch *scratch, struct message *error)
{
    return scratch->path && !scratch->shared ? remove_path(scratch->path, error) : 0;
}

void scratch_keep(const struct scratch *scratch)
{
    int directory = scratch->path && !scratch->shared ? open_directory(AT_FDCWD, scratch->path) : -1;
    if (directory < 0)
        return;
    renameat(directory, MARK, directory, KEPT);
    close(directory);
}

/* ---- leftovers ---- */

static void look_at_leftover(const char *path, const char *name, bool elsewhere, struct texts *lines)
{
    struct mark mark;
    struct message error;
    int directory = open_directory(AT_FDCWD, path);
    if (directory < 0)
        return;
    bool marked = read_mark(directory, &mark) == 0 && strcmp(mark.name, name) == 0;
    bool kept = faccessat(directory, KEPT, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    close(directory);
    /* On another host, before the last boot, or in another container whether it still runs is unknown. */
    bool here = marked && sysinfo_is_here(&mark.owner);
    if (kept || (here && clock_process_start(mark.owner.number) == mark.owner.started))
        return;
    if (!marked)
        texts_add(lines, "%.300s looks like a leftover, but has no mark of ours: left alone", path);
    else if (!here && !elsewhere)
        texts_add(lines,
                  "%.300s may be a leftover of a run on %s: left alone (--remove-leftovers removes it)", path,
                  mark.owner.host);
    else if (remove_path(path, &error))
        texts_add(lines, "leftover of an earlier run: %.300s", error.text);
    else
        texts_add(lines, "leftover of an earlier run removed: %.300s", path);
}

void scratch_leftovers(const char *parent, const char *program, bool elsewhere, struct texts *lines)
{
    char prefix[64];
    DIR *entries = opendir(parent);
    int length = snprintf(prefix, sizeof prefix, "%s.scratch.", program);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (strncmp(entry->d_name, prefix, (size_t)length) != 0)
            continue;
        char *path = text_format("%s/%s", parent, entry->d_name);
        if (path)
            look_at_leftover(path, entry->d_name, elsewhere, lines);
        free(path);
    }
    if (entries)
        closedir(entries);
}
