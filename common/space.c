#include "common/space.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

void *space_new(const struct space *space, size_t bytes)
{
    void *memory = NULL;
    (void)space;
    return posix_memalign(&memory, PAGE, bytes) ? NULL : memory;
}

void space_free(const struct space *space, void *memory)
{
    (void)space;
    free(memory);
}

void space_put(const struct space *space, void *to, const void *from, size_t bytes)
{
    (void)space;
    memcpy(to, from, bytes);
}

void space_get(const struct space *space, void *to, const void *from, size_t bytes)
{
    (void)space;
    memcpy(to, from, bytes);
}

void space_clear(const struct space *space, void *memory, int byte, size_t bytes)
{
    (void)space;
    memset(memory, byte, bytes);
}
