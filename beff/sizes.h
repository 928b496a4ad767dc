/* The 21 message sizes (docs/definition.md 1.2). Pure. */
#ifndef BEFF_SIZES_H
#define BEFF_SIZES_H

#include <stdint.h>

enum { BEFF_SIZES = 21, BEFF_FIXED_SIZES = 13 };

/* Messages of Lmax, and bytes beside each, that an area of message buffers holds (docs/definition.md 1.5). */
enum { BEFF_AREA_MESSAGES = 6, BEFF_AREA_MARGIN = 16 };

/* Lmax in bytes: memory per process / 128, at most 128 MiB. memory_mib >= 1. */
int64_t beff_lmax(int64_t memory_mib);

/* 1, 2, 4 ... 4096 B, then round(4096 * a^k), k = 1..8, with 4096 * a^8 = lmax; ascending, sizes[20] = lmax.
 */
void beff_sizes(int64_t lmax, int64_t sizes[BEFF_SIZES]);

/* Bytes of one of the two areas, for sending and for receiving, through which a process walks. */
int64_t beff_area(int64_t lmax);

/* Bytes of the counts and places of messages that Alltoallv takes from each process: the one thing of a
 * process that grows with their number. */
int64_t beff_counts(int64_t processes);

#endif
