/* FNV-1a, 64 bit: detects damage and accidental edits of a protocol; it is no signature. Pure. */
#ifndef COMMON_CHECKSUM_H
#define COMMON_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define CHECKSUM_START UINT64_C(0xcbf29ce484222325)

/* The checksum of everything before (CHECKSUM_START for nothing), extended by `size` bytes. */
static inline uint64_t checksum_add(uint64_t checksum, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        checksum = (checksum ^ byte[i]) * UINT64_C(0x100000001b3);
    return checksum;
}

#endif
