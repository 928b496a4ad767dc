#include "beff_io/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/clock.h"

#define PREFIX "beff_io.scratch."

void scratch_name(const char *host, char name[SCRATCH_NAME_SIZE])
{
    char date[CLOCK_DATE_SIZE];
    clock_date_in_name(date);
    snprintf(name, SCRATCH_NAME_SIZE, PREFIX "%s-%ld-%s", host, (long)getpid(), date);
}

/* Number of characters of a path that fit into a message. */
enum { SHOWN = 180 };

const char *scratch_shown(const char *path)
{
    size_t length = strlen(path);
    return length <= SHOWN ? path : path + length - SHOWN;
}

/* ---- making ---- */

/* Maximum length of a file's name in the directory, with the part that an MPI library adds to it. */
enum { NAME = 64 };

/* Returns true if `path` is a directory (not a link to a directory) that belongs to this user. */
static bool is_own_directory(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

int scratch_make(struct scratch *scratch, const char *parent, const char *name, bool shared,
                 struct message *error)
{
    char *path = text_format("%s/%s", parent, name);
    scratch->path = path; /* from now on, the last resort removes the directory */
    int cause = strlen(path) + NAME > PATH_MAX ? ENAMETOOLONG : mkdir(path, 0700) ? errno : 0;
    scratch->made = cause == 0;
    if (cause == 0 || (cause == EEXIST && shared && is_own_directory(path)))
        return 0;
    if (cause == EEXIST)
        message_set(error, "%s already exists and is not a directory of this run", scratch_shown(path));
    else
        message_set(error, "cannot create a directory in %s: %s; use --path to name another directory",
                    scratch_shown(parent), strerror(cause));
    scratch_free(scratch);
    return -1;
}

void scratch_file(const char *directory, int64_t processes, enum io_type type, int rank, char *path,
                  size_t size)
{
    int length = snprintf(path, size, "%s/n%" PRId64 ".%s", directory, processes, io_type_names[type]);
    if (type == TYPE_SEPARATED && (size_t)length < size)
        snprintf(path + length, size - (size_t)length, ".%06d", rank);
}

void scratch_free(struct scratch *scratch)
{
    free(scratch->path);
    *scratch = (struct scratch){0};
}

/* ---- removing ---- */

/* Returns true if scratch_file() creates this name, or if an MPI library derives it from such a name. */
static bool is_ours(const char *name)
{
    name += *name == '.';
    size_t digits = *name == 'n' ? strspn(name + 1, "0123456789") : 0;
    for (int t = 0; t < IO_TYPES && digits && name[1 + digits] == '.'; t++)
        if (strncmp(name + digits + 2, io_type_names[t], strlen(io_type_names[t])) == 0)
            return true;
    return false;
}

/* Removes the run's files in an open directory, and counts them in `removed`. Returns 0, or the errno of the
 * first file that could not be removed. glibc has getdents64() only since 2.30. */
static int clear(int directory, int *removed)
{
    _Alignas(struct dirent) char entries[4096];
    long size;
    int failure = 0;
    lseek(directory, 0, SEEK_SET);
    while ((size = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0)
        for (const char *at = entries; at < entries + size;) {
            const struct dirent *entry = (const void *)at;
            bool ours = is_ours(entry->d_name), gone = ours && unlinkat(directory, entry->d_name, 0) == 0;
            *removed += gone;
            if (ours && !gone && errno != ENOENT && !failure)
                failure = errno;
            at += entry->d_reclen;
        }
    return size < 0 ? errno : failure;
}

/* Repeats its work while there are files to remove, because another process may create one until it finds
 * that the directory is gone. */
int scratch_clear(const char *path)
{
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int failure = directory < 0 ? errno : 0, left, removed;
    do {
        removed = 0;
        if (directory >= 0)
            failure = clear(directory, &removed);
        left = rmdir(path) && errno != ENOENT ? errno : 0;
    } while (left && removed);
    if (directory >= 0)
        close(directory);
    return left && failure ? failure : left;
}

int scratch_remove(const struct scratch *scratch, struct message *error)
{
    int cause = scratch->made ? scratch_clear(scratch->path) : 0;
    if (cause == 0)
        return 0;
    return message_set(error, "cannot remove %s: %s", scratch_shown(scratch->path),
                       cause == ENOTEMPTY || cause == EEXIST
                           ? "it contains files that this run did not create"
                           : strerror(cause));
}

/* ---- leftovers ---- */

void scratch_leftovers(const char *parent, struct texts *lines)
{
    DIR *entries = opendir(parent);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0)
            continue;
        char *path = text_format("%s/%s", parent, entry->d_name);
        char *command = text_command(3, (char *[]){"rm", "-r", path});
        if (is_own_directory(path))
            texts_add(lines, "found files of another run; if it has ended, remove them with: %s", command);
        free(command);
        free(path);
    }
    if (entries)
        closedir(entries);
}
