/* Writing into others' folders. */
#include "report/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int folder_make(const char *path, struct message *error)
{
    if (mkdir(path, 0777) && errno != EEXIST)
        return message_set(error, "%s can't be made: %s", path, strerror(errno));
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0)
        return folder;
    struct stat status;
    bool link = lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
    return message_set(error, "%s can't be written to: %s", path,
                       link ? "it is a symbolic link, which is not followed" : strerror(errno));
}

int folder_start(struct folder_file *file, int folder, const char *name, struct message *error)
{
    *file = (struct folder_file){.folder = folder};
    int fd = -1, length = snprintf(file->name, sizeof file->name, "%s", name);
    errno = ENAMETOOLONG;
    for (int i = 0; length < (int)sizeof file->name && i < 100 && fd < 0; i++) {
        snprintf(file->partial, sizeof file->partial, ".beff-%ld-%d.part", (long)getpid(), i);
        fd = openat(folder, file->partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    file->out = fd < 0 ? NULL : fdopen(fd, "w");
    if (file->out)
        return 0;
    if (fd >= 0) {
        close(fd);
        unlinkat(folder, file->partial, 0);
    }
    return message_set(error, "%.200s can't be written: %s", name, strerror(errno));
}

int folder_finish(struct folder_file *file, int keep, struct message *error)
{
    int failed = fflush(file->out) || ferror(file->out), cause = errno;
    if (fclose(file->out) && !failed) {
        failed = -1;
        cause = errno;
    }
    if (keep && !failed && renameat(file->folder, file->partial, file->folder, file->name) == 0)
        return 0;
    cause = failed ? cause : errno;
    unlinkat(file->folder, file->partial, 0);
    return keep ? message_set(error, "%s can't be written: %s", file->name, strerror(cause)) : 0;
}

int folder_copy(int folder, const char *name, const char *from, struct message *error)
{
    struct folder_file file;
    char block[4096];
    FILE *in = fopen(from, "r");
    if (!in)
        return message_set(error, "%s can't be read: %s", from, strerror(errno));
    int failed = folder_start(&file, folder, name, error);
    for (size_t n; !failed && (n = fread(block, 1, sizeof block, in)) > 0;)
        fwrite(block, 1, n, file.out);
    int whole = !ferror(in);
    fclose(in);
    if (failed || folder_finish(&file, whole, error))
        return -1;
    return whole ? 0 : message_set(error, "%s can't be read", from);
}
