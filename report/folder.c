#include "report/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int folder_make(const char *path, struct message *error)
{
    if (mkdir(path, 0777) && errno != EEXIST)
        return message_set(error, "%s cannot be created: %s", path, strerror(errno));
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0)
        return folder;
    struct stat status;
    bool link = lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
    return message_set(error, "%s cannot be written to: %s", path,
                       link ? "symbolic links are not followed" : strerror(errno));
}

int folder_write(int folder, const char *name, const char *text, size_t size, struct message *error)
{
    char partial[40];
    int fd = -1;
    for (int i = 0; i < 100 && fd < 0; i++) {
        snprintf(partial, sizeof partial, ".beff-%ld-%d.part", (long)getpid(), i);
        fd = openat(folder, partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    bool written = out && fwrite(text, 1, size, out) == size && fflush(out) == 0;
    if (out && fclose(out) == 0 && written && renameat(folder, partial, folder, name) == 0)
        return 0;
    int cause = errno;
    if (fd >= 0)
        unlinkat(folder, partial, 0);
    return message_set(error, "%.200s cannot be written: %s", name, strerror(cause));
}
