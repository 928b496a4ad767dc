/* LD_PRELOAD: makes step number STEP_NUMBER fail on rank STEP_RANK (default 0). A step is a call that the
 * program itself (not its libraries) makes to one of the functions below. These functions allocate memory,
 * open, write or close a file, create a directory, or start a thread. STEP_LOG is a file for the names of
 * all steps. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "shim.h"

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static uintptr_t text_start, text_end;
static long wanted;
static int report = -1;
static atomic_long steps;

static int find_program(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            text_start = info->dlpi_addr + part->p_vaddr;
            text_end = text_start + part->p_memsz;
        }
    }
    return 1; /* the first object is the program */
}

__attribute__((constructor)) static void prepare(void)
{
    if (strncmp(program_invocation_short_name, "beff", 4) != 0 || own_rank() != setting("STEP_RANK", 0))
        return; /* this is a shell that starts the program, or another rank */
    if (getenv("STEP_LOG"))
        report = open(getenv("STEP_LOG"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    wanted = setting("STEP_NUMBER", 0);
    dl_iterate_phdr(find_program, NULL);
}

/* Returns true if this call from `caller` must fail. */
static int fails(const void *caller, const char *name, int cause)
{
    uintptr_t at = (uintptr_t)caller;
    if (at < text_start || at >= text_end)
        return 0;
    long step = atomic_fetch_add(&steps, 1) + 1;
    if (report >= 0)
        dprintf(report, "%ld %s\n", step, name);
    if (step != wanted)
        return 0;
    errno = cause;
    return 1;
}

#define FAILS(cause)   fails(__builtin_return_address(0), __func__, cause)
#define NEXT(function) ((__typeof__(function) *)dlsym(RTLD_NEXT, #function))

void *malloc(size_t size)
{
    return FAILS(ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return FAILS(ENOMEM) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return FAILS(ENOMEM) ? NULL : __libc_realloc(old, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    return FAILS(ENOMEM) ? ENOMEM : NEXT(posix_memalign)(memory, alignment, size);
}

char *strdup(const char *text)
{
    return FAILS(ENOMEM) ? NULL : NEXT(strdup)(text);
}

char *strndup(const char *text, size_t size)
{
    return FAILS(ENOMEM) ? NULL : NEXT(strndup)(text, size);
}

int vasprintf(char **text, const char *format, va_list arguments)
{
    return FAILS(ENOMEM) ? -1 : NEXT(vasprintf)(text, format, arguments);
}

FILE *fopen(const char *path, const char *mode)
{
    return FAILS(ENOSPC) ? NULL : NEXT(fopen)(path, mode);
}

FILE *fopen64(const char *path, const char *mode) __attribute__((alias("fopen")));

FILE *open_memstream(char **text, size_t *size)
{
    return FAILS(ENOMEM) ? NULL : NEXT(open_memstream)(text, size);
}

size_t fwrite(const void *data, size_t size, size_t count, FILE *file)
{
    if (file == stderr || !FAILS(ENOSPC))
        return NEXT(fwrite)(data, size, count, file);
    file->_flags |= 0x20; /* sets ferror() */
    errno = ENOSPC;
    return 0;
}

int fflush(FILE *file)
{
    if (!FAILS(ENOSPC))
        return NEXT(fflush)(file);
    if (file)
        file->_flags |= 0x20;
    errno = ENOSPC;
    return EOF;
}

int fclose(FILE *file)
{
    int failed = FAILS(ENOSPC), result = NEXT(fclose)(file);
    errno = failed ? ENOSPC : errno;
    return failed ? EOF : result;
}

int mkdir(const char *path, mode_t mode)
{
    return FAILS(ENOSPC) ? -1 : NEXT(mkdir)(path, mode);
}

int openat(int at, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return FAILS(ENOSPC) ? -1 : NEXT(openat)(at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) __attribute__((alias("openat")));

ssize_t write(int file, const void *data, size_t size)
{
    return FAILS(ENOSPC) ? -1 : NEXT(write)(file, data, size);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    return FAILS(EAGAIN) ? EAGAIN : NEXT(pthread_create)(thread, attributes, start, argument);
}
