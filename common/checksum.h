/* The 64-bit FNV-1a checksum. It detects damage and accidental edits of a protocol; it is not a signature. */
#ifndef COMMON_CHECKSUM_H
#define COMMON_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define CHECKSUM_START UINT64_C(0xcbf29ce484222325)

/* Returns a checksum extended by `size` bytes. The checksum of no bytes is CHECKSUM_START. */
static inline uint64_t checksum_add(uint64_t checksum, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        checksum = (checksum ^ byte[i]) * UINT64_C(0x100000001b3);
    return checksum;
}

#endif
