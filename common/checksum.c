/* FNV-1a, 64 bit. */
#include "common/checksum.h"

uint64_t checksum_add(uint64_t checksum, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        checksum = (checksum ^ byte[i]) * UINT64_C(0x100000001b3);
    return checksum;
}
