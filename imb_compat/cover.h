/* Whether what the processes of a group read through a shared pointer is each part of the file once. A
 * portion that is long enough is found by its content; a shorter one stands in many places, so it has to fit
 * where the others leave room. Pure. */
#ifndef IMB_COMPAT_COVER_H
#define IMB_COMPAT_COVER_H

#include "imb_compat/check.h"

/* Whether portions of so many bytes are found by themselves. */
bool imb_cover_finds(int64_t bytes);

/* What a process tells of a portion that it read: its place in the first `extent` bytes of the content, -1 if
 * it is nowhere; of one that is too short the bytes themselves. */
int64_t imb_cover_entry(uint32_t seed, const char *portion, int64_t bytes, int64_t extent);

/* What was read, block by block of X bytes. */
struct imb_cover {
    int64_t x;
    int size;
    uint32_t seed;
    int64_t repetitions;
    const int64_t *entries; /* [size][repetitions] */
};

/* Counts the bytes of the file that nobody read (another part was read twice, then), and the wrong ones of
 * short portions. 0, or -1 when out of memory. */
int imb_cover_check(const struct imb_cover *cover, struct imb_mismatch *mismatch);

#endif
