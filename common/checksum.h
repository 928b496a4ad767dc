/* FNV-1a, 64 bit: detects damage and accidental edits of a protocol; it is no signature. SHA-256
 * tells which protocol a page was made of. Pure. */
#ifndef COMMON_CHECKSUM_H
#define COMMON_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CHECKSUM_START UINT64_C(0xcbf29ce484222325)

/* The checksum of everything before (CHECKSUM_START for nothing), extended by `size` bytes. */
uint64_t checksum_add(uint64_t checksum, const void *bytes, size_t size);

/* SHA-256 of a file from where it is to its end, as sha256sum prints it. */
enum { CHECKSUM_SHA256_SIZE = 65 };
void checksum_sha256(FILE *file, char hex[CHECKSUM_SHA256_SIZE]);

#endif
