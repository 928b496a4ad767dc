/* LD_PRELOAD: makes mincore() fail, as on file systems without a page cache. */
#include <errno.h>
#include <stddef.h>

int mincore(void *start, size_t length, unsigned char *marks);

int mincore(void *start, size_t length, unsigned char *marks)
{
    (void)start, (void)length, (void)marks;
    errno = ENOSYS;
    return -1;
}
