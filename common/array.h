/* Arrays that grow element by element. Pure. */
#ifndef COMMON_ARRAY_H
#define COMMON_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more element, by doubling at each power of two. `array`: address of the pointer to the
 * `count` elements of `size` bytes each. False when out of memory; the array is as it was then. */
static inline bool array_grow(void *array, size_t count, size_t size)
{
    void *old, *grown;
    if (count & (count - 1))
        return true;
    memcpy(&old, array, sizeof old);
    grown = realloc(old, (count ? 2 * count : 1) * size);
    if (grown)
        memcpy(array, &grown, sizeof grown);
    return grown;
}

#endif
