/* The memory of messages: the only place that allocates, frees, clears, writes and reads it. (Control data,
 * such as votes and results, are ordinary variables.) */
#ifndef COMMON_SPACE_H
#define COMMON_SPACE_H

#include <stddef.h>

/* A kind of memory. All bytes 0: system memory. */
struct space {
    const struct space_driver *driver; /* of a GPU; NULL: system memory */
};

/* Returns memory for messages, aligned to a page, or NULL if there is not enough. The bytes are not set. */
void *space_new(const struct space *space, size_t bytes);

/* Frees memory from space_new(); `memory` may be NULL. */
void space_free(const struct space *space, void *memory);

/* Copies `bytes` from an ordinary variable to the memory of messages, and back. The copy is complete on
 * return, so that MPI may use the memory. */
void space_put(const struct space *space, void *to, const void *from, size_t bytes);
void space_get(const struct space *space, void *to, const void *from, size_t bytes);

/* Sets all bytes to `byte`. Complete on return. */
void space_clear(const struct space *space, void *memory, int byte, size_t bytes);

#endif
