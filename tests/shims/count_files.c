/* LD_PRELOAD: counts the sent messages and the collective calls of a process, and its file operations on some
 * paths. At the end, writes a line of `name number` pairs to COUNT_FILE.<rank>. Uses MPI's profiling
 * interface, and replaces functions of the C library.
 *
 *   COUNT_BELOW  only paths that contain this text are counted; default: all
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPENS, UNLINKS, MAKES, STATS, READS, POINTS, COLLECTIVES, KINDS };
static const char *const names[] = {"open", "unlink", "mkdir", "stat", "readdir", "message", "collective"};
static long counts[KINDS];

static void count_path(const char *path, int kind)
{
    const char *below = getenv("COUNT_BELOW");
    if (!below || strstr(path, below))
        counts[kind]++;
}

/* Counts an operation on a name in an open directory. */
static void count_in(int directory, const char *name, int kind)
{
    char link[64], path[4096] = "";
    if (directory == AT_FDCWD) {
        count_path(name, kind);
        return;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    if (readlink(link, path, sizeof path - 1) > 0)
        count_path(path, kind);
}

#define REAL(result, name, parameters)                                                                       \
    static result(*real) parameters;                                                                         \
    if (!real)                                                                                               \
    *(void **)&real = dlsym(RTLD_NEXT, #name)

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    unsigned mode = flags & O_CREAT ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    REAL(int, open, (const char *, int, ...));
    count_path(path, OPENS);
    return real(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    unsigned mode = flags & O_CREAT ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    REAL(int, open64, (const char *, int, ...));
    count_path(path, OPENS);
    return real(path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    unsigned mode = flags & O_CREAT ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    REAL(int, openat, (int, const char *, int, ...));
    count_in(directory, path, OPENS);
    return real(directory, path, flags, mode);
}

int unlink(const char *path)
{
    REAL(int, unlink, (const char *));
    count_path(path, UNLINKS);
    return real(path);
}

int unlinkat(int directory, const char *path, int flags)
{
    REAL(int, unlinkat, (int, const char *, int));
    count_in(directory, path, UNLINKS);
    return real(directory, path, flags);
}

int rmdir(const char *path)
{
    REAL(int, rmdir, (const char *));
    count_path(path, UNLINKS);
    return real(path);
}

int mkdir(const char *path, mode_t mode)
{
    REAL(int, mkdir, (const char *, mode_t));
    count_path(path, MAKES);
    return real(path, mode);
}

int stat(const char *restrict path, struct stat *restrict status)
{
    REAL(int, stat, (const char *, struct stat *));
    count_path(path, STATS);
    return real(path, status);
}

struct dirent *readdir(DIR *directory)
{
    REAL(struct dirent *, readdir, (DIR *));
    count_in(dirfd(directory), "", READS);
    return real(directory);
}

#define COUNTED(kind, name, parameters, arguments)                                                           \
    int MPI_##name parameters                                                                                \
    {                                                                                                        \
        counts[kind]++;                                                                                      \
        return PMPI_##name arguments;                                                                        \
    }

COUNTED(POINTS, Send, (const void *b, int n, MPI_Datatype t, int to, int g, MPI_Comm c), (b, n, t, to, g, c))
COUNTED(POINTS, Isend, (const void *b, int n, MPI_Datatype t, int to, int g, MPI_Comm c, MPI_Request *r),
        (b, n, t, to, g, c, r))
COUNTED(COLLECTIVES, Barrier, (MPI_Comm c), (c))
COUNTED(COLLECTIVES, Ibarrier, (MPI_Comm c, MPI_Request *r), (c, r))
COUNTED(COLLECTIVES, Bcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c))
COUNTED(COLLECTIVES, Ibcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request *r),
        (b, n, t, root, c, r))
COUNTED(COLLECTIVES, Reduce, (const void *b, void *d, int n, MPI_Datatype t, MPI_Op o, int root, MPI_Comm c),
        (b, d, n, t, o, root, c))
COUNTED(COLLECTIVES, Ireduce,
        (const void *b, void *d, int n, MPI_Datatype t, MPI_Op o, int root, MPI_Comm c, MPI_Request *r),
        (b, d, n, t, o, root, c, r))
COUNTED(COLLECTIVES, Allreduce, (const void *b, void *d, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c),
        (b, d, n, t, o, c))
COUNTED(COLLECTIVES, Iallreduce,
        (const void *b, void *d, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request *r),
        (b, d, n, t, o, c, r))

int MPI_Finalize(void)
{
    char path[4096];
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s.%d", getenv("COUNT_FILE") ? getenv("COUNT_FILE") : "counts", rank);
    FILE *out = fopen(path, "w");
    for (int i = 0; out && i < KINDS; i++)
        fprintf(out, "%s %ld ", names[i], counts[i]);
    if (out)
        fclose(out);
    return PMPI_Finalize();
}
